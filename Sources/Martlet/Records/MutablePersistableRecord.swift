/// A record that can be inserted, updated and deleted, and that may change when it is inserted: a
/// struct that takes over its new rowid.
///
/// ```swift
/// struct Player: Codable, FetchableRecord, MutablePersistableRecord {
///   var id: Int64?
///   var name: String
///   mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
/// }
/// var player = Player(id: nil, name: "Arthur")
/// try player.insert(db)
/// ```
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
  /// What happens where a constraint is broken: by default an error.
  static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

  /// Called before the record is inserted.
  mutating func willInsert(_ db: Database) throws

  /// Called around the insertion. It must call `insert` and pass its errors on.
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

  /// Called after the record was inserted.
  mutating func didInsert(_ inserted: InsertionSuccess)

  /// Called before the record is updated.
  func willUpdate(_ db: Database, columns: Set<String>) throws

  /// Called around the update. It must call `update` and pass its errors on.
  func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws

  /// Called after the record was updated.
  func didUpdate(_ updated: PersistenceSuccess)

  /// Called before the record is inserted or updated.
  func willSave(_ db: Database) throws

  /// Called around an insertion or update. It must call `save` and pass its errors on.
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

  /// Called after the record was inserted or updated.
  func didSave(_ saved: PersistenceSuccess)

  /// Called before the record is deleted.
  func willDelete(_ db: Database) throws

  /// Called around the deletion. It must call `delete` and pass its errors on.
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

  /// Called after the record was deleted, or was found to be missing.
  func didDelete(deleted: Bool)
}

extension MutablePersistableRecord {
  /// Broken constraints are errors.
  public static var persistenceConflictPolicy: PersistenceConflictPolicy {
    PersistenceConflictPolicy()
  }

  /// Does nothing.
  public mutating func willInsert(_ db: Database) throws {}

  /// Inserts.
  public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    _ = try insert()
  }

  /// Does nothing.
  public mutating func didInsert(_ inserted: InsertionSuccess) {}

  /// Does nothing.
  public func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Updates.
  public func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws {
    _ = try update()
  }

  /// Does nothing.
  public func didUpdate(_ updated: PersistenceSuccess) {}

  /// Does nothing.
  public func willSave(_ db: Database) throws {}

  /// Saves.
  public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
    _ = try save()
  }

  /// Does nothing.
  public func didSave(_ saved: PersistenceSuccess) {}

  /// Does nothing.
  public func willDelete(_ db: Database) throws {}

  /// Deletes.
  public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { _ = try delete() }

  /// Does nothing.
  public func didDelete(deleted: Bool) {}
}

/// A record that can be inserted, updated and deleted, and that does not change when it is
/// inserted: a class, or a struct whose key the application makes.
public protocol PersistableRecord: MutablePersistableRecord {
  /// Called before the record is inserted.
  func willInsert(_ db: Database) throws

  /// Called after the record was inserted.
  func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
  /// Does nothing.
  public func willInsert(_ db: Database) throws {}

  /// Does nothing.
  public func didInsert(_ inserted: InsertionSuccess) {}
}

/// What happens where a record breaks a constraint.
public struct PersistenceConflictPolicy: Sendable {
  /// In insertions.
  public let conflictResolutionForInsert: Database.ConflictResolution

  /// In updates.
  public let conflictResolutionForUpdate: Database.ConflictResolution

  /// Makes a policy.
  public init(
    insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort
  ) {
    conflictResolutionForInsert = insert
    conflictResolutionForUpdate = update
  }
}

/// What came of an insertion.
public struct InsertionSuccess {
  /// The rowid of the new row. Where IGNORE has swallowed the row it means nothing.
  public var rowID: Int64

  /// The column that is the rowid; nil if none is.
  public var rowIDColumn: String?

  /// What was written, with the rowid that the row has got.
  public var persistenceContainer: PersistenceContainer
}

/// What came of an insertion or update.
public struct PersistenceSuccess {
  /// What was written.
  public var persistenceContainer: PersistenceContainer
}
