// Deleting and updating all rows of a request, and fetching them at the same time.

extension QueryInterfaceRequest {
  /// Deletes the rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int {
    let statement = try deletion(db, nil)
    let before = db.totalChangesCount
    try statement.execute()
    return try db.changesCount(in: databaseTableName, since: before)
  }

  /// A statement that deletes the rows and gives them.
  public func deleteAndFetchStatement(
    _ db: Database, selection: [any SQLSelectable]
  ) throws -> Statement {
    try deletion(db, selection)
  }

  /// A statement that deletes the rows and gives them.
  public func deleteAndFetchStatement(
    _ db: Database, select: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement where RowDecoder: TableRecord {
    try deletion(db, select(RowDecoder.databaseComponents))
  }

  /// Deletes the rows, and gives a cursor over them.
  public func deleteAndFetchCursor(
    _ db: Database
  ) throws -> RecordCursor<RowDecoder> where RowDecoder: FetchableRecord & TableRecord {
    try RowDecoder.fetchCursor(deletion(db, RowDecoder.databaseSelection))
  }

  /// Deletes the rows, and gives them.
  public func deleteAndFetchAll(
    _ db: Database
  ) throws -> [RowDecoder] where RowDecoder: FetchableRecord & TableRecord {
    try RowDecoder.fetchAll(deletion(db, RowDecoder.databaseSelection))
  }

  /// Deletes the rows, and gives them.
  public func deleteAndFetchSet(
    _ db: Database
  ) throws -> Set<RowDecoder> where RowDecoder: FetchableRecord & TableRecord & Hashable {
    try Set(deleteAndFetchAll(db))
  }

  /// Deletes the rows, and gives their ids.
  public func deleteAndFetchIds(
    _ db: Database
  ) throws -> Set<RowDecoder.ID>
  where RowDecoder: TableRecord & Identifiable, RowDecoder.ID: Hashable & DatabaseValueConvertible {
    let columns = try db.primaryKey(databaseTableName).columns
    return try Set(RowDecoder.ID.fetchAll(deletion(db, columns.map { Column($0) })))
  }

  /// Updates the rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (RowDecoder.DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int where RowDecoder: TableRecord {
    try updateAll(
      db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
  }

  /// Updates the rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int where RowDecoder: TableRecord {
    try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    guard let statement = try update(db, conflictResolution, assignments, nil) else { return 0 }
    let before = db.totalChangesCount
    try statement.execute()
    return try db.changesCount(in: databaseTableName, since: before)
  }

  /// Updates the rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// A statement that updates the rows and gives them. Without assignments it fails.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
  ) throws -> Statement {
    guard let statement = try update(db, conflictResolution, assignments, selection) else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "an update without assignments")
    }
    return statement
  }

  /// A statement that updates the rows and gives them. Without assignments it fails.
  public func updateAndFetchStatement(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment],
    select: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> Statement where RowDecoder: TableRecord {
    try updateAndFetchStatement(
      db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents),
      selection: select(RowDecoder.databaseComponents))
  }

  /// Updates the rows, and gives a cursor over them.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> where RowDecoder: FetchableRecord & TableRecord {
    try RowDecoder.fetchCursor(
      updateAndFetchStatement(
        db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection))
  }

  /// Updates the rows, and gives a cursor over them.
  public func updateAndFetchCursor(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> RecordCursor<RowDecoder> where RowDecoder: FetchableRecord & TableRecord {
    try updateAndFetchCursor(
      db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
  }

  /// Updates the rows, and gives them.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> [RowDecoder] where RowDecoder: FetchableRecord & TableRecord {
    try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
  }

  /// Updates the rows, and gives them.
  public func updateAndFetchAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> [RowDecoder] where RowDecoder: FetchableRecord & TableRecord {
    try Array(
      updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }

  /// Updates the rows, and gives them.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: FetchableRecord & TableRecord & Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
  }

  /// Updates the rows, and gives them.
  public func updateAndFetchSet(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Set<RowDecoder> where RowDecoder: FetchableRecord & TableRecord & Hashable {
    try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments: assignments))
  }

  // MARK: Statements

  private func deletion(
    _ db: Database, _ selection: [any SQLSelectable]?
  ) throws -> Statement {
    let writer = SQLWriter(db)
    return try writing("delete", db, writer) { query, from in
      try "DELETE FROM " + from + writer.conditions(query) + returning(selection, writer)
    }
  }

  /// Nil without assignments.
  private func update(
    _ db: Database, _ resolution: Database.ConflictResolution?,
    _ assignments: [ColumnAssignment], _ selection: [any SQLSelectable]?
  ) throws -> Statement? {
    let policy = (RowDecoder.self as? any MutablePersistableRecord.Type)?.persistenceConflictPolicy
    let resolution = resolution ?? policy?.conflictResolutionForUpdate ?? .abort
    let writer = SQLWriter(db)
    guard assignments.contains(where: { $0.value != nil }) else { return nil }
    return try writing("update", db, writer) { query, from in
      let list = try writer.seen(from: nil) {
        try assignments.compactMap { try $0.sql(writer) }.joined(separator: ", ")
      }
      let clause = resolution.clause.map { $0 + " " } ?? ""
      return try "UPDATE " + clause + from + " SET " + list + writer.conditions(query)
        + returning(selection, writer)
    }
  }

  private func returning(
    _ selection: [any SQLSelectable]?, _ writer: SQLWriter
  ) throws -> String {
    guard let selection else { return "" }
    return try " RETURNING " + writer.sql(selection, of: databaseTableName)
  }

  /// Joins and groups have no place in these statements: the rows are then found by their keys. An
  /// order matters only where there is a limit.
  private func writing(
    _ verb: String, _ db: Database, _ writer: SQLWriter,
    _ body: (SQLQuery, String) throws -> String
  ) throws -> Statement {
    var query = try query.resolved(db)
    guard let table = query.tableName else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "rows of a subquery cannot be changed")
    }
    guard try query.groups.isEmpty || query.hasGroupsOfOne(db) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "Can't \(verb) query with GROUP BY clause")
    }
    if query.hasJoins || !query.groups.isEmpty || query.isDistinct {
      let key =
        try db.fastPrimaryKey(of: table).map { [Column($0).sqlExpression] }
        ?? db.primaryKey(table).columns.map { Column($0).sqlExpression }
      let keys = query.withoutPrefetching
        .selectingOnly(key.map { SQLSelection(.expression($0)) })
      query = SQLQuery(table: table)
      query.filters = [
        SQLExpression(
          .inSubquery(.init(.rowValue(key)), SQLSubquery(.query(keys)), isNegated: false))
      ]
    }
    let tree = JoinTree(query)
    let sql = try writer.inQuery(of: [tree.alias], seenFrom: tree.alias) {
      let name = writer.aliasName(tree.alias).map { " AS " + $0.quotedIdentifier } ?? ""
      // Arguments are gathered in the order of the text.
      var text = try writer.with(query.commonTables)
      text += try body(query, table.quotedIdentifier + name)
      if query.limit != nil { text += try writer.ordering(of: tree) + writer.limit(tree.query) }
      return text
    }
    return try db.internalStatement(sql: sql, arguments: writer.arguments)
  }
}
