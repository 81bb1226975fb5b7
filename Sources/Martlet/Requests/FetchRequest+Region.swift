import MartletEngine

// What requests read: tables, columns, and the rows that conditions upon the rowid say.

extension FetchRequest {
  /// What the request reads.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
    try makePreparedRequest(db, forSingleResult: false).statement.region()
  }
}

extension SQLQuery {
  /// What a statement of the query reads, and the statements that fetch associated rows.
  func region(of statement: Statement) throws -> DatabaseRegion {
    let db = statement.database
    var region = try statement.effects().region
    if let tableName, let table = try db.definedTable(tableName) {
      let key = try db.primaryKey(table)
      let names = ["rowid", "oid", "_rowid_"] + (key.rowIDColumn.map { [$0] } ?? [])
      if key.tableHasRowID, let rowIDs = filter?.rowIDs(names, alias) {
        region = region.limited(toRows: rowIDs, of: table)
      }
    }
    // A query that cannot have rows has no associated ones.
    if region.isEmpty { return region }
    for association in prefetchedAssociations {
      var association = association
      let columns = try association.pivotColumns(db, from: self)
      association.pivot.query.filters.append(
        .matching(columns, [columns.map { _ in 1.databaseValue }]))
      let request = QueryInterfaceRequest<Row>(association.destinationQuery)
      try region.formUnion(request.databaseRegion(db))
    }
    return region
  }
}

extension SQLExpression {
  /// The only rowids for which the condition can be true; nil if it does not say.
  ///
  /// - Parameter names: Those of the rowid.
  fileprivate func rowIDs(_ names: [String], _ alias: TableAliasBase?) -> Set<Int64>? {
    switch node {
    case .value(let value):
      return value.isNull || Bool.fromDatabaseValue(value) == false ? [] : nil
    case .comparison(let comparison, let left, let right):
      guard comparison == .equal || comparison == .identical else { return nil }
      if left.isColumn(names, alias) { return right.rowIDs }
      return right.isColumn(names, alias) ? left.rowIDs : nil
    case .inList(let value, let list, isNegated: false):
      guard value.isColumn(names, alias) else { return nil }
      let known = list.map { $0.rowIDs }
      return known.contains(nil) ? nil : known.reduce(into: []) { $0?.formUnion($1 ?? []) }
    case .associative(.and, let operands):
      let known = operands.compactMap { $0.rowIDs(names, alias) }
      return known.dropFirst().reduce(known.first) { $0?.intersection($1) }
    case .associative(.or, let operands):
      let known = operands.map { $0.rowIDs(names, alias) }
      return known.contains(nil) ? nil : known.reduce(into: []) { $0?.formUnion($1 ?? []) }
    case .qualified(let expression, let table) where table == alias:
      return expression.rowIDs(names, alias)
    default: return nil
    }
  }

  private func isColumn(_ names: [String], _ alias: TableAliasBase?) -> Bool {
    switch node {
    case .column(let name): names.contains { $0.isSameName(as: name) }
    case .qualifiedColumn(let name, let table):
      table == alias && names.contains { $0.isSameName(as: name) }
    default: false
    }
  }

  /// The rowids that a literal value is: none for NULL; nil for what is no rowid for certain.
  private var rowIDs: Set<Int64>? {
    guard case .value(let value) = node else { return nil }
    switch value.storage {
    case .null: return []
    case .int64(let rowID): return [rowID]
    default: return nil
    }
  }
}

// MARK: - Recording

extension Database {
  /// What is read while a function runs.
  func recordingRegion<T>(_ body: () throws -> T) throws -> (value: T, region: DatabaseRegion) {
    let outer = recordedRegion
    recordedRegion = DatabaseRegion()
    defer {
      let inner = recordedRegion ?? DatabaseRegion()
      recordedRegion = outer?.union(inner)
    }
    let value = try body()
    return (value, recordedRegion ?? DatabaseRegion())
  }

  /// Tells observations of values that their functions read something of which the database does
  /// not know.
  public func registerAccess(
    to region: @autoclosure () -> some DatabaseRegionConvertible
  ) throws {
    guard let recordedRegion else { return }
    self.recordedRegion = try recordedRegion.union(region().databaseRegion(self))
  }
}
