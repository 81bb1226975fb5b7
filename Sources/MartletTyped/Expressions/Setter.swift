// What INSERT and UPDATE give to a column.

precedencegroup ColumnAssignment {
  associativity: left
  assignment: true
  lowerThan: AssignmentPrecedence
}

infix operator <- : ColumnAssignment
postfix operator ++
postfix operator --

/// A column and what it is set to.
public struct Setter: Sendable {
  let column: Expression<Void>
  let value: Expression<Void>

  init(_ column: any Expressible, _ value: any Expressible) {
    self.column = column.expression
    self.value = value.expression
  }

  /// A column and its value for types that a macro or a generator writes: `column <- value`.
  public init<A: ColumnType>(_ column: Expression<A>, to value: A) {
    self.init(column, Expression<A>(value: value))
  }
}

extension Setter: Expressible {
  /// `column = value`.
  public var expression: Expression<Void> { " = ".join([column, value]) }
}

/// Sets the column to the value.
public func <- <A: ColumnType>(column: Expression<A>, value: A) -> Setter {
  Setter(column, Expression<A>(value: value))
}

/// Sets the column to what the expression gives.
public func <- <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter {
  Setter(column, value)
}

/// Sets the column to what the expression gives.
public func <- <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter {
  Setter(column, value)
}

/// Adds the text behind the column's.
public func += <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype == String {
  Setter(column, column + value)
}

/// Adds the text behind the column's.
public func += <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype == String {
  Setter(column, column + value)
}

/// Adds the text behind the column's.
public func += <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype == String {
  Setter(column, column + value)
}

/// Adds to the column.
public func += <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column + value)
}

/// Adds to the column.
public func += <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column + value)
}

/// Adds to the column.
public func += <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, column + value)
}

/// Takes from the column.
public func -= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column - value)
}

/// Takes from the column.
public func -= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column - value)
}

/// Takes from the column.
public func -= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, column - value)
}

/// Multiplies the column.
public func *= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column * value)
}

/// Multiplies the column.
public func *= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column * value)
}

/// Multiplies the column.
public func *= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, column * value)
}

/// Divides the column.
public func /= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column / value)
}

/// Divides the column.
public func /= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column, column / value)
}

/// Divides the column.
public func /= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column, column / value)
}

/// Sets the column to the remainder.
public func %= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column % value)
}

/// Sets the column to the remainder.
public func %= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column, column % value)
}

/// Sets the column to the remainder.
public func %= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column, column % value)
}
