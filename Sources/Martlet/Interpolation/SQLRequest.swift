/// A query written in SQL, and what its rows are decoded as.
///
/// ```swift
/// extension Player {
///   static func named(_ name: String) -> SQLRequest<Player> {
///     "SELECT * FROM player WHERE name = \(name)"
///   }
/// }
/// let arthur = try Player.named("Arthur").fetchOne(db)
/// ```
public struct SQLRequest<RowDecoder>: Sendable {
  /// What the rows are seen through.
  public var adapter: (any RowAdapter)?

  private(set) var literal: SQL
  private let isCached: Bool

  private init(_ literal: SQL, _ adapter: (any RowAdapter)?, _ isCached: Bool) {
    self.literal = literal
    self.adapter = adapter
    self.isCached = isCached
  }
}

extension SQLRequest {
  /// A query with its arguments.
  ///
  /// - Parameters:
  ///   - sql: The query.
  ///   - arguments: For the parameters of the query.
  ///   - adapter: Changes what is seen of the rows.
  ///   - cached: The statement is compiled once for a connection.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, cached: Bool = false
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter, cached)
  }

  /// A literal.
  ///
  /// - Parameters:
  ///   - sqlLiteral: The query, with its arguments.
  ///   - adapter: Changes what is seen of the rows.
  ///   - cached: The statement is compiled once for a connection.
  public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
    self.init(sqlLiteral, adapter, cached)
  }
}

extension SQLRequest<Row> {
  /// A query for rows, with its arguments.
  ///
  /// - Parameters:
  ///   - sql: The query.
  ///   - arguments: For the parameters of the query.
  ///   - adapter: Changes what is seen of the rows.
  ///   - cached: The statement is compiled once for a connection.
  public init(
    sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil, cached: Bool = false
  ) {
    self.init(SQL(sql: sql, arguments: arguments), adapter, cached)
  }

  /// A literal for rows.
  ///
  /// - Parameters:
  ///   - sqlLiteral: The query, with its arguments.
  ///   - adapter: Changes what is seen of the rows.
  ///   - cached: The statement is compiled once for a connection.
  public init(literal sqlLiteral: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
    self.init(sqlLiteral, adapter, cached)
  }
}

extension SQLRequest: FetchRequest {
  /// The query.
  public var sqlSubquery: SQLSubquery { SQLSubquery(.literal(literal)) }

  /// Compiles the query.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool = false
  ) throws -> PreparedRequest {
    let (sql, arguments) = try literal.build(db)
    let statement = isCached ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
    try statement.setArguments(arguments)
    return PreparedRequest(statement: statement, adapter: adapter)
  }
}

extension SQLRequest: ExpressibleByStringInterpolation {
  /// Plain SQL.
  public init(stringLiteral: String) { self.init(sql: stringLiteral) }

  /// SQL with pieces.
  public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
    self.init(literal: SQL(stringInterpolation: sqlInterpolation))
  }
}
