// Operators for order.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

/// Whether the left is less.
public func < <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  "<".infix(lhs, rhs)
}

/// Whether the left is less.
public func < <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  "<".infix(lhs, rhs)
}

/// Whether the left is less.
public func < <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  "<".infix(lhs, rhs)
}

/// Whether the left is less.
public func < <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  "<".infix(lhs, Expression<A>(value: rhs))
}

/// Whether the left is less.
public func < <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  "<".infix(Expression<A>(value: lhs), rhs)
}

/// Whether the left is less or equal.
public func <= <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  "<=".infix(lhs, rhs)
}

/// Whether the left is less or equal.
public func <= <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  "<=".infix(lhs, rhs)
}

/// Whether the left is less or equal.
public func <= <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  "<=".infix(lhs, rhs)
}

/// Whether the left is less or equal.
public func <= <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  "<=".infix(lhs, Expression<A>(value: rhs))
}

/// Whether the left is less or equal.
public func <= <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  "<=".infix(Expression<A>(value: lhs), rhs)
}

/// Whether the left is greater.
public func > <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  ">".infix(lhs, rhs)
}

/// Whether the left is greater.
public func > <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  ">".infix(lhs, rhs)
}

/// Whether the left is greater.
public func > <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  ">".infix(lhs, rhs)
}

/// Whether the left is greater.
public func > <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  ">".infix(lhs, Expression<A>(value: rhs))
}

/// Whether the left is greater.
public func > <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  ">".infix(Expression<A>(value: lhs), rhs)
}

/// Whether the left is greater or equal.
public func >= <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  ">=".infix(lhs, rhs)
}

/// Whether the left is greater or equal.
public func >= <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  ">=".infix(lhs, rhs)
}

/// Whether the left is greater or equal.
public func >= <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Comparable {
  ">=".infix(lhs, rhs)
}

/// Whether the left is greater or equal.
public func >= <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  ">=".infix(lhs, Expression<A>(value: rhs))
}

/// Whether the left is greater or equal.
public func >= <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Comparable {
  ">=".infix(Expression<A>(value: lhs), rhs)
}
