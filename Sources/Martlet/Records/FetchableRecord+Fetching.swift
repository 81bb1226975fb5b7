// Fetching records from their table.

extension FetchableRecord where Self: TableRecord {
  /// A cursor over all records.
  public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
    try all().fetchCursor(db)
  }

  /// All records.
  public static func fetchAll(_ db: Database) throws -> [Self] { try all().fetchAll(db) }

  /// The first record; nil if there is none.
  public static func fetchOne(_ db: Database) throws -> Self? { try all().fetchOne(db) }

  /// A cursor over the records of primary keys.
  public static func fetchCursor(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> RecordCursor<Self> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// The records of primary keys, in any order.
  public static func fetchAll(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> [Self] {
    try keys.isEmpty ? [] : filter(keys: keys).fetchAll(db)
  }

  /// The record of a primary key; nil if it is not there.
  public static func fetchOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Self? {
    let storedKey = RecordKey(key)
    // A row without key is not asked for.
    if storedKey.isNull { return nil }
    guard let known = try statementForKey(db) else { return try filter(key: key).fetchOne(db) }
    try known.statement.bindUnchecked([storedKey.databaseValue(as: self, column: known.column)])
    return try fetchOne(known.statement)
  }

  /// The record of a primary key.
  ///
  /// - Throws: `RecordError.recordNotFound` if it is not there.
  public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
    if let record = try fetchOne(db, key: key) { return record }
    throw recordNotFound(db, key: key)
  }

  /// A cursor over the records of unique keys.
  public static func fetchCursor(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> RecordCursor<Self> {
    try filter(keys: keys).fetchCursor(db)
  }

  /// The records of unique keys, in any order.
  public static func fetchAll(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> [Self] {
    try filter(keys: keys).fetchAll(db)
  }

  /// The record of a unique key; nil if it is not there, and for a key that is nil.
  public static func fetchOne(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]?
  ) throws -> Self? {
    guard let key else { return nil }
    return try filter(key: key).fetchOne(db)
  }

  /// The record of a unique key.
  ///
  /// - Throws: `RecordError.recordNotFound` if it is not there.
  public static func find(
    _ db: Database, key: [String: (any DatabaseValueConvertible)?]
  ) throws -> Self {
    if let record = try fetchOne(db, key: key) { return record }
    throw recordNotFound(key: key)
  }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
  /// A cursor over the records of ids.
  public static func fetchCursor(
    _ db: Database, ids: some Collection<Self.ID>
  ) throws -> RecordCursor<Self> {
    try filter(ids: ids).fetchCursor(db)
  }

  /// The records of ids, in any order.
  public static func fetchAll(
    _ db: Database, ids: some Collection<Self.ID>
  ) throws -> [Self] {
    try fetchAll(db, keys: ids)
  }

  /// The record of an id; nil if it is not there.
  public static func fetchOne(_ db: Database, id: Self.ID) throws -> Self? {
    try fetchOne(db, key: id)
  }

  /// The record of an id.
  ///
  /// - Throws: `RecordError.recordNotFound` if it is not there.
  public static func find(_ db: Database, id: Self.ID) throws -> Self {
    if let record = try fetchOne(db, id: id) { return record }
    throw recordNotFound(db, id: id)
  }
}

extension FetchableRecord where Self: TableRecord & Hashable {
  /// All records.
  public static func fetchSet(_ db: Database) throws -> Set<Self> { try all().fetchSet(db) }

  /// The records of primary keys.
  public static func fetchSet(
    _ db: Database, keys: some Collection<some DatabaseValueConvertible>
  ) throws -> Set<Self> {
    try filter(keys: keys).fetchSet(db)
  }

  /// The records of unique keys.
  public static func fetchSet(
    _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
  ) throws -> Set<Self> {
    try filter(keys: keys).fetchSet(db)
  }
}

extension FetchableRecord
where Self: TableRecord & Hashable & Identifiable, ID: DatabaseValueConvertible {
  /// The records of ids.
  public static func fetchSet(_ db: Database, ids: some Collection<Self.ID>) throws -> Set<Self> {
    try filter(ids: ids).fetchSet(db)
  }
}
