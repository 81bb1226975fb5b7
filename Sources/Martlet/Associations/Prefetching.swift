/// Fetches the rows of associations to many: one statement for each association, for all rows.
///
///     SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
///
/// Keys of several columns are found in the request itself, as an expression with all their values
/// could be too large, and so are more keys than a statement may have arguments:
///
///     WITH "grdb_base" AS (SELECT "a", "b" FROM "parent")
///     SELECT *, "a" AS "grdb_a", "b" AS "grdb_b" FROM "child" WHERE ("a", "b") IN "grdb_base"
struct Prefetching {
  let associations: [_SQLAssociation]
  let origin: SQLQuery

  init(_ associations: [_SQLAssociation], of origin: SQLQuery) {
    self.associations = associations
    self.origin = origin
  }

  /// Told each request before it is fetched, with the keys that lead to its association.
  typealias Notice = (QueryInterfaceRequest<Row>, [String]) throws -> Void

  func fetch(_ db: Database, for rows: [Row], notice: Notice? = nil) throws {
    guard let first = rows.first else { return }
    for association in associations {
      let columns = try association.pivotColumns(db, from: origin)
      let indexes = try columns.map { try first.requiredIndex(ofColumn: $0.left) }
      let keys = rows.map { row in indexes.map { row.databaseValue(at: $0) } }
      // The request has arguments of its own, too.
      let isLarge = keys.count > db.maximumStatementArgumentCount / 2
      let request = request(for: association, columns, isLarge ? nil : keys)
      try notice?(request, association.keyPath)
      let fetched = try Prefetching.group(request.fetchAll(db), by: columns.map { $0.right })
      for (row, key) in zip(rows, keys) {
        row.prefetchedRows.set(fetched[key] ?? [], at: association.keyPath[...])
      }
    }
  }

  /// The request for the rows of an association.
  ///
  /// - Parameter keys: The values of the left columns, of all rows; nil: the request finds them.
  func request(
    for association: _SQLAssociation, _ columns: ForeignKeyCondition.Columns,
    _ keys: [[DatabaseValue]]?
  ) -> QueryInterfaceRequest<Row> {
    let values = columns.count > 1 ? nil : keys
    var association = association
    let alias = TableAliasBase(userName: nil)
    association.pivot.query.setAlias(alias)
    association.pivot.query.filters.append(
      values.map { .matching(columns, $0) }
        ?? SQLExpression(
          .inTable(
            .init(.rowValue(columns.map { Column($0.right).sqlExpression })), "grdb_base",
            isNegated: false)))
    var query = association.destinationQuery
    // The key says which row a fetched row belongs to.
    query.selection += columns.map {
      SQLSelection(.aliased(alias[$0.right], "grdb_" + $0.right))
    }
    if values == nil { query.commonTables = query.commonTables.adding([base(columns)]) }
    return QueryInterfaceRequest(query)
  }

  /// The keys of the request's rows as a common table.
  private func base(_ columns: ForeignKeyCondition.Columns) -> SQLQuery.CommonTable {
    var query = origin.withoutPrefetching
    if query.limit == nil { query.removeOrdering() }
    query = query.selectingOnly(
      columns.map { SQLSelection(.expression(Column($0.left).sqlExpression)) })
    return SQLQuery.CommonTable(
      name: "grdb_base", columns: nil, isRecursive: false, subquery: SQLSubquery(.query(query)))
  }

  private static func group(
    _ rows: [Row], by columns: [String]
  ) throws -> [[DatabaseValue]: [Row]] {
    guard let first = rows.first else { return [:] }
    let indexes = try columns.map { try first.requiredIndex(ofColumn: "grdb_" + $0) }
    return Dictionary(grouping: rows) { row in indexes.map { row.databaseValue(at: $0) } }
  }
}

extension _SQLAssociation {
  /// The columns by which rows of the first table are found.
  func pivotColumns(
    _ db: Database, from origin: SQLQuery
  ) throws -> ForeignKeyCondition.Columns {
    guard case .foreignKey(let key) = pivot.condition else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "Not implemented: prefetch association without any foreign key")
    }
    return try key.columns(db, from: origin.sourceName ?? "")
  }
}

extension Row {
  fileprivate func requiredIndex(ofColumn name: String) throws -> Int {
    if let index = index(ofColumn: name) { return index }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "Column \(name) is not selected")
  }
}

extension Row.PrefetchedRowsView {
  /// Keeps rows under the keys that lead to their association.
  fileprivate mutating func set(_ rows: [Row], at path: ArraySlice<String>) {
    guard let key = path.first else { return }
    if path.count == 1 {
      self.rows[key] = rows
    } else {
      scoped[key, default: .init()].set(rows, at: path.dropFirst())
    }
  }
}
