/// A cursor over the values of the first column of a statement's rows.
public final class DatabaseValueCursor<Value: DatabaseValueConvertible>: DatabaseCursor {
  /// The values.
  public typealias Element = Value
  /// The statement that gives the values.
  public let _statement: Statement
  /// The cursor is at its end.
  public var _isDone = false
  private let column: CInt
  private let execution: Int

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
  public func _element(sqliteStatement: SQLiteStatement) throws -> Value {
    let value = DatabaseValue(sqliteStatement: sqliteStatement, index: column)
    if let result = Value.fromDatabaseValue(value) { return result }
    throw RowDecodingError.valueMismatch(Value.self, statement: _statement, index: Int(column))
  }

  /// The value of the first row; nil if there is none, and for a NULL that is no value of the type.
  func single() throws -> Value? {
    guard try _statement.step() else { return nil }
    let value = DatabaseValue(sqliteStatement: _statement.sqliteStatement, index: column)
    if let result = Value.fromDatabaseValue(value) { return result }
    if value.isNull { return nil }
    throw RowDecodingError.valueMismatch(Value.self, statement: _statement, index: Int(column))
  }
}

@available(*, unavailable)
extension DatabaseValueCursor: Sendable {}

extension Statement {
  /// The column that values are fetched from: the first that an adapter shows. A statement without
  /// columns gives no rows, of which it would be read.
  func valueColumn(_ adapter: (any RowAdapter)?) throws -> CInt {
    if columnCount == 0 { return 0 }
    let shape = try adapter?.shape(of: self) ?? shape
    guard !shape.names.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "the statement has no column to fetch", sql: sql)
    }
    return CInt(shape.indexes?[0] ?? 0)
  }
}

// MARK: - From statements

extension DatabaseValueConvertible {
  /// A cursor over the values of the first column of a statement.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    try DatabaseValueCursor(statement, arguments, adapter)
  }

  /// All the values of the first column of a statement.
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL and
  /// the type has no value for that.
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try DatabaseValueCursor<Self>(statement, arguments, adapter).single()
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// The set of the values of the first column of a statement.
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchAll(statement, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From SQL

extension DatabaseValueConvertible {
  /// A cursor over the values of the first column of a query.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> DatabaseValueCursor<Self> {
    try fetchCursor(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All the values of the first column of a query.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// The set of the values of the first column of a query.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchAll(db, sql: sql, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From requests

extension DatabaseValueConvertible {
  /// A cursor over the values of the first column of a request.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> DatabaseValueCursor<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    try request.refusePrefetching()
    return try fetchCursor(request.statement, adapter: request.adapter)
  }

  /// All the values of the first column of a request.
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    return try fetchAll(request.statement, adapter: request.adapter)
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL.
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    return try fetchOne(request.statement, adapter: request.adapter)
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// The set of the values of the first column of a request.
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    try Set(fetchAll(db, request))
  }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
  /// A cursor over the values of the first column.
  public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All the values of the first column.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// The value of the first column of the first row; nil if there is no row, or if it is NULL.
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
  /// The set of the values of the first column.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}
