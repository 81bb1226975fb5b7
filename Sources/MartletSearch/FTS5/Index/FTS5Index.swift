import MartletEngine

/// The full-text index of a table: what is pending, and the segments in `%_data` and `%_idx` (fts5
/// §9.2).
final class FTS5Index {
  let tables: IndexTables
  let configuration: FTS5Configuration
  let detail: Detail
  let pending: PendingEntries
  /// The row that is written.
  @exclusivity(unchecked) private var writtenRowid: Int64 = 0
  @exclusivity(unchecked) private var isDeleting = false
  /// Rows whose terms are pending.
  @exclusivity(unchecked) private(set) var pendingRowCount = 0
  /// Rows that were marked as deleted in segments since the last flush.
  @exclusivity(unchecked) var contentlessDeleteCount = 0
  /// As it is in the database at that version.
  @exclusivity(unchecked) private var knownStructure: IndexStructure? {
    didSet { structureNumber &+= 1 }
  }
  /// Another one than before: the structure has changed, and what reads its segments cannot go on.
  @exclusivity(unchecked) private(set) var structureNumber: UInt64 = 0
  @exclusivity(unchecked) private var knownVersion: UInt32 = 0
  /// A flush failed: what is pending is no more to be trusted.
  @exclusivity(unchecked) private var flushFailure: SQLError?
  private let scratch = GrowingBytes()

  init(_ tables: IndexTables, _ configuration: FTS5Configuration) {
    self.tables = tables
    self.configuration = configuration
    detail = configuration.detail
    pending = PendingEntries(configuration.detail)
  }

  var settings: FTS5Settings { configuration.settings }

  // MARK: Blocks

  /// - Throws: `corruptVirtualTable` where there is no such page, or none that could be one.
  func readPage(_ segment: Int, _ number: Int) throws(SQLError) -> IndexPage {
    let row = IndexFormat.segmentRow(segment, page: number)
    guard let page = try tables.read(row), page.isSound else { throw corruptBlock(row) }
    return page
  }

  func corruptBlock(_ row: Int64) -> SQLError {
    SQLError(
      .corruptVirtualTable,
      "fts5: corruption found reading blob \(row) from table \"\(tables.table)\"")
  }

  func corruptPage(_ page: Int, ofSegment segment: Int) -> SQLError {
    SQLError(
      .corruptVirtualTable,
      "fts5: corruption on page \(page), segment \(segment), table \"\(tables.table)\"")
  }

  /// What is wrong has no message of its own, as in C.
  var corruptIndex: SQLError { SQLError(.corruptVirtualTable) }

  // MARK: Structure

  func structure() throws(SQLError) -> IndexStructure {
    if let knownStructure { return knownStructure }
    let version = try tables.version()
    guard let page = try tables.read(IndexFormat.structureRow) else {
      throw corruptBlock(IndexFormat.structureRow)
    }
    guard let (structure, cookie) = IndexStructure.decode(page.buffer) else {
      throw SQLError(
        .corruptVirtualTable, "fts5: corrupt structure record for table \"\(tables.table)\"")
    }
    if settings.cookie != cookie || !settings.isLoaded {
      try configuration.loadSettings(cookie: cookie)
    }
    knownStructure = structure
    knownVersion = version
    return structure
  }

  func write(_ structure: IndexStructure) throws(SQLError) {
    knownStructure = nil
    var structure = structure
    structure.limitLevels()
    try structure.encode(cookie: max(settings.cookie, 0), to: scratch)
    try tables.write(IndexFormat.structureRow, scratch.buffer)
  }

  /// A query or change begins: what is known of another version of the database is forgotten.
  func validate() throws(SQLError) {
    guard knownStructure != nil else { return }
    if try tables.version() != knownVersion { knownStructure = nil }
  }

  func forgetStructure() { knownStructure = nil }

  /// The structure has changed, and is written with the next flush.
  func keep(_ structure: IndexStructure) throws(SQLError) {
    if knownStructure == nil { knownVersion = try tables.version() }
    knownStructure = structure
  }

  /// Writes an index without segments.
  func writeEmpty() throws(SQLError) {
    knownStructure = nil
    try tables.write(IndexFormat.averagesRow, UnsafeRawBufferPointer(start: nil, count: 0))
    var structure = IndexStructure()
    structure.nextOrigin = configuration.hasContentlessDelete ? 1 : 0
    try write(structure)
  }

  /// The averages record (fts5 §9.2.3).
  func averages() throws(SQLError) -> IndexPage? { try tables.read(IndexFormat.averagesRow) }

  func writeAverages(_ bytes: UnsafeRawBufferPointer) throws(SQLError) {
    try tables.write(IndexFormat.averagesRow, bytes)
  }

  // MARK: Writing

  /// A row is about to be written, or taken out. Within what is pending rowids only go up.
  func beginRow(_ rowid: Int64, isDelete: Bool) throws(SQLError) {
    if rowid < writtenRowid || rowid == writtenRowid && !isDeleting
      || pending.byteCount > settings.hashSize
    {
      try flush()
    }
    writtenRowid = rowid
    isDeleting = isDelete
    if !isDelete { pendingRowCount += 1 }
  }

  /// - Parameter column: -1 where the row is taken out.
  @inline(__always)
  func write(
    column: Int, position: Int, _ token: UnsafeRawBufferPointer
  ) throws(SQLError) {
    guard let start = token.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    try pending.write(
      rowid: writtenRowid, column: column, position: position, prefix: IndexFormat.mainPrefix,
      start, token.count)
    for (number, characterCount) in configuration.prefixes.enumerated() {
      let byteCount = UTF8Prefix.byteCount(start, token.count, characterCount)
      guard byteCount > 0 else { continue }
      try pending.write(
        rowid: writtenRowid, column: column, position: position,
        prefix: IndexFormat.mainPrefix &+ UInt8(truncatingIfNeeded: number &+ 1), start, byteCount)
    }
  }

  /// Makes a segment of what is pending.
  func flush() throws(SQLError) {
    if let flushFailure { throw flushFailure }
    guard pending.byteCount > 0 || contentlessDeleteCount > 0 else { return }
    do throws(SQLError) {
      try flushPending()
    } catch {
      flushFailure = error
      throw error
    }
    forgetPending()
  }

  /// What is pending could not be written.
  var hasFailed: Bool { flushFailure != nil }

  private func forgetPending() {
    pending.removeAll()
    pendingRowCount = 0
    contentlessDeleteCount = 0
    flushFailure = nil
  }

  /// What is pending is taken back with its transaction.
  func rollback() {
    forgetPending()
    knownStructure = nil
    writtenRowid = 0
    isDeleting = false
  }

  private func flushPending() throws(SQLError) {
    var structure = try structure()
    var pageCount = 0
    if !pending.isEmpty {
      let segment = try structure.unusedSegment()
      pageCount = try writePending(asSegment: segment)
      knownStructure = nil
      if pageCount > 0 { add(segment, pageCount, to: &structure) }
    }
    try mergeAutomatically(&structure, writtenPageCount: pageCount + contentlessDeleteCount)
    try mergeInCrisis(&structure)
    try write(structure)
  }

  private func add(_ id: Int, _ pageCount: Int, to structure: inout IndexStructure) {
    if structure.levels.isEmpty { structure.levels.append(IndexLevel()) }
    var segment = IndexSegment(id: id, firstPage: 1, lastPage: pageCount)
    if structure.nextOrigin > 0 {
      segment.oldestOrigin = structure.nextOrigin
      segment.newestOrigin = structure.nextOrigin
      segment.entryCount = UInt64(pendingRowCount)
      structure.nextOrigin += 1
    }
    structure.levels[0].segments.append(segment)
    structure.promote(level: 0)
  }

  private func writePending(asSegment segment: Int) throws(SQLError) -> Int {
    let writer = try EntryWriter(tables, segment: segment, pageSize: settings.pageSize)
    let list = GrowingBytes()
    for entry in try pending.sortedEntries() {
      let key = pending.key(ofEntry: Int(entry))
      try pending.copyList(ofEntry: Int(entry), to: list)
      guard let start = key.baseAddress?.assumingMemoryBound(to: UInt8.self) else { continue }
      if settings.isSecureDelete {
        try writeSecurely(start, key.count, list, writer)
        continue
      }
      try writer.append(term: start, key.count)
      if settings.pageSize >= writer.pageCount + list.count + 1 {
        try writer.page.append(list.start, list.count)
      } else {
        try PendingListWriter(writer, detail).write(list)
      }
    }
    return try writer.finish()
  }
}

/// Prefixes of so many characters.
enum UTF8Prefix {
  /// The bytes of the first characters; 0 where there are not as many.
  @inline(__always)
  static func byteCount(
    _ text: UnsafePointer<UInt8>, _ count: Int, _ characterCount: Int
  ) -> Int {
    var place = 0
    for _ in 0..<characterCount {
      if place >= count { return 0 }
      let first = text[place]
      place &+= 1
      if first >= 0xc0 {
        if place >= count { return 0 }
        while place < count && text[place] & 0xc0 == 0x80 { place &+= 1 }
      }
    }
    return place
  }
}
