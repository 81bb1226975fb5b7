/// A query with a name, which other queries read like a table: WITH.
///
/// ```swift
/// let best = CommonTableExpression<Player>(
///   named: "best", request: Player.filter { $0.score > 1_000 })
/// let players = try best.all().with(best).fetchAll(db)
/// ```
public struct CommonTableExpression<RowDecoder>: Sendable {
  let table: SQLQuery.CommonTable

  var query: SQLQuery { SQLQuery(table: tableName) }

  /// The name.
  public var tableName: String { table.name }

  private init(
    _ name: String, _ columns: [String]?, _ isRecursive: Bool, _ subquery: SQLSubquery
  ) {
    // SQL has no empty list of columns: the query's own names hold.
    let columns = columns.flatMap { $0.isEmpty ? nil : $0 }
    table = SQLQuery.CommonTable(
      name: name, columns: columns, isRecursive: isRecursive, subquery: subquery)
  }
}

extension CommonTableExpression {
  /// Names a request.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    request: some SQLSubqueryable
  ) {
    self.init(tableName, columns, recursive, request.sqlSubquery)
  }

  /// Names a query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
    arguments: StatementArguments = StatementArguments()
  ) {
    let literal = SQL(sql: sql, arguments: arguments)
    self.init(tableName, columns, recursive, SQLSubquery(.literal(literal)))
  }

  /// Names a literal.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    literal sqlLiteral: SQL
  ) {
    self.init(tableName, columns, recursive, SQLSubquery(.literal(sqlLiteral)))
  }
}

extension CommonTableExpression<Row> {
  /// Names a request.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    request: some SQLSubqueryable
  ) {
    self.init(tableName, columns, recursive, request.sqlSubquery)
  }

  /// Names a query.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil, sql: String,
    arguments: StatementArguments = StatementArguments()
  ) {
    let literal = SQL(sql: sql, arguments: arguments)
    self.init(tableName, columns, recursive, SQLSubquery(.literal(literal)))
  }

  /// Names a literal.
  public init(
    recursive: Bool = false, named tableName: String, columns: [String]? = nil,
    literal sqlLiteral: SQL
  ) {
    self.init(tableName, columns, recursive, SQLSubquery(.literal(sqlLiteral)))
  }
}

extension CommonTableExpression {
  /// All rows. The request must be told of the expression by `with(_:)`.
  public func all() -> QueryInterfaceRequest<RowDecoder> {
    QueryInterfaceRequest(query)
  }

  /// Whether the rows, which have one column, have a value.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    SQLExpression(.inTable(element.sqlExpression, tableName, isNegated: false))
  }
}

extension CommonTableExpression {
  /// The rows of another common table expression that fulfil a condition.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.query) { left, right in
      condition(TableAlias(left), TableAlias(right)).sqlExpression
    }
  }

  /// All rows of another common table expression.
  public func association<Destination>(
    to cte: CommonTableExpression<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: cte.query) { _, _ in nil }
  }

  /// The rows of a table that fulfil a condition.
  public func association<Destination: TableRecord>(
    to destination: Destination.Type,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: destination.query) { left, right in
      condition(TableAlias(left), TableAlias(right)).sqlExpression
    }
  }

  /// All rows of a table.
  public func association<Destination: TableRecord>(
    to destination: Destination.Type
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: destination.query) { _, _ in nil }
  }

  /// The rows of a table that fulfil a condition.
  public func association<Destination>(
    to destination: Table<Destination>,
    on condition:
      @escaping @Sendable (
        _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
      ) -> any SQLExpressible
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: destination.query) { left, right in
      condition(TableAlias(left), TableAlias(right)).sqlExpression
    }
  }

  /// All rows of a table.
  public func association<Destination>(
    to destination: Table<Destination>
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(to: destination.query) { _, _ in nil }
  }
}

extension SQLInterpolation {
  /// The name of a common table expression.
  public mutating func appendInterpolation(_ cte: CommonTableExpression<some Any>) {
    appendInterpolation(identifier: cte.tableName)
  }

  /// The definition of a common table expression, for WITH.
  public mutating func appendInterpolation(definitionFor cte: CommonTableExpression<some Any>) {
    var head = cte.tableName.quotedIdentifier
    if let columns = cte.table.columns {
      head += "(" + columns.map { $0.quotedIdentifier }.joined(separator: ", ") + ")"
    }
    elements.append(.sql(head + " AS (", StatementArguments()))
    elements.append(.subquery(cte.table.subquery))
    elements.append(.sql(")", StatementArguments()))
  }
}
