/// A cursor over the values of the first column of a statement's rows, which reads them straight
/// from the statement.
public final class FastDatabaseValueCursor<Value>: DatabaseCursor
where Value: DatabaseValueConvertible & StatementColumnConvertible {
  /// The values.
  public typealias Element = Value
  /// The statement that gives the values.
  public let _statement: Statement
  /// The cursor is at its end.
  public var _isDone = false
  @usableFromInline let column: CInt
  private let execution: Int

  @usableFromInline
  init(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?
  ) throws {
    try statement.begin(arguments)
    _statement = statement
    execution = statement.executionCount
    column = try statement.valueColumn(adapter)
  }

  deinit { _statement.abandon(execution) }

  /// Decodes the value of the current row.
  @inlinable
  public func _element(sqliteStatement: SQLiteStatement) throws -> Value {
    if let value = Value.fromStatement(sqliteStatement, atUncheckedIndex: column) { return value }
    throw mismatch()
  }

  /// The value of the first row; nil if there is none, and for a NULL that is no value of the type.
  @inlinable
  func single() throws -> Value? {
    guard try _statement.step() else { return nil }
    let statement = _statement.sqliteStatement
    if let value = Value.fromStatement(statement, atUncheckedIndex: column) { return value }
    if isNull(statement) { return nil }
    throw mismatch()
  }

  @usableFromInline
  func isNull(_ statement: SQLiteStatement) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  @usableFromInline
  func mismatch() -> any Error {
    RowDecodingError.valueMismatch(Value.self, statement: _statement, index: Int(column))
  }
}

@available(*, unavailable)
extension FastDatabaseValueCursor: Sendable {}

// MARK: - From statements

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  /// A cursor over the values of the first column of a statement.
  @inlinable
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> FastDatabaseValueCursor<Self> {
    try FastDatabaseValueCursor(statement, arguments, adapter)
  }

  /// All the values of the first column of a statement.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL and
  /// the type has no value for that.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try FastDatabaseValueCursor<Self>(statement, arguments, adapter).single()
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
  /// The set of the values of the first column of a statement.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchAll(statement, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From SQL

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  /// A cursor over the values of the first column of a query.
  @inlinable
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> FastDatabaseValueCursor<Self> {
    try fetchCursor(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All the values of the first column of a query.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL.
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
  /// The set of the values of the first column of a query.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchAll(db, sql: sql, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From requests

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  /// A cursor over the values of the first column of a request.
  @inlinable
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> FastDatabaseValueCursor<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    try request.refusePrefetching()
    return try fetchCursor(request.statement, adapter: request.adapter)
  }

  /// All the values of the first column of a request.
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchAll(request.statement, adapter: request.adapter)
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL.
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    return try fetchOne(request.statement, adapter: request.adapter)
  }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
  /// The set of the values of the first column of a request.
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    try Set(fetchAll(db, request))
  }
}

extension FetchRequest
where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
  /// A cursor over the values of the first column.
  @inlinable
  public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All the values of the first column.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest
where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
  /// The set of the values of the first column.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}
