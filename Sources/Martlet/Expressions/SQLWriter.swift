import MartletEngine

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

  /// A query that is being written.
  private struct Scope {
    /// The table whose columns are meant where none is named.
    var current: TableAliasBase?
    /// The tables of the query.
    var aliases: [TableAliasBase] = []
    /// What tables are called of which several would be called the same.
    var names: [ObjectIdentifier: String] = [:]
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

  /// Writes a query of some tables, of which one is meant where none is named.
  func inQuery<Result>(
    of aliases: [TableAliasBase], seenFrom current: TableAliasBase?, _ body: () throws -> Result
  ) throws -> Result {
    let names = try SQLWriter.names(of: aliases)
    scopes.append(Scope(current: current, aliases: aliases, names: names))
    defer { scopes.removeLast() }
    return try body()
  }

  /// Writes what is seen from a certain table; nil names no table.
  func seen<Result>(from alias: TableAliasBase?, _ body: () throws -> Result) rethrows -> Result {
    guard let last = scopes.indices.last else {
      scopes.append(Scope(current: alias))
      defer { scopes.removeLast() }
      return try body()
    }
    let old = scopes[last].current
    scopes[last].current = alias
    defer { scopes[last].current = old }
    return try body()
  }

  /// Numbers for tables that would be called the same: `player1`, `player2`. Names that the
  /// application has given stay.
  private static func names(
    of aliases: [TableAliasBase]
  ) throws -> [ObjectIdentifier: String] {
    guard aliases.count > 1 else { return [:] }
    guard Set(aliases).count == aliases.count else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "A TableAlias must not be used to refer to multiple tables")
    }
    let groups = Dictionary(grouping: aliases) { ($0.identityName ?? "").nameKey }
    var taken = Set(groups.filter { $0.value.count == 1 }.keys)
    var names: [ObjectIdentifier: String] = [:]
    for (_, group) in groups.sorted(by: { $0.key.text < $1.key.text }) where group.count > 1 {
      guard group.count(where: { $0.userName != nil }) < 2 else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE, message: "ambiguous alias: \(group[0].identityName ?? "")")
      }
      var number = 1
      for alias in group where alias.userName == nil {
        let radical = (alias.identityName ?? "").digitlessRadical
        while taken.contains("\(radical)\(number)".nameKey) { number += 1 }
        let name = "\(radical)\(number)"
        taken.insert(name.nameKey)
        names[ObjectIdentifier(alias.root)] = name
        number += 1
      }
    }
    return names
  }

  /// What a table is called.
  private func name(of alias: TableAliasBase) -> String? {
    let root = ObjectIdentifier(alias.root)
    for scope in scopes.reversed() {
      if let name = scope.names[root] { return name }
    }
    return alias.identityName
  }

  /// What must stand before the columns of a table: where it is the only table of its query,
  /// nothing.
  private func qualifier(for alias: TableAliasBase) -> String? {
    if let name = alias.userName { return name }
    if let scope = scopes.last, scope.aliases.count == 1, scope.aliases[0] == alias { return nil }
    return name(of: alias)
  }

  /// The name behind a table's, where it is called otherwise than the table; nil else.
  func aliasName(_ alias: TableAliasBase) -> String? {
    let name = name(of: alias), tableName = alias.tableName
    return name.map { ExactText($0) } == tableName.map { ExactText($0) } ? nil : name
  }

  private func column(_ name: String, qualifier: String?) -> String {
    guard let qualifier else { return name.quotedIdentifier }
    return qualifier.quotedIdentifier + "." + name.quotedIdentifier
  }

  func column(_ name: String) -> String {
    column(name, qualifier: scopes.last?.current.flatMap { qualifier(for: $0) })
  }

  func column(_ name: String, of alias: TableAliasBase) -> String {
    column(name, qualifier: qualifier(for: alias))
  }

  /// `*`, with the name of the table where it must say so.
  var allColumns: String {
    scopes.last?.current.flatMap { qualifier(for: $0) }.map { $0.quotedIdentifier + ".*" } ?? "*"
  }

  /// The table that is seen from.
  var currentTable: String? { scopes.last?.current?.tableName }

  /// The hidden column of the full-text table that is seen from, which stands for all others: it has
  /// the table's name.
  func matchedColumn() throws -> String {
    guard let alias = scopes.last?.current, let table = alias.tableName else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "MATCH of a table without a name")
    }
    return column(table, qualifier: aliasName(alias))
  }

  /// The column by which rows of the table are found the fastest.
  func fastPrimaryKey() throws -> String {
    let table = currentTable ?? ""
    if let column = try schema().fastPrimaryKey(of: table) { return column }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "Not implemented for WITHOUT ROWID table with a multi-columns primary key")
  }
}

extension String {
  /// The name in double quotes.
  public var quotedDatabaseIdentifier: String { quotedIdentifier }
}

/// So many parameters without names: `?,?,?`.
public func databaseQuestionMarks(count: Int) -> String {
  repeatElement("?", count: count).joined(separator: ",")
}
