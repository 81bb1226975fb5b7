// Inserting and saving records that may change when they are inserted.

extension MutablePersistableRecord {
  /// Inserts the record.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictResolution: What happens where a constraint is broken; nil takes the policy of
  ///     the type.
  public mutating func insert(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try insertWithSave(db, Self.insertion(db, conflictResolution) { try $0.execute() })
  }

  /// Inserts the record, and gives the row that the table has then, decoded as another type:
  /// defaults, generated columns and what triggers did before are in it.
  ///
  /// - Throws: `RecordError.recordNotFound` if IGNORE has swallowed the row.
  public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
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
  public mutating func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    return try withoutActuallyEscaping(fetch) { fetch in
      let returning = try Self.returningSQL(db, selection)
      return try insertWithSave(
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
  public mutating func insertAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    fetch: (Statement) throws -> T, select: (DatabaseComponents) throws -> [any SQLSelectable]
  ) throws -> T {
    try insertAndFetch(
      db, onConflict: conflictResolution, selection: select(Self.databaseComponents), fetch: fetch)
  }

  // MARK: Save

  /// Updates the record if its key is in the table, and inserts it otherwise. It is two statements,
  /// with the callbacks of both: see `upsert(_:)` for one.
  public mutating func save(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try saveWithCallbacks(db, conflictResolution) { try $0.execute() }
  }

  /// Saves the record, and gives the row that the table has then, decoded as another type.
  public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    let record = try saveAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    return try Self.fetched(T.self, record, db, of: self)
  }

  /// Saves the record, and fetches from the statement's RETURNING clause.
  public mutating func saveAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    return try withoutActuallyEscaping(fetch) { fetch in
      let returning = try Self.returningSQL(db, selection)
      return try saveWithCallbacks(db, conflictResolution, returning: returning, fetch)
    }
  }

  // MARK: Upsert

  /// Inserts the record, or updates the row that is in its way, with one statement. The callbacks
  /// are those of insertions.
  public mutating func upsert(_ db: Database) throws {
    try performUpsert(db, Upsert(), returning: []) { _ in }
  }

  /// Inserts the record, or updates the row that is in its way, and gives the row that the table
  /// has then.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictTarget: The columns of the unique key that may be in the way; empty for any.
  ///   - strategy: Which columns are updated where the row is there already.
  ///   - assignments: Updates of columns; `excluded` are the values that could not be inserted.
  public mutating func upsertAndFetch(
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
  public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
    updating strategy: UpsertUpdateStrategy = .allColumns,
    doUpdate assignments: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
  ) throws -> T {
    let clause = Upsert(
      target: conflictTarget, updatesAllColumns: strategy == .allColumns,
      assignments: assignments?(TableAlias(name: "excluded")) ?? [])
    return try performUpsert(db, clause, returning: T.databaseSelection) { row in
      try T(row: row)
    }
  }
}

extension MutablePersistableRecord {
  /// Inserts a copy of the record, and gives it as it is then.
  public func inserted(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    var record = self
    try record.insert(db, onConflict: conflictResolution)
    return record
  }

  /// Inserts a copy of the record, and gives the row that the table has then.
  ///
  /// - Throws: `RecordError.recordNotFound` if IGNORE has swallowed the row.
  public func insertAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Saves a copy of the record, and gives it as it is then.
  public func saved(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self {
    var record = self
    try record.save(db, onConflict: conflictResolution)
    return record
  }

  /// Saves a copy of the record, and gives the row that the table has then.
  public func saveAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    var record = self
    return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Runs an upsert to its end: triggers and virtual tables work while it gives its rows.
  mutating func performUpsert<Result>(
    _ db: Database, _ clause: Upsert, returning selection: [any SQLSelectable],
    _ decode: @escaping (Row) throws -> Result
  ) throws -> Result {
    let selected = selection.isEmpty ? "" : try Self.returningSQL(db, selection) + ", "
    let returning = selected + Column.rowID.name.quotedIdentifier
    return try insertWithSave(db) { statements in
      let statement = try statements.upsert(clause, returning: returning)
      let rows = try Row.fetchAll(statement)
      guard let row = rows.first else { throw statements.notFound }
      let rowID = row[row.count - 1] as Int64
      return (try decode(row.dropping(lastColumns: 1)), rowID)
    }
  }
}

extension Row {
  /// The row without columns at its end.
  func dropping(lastColumns count: Int) -> Row {
    reshaped(shape.picking((0..<(self.count - count)).map { (index: $0, name: shape.names[$0]) }))
  }
}
