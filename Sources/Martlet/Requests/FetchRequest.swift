/// A query, and what is made of its rows.
public protocol FetchRequest<RowDecoder>: SQLSubqueryable, DatabaseRegionConvertible {
  /// What the rows are decoded as: `Row`, a value or a record.
  associatedtype RowDecoder

  /// Compiles the query.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - singleResult: At most one row will be asked for; the query may be limited to it.
  func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool
  ) throws -> PreparedRequest

  /// How many rows the query gives.
  func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
  /// The request with an adapter for its rows.
  public func adapted(
    _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
  ) -> AdaptedFetchRequest<Self> {
    AdaptedFetchRequest(base: self, makeAdapter: adapter)
  }

  /// Counts the rows of the query as a subquery.
  public func fetchCount(_ db: Database) throws -> Int {
    try SQLRequest<Int>("SELECT COUNT(*) FROM \(self)").fetchOne(db) ?? 0
  }
}

/// A query that is ready to run.
public struct PreparedRequest {
  /// The statement, with its arguments.
  public var statement: Statement

  /// What its rows are seen through.
  public var adapter: (any RowAdapter)?

  /// Fetches what belongs to the rows, of associations to many.
  var prefetch: ((Database, [Row], Prefetching.Notice?) throws -> Void)?

  /// Pairs a statement with an adapter.
  public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
    self.statement = statement
    self.adapter = adapter
  }

  /// The rows with what was fetched for them; nil if nothing belongs to them.
  @usableFromInline
  func prefetchedRows(_ db: Database, isSingle: Bool = false) throws -> [Row]? {
    guard let prefetch else { return nil }
    let rows =
      isSingle
      ? try Row.fetchOne(statement, adapter: adapter).map { [$0] } ?? []
      : try Row.fetchAll(statement, adapter: adapter)
    try prefetch(db, rows, nil)
    return rows
  }

  /// Associated rows are fetched for all rows at once, which a cursor does not have.
  @usableFromInline
  func refusePrefetching() throws {
    guard prefetch != nil else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "a cursor cannot include associations to many")
  }
}

@available(*, unavailable)
extension PreparedRequest: Sendable {}

/// A request with an adapter for its rows.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
  /// What the base's rows are decoded as.
  public typealias RowDecoder = Base.RowDecoder
  let base: Base
  let makeAdapter: @Sendable (Database) throws -> any RowAdapter

  /// The query of the base.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// Counts the rows of the base.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Compiles the base, and puts the adapter upon its own.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool = false
  ) throws -> PreparedRequest {
    var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
    let adapter = try makeAdapter(db)
    let inner = request.adapter
    request.adapter = inner.map { ChainedRowAdapter(inner: $0, outer: adapter) } ?? adapter
    return request
  }
}

/// An adapter upon another.
struct ChainedRowAdapter: RowAdapter {
  let inner: any RowAdapter
  let outer: any RowAdapter

  func _adaptedShape(of base: RowShape) throws -> RowShape {
    try outer._adaptedShape(of: inner._adaptedShape(of: base))
  }
}

/// A request of any kind.
public struct AnyFetchRequest<RowDecoder>: FetchRequest {
  private let base: any FetchRequest

  /// Hides the kind of a request.
  public init(_ request: some FetchRequest<RowDecoder>) { base = request }

  private init(base: any FetchRequest) { self.base = base }

  /// The same query, decoded as another type.
  public func asRequest<T>(of type: T.Type) -> AnyFetchRequest<T> { AnyFetchRequest<T>(base: base) }

  /// The query.
  public var sqlSubquery: SQLSubquery { base.sqlSubquery }

  /// How many rows the query gives.
  public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

  /// Compiles the query.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool = false
  ) throws -> PreparedRequest {
    try base.makePreparedRequest(db, forSingleResult: singleResult)
  }
}
