/// Writes expressions and queries as SQL, and gathers their values as arguments.
///
/// Names of tables stand before columns only where they must: where the table has got an alias, and
/// where an inner query speaks of a table of an outer one.
final class SQLWriter {
  /// Asked about the schema; nil where there is no connection.
  let db: Database?
  /// Values are written as literals: definitions of the schema have no parameters.
  let inlinesValues: Bool
  private(set) var arguments = StatementArguments()
  private var scopes: [Scope] = []

  /// A query, or a part of one, that is being written.
  private struct Scope {
    /// What stands before columns that name no table.
    var qualifier: String?
    /// The tables of the query: what they are called, and whether columns must say so.
    var tables: [ObjectIdentifier: (name: String, isNeeded: Bool)] = [:]
  }

  init(_ db: Database?, inlinesValues: Bool = false) {
    self.db = db
    self.inlinesValues = inlinesValues
  }

  /// The schema, which some expressions ask.
  func schema() throws -> Database {
    if let db { return db }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "this SQL depends on the schema: use build(_:)")
  }

  func bind(_ value: DatabaseValue) -> String {
    if value.isNull { return "NULL" }
    if inlinesValues { return value.sqlLiteral }
    arguments.append(value)
    return "?"
  }

  func append(_ more: StatementArguments) { arguments = arguments &+ more }

  // MARK: Names of tables

  /// Writes a part in which columns are those of a table.
  func withTable<Result>(
    _ alias: TableAliasBase?, name: String, isNeeded: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    var scope = Scope(qualifier: isNeeded ? name : nil)
    if let alias { scope.tables[ObjectIdentifier(alias)] = (name, isNeeded) }
    scopes.append(scope)
    defer { scopes.removeLast() }
    return try body()
  }

  private func qualifier(for alias: TableAliasBase) -> String? {
    if let (name, isNeeded) = scopes.last?.tables[ObjectIdentifier(alias)] {
      return isNeeded ? name : nil
    }
    for scope in scopes.dropLast().reversed() {
      if let (name, _) = scope.tables[ObjectIdentifier(alias)] { return name }
    }
    return alias.userName
  }

  func column(_ name: String) -> String {
    guard let qualifier = scopes.last?.qualifier else { return name.quotedIdentifier }
    return qualifier.quotedIdentifier + "." + name.quotedIdentifier
  }

  func column(_ name: String, of alias: TableAliasBase) -> String {
    guard let qualifier = qualifier(for: alias) else { return name.quotedIdentifier }
    return qualifier.quotedIdentifier + "." + name.quotedIdentifier
  }

  /// `*`, with the name of the table where it must say so.
  var allColumns: String {
    scopes.last?.qualifier.map { $0.quotedIdentifier + ".*" } ?? "*"
  }

  /// Writes what is seen from a certain table.
  func seen<Result>(from alias: TableAliasBase, _ body: () throws -> Result) rethrows -> Result {
    let qualifier = qualifier(for: alias)
    guard let last = scopes.indices.last else {
      scopes.append(Scope(qualifier: qualifier))
      defer { scopes.removeLast() }
      return try body()
    }
    let old = scopes[last].qualifier
    scopes[last].qualifier = qualifier
    defer { scopes[last].qualifier = old }
    return try body()
  }
}

extension String {
  /// The name in double quotes.
  var quotedIdentifier: String {
    utf8.contains(UInt8(ascii: "\"")) ? "\"" + replacing("\"", with: "\"\"") + "\"" : "\"\(self)\""
  }

  /// The name in double quotes.
  public var quotedDatabaseIdentifier: String { quotedIdentifier }
}

/// So many parameters without names: `?,?,?`.
public func databaseQuestionMarks(count: Int) -> String {
  repeatElement("?", count: count).joined(separator: ",")
}
