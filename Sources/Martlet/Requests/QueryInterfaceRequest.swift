/// A request that is built of Swift, from a table.
///
/// ```swift
/// let request = Player
///   .filter { $0.score > 1_000 }
///   .order { $0.name }
///   .limit(10)
/// let players = try request.fetchAll(db)
/// ```
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
  var query: SQLQuery

  init(_ query: SQLQuery) { self.query = query }

  private func with(_ change: (inout SQLQuery) -> Void) -> Self {
    var request = self
    change(&request.query)
    return request
  }
}

extension QueryInterfaceRequest: FetchRequest {
  /// The query.
  public var sqlSubquery: SQLSubquery { SQLSubquery(.query(query)) }

  /// How many rows the request gives.
  public func fetchCount(_ db: Database) throws -> Int {
    let counting = try query.resolved(db).counting
    return try QueryInterfaceRequest<Int>(counting).prepare(db).fetchValue() ?? 0
  }

  /// Compiles the request. For a single result, the query is limited to one row, unless its
  /// conditions say so already.
  public func makePreparedRequest(
    _ db: Database, forSingleResult singleResult: Bool = false
  ) throws -> PreparedRequest {
    var query = try query.resolved(db)
    if singleResult, query.limit == nil, try !query.givesOneRow(db) { query.limit = 1 }
    var request = PreparedRequest(
      statement: try QueryInterfaceRequest(query).prepare(db), adapter: try query.rowAdapter(db))
    request.statement.requestRegion = { [query] in try query.region(of: $0) }
    let associations = query.prefetchedAssociations
    if !associations.isEmpty {
      let origin = self.query
      request.prefetch = {
        try Prefetching(associations, of: origin).fetch($0, for: $1, notice: $2)
      }
    }
    return request
  }

  private func prepare(_ db: Database) throws -> Statement {
    let writer = SQLWriter(db)
    let sql = try writer.sql(query)
    return try db.internalStatement(sql: sql, arguments: writer.arguments)
  }

  /// Whether there is no row.
  public func isEmpty(_ db: Database) throws -> Bool {
    try !(SQLRequest<Bool>("SELECT \(exists())").fetchOne(db) ?? false)
  }
}

extension Database {
  /// A statement of the layer with its arguments.
  func internalStatement(sql: String, arguments: StatementArguments) throws -> Statement {
    let statement = try internalStatement(sql: sql)
    if arguments.namedValues.isEmpty {
      try statement.bindUnchecked(arguments.values)
    } else {
      try statement.setArguments(arguments)
    }
    return statement
  }
}

extension Statement {
  fileprivate func fetchValue() throws -> Int? { try Int.fetchOne(self) }
}

extension QueryInterfaceRequest: SelectionRequest {
  /// Replaces the selection.
  public func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self {
    with { $0.select(selection) }
  }

  /// Adds to the selection.
  public func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self {
    with { $0.annotate(selection) }
  }

  /// Replaces the selection, and what the rows are decoded as.
  public func select<T>(
    _ selection: [any SQLSelectable], as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select(selection).asRequest(of: type)
  }

  /// Replaces the selection, and what the rows are decoded as.
  public func select<T>(
    _ selection: any SQLSelectable..., as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select(selection).asRequest(of: type)
  }

  /// Replaces the selection, and what the rows are decoded as.
  public func select<T>(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable,
    as type: T.Type = T.self
  ) rethrows -> QueryInterfaceRequest<T> where RowDecoder: TableRecord {
    try select([selection(RowDecoder.databaseComponents)], as: type)
  }

  /// Replaces the selection, and what the rows are decoded as.
  public func select<T>(
    sql: String, arguments: StatementArguments = StatementArguments(), as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select([SQL(sql: sql, arguments: arguments)], as: type)
  }

  /// Replaces the selection, and what the rows are decoded as.
  public func select<T>(
    literal sqlLiteral: SQL, as type: T.Type = T.self
  ) -> QueryInterfaceRequest<T> {
    select([sqlLiteral], as: type)
  }

  /// The primary keys.
  public func selectPrimaryKey<PrimaryKey>(
    as type: PrimaryKey.Type = PrimaryKey.self
  ) -> QueryInterfaceRequest<PrimaryKey> {
    let table = databaseTableName
    return selectWhenConnected { try $0.primaryKey(table).columns.map { Column($0) } }
      .asRequest(of: type)
  }

  /// The ids.
  public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> where RowDecoder: Identifiable {
    selectPrimaryKey(as: RowDecoder.ID.self)
  }

  /// The same query, decoded as another type.
  public func asRequest<T>(of type: T.Type) -> QueryInterfaceRequest<T> {
    QueryInterfaceRequest<T>(query)
  }
}

extension QueryInterfaceRequest: FilteredRequest {
  /// Adds a condition.
  public func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self {
    with { $0.filter(predicate) }
  }
}

extension QueryInterfaceRequest: OrderedRequest {
  /// Replaces the order.
  public func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> Self {
    with { $0.order(orderings) }
  }

  /// Turns the order, and that of what is joined; without one it changes nothing.
  public func reversed() -> Self { with { $0.isReversed.toggle() } }

  /// Drops the order, and that of what is joined.
  public func unordered() -> Self { with { $0.removeOrdering() } }

  /// Adds the primary key to the order.
  public func withStableOrder() -> Self { with { $0.addStableOrder() } }
}

extension QueryInterfaceRequest: AggregatingRequest {
  /// Replaces the grouping.
  public func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> Self {
    with { $0.group(expressions) }
  }

  /// Adds a condition upon groups.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self {
    with { $0.having(predicate) }
  }
}

extension QueryInterfaceRequest: TableRequest {
  /// The name of the table; of a request from a subquery, an empty text.
  public var databaseTableName: String { query.tableName ?? "" }

  /// Gives the table an alias.
  public func _aliased(_ alias: TableAliasBase) -> Self { with { $0.setAlias(alias) } }
}

extension QueryInterfaceRequest: JoinableRequest {
  /// Joins an association whose rows are fetched by a statement of their own.
  public func _including(all association: _SQLAssociation) -> Self {
    with { $0.addChild(association, .prefetched) }
  }

  /// Joins an association that may have no row.
  public func _including(optional association: _SQLAssociation) -> Self {
    with { $0.addChild(association, .optional) }
  }

  /// Joins an association that must have a row.
  public func _including(required association: _SQLAssociation) -> Self {
    with { $0.addChild(association, .required) }
  }

  /// Joins an association that may have no row, without its columns.
  public func _joining(optional association: _SQLAssociation) -> Self {
    with { $0.addChild(association.withoutSelection, .optional) }
  }

  /// Joins an association that must have a row, without its columns.
  public func _joining(required association: _SQLAssociation) -> Self {
    with { $0.addChild(association.withoutSelection, .required) }
  }
}

extension QueryInterfaceRequest: DerivableRequest {
  /// Drops duplicate rows.
  public func distinct() -> Self { with { $0.isDistinct = true } }

  /// Gives at most so many rows, after so many that are left out.
  public func limit(_ limit: Int, offset: Int? = nil) -> Self {
    with {
      $0.limit = limit
      $0.offset = offset
    }
  }

  /// Makes a common table expression known to the request.
  public func with<T>(_ cte: CommonTableExpression<T>) -> Self {
    with { $0.commonTables = $0.commonTables.adding([cte.table]) }
  }
}
