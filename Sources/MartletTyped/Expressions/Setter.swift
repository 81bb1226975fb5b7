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
  private let content: Content

  private enum Content {
    case binding((any Binding)?)
    case expression(Expression<Void>)
  }

  @usableFromInline
  init(_ column: Expression<Void>, binding: (any Binding)?) {
    self.column = column
    content = .binding(binding)
  }

  @usableFromInline
  init(_ column: Expression<Void>, _ value: Expression<Void>) {
    self.column = column
    content = .expression(value)
  }

  /// What the column is set to.
  var value: Expression<Void> {
    switch content {
    case .binding(let value): bound(value)
    case .expression(let value): value
    }
  }

  /// Adds the value to a list of values.
  func appendValue(to text: inout String, _ bindings: inout [(any Binding)?]) {
    switch content {
    case .binding(let value):
      text += "?"
      bindings.append(value)
    case .expression(let value):
      text += value.template
      bindings += value.bindings
    }
  }
}

extension Setter: Expressible {
  /// `column = value`.
  public var expression: Expression<Void> { " = ".join([column, value]) }
}

/// Sets the column to the value.
@inlinable
public func <- <A: ColumnType>(column: Expression<A>, value: A) -> Setter {
  Setter(column.expression, binding: value.columnBinding)
}

/// Sets the column to what the expression gives.
@inlinable
public func <- <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter {
  Setter(column.expression, value.expression)
}

/// Sets the column to what the expression gives.
@inlinable
public func <- <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter {
  Setter(column.expression, value.expression)
}

/// Adds the text behind the column's.
@inlinable
public func += <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype == String {
  Setter(column.expression, (column + value).expression)
}

/// Adds the text behind the column's.
@inlinable
public func += <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype == String {
  Setter(column.expression, (column + value).expression)
}

/// Adds the text behind the column's.
@inlinable
public func += <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype == String {
  Setter(column.expression, (column + value).expression)
}

/// Adds to the column.
@inlinable
public func += <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column + value).expression)
}

/// Adds to the column.
@inlinable
public func += <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column + value).expression)
}

/// Adds to the column.
@inlinable
public func += <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column.expression, (column + value).expression)
}

/// Takes from the column.
@inlinable
public func -= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column - value).expression)
}

/// Takes from the column.
@inlinable
public func -= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column - value).expression)
}

/// Takes from the column.
@inlinable
public func -= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column.expression, (column - value).expression)
}

/// Multiplies the column.
@inlinable
public func *= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column * value).expression)
}

/// Multiplies the column.
@inlinable
public func *= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column * value).expression)
}

/// Multiplies the column.
@inlinable
public func *= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column.expression, (column * value).expression)
}

/// Divides the column.
@inlinable
public func /= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column / value).expression)
}

/// Divides the column.
@inlinable
public func /= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number {
  Setter(column.expression, (column / value).expression)
}

/// Divides the column.
@inlinable
public func /= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number {
  Setter(column.expression, (column / value).expression)
}

/// Sets the column to the remainder.
@inlinable
public func %= <A: ColumnType>(column: Expression<A>, value: A) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column % value).expression)
}

/// Sets the column to the remainder.
@inlinable
public func %= <A: ColumnType>(column: Expression<A>, value: Expression<A>) -> Setter
where A.ColumnValue.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column % value).expression)
}

/// Sets the column to the remainder.
@inlinable
public func %= <V: Value>(column: Expression<V?>, value: Expression<V>) -> Setter
where V.Datatype: Number & BinaryInteger {
  Setter(column.expression, (column % value).expression)
}
