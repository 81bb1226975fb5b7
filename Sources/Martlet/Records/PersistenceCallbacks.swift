// Insertions, updates and deletions with their callbacks, which run in this order:
//
//     willSave  aroundSave { willInsert  aroundInsert { INSERT }  didInsert }  didSave
//     willSave  aroundSave { willUpdate  aroundUpdate { UPDATE }  didUpdate }  didSave
//     willDelete  aroundDelete { DELETE }  didDelete

/// Writes a record and gives what its statement is asked for, and the rowid.
typealias Insertion<Record: MutablePersistableRecord, Result> =
  (RecordStatements<Record>) throws -> (result: Result, rowID: Int64)

extension MutablePersistableRecord {
  static func misuse(_ callback: String) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: "\(Self.self).\(callback) did not call its action, or swallowed its error")
  }

  /// An insertion of whatever kind with all callbacks.
  mutating func insertWithSave<Result>(
    _ db: Database, _ insertion: Insertion<Self, Result>
  ) throws -> Result {
    try willSave(db)
    let unchanged = self
    var result: Result?
    var saved: PersistenceSuccess?
    try unchanged.aroundSave(db) {
      let inserted = try insertWithCallbacks(db, insertion)
      result = inserted.result
      saved = inserted.success
      return inserted.success
    }
    guard let result, let saved else { throw Self.misuse("aroundSave") }
    didSave(saved)
    return result
  }

  private mutating func insertWithCallbacks<Result>(
    _ db: Database, _ insertion: Insertion<Self, Result>
  ) throws -> (result: Result, success: PersistenceSuccess) {
    try willInsert(db)
    let unchanged = self
    var result: Result?
    var inserted: InsertionSuccess?
    try unchanged.aroundInsert(db) {
      let statements = try RecordStatements(unchanged, db)
      let done = try insertion(statements)
      let column = statements.kept.primaryKey.rowIDColumn
      var container = statements.container
      // A container that has the rowid already is not copied.
      let rowID = done.rowID.databaseValue
      if let column, container.value(ofColumn: column) != rowID { container.set(rowID, column) }
      let success = InsertionSuccess(
        rowID: done.rowID, rowIDColumn: column, persistenceContainer: container)
      result = done.result
      inserted = success
      return success
    }
    guard let result, let inserted else { throw Self.misuse("aroundInsert") }
    didInsert(inserted)
    return (result, PersistenceSuccess(persistenceContainer: inserted.persistenceContainer))
  }

  private func updateWithCallbacks<Result>(
    _ db: Database, _ columns: UpdatedColumns, _ resolution: Database.ConflictResolution?,
    returning: String?, _ fetch: (Statement) throws -> Result
  ) throws -> (result: Result, success: PersistenceSuccess) {
    try willUpdate(db, columns: columns.names)
    var result: Result?
    var updated: PersistenceSuccess?
    try aroundUpdate(db, columns: columns.names) {
      let statements = try RecordStatements(self, db)
      let resolution =
        resolution ?? statements.type.persistenceConflictPolicy.conflictResolutionForUpdate
      guard
        let statement = try statements.update(columns, resolution, returning: returning)
      else { throw statements.notFound }
      let before = db.totalChangesCount
      result = try fetch(statement)
      if try !db.hasChanged(statements.table, since: before) { throw statements.notFound }
      let success = PersistenceSuccess(persistenceContainer: statements.container)
      updated = success
      return success
    }
    guard let result, let updated else { throw Self.misuse("aroundUpdate") }
    didUpdate(updated)
    return (result, updated)
  }

  /// An update with all callbacks.
  func updateWithSave<Result>(
    _ db: Database, _ columns: UpdatedColumns, _ resolution: Database.ConflictResolution?,
    returning: String? = nil, _ fetch: (Statement) throws -> Result
  ) throws -> Result {
    try willSave(db)
    var result: Result?
    var saved: PersistenceSuccess?
    try aroundSave(db) {
      let updated = try updateWithCallbacks(
        db, columns, resolution, returning: returning, fetch)
      result = updated.result
      saved = updated.success
      return updated.success
    }
    guard let result, let saved else { throw Self.misuse("aroundSave") }
    didSave(saved)
    return result
  }

  /// An update, or an insertion where there is nothing to update, with all callbacks.
  mutating func saveWithCallbacks<Result>(
    _ db: Database, _ resolution: Database.ConflictResolution?, returning: String? = nil,
    _ fetch: (Statement) throws -> Result
  ) throws -> Result {
    try willSave(db)
    let unchanged = self
    var result: Result?
    var saved: PersistenceSuccess?
    try unchanged.aroundSave(db) {
      let done = try updateOrInsert(db, resolution, returning: returning, fetch)
      result = done.result
      saved = done.success
      return done.success
    }
    guard let result, let saved else { throw Self.misuse("aroundSave") }
    didSave(saved)
    return result
  }

  private mutating func updateOrInsert<Result>(
    _ db: Database, _ resolution: Database.ConflictResolution?, returning: String?,
    _ fetch: (Statement) throws -> Result
  ) throws -> (result: Result, success: PersistenceSuccess) {
    let statements = try RecordStatements(self, db)
    if statements.hasKey {
      do {
        let columns = UpdatedColumns(allOf: statements.kept)
        return try updateWithCallbacks(db, columns, resolution, returning: returning, fetch)
      } catch RecordError.recordNotFound(statements.table, statements.notFound.key) {
        // The row is not there: insert it.
      }
    }
    return try withoutActuallyEscaping(fetch) { fetch in
      try insertWithCallbacks(
        db, Self.insertion(db, resolution, returning: returning, fetch))
    }
  }

  /// INSERT, and what its rows are asked for.
  static func insertion<Result>(
    _ db: Database, _ resolution: Database.ConflictResolution?, returning: String? = nil,
    _ fetch: @escaping (Statement) throws -> Result
  ) -> Insertion<Self, Result> {
    { statements in
      let policy = statements.type.persistenceConflictPolicy
      let resolution = resolution ?? policy.conflictResolutionForInsert
      let result = try fetch(statements.insert(resolution, returning: returning))
      return (result, db.connection.lastInsertRowID)
    }
  }

  /// A deletion with all callbacks.
  func deleteWithCallbacks(_ db: Database) throws -> Bool {
    try willDelete(db)
    var isDeleted: Bool?
    try aroundDelete(db) {
      var deleted = false
      if let statement = try RecordStatements(self, db).delete() {
        let before = db.totalChangesCount
        try statement.execute()
        deleted = try db.hasChanged(Self.databaseTableName, since: before)
      }
      isDeleted = deleted
      return deleted
    }
    guard let isDeleted else { throw Self.misuse("aroundDelete") }
    didDelete(deleted: isDeleted)
    return isDeleted
  }

  /// A record of RETURNING.
  static func fetched<Record: FetchableRecord>(
    _ type: Record.Type, _ record: Record?, _ db: Database, of source: Self
  ) throws -> Record {
    if let record { return record }
    throw source.recordNotFound(db)
  }
}

extension Database {
  /// Whether the last statement has changed rows of a table or view. What triggers do in the place
  /// of a change of a view counts as a change only in the total (c3ref/changes).
  fileprivate func hasChanged(_ table: String, since totalBefore: Int) throws -> Bool {
    try changesCount(in: table, since: totalBefore) > 0
  }

  /// How many rows of a table or view the last statement has changed.
  func changesCount(in table: String, since totalBefore: Int) throws -> Int {
    let count = changesCount
    guard count == 0, totalChangesCount > totalBefore, try viewExists(table) else { return count }
    return totalChangesCount - totalBefore
  }
}

extension RecordError {
  /// The key that was looked for.
  var key: [String: DatabaseValue] {
    switch self {
    case .recordNotFound(_, let key): key
    }
  }
}
