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
    guard arguments.count <= 1 else { return fail(".tables ?PATTERN?", in: session) }
    return list(
      session,
      """
      SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') \
      AND substr(name, 1, 7) <> 'sqlite_' AND \
      \(Self.condition(["name"], pattern: arguments.first)) ORDER BY name
      """, pattern: arguments.first)
  }

  func listIndexes(in session: Session) -> Result {
    if let option = arguments.first(where: { $0.hasPrefix("-") }) {
      session.printError("Error: not supported by Martlet: .indexes \(option)\n")
      return .failed
    }
    let names = Array(words.indices.dropFirst())
    if names.count > 1 {
      return complain(names[1], "unknown argument", session)
    }
    let pattern = names.first.map { words[$0].text }
    let condition = Self.condition(["name", "tbl_name"], pattern: pattern)
    return list(
      session,
      """
      SELECT name FROM sqlite_schema WHERE type = 'index' \
      AND substr(name, 1, 7) <> 'sqlite_' AND \(condition) ORDER BY name
      """, pattern: pattern)
  }

  /// Shows the names that a query gives, in columns.
  private func list(_ session: Session, _ sql: String, pattern: String?) -> Result {
    guard let connection = session.open() else { return .failed }
    var settings = OutputSettings(.split)
    settings.titles = session.settings.titles
    do throws(SQLError) {
      let statement = try connection.prepare(sql)
      if let pattern { try statement.bind(text: pattern, at: 1) }
      var printer = settings.printer(for: statement, to: session.output)
      while try statement.step() { printer.row(statement) }
      printer.finish()
      return .done
    } catch {
      session.printError("Error: \(error.message)\n")
      return .failed
    }
  }

  // MARK: .schema

  func showSchema(in session: Session) -> Result {
    let options = arguments.filter { $0.hasPrefix("-") }.map { $0.drop { $0 == "-" } }
    let names = arguments.filter { !$0.hasPrefix("-") }
    guard names.count <= 1, options.allSatisfy({ $0 == "indent" || $0 == "nosys" }) else {
      return fail(".schema ?--indent? ?--nosys? ?LIKE-PATTERN?", in: session)
    }
    if options.contains("indent") {
      session.printError("Error: not supported by Martlet: .schema --indent\n")
      return .failed
    }
    let pattern = names.first
    if let pattern, Self.isSchemaTable(pattern) {
      return show(Self.schemaTable(named: pattern), in: session)
    }
    let condition = Self.condition(["tbl_name"], pattern: pattern)
    let system = options.contains("nosys") ? "AND substr(tbl_name, 1, 7) <> 'sqlite_'" : ""
    let rows = session.rows(
      of: """
        SELECT type, name, sql FROM sqlite_schema \
        WHERE sql IS NOT NULL AND \(condition) \(system) ORDER BY rowid
        """, bind: pattern)
    for row in rows where row.count == 3 {
      let names = row[0] == "view" ? viewColumns(row[1], in: session) : ""
      session.output.write(row[2] + names + ";\n")
    }
    return .done
  }

  private static func isSchemaTable(_ name: String) -> Bool {
    ["sqlite_schema", "sqlite_master", "sqlite_temp_schema", "sqlite_temp_master"]
      .contains(name.lowercased())
  }

  private static func schemaTable(named name: String) -> String {
    """
    CREATE TABLE \(name) (
      type text,
      name text,
      tbl_name text,
      rootpage integer,
      sql text
    );\n
    """
  }

  /// A view's columns, which its statement may not name: `/* name(a,b) */` on a line of its own.
  private func viewColumns(_ name: String, in session: Session) -> String {
    guard let connection = session.open() else { return "" }
    do throws(SQLError) {
      let statement = try connection.prepare("SELECT * FROM \(identifier(name))")
      let columns = (0..<statement.columnCount).map { identifier(statement.columnName($0)) }
      return "\n/* \(identifier(name))(\(columns.joined(separator: ","))) */"
    } catch {
      return ""
    }
  }
}
