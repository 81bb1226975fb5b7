// Counting, deleting, updating and fetching rows of a table.

extension Table {
  /// How many rows the table has.
  public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

  /// Deletes all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func deleteAll(_ db: Database) throws -> Int { try all().deleteAll(db) }

  /// Whether there is a row of a primary key.
  public func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
    try RecordKey(key).isNull ? false : !filter(key: key).isEmpty(db)
  }

  /// Whether there is a row of a unique key.
  public func exists(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try !filter(key: key).isEmpty(db)
  }

  /// Deletes the rows of primary keys.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func deleteAll(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> Int {
    try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
  }

  /// Deletes the row of a primary key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func deleteOne(
    _ db: Database, key: some DatabaseValueConvertible
  ) throws -> Bool {
    try RecordKey(key).isNull ? false : filter(key: key).deleteAll(db) > 0
  }

  /// Deletes the rows of unique keys.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func deleteAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Int {
    try filter(keys: keys).deleteAll(db)
  }

  /// Deletes the row of a unique key.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func deleteOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Bool {
    try filter(key: key).deleteAll(db) > 0
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
  ) throws -> Int where RowDecoder: TableRecord {
    try all().updateAll(db, onConflict: conflictResolution, assignments: assignments)
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    assignment: (RowDecoder.DatabaseComponents) throws -> ColumnAssignment
  ) throws -> Int where RowDecoder: TableRecord {
    try all().updateAll(db, onConflict: conflictResolution, assignment: assignment)
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: [ColumnAssignment]
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }

  /// Updates all rows.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func updateAll(
    _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
    _ assignments: ColumnAssignment...
  ) throws -> Int {
    try all().updateAll(db, onConflict: conflictResolution, assignments)
  }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Whether there is a row of an id.
  public func exists(_ db: Database, id: RowDecoder.ID) throws -> Bool {
    try exists(db, key: id)
  }

  /// Deletes the rows of ids.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  public func deleteAll(
    _ db: Database, ids: some Collection<RowDecoder.ID>
  ) throws -> Int {
    try deleteAll(db, keys: ids)
  }

  /// Deletes the row of an id.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public func deleteOne(_ db: Database, id: RowDecoder.ID) throws -> Bool {
    try deleteOne(db, key: id)
  }
}

extension Table where RowDecoder: FetchableRecord {
  /// A cursor over all records.
  public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
    try all().fetchCursor(db)
  }

  /// All records.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

  /// The first record; nil if there is none.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

  /// A cursor over the records of primary keys.
  public func fetchCursor(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> RecordCursor<RowDecoder> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// The records of primary keys, in any order.
  public func fetchAll(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> [RowDecoder] {
    try keys.isEmpty ? [] : filter(keys: keys).fetchAll(db)
  }

  /// The record of a primary key; nil if it is not there.
  public func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> RowDecoder? {
    try filter(key: key).fetchOne(db)
  }

  /// The record of a primary key.
  ///
  /// - Throws: `RecordError.recordNotFound` if it is not there.
  public func find(_ db: Database, key: some DatabaseValueConvertible) throws -> RowDecoder {
    if let record = try fetchOne(db, key: key) { return record }
    throw recordNotFound(db, key: key)
  }

  /// A cursor over the records of unique keys.
  public func fetchCursor(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> RecordCursor<RowDecoder> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// The records of unique keys, in any order.
  public func fetchAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> [RowDecoder] {
    try filter(keys: keys).fetchAll(db)
  }

  /// The record of a unique key; nil if it is not there.
  public func fetchOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> RowDecoder? {
    try filter(key: key).fetchOne(db)
  }

  /// The record of a unique key.
  ///
  /// - Throws: `RecordError.recordNotFound` if it is not there.
  public func find(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> RowDecoder {
    if let record = try fetchOne(db, key: key) { return record }
    throw recordNotFound(key: key)
  }

  fileprivate func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
    do {
      let columns = try db.primaryKey(tableName).columns
      return recordNotFound(key: [columns[0]: key])
    } catch {
      return error
    }
  }

  fileprivate func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> any Error {
    RecordError.recordNotFound(
      databaseTableName: tableName, key: key.mapValues { $0?.databaseValue ?? .null })
  }
}

extension Table
where RowDecoder: FetchableRecord & Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// A cursor over the records of ids.
  public func fetchCursor(
    _ db: Database, ids: some Collection<RowDecoder.ID>
  ) throws -> RecordCursor<RowDecoder> {
    try filter(ids: ids).fetchCursor(db)
  }

  /// The records of ids, in any order.
  public func fetchAll(
    _ db: Database, ids: some Collection<RowDecoder.ID>
  ) throws -> [RowDecoder] {
    try filter(ids: ids).fetchAll(db)
  }

  /// The record of an id; nil if it is not there.
  public func fetchOne(_ db: Database, id: RowDecoder.ID) throws -> RowDecoder? {
    try filter(id: id).fetchOne(db)
  }

  /// The record of an id.
  ///
  /// - Throws: `RecordError.recordNotFound` if it is not there.
  public func find(_ db: Database, id: RowDecoder.ID) throws -> RowDecoder {
    if let record = try fetchOne(db, id: id) { return record }
    throw recordNotFound(db, key: id)
  }
}

extension Table where RowDecoder: FetchableRecord & Hashable {
  /// All records.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}

extension Table where RowDecoder == Row {
  /// A cursor over all rows.
  public func fetchCursor(_ db: Database) throws -> RowCursor { try all().fetchCursor(db) }

  /// All rows.
  public func fetchAll(_ db: Database) throws -> [Row] { try all().fetchAll(db) }

  /// The first row; nil if there is none.
  public func fetchOne(_ db: Database) throws -> Row? { try all().fetchOne(db) }

  /// The set of all rows.
  public func fetchSet(_ db: Database) throws -> Set<Row> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible {
  /// A cursor over all rows.
  public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
    try all().fetchCursor(db)
  }

  /// All rows.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

  /// The first row; nil if there is none.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & Hashable {
  /// The set of the values of all rows.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
  /// A cursor over the values of all rows.
  public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
    try all().fetchCursor(db)
  }

  /// The values of all rows.
  public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

  /// The value of the first row; nil if there is none.
  public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
  /// The set of the values of all rows.
  public func fetchSet(_ db: Database) throws -> Set<RowDecoder> { try all().fetchSet(db) }
}
