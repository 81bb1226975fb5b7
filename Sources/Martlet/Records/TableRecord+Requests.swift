// Requests from the table of a record type.

extension TableRecord {
  /// All rows.
  public static func all() -> QueryInterfaceRequest<Self> {
    QueryInterfaceRequest(query)
  }

  static var query: SQLQuery { SQLQuery(table: databaseTableName, selection: selection) }

  /// No row.
  public static func none() -> QueryInterfaceRequest<Self> {
    all().none()
  }

  /// All rows with another selection.
  public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// All rows with another selection.
  public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().select(selection)
  }

  /// All rows with another selection.
  public static func select(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> {
    try all().select(selection)
  }

  /// All rows with another selection.
  public static func select(
    _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> {
    try all().select(selection)
  }

  /// All rows with a selection of SQL.
  public static func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> {
    all().select(sql: sql, arguments: arguments)
  }

  /// All rows with a selection of a literal.
  public static func select(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().select(literal: sqlLiteral)
  }

  /// All rows with another selection, decoded as another type.
  public static func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(selection, as: type)
  }

  /// All rows with another selection, decoded as another type.
  public static func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(selection, as: type)
  }

  /// All rows with another selection, decoded as another type.
  public static func select<T>(
    _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> {
    try all().select(selection, as: type)
  }

  /// All rows with a selection of SQL, decoded as another type.
  public static func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(),
    as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(sql: sql, arguments: arguments, as: type)
  }

  /// All rows with a selection of a literal, decoded as another type.
  public static func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    all().select(literal: sqlLiteral, as: type)
  }

  /// The primary keys.
  public static func selectPrimaryKey<PrimaryKey>(
    as type: PrimaryKey.Type = PrimaryKey.self
  ) -> QueryInterfaceRequest<PrimaryKey> {
    all().selectPrimaryKey(as: type)
  }

  /// The ids.
  public static func selectID() -> QueryInterfaceRequest<Self.ID> where Self: Identifiable {
    all().selectID()
  }

  /// All rows with more columns.
  public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// All rows with more columns.
  public static func annotated(
    with selection: any SQLSelectable...
  ) -> QueryInterfaceRequest<Self> {
    all().annotated(with: selection)
  }

  /// All rows with more columns.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> QueryInterfaceRequest<Self> {
    try all().annotated(with: selection)
  }

  /// All rows with more columns.
  public static func annotated(
    with selection: (DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> QueryInterfaceRequest<Self> {
    try all().annotated(with: selection)
  }

  /// The rows that fulfil a condition.
  public static func filter(
    _ predicate: some SQLSpecificExpressible
  ) -> QueryInterfaceRequest<Self> {
    all().filter(predicate)
  }

  /// The rows that fulfil a condition.
  public static func filter(
    _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> QueryInterfaceRequest<Self> {
    try all().filter(predicate)
  }

  /// The row of a primary key, which must have one column.
  public static func filter(
    key: some DatabaseValueConvertible
  ) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// The rows of primary keys, which must have one column.
  public static func filter(
    keys: some Collection<some DatabaseValueConvertible>
  ) -> QueryInterfaceRequest<Self> {
    all().filter(keys: keys)
  }

  /// The row of a unique key.
  public static func filter(
    key: [String: (any DatabaseValueConvertible)?]?
  ) -> QueryInterfaceRequest<Self> {
    all().filter(key: key)
  }

  /// The rows of unique keys.
  public static func filter(
    keys: [[String: (any DatabaseValueConvertible)?]]
  ) -> QueryInterfaceRequest<Self> {
    all().filter(keys: keys)
  }

  /// The rows that fulfil a condition of SQL.
  public static func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> {
    all().filter(sql: sql, arguments: arguments)
  }

  /// The rows that fulfil a condition of a literal.
  public static func filter(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().filter(literal: sqlLiteral)
  }

  /// All rows in an order.
  public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// All rows in an order.
  public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
    all().order(orderings)
  }

  /// All rows in an order.
  public static func order(
    _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> QueryInterfaceRequest<Self> {
    try all().order(ordering)
  }

  /// All rows in an order.
  public static func order(
    _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> QueryInterfaceRequest<Self> {
    try all().order(orderings)
  }

  /// All rows in the order of the primary key.
  public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> {
    all().orderByPrimaryKey()
  }

  /// All rows in an order of SQL.
  public static func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> QueryInterfaceRequest<Self> {
    all().order(sql: sql, arguments: arguments)
  }

  /// All rows in an order of a literal.
  public static func order(literal sqlLiteral: SQL) -> QueryInterfaceRequest<Self> {
    all().order(literal: sqlLiteral)
  }

  /// At most so many rows.
  public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
    all().limit(limit, offset: offset)
  }

  /// All rows of the table with an alias.
  public static func aliased(_ alias: TableAlias<Void>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// All rows of the table with an alias.
  public static func aliased(_ alias: TableAlias<Self>) -> QueryInterfaceRequest<Self> {
    all().aliased(alias)
  }

  /// All rows, with a common table expression.
  public static func with<T>(_ cte: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> {
    all().with(cte)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// The row of an id.
  public static func filter(id: Self.ID) -> QueryInterfaceRequest<Self> { all().filter(key: id) }

  /// The rows of ids.
  public static func filter(ids: some Collection<Self.ID>) -> QueryInterfaceRequest<Self> {
    all().filter(keys: ids)
  }
}
