// Operators for the bits of integers.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

/// The bits moved to the left.
@inlinable
public func << <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "<<", rhs.expression))
}

/// The bits moved to the left.
@inlinable
public func << <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "<<", rhs.expression))
}

/// The bits moved to the left.
@inlinable
public func << <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "<<", rhs.expression))
}

/// The bits moved to the left.
@inlinable
public func << <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "<<", bound(rhs.columnBinding)))
}

/// The bits moved to the left.
@inlinable
public func << <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(bound(lhs.columnBinding), "<<", rhs.expression))
}

/// The bits moved to the right.
@inlinable
public func >> <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, ">>", rhs.expression))
}

/// The bits moved to the right.
@inlinable
public func >> <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, ">>", rhs.expression))
}

/// The bits moved to the right.
@inlinable
public func >> <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, ">>", rhs.expression))
}

/// The bits moved to the right.
@inlinable
public func >> <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, ">>", bound(rhs.columnBinding)))
}

/// The bits moved to the right.
@inlinable
public func >> <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(bound(lhs.columnBinding), ">>", rhs.expression))
}

/// The bits that are in both.
@inlinable
public func & <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "&", rhs.expression))
}

/// The bits that are in both.
@inlinable
public func & <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "&", rhs.expression))
}

/// The bits that are in both.
@inlinable
public func & <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "&", rhs.expression))
}

/// The bits that are in both.
@inlinable
public func & <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "&", bound(rhs.columnBinding)))
}

/// The bits that are in both.
@inlinable
public func & <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(bound(lhs.columnBinding), "&", rhs.expression))
}

/// The bits that are in one of them or in both.
@inlinable
public func | <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "|", rhs.expression))
}

/// The bits that are in one of them or in both.
@inlinable
public func | <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "|", rhs.expression))
}

/// The bits that are in one of them or in both.
@inlinable
public func | <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "|", rhs.expression))
}

/// The bits that are in one of them or in both.
@inlinable
public func | <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "|", bound(rhs.columnBinding)))
}

/// The bits that are in one of them or in both.
@inlinable
public func | <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(bound(lhs.columnBinding), "|", rhs.expression))
}

/// The bits that are in one of them: SQLite has no operator for it.
@inlinable
public func ^ <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: exclusiveOr(lhs.expression, rhs.expression))
}

/// The bits that are in one of them: SQLite has no operator for it.
@inlinable
public func ^ <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: exclusiveOr(lhs.expression, rhs.expression))
}

/// The bits that are in one of them: SQLite has no operator for it.
@inlinable
public func ^ <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: exclusiveOr(lhs.expression, rhs.expression))
}

/// The bits that are in one of them: SQLite has no operator for it.
@inlinable
public func ^ <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: exclusiveOr(lhs.expression, bound(rhs.columnBinding)))
}

/// The bits that are in one of them: SQLite has no operator for it.
@inlinable
public func ^ <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: exclusiveOr(bound(lhs.columnBinding), rhs.expression))
}

@usableFromInline
func exclusiveOr(_ lhs: Expression<Void>, _ rhs: Expression<Void>) -> Expression<Void> {
  let both = combine(lhs, "&", rhs), any = combine(lhs, "|", rhs)
  return combine("~".wrap(both), "&", any)
}

/// The bits that are not set.
public prefix func ~ <A: ColumnType>(rhs: Expression<A>) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "~".wrap(rhs)
}
