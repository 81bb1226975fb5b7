import MartletEngine

// Values of a row. The generic functions are inlined into the program that calls them: for an `Int`
// by index they are a comparison and a call of the engine.

extension Row {
  /// The value of a column; throws what the subscripts stop the program for.
  ///
  /// - Throws: `RowDecodingError` if the value cannot be one of the type.
  @inlinable
  public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    if let direct, UInt(bitPattern: index) < UInt(bitPattern: count),
      let value = Value._fromRow(direct, atUncheckedIndex: index)
    {
      return value
    }
    return try decodeLiveSlowly(type, index)
  }

  @usableFromInline
  func decodeLiveSlowly<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type, _ index: Int
  ) throws -> Value {
    checkIndex(index)
    guard let live else { return try decodeCopied(type, index) }
    let column = CInt(truncatingIfNeeded: statementColumn(index))
    if let value = Value.fromStatement(live, atUncheckedIndex: column) { return value }
    throw mismatch(type, index)
  }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` if the value cannot be one of the type.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    checkIndex(index)
    return try decodeCopied(type, index)
  }

  private func decodeCopied<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ index: Int
  ) throws -> Value {
    if let value = Value.fromDatabaseValue(databaseValue(at: index)) { return value }
    throw mismatch(type, index)
  }

  func mismatch(_ type: Any.Type, _ index: Int) -> RowDecodingError {
    .valueMismatch(
      type, value: databaseValue(at: index), column: shape.names[index], index: index, row: self)
  }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` if the value cannot be one of the type, or if there is no such
  ///   column and the type is not optional.
  @inlinable
  public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type = Value.self, forColumn columnName: String
  ) throws -> Value {
    let index = indexForDecoding(columnName)
    if index >= 0 { return try decode(type, atIndex: index) }
    return try missing(type, columnName)
  }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` if the value cannot be one of the type, or if there is no such
  ///   column and the type is not optional.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn columnName: String
  ) throws -> Value {
    guard let index = index(ofColumn: columnName) else { return try missing(type, columnName) }
    return try decodeCopied(type, index)
  }

  /// -1 where there is no such column.
  @usableFromInline
  func indexForDecoding(_ name: String) -> Int { index(ofColumn: name) ?? -1 }

  @usableFromInline
  func missing<Value: DatabaseValueConvertible>(
    _ type: Value.Type, _ name: String
  ) throws -> Value {
    if let value = Value.fromMissingColumn() { return value }
    throw RowDecodingError.keyNotFound(.columnName(name), in: self)
  }

  /// The value of a column.
  @inlinable
  public func decode<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
  ) throws -> Value {
    try decode(type, forColumn: column.name)
  }

  /// The value of a column.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
  ) throws -> Value {
    try decode(type, forColumn: column.name)
  }
}

/// Ends the program: that is what the subscripts of rows do, as GRDB documents them, with a value
/// that cannot be of the type that is asked for. The `decode` methods throw instead.
@usableFromInline
func stop(_ error: any Error) -> Never { fatalError("\(error)") }

extension Row {
  /// The value of a column as it is stored; nil for NULL.
  public subscript(_ index: Int) -> (any DatabaseValueConvertible)? {
    checkIndex(index)
    return databaseValue(at: index).storage.value
  }

  /// The value of a column. One that cannot be of the type stops the program; `decode` throws.
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    do { return try decode(atIndex: index) } catch { stop(error) }
  }

  /// The value of a column. One that cannot be of the type stops the program; `decode` throws.
  @inlinable
  public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ index: Int
  ) -> Value {
    do { return try decode(atIndex: index) } catch { stop(error) }
  }

  /// The value of a column as it is stored; nil for NULL, and where there is no such column.
  public subscript(_ columnName: String) -> (any DatabaseValueConvertible)? {
    index(ofColumn: columnName).flatMap { databaseValue(at: $0).storage.value }
  }

  /// The value of a column. One that cannot be of the type, or that is missing while the type is
  /// not optional, stops the program; `decode` throws.
  public subscript<Value: DatabaseValueConvertible>(_ columnName: String) -> Value {
    do { return try decode(forColumn: columnName) } catch { stop(error) }
  }

  /// The value of a column. One that cannot be of the type, or that is missing while the type is
  /// not optional, stops the program; `decode` throws.
  @inlinable
  public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ columnName: String
  ) -> Value {
    do { return try decode(forColumn: columnName) } catch { stop(error) }
  }

  /// The value of a column as it is stored; nil for NULL, and where there is no such column.
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    self[column.name]
  }

  /// The value of a column. One that cannot be of the type, or that is missing while the type is
  /// not optional, stops the program; `decode` throws.
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
    self[column.name]
  }

  /// The value of a column. One that cannot be of the type, or that is missing while the type is
  /// not optional, stops the program; `decode` throws.
  @inlinable
  public subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: some ColumnExpression
  ) -> Value {
    self[column.name]
  }

  /// The value of the first of several columns that is there and not NULL.
  public func coalesce<T: DatabaseValueConvertible>(_ columns: some Collection<String>) -> T? {
    for column in columns {
      if let value = self[column] as T? { return value }
    }
    return nil
  }

  /// The value of the first of several columns that is there and not NULL.
  public func coalesce<T: DatabaseValueConvertible>(
    _ columns: some Collection<any ColumnExpression>
  ) -> T? {
    coalesce(columns.map { $0.name })
  }
}
