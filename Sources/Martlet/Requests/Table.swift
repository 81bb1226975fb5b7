/// A table or view, for requests without a record type.
///
/// ```swift
/// let count = try Table("player").fetchCount(db)
/// let rows = try Table("player").filter(Column("score") > 10).fetchAll(db)
/// ```
public struct Table<RowDecoder>: Sendable {
  /// The name of the table.
  public let tableName: String

  private let selection: [SQLSelection]

  var query: SQLQuery { SQLQuery(table: tableName, selection: selection) }

  private init(name: String, selection: [SQLSelection]) {
    tableName = name
    self.selection = selection
  }

  /// A table whose rows are decoded as a type.
  public init(_ tableName: String) {
    let type = RowDecoder.self as? any TableRecord.Type
    self.init(
      name: tableName,
      selection: type.map { $0.databaseSelection.map { $0.sqlSelection } }
        ?? [SQLSelection(.allColumns)])
  }
}

extension Table<Row> {
  /// A table whose rows are decoded as `Row`.
  public init(_ tableName: String) {
    self.init(name: tableName, selection: [SQLSelection(.allColumns)])
  }
}

extension Table {
  /// All rows.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(query)
  }

  /// No row.
  public func none() -> QueryInterfaceRequest<RowDecoder> {
    all().none()
  }

  /// All rows with another selection.
  public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// All rows with another selection.
  public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().select(selection)
  }

  /// All rows with another selection.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<RowDecoder> where RowDecoder: TableRecord {
    try all().select(selection)
  }

  /// All rows with another selection.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> where RowDecoder: TableRecord {
    try all().select(selection)
  }

  /// All rows with a selection of SQL.
  public func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().select(sql: sql, arguments: arguments)
  }

  /// All rows with a selection of a literal.
  public func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().select(literal: sqlLiteral)
  }

  /// All rows with another selection, decoded as another type.
  public func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(selection, as: type)
  }

  /// All rows with another selection, decoded as another type.
  public func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(selection, as: type)
  }

  /// All rows with another selection, decoded as another type.
  public func select<T>(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable,
    as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> where RowDecoder: TableRecord {
    try all().select(selection, as: type)
  }

  /// All rows with a selection of SQL, decoded as another type.
  public func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(),
    as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(sql: sql, arguments: arguments, as: type)
  }

  /// All rows with a selection of a literal, decoded as another type.
  public func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(literal: sqlLiteral, as: type)
  }

  /// The primary keys.
  public func selectPrimaryKey<PrimaryKey>(
    as type: PrimaryKey.Type = PrimaryKey.self
  ) -> QueryInterfaceRequest<PrimaryKey> {
    all().selectPrimaryKey(as: type)
  }

  /// The ids.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> where RowDecoder: Identifiable {
    all().selectID()
  }

  /// All rows with more columns.
  public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// All rows with more columns.
  public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
    all().annotated(with: selection)
  }

  /// All rows with more columns.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<RowDecoder> where RowDecoder: TableRecord {
    try all().annotated(with: selection)
  }

  /// All rows with more columns.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> where RowDecoder: TableRecord {
    try all().annotated(with: selection)
  }

  /// The rows that fulfil a condition.
  public func filter(
    _ predicate: some SQLSpecificExpressible
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(predicate)
  }

  /// The rows that fulfil a condition.
  public func filter(
    _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> QueryInterfaceRequest<RowDecoder> where RowDecoder: TableRecord {
    try all().filter(predicate)
  }

  /// The row of a primary key, which must have one column.
  public func filter(
    key: some DatabaseValueConvertible
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// The rows of primary keys, which must have one column.
  public func filter(
    keys: some Collection<some DatabaseValueConvertible>
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(keys: keys)
  }

  /// The row of a unique key.
  public func filter(
    key: [String: (any DatabaseValueConvertible)?]?
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: key)
  }

  /// The rows of unique keys.
  public func filter(
    keys: [[String: (any DatabaseValueConvertible)?]]
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(keys: keys)
  }

  /// The rows that fulfil a condition of SQL.
  public func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(sql: sql, arguments: arguments)
  }

  /// The rows that fulfil a condition of a literal.
  public func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(literal: sqlLiteral)
  }

  /// All rows in an order.
  public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// All rows in an order.
  public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
    all().order(orderings)
  }

  /// All rows in an order.
  public func order(
    _ ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<RowDecoder> where RowDecoder: TableRecord {
    try all().order(ordering)
  }

  /// All rows in an order.
  public func order(
    _ orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> QueryInterfaceRequest<RowDecoder> where RowDecoder: TableRecord {
    try all().order(orderings)
  }

  /// All rows in the order of the primary key.
  public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> {
    all().orderByPrimaryKey()
  }

  /// All rows in an order of SQL.
  public func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<RowDecoder> {
    all().order(sql: sql, arguments: arguments)
  }

  /// All rows in an order of a literal.
  public func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<RowDecoder> {
    all().order(literal: sqlLiteral)
  }

  /// At most so many rows.
  public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
    all().limit(limit, offset: offset)
  }

  /// All rows of the table with an alias.
  public func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<RowDecoder> {
    all().aliased(alias)
  }

  /// All rows of the table with an alias.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
    all().aliased(alias)
  }

  /// All rows, with a common table expression.
  public func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> {
    all().with(cte)
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// The row of an id.
  public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(key: id)
  }

  /// The rows of ids.
  public func filter(ids: some Collection<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder> {
    all().filter(keys: ids)
  }
}
