// Operators for the bits of integers.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

/// The bits moved to the left.
public func << <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "<<".infix(lhs, rhs)
}

/// The bits moved to the left.
public func << <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "<<".infix(lhs, rhs)
}

/// The bits moved to the left.
public func << <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "<<".infix(lhs, rhs)
}

/// The bits moved to the left.
public func << <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "<<".infix(lhs, Expression<A>(value: rhs))
}

/// The bits moved to the left.
public func << <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "<<".infix(Expression<A>(value: lhs), rhs)
}

/// The bits moved to the right.
public func >> <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  ">>".infix(lhs, rhs)
}

/// The bits moved to the right.
public func >> <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  ">>".infix(lhs, rhs)
}

/// The bits moved to the right.
public func >> <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  ">>".infix(lhs, rhs)
}

/// The bits moved to the right.
public func >> <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  ">>".infix(lhs, Expression<A>(value: rhs))
}

/// The bits moved to the right.
public func >> <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  ">>".infix(Expression<A>(value: lhs), rhs)
}

/// The bits that are in both.
public func & <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "&".infix(lhs, rhs)
}

/// The bits that are in both.
public func & <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "&".infix(lhs, rhs)
}

/// The bits that are in both.
public func & <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "&".infix(lhs, rhs)
}

/// The bits that are in both.
public func & <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "&".infix(lhs, Expression<A>(value: rhs))
}

/// The bits that are in both.
public func & <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "&".infix(Expression<A>(value: lhs), rhs)
}

/// The bits that are in one of them or in both.
public func | <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "|".infix(lhs, rhs)
}

/// The bits that are in one of them or in both.
public func | <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "|".infix(lhs, rhs)
}

/// The bits that are in one of them or in both.
public func | <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "|".infix(lhs, rhs)
}

/// The bits that are in one of them or in both.
public func | <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "|".infix(lhs, Expression<A>(value: rhs))
}

/// The bits that are in one of them or in both.
public func | <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "|".infix(Expression<A>(value: lhs), rhs)
}

/// The bits that are in one of them: SQLite has no operator for it.
public func ^ <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  exclusiveOr(lhs, rhs)
}

/// The bits that are in one of them: SQLite has no operator for it.
public func ^ <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  exclusiveOr(lhs, rhs)
}

/// The bits that are in one of them: SQLite has no operator for it.
public func ^ <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  exclusiveOr(lhs, rhs)
}

/// The bits that are in one of them: SQLite has no operator for it.
public func ^ <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  exclusiveOr(lhs, Expression<A>(value: rhs))
}

/// The bits that are in one of them: SQLite has no operator for it.
public func ^ <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  exclusiveOr(Expression<A>(value: lhs), rhs)
}

private func exclusiveOr<Datatype>(
  _ lhs: any Expressible, _ rhs: any Expressible
) -> Expression<Datatype> {
  let both: Expression<Void> = "&".infix(lhs, rhs), any: Expression<Void> = "|".infix(lhs, rhs)
  return "&".infix("~".wrap(both) as Expression<Void>, any)
}

/// The bits that are not set.
public prefix func ~ <A: ColumnType>(rhs: Expression<A>) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "~".wrap(rhs)
}
