// Counting, deleting and updating rows of the table of a record type.

extension TableRecord {
  /// How many rows the table has.
  public static func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Deletes all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Whether there is a row of a primary key.
  public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try RecordKey(key).isNull ? false : !filter(key: key).isEmpty(db)
  }

  /// Whether there is a row of a unique key.
  public static func exists(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  /// Deletes the rows of primary keys.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> Int {
    try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
  }

  /// Deletes the row of a primary key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public static func deleteOne(
    _ db: Database, key: some DatabaseValueConvertible
  ) throws -> Bool {
    try RecordKey(key).isNull ? false : filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the rows of unique keys.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func deleteAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Int {
    try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the row of a unique key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public static func deleteOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
  /// Whether there is a row of an id.
  public static func exists(_ db: Database, id: Self.ID) throws -> Bool {
    try exists(db, key: id)
  }

  /// Deletes the rows of ids.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public static func deleteAll(
    _ db: Database, ids: some Collection<Self.ID>
  ) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row of an id.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public static func deleteOne(_ db: Database, id: Self.ID) throws -> Bool {
    try deleteOne(db, key: id)
  }
}
