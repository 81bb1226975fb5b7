// Operators for order.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

/// Whether the left is less.
@inlinable
public func < <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<", rhs.expression))
}

/// Whether the left is less.
@inlinable
public func < <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<", rhs.expression))
}

/// Whether the left is less.
@inlinable
public func < <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<", rhs.expression))
}

/// Whether the left is less.
@inlinable
public func < <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<", bound(rhs.columnBinding)))
}

/// Whether the left is less.
@inlinable
public func < <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(bound(lhs.columnBinding), "<", rhs.expression))
}

/// Whether the left is less or equal.
@inlinable
public func <= <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<=", rhs.expression))
}

/// Whether the left is less or equal.
@inlinable
public func <= <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<=", rhs.expression))
}

/// Whether the left is less or equal.
@inlinable
public func <= <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<=", rhs.expression))
}

/// Whether the left is less or equal.
@inlinable
public func <= <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, "<=", bound(rhs.columnBinding)))
}

/// Whether the left is less or equal.
@inlinable
public func <= <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(bound(lhs.columnBinding), "<=", rhs.expression))
}

/// Whether the left is greater.
@inlinable
public func > <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">", rhs.expression))
}

/// Whether the left is greater.
@inlinable
public func > <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">", rhs.expression))
}

/// Whether the left is greater.
@inlinable
public func > <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">", rhs.expression))
}

/// Whether the left is greater.
@inlinable
public func > <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">", bound(rhs.columnBinding)))
}

/// Whether the left is greater.
@inlinable
public func > <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(bound(lhs.columnBinding), ">", rhs.expression))
}

/// Whether the left is greater or equal.
@inlinable
public func >= <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">=", rhs.expression))
}

/// Whether the left is greater or equal.
@inlinable
public func >= <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">=", rhs.expression))
}

/// Whether the left is greater or equal.
@inlinable
public func >= <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">=", rhs.expression))
}

/// Whether the left is greater or equal.
@inlinable
public func >= <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(lhs.expression, ">=", bound(rhs.columnBinding)))
}

/// Whether the left is greater or equal.
@inlinable
public func >= <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  Expression(part: combine(bound(lhs.columnBinding), ">=", rhs.expression))
}
