// SQLite's aggregate functions (lang_aggfunc).

extension ExpressionType where UnderlyingType: ColumnType {
  /// The different values: for the argument of an aggregate function.
  public var distinct: Expression<UnderlyingType> { Expression("DISTINCT \(template)", bindings) }

  /// `count`: how many values are not NULL.
  public var count: Expression<Int> { "count".wrap(self) }
}

extension ExpressionType
where UnderlyingType: ColumnType, UnderlyingType.ColumnValue.Datatype: Comparable {
  /// `max`: the largest value; NULL without rows.
  public var max: Expression<UnderlyingType.ColumnValue?> { "max".wrap(self) }

  /// `min`: the smallest value; NULL without rows.
  public var min: Expression<UnderlyingType.ColumnValue?> { "min".wrap(self) }
}

extension ExpressionType
where UnderlyingType: ColumnType, UnderlyingType.ColumnValue.Datatype: Number {
  /// `avg`: the mean; NULL without rows.
  public var average: Expression<Double?> { "avg".wrap(self) }

  /// `sum`: the sum; NULL without rows.
  public var sum: Expression<UnderlyingType.ColumnValue?> { "sum".wrap(self) }

  /// `total`: the sum as a real; 0 without rows.
  public var total: Expression<Double> { "total".wrap(self) }
}

/// All columns, as an argument: `count(*)`, `users[*]`, `select(*)`.
public typealias Star = (Expression<any Binding>?, Expression<any Binding>?) -> Expression<Void>

/// All columns: the operator itself is what is passed.
public func * (_: Expression<any Binding>?, _: Expression<any Binding>?) -> Expression<Void> {
  Expression(literal: "*")
}

/// `count(*)`: how many rows there are.
public func count(_ star: Star) -> Expression<Int> { "count".wrap(star(nil, nil)) }

/// The number of the row in its table (rowidtable).
public let rowid = Expression<Int64>("ROWID")
