/// A base class of records that know what has changed since they were fetched or saved.
///
/// Structs that conform to `FetchableRecord` and `MutablePersistableRecord` are the better choice
/// for new programs; `updateChanges(_:modify:)` compares them too.
open class Record {
  /// What the database has, as far as it is known.
  fileprivate var reference: PersistenceContainer?

  /// A record that is not in the database.
  public init() {}

  /// A record of a row.
  public required init(row: Row) throws {
    // A row that no statement gave says nothing of the database.
    if row.statement != nil {
      var container = PersistenceContainer()
      for (column, value) in row { container.set(value, column) }
      reference = container
    }
  }

  /// The name of the table. Subclasses must override it.
  open class var databaseTableName: String {
    preconditionFailure("subclasses of Record must override databaseTableName")
  }

  /// What requests select.
  open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

  /// What happens where a constraint is broken.
  open class var persistenceConflictPolicy: PersistenceConflictPolicy {
    PersistenceConflictPolicy()
  }

  /// Tells the columns and their values. Subclasses override it.
  open func encode(to container: inout PersistenceContainer) throws {}

  // MARK: Changes

  /// Whether the record differs from what the database has.
  public var hasDatabaseChanges: Bool {
    do {
      return try !databaseChanges.isEmpty
    } catch {
      // What cannot be written is not in the database.
      return true
    }
  }

  /// The columns in which the record differs from what the database has, with the database's
  /// values; nil where they are not known. Throws what encoding throws.
  public var databaseChanges: [String: DatabaseValue?] {
    get throws {
      var changes: [String: DatabaseValue?] = [:]
      for (column, value) in try PersistenceContainer(self) {
        let old = reference?.value(ofColumn: column)
        if old != value { changes.updateValue(old, forKey: column) }
      }
      return changes
    }
  }

  /// Updates the columns that have changed.
  ///
  /// - Returns: Whether there were some.
  @discardableResult
  public final func updateChanges(_ db: Database) throws -> Bool {
    let changes = try databaseChanges
    guard !changes.isEmpty else { return false }
    try update(db, columns: Set(changes.keys))
    return true
  }

  // MARK: Callbacks

  /// Called before the record is inserted.
  open func willInsert(_ db: Database) throws {}

  /// Called around the insertion.
  open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    _ = try insert()
  }

  /// Called after the record was inserted. Overriding methods call it.
  open func didInsert(_ inserted: InsertionSuccess) {
    reference = inserted.persistenceContainer
  }

  /// Called before the record is updated.
  open func willUpdate(_ db: Database, columns: Set<String>) throws {}

  /// Called around the update. Overriding methods call it.
  open func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws {
    let updated = try update()
    var known = reference ?? PersistenceContainer()
    for column in columns {
      known.set(updated.persistenceContainer.value(ofColumn: column) ?? .null, column)
    }
    reference = known
  }

  /// Called after the record was updated.
  open func didUpdate(_ updated: PersistenceSuccess) {}

  /// Called before the record is inserted or updated.
  open func willSave(_ db: Database) throws {}

  /// Called around an insertion or update.
  open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
    _ = try save()
  }

  /// Called after the record was inserted or updated.
  open func didSave(_ saved: PersistenceSuccess) {}

  /// Called before the record is deleted.
  open func willDelete(_ db: Database) throws {}

  /// Called around the deletion.
  open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
    _ = try delete()
    reference = nil
  }

  /// Called after the record was deleted, or was found to be missing.
  open func didDelete(deleted: Bool) {}
}

extension Record: FetchableRecord, PersistableRecord {}

@available(*, unavailable)
extension Record: Sendable {}
