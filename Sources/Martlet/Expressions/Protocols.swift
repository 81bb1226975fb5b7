/// Something that is an expression of SQL: values, columns, requests, and what operators make of
/// them.
public protocol SQLExpressible {
  /// The expression.
  var sqlExpression: SQLExpression { get }
}

/// Something that can stand between SELECT and FROM.
public protocol SQLSelectable {
  /// The selection.
  var sqlSelection: SQLSelection { get }
}

/// Something that can stand in ORDER BY.
public protocol SQLOrderingTerm {
  /// The ordering.
  var sqlOrdering: SQLOrdering { get }
}

/// An expression that is SQL by itself, such as a column, and not a value of Swift such as a
/// string.
///
/// Operators and functions need at least one such operand, so that `1 + 1` stays an `Int`.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
  /// The expression as a selection.
  public var sqlSelection: SQLSelection { SQLSelection(.expression(sqlExpression)) }

  /// The expression as an ascending ordering.
  public var sqlOrdering: SQLOrdering { SQLOrdering(.expression(sqlExpression)) }
}
