// Operators that are not compared, computed or combined with others of their kind.

/// Whether both are the same: NULL is the same as NULL (`IS`).
public func === <A: ColumnType, B: ColumnType>(
  lhs: Expression<A>, rhs: Expression<B>
) -> Expression<Bool> where A.ColumnValue == B.ColumnValue, A.ColumnValue.Datatype: Equatable {
  "IS".infix(lhs, rhs)
}

/// Whether the expression is the value (`IS`).
public func === <A: ColumnType>(lhs: Expression<A>, rhs: A.ColumnValue?) -> Expression<Bool>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.expression, "IS", "IS", rhs.columnBinding))
}

/// Whether the expression is the value (`IS`).
public func === <A: ColumnType>(lhs: A.ColumnValue?, rhs: Expression<A>) -> Expression<Bool>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.columnBinding, "IS", "IS", rhs.expression))
}

/// Whether both are not the same (`IS NOT`).
public func !== <A: ColumnType, B: ColumnType>(
  lhs: Expression<A>, rhs: Expression<B>
) -> Expression<Bool> where A.ColumnValue == B.ColumnValue, A.ColumnValue.Datatype: Equatable {
  "IS NOT".infix(lhs, rhs)
}

/// Whether the expression is not the value (`IS NOT`).
public func !== <A: ColumnType>(lhs: Expression<A>, rhs: A.ColumnValue?) -> Expression<Bool>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.expression, "IS NOT", "IS NOT", rhs.columnBinding))
}

/// Whether the expression is not the value (`IS NOT`).
public func !== <A: ColumnType>(lhs: A.ColumnValue?, rhs: Expression<A>) -> Expression<Bool>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.columnBinding, "IS NOT", "IS NOT", rhs.expression))
}

// MARK: - Ranges

/// Whether the expression is in the range (`BETWEEN`).
public func ~= <A: ColumnType>(
  lhs: ClosedRange<A.ColumnValue>, rhs: Expression<A>
) -> Expression<A.ColumnCondition> where A.ColumnValue: Comparable {
  Expression(
    "\(rhs.operand) BETWEEN ? AND ?",
    rhs.bindings + [lhs.lowerBound.datatypeValue, lhs.upperBound.datatypeValue], isLoose: true)
}

/// Whether the expression is in the range.
public func ~= <A: ColumnType>(
  lhs: Range<A.ColumnValue>, rhs: Expression<A>
) -> Expression<A.ColumnCondition> where A.ColumnValue: Comparable {
  Expression(
    "\(rhs.operand) >= ? AND \(rhs.operand) < ?",
    rhs.bindings + [lhs.lowerBound.datatypeValue] + rhs.bindings + [lhs.upperBound.datatypeValue],
    isLoose: true)
}

/// Whether the expression is in the range.
public func ~= <A: ColumnType>(
  lhs: PartialRangeThrough<A.ColumnValue>, rhs: Expression<A>
) -> Expression<A.ColumnCondition> where A.ColumnValue: Comparable {
  rhs.bounded("<=", by: lhs.upperBound)
}

/// Whether the expression is in the range.
public func ~= <A: ColumnType>(
  lhs: PartialRangeUpTo<A.ColumnValue>, rhs: Expression<A>
) -> Expression<A.ColumnCondition> where A.ColumnValue: Comparable {
  rhs.bounded("<", by: lhs.upperBound)
}

/// Whether the expression is in the range.
public func ~= <A: ColumnType>(
  lhs: PartialRangeFrom<A.ColumnValue>, rhs: Expression<A>
) -> Expression<A.ColumnCondition> where A.ColumnValue: Comparable {
  rhs.bounded(">=", by: lhs.lowerBound)
}

extension Expression {
  fileprivate var operand: String { isLoose ? "(\(template))" : template }
}

extension Expression where Datatype: ColumnType {
  fileprivate func bounded(
    _ name: String, by bound: Datatype.ColumnValue
  ) -> Expression<Datatype.ColumnCondition> {
    Expression<Datatype.ColumnCondition>(
      "\(operand) \(name) ?", bindings + [bound.datatypeValue], isLoose: true)
  }
}

// MARK: - Texts and signs

/// The texts one behind the other.
@inlinable
public func + <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  Expression(part: combine(lhs.expression, "||", rhs.expression))
}

/// The texts one behind the other.
@inlinable
public func + <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype == String {
  Expression(part: combine(lhs.expression, "||", rhs.expression))
}

/// The texts one behind the other.
@inlinable
public func + <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype == String {
  Expression(part: combine(lhs.expression, "||", rhs.expression))
}

/// The texts one behind the other.
@inlinable
public func + <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  Expression(part: combine(lhs.expression, "||", bound(rhs.columnBinding)))
}

/// The texts one behind the other.
@inlinable
public func + <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype == String {
  Expression(part: combine(bound(lhs.columnBinding), "||", rhs.expression))
}

/// The number with the other sign.
public prefix func - <A: ColumnType>(rhs: Expression<A>) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "-".wrap(rhs)
}
