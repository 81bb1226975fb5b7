import MartletEngine

// What requests can do, as protocols, so that applications can extend several kinds of requests at
// once. The methods whose names end with `WhenConnected` are the requirements: they are given what
// must be asked of the schema first.

/// A request that knows what its rows are decoded as.
public protocol TypedRequest<RowDecoder> {
  /// What the rows are decoded as.
  associatedtype RowDecoder
}

/// A request that chooses its columns.
public protocol SelectionRequest {
  /// Replaces the selection.
  func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self

  /// Adds to the selection.
  func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Self
}

extension SelectionRequest {
  /// Replaces the selection.
  public func select(_ selection: [any SQLSelectable]) -> Self {
    let selection = selection.map { $0.sqlSelection }
    return selectWhenConnected { _ in selection }
  }

  /// Replaces the selection.
  public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

  /// Replaces the selection by SQL.
  public func select(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    select(SQL(sql: sql, arguments: arguments))
  }

  /// Replaces the selection by a literal.
  public func select(literal sqlLiteral: SQL) -> Self { select(sqlLiteral) }

  /// Adds to the selection.
  public func annotated(with selection: [any SQLSelectable]) -> Self {
    let selection = selection.map { $0.sqlSelection }
    return annotatedWhenConnected { _ in selection }
  }

  /// Adds to the selection.
  public func annotated(with selection: any SQLSelectable...) -> Self {
    annotated(with: selection)
  }
}

extension SelectionRequest where Self: TypedRequest, Self.RowDecoder: TableRecord {
  /// Replaces the selection.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Self {
    try select([selection(RowDecoder.databaseComponents)])
  }

  /// Replaces the selection.
  public func select(
    _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Self {
    try select(selection(RowDecoder.databaseComponents))
  }

  /// Adds to the selection.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
  ) rethrows -> Self {
    try annotated(with: [selection(RowDecoder.databaseComponents)])
  }

  /// Adds to the selection.
  public func annotated(
    with selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) rethrows -> Self {
    try annotated(with: selection(RowDecoder.databaseComponents))
  }
}

/// A request that chooses its rows.
public protocol FilteredRequest {
  /// Adds a condition: rows must fulfil all.
  func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self
}

extension FilteredRequest {
  /// Adds a condition: rows must fulfil all.
  public func filter(_ predicate: some SQLSpecificExpressible) -> Self {
    let predicate = predicate.sqlExpression
    return filterWhenConnected { _ in predicate }
  }

  /// Adds a condition as SQL.
  public func filter(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    filter(SQL(sql: sql, arguments: arguments))
  }

  /// Adds a condition as a literal.
  public func filter(literal sqlLiteral: SQL) -> Self { filter(sqlLiteral) }

  /// No row.
  public func none() -> Self { filter(false.databaseValue) }

  /// The request.
  public func all() -> Self { self }
}

extension FilteredRequest where Self: TypedRequest, Self.RowDecoder: TableRecord {
  /// Adds a condition: rows must fulfil all.
  public func filter(
    _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> Self {
    let predicate = try predicate(RowDecoder.databaseComponents).sqlExpression
    return filter(predicate)
  }
}

/// A request that groups its rows.
public protocol AggregatingRequest {
  /// Replaces the grouping.
  func groupWhenConnected(
    _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
  ) -> Self

  /// Adds a condition upon groups: they must fulfil all.
  func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Self
}

extension AggregatingRequest {
  /// Replaces the grouping.
  public func group(_ expressions: [any SQLExpressible]) -> Self {
    let expressions = expressions.map { $0.sqlExpression }
    return groupWhenConnected { _ in expressions }
  }

  /// Replaces the grouping.
  public func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

  /// Replaces the grouping by SQL.
  public func group(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    group(SQL(sql: sql, arguments: arguments))
  }

  /// Replaces the grouping by a literal.
  public func group(literal sqlLiteral: SQL) -> Self { group(sqlLiteral) }

  /// Adds a condition upon groups: they must fulfil all.
  public func having(_ predicate: some SQLExpressible) -> Self {
    let predicate = predicate.sqlExpression
    return havingWhenConnected { _ in predicate }
  }

  /// Adds a condition upon groups as SQL.
  public func having(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    having(SQL(sql: sql, arguments: arguments))
  }

  /// Adds a condition upon groups as a literal.
  public func having(literal sqlLiteral: SQL) -> Self { having(sqlLiteral) }
}

extension AggregatingRequest where Self: TypedRequest, Self.RowDecoder: TableRecord {
  /// Replaces the grouping.
  public func group(
    _ expression: (RowDecoder.DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> Self {
    try group([expression(RowDecoder.databaseComponents)])
  }

  /// Replaces the grouping.
  public func group(
    _ expressions: (RowDecoder.DatabaseComponents) throws -> [any SQLExpressible]
  ) rethrows -> Self {
    try group(expressions(RowDecoder.databaseComponents))
  }

  /// Adds a condition upon groups: they must fulfil all.
  public func having(
    _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLExpressible
  ) rethrows -> Self {
    having(try predicate(RowDecoder.databaseComponents).sqlExpression)
  }
}

/// A request that orders its rows.
public protocol OrderedRequest {
  /// Replaces the order.
  func orderWhenConnected(
    _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
  ) -> Self

  /// Turns the order; without one it changes nothing.
  func reversed() -> Self

  /// Drops the order.
  func unordered() -> Self

  /// Completes the order so that it is the same each time.
  func withStableOrder() -> Self
}

extension OrderedRequest {
  /// Replaces the order.
  public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

  /// Replaces the order.
  public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
    let orderings = orderings.map { $0.sqlOrdering }
    return orderWhenConnected { _ in orderings }
  }

  /// Replaces the order by SQL.
  public func order(
    sql: String, arguments: StatementArguments = StatementArguments()
  ) -> Self {
    order(SQL(sql: sql, arguments: arguments))
  }

  /// Replaces the order by a literal.
  public func order(literal sqlLiteral: SQL) -> Self { order(sqlLiteral) }
}

extension OrderedRequest where Self: TypedRequest, Self.RowDecoder: TableRecord {
  /// Replaces the order.
  public func order(
    _ ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
  ) rethrows -> Self {
    try order([ordering(RowDecoder.databaseComponents)])
  }

  /// Replaces the order.
  public func order(
    _ orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
  ) rethrows -> Self {
    try order(orderings(RowDecoder.databaseComponents))
  }
}

/// A request from a table.
public protocol TableRequest {
  /// The name of the table.
  var databaseTableName: String { get }

  /// Gives the table an alias.
  func _aliased(_ alias: TableAliasBase) -> Self
}

extension TableRequest where Self: TypedRequest {
  /// Gives the table an alias, so that other expressions can speak of it.
  public func aliased(_ alias: TableAlias<Void>) -> Self { _aliased(alias) }

  /// Gives the table an alias, so that other expressions can speak of it.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> Self { _aliased(alias) }
}

extension TableRequest where Self: FilteredRequest, Self: TypedRequest {
  /// The row of a primary key, which must have one column.
  public func filter(key: some DatabaseValueConvertible) -> Self { filter(keys: [key]) }

  /// The rows of primary keys, which must have one column. NULL is no key.
  public func filter<Keys>(
    keys: Keys
  ) -> Self where Keys: Collection, Keys.Element: DatabaseValueConvertible {
    let table = databaseTableName
    let keys = keys.map { RecordKey($0) }.filter { !$0.isNull }
    return filterWhenConnected { db in
      guard !keys.isEmpty else { return false.databaseValue }
      let columns = try db.primaryKey(table).columns
      guard columns.count == 1 else {
        throw DatabaseError(
          resultCode: .SQLITE_MISUSE,
          message: "the primary key of \(table) has \(columns.count) columns")
      }
      let values = try keys.map {
        try $0.databaseValue(as: RowDecoder.self, column: columns[0]).sqlExpression
      }
      return SQLExpression.contained(Column(columns[0]).sqlExpression, in: values)
    }
  }

  /// The row of a unique key: columns of the primary key or of a unique index with their values.
  public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
    key.map { filter(keys: [$0]) } ?? none()
  }

  /// The rows of unique keys: columns of the primary key or of unique indexes with their values.
  ///
  /// Fetching throws `SQLITE_MISUSE` where columns are no unique key.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
    let table = databaseTableName
    let keys = keys.map { $0.mapValues { $0?.databaseValue ?? .null } }
    return filterWhenConnected { db in
      let conditions = try keys.map { key in
        guard let columns = try db.columnsForUniqueKey(key.keys, in: table) else {
          let names = key.keys.sorted().joined(separator: ", ")
          throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "table \(table) has no unique key on column(s) \(names)")
        }
        let folded = Dictionary(key.map { ($0.key.nameKey, $0.value) }) { left, _ in left }
        return SQLExpression.joined(
          .and,
          columns.map {
            .compare(
              .equal, Column($0).sqlExpression,
              (folded[$0.nameKey] ?? .null).sqlExpression)
          })
      }
      return SQLExpression.joined(.or, conditions)
    }
  }
}

extension TableRequest
where
  Self: FilteredRequest, Self: TypedRequest, RowDecoder: Identifiable,
  RowDecoder.ID: DatabaseValueConvertible
{
  /// The row of an id.
  public func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

  /// The rows of ids.
  public func filter(ids: some Collection<RowDecoder.ID>) -> Self { filter(keys: ids) }
}

extension TableRequest where Self: OrderedRequest {
  /// Orders by the primary key.
  public func orderByPrimaryKey() -> Self {
    let table = databaseTableName
    return orderWhenConnected { try $0.primaryKey(table).columns.map { Column($0) } }
  }
}

extension TableRequest where Self: AggregatingRequest {
  /// Groups by the primary key.
  public func groupByPrimaryKey() -> Self {
    let table = databaseTableName
    return groupWhenConnected { db in
      if let column = try db.fastPrimaryKey(of: table) { return [Column(column)] }
      return try db.primaryKey(table).columns.map { Column($0) }
    }
  }
}
