// Updating, deleting and looking for records.

extension MutablePersistableRecord {
  /// Updates the row that has the record's key.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictResolution: What happens where a constraint is broken; nil takes the policy of
  ///     the type.
  ///   - columns: The columns that are written; those of the key never are.
  /// - Throws: `RecordError.recordNotFound` if the row is not there.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>
  ) throws {
    try updateWithSave(db, UpdatedColumns(Set(columns)), conflictResolution) { try $0.execute() }
  }

  /// Updates the row that has the record's key.
  ///
  /// - Parameters:
  ///   - db: The connection.
  ///   - conflictResolution: What happens where a constraint is broken; nil takes the policy of
  ///     the type.
  ///   - columns: The columns that are written; those of the key never are.
  /// - Throws: `RecordError.recordNotFound` if the row is not there.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<some ColumnExpression>
  ) throws {
    try update(db, onConflict: conflictResolution, columns: columns.map { $0.name })
  }

  /// Updates the row that has the record's key.
  ///
  /// - Throws: `RecordError.recordNotFound` if the row is not there.
  public func update(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws {
    try updateWithSave(db, encodedColumns(db), conflictResolution) { try $0.execute() }
  }

  /// The columns that the record writes.
  private func encodedColumns(_ db: Database) throws -> UpdatedColumns {
    try db.checkAccess()
    let container = try PersistenceContainer(self)
    // Callbacks may still make the table.
    let known = KeptRecordStatements.known(of: Swift.type(of: self), writing: container, db)
    return known.map { UpdatedColumns(allOf: $0) } ?? UpdatedColumns(Set(container.columns))
  }

  /// Updates the columns in which the record differs from another.
  ///
  /// - Returns: Whether there was a difference.
  @discardableResult
  public func updateChanges<Record: MutablePersistableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    from record: Record
  ) throws -> Bool {
    let changes = try databaseChanges(from: record)
    guard !changes.isEmpty else { return false }
    try update(db, onConflict: conflictResolution, columns: Set(changes.keys))
    return true
  }

  /// Modifies the record, and updates the columns that are different then.
  ///
  /// - Returns: Whether there was a difference.
  @discardableResult
  public mutating func updateChanges(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Bool {
    let changes = try databaseChanges(modify: modify)
    guard !changes.isEmpty else { return false }
    try update(db, onConflict: conflictResolution, columns: Set(changes.keys))
    return true
  }

  // MARK: Update and fetch

  /// Updates the row that has the record's key, and gives the row that the table has then.
  public func updateAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) throws -> Self where Self: FetchableRecord {
    try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
  }

  /// Updates the row that has the record's key, and gives the row that the table has then, decoded
  /// as another type.
  public func updateAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type
  ) throws -> T {
    let record = try updateAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection
    ) { try T.fetchOne($0) }
    return try Self.fetched(T.self, record, db, of: self)
  }

  /// Updates the row that has the record's key, and fetches from the statement's RETURNING clause.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<String>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> T
  ) throws -> T {
    let returning = try Self.returningSQL(db, selection)
    return try updateWithSave(
      db, UpdatedColumns(Set(columns)), conflictResolution, returning: returning, fetch)
  }

  /// Updates the row that has the record's key, and fetches from the statement's RETURNING clause.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    columns: some Collection<some ColumnExpression>, selection: [any SQLSelectable],
    fetch: (Statement) throws -> T
  ) throws -> T {
    try updateAndFetch(
      db, onConflict: conflictResolution, columns: columns.map { $0.name }, selection: selection,
      fetch: fetch)
  }

  /// Updates the row that has the record's key, and fetches from the statement's RETURNING clause.
  public func updateAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T
  ) throws -> T {
    let returning = try Self.returningSQL(db, selection)
    return try updateWithSave(
      db, encodedColumns(db), conflictResolution, returning: returning, fetch)
  }

  /// Modifies the record, updates the columns that are different then, and gives the row that the
  /// table has then; nil if there was no difference.
  public mutating func updateChangesAndFetch(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    modify: (inout Self) throws -> Void
  ) throws -> Self? where Self: FetchableRecord {
    try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
  }

  /// Modifies the record, updates the columns that are different then, and gives the row that the
  /// table has then, decoded as another type; nil if there was no difference.
  public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    as returnedType: T.Type, modify: (inout Self) throws -> Void
  ) throws -> T? {
    let record = try updateChangesAndFetch(
      db, onConflict: conflictResolution, selection: T.databaseSelection,
      fetch: { try T.fetchOne($0) }, modify: modify)
    return try record.map { try Self.fetched(T.self, $0, db, of: self) }
  }

  /// Modifies the record, updates the columns that are different then, and fetches from the
  /// statement's RETURNING clause; nil if there was no difference.
  public mutating func updateChangesAndFetch<T>(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    selection: [any SQLSelectable], fetch: (Statement) throws -> T,
    modify: (inout Self) throws -> Void
  ) throws -> T? {
    let changes = try databaseChanges(modify: modify)
    guard !changes.isEmpty else { return nil }
    return try updateAndFetch(
      db, onConflict: conflictResolution, columns: Set(changes.keys), selection: selection,
      fetch: fetch)
  }

  // MARK: Deletion and existence

  /// Deletes the row that has the record's key.
  ///
  /// - Returns: Whether the row was there.
  @discardableResult
  public func delete(_ db: Database) throws -> Bool { try deleteWithCallbacks(db) }

  /// Whether there is a row that has the record's key.
  public func exists(_ db: Database) throws -> Bool {
    guard let statement = try RecordStatements(self, db).exists() else { return false }
    return try Bool.fetchOne(statement) ?? false
  }
}
