import MartletEngine

/// Changes the schema by names and definitions, for migrations.
///
/// ```swift
/// let changer = SchemaChanger(connection: db)
/// try changer.alter(table: "users") { table in
///   table.add(column: ColumnDefinition(name: "suffix", type: .TEXT))
///   table.rename(column: "mail", to: "email")
/// }
/// ```
public final class SchemaChanger {
  /// The changes of a table.
  public final class AlterTableDefinition {
    fileprivate let name: String
    fileprivate var statements: [String] = []

    fileprivate init(_ name: String) { self.name = name }

    private func alter(_ change: String) {
      statements.append("ALTER TABLE \(name.quotedIdentifier) \(change)")
    }

    /// Adds a column.
    public func add(column: ColumnDefinition) { alter("ADD COLUMN \(column.sql)") }

    /// Adds a column.
    public func add(_ column: ColumnDefinition) { add(column: column) }

    /// Adds an index.
    public func add(index: IndexDefinition) { statements.append(index.sql(of: name)) }

    /// Takes a column away.
    public func drop(column: String) { alter("DROP COLUMN \(column.quotedIdentifier)") }

    /// Takes a column away.
    public func drop(_ column: String) { drop(column: column) }

    /// Takes an index away.
    public func drop(index: String) { statements.append("DROP INDEX \(index.quotedIdentifier)") }

    /// Gives a column another name.
    public func rename(column: String, to: String) {
      alter("RENAME COLUMN \(column.quotedIdentifier) TO \(to.quotedIdentifier)")
    }

    /// Gives a column another name.
    public func rename(_ column: String, to: String) { rename(column: column, to: to) }
  }

  /// The columns and indexes of a table that is made.
  public final class CreateTableDefinition {
    fileprivate var columns: [ColumnDefinition] = []
    fileprivate var indexes: [IndexDefinition] = []

    /// Adds a column.
    public func add(column: ColumnDefinition) { columns.append(column) }

    /// Adds an index.
    public func add(index: IndexDefinition) { indexes.append(index) }
  }

  private let connection: Connection

  /// A changer of the connection's main database.
  public init(connection: Connection) { self.connection = connection }

  /// Changes a table: all of it, or nothing.
  public func alter(table: String, block: (AlterTableDefinition) -> Void) throws {
    let definition = AlterTableDefinition(table)
    block(definition)
    try run(definition.statements)
  }

  /// Makes a table with its indexes.
  public func create(
    table: String, ifNotExists: Bool = true, block: (CreateTableDefinition) -> Void
  ) throws {
    let definition = CreateTableDefinition()
    block(definition)
    let condition = ifNotExists ? "IF NOT EXISTS " : ""
    let keys = definition.columns.filter { $0.primaryKey != nil }.map(\.name.quotedIdentifier)
    var parts = definition.columns.map { $0.text(isOnlyKey: keys.count == 1) }
    if keys.count > 1 { parts.append("PRIMARY KEY (\(keys.joined(separator: ", ")))") }
    let columns = parts.joined(separator: ", ")
    try run(
      ["CREATE TABLE \(condition)\(table.quotedIdentifier) (\(columns))"]
        + definition.indexes.map { $0.sql(of: table, ifNotExists: ifNotExists) })
  }

  /// Takes a table away.
  public func drop(table: String, ifExists: Bool = true) throws {
    try run(["DROP TABLE \(ifExists ? "IF EXISTS " : "")\(table.quotedIdentifier)"])
  }

  /// Gives a table another name.
  public func rename(table: String, to: String) throws {
    try run(["ALTER TABLE \(table.quotedIdentifier) RENAME TO \(to.quotedIdentifier)"])
  }

  private func run(_ statements: [String]) throws {
    try connection.savepoint {
      for statement in statements { try connection.run(statement) }
    }
  }
}

extension ColumnDefinition {
  /// The column as it stands in CREATE TABLE and ADD COLUMN.
  var sql: String { text(isOnlyKey: true) }

  func text(isOnlyKey: Bool) -> String {
    var words = [name.quotedIdentifier, type.rawValue]
    if let primaryKey, isOnlyKey {
      words.append("PRIMARY KEY")
      if let conflict = primaryKey.onConflict { words.append("ON CONFLICT \(conflict.rawValue)") }
      if primaryKey.autoIncrement { words.append("AUTOINCREMENT") }
    }
    if !nullable { words.append("NOT NULL") }
    if unique { words.append("UNIQUE") }
    if defaultValue != .NULL { words.append("DEFAULT \(defaultText)") }
    if let references { words.append(references.sql) }
    return words.joined(separator: " ")
  }

  /// Only literals stand without parentheses.
  private var defaultText: String {
    guard case .numericLiteral(let text) = defaultValue, Double(text) == nil else {
      let text = defaultValue.description
      return text.hasPrefix("CAST") ? "(\(text))" : text
    }
    return "(\(text))"
  }
}

extension ColumnDefinition.ForeignKey {
  fileprivate var sql: String {
    var text = "REFERENCES \(toTable.quotedIdentifier)"
    if let toColumn { text += " (\(toColumn.quotedIdentifier))" }
    if let onUpdate { text += " ON UPDATE \(onUpdate.rawValue)" }
    if let onDelete { text += " ON DELETE \(onDelete.rawValue)" }
    return text
  }
}

extension IndexDefinition {
  fileprivate func sql(of table: String, ifNotExists: Bool = false) -> String {
    let names = columns.map { column in
      column.quotedIdentifier + (orders?[column].map { " \($0.rawValue)" } ?? "")
    }
    let kind = unique ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
    let condition = ifNotExists ? " IF NOT EXISTS" : ""
    let filter = self.where.map { " WHERE \($0)" } ?? ""
    let list = names.joined(separator: ", ")
    return
      "\(kind)\(condition) \(name.quotedIdentifier) ON \(table.quotedIdentifier) (\(list))\(filter)"
  }
}
