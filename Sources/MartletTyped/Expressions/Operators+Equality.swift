// Operators for equality.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

/// Whether both are equal; `IS NULL` for nil.
@inlinable
public func == <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: combine(lhs.expression, "=", rhs.expression))
}

/// Whether both are equal; `IS NULL` for nil.
@inlinable
public func == <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  Expression(part: combine(lhs.expression, "=", rhs.expression))
}

/// Whether both are equal; `IS NULL` for nil.
@inlinable
public func == <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  Expression(part: combine(lhs.expression, "=", rhs.expression))
}

/// Whether both are equal; `IS NULL` for nil.
@inlinable
public func == <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.expression, "=", "IS", rhs.columnBinding))
}

/// Whether both are equal; `IS NULL` for nil.
@inlinable
public func == <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.columnBinding, "=", "IS", rhs.expression))
}

/// Whether both differ; `IS NOT NULL` for nil.
@inlinable
public func != <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: combine(lhs.expression, "!=", rhs.expression))
}

/// Whether both differ; `IS NOT NULL` for nil.
@inlinable
public func != <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  Expression(part: combine(lhs.expression, "!=", rhs.expression))
}

/// Whether both differ; `IS NOT NULL` for nil.
@inlinable
public func != <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  Expression(part: combine(lhs.expression, "!=", rhs.expression))
}

/// Whether both differ; `IS NOT NULL` for nil.
@inlinable
public func != <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.expression, "!=", "IS NOT", rhs.columnBinding))
}

/// Whether both differ; `IS NOT NULL` for nil.
@inlinable
public func != <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  Expression(part: compare(lhs.columnBinding, "!=", "IS NOT", rhs.expression))
}
