import MartletEngine

/// Positions in memory that is used again for the next row.
final class Positions {
  @exclusivity(unchecked) private(set) var start: UnsafeMutablePointer<Int64>
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var capacity = 16

  init() { start = .allocate(capacity: 16) }

  deinit { start.deallocate() }

  @inline(__always)
  subscript(_ index: Int) -> Int64 {
    get { start[index] }
    set { start[index] = newValue }
  }

  func removeAll() { count = 0 }

  @inline(__always)
  func append(_ position: Int64) {
    if count == capacity { grow() }
    start[count] = position
    count &+= 1
  }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * 2)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  func keepFirst(_ newCount: Int) { count = min(count, newCount) }

  /// Decodes a position list.
  func decode(_ bytes: UnsafeRawBufferPointer) {
    count = 0
    guard let start = bytes.baseAddress else { return }
    var reader = PositionReader(start.assumingMemoryBound(to: UInt8.self), bytes.count)
    while reader.next() { append(reader.position) }
  }

  /// Leaves only positions in the columns of a list. With detail=column, the positions are columns.
  func keep(inColumns columns: [Int], _ detail: Detail) {
    var kept = 0
    for index in 0..<count {
      let position = start[index]
      let column = detail == .full ? Position.column(position) : Position.offset(position)
      guard columns.contains(column) else { continue }
      start[kept] = position
      kept += 1
    }
    count = kept
  }
}
