/// A cursor over the records of a statement's rows.
public final class RecordCursor<Record: FetchableRecord>: DatabaseCursor {
  /// The records.
  public typealias Element = Record
  /// The statement that gives the rows.
  public let _statement: Statement
  /// The cursor is at its end.
  @exclusivity(unchecked) public var _isDone = false
  @usableFromInline @exclusivity(unchecked) var row: Row?
  private let adapter: (any RowAdapter)?
  private let execution: Int

  @usableFromInline
  init(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?
  ) throws {
    try statement.begin(arguments)
    _statement = statement
    self.adapter = adapter
    execution = statement.executionCount
  }

  deinit { _statement.abandon(execution) }

  /// Decodes the current row.
  @inlinable
  public func _element(sqliteStatement: SQLiteStatement) throws -> Record {
    if let row { return try Record(row: row) }
    return try Record(row: firstRow())
  }

  /// The columns are known for certain when the statement has begun to run.
  @usableFromInline
  func firstRow() throws -> Row {
    let row = Row(live: _statement, shape: try adapter?.shape(of: _statement))
    self.row = row
    return row
  }
}

@available(*, unavailable)
extension RecordCursor: Sendable {}

// MARK: - From statements

extension FetchableRecord {
  /// A cursor over the records of a statement.
  @inlinable
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    try RecordCursor(statement, arguments, adapter)
  }

  /// All the records of a statement.
  @inlinable
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  /// The record of the first row; nil if there is none.
  @inlinable
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try RecordCursor(statement, arguments, adapter).next()
  }
}

extension FetchableRecord where Self: Hashable {
  /// The set of the records of a statement.
  @inlinable
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchAll(statement, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From SQL

extension FetchableRecord {
  /// A cursor over the records of a query.
  @inlinable
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RecordCursor<Self> {
    try fetchCursor(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All the records of a query.
  @inlinable
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Self] {
    try fetchAll(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The record of the first row; nil if there is none.
  @inlinable
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Self? {
    try fetchOne(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }
}

extension FetchableRecord where Self: Hashable {
  /// The set of the records of a query.
  @inlinable
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Self> {
    try Set(fetchAll(db, sql: sql, arguments: arguments, adapter: adapter))
  }
}

// MARK: - From requests

extension FetchableRecord {
  /// A cursor over the records of a request.
  @inlinable
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RecordCursor<Self> {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    try request.refusePrefetching()
    return try fetchCursor(request.statement, adapter: request.adapter)
  }

  /// All the records of a request.
  @inlinable
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    guard let rows = try request.prefetchedRows(db) else {
      return try fetchAll(request.statement, adapter: request.adapter)
    }
    return try rows.map { try Self(row: $0) }
  }

  /// The record of the first row; nil if there is none.
  @inlinable
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    guard let rows = try request.prefetchedRows(db, isSingle: true) else {
      return try fetchOne(request.statement, adapter: request.adapter)
    }
    return try rows.first.map { try Self(row: $0) }
  }
}

extension FetchableRecord where Self: Hashable {
  /// The set of the records of a request.
  @inlinable
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
    try Set(fetchAll(db, request))
  }
}

extension FetchRequest where RowDecoder: FetchableRecord {
  /// A cursor over the records.
  @inlinable
  public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try RowDecoder.fetchCursor(db, self)
  }

  /// All the records.
  @inlinable
  public func fetchAll(_ db: Database) throws -> [RowDecoder] {
    try RowDecoder.fetchAll(db, self)
  }

  /// The record of the first row; nil if there is none.
  @inlinable
  public func fetchOne(_ db: Database) throws -> RowDecoder? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
  /// The set of the records.
  @inlinable
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
    try RowDecoder.fetchSet(db, self)
  }
}
