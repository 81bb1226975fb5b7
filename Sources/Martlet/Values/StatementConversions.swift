import MartletEngine

/// A type whose values can be bound to a parameter of a statement.
public protocol StatementBinding {
  /// Binds the value.
  ///
  /// - Parameters:
  ///   - sqliteStatement: The statement.
  ///   - index: The number of the parameter; the first is 1.
  /// - Returns: A result code of SQLite, 0 for success.
  func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

/// A type that can be read straight from a column of a statement's current row.
///
/// A type that conforms to it beside `DatabaseValueConvertible` is fetched faster: no
/// `DatabaseValue` is made. A column that is NULL is never given to `init(sqliteStatement:index:)`.
///
/// ```swift
/// extension EvenInteger: StatementColumnConvertible {
///   init?(sqliteStatement: SQLiteStatement, index: CInt) {
///     self.init(Int(sqlite3_column_int64(sqliteStatement, index)))
///   }
/// }
/// ```
public protocol StatementColumnConvertible {
  /// Reads a column that may be NULL. There is no need to implement it.
  static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self?

  /// Reads a column of a statement's current row that may be NULL, as `fromStatement` does. There
  /// is no need to implement it: it is how the standard types are read in place.
  static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Self?

  /// Reads a column that is not NULL; nil says that its value has no place in the type.
  ///
  /// - Parameters:
  ///   - sqliteStatement: The statement, on a row.
  ///   - index: The column; the first is 0.
  init?(sqliteStatement: SQLiteStatement, index: CInt)
}

extension StatementColumnConvertible {
  /// Reads a column; nil if it is NULL, or if its value has no place in the type.
  @inlinable
  public static func fromStatement(
    _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
  ) -> Self? {
    if sqliteStatement.columnType(Int(index)) == .null { return nil }
    return self.init(sqliteStatement: sqliteStatement, index: index)
  }

  /// Reads a column by `fromStatement`.
  @inlinable
  public static func _fromRow(_ row: ResultRow, atUncheckedIndex index: Int) -> Self? {
    fromStatement(row.statement, atUncheckedIndex: CInt(truncatingIfNeeded: index))
  }
}
