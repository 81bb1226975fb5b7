// Operators for equality.
//
// The five forms of an operator: two expressions that are both optional or both not; two of which
// one is optional; an expression and a value; a value and an expression. `Value` and `Value?` are
// both `ColumnType`, which is what makes so few of them enough.

extension ColumnType {
  /// Compares with the value; with NULL by IS.
  func comparison<Condition>(
    _ name: String, _ nameForNull: String, of expression: any Expressible, isLeft: Bool
  ) -> Expression<Condition> {
    guard columnBinding != nil else {
      return nameForNull.infix(expression, Expression<Void>(literal: "NULL"))
    }
    let value = Expression<Self>(value: self)
    return isLeft ? name.infix(value, expression) : name.infix(expression, value)
  }
}

/// Whether both are equal; `IS NULL` for nil.
public func == <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  "=".infix(lhs, rhs)
}

/// Whether both are equal; `IS NULL` for nil.
public func == <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  "=".infix(lhs, rhs)
}

/// Whether both are equal; `IS NULL` for nil.
public func == <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  "=".infix(lhs, rhs)
}

/// Whether both are equal; `IS NULL` for nil.
public func == <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  rhs.comparison("=", "IS", of: lhs, isLeft: false)
}

/// Whether both are equal; `IS NULL` for nil.
public func == <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  lhs.comparison("=", "IS", of: rhs, isLeft: true)
}

/// Whether both differ; `IS NOT NULL` for nil.
public func != <A: ColumnType>(
  lhs: Expression<A>, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  "!=".infix(lhs, rhs)
}

/// Whether both differ; `IS NOT NULL` for nil.
public func != <V: Value>(
  lhs: Expression<V>, rhs: Expression<V?>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  "!=".infix(lhs, rhs)
}

/// Whether both differ; `IS NOT NULL` for nil.
public func != <V: Value>(
  lhs: Expression<V?>, rhs: Expression<V>
) -> Expression<Bool?>
where V.Datatype: Equatable {
  "!=".infix(lhs, rhs)
}

/// Whether both differ; `IS NOT NULL` for nil.
public func != <A: ColumnType>(
  lhs: Expression<A>, rhs: A
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  rhs.comparison("!=", "IS NOT", of: lhs, isLeft: false)
}

/// Whether both differ; `IS NOT NULL` for nil.
public func != <A: ColumnType>(
  lhs: A, rhs: Expression<A>
) -> Expression<A.ColumnCondition>
where A.ColumnValue.Datatype: Equatable {
  lhs.comparison("!=", "IS NOT", of: rhs, isLeft: true)
}
