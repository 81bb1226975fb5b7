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
    return PreparedRequest(statement: try QueryInterfaceRequest(query).prepare(db))
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
    with { query in
      query.selection = [
        SQLSelection(.deferred { try selection($0).map { $0.sqlSelection } })
      ]
    }
  }

  /// Adds to the selection.
  public func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self {
    with { query in
      query.selection.append(
        SQLSelection(.deferred { try selection($0).map { $0.sqlSelection } }))
    }
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
    with { query in
      query.filters.append(SQLExpression(.deferred { try predicate($0).sqlExpression }))
    }
  }
}

extension QueryInterfaceRequest: OrderedRequest {
  /// Replaces the order.
  public func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> Self {
    with { query in
      query.ordering = [SQLOrdering(.deferred { try orderings($0).map { $0.sqlOrdering } })]
    }
  }

  /// Turns the order; without one it changes nothing.
  public func reversed() -> Self { with { $0 = $0.reversed } }

  /// Drops the order.
  public func unordered() -> Self { with { $0.ordering = [] } }

  /// Adds the primary key to the order.
  public func withStableOrder() -> Self {
    guard let table = query.tableName else { return self }
    return with { query in
      query.ordering.append(
        SQLOrdering(
          .deferred { try $0.primaryKey(table).columns.map { Column($0).sqlOrdering } }))
    }
  }
}

extension QueryInterfaceRequest: AggregatingRequest {
  /// Replaces the grouping.
  public func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> Self {
    with { query in
      query.groups = [
        SQLExpression(
          .deferred { .init(.rowValue(try expressions($0).map { $0.sqlExpression })) })
      ]
    }
  }

  /// Adds a condition upon groups.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self {
    with { query in
      query.havings.append(SQLExpression(.deferred { try predicate($0).sqlExpression }))
    }
  }
}

extension QueryInterfaceRequest: TableRequest {
  /// The name of the table; of a request from a subquery, an empty text.
  public var databaseTableName: String { query.tableName ?? "" }

  /// Gives the table an alias.
  public func _aliased(_ alias: TableAliasBase) -> Self { with { $0.alias = alias } }
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
    with { query in
      query.commonTables.removeAll { $0.name == cte.table.name }
      query.commonTables.append(cte.table)
    }
  }
}

extension SQLQuery {
  /// The query with what was asked of the schema.
  func resolved(_ db: Database) throws -> SQLQuery {
    var query = self
    query.selection = try selection.flatMap { try $0.resolved(db) }
    query.filters = try filters.map { try $0.resolved(db) }
    query.havings = try havings.map { try $0.resolved(db) }
    query.ordering = try ordering.flatMap { try $0.resolved(db) }
    query.groups = try groups.flatMap { group -> [SQLExpression] in
      let group = try group.resolved(db)
      if case .rowValue(let list) = group.node { return list }
      return [group]
    }
    return query
  }

  /// The conditions say what the row's key is.
  func givesOneRow(_ db: Database) throws -> Bool {
    guard let tableName, groups.isEmpty, commonTables.isEmpty else { return false }
    let columns = Set(filters.flatMap { $0.pinnedColumns }.map { $0.lowercased() })
    guard !columns.isEmpty else { return false }
    let isPinned = { (key: [String]) in key.allSatisfy { columns.contains($0.lowercased()) } }
    if isPinned(try db.primaryKey(tableName).columns) { return true }
    return try db.indexes(on: tableName).contains {
      $0.isUnique && !$0.isPartial && isPinned($0.columns)
    }
  }
}

extension SQLExpression {
  fileprivate func resolved(_ db: Database) throws -> SQLExpression {
    guard case .deferred(let make) = node else { return self }
    return try make(db).resolved(db)
  }

  /// Columns that must have one certain value.
  fileprivate var pinnedColumns: [String] {
    switch node {
    case .comparison(.equal, let left, let right):
      if case .column(let name) = left.node, case .value(let value) = right.node, !value.isNull {
        return [name]
      }
      return []
    case .associative(.and, let operands): return operands.flatMap { $0.pinnedColumns }
    default: return []
    }
  }
}

extension SQLSelection {
  fileprivate func resolved(_ db: Database) throws -> [SQLSelection] {
    guard case .deferred(let make) = node else { return [self] }
    return try make(db).flatMap { try $0.resolved(db) }
  }
}

extension SQLOrdering {
  fileprivate func resolved(_ db: Database) throws -> [SQLOrdering] {
    guard case .deferred(let make) = node else { return [self] }
    return try make(db).flatMap { try $0.resolved(db) }
  }
}
