import MartletEngine

/// The statements that have written records of one type, all with the same columns, to one table.
///
/// Writing many records makes no SQL text after the first. The statements go when the schema
/// changes, with all that is known of it.
final class KeptRecordStatements {
  let table: String
  let primaryKey: PrimaryKeyInfo
  /// The columns that the records write.
  let columns: [String]
  /// The same, as callbacks are told them.
  let columnSet: Set<String>
  /// The columns of the primary key.
  let keyColumns: [String]
  /// Where the values of the key are among the record's; nil for one that it does not write.
  let keyPlaces: [Int?]
  private var entries: [Entry] = []

  /// What a statement is for.
  enum Purpose {
    case insertion(Database.ConflictResolution)
    /// Of all columns that the records write, but for the key.
    case update(Database.ConflictResolution)
    case partialUpdate(Database.ConflictResolution, of: Set<String>)
    /// Without assignments of its own.
    case upsert(target: [String], updatesAllColumns: Bool)
    case deletion
    case existence
  }

  struct Entry {
    let purpose: Purpose
    let returning: String
    let statement: Statement
    /// Which of the record's values its parameters get; nil is NULL.
    let places: [Int?]
  }

  /// Records of one type may write other columns than the one before; of so many kinds the
  /// statements are kept.
  private static let mostKinds = 4
  /// Partial updates may be of any columns.
  private static let mostEntries = 16

  private init(_ container: PersistenceContainer, table: String, primaryKey: PrimaryKeyInfo) {
    self.table = table
    self.primaryKey = primaryKey
    columns = container.columns
    columnSet = Set(container.columns)
    keyColumns = primaryKey.columns
    keyPlaces = keyColumns.map { container.index(of: $0) }
  }

  /// Those of records that write what this one does; nil if there are none yet.
  static func known(
    of type: any TableRecord.Type, writing container: PersistenceContainer, _ db: Database
  ) -> KeptRecordStatements? {
    known(of: type, in: type.databaseTableName, writing: container, db)
  }

  private static func known(
    of type: any TableRecord.Type, in table: String, writing container: PersistenceContainer,
    _ db: Database
  ) -> KeptRecordStatements? {
    guard let kinds = db.schemaCache.recordStatements[ObjectIdentifier(type)] else { return nil }
    for index in kinds.indices where kinds[index].isFor(table, container) { return kinds[index] }
    return nil
  }

  /// Those of records that write what this one does.
  static func of(
    _ type: any TableRecord.Type, writing container: PersistenceContainer, _ db: Database
  ) throws -> KeptRecordStatements {
    // The name of a type's table may be computed.
    let table = type.databaseTableName
    if let known = known(of: type, in: table, writing: container, db) { return known }
    let new = try KeptRecordStatements(
      container, table: table, primaryKey: db.primaryKey(table))
    var kinds = db.schemaCache.recordStatements[ObjectIdentifier(type)] ?? []
    if kinds.count >= mostKinds { kinds.removeFirst() }
    db.schemaCache.recordStatements[ObjectIdentifier(type)] = kinds + [new]
    return new
  }

  private func isFor(_ table: String, _ container: PersistenceContainer) -> Bool {
    self.table.hasSameBytes(as: table)
      && columns.elementsEqual(container.columns) { $0.hasSameBytes(as: $1) }
  }

  /// A statement that is not at work.
  func find(_ purpose: Purpose, returning: String) -> Entry? {
    for index in entries.indices
    where entries[index].returning.hasSameBytes(as: returning)
      && entries[index].purpose.isSame(as: purpose)
    {
      let entry = entries[index]
      if entry.statement.sqliteStatement.isBusy { return nil }
      entry.statement.requestRegion = nil
      return entry
    }
    return nil
  }

  func keep(_ entry: Entry) {
    entries.removeAll {
      $0.returning.hasSameBytes(as: entry.returning) && $0.purpose.isSame(as: entry.purpose)
    }
    if entries.count >= KeptRecordStatements.mostEntries { entries.removeFirst() }
    entries.append(entry)
  }
}

extension KeptRecordStatements.Purpose {
  /// Names are compared by their bytes.
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.insertion(let left), .insertion(let right)): left == right
    case (.update(let left), .update(let right)): left == right
    case (.partialUpdate(let left, let columns), .partialUpdate(let right, let others)):
      left == right && columns.hasSameTexts(as: others)
    case (.upsert(let target, let updatesAll), .upsert(let otherTarget, let updatesOthers)):
      updatesAll == updatesOthers
        && target.elementsEqual(otherTarget) { $0.hasSameBytes(as: $1) }
    case (.deletion, .deletion), (.existence, .existence): true
    default: false
    }
  }
}

extension Set<String> {
  /// Sets of texts are equal where Unicode takes the texts as equal.
  fileprivate func hasSameTexts(as other: Self) -> Bool {
    count == other.count
      && allSatisfy { text in
        other.firstIndex(of: text).map { other[$0].hasSameBytes(as: text) } ?? false
      }
  }
}
