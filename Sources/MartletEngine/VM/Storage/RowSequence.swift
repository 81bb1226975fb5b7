// The rows of a window's partition, found by their numbers from 0.
//
//     a row: | size (8) | group of peers (8) | `StoredRow` |
//
// Rows are added behind all others and dropped from the front. Several readers walk over them, each
// one row further most of the time.

final class RowSequence {
  let columnCount: Int
  fileprivate let chunks: RowChunks
  /// The number of the first row of each chunk.
  fileprivate private(set) var firstRows: [Int] = []
  /// All rows that were added, dropped ones too.
  @exclusivity(unchecked) private(set) var count = 0
  /// Chunks below this one are gone.
  @exclusivity(unchecked) fileprivate private(set) var firstChunk = 0

  static let groupOffset = 8
  static let headerSize = 16

  init(columnCount: Int, budget: WorkMemory) {
    self.columnCount = columnCount
    chunks = RowChunks(budget: budget)
  }

  /// Adds a row that belongs to a group of peers.
  func append(_ registers: UnsafePointer<Register>, group: Int) throws(SQLError) {
    let size = try StoredRow.byteCount(of: registers, columnCount)
    // Readers load what they need again: no chunk has to stay for them.
    let place = try chunks.allocate(size + RowSequence.headerSize, readChunk: -1)
    if chunks.chunks.count > firstRows.count { firstRows.append(count) }
    place.storeBytes(of: size, as: Int.self)
    place.storeBytes(of: group, toByteOffset: RowSequence.groupOffset, as: Int.self)
    StoredRow.write(registers, columnCount, to: place + RowSequence.headerSize)
    count += 1
  }

  /// Rows below `row` are not asked for any more.
  @inline(__always)
  func drop(before row: Int) {
    let next = firstChunk + 1
    if next < firstRows.count && firstRows[next] <= row { dropChunks(before: row) }
  }

  @inline(never)
  private func dropChunks(before row: Int) {
    while firstChunk + 1 < firstRows.count && firstRows[firstChunk + 1] <= row {
      chunks.release(firstChunk)
      firstChunk += 1
    }
  }

  func removeAll() {
    chunks.removeAll()
    firstRows.removeAll(keepingCapacity: true)
    if !chunks.chunks.isEmpty { firstRows.append(0) }
    count = 0
    firstChunk = 0
  }

  /// The chunk that has the row.
  fileprivate func chunk(of row: Int) -> Int {
    var low = firstChunk, high = firstRows.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if firstRows[middle] <= row { low = middle } else { high = middle }
    }
    return low
  }
}

/// A place in a row sequence.
final class SequenceReader {
  private let rows: RowSequence
  @exclusivity(unchecked) private var number = -1
  @exclusivity(unchecked) private var chunk = 0
  @exclusivity(unchecked) private var offset = 0
  /// Where the reader has last gone back to: frames that are walked again for each row begin where
  /// the one before did, or a bit further.
  @exclusivity(unchecked) private var mark = (number: -1, chunk: 0, offset: 0)
  // The chunk that was read from the file.
  private var window: UnsafeMutableRawPointer?
  private var windowCapacity = 0
  private var windowChunk = -1

  init(_ rows: RowSequence) { self.rows = rows }

  deinit {
    Memory.free(window)
    rows.chunks.budget.giveBack(windowCapacity)
  }

  /// All rows are others now.
  func reset() {
    number = -1
    mark.number = -1
    windowChunk = -1
  }

  /// The row of that number, which must not have been dropped, or nil. It stays valid until the
  /// reader is asked for another or a row is added.
  @inline(__always)
  func row(_ wanted: Int) throws(SQLError) -> UnsafeRawPointer? {
    if wanted == number, wanted >= 0, let memory = rows.chunks.chunks[chunk].memory {
      return UnsafeRawPointer(memory) + (offset + RowSequence.headerSize)
    }
    return try find(wanted)
  }

  /// The group of peers of a row.
  @inline(__always)
  static func group(of row: UnsafeRawPointer) -> Int {
    (row - (RowSequence.headerSize - RowSequence.groupOffset)).load(as: Int.self)
  }

  @inline(never)
  private func find(_ wanted: Int) throws(SQLError) -> UnsafeRawPointer? {
    guard wanted >= 0 && wanted < rows.count else { return nil }
    let isLost = number < 0 || wanted < number || chunk < rows.firstChunk
    if isLost || wanted > number + 1 {
      let target = rows.chunk(of: wanted)
      if isLost, mark.number >= 0, mark.number <= wanted, mark.chunk == target {
        (number, chunk, offset) = mark
      } else if isLost || target != chunk {
        chunk = target
        offset = 0
        number = rows.firstRows[target]
      }
    }
    var content = try content(of: chunk)
    while number < wanted {
      offset += RowSequence.headerSize + (content + offset).load(as: Int.self)
      number += 1
      if offset >= rows.chunks.chunks[chunk].byteCount && chunk + 1 < rows.firstRows.count {
        chunk += 1
        offset = 0
        content = try self.content(of: chunk)
      }
    }
    if isLost { mark = (number, chunk, offset) }
    return content + (offset + RowSequence.headerSize)
  }

  private func content(of index: Int) throws(SQLError) -> UnsafeRawPointer {
    if let memory = rows.chunks.chunks[index].memory { return UnsafeRawPointer(memory) }
    let byteCount = rows.chunks.chunks[index].byteCount
    if windowChunk != index {
      windowChunk = -1
      if windowCapacity < byteCount {
        window = try Memory.reallocate(window, byteCount)
        rows.chunks.budget.take(byteCount - windowCapacity)
        windowCapacity = byteCount
      }
      try rows.chunks.load(index, into: window.unsafelyUnwrapped)
      windowChunk = index
    }
    return UnsafeRawPointer(window.unsafelyUnwrapped)
  }
}
