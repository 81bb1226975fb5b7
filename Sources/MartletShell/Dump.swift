import MartletEngine

/// What `.dump` was asked for.
struct DumpOptions {
  var isDataOnly = false
  var preservesRowIDs = false
  var omitsSystemTables = false
  /// LIKE patterns of objects; none means all.
  var patterns: [String] = []
}

/// `.dump`: the main database as the SQL that makes it again (cli §9).
///
///     PRAGMA foreign_keys=OFF; BEGIN TRANSACTION;
///     each table in the order of its creation, sqlite_sequence last: CREATE TABLE, its rows
///     views, triggers, indexes
///     COMMIT;
///
/// Only the schema is held in memory; rows are written as they are read, all in one transaction.
struct Dump {
  private let options: DumpOptions
  private let session: Session
  private let connection: Connection
  private var errorCount = 0
  private var bar: ProgressBar
  private var rowCount = 0
  /// `PRAGMA writable_schema=ON` was written, as virtual tables and sqlite_sequence need.
  private var writesSchema = false

  init(_ options: DumpOptions, of connection: Connection, in session: Session) {
    self.options = options
    self.connection = connection
    self.session = session
    bar = ProgressBar(unit: "rows", unless: session.output.fillsTerminal)
  }

  /// Writes the dump; false if something could not be read.
  mutating func write() -> Bool {
    let holdsSnapshot = beginSnapshot()
    writeVirtualTableWarning()
    if !options.isDataOnly { put("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n") }
    writeTables()
    if !options.isDataOnly, !Interruption.isPending { writeOtherObjects() }
    if writesSchema { put("PRAGMA writable_schema=OFF;\n") }
    // Between two tables no statement runs that would end with it.
    if Interruption.isPending, errorCount == 0 { report(SQLError(.interrupt)) }
    if !options.isDataOnly {
      put(errorCount == 0 ? "COMMIT;\n" : "ROLLBACK; -- due to errors\n")
    }
    if holdsSnapshot { endSnapshot() }
    return errorCount == 0
  }

  private func put(_ text: String) { session.output.write(text) }

  // MARK: Transaction

  /// The dump must see one state of the database. Inside a transaction it does; false where none
  /// can be begun, which the reading itself will report.
  private func beginSnapshot() -> Bool {
    if connection.isInTransaction { return false }
    do throws(SQLError) {
      try connection.execute("BEGIN")
      return true
    } catch {
      return false
    }
  }

  private mutating func endSnapshot() {
    do throws(SQLError) {
      try connection.execute("COMMIT")
    } catch {
      report(error)
    }
  }

  // MARK: Schema

  /// The condition that keeps the objects asked for, and the shadow tables of virtual ones.
  private var condition: String {
    if options.patterns.isEmpty { return "true" }
    return options.patterns.indices.map { index in
      let matches = "LIKE ?\(index + 1) ESCAPE '\\'"
      return """
        o.name \(matches) OR EXISTS (SELECT 1 FROM sqlite_schema AS v WHERE v.name \(matches) \
        AND v.sql LIKE 'CREATE VIRTUAL TABLE%' \
        AND substr(o.name, 1, length(v.name) + 1) = v.name || '_')
        """
    }.joined(separator: " OR ")
  }

  /// Rows of a query about the schema, with the patterns bound.
  private func schemaRows(_ sql: String) throws(SQLError) -> [[String]] {
    let statement = try connection.prepare(sql)
    for (index, pattern) in options.patterns.enumerated()
    where index < statement.parameterCount {
      try statement.bind(text: pattern, at: index + 1)
    }
    return try statement.allTexts()
  }

  private func writeVirtualTableWarning() {
    let sql = """
      SELECT 1 FROM sqlite_schema AS o \
      WHERE o.sql LIKE 'CREATE VIRTUAL TABLE%' AND (\(condition)) LIMIT 1
      """
    // A schema that cannot be read is reported when the tables are asked for.
    guard let rows = try? schemaRows(sql), !rows.isEmpty else { return }
    put("/* WARNING: Script requires that SQLITE_DBCONFIG_DEFENSIVE be disabled */\n")
  }

  private mutating func writeTables() {
    let tables: [[String]]
    do throws(SQLError) {
      tables = try schemaRows(
        """
        SELECT o.name, o.sql FROM sqlite_schema AS o WHERE (\(condition)) AND o.type = 'table' \
        AND o.sql NOT NULL ORDER BY o.tbl_name = 'sqlite_sequence', o.rowid
        """)
    } catch {
      errorCount += 1
      session.printError("sql error: \(error.message) (\(error.code.primary.rawValue))\n")
      return
    }
    estimateRows(of: tables)
    defer { bar.finish() }
    for table in tables where !Interruption.isPending && writeDefinition(of: table[0], table[1]) {
      do throws(SQLError) {
        try writeRows(of: table[0])
      } catch {
        report(error)
      }
    }
  }

  private mutating func writeOtherObjects() {
    do throws(SQLError) {
      let objects = try schemaRows(
        """
        SELECT o.sql FROM sqlite_schema AS o WHERE (\(condition)) AND o.sql NOT NULL \
        AND o.type IN ('index', 'trigger', 'view') ORDER BY o.type COLLATE NOCASE DESC
        """)
      for object in objects {
        // The statement may end in a comment to the end of the line.
        put(object[0] + (Self.mayEndInComment(object[0]) ? "\n;\n" : ";\n"))
      }
    } catch {
      errorCount += 1
      put("/**** ERROR: (\(error.code.primary.rawValue)) \(error.message) *****/\n")
    }
  }

  private static func mayEndInComment(_ sql: String) -> Bool {
    var previous: UInt8 = 0
    for byte in sql.utf8 {
      if byte == UInt8(ascii: "-"), previous == byte { return true }
      previous = byte
    }
    return false
  }

  // MARK: Tables

  /// Writes what makes the table; false where its rows are not to follow.
  private mutating func writeDefinition(of name: String, _ sql: String) -> Bool {
    if name == "sqlite_sequence" {
      guard !options.omitsSystemTables else { return false }
      beginWritingSchema()
      put("CREATE TABLE IF NOT EXISTS sqlite_sequence(name,seq);\nDELETE FROM sqlite_sequence;\n")
      return true
    }
    if name.hasPrefix("sqlite_stat"), name.utf8.count == "sqlite_stat".utf8.count + 1 {
      guard !options.omitsSystemTables else { return false }
      if !options.isDataOnly { put("ANALYZE sqlite_schema;\n") }
      return true
    }
    if name.hasPrefix("sqlite_") { return false }
    if options.isDataOnly { return true }
    if sql.hasPrefix("CREATE VIRTUAL TABLE") {
      beginWritingSchema()
      let literal = sqlText(name)
      put(
        "INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)"
          + "VALUES('table',\(literal),\(literal),0,\(sqlText(sql)));\n")
      return false
    }
    put(schemaStatement(sql) + "\n")
    return true
  }

  private mutating func beginWritingSchema() {
    guard !writesSchema else { return }
    put("PRAGMA writable_schema=ON;\n")
    writesSchema = true
  }

  private mutating func writeRows(of table: String) throws(SQLError) {
    let description = try connection.prepare("PRAGMA table_info(\(quotedName(table)))").allTexts()
    if description.isEmpty { return }
    var columns = description.map { quotedName($0[1]) }
    if options.preservesRowIDs, let rowID = try rowIDName(of: table, description) {
      columns.insert(rowID, at: 0)
    }
    let statement = try connection.prepare(
      "SELECT \(columns.joined(separator: ",")) FROM \(quotedName(table))")
    var names: [String]?
    if options.preservesRowIDs {
      names = (0..<statement.columnCount).map { statement.columnName($0) }
    }
    var insert = InsertText(table: table, columns: names)
    let output = session.output
    while try statement.step() {
      insert.write(statement, to: output)
      rowCount += 1
      bar.show(done: rowCount)
    }
  }

  /// About how many rows all tables have, if somebody wants to see how far the dump is.
  private mutating func estimateRows(of tables: [[String]]) {
    guard bar.isPossible else { return }
    bar.total = tables.reduce(0) { $0 + (connection.estimatedRowCount(of: $1[0]) ?? 0) }
  }

  /// The name under which the table's rowid can be asked for; nil where it has none, or where a
  /// column is the rowid. `columns` are the rows of PRAGMA table_info.
  private func rowIDName(
    of table: String, _ columns: [[String]]
  ) throws(SQLError) -> String? {
    let keys = columns.filter { $0[5] != "0" }
    if keys.count == 1, keys[0][2].lowercased() == "integer" {
      // INTEGER PRIMARY KEY DESC is no alias of the rowid, and has an index.
      let indexes = try connection.prepare("PRAGMA index_list(\(quotedName(table)))").allTexts()
      guard indexes.contains(where: { $0[3] == "pk" }) else { return nil }
    }
    let names = Set(columns.map { $0[1].lowercased() })
    guard let name = ["rowid", "_rowid_", "oid"].first(where: { !names.contains($0) }) else {
      return nil
    }
    do throws(SQLError) {
      _ = try connection.prepare("SELECT \(name) FROM \(quotedName(table))")
      return name
    } catch {
      // WITHOUT ROWID.
      return nil
    }
  }

  /// A table that cannot be read to its end spoils the dump, which then ends in ROLLBACK.
  private mutating func report(_ error: SQLError) {
    errorCount += 1
    session.printError("Error: \(error.message)\n")
  }
}

/// INSERT statements, a row each, in a line that is kept from row to row.
struct InsertText {
  private let start: [UInt8]
  private var line: [UInt8] = []

  init(table: String, columns: [String]?) {
    var text = "INSERT INTO \(identifier(table))"
    if let columns { text += "(" + columns.map(identifier).joined(separator: ",") + ")" }
    start = Array((text + " VALUES(").utf8)
  }

  mutating func write(_ statement: Statement, to output: Output) {
    line.removeAll(keepingCapacity: true)
    line.append(contentsOf: start)
    for column in 0..<statement.columnCount {
      if column > 0 { line.append(UInt8(ascii: ",")) }
      switch statement.columnType(column) {
      case .null: line.append("NULL")
      case .integer: line.append(decimal: statement.columnInt64(column))
      case .real: line.append(contentsOf: statement.columnBytes(column))
      case .text:
        let text = statement.columnBytes(column)
        let end = text.firstIndex(of: 0) ?? text.count
        line.append(sqlText: UnsafeRawBufferPointer(rebasing: text[..<end]))
      case .blob: line.append(sqlBlob: statement.columnBytes(column))
      }
    }
    line.append(");\n")
    line.withUnsafeBytes { output.write(bytes: $0) }
  }
}

/// A statement of the schema with the semicolon that ends it; one that makes a table whose name is
/// quoted says IF NOT EXISTS.
func schemaStatement(_ sql: String) -> String {
  var text = sql
  let start = "CREATE TABLE "
  if text.hasPrefix(start), let first = text.utf8.dropFirst(start.utf8.count).first,
    first == UInt8(ascii: "'") || first == UInt8(ascii: "\"")
  {
    text = "CREATE TABLE IF NOT EXISTS " + text.dropFirst(start.count)
  }
  // A comment at its end must not hide the semicolon.
  let endings = [";", "\n;", "*/;"]
  let ending = endings.first { isCompleteStatement(Array((text + $0).utf8)) } ?? ";"
  return text + ending
}

extension Statement {
  /// Every row as texts; NULL is an empty text.
  func allTexts() throws(SQLError) -> [[String]] {
    var rows: [[String]] = []
    while try step() { rows.append((0..<columnCount).map { columnText($0) }) }
    return rows
  }
}
