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

  /// Decodes what a position list has in some columns. With detail=column, positions are columns.
  func decode(_ bytes: UnsafeRawBufferPointer, in columns: ColumnSet, _ detail: Detail) {
    count = 0
    guard let start = bytes.baseAddress else { return }
    let target = reserve(bytes.count)
    var reader = FilteredPositionReader(
      start.assumingMemoryBound(to: UInt8.self), bytes.count, columns, detail)
    var found = 0
    while reader.next() {
      target[found] = reader.position
      found &+= 1
    }
    count = found
  }
}

/// Columns of a table as bits, where it is asked for each position whether it is in one of them.
struct ColumnSet {
  private let words: UnsafeMutablePointer<UInt64>
  private let wordCount: Int

  init(_ columns: [Int]) {
    wordCount = (columns.max() ?? 0) / 64 + 1
    words = .allocate(capacity: wordCount)
    words.initialize(repeating: 0, count: wordCount)
    for column in columns { words[column / 64] |= 1 << UInt64(column % 64) }
  }

  func deallocate() { words.deallocate() }

  @inline(__always)
  func contains(_ column: Int) -> Bool {
    let word = column >> 6
    return word < wordCount && words[word] >> UInt64(column & 63) & 1 != 0
  }
}

/// Reads the positions of one row that are in some columns, and goes over the others.
struct FilteredPositionReader {
  private var reader: PositionReader
  private let columns: ColumnSet
  private let hasOffsets: Bool
  private var column = 0
  private var isWanted: Bool

  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ columns: ColumnSet, _ detail: Detail) {
    reader = PositionReader(bytes, count)
    self.columns = columns
    hasOffsets = detail == .full
    isWanted = !hasOffsets || columns.contains(0)
  }

  var position: Int64 { reader.position }

  @inline(__always)
  mutating func next() -> Bool {
    while isWanted ? reader.next() : reader.nextColumn() {
      guard hasOffsets else {
        if columns.contains(Position.offset(reader.position)) { return true }
        continue
      }
      let own = Position.column(reader.position)
      if own != column {
        column = own
        isWanted = columns.contains(own)
      }
      if isWanted { return true }
    }
    return false
  }
}
