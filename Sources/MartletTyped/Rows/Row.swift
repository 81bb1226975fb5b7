import MartletEngine

/// A row of a query: a copy, which stays what it is.
///
/// ```swift
/// for user in try db.prepare(users) {
///   print(try user.get(id), user[name] ?? "nobody")
/// }
/// ```
public struct Row: Sendable {
  @usableFromInline let columns: RowColumns
  @usableFromInline let values: [MartletEngine.Value]

  @usableFromInline
  init(_ columns: RowColumns, _ row: ResultRow) {
    self.columns = columns
    let count = row.columnCount
    values = [MartletEngine.Value](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let start = buffer.baseAddress else { return }
      for index in 0..<count { (start + index).initialize(to: row.copy(index)) }
      initialized = count
    }
  }

  /// The value of an expression that the query has selected.
  ///
  /// - Throws: `QueryError` where there is no such column, where several have the name, and where
  ///   the column is NULL, or of another type, and the expression is not optional; what
  ///   `Value.fromDatatypeValue` throws.
  @inlinable
  public func get<V: Value>(_ column: Expression<V>) throws -> V {
    guard let stored: V.Datatype = try stored(column.template),
      let value = try V.fromDatatypeValue(stored) as? V
    else { throw QueryError.unexpectedNullValue(name: column.template) }
    return value
  }

  /// The value of an expression that the query has selected; nil for NULL, and where it has another
  /// type.
  ///
  /// - Throws: `QueryError` where there is no such column, and where several have the name; what
  ///   `Value.fromDatatypeValue` throws.
  @inlinable
  public func get<V: Value>(_ column: Expression<V?>) throws -> V? {
    guard let stored: V.Datatype = try stored(column.template) else { return nil }
    return try V.fromDatatypeValue(stored) as? V
  }

  @inlinable @inline(__always)
  func stored<Datatype: Binding>(_ template: String) throws -> Datatype? {
    let place = try columns.place(of: template)
    return place < values.count ? Datatype.fromStored(values[place]) : nil
  }

  /// The value of an expression that the query has selected, for readers who know that it is there.
  ///
  /// A column that does not exist or is NULL ends the program, as it does in SQLite.swift: `get`
  /// throws instead.
  @inlinable
  public subscript<V: Value>(column: Expression<V>) -> V {
    do {
      return try get(column)
    } catch {
      Row.fail(error)
    }
  }

  /// The value of an expression that the query has selected; nil for NULL.
  @inlinable
  public subscript<V: Value>(column: Expression<V?>) -> V? {
    do {
      return try get(column)
    } catch {
      Row.fail(error)
    }
  }

  /// A subscript has no other way to say that there is nothing to be given.
  @usableFromInline
  static func fail(_ error: any Error) -> Never { preconditionFailure("\(error)") }
}
