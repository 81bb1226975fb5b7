// Operators that compute.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

/// The sum.
public func + <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "+".infix(lhs, rhs)
}

/// The sum.
public func + <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  "+".infix(lhs, rhs)
}

/// The sum.
public func + <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  "+".infix(lhs, rhs)
}

/// The sum.
public func + <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "+".infix(lhs, Expression<A>(value: rhs))
}

/// The sum.
public func + <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "+".infix(Expression<A>(value: lhs), rhs)
}

/// The difference.
public func - <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "-".infix(lhs, rhs)
}

/// The difference.
public func - <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  "-".infix(lhs, rhs)
}

/// The difference.
public func - <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  "-".infix(lhs, rhs)
}

/// The difference.
public func - <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "-".infix(lhs, Expression<A>(value: rhs))
}

/// The difference.
public func - <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "-".infix(Expression<A>(value: lhs), rhs)
}

/// The product.
public func * <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "*".infix(lhs, rhs)
}

/// The product.
public func * <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  "*".infix(lhs, rhs)
}

/// The product.
public func * <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  "*".infix(lhs, rhs)
}

/// The product.
public func * <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "*".infix(lhs, Expression<A>(value: rhs))
}

/// The product.
public func * <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "*".infix(Expression<A>(value: lhs), rhs)
}

/// The quotient; that of integers is an integer.
public func / <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "/".infix(lhs, rhs)
}

/// The quotient; that of integers is an integer.
public func / <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number {
  "/".infix(lhs, rhs)
}

/// The quotient; that of integers is an integer.
public func / <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number {
  "/".infix(lhs, rhs)
}

/// The quotient; that of integers is an integer.
public func / <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "/".infix(lhs, Expression<A>(value: rhs))
}

/// The quotient; that of integers is an integer.
public func / <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number {
  "/".infix(Expression<A>(value: lhs), rhs)
}

/// The remainder.
public func % <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "%".infix(lhs, rhs)
}

/// The remainder.
public func % <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "%".infix(lhs, rhs)
}

/// The remainder.
public func % <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<V?>
where V.Datatype: Number & BinaryInteger {
  "%".infix(lhs, rhs)
}

/// The remainder.
public func % <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "%".infix(lhs, Expression<A>(value: rhs))
}

/// The remainder.
public func % <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A>
where A.ColumnValue.Datatype: Number & BinaryInteger {
  "%".infix(Expression<A>(value: lhs), rhs)
}
