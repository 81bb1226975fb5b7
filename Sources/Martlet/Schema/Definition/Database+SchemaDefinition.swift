extension Database {
  // MARK: Tables

  /// Creates a table.
  ///
  /// ```swift
  /// try db.create(table: "place", options: .ifNotExists) { t in
  ///   t.primaryKey("id", .text)
  ///   t.column("longitude", .double).notNull()
  ///   t.column("latitude", .double).notNull()
  /// }
  /// ```
  ///
  /// - Throws: What CREATE TABLE throws; `SQLITE_ERROR` where a relation's table is not found.
  public func create(
    table name: String, options: TableOptions = [], body: (TableDefinition) throws -> Void
  ) throws {
    let table = TableDefinition(name: name, options: options)
    try body(table)
    try execute(sql: table.sql(self))
  }

  /// Creates a table.
  @_disfavoredOverload
  public func create(
    table name: String, temporary: Bool = false, ifNotExists: Bool = false,
    withoutRowID: Bool = false, body: (TableDefinition) throws -> Void
  ) throws {
    var options: TableOptions = []
    if temporary { options.insert(.temporary) }
    if ifNotExists { options.insert(.ifNotExists) }
    if withoutRowID { options.insert(.withoutRowID) }
    try create(table: name, options: options, body: body)
  }

  /// Gives a table another name, also where indexes, views and triggers name it.
  public func rename(table name: String, to newName: String) throws {
    try execute(
      sql: "ALTER TABLE \(name.quotedIdentifier) RENAME TO \(newName.quotedIdentifier)")
  }

  /// Changes a table.
  public func alter(table name: String, body: (TableAlteration) -> Void) throws {
    let alteration = TableAlteration(name: name)
    body(alteration)
    try execute(sql: alteration.sql(self))
  }

  /// Removes a table with its indexes and triggers.
  public func drop(table name: String) throws {
    try execute(sql: "DROP TABLE \(name.quotedIdentifier)")
  }

  // MARK: Views

  /// Creates a view of what a request gives. Its values stand in the view as literals.
  ///
  /// - Parameters:
  ///   - name: The name of the view.
  ///   - options: What else the definition says.
  ///   - columns: Names for the columns; by default those of the request.
  ///   - request: The query of the view.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil,
    as request: any SQLSubqueryable
  ) throws {
    var words = ["CREATE"]
    if options.contains(.temporary) { words.append("TEMPORARY") }
    words.append("VIEW")
    if options.contains(.ifNotExists) { words.append("IF NOT EXISTS") }
    words.append(name.quotedIdentifier)
    if let columns {
      words.append("(" + columns.map(\.quotedIdentifier).joined(separator: ", ") + ")")
    }
    words.append("AS")
    words.append(try SQLWriter(self, inlinesValues: true).sql(request.sqlSubquery))
    try execute(sql: words.joined(separator: " "))
  }

  /// Creates a view of what a query gives.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil,
    asLiteral sqlLiteral: SQL
  ) throws {
    try create(
      view: name, options: options, columns: columns, as: SQLRequest<Row>(literal: sqlLiteral))
  }

  /// Removes a view.
  public func drop(view name: String) throws {
    try execute(sql: "DROP VIEW \(name.quotedIdentifier)")
  }

  // MARK: Indexes

  /// Creates an index on columns.
  ///
  /// - Parameters:
  ///   - name: The name of the index.
  ///   - table: The table.
  ///   - columns: The columns, in the order in which they count.
  ///   - options: What else the definition says.
  ///   - condition: The rows that the index has (partialindex).
  public func create(
    index name: String, on table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try create(
      index: name, on: table, expressions: columns.map { Column($0) }, options: options,
      condition: condition)
  }

  /// Creates an index on columns.
  @_disfavoredOverload
  public func create(
    index name: String, on table: String, columns: [String], unique: Bool = false,
    ifNotExists: Bool = false, condition: (any SQLExpressible)? = nil
  ) throws {
    var options: IndexOptions = []
    if unique { options.insert(.unique) }
    if ifNotExists { options.insert(.ifNotExists) }
    try create(
      index: name, on: table, columns: columns, options: options, condition: condition)
  }

  /// Creates an index on expressions (expridx).
  ///
  /// ```swift
  /// try db.create(
  ///   index: "player_on_country", on: "player",
  ///   expressions: [JSONColumn("address")["country"], Column("id")])
  /// ```
  public func create(
    index name: String, on table: String, expressions: [any SQLExpressible],
    options: IndexOptions = [], condition: (any SQLExpressible)? = nil
  ) throws {
    let index = IndexDefinition(
      name: name, table: table, expressions: expressions.map { $0.sqlExpression },
      options: options, condition: condition?.sqlExpression)
    try execute(sql: index.sql(self))
  }

  /// Creates an index on columns that is named after them: `index_TABLE_on_COLUMN_COLUMN`.
  public func create(
    indexOn table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try create(
      index: IndexDefinition.name(on: table, columns), on: table, columns: columns,
      options: options, condition: condition)
  }

  /// Removes an index.
  public func drop(index name: String) throws {
    try execute(sql: "DROP INDEX \(name.quotedIdentifier)")
  }

  /// Removes the index on these columns, if there is exactly one.
  public func drop(indexOn table: String, columns: [String]) throws {
    let wanted = columns.map { $0.nameKey }
    let found = try indexes(on: table).filter { $0.columns.map { $0.nameKey } == wanted }
    if found.count == 1 { try drop(index: found[0].name) }
  }

  /// Builds the indexes that use a collation anew.
  public func reindex(collation: CollationName) throws {
    try execute(sql: "REINDEX \(collation.rawValue)")
  }

  /// Builds the indexes that use a collation anew.
  public func reindex(collation: DatabaseCollation) throws {
    try reindex(collation: CollationName(rawValue: collation.name))
  }
}
