/// A cursor over the rows of a statement: one row, which shows the current one.
public final class RowCursor: DatabaseCursor {
  /// Rows that must be copied to be kept.
  public typealias Element = Row
  /// The statement that gives the rows.
  public let _statement: Statement
  /// The cursor is at its end.
  @exclusivity(unchecked) public var _isDone = false
  @usableFromInline @exclusivity(unchecked) var row: Row?
  private let adapter: (any RowAdapter)?
  private let execution: Int

  init(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?
  ) throws {
    try statement.begin(arguments)
    _statement = statement
    execution = statement.executionCount
    self.adapter = adapter
  }

  deinit { _statement.abandon(execution) }

  /// The row that shows the statement's current one.
  @inlinable
  public func _element(sqliteStatement: SQLiteStatement) throws -> Row {
    if let row { return row }
    return try firstRow()
  }

  @usableFromInline
  func firstRow() throws -> Row {
    // The columns are known for certain when the statement has begun to run.
    let row = Row(live: _statement, shape: try adapter?.shape(of: _statement))
    self.row = row
    return row
  }
}

@available(*, unavailable)
extension RowCursor: Sendable {}

// MARK: - From statements

extension Row {
  /// A cursor over the rows of a statement.
  ///
  /// They are one row that shows the current one: copy what is to be kept.
  public static func fetchCursor(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    try RowCursor(statement, arguments, adapter)
  }

  /// All the rows of a statement.
  public static func fetchAll(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    try statement.begin(arguments)
    let execution = statement.executionCount
    defer { statement.abandon(execution) }
    guard try statement.step() else { return [] }
    let shape = try adapter?.shape(of: statement) ?? statement.shape
    var rows: [Row] = []
    repeat {
      rows.append(Row(copyingRowOf: statement, shape: shape))
    } while try statement.step()
    return rows
  }

  /// The first row; nil if there is none.
  public static func fetchOne(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Row? {
    try statement.begin(arguments)
    let execution = statement.executionCount
    defer { statement.abandon(execution) }
    guard try statement.step() else { return nil }
    return Row(copyingRowOf: statement, shape: try adapter?.shape(of: statement))
  }

  /// The set of the rows of a statement.
  public static func fetchSet(
    _ statement: Statement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> Set<Row> {
    try Set(fetchAll(statement, arguments: arguments, adapter: adapter))
  }
}
// MARK: - From SQL

extension Row {
  /// A cursor over the rows of a query.
  ///
  /// They are one row that shows the current one: copy what is to be kept.
  public static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> RowCursor {
    try fetchCursor(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// All the rows of a query.
  public static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [Row] {
    try fetchAll(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The first row; nil if there is none.
  public static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Row? {
    try fetchOne(db, SQLRequest(sql: sql, arguments: arguments, adapter: adapter))
  }

  /// The set of the rows of a query.
  public static func fetchSet(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> Set<Row> {
    try Set(fetchAll(db, sql: sql, arguments: arguments, adapter: adapter))
  }
}
// MARK: - From requests

extension Row {
  /// A cursor over the rows of a request.
  ///
  /// They are one row that shows the current one: copy what is to be kept.
  public static func fetchCursor(
    _ db: Database, _ request: some FetchRequest
  ) throws -> RowCursor {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    try request.refusePrefetching()
    return try fetchCursor(request.statement, adapter: request.adapter)
  }

  /// All the rows of a request.
  public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
    let request = try request.makePreparedRequest(db, forSingleResult: false)
    let rows = try fetchAll(request.statement, adapter: request.adapter)
    try request.prefetch?(db, rows, nil)
    return rows
  }

  /// The first row; nil if there is none.
  public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
    let request = try request.makePreparedRequest(db, forSingleResult: true)
    let row = try fetchOne(request.statement, adapter: request.adapter)
    if let row { try request.prefetch?(db, [row], nil) }
    return row
  }

  /// The set of the rows of a request.
  public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
    try Set(fetchAll(db, request))
  }
}
extension FetchRequest<Row> {
  /// A cursor over the rows.
  ///
  /// They are one row that shows the current one: copy what is to be kept.
  public func fetchCursor(_ db: Database) throws -> RowCursor {
    try Row.fetchCursor(db, self)
  }

  /// All the rows.
  public func fetchAll(_ db: Database) throws -> [Row] {
    try Row.fetchAll(db, self)
  }

  /// The first row; nil if there is none.
  public func fetchOne(_ db: Database) throws -> Row? {
    try Row.fetchOne(db, self)
  }

  /// The set of the rows.
  public func fetchSet(_ db: Database) throws -> Set<Row> {
    try Row.fetchSet(db, self)
  }
}
