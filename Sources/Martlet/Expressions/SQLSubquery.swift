/// A query inside another.
public struct SQLSubquery: Sendable {
  let node: Node

  init(_ node: Node) { self.node = node }

  indirect enum Node: Sendable {
    case literal(SQL)
    case query(SQLQuery)
  }
}

/// A query that can stand inside another.
public protocol SQLSubqueryable: SQLSpecificExpressible {
  /// The query.
  var sqlSubquery: SQLSubquery { get }
}

extension SQLSubquery: SQLSubqueryable {
  /// Itself.
  public var sqlSubquery: SQLSubquery { self }
}

extension SQLSubqueryable {
  /// The value of the query's first row and column.
  public var sqlExpression: SQLExpression { SQLExpression(.subquery(sqlSubquery)) }

  /// Whether the query gives a value.
  public func contains(_ element: some SQLExpressible) -> SQLExpression {
    SQLExpression(.inSubquery(element.sqlExpression, sqlSubquery, isNegated: false))
  }

  /// Whether the query gives a row.
  public func exists() -> SQLExpression {
    SQLExpression(.exists(sqlSubquery, isNegated: false))
  }
}
