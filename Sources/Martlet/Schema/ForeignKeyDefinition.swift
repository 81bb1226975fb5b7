/// Columns of a table that is being made, which refer to the primary key of another table.
public final class ForeignKeyDefinition {
  private let name: String
  private let table: String?
  private let actions: ForeignKeyActions
  private var isIndexed: Bool
  private var isUnique = false
  private var notNull: (isOn: Bool, resolution: Database.ConflictResolution?) = (false, nil)
  let isInPrimaryKey: Bool

  init(
    name: String, table: String?, actions: ForeignKeyActions, isIndexed: Bool,
    isInPrimaryKey: Bool
  ) {
    self.name = name
    self.table = table
    self.actions = actions
    self.isIndexed = isIndexed
    self.isInPrimaryKey = isInPrimaryKey
  }

  /// Refuses NULL.
  @discardableResult
  public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    notNull = (true, conflictResolution)
    return self
  }

  /// Refuses duplicates: the other table has at most one row for each.
  @discardableResult
  public func unique() -> Self {
    isUnique = true
    return self
  }

  struct Resolved {
    let columns: [ColumnDefinition]
    /// FOREIGN KEY …, where there are several columns.
    let constraint: String?
    /// Nil if there is no index.
    let isIndexUnique: Bool?
  }

  /// The columns that the key needs, which the other table's key says.
  func resolve(
    _ db: Database, table newTable: String, primaryKey newKey: [String]?,
    types newTypes: [String: String]
  ) throws -> Resolved {
    let destination = try destinationTable(db, newTable)
    let isSelf = destination.lowercased() == newTable.lowercased()
    let keys: [(name: String, type: String?)]
    if isSelf {
      keys = (newKey ?? ["rowid"]).map { ($0, newTypes[$0] ?? "INTEGER") }
    } else {
      let types = Dictionary(
        try db.columns(in: destination).map { ($0.name.lowercased(), $0.type) }) { left, _ in left }
      keys = try db.primaryKey(destination).columns.map { ($0, types[$0.lowercased()]) }
    }
    let columns = keys.map { key in
      let type = key.type ?? "INTEGER"
      let column = ColumnDefinition(
        name: name + key.name.prefix(1).uppercased() + key.name.dropFirst(),
        type: type.isEmpty ? nil : Database.ColumnType(type))
      if notNull.isOn || isInPrimaryKey { column.notNull(onConflict: notNull.resolution) }
      return column
    }
    let isSingle = columns.count == 1
    if isSingle {
      columns[0].references(
        destination, column: keys[0].name, onDelete: actions.onDelete,
        onUpdate: actions.onUpdate, deferred: actions.isDeferred)
      if isUnique { columns[0].unique() } else if isIndexed { columns[0].indexed() }
    }
    let constraint =
      "FOREIGN KEY (\(columns.map { $0.name }.quotedList)) REFERENCES "
      + "\(destination.quotedIdentifier)(\(keys.map { $0.name }.quotedList))" + actions.sql
    let hasPlainIndex = isSingle ? columns[0].needsIndex : isIndexed || isUnique
    return Resolved(
      columns: columns, constraint: isSingle ? nil : constraint,
      isIndexUnique: hasPlainIndex ? isUnique : nil)
  }

  /// The table of the name, or of its plural.
  private func destinationTable(_ db: Database, _ newTable: String) throws -> String {
    if let table { return table }
    for candidate in [name, Inflections.default.pluralize(name)] {
      if candidate.lowercased() == newTable.lowercased() { return newTable }
      if try db.tableExists(candidate) { return candidate }
    }
    throw DatabaseError(
      message: "Table \(name) does not exist. Specify the table with the inTable argument.")
  }
}

@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}
