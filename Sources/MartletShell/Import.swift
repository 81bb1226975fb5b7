import MartletEngine

/// What `.import` was asked for.
struct ImportOptions {
  var format: ImportFormat
  var schema: String?
  var table = ""
  var skippedRowCount = 0
  /// Rows whose first field is empty are none; so it is in the output mode `ascii`.
  var needsFirstField = false
  /// 1 says what is done, 2 with which statement.
  var verbosity = 0
}

/// `.import`: rows of a text file into a table, which is made if there is none (cli §8).
///
/// Rows stream: each is bound and inserted as it is read, all in one transaction.
struct Import {
  private let options: ImportOptions
  private let session: Session
  private let connection: Connection
  private var reader: ImportReader
  private var progress: ProgressBar
  private var insertedCount = 0
  private var errorCount = 0

  init(
    _ options: ImportOptions, from reader: ImportReader, size: Int?, into connection: Connection,
    in session: Session
  ) {
    self.options = options
    self.session = session
    self.connection = connection
    self.reader = reader
    progress = ProgressBar(unit: "rows", total: size)
  }

  /// Imports the file; false if anything went wrong.
  mutating func run() -> Bool {
    if options.verbosity > 0 {
      let column = escapedByte(options.format.columnSeparator)
      let row = escapedByte(options.format.rowSeparator)
      session.output.write("Column separator \(column), row separator \(row)\n")
    }
    let firstLine = reader.lineNumber
    for _ in 0..<max(options.skippedRowCount, 0) { reader.skipRow() }
    do throws(SQLError) {
      var columnCount = try countColumns()
      if columnCount == 0 {
        guard try makeTable() else { return false }
        columnCount = try countColumns()
      }
      guard columnCount > 0 else { return false }
      try insertRows(columnCount)
    } catch {
      session.printError("Error: \(error.message)\n")
      return false
    }
    if options.verbosity > 0 {
      session.output.write(
        "Added \(insertedCount) rows with \(errorCount) errors"
          + " using \(reader.lineNumber - firstLine) lines of input\n")
    }
    return errorCount == 0
  }

  // MARK: The table

  /// How many columns the table or view has that can be written; 0 if there is none.
  private func countColumns() throws(SQLError) -> Int {
    let schema = options.schema.map { quotedName($0) + "." } ?? ""
    let table = quotedName(options.table)
    do throws(SQLError) {
      let columns = try connection.prepare("PRAGMA \(schema)table_info(\(table))").allTexts()
      if !columns.isEmpty { return columns.count }
      return try connection.prepare("SELECT * FROM \(schema)\(table)").columnCount
    } catch {
      // There is none, or making it says what is wrong with the schema's name.
      return 0
    }
  }

  /// Makes the table with the columns that the next row names; false if that cannot be done.
  private mutating func makeTable() throws(SQLError) -> Bool {
    var names: [[UInt8]] = []
    while reader.next() {
      names.append(Array(reader.field.prefix { $0 != 0 }))
      if reader.end != .column { break }
    }
    let columns = ImportColumns(names)
    guard !columns.isEmpty else {
      session.printError("\(reader.name): empty file\n")
      return false
    }
    if let renamings = columns.renamings {
      session.printError(
        "Columns renamed during .import \(reader.name) due to duplicates:\n\(renamings)\n")
    }
    let schema = quotedName(options.schema ?? "main")
    let sql = "CREATE TABLE \(schema).\(quotedName(options.table))\(columns.definition)"
    if options.verbosity > 0 { session.output.write(sql + "\n\n") }
    do throws(SQLError) {
      try connection.execute(sql)
      return true
    } catch {
      session.printError("\(sql)\n failed:\n\(error.message)\n")
      return false
    }
  }

  // MARK: The rows

  private mutating func insertRows(_ columnCount: Int) throws(SQLError) {
    let schema = options.schema.map { quotedName($0) + "." } ?? ""
    let parameters = repeatElement("?", count: columnCount).joined(separator: ",")
    let sql = "INSERT INTO \(schema)\(quotedName(options.table)) VALUES(\(parameters))"
    if options.verbosity > 1 { session.output.write("Insert using: \(sql)\n") }
    let statement = try connection.prepare(sql)
    let commits = !connection.isInTransaction
    if commits { try connection.execute("BEGIN") }
    defer { progress.finish() }
    repeat {
      let line = reader.lineNumber
      if try bindRow(to: statement, columnCount, line) { insert(statement, line) }
      progress.show(done: reader.byteCount, count: insertedCount)
    } while reader.end != .file && !Interruption.isPending
    try statement.reset()
    // A pipe ends when Ctrl-C ends the command behind it: these are not all its rows.
    if Interruption.isPending {
      if commits, connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw SQLError(.interrupt)
    }
    if commits { try connection.execute("COMMIT") }
  }

  /// Reads a row and binds it; false where there is none to insert.
  private mutating func bindRow(
    to statement: Statement, _ columnCount: Int, _ line: Int
  ) throws(SQLError) -> Bool {
    var found = 0
    while found < columnCount {
      let isField = reader.next()
      let isEmpty = reader.field.first ?? 0 == 0
      if found == 0, !isField || options.needsFirstField && isEmpty { break }
      found += 1
      // The last field of the file may be empty and have no line end.
      if isField || options.format.hasQuotes && found == columnCount && found > 1 {
        try bindField(to: statement, at: found)
      } else {
        try statement.bindNull(at: found)
      }
      if found < columnCount, reader.end != .column {
        // A line feed after the last row of a file with other separators is no row.
        if found == 1, reader.field == [UInt8(ascii: "\n")] { return false }
        complain(line, columnCount, found, "filling the rest with NULL")
        for index in found..<columnCount { try statement.bindNull(at: index + 1) }
        return true
      }
    }
    guard reader.end == .column else { return found > 0 }
    while reader.end == .column {
      _ = reader.next()
      found += 1
    }
    complain(line, columnCount, found, "extras ignored")
    return found >= columnCount
  }

  private func complain(_ line: Int, _ expected: Int, _ found: Int, _ remedy: String) {
    session.printError(
      "\(reader.name):\(line): expected \(expected) columns but found \(found) - \(remedy)\n")
  }

  /// Binds the field that was read, to its first NUL.
  private func bindField(to statement: Statement, at index: Int) throws(SQLError) {
    let bound = reader.field.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in
        let end = bytes.firstIndex(of: 0) ?? bytes.count
        try statement.bind(text: UnsafeRawBufferPointer(rebasing: bytes[..<end]), at: index)
      }
    }
    try bound.get()
  }

  private mutating func insert(_ statement: Statement, _ line: Int) {
    do throws(SQLError) {
      while try statement.step() {}
      insertedCount += 1
    } catch {
      session.printError("\(reader.name):\(line): INSERT failed: \(error.message)\n")
      errorCount += 1
    }
    do throws(SQLError) { try statement.reset() } catch {
      session.printError("\(reader.name):\(line): \(error.message)\n")
    }
  }
}

/// A byte as a C string in double quotes.
private func escapedByte(_ byte: UInt8) -> String { escapedString(String(UnicodeScalar(byte))) }
