import MartletEngine

/// A scan of the terms of an FTS5 table.
final class VocabularyCursor: VirtualTableCursor {
  private let kind: VocabularyKind
  private let source: FTS5Table
  @exclusivity(unchecked) private var entries: EntryMerger?
  /// The structure of the index that they are read from.
  @exclusivity(unchecked) private var structureNumber: UInt64 = 0
  private let term = GrowingBytes()
  private let positions = Positions()
  private let scratch = GrowingBytes()
  /// Terms behind this one are not wanted; nil for all.
  @exclusivity(unchecked) private var last: [UInt8]?
  @exclusivity(unchecked) private var wantsCounts = false
  @exclusivity(unchecked) private var isDone = true
  @exclusivity(unchecked) private var number: Int64 = 0
  /// Of each column, or of all together: rows, and instances.
  @exclusivity(unchecked) private var rowCounts: [Int64] = []
  @exclusivity(unchecked) private var counts: [Int64] = []
  @exclusivity(unchecked) private var column = 0
  /// Which instance of the entry it is.
  @exclusivity(unchecked) private var instance = 0

  init(_ table: VocabularyTable, _ source: FTS5Table) {
    kind = table.kind
    self.source = source
  }

  private var detail: Detail { source.index.detail }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    let plan = scan.number
    var first: [UInt8] = []
    var position = 0
    last = nil
    if plan & (VocabularyTable.Plan.equal | VocabularyTable.Plan.notLess) != 0,
      let value = scan.reference(0)
    {
      first = try VocabularyCursor.bytes(value)
      position = 1
      if plan & VocabularyTable.Plan.equal != 0 { last = first }
    }
    if plan & VocabularyTable.Plan.notGreater != 0, let value = scan.reference(position) {
      last = try VocabularyCursor.bytes(value)
    }
    wantsCounts = plan & 4 != 0
    let key = [IndexFormat.mainPrefix] + first
    entries = try key.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in try source.index.merger(from: bytes) }
    }.get()
    structureNumber = source.index.structureNumber
    number = 0
    isDone = false
    column = rowCounts.count
    instance = 0
    rowCounts = []
    guard kind == .instance else { return try advance() }
    number = 1
    try beginEntry()
  }

  private static func bytes(_ value: ValueReference) throws(SQLError) -> [UInt8] {
    // What was converted lives as long as its converter.
    let source = ValueBytes()
    let bytes = Array(try source.bytes(value))
    return withExtendedLifetime(source) { bytes }
  }

  /// The entry's term is of the main index, and wanted.
  private func isWanted(_ entry: EntryReader) -> Bool {
    guard entry.term.count > 0, entry.term.start[0] == IndexFormat.mainPrefix else { return false }
    guard let last else { return true }
    return last.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return entry.term.count == 1 }
      return ByteOrder.compare(entry.term.start + 1, entry.term.count - 1, start, bytes.count) <= 0
    }
  }

  /// - Throws: `abort` where the table was written since: its segments may be gone.
  override func advance() throws(SQLError) {
    guard structureNumber == source.index.structureNumber else { throw SQLError(.abort) }
    number += 1
    if kind == .instance { return try advanceInstance() }
    if kind == .col {
      column += 1
      while column < rowCounts.count && rowCounts[column] == 0 { column += 1 }
      if column < rowCounts.count { return }
    }
    try countTerm()
  }

  /// Counts what the next term has.
  private func countTerm() throws(SQLError) {
    guard let entries, let first = entries.current, isWanted(first) else { return isDone = true }
    try term.set(first.term.start, first.term.count)
    if kind == .row { return try countRows(entries) }
    rowCounts = Array(repeating: 0, count: source.configuration.columns.count)
    counts = rowCounts
    repeat {
      try count(entries)
      try entries.advance()
    } while isOfTerm(entries)
    column = rowCounts.firstIndex { $0 > 0 } ?? 0
  }

  /// The entry is of the term that is counted.
  @inline(__always)
  private func isOfTerm(_ entries: EntryMerger) -> Bool {
    guard let entry = entries.entry else { return false }
    return !entries.mayBeNewTerm
      || ByteOrder.areEqual(entry.pointee.term, entry.pointee.termCount, term.start, term.count)
  }

  private func countRows(_ entries: EntryMerger) throws(SQLError) {
    var rows: Int64 = 0, instances: Int64 = 0
    let countsInstances = detail == .full && wantsCounts
    repeat {
      rows &+= 1
      if countsInstances { instances &+= try countPositions(entries) }
      try entries.advance()
    } while isOfTerm(entries)
    rowCounts = [rows]
    counts = [instances]
    column = 0
  }

  @inline(__always)
  private func countPositions(_ entries: EntryMerger) throws(SQLError) -> Int64 {
    let list = try entries.positions(scratch)
    guard let start = list.baseAddress else { return 0 }
    var reader = PositionReader(start.assumingMemoryBound(to: UInt8.self), list.count)
    var count: Int64 = 0
    while reader.next() { count &+= 1 }
    return count
  }

  /// Counts an entry in its columns.
  private func count(_ entries: EntryMerger) throws(SQLError) {
    if detail == .none {
      rowCounts[0] += 1
      return
    }
    let list = try entries.positions(scratch)
    guard let start = list.baseAddress else { return }
    var reader = PositionReader(start.assumingMemoryBound(to: UInt8.self), list.count)
    var previous = -1
    while reader.next() {
      let place = reader.position
      let column = detail == .full ? Position.column(place) : Position.offset(place)
      guard column < rowCounts.count else { throw source.index.corruptIndex }
      if column != previous { rowCounts[column] += 1 }
      previous = column
      if detail == .full { counts[column] += 1 }
    }
  }

  // MARK: Instances

  private func beginEntry() throws(SQLError) {
    instance = 0
    while true {
      guard let entry = entries?.current, isWanted(entry) else { return isDone = true }
      if detail == .none { return }
      positions.decode(try entry.positions(scratch))
      if positions.count > 0 { return }
      try entries?.advance()
    }
  }

  private func advanceInstance() throws(SQLError) {
    instance += 1
    if detail != .none && instance < positions.count { return }
    try entries?.advance()
    try beginEntry()
  }

  // MARK: Row

  override var isAtEnd: Bool { isDone }

  override func rowid() throws(SQLError) -> Int64 { number }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    if column == 0 {
      let key = kind == .instance ? entries?.current?.term : term
      guard let key, key.count > 0 else { return }
      return try value.set(text: UnsafeRawBufferPointer(rebasing: key.buffer[1...]))
    }
    switch kind {
    case .row: set(column == 1 ? rowCounts[0] : counts[0], value)
    case .col:
      if column > 1 {
        return set(column == 2 ? rowCounts[self.column] : counts[self.column], value)
      }
      if detail != .none { try value.set(text: source.configuration.columns[self.column]) }
    case .instance: try readInstance(column, value)
    }
  }

  private func set(_ count: Int64, _ value: borrowing VirtualTableValue) {
    if count > 0 { value.set(count) }
  }

  private func readInstance(
    _ column: Int, _ value: borrowing VirtualTableValue
  ) throws(SQLError) {
    if column == 1 { return value.set(entries?.current?.rowid ?? 0) }
    guard detail != .none, instance < positions.count else { return }
    let place = positions[instance]
    if column == 3 {
      if detail == .full { value.set(Position.offset(place)) }
      return
    }
    let found = detail == .full ? Position.column(place) : Position.offset(place)
    guard source.configuration.columns.indices.contains(found) else { return }
    try value.set(text: source.configuration.columns[found])
  }
}
