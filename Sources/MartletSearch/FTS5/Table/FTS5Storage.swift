import MartletEngine

/// What a table keeps beside its index: `%_content`, `%_docsize`, `%_config`, and the totals of all
/// rows (SQLite's Fts5Storage).
final class FTS5Storage {
  let configuration: FTS5Configuration
  let index: FTS5Index
  private unowned(unsafe) let connection: Connection
  @exclusivity(unchecked) private var kept: [Statement?]
  /// As they will be in the averages record; nil while they are only there.
  @exclusivity(unchecked) private var totals: Totals?
  /// The row that an UPDATE has deleted, whose unchanged columns are still wanted.
  @exclusivity(unchecked) private var savedRow: Statement?
  private let text = ValueBytes()
  private let sizes = GrowingBytes()

  struct Totals {
    var rowCount: Int64 = 0
    var sizes: [Int64]
  }

  enum Use: Int, CaseIterable {
    case scan, scanDown, lookUp, lookUpOld, insertContent, replaceContent, deleteContent
    case replaceSize, deleteSize, lookUpSize, rowidRange, replaceSetting

    /// It reads no content, which may be somebody else's table or view.
    fileprivate var isInternal: Bool {
      switch self {
      case .scan, .scanDown, .lookUp, .lookUpOld, .rowidRange: false
      case .insertContent, .replaceContent, .deleteContent, .replaceSize, .deleteSize, .lookUpSize,
        .replaceSetting:
        true
      }
    }
  }

  init(_ configuration: FTS5Configuration, _ index: FTS5Index) {
    self.configuration = configuration
    self.index = index
    connection = configuration.connection
    kept = Array(repeating: nil, count: Use.allCases.count)
  }

  // MARK: Statements

  private func name(_ suffix: String) -> String {
    ShadowName.table(configuration.database, configuration.table, suffix)
  }

  private func sql(_ use: Use) -> String {
    let content = configuration.contentTable ?? ""
    let rowid = "T." + configuration.rowidName.quotedIdentifier
    let select = "SELECT \(configuration.contentColumns) FROM \(content) T WHERE "
    let origin = configuration.hasContentlessDelete
    switch use {
    case .scan: return select + "\(rowid) >= ?1 AND \(rowid) <= ?2 ORDER BY \(rowid) ASC"
    case .scanDown: return select + "\(rowid) <= ?1 AND \(rowid) >= ?2 ORDER BY \(rowid) DESC"
    case .lookUp, .lookUpOld: return select + "\(rowid) = ?1"
    case .insertContent: return "INSERT INTO \(name("content")) VALUES(\(contentParameters))"
    case .replaceContent: return "REPLACE INTO \(name("content")) VALUES(\(contentParameters))"
    case .deleteContent: return "DELETE FROM \(name("content")) WHERE id = ?1"
    case .replaceSize:
      return "REPLACE INTO \(name("docsize")) VALUES(?1, ?2\(origin ? ", ?3" : ""))"
    case .deleteSize: return "DELETE FROM \(name("docsize")) WHERE id = ?1"
    case .lookUpSize:
      return "SELECT sz\(origin ? ", origin" : "") FROM \(name("docsize")) WHERE id = ?1"
    case .rowidRange:
      let sizes = name("docsize")
      return "SELECT (SELECT min(id) FROM \(sizes)), (SELECT max(id) FROM \(sizes))"
    case .replaceSetting: return "REPLACE INTO \(name("config")) VALUES(?1, ?2)"
    }
  }

  /// The rowid is the first one, columns follow, and behind all of these the locales.
  private var contentParameters: String {
    let count = configuration.columns.count
    var list = ["?1"]
    for column in 0..<count where keepsContent(ofColumn: column) { list.append("?\(column + 2)") }
    if configuration.hasLocales && configuration.contentKind == .normal {
      for column in 0..<count where !configuration.isUnindexed[column] {
        list.append("?\(count + column + 2)")
      }
    }
    return list.joined(separator: ", ")
  }

  private func keepsContent(ofColumn column: Int) -> Bool {
    configuration.contentKind == .normal || configuration.isUnindexed[column]
  }

  func statement(_ use: Use) throws(SQLError) -> Statement {
    if let known = kept[use.rawValue], !known.isBusy { return known }
    let made = try make(use)
    kept[use.rawValue] = made
    return made
  }

  /// A statement that nobody else uses until a cursor gives it back.
  func take(_ use: Use) throws(SQLError) -> Statement {
    if let known = kept[use.rawValue], !known.isBusy {
      kept[use.rawValue] = nil
      return known
    }
    return try make(use)
  }

  /// It locks nothing any more, and the next cursor takes it, unless there is one already.
  func giveBack(_ statement: Statement, _ use: Use) throws(SQLError) {
    defer { if kept[use.rawValue] == nil { kept[use.rawValue] = statement } }
    try statement.reset()
  }

  /// A statement that is not kept.
  func make(_ use: Use) throws(SQLError) -> Statement {
    configuration.isLocked = true
    defer { configuration.isLocked = false }
    do throws(SQLError) {
      return try connection.prepare(forVirtualTable: sql(use))
    } catch where error.code == .error && use.isInternal {
      // A table of its own is gone, or another than it was.
      throw SQLError(.corrupt)
    }
  }

  /// Of what fails inside, the table tells only the code.
  private func run(_ statement: Statement) throws(SQLError) {
    do throws(SQLError) {
      try statement.runToEnd()
    } catch {
      // Of a constraint, only that there is one, unless the program wants to know more.
      let tellsMore = connection.hasExtendedCodes || error.code.primary != .constraint
      throw SQLError(tellsMore ? error.code : .constraint)
    }
  }

  // MARK: Totals

  func loadTotals() throws(SQLError) -> Totals {
    if let totals { return totals }
    var read = Totals(sizes: Array(repeating: 0, count: configuration.columns.count))
    guard let page = try index.averages() else {
      throw index.corruptBlock(IndexFormat.averagesRow)
    }
    var offset = 0, value: UInt64 = 0
    if page.count > 0 {
      offset = Varint.read(page.bytes, &value)
      read.rowCount = Int64(bitPattern: value)
    }
    for column in read.sizes.indices where offset < page.count {
      offset += Varint.read(page.bytes + offset, &value)
      read.sizes[column] = Int64(bitPattern: value)
    }
    return read
  }

  func beginTotals() throws(SQLError) { totals = try loadTotals() }

  /// What is pending becomes part of the database.
  func sync() throws(SQLError) {
    let last = connection.lastInsertRowID
    defer { connection.lastInsertRowID = last }
    try writeTotals()
    totals = nil
    try index.flush()
  }

  /// Writes the averages record, if totals may have changed.
  func writeTotals() throws(SQLError) {
    guard let totals else { return }
    sizes.removeAll()
    try sizes.append(varint: UInt64(bitPattern: totals.rowCount))
    for size in totals.sizes { try sizes.append(varint: UInt64(bitPattern: size)) }
    try index.writeAverages(sizes.buffer)
  }

  func rollback() {
    totals = nil
    index.rollback()
  }

  // MARK: Inserting

  /// Writes a row's content, or finds a rowid for a row that has none.
  ///
  /// - Returns: The rowid.
  func insertContent(
    _ change: borrowing VirtualTableChange, isReplacing: Bool = false
  ) throws(SQLError) -> Int64 {
    guard configuration.contentKind == .normal || configuration.contentKind == .unindexed else {
      if !change.newRowid.isNull, let value = change.reference(1), value.type == .integer {
        return value.int64
      }
      return try makeRowid()
    }
    let insert = try statement(isReplacing ? .replaceContent : .insertContent)
    insert.clearBindings()
    if let rowid = change.reference(1) { try insert.bind(rowid, at: 1) }
    for column in configuration.columns.indices where keepsContent(ofColumn: column) {
      try bind(column, of: change, to: insert)
    }
    try run(insert)
    insert.clearBindings()
    return connection.lastInsertRowID
  }

  private func bind(
    _ column: Int, of change: borrowing VirtualTableChange, to insert: Statement
  ) throws(SQLError) {
    guard let value = change.reference(column + 2) else { return }
    let localePlace = configuration.columns.count + column + 2
    let hasLocale = configuration.hasLocales && !configuration.isUnindexed[column]
    if value.isUnchanged, let savedRow {
      if let old = savedRow.currentRow.value(column + 1) { try insert.bind(old, at: column + 2) }
      if hasLocale, configuration.contentKind == .normal,
        let locale = savedRow.currentRow.value(configuration.columns.count + column + 1)
      {
        try insert.bind(locale, at: localePlace)
      }
      return
    }
    guard let (locale, text) = try LocaleValue.parts(value) else {
      return try insert.bind(value, at: column + 2)
    }
    try insert.bind(text: text, at: column + 2)
    if hasLocale && configuration.contentKind == .normal {
      try insert.bind(text: locale, at: localePlace)
    }
  }

  private func makeRowid() throws(SQLError) -> Int64 {
    guard configuration.hasColumnSizes else { throw SQLError(.mismatch) }
    let replace = try statement(.replaceSize)
    replace.clearBindings()
    try run(replace)
    return connection.lastInsertRowID
  }

  /// Adds a row to the index.
  func insertIntoIndex(
    _ change: borrowing VirtualTableChange, rowid: Int64
  ) throws(SQLError) {
    try beginTotals()
    try index.beginRow(rowid, isDelete: false)
    sizes.removeAll()
    for column in configuration.columns.indices {
      var count = 0
      if !configuration.isUnindexed[column], let value = change.reference(column + 2) {
        if value.isUnchanged, let savedRow {
          count = try addSavedColumn(column, of: savedRow)
        } else {
          count = try add(value, locale: nil, column: column)
        }
      }
      try sizes.append(varint: count)
      totals?.sizes[column] &+= Int64(count)
    }
    totals?.rowCount &+= 1
    try writeSizes(ofRow: rowid)
  }

  /// The same for a row of the content.
  func insertIntoIndex(contentRow row: Statement) throws(SQLError) {
    let rowid = row.columnInt64(0)
    try beginTotals()
    try index.beginRow(rowid, isDelete: false)
    sizes.removeAll()
    for column in configuration.columns.indices {
      let count = configuration.isUnindexed[column] ? 0 : try addSavedColumn(column, of: row)
      try sizes.append(varint: count)
      totals?.sizes[column] &+= Int64(count)
    }
    totals?.rowCount &+= 1
    try writeSizes(ofRow: rowid)
  }

  func forgetTotals() { totals = nil }

  private func addSavedColumn(_ column: Int, of row: Statement) throws(SQLError) -> Int {
    guard let value = row.currentRow.value(column + 1) else { return 0 }
    let locale = localeColumn(column).flatMap { row.currentRow.value($0) }
    return try add(value, locale: locale, column: column)
  }

  /// Where rows of the content have the locale of a column.
  func localeColumn(_ column: Int) -> Int? {
    guard configuration.hasLocales, configuration.contentKind == .normal else { return nil }
    return configuration.columns.count + column + 1
  }

  /// Writes the tokens of a value, or takes them out; returns how many there are.
  private func add(
    _ value: ValueReference, locale: ValueReference?, column: Int, isDelete: Bool = false
  ) throws(SQLError) -> Int {
    guard value.type != .null else { return 0 }
    var count = 0
    let written = isDelete ? -1 : column
    let (localeBytes, bytes) = try text.parts(value, locale, configuration)
    try configuration.tokenize(bytes, .document, locale: localeBytes) {
      token, isColocated, _, _ throws(SQLError) in
      if !isColocated || count == 0 { count &+= 1 }
      try index.write(column: written, position: count &- 1, token)
    }
    return count
  }

  private func writeSizes(ofRow rowid: Int64) throws(SQLError) {
    guard configuration.hasColumnSizes else { return }
    let replace = try statement(.replaceSize)
    try replace.bind(rowid, at: 1)
    try replace.bind(blob: sizes.buffer, at: 2)
    if configuration.hasContentlessDelete {
      let origin = try index.structure().nextOrigin
      try replace.bind(Int64(bitPattern: origin), at: 3)
    }
    try run(replace)
    try replace.bindNull(at: 2)
  }

  // MARK: Deleting

  /// Takes a row out.
  ///
  /// - Parameters:
  ///   - values: What the row has, for tables that do not know it.
  ///   - isSaved: The row's values are wanted for the one that takes its place.
  func delete(
    _ rowid: Int64, values: [ValueReference]? = nil, isSaved: Bool = false
  ) throws(SQLError) {
    try beginTotals()
    if configuration.hasContentlessDelete {
      try deleteContentless(rowid)
      if isSaved && configuration.contentKind == .unindexed { try findSavedRow(rowid) }
    } else {
      try deleteFromIndex(rowid, values, isSaved: isSaved)
    }
    if configuration.hasColumnSizes { try run(.deleteSize, rowid) }
    if configuration.contentKind == .normal || configuration.contentKind == .unindexed {
      try run(.deleteContent, rowid)
    }
  }

  private func run(_ use: Use, _ rowid: Int64) throws(SQLError) {
    let statement = try statement(use)
    try statement.bind(rowid, at: 1)
    try run(statement)
  }

  /// Finds the row that an UPDATE changes, before its content is replaced.
  func findSavedRow(_ rowid: Int64) throws(SQLError) {
    let find = try statement(.lookUpOld)
    try find.bind(rowid, at: 1)
    savedRow = try step(find) ? find : nil
  }

  func releaseSavedRow() throws(SQLError) {
    guard let row = savedRow else { return }
    savedRow = nil
    try row.reset()
  }

  private func step(_ statement: Statement) throws(SQLError) -> Bool {
    do throws(SQLError) { return try statement.step() } catch { throw SQLError(error.code) }
  }

  private func deleteFromIndex(
    _ rowid: Int64, _ values: [ValueReference]?, isSaved: Bool
  ) throws(SQLError) {
    // Also for a row that is not there: what the index writes comes before the content then, which
    // the last rowid tells of a table without sizes.
    try index.beginRow(rowid, isDelete: true)
    var row: Statement?
    if values == nil {
      if isSaved, let savedRow { return try deleteColumns(rowid, savedRow, nil) }
      let find = try statement(isSaved ? .lookUpOld : .lookUp)
      try find.bind(rowid, at: 1)
      guard try step(find) else { return }
      row = find
    }
    do throws(SQLError) {
      try deleteColumns(rowid, row, values)
    } catch {
      if let row { do throws(SQLError) { try row.reset() } catch {} }
      throw error
    }
    guard let row else { return }
    if isSaved { savedRow = row } else { try row.reset() }
  }

  private func deleteColumns(
    _ rowid: Int64, _ row: Statement?, _ values: [ValueReference]?
  ) throws(SQLError) {
    let count = totals?.rowCount ?? 0
    // Quirk: where a column fails, the row counts as gone all the same, as after
    // `INSERT INTO t(t, rowid, a) VALUES('delete', 1, 'x')` for an empty table in a transaction.
    totals?.rowCount = count &- 1
    for column in configuration.columns.indices where !configuration.isUnindexed[column] {
      guard let value = values?[column] ?? row?.currentRow.value(column + 1) else { continue }
      let locale = values == nil ? localeColumn(column).flatMap { row?.currentRow.value($0) } : nil
      let size = try add(value, locale: locale, column: column, isDelete: true)
      totals?.sizes[column] &-= Int64(size)
      if (totals?.sizes[column] ?? 0) < 0 { throw index.corruptIndex }
    }
    if count < 1 {
      totals?.rowCount = count
      throw index.corruptIndex
    }
  }

  // MARK: Sizes and counts

  /// The sizes of a row's columns, read into `sizes`; false where nothing is known of it.
  func readSizes(
    ofRow rowid: Int64, into sizes: inout [Int]
  ) throws(SQLError) -> Bool {
    let find = try statement(.lookUpSize)
    try find.bind(rowid, at: 1)
    guard try step(find) else { return false }
    let isSound = FTS5Storage.decode(find.columnBytes(0), &sizes)
    try find.reset()
    if !isSound { throw index.corruptIndex }
    return true
  }

  /// The sizes of all columns of a row together; nil where nothing is known of it.
  func readSize(ofRow rowid: Int64) throws(SQLError) -> Int? {
    let find = try statement(.lookUpSize)
    try find.bind(rowid, at: 1)
    guard try step(find) else { return nil }
    var sizes = SizeReader(find.columnBytes(0)), sum = 0
    for _ in configuration.columns.indices { sum &+= sizes.next() }
    try find.reset()
    guard sizes.isSound, sizes.isAtEnd else { throw index.corruptIndex }
    return sum
  }

  /// The least and the greatest rowid, as far as the sizes of rows tell; nil where they do not.
  /// What fails here is no matter: it is about speed only.
  func rowidRange() -> ClosedRange<Int64>? {
    guard configuration.hasColumnSizes else { return nil }
    do throws(SQLError) {
      let find = try statement(.rowidRange)
      var range: ClosedRange<Int64>?
      if try find.step(), find.columnType(0) == .integer, find.columnType(1) == .integer {
        let least = find.columnInt64(0)
        range = least...max(least, find.columnInt64(1))
      }
      try find.reset()
      return range
    } catch {
      return nil
    }
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer, _ sizes: inout [Int]) -> Bool {
    var reader = SizeReader(bytes)
    for column in sizes.indices { sizes[column] = reader.next() }
    return reader.isSound && reader.isAtEnd
  }

  func rowCount() throws(SQLError) -> Int64 {
    let count = try loadTotals().rowCount
    if count <= 0 { throw index.corruptIndex }
    return count
  }

  func totalSize(ofColumn column: Int?) throws(SQLError) -> Int64 {
    let totals = try loadTotals()
    guard let column else { return totals.sizes.reduce(0, &+) }
    guard totals.sizes.indices.contains(column) else { throw SQLError(.range) }
    return totals.sizes[column]
  }
}

extension FTS5Storage {
  /// Marks a row as deleted in the segment that has it (fts5 §6.5).
  private func deleteContentless(_ rowid: Int64) throws(SQLError) {
    let find = try statement(.lookUpSize)
    try find.bind(rowid, at: 1)
    guard try step(find) else { return }
    let origin = UInt64(bitPattern: find.columnInt64(1))
    try find.reset()
    if origin != 0 { try index.deleteContentless(rowid, origin: origin) }
  }

  /// Writes an option to `%_config`.
  func writeSetting(_ name: String, _ value: ValueReference?, number: Int = 0) throws(SQLError) {
    let replace = try statement(.replaceSetting)
    try replace.bind(text: name, at: 1)
    if let value { try replace.bind(value, at: 2) } else { try replace.bind(number, at: 2) }
    try run(replace)
    replace.clearBindings()
    guard value != nil else { return }
    let cookie = index.settings.cookie &+ 1
    try index.writeCookie(cookie)
    index.settings.cookie = cookie
  }
}
