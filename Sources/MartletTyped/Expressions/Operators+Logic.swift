// Operators for conditions. Their operands are conditions alone, so that plain declarations are
// what compiles quickest.

/// Whether both are true.
public func && (lhs: Expression<Bool>, rhs: Expression<Bool>) -> Expression<Bool> {
  "AND".infix(lhs, rhs)
}

/// Whether both are true.
public func && (lhs: Expression<Bool>, rhs: Expression<Bool?>) -> Expression<Bool?> {
  "AND".infix(lhs, rhs)
}

/// Whether both are true.
public func && (lhs: Expression<Bool?>, rhs: Expression<Bool>) -> Expression<Bool?> {
  "AND".infix(lhs, rhs)
}

/// Whether both are true.
public func && (lhs: Expression<Bool?>, rhs: Expression<Bool?>) -> Expression<Bool?> {
  "AND".infix(lhs, rhs)
}

/// Whether both are true.
public func && <A: ColumnType>(lhs: Expression<A>, rhs: Bool) -> Expression<A>
where A.ColumnValue == Bool {
  "AND".infix(lhs, Expression<Bool>(value: rhs))
}

/// Whether both are true.
public func && <A: ColumnType>(lhs: Bool, rhs: Expression<A>) -> Expression<A>
where A.ColumnValue == Bool {
  "AND".infix(Expression<Bool>(value: lhs), rhs)
}

/// Whether one of them is true.
public func || (lhs: Expression<Bool>, rhs: Expression<Bool>) -> Expression<Bool> {
  "OR".infix(lhs, rhs)
}

/// Whether one of them is true.
public func || (lhs: Expression<Bool>, rhs: Expression<Bool?>) -> Expression<Bool?> {
  "OR".infix(lhs, rhs)
}

/// Whether one of them is true.
public func || (lhs: Expression<Bool?>, rhs: Expression<Bool>) -> Expression<Bool?> {
  "OR".infix(lhs, rhs)
}

/// Whether one of them is true.
public func || (lhs: Expression<Bool?>, rhs: Expression<Bool?>) -> Expression<Bool?> {
  "OR".infix(lhs, rhs)
}

/// Whether one of them is true.
public func || <A: ColumnType>(lhs: Expression<A>, rhs: Bool) -> Expression<A>
where A.ColumnValue == Bool {
  "OR".infix(lhs, Expression<Bool>(value: rhs))
}

/// Whether one of them is true.
public func || <A: ColumnType>(lhs: Bool, rhs: Expression<A>) -> Expression<A>
where A.ColumnValue == Bool {
  "OR".infix(Expression<Bool>(value: lhs), rhs)
}

/// Whether the condition is false.
public prefix func ! <A: ColumnType>(rhs: Expression<A>) -> Expression<A>
where A.ColumnValue == Bool {
  "NOT ".wrap(rhs)
}

/// Whether all are true: without conditions, it is.
public func and(_ terms: Expression<Bool>...) -> Expression<Bool> {
  joined(terms, by: "AND", empty: "1")
}

/// Whether one is true: without conditions, none is.
public func or(_ terms: Expression<Bool>...) -> Expression<Bool> {
  joined(terms, by: "OR", empty: "0")
}

private func joined(
  _ terms: [Expression<Bool>], by name: String, empty: String
) -> Expression<Bool> {
  guard let first = terms.first else { return Expression(literal: empty) }
  return terms.dropFirst().reduce(first) { name.infix($0, $1) }
}
