/// A column and its new value in an update.
///
/// ```swift
/// try Player.updateAll(db) { [$0.score += 10, $0.isActive.set(to: true)] }
/// ```
public struct ColumnAssignment: Sendable {
  let columnName: String
  /// Nil keeps what is there, in upserts.
  let value: SQLExpression?

  func sql(_ writer: SQLWriter) throws -> String? {
    guard let value else { return nil }
    return try columnName.quotedIdentifier + " = " + writer.sql(value)
  }
}

extension ColumnExpression {
  /// Gives the column a value; nil is NULL.
  public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
    ColumnAssignment(columnName: name, value: value?.sqlExpression ?? .null)
  }

  /// Keeps what is in the column, where an upsert finds the row.
  public var noOverwrite: ColumnAssignment { ColumnAssignment(columnName: name, value: nil) }

  /// Adds to the column.
  public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.joined(.add, [column.sqlExpression, value.sqlExpression]))
  }

  /// Subtracts from the column.
  public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.binary(.subtract, column.sqlExpression, value.sqlExpression))
  }

  /// Multiplies the column.
  public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.joined(.multiply, [column.sqlExpression, value.sqlExpression]))
  }

  /// Divides the column.
  public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.binary(.divide, column.sqlExpression, value.sqlExpression))
  }

  /// Keeps those bits of the column that the value has.
  public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.joined(.bitwiseAnd, [column.sqlExpression, value.sqlExpression]))
  }

  /// Adds the bits of the value to the column.
  public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.joined(.bitwiseOr, [column.sqlExpression, value.sqlExpression]))
  }

  /// Moves the bits of the column to the left.
  public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.binary(.shiftLeft, column.sqlExpression, value.sqlExpression))
  }

  /// Moves the bits of the column to the right.
  public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: SQLExpression.binary(.shiftRight, column.sqlExpression, value.sqlExpression))
  }
}
