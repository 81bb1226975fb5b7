import MartletEngine

/// Whether the index of a table is sound, and says what its content says (fts5 §6.7).
///
/// Both sides are reduced to a sum of all instances, which does not depend on their order.
struct FTS5Check {
  private let table: FTS5Table
  private let configuration: FTS5Configuration
  private let index: FTS5Index

  init(_ table: FTS5Table) {
    self.table = table
    configuration = table.configuration
    index = table.index
  }

  /// - Parameter comparesContent: Also for content that is elsewhere.
  /// - Throws: `corruptVirtualTable` for whatever is wrong.
  func run(comparesContent: Bool) throws(SQLError) {
    let hasContent =
      configuration.contentKind == .normal
      || configuration.contentKind == .external && comparesContent
    // Another connection may have changed the index since the last query.
    try index.validate()
    let totals = try table.storage.loadTotals()
    var expected: UInt64 = 0
    if hasContent {
      var sum = ContentSum(table)
      try sum.run()
      expected = sum.sum
      guard sum.sizes == totals.sizes else { throw index.corruptIndex }
    }
    if configuration.contentKind == .normal { try compareCount("content", totals.rowCount) }
    if hasContent && configuration.hasColumnSizes { try compareCount("docsize", totals.rowCount) }
    for level in try index.structure().levels {
      for segment in level.segments { try check(segment) }
    }
    let found = try sumOfIndex()
    guard !hasContent || found == expected else {
      throw SQLError(
        .corruptVirtualTable, "fts5: checksum mismatch for table \"\(configuration.table)\"")
    }
  }

  private func compareCount(_ suffix: String, _ count: Int64) throws(SQLError) {
    let name = ShadowName.table(configuration.database, configuration.table, suffix)
    let statement = try configuration.connection.prepare(withNames: "SELECT count(*) FROM \(name)")
    guard try statement.step(), statement.columnInt64(0) == count else { throw index.corruptIndex }
  }

  // MARK: Segments

  /// Terms and rowids go up, and each page with terms is found by its first one.
  private func check(_ segment: IndexSegment) throws(SQLError) {
    guard segment.firstPage > 0 else { return }
    let reader = try EntryReader(index, firstOf: segment)
    let last = GrowingBytes()
    var lastRowid: Int64?, page = 0
    while !reader.isAtEnd {
      let order = ByteOrder.compare(
        reader.term.start, reader.term.count, last.start, last.count)
      if order != 0 {
        guard order > 0 else { throw reader.corruptPage() }
        if reader.termPage != page {
          page = reader.termPage
          try checkPage(segment, page, reader)
        }
        try last.set(reader.term.start, reader.term.count)
      } else if let lastRowid, reader.rowid <= lastRowid {
        throw reader.corruptPage()
      }
      lastRowid = reader.rowid
      _ = try reader.next()
    }
  }

  private func checkPage(
    _ segment: IndexSegment, _ page: Int, _ reader: EntryReader
  ) throws(SQLError) {
    let found = try index.tables.findPage(segment.id, term: reader.term.buffer) ?? 0
    let number = max(Int(truncatingIfNeeded: found >> 1), segment.firstPage)
    if number != page { throw reader.corruptPage() }
    if found & 1 != 0 { try checkDoclistIndex(segment, page) }
  }

  /// A doclist index names the pages that have a rowid behind the page of its term, and the first
  /// rowid of each.
  private func checkDoclistIndex(_ segment: IndexSegment, _ page: Int) throws(SQLError) {
    let reader = try DoclistIndexReader(index, segment, page: page)
    let mayBeBehind = index.settings.version == FTS5Settings.secureDeleteVersion
    var previous = page
    while !reader.isAtEnd {
      guard reader.page > previous, reader.page <= segment.lastPage else {
        throw index.corruptPage(page, ofSegment: segment.id)
      }
      for number in previous + 1...reader.page {
        let found = try firstRowid(segment, number)
        let expected = number == reader.page ? reader.rowid : nil
        // secure-delete leaves the doclist index as it was, where rows in front are gone.
        if mayBeBehind, let expected, found.map({ $0 >= expected }) ?? true { continue }
        guard found == expected else {
          throw index.corruptBlock(IndexFormat.segmentRow(segment.id, page: number))
        }
      }
      previous = reader.page
      try reader.advance()
    }
  }

  /// The first rowid that a page says it has.
  private func firstRowid(_ segment: IndexSegment, _ number: Int) throws(SQLError) -> Int64? {
    guard let leaf = try index.tables.read(IndexFormat.segmentRow(segment.id, page: number)),
      leaf.firstRowidOffset < leaf.count
    else { throw index.corruptBlock(IndexFormat.segmentRow(segment.id, page: number)) }
    guard leaf.firstRowidOffset > 0 else { return nil }
    var value: UInt64 = 0
    _ = Varint.read(leaf.bytes + leaf.firstRowidOffset, &value)
    return Int64(bitPattern: value)
  }

  private func sumOfIndex() throws(SQLError) -> UInt64 {
    var sum: UInt64 = 0
    let entries = try index.merger(from: nil)
    let scratch = GrowingBytes(), positions = Positions()
    while let entry = entries.current {
      let base = EntryHash.add(entry.term.buffer, to: EntryHash.begin(entry.rowid))
      if index.detail == .none {
        sum &+= EntryHash.end(base, 0)
      } else {
        positions.decode(try entry.positions(scratch))
        for place in 0..<positions.count { sum &+= EntryHash.end(base, positions[place]) }
      }
      try entries.advance()
    }
    return sum
  }
}

/// A number for an instance of a term.
private enum EntryHash {
  @inline(__always)
  static func begin(_ rowid: Int64) -> UInt64 {
    0xcbf2_9ce4_8422_2325 ^ UInt64(bitPattern: rowid) &* 0x9e37_79b9_7f4a_7c15
  }

  @inline(__always)
  static func add(_ byte: UInt8, to hash: UInt64) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  @inline(__always)
  static func add(_ bytes: UnsafeRawBufferPointer, to hash: UInt64) -> UInt64 {
    var hash = hash
    for byte in bytes { hash = add(byte, to: hash) }
    return hash
  }

  static func end(_ hash: UInt64, _ position: Int64) -> UInt64 {
    var hash = hash ^ UInt64(bitPattern: position) &* 0xc2b2_ae3d_27d4_eb4f
    hash = (hash ^ hash >> 29) &* 0xbf58_476d_1ce4_e5b9
    return hash ^ hash >> 32
  }
}

/// The sum of what the content has.
private struct ContentSum {
  private(set) var sum: UInt64 = 0
  private(set) var sizes: [Int64]
  private let table: FTS5Table
  private let configuration: FTS5Configuration
  private let detail: Detail
  private let text = ValueBytes()
  /// The numbers of the row's keys and columns, where the index has each only once.
  private var seen: Set<UInt64> = []

  init(_ table: FTS5Table) {
    self.table = table
    configuration = table.configuration
    detail = configuration.detail
    sizes = Array(repeating: 0, count: configuration.columns.count)
  }

  mutating func run() throws(SQLError) {
    let scan = try table.storage.make(.scan)
    try scan.bind(Int64.min, at: 1)
    try scan.bind(Int64.max, at: 2)
    while try scan.step() { try add(scan) }
  }

  private mutating func add(_ row: Statement) throws(SQLError) {
    seen.removeAll(keepingCapacity: true)
    let rowid = row.columnInt64(0)
    var known = Array(repeating: 0, count: configuration.columns.count)
    if configuration.hasColumnSizes {
      guard try table.storage.readSizes(ofRow: rowid, into: &known) else {
        throw table.index.corruptIndex
      }
    }
    for column in configuration.columns.indices where !configuration.isUnindexed[column] {
      let count = try add(row, rowid, column)
      if configuration.hasColumnSizes && known[column] != count { throw table.index.corruptIndex }
      sizes[column] &+= Int64(count)
    }
  }

  private mutating func add(
    _ row: Statement, _ rowid: Int64, _ column: Int
  ) throws(SQLError) -> Int {
    guard let value = row.currentRow.value(column + 1), value.type != .null else { return 0 }
    let place = table.storage.localeColumn(column)
    let (locale, bytes) = try text.parts(
      value, place.flatMap { row.currentRow.value($0) }, configuration)
    var count = 0
    try configuration.tokenize(bytes, .document, locale: locale) {
      token, isColocated, _, _ throws(SQLError) in
      if !isColocated || count == 0 { count += 1 }
      add(token, rowid, column, count - 1)
    }
    return count
  }

  private mutating func add(
    _ token: UnsafeRawBufferPointer, _ rowid: Int64, _ column: Int, _ offset: Int
  ) {
    guard let start = token.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    add(IndexFormat.mainPrefix, token, rowid, column, offset)
    for (number, characterCount) in configuration.prefixes.enumerated() {
      let byteCount = UTF8Prefix.byteCount(start, token.count, characterCount)
      guard byteCount > 0 else { continue }
      let prefix = IndexFormat.mainPrefix &+ UInt8(truncatingIfNeeded: number + 1)
      let part = UnsafeRawBufferPointer(start: start, count: byteCount)
      add(prefix, part, rowid, column, offset)
    }
  }

  /// A key is the number of its index and a token or the beginning of one.
  private mutating func add(
    _ prefix: UInt8, _ token: UnsafeRawBufferPointer, _ rowid: Int64, _ column: Int, _ offset: Int
  ) {
    let position =
      switch detail {
      case .full: Position.make(column, offset)
      case .column: Int64(column)
      case .none: 0 as Int64
      }
    let key = EntryHash.add(token, to: EntryHash.add(prefix, to: EntryHash.begin(rowid)))
    let number = EntryHash.end(key, position)
    if detail != .full, !seen.insert(number).inserted { return }
    sum &+= number
  }
}
