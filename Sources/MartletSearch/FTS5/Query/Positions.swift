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
  private func grow(_ needed: Int = 0) {
    let newCapacity = max(capacity * 2, needed)
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: newCapacity)
    larger.update(from: start, count: count)
    start.deallocate()
    start = larger
    capacity = newCapacity
  }

  /// Makes room for more positions, and gives the place of the next one.
  @inline(__always)
  private func reserve(_ more: Int) -> UnsafeMutablePointer<Int64> {
    if count &+ more > capacity { grow(count &+ more) }
    return start + count
  }

  func keepFirst(_ newCount: Int) { count = min(count, newCount) }

  /// Decodes a position list.
  func decode(_ bytes: UnsafeRawBufferPointer) {
    count = 0
    decodeMore(bytes)
  }

  /// Adds what a position list has.
  func decodeMore(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    // No position takes less than a byte.
    let target = reserve(bytes.count)
    var reader = PositionReader(start.assumingMemoryBound(to: UInt8.self), bytes.count)
    var found = 0
    while reader.next() {
      target[found] = reader.position
      found &+= 1
    }
    count &+= found
  }

  /// Sorts what are mostly a few lists one behind the other.
  func sort() {
    if count > 64 {
      var all = UnsafeMutableBufferPointer(start: start, count: count)
      return all.sort()
    }
    for index in 1..<max(count, 1) {
      let position = start[index]
      var place = index
      while place > 0, start[place &- 1] > position {
        start[place] = start[place &- 1]
        place &-= 1
      }
      start[place] = position
    }
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
