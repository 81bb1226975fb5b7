// Operators that compute.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

/// The sum.
@inlinable
public func + <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "+", rhs.expression))
}

/// The sum.
@inlinable
public func + <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "+", rhs.expression))
}

/// The sum.
@inlinable
public func + <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "+", rhs.expression))
}

/// The sum.
@inlinable
public func + <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "+", bound(rhs.columnBinding)))
}

/// The sum.
@inlinable
public func + <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(bound(lhs.columnBinding), "+", rhs.expression))
}

/// The difference.
@inlinable
public func - <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "-", rhs.expression))
}

/// The difference.
@inlinable
public func - <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "-", rhs.expression))
}

/// The difference.
@inlinable
public func - <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "-", rhs.expression))
}

/// The difference.
@inlinable
public func - <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "-", bound(rhs.columnBinding)))
}

/// The difference.
@inlinable
public func - <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(bound(lhs.columnBinding), "-", rhs.expression))
}

/// The product.
@inlinable
public func * <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "*", rhs.expression))
}

/// The product.
@inlinable
public func * <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "*", rhs.expression))
}

/// The product.
@inlinable
public func * <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "*", rhs.expression))
}

/// The product.
@inlinable
public func * <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "*", bound(rhs.columnBinding)))
}

/// The product.
@inlinable
public func * <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(bound(lhs.columnBinding), "*", rhs.expression))
}

/// The quotient; that of integers is an integer.
@inlinable
public func / <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "/", rhs.expression))
}

/// The quotient; that of integers is an integer.
@inlinable
public func / <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "/", rhs.expression))
}

/// The quotient; that of integers is an integer.
@inlinable
public func / <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  Expression(part: combine(lhs.expression, "/", rhs.expression))
}

/// The quotient; that of integers is an integer.
@inlinable
public func / <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(lhs.expression, "/", bound(rhs.columnBinding)))
}

/// The quotient; that of integers is an integer.
@inlinable
public func / <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  Expression(part: combine(bound(lhs.columnBinding), "/", rhs.expression))
}

/// The remainder.
@inlinable
public func % <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "%", rhs.expression))
}

/// The remainder.
@inlinable
public func % <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "%", rhs.expression))
}

/// The remainder.
@inlinable
public func % <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "%", rhs.expression))
}

/// The remainder.
@inlinable
public func % <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(lhs.expression, "%", bound(rhs.columnBinding)))
}

/// The remainder.
@inlinable
public func % <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Expression(part: combine(bound(lhs.columnBinding), "%", rhs.expression))
}
