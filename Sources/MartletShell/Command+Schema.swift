import MartletEngine

extension Command {
  /// The clause that keeps what `pattern` names: a GLOB where it has a star, else a LIKE.
  private static func condition(_ columns: [String], pattern: String?) -> String {
    guard let pattern else { return "1" }
    let isGlob = pattern.contains { "*?[".contains($0) }
    return "("
      + columns.map { column in
        isGlob ? "lower(\(column)) GLOB lower(?1)" : "\(column) LIKE ?1"
      }.joined(separator: " OR ") + ")"
  }

  func listTables(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    let sources = connection.databaseFiles.map { database in
      let prefix = database.name == "main" ? "" : database.name + "."
      return """
        SELECT \(sqlText(prefix)) || name FROM \(quotedName(database.name)).sqlite_schema \
        WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' AND name LIKE ?1
        """
    }
    return list(
      session, title: "name", sources.joined(separator: " UNION ALL "),
      pattern: arguments.first ?? "%")
  }

  func listIndexes(in session: Session) -> Result {
    var pattern: String?
    var kind: String?
    var hasExpressions = false
    for index in words.indices.dropFirst() {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        if pattern != nil { return complain(index, "unknown argument", session) }
        pattern = word
        continue
      }
      switch optionName(at: index) {
      case "a", "all": kind = "true"
      case "sys": kind = "substr(name, 1, 7) = 'sqlite_'"
      case "expr": hasExpressions = true
      default: return complain(index, "unknown option", session)
      }
    }
    guard let connection = session.open() else { return .failed }
    let names = indexes(of: connection, in: session)
    if names.isEmpty { return .done }
    let condition =
      (kind ?? "substr(name, 1, 7) <> 'sqlite_'")
      + (hasExpressions
        ? " AND EXISTS (SELECT 1 FROM pragma_index_xinfo(x.name) WHERE cid = -2)" : "")
    let rows = names.map { "(\(sqlText($0.prefix)),\(sqlText($0.name)))" }.joined(separator: ",")
    return list(
      session, title: "if(t.schema='main',i.name,t.schema||'.'||i.name)",
      """
      SELECT prefix || name \
      FROM (SELECT column1 AS prefix, column2 AS name FROM (VALUES \(rows))) AS x \
      WHERE \(condition) AND name LIKE ?1
      """, pattern: "%\(pattern ?? "")%")
  }

  /// The indexes of all tables; the schema does not list those that WITHOUT ROWID tables are.
  private func indexes(
    of connection: Connection, in session: Session
  ) -> [(prefix: String, name: String)] {
    var indexes: [(prefix: String, name: String)] = []
    for (database, _) in connection.databaseFiles {
      let schema = quotedName(database)
      let tables = session.rows(
        of: "SELECT name FROM \(schema).sqlite_schema WHERE type = 'table'")
      for table in tables {
        let list = session.rows(of: "PRAGMA \(schema).index_list(\(quotedName(table[0])))")
        indexes += list.map { (database == "main" ? "" : database + ".", $0[1]) }
      }
    }
    return indexes
  }

  /// Shows what a query gives in order and in columns.
  private func list(
    _ session: Session, title: String, _ query: String, pattern: String
  ) -> Result {
    guard let connection = session.open() else { return .failed }
    var settings = OutputSettings(.split)
    settings.titles = session.settings.titles
    let sql =
      "WITH list(item) AS (\(query)) SELECT item AS \(quotedName(title)) FROM list ORDER BY 1"
    do throws(SQLError) {
      let statement = try connection.prepare(sql)
      try statement.bind(text: pattern, at: 1)
      var printer = settings.printer(for: statement, to: session.output)
      while try statement.step() { printer.row(statement) }
      try printer.finish()
      return .done
    } catch {
      session.printError("Error: \(error.message)\n")
      return .failed
    }
  }

  // MARK: .schema

  func showSchema(in session: Session) -> Result {
    var pattern: String?
    var isIndented = false
    var omitsSystemTables = false
    for index in words.indices.dropFirst() {
      let word = words[index].text
      switch (word.hasPrefix("-"), optionName(at: index)) {
      case (true, "indent"): isIndented = true
      case (true, "nosys"): omitsSystemTables = true
      case (true, _):
        session.printError("Unknown option: \"\(word)\"\n")
        return .failed
      case (false, _) where pattern == nil: pattern = word
      default: return fail(".schema ?--indent? ?--nosys? ?LIKE-PATTERN?", in: session)
      }
    }
    if let pattern, let table = Self.schemaTable(named: pattern) {
      return show(table, in: session)
    }
    guard let connection = session.open() else { return .failed }
    let system = omitsSystemTables ? "AND substr(tbl_name, 1, 7) <> 'sqlite_'" : ""
    let condition = "\(Self.condition(["tbl_name"], pattern: pattern)) \(system)"
    for database in connection.databaseFiles {
      let rows = session.rows(
        of: """
          SELECT type, name, sql FROM \(quotedName(database.name)).sqlite_schema \
          WHERE sql IS NOT NULL AND \(condition) ORDER BY rowid
          """, bind: pattern)
      for row in rows where row.count == 3 {
        let schema = Self.prefix(database.name)
        let definition = addingSchema(schema, to: row[2])
        let isListed = row[0] == "view" || row[2].hasPrefix("CREATE VIRTUAL TABLE")
        let columns = isListed ? columnList(of: row[1], schema, connection) : ""
        let isLong = isIndented && row[0] != "view" && row[0] != "trigger"
        session.output.write((isLong ? indentedSchema(definition) : definition) + columns + ";\n")
      }
    }
    return .done
  }

  /// What stands before the names of a database's objects.
  private static func prefix(_ database: String) -> String {
    switch database {
    case "main": ""
    // A keyword, but understood here.
    case "temp": "temp."
    default: identifier(database) + "."
    }
  }

  /// The schema's own table, which the schema does not describe.
  private static func schemaTable(named name: String) -> String? {
    let schema: String
    switch name.lowercased() {
    case "sqlite_schema", "sqlite_master": schema = ""
    case "sqlite_temp_schema", "sqlite_temp_master": schema = "temp."
    default: return nil
    }
    return """
      CREATE TABLE \(schema)sqlite_schema (
        type text,
        name text,
        tbl_name text,
        rootpage integer,
        sql text
      );\n
      """
  }

  /// The columns of a view or a virtual table, which its statement may not name:
  /// `/* name(a,b) */` on a line of its own.
  private func columnList(of name: String, _ schema: String, _ connection: Connection) -> String {
    do throws(SQLError) {
      let statement = try connection.prepare("SELECT * FROM \(schema)\(identifier(name))")
      let columns = (0..<statement.columnCount).map { identifier(statement.columnName($0)) }
      return "\n/* \(schema)\(identifier(name))(\(columns.joined(separator: ","))) */"
    } catch {
      return ""
    }
  }
}

/// The statement with the database's name before that of the object.
private func addingSchema(_ schema: String, to sql: String) -> String {
  let kinds = ["TABLE", "INDEX", "UNIQUE INDEX", "VIEW", "TRIGGER", "VIRTUAL TABLE"]
  guard !schema.isEmpty,
    let kind = kinds.first(where: { sql.hasPrefix("CREATE \($0) ") })
  else { return sql }
  let start = "CREATE \(kind) "
  return start + schema + sql.dropFirst(start.count)
}
