import MartletEngine

/// Rows that several tokens have, with the positions of all of them.
final class CollectedRows {
  private struct Row {
    var rowid: Int64
    /// Of its positions.
    var offset: Int
    var count: UInt32
    /// Which of `tokens` it has.
    var token: UInt32
  }

  /// Entries as they were added; once they are finished, by their rowids, those of a row as they
  /// were added.
  @exclusivity(unchecked) private var entries = RowList<Row>()
  /// Where the entries of each row begin, and the end of all; none where each row has one.
  @exclusivity(unchecked) private var starts = RowList<Int>()
  /// How many rows there are, once they are finished.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var isSorted = true
  private let bytes = GrowingBytes()
  private let scratch = GrowingBytes()
  private let hasPositions: Bool
  /// Entries without positions in these are left out; nil for all.
  private let columns: ColumnSet?
  private let detail: Detail
  private let decoded = Positions()
  /// Who collects says which tokens the entries are of.
  let hasTokens: Bool
  @exclusivity(unchecked) private var tokens: [[UInt8]] = []

  init(_ detail: Detail, columns: [Int]?, hasTokens: Bool = false) {
    hasPositions = detail != .none
    self.detail = detail
    self.hasTokens = hasTokens
    self.columns = detail == .none ? nil : columns.map { ColumnSet($0) }
  }

  deinit { columns?.deallocate() }

  // MARK: Collecting

  /// What is added next are entries of that token.
  func begin(token: UnsafeBufferPointer<UInt8>) {
    guard hasTokens, tokens.last?.elementsEqual(token) != true else { return }
    tokens.append(Array(token))
  }

  /// Adds the entry at which a merger is, in any order of rowids.
  func add(_ merger: EntryMerger) throws(SQLError) {
    guard let entry = merger.entry else { return }
    let rowid = entry.pointee.rowid, offset = bytes.count
    if let columns {
      decoded.decode(try merger.positions(scratch), in: columns, detail)
      if decoded.count == 0 { return }
      var writer = PositionWriter()
      for place in 0..<decoded.count { try writer.append(decoded[place], to: bytes) }
    } else if hasPositions {
      let positions = try merger.positions(scratch)
      if let start = positions.baseAddress {
        try bytes.append(start.assumingMemoryBound(to: UInt8.self), positions.count)
      }
    }
    let last = entries.count &- 1
    if last >= 0, entries[last].rowid >= rowid { isSorted = false }
    try entries.append(
      Row(
        rowid: rowid, offset: offset, count: UInt32(truncatingIfNeeded: bytes.count &- offset),
        token: UInt32(truncatingIfNeeded: max(tokens.count &- 1, 0))))
  }

  /// All entries are there: they are put in order.
  func finish() throws(SQLError) {
    count = entries.count
    guard !isSorted else { return }
    try entries.sort { $0.pointee.rowid }
    for index in 0..<entries.count
    where index == 0 || entries[index].rowid != entries[index &- 1].rowid {
      try starts.append(index)
    }
    count = starts.count
    try starts.append(entries.count)
  }

  // MARK: Rows

  @inline(__always)
  private func start(_ index: Int) -> Int {
    starts.count == 0 ? index : starts[index]
  }

  @inline(__always)
  func rowid(_ index: Int) -> Int64 { entries[start(index)].rowid }

  func firstIndex(notLess rowid: Int64, from first: Int) -> Int {
    var low = first, high = count
    while low < high {
      let middle = (low + high) / 2
      if self.rowid(middle) < rowid { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The positions of a row, valid until those of another one are asked for.
  func positions(_ index: Int) throws(SQLError) -> UnsafeRawBufferPointer {
    let first = start(index), end = start(index &+ 1)
    if end == first &+ 1 || !hasPositions { return list(first) }
    decoded.removeAll()
    for entry in first..<end { decoded.decodeMore(list(entry)) }
    decoded.sort()
    scratch.removeAll()
    var writer = PositionWriter()
    for place in 0..<decoded.count where place == 0 || decoded[place] != decoded[place &- 1] {
      try writer.append(decoded[place], to: scratch)
    }
    return scratch.buffer
  }

  private func list(_ entry: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: bytes.start + entries[entry].offset, count: Int(entries[entry].count))
  }

  /// The token that stands at a place of a row, of several the last; nil where none of them does.
  func token(at position: Int64, ofRow rowid: Int64) -> [UInt8]? {
    let index = firstIndex(notLess: rowid, from: 0)
    guard index < count, self.rowid(index) == rowid else { return nil }
    for entry in (start(index)..<start(index &+ 1)).reversed() {
      let number = Int(entries[entry].token)
      guard number < tokens.count else { continue }
      decoded.decode(list(entry))
      for place in 0..<decoded.count where decoded[place] == position { return tokens[number] }
    }
    return nil
  }
}
