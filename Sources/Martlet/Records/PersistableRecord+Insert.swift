// Inserting and saving records that do not change when they are inserted: the record need not be a
// variable.

extension PersistableRecord {
  /// Inserts the record.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictResolution: What happens where a constraint is broken; nil takes the policy of
  ///     the type.
  public func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    var copy = self
    try copy.insertWithSave(db, Self.insertion(db, conflictResolution) { try $0.execute() })
  }

  /// Inserts the record, and gives the row that the table has then, decoded as another type:
  /// defaults, generated columns and what triggers did before are in it.
  ///
  /// - Throws: `RecordError.recordNotFound` if IGNORE has swallowed the row.
  public func insertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    let record = try insertAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    return try Self.fetched(T.self, record, db, of: self)
  }

  /// Inserts the record, and fetches from the statement's RETURNING clause.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictResolution: What happens where a constraint is broken; nil takes the policy of
  ///     the type.
  ///   - selection: What RETURNING gives.
  ///   - fetch: Fetches from the statement.
  public func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var copy = self
    return try withoutActuallyEscaping(fetch) { fetch in
      let returning = try Self.returningSQL(db, selection)
      return try copy.insertWithSave(
        db, Self.insertion(db, conflictResolution, returning: returning, fetch))
    }
  }

  /// Inserts the record, and fetches from the statement's RETURNING clause.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictResolution: What happens where a constraint is broken; nil takes the policy of
  ///     the type.
  ///   - fetch: Fetches from the statement.
  ///   - select: What RETURNING gives.
  public func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> T {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
  }

  // MARK: Save

  /// Updates the record if its key is in the table, and inserts it otherwise. It is two statements,
  /// with the callbacks of both: see `upsert(_:)` for one.
  public func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    var copy = self
    try copy.saveWithCallbacks(db, conflictResolution) { try $0.execute() }
  }

  /// Saves the record, and gives the row that the table has then, decoded as another type.
  public func saveAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    let record = try saveAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    return try Self.fetched(T.self, record, db, of: self)
  }

  /// Saves the record, and fetches from the statement's RETURNING clause.
  public func saveAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    var copy = self
    return try withoutActuallyEscaping(fetch) { fetch in
      let returning = try Self.returningSQL(db, selection)
      return try copy.saveWithCallbacks(db, conflictResolution, returning: returning, fetch)
    }
  }

  // MARK: Upsert

  /// Inserts the record, or updates the row that is in its way, with one statement. The callbacks
  /// are those of insertions.
  public func upsert(_ db: Database) throws {
    var copy = self
    try copy.performUpsert(db, Upsert(), returning: []) { _ in }
  }

  /// Inserts the record, or updates the row that is in its way, and gives the row that the table
  /// has then.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictTarget: The columns of the unique key that may be in the way; empty for any.
  ///   - strategy: Which columns are updated where the row is there already.
  ///   - assignments: Updates of columns; `excluded` are the values that could not be inserted.
  public func upsertAndFetch(
    _ db: Database, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> Self where Self: FetchableRecord {
    try upsertAndFetch(
      db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
  }

  /// Inserts the record, or updates the row that is in its way, and gives the row that the table
  /// has then, decoded as another type.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - returnedType: The type of what is fetched.
  ///   - conflictTarget: The columns of the unique key that may be in the way; empty for any.
  ///   - strategy: Which columns are updated where the row is there already.
  ///   - assignments: Updates of columns; `excluded` are the values that could not be inserted.
  public func upsertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> T {
    let clause = Upsert(
      target: conflictTarget, updatesAllColumns: strategy == .allColumns,
      assignments: assignments?(TableAlias(name: "excluded")) ?? [])
    var copy = self
    return try copy.performUpsert(db, clause, returning: T.databaseSelection) { row in
      try T(row: row)
    }
  }
}
