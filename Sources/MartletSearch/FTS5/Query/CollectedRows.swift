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
  @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Row>
  @exclusivity(unchecked) private var entryCount = 0
  @exclusivity(unchecked) private var capacity = 64
  /// Where the entries of each row begin, and the end of all; nil where each row has one.
  @exclusivity(unchecked) private var starts: UnsafeMutablePointer<Int>?
  /// How many rows there are, once they are finished.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var isSorted = true
  private let bytes = GrowingBytes()
  private let scratch = GrowingBytes()
  private let hasPositions: Bool
  /// Entries without positions in these are left out; nil for all.
  private let columns: [Int]?
  private let detail: Detail
  private let decoded = Positions()
  /// Who collects says which tokens the entries are of.
  let hasTokens: Bool
  @exclusivity(unchecked) private var tokens: [[UInt8]] = []

  init(_ detail: Detail, columns: [Int]?, hasTokens: Bool = false) {
    hasPositions = detail != .none
    self.detail = detail
    self.hasTokens = hasTokens
    self.columns = detail == .none ? nil : columns
    entries = .allocate(capacity: 64)
  }

  deinit {
    entries.deallocate()
    starts?.deallocate()
  }

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
      decoded.decode(try merger.positions(scratch))
      decoded.keep(inColumns: columns, detail)
      if decoded.count == 0 { return }
      var writer = PositionWriter()
      for place in 0..<decoded.count { try writer.append(decoded[place], to: bytes) }
    } else if hasPositions {
      let positions = try merger.positions(scratch)
      if let start = positions.baseAddress {
        try bytes.append(start.assumingMemoryBound(to: UInt8.self), positions.count)
      }
    }
    if entryCount > 0, entries[entryCount &- 1].rowid >= rowid { isSorted = false }
    if entryCount == capacity { grow() }
    (entries + entryCount).initialize(
      to: Row(
        rowid: rowid, offset: offset, count: UInt32(truncatingIfNeeded: bytes.count &- offset),
        token: UInt32(truncatingIfNeeded: max(tokens.count &- 1, 0))))
    entryCount &+= 1
  }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<Row>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: entries, count: entryCount)
    entries.deallocate()
    entries = larger
    capacity *= 2
  }

  /// All entries are there: they are put in order.
  func finish() {
    count = entryCount
    guard !isSorted else { return }
    RowidSort.sort(&entries, count: entryCount, capacity: capacity) { $0.pointee.rowid }
    let starts = UnsafeMutablePointer<Int>.allocate(capacity: entryCount + 1)
    self.starts = starts
    count = 0
    for index in 0..<entryCount
    where index == 0 || entries[index].rowid != entries[index &- 1].rowid {
      starts[count] = index
      count &+= 1
    }
    starts[count] = entryCount
  }

  // MARK: Rows

  @inline(__always)
  private func start(_ index: Int) -> Int {
    if let starts { return starts[index] }
    return index
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
