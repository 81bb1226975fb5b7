/// How an index is made.
public struct IndexOptions: OptionSet, Sendable {
  /// A set of bits.
  public let rawValue: Int

  /// Wraps a set of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An index that is there already is no error.
  public static let ifNotExists = IndexOptions(rawValue: 1)
  /// The index refuses duplicates.
  public static let unique = IndexOptions(rawValue: 2)
}

/// How a view is made.
public struct ViewOptions: OptionSet, Sendable {
  /// A set of bits.
  public let rawValue: Int

  /// Wraps a set of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A view that is there already is no error.
  public static let ifNotExists = ViewOptions(rawValue: 1)
  /// The view goes with the connection.
  public static let temporary = ViewOptions(rawValue: 2)
}

/// How a virtual table is made.
public struct VirtualTableOptions: OptionSet, Sendable {
  /// A set of bits.
  public let rawValue: Int

  /// Wraps a set of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A table that is there already is no error.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1)
  /// The table goes with the connection.
  public static let temporary = VirtualTableOptions(rawValue: 2)
}

// MARK: - Tables

extension Database {
  /// Makes a table.
  public func create(
    table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name: name, options: options)
    try body(definition)
    for sql in try definition.statements(self) { try execute(sql: sql) }
  }

  /// Gives a table another name.
  public func rename(table name: String, to newName: String) throws {
    try execute(
      sql: "ALTER TABLE \(name.quotedIdentifier) RENAME TO \(newName.quotedIdentifier)")
  }

  /// Changes the columns of a table.
  public func alter(table name: String, body: (TableAlteration) -> Void) throws {
    let alteration = TableAlteration(name)
    body(alteration)
    for make in alteration.statements { try execute(sql: make(self)) }
  }

  /// Deletes a table.
  public func drop(table name: String) throws {
    try execute(sql: "DROP TABLE \(name.quotedIdentifier)")
  }

  /// Makes a virtual table.
  ///
  /// - Parameter module: The module and its arguments, as SQL.
  public func create(
    virtualTable name: String, options: VirtualTableOptions = [], using module: String
  ) throws {
    var sql = "CREATE VIRTUAL TABLE "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    if options.contains(.temporary) { sql += "temp." }
    try execute(sql: sql + name.quotedIdentifier + " USING " + module)
  }

  // MARK: Views

  /// Makes a view of a request.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil,
    as request: some SQLSubqueryable
  ) throws {
    let writer = SQLWriter(self, inlinesValues: true)
    try create(view: name, options, columns, writer.sql(request.sqlSubquery))
  }

  /// Makes a view of a literal.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil,
    asLiteral sqlLiteral: SQL
  ) throws {
    let writer = SQLWriter(self, inlinesValues: true)
    try create(view: name, options, columns, writer.sql(sqlLiteral))
  }

  private func create(
    view name: String, _ options: ViewOptions, _ columns: [String]?, _ query: String
  ) throws {
    var sql = "CREATE "
    if options.contains(.temporary) { sql += "TEMPORARY " }
    sql += "VIEW "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    sql += name.quotedIdentifier
    if let columns { sql += " (\(columns.quotedList))" }
    try execute(sql: sql + " AS " + query)
  }

  /// Deletes a view.
  public func drop(view name: String) throws {
    try execute(sql: "DROP VIEW \(name.quotedIdentifier)")
  }

  // MARK: Indexes

  static func createIndex(
    _ name: String, on table: String, _ list: String, _ options: IndexOptions,
    condition: String? = nil
  ) -> String {
    var sql = "CREATE "
    if options.contains(.unique) { sql += "UNIQUE " }
    sql += "INDEX "
    if options.contains(.ifNotExists) { sql += "IF NOT EXISTS " }
    sql += "\(name.quotedIdentifier) ON \(table.quotedIdentifier)(\(list))"
    if let condition { sql += " WHERE " + condition }
    return sql
  }

  /// The name of an index that was given none.
  static func defaultIndexName(on table: String, columns: [String]) -> String {
    "index_\(table)_on_\(columns.joined(separator: "_"))"
  }

  /// Makes an index on columns.
  ///
  /// - Parameter condition: The index has only rows that fulfil it.
  public func create(
    index name: String, on table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try create(
      index: name, on: table, expressions: columns.map { Column($0) }, options: options,
      condition: condition)
  }

  /// Makes an index on expressions.
  ///
  /// - Parameter condition: The index has only rows that fulfil it.
  public func create(
    index name: String, on table: String, expressions: [any SQLExpressible],
    options: IndexOptions = [], condition: (any SQLExpressible)? = nil
  ) throws {
    let writer = SQLWriter(self, inlinesValues: true)
    let list = try expressions.map { try writer.sql($0.sqlExpression) }
    let condition = try condition.map { try writer.sql($0.sqlExpression) }
    try execute(
      sql: Database.createIndex(
        name, on: table, list.joined(separator: ", "), options, condition: condition))
  }

  /// Makes an index on columns, whose name is made of those of the table and the columns.
  public func create(
    indexOn table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try create(
      index: Database.defaultIndexName(on: table, columns: columns), on: table,
      columns: columns, options: options, condition: condition)
  }

  /// Deletes an index.
  public func drop(index name: String) throws {
    try execute(sql: "DROP INDEX \(name.quotedIdentifier)")
  }

  /// Deletes the indexes on exactly these columns that CREATE INDEX has made.
  ///
  /// - Throws: `SQLITE_ERROR` if there is none.
  public func drop(indexOn table: String, columns: [String]) throws {
    let wanted = columns.map { $0.lowercased() }
    let found = try indexes(on: table).filter {
      $0.origin == .createIndex && $0.columns.map { $0.lowercased() } == wanted
    }
    guard !found.isEmpty else {
      throw DatabaseError(
        message: "no index on \(table)(\(columns.joined(separator: ", "))) to drop")
    }
    for index in found { try drop(index: index.name) }
  }

  /// Builds all indexes anew that use a collation.
  public func reindex(collation: Database.CollationName) throws {
    try execute(sql: "REINDEX \(collation.rawValue)")
  }

  /// Builds all indexes anew that use a collation.
  public func reindex(collation: DatabaseCollation) throws {
    try reindex(collation: CollationName(collation.name))
  }
}

/// Changes to the columns of a table.
///
/// ```swift
/// try db.alter(table: "player") { t in
///   t.add(column: "url", .text)
///   t.rename(column: "score", to: "points")
/// }
/// ```
public final class TableAlteration {
  private let table: String
  private(set) var statements: [(Database) throws -> String] = []

  init(_ table: String) { self.table = table }

  private func append(_ change: @escaping (SQLWriter) throws -> String) {
    let head = "ALTER TABLE \(table.quotedIdentifier) "
    statements.append { db in try head + change(SQLWriter(db, inlinesValues: true)) }
  }

  /// Adds a column.
  @discardableResult
  public func add(
    column name: String, _ type: Database.ColumnType? = nil
  ) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    append { [table] in try "ADD COLUMN " + column.sql($0, table: table, primaryKey: nil) }
    statements.append { [table] db in
      guard column.needsIndex else { return "" }
      return Database.createIndex(
        Database.defaultIndexName(on: table, columns: [name]), on: table, name.quotedIdentifier, [])
    }
    return column
  }

  /// Adds a column as SQL.
  public func addColumn(sql: String) { addColumn(literal: SQL(sql: sql)) }

  /// Adds a column as a literal.
  public func addColumn(literal: SQL) { append { try "ADD COLUMN " + $0.sql(literal) } }

  /// Gives a column another name.
  public func rename(column name: String, to newName: String) {
    append { _ in "RENAME COLUMN \(name.quotedIdentifier) TO \(newName.quotedIdentifier)" }
  }

  /// Deletes a column.
  public func drop(column name: String) {
    append { _ in "DROP COLUMN \(name.quotedIdentifier)" }
  }
}

@available(*, unavailable)
extension TableAlteration: Sendable {}
