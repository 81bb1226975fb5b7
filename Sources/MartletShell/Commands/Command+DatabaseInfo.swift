import MartletEngine

extension Command {
  /// `.dbinfo`: the header of the file (fileformat2 §1.3) and how much the schema has.
  func showDatabaseInfo(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    let database = arguments.first ?? "main"
    guard let header = headerPage(of: database, connection), header.count >= 100 else {
      session.printError("unable to read database header\n")
      return .failed
    }
    func field(_ offset: Int, _ size: Int = 4) -> UInt32 {
      header[offset..<offset + size].reduce(0) { $0 << 8 | UInt32($1) }
    }
    func line(_ label: String, _ value: String) {
      let padding = String(repeating: " ", count: max(20 - label.count, 0))
      session.output.write("\(label)\(padding) \(value)\n")
    }
    let pageSize = field(16, 2)
    line("database page size:", String(pageSize == 1 ? 65536 : pageSize))
    line("write format:", String(header[18]))
    line("read format:", String(header[19]))
    line("reserved bytes:", String(header[20]))
    let fields: [(label: String, offset: Int)] = [
      ("file change counter:", 24), ("database page count:", 28), ("freelist page count:", 36),
      ("schema cookie:", 40), ("schema format:", 44), ("default cache size:", 48),
      ("autovacuum top root:", 52), ("incremental vacuum:", 64), ("text encoding:", 56),
      ("user version:", 60), ("application id:", 68), ("software version:", 96),
    ]
    for (label, offset) in fields {
      var text = String(field(offset))
      if offset == 56 {
        switch field(offset) {
        case 1: text += " (utf8)"
        case 2: text += " (utf16le)"
        case 3: text += " (utf16be)"
        default: break
        }
      }
      line(label, text)
    }
    let schema =
      database == "temp" ? "sqlite_temp_schema" : "\(quotedName(database)).sqlite_schema"
    let counts = [
      ("number of tables:", "count(*) FROM \(schema) WHERE type='table'"),
      ("number of indexes:", "count(*) FROM \(schema) WHERE type='index'"),
      ("number of triggers:", "count(*) FROM \(schema) WHERE type='trigger'"),
      ("number of views:", "count(*) FROM \(schema) WHERE type='view'"),
      ("schema size:", "CAST(total(length(sql)) AS INTEGER) FROM \(schema)"),
    ]
    for (label, query) in counts {
      let rows = session.rows(of: "SELECT \(query)")
      line(label, rows.first?.first ?? "0")
    }
    let version = try? connection.dataVersion(ofDatabase: database)
    line("data version", String(version ?? 0))
    return .done
  }

  private func headerPage(of database: String, _ connection: Connection) -> [UInt8]? {
    do throws(SQLError) {
      let query = try connection.prepare(
        "SELECT data FROM sqlite_dbpage(?1) WHERE pgno = 1")
      try query.bind(text: database, at: 1)
      guard try query.step() else { return nil }
      return Array(query.columnBytes(0))
    } catch {
      return nil
    }
  }

  // MARK: .fullschema

  func showFullSchema(in session: Session) -> Result {
    var isIndented = false
    if let first = arguments.first, optionName(at: 1) == "indent", first.hasPrefix("-") {
      isIndented = true
    }
    guard arguments.count == (isIndented ? 1 : 0) else {
      return fail(".fullschema ?--indent?", in: session)
    }
    guard let connection = session.open() else { return .failed }
    let rows = session.rows(
      of: """
        SELECT sql FROM (SELECT sql sql, type type, tbl_name tbl_name, name name, rowid x
        FROM sqlite_schema
        UNION ALL SELECT sql, type, tbl_name, name, rowid FROM sqlite_temp_schema)
        WHERE type != 'meta' AND sql NOTNULL AND name NOT LIKE 'sqlite__%' ESCAPE '_' ORDER BY x
        """)
    for row in rows {
      session.output.write((isIndented ? indentedSchema(row[0]) : row[0]) + ";\n")
    }
    let hasStatistics = !session.rows(
      of: "SELECT 1 FROM sqlite_schema WHERE name GLOB 'sqlite_stat[134]'"
    ).isEmpty
    guard hasStatistics else {
      session.output.write("/* No STAT tables available */\n")
      return .done
    }
    session.output.write("ANALYZE sqlite_schema;\n")
    for table in ["sqlite_stat1", "sqlite_stat4"] {
      var settings = OutputSettings(.insert)
      settings.tableName = table
      settings.titles = false
      guard let statement = try? connection.prepare("SELECT * FROM \(table)") else { continue }
      let shown = attempt(in: session) { () throws(SQLError) in
        var printer = settings.printer(for: statement, to: session.output)
        while try statement.step() { printer.row(statement) }
        try printer.finish()
      }
      if shown != .done { return shown }
    }
    session.output.write("ANALYZE sqlite_schema;\n")
    return .done
  }
}
