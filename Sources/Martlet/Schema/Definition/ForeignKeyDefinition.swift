import MartletEngine

/// What columns refer to, and what happens when it goes.
struct ForeignKeyReference {
  let table: String
  /// The columns of the parent; nil for its primary key.
  let columns: [String]?
  let deleteAction: Database.ForeignKeyAction?
  let updateAction: Database.ForeignKeyAction?
  let isDeferred: Bool

  func sql(_ resolver: KeyResolver) throws -> String {
    let columns = try columns ?? resolver.primaryKey(of: table).columnNames
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    var text = "REFERENCES \(table.quotedIdentifier)(\(list))"
    if let deleteAction { text += " ON DELETE \(deleteAction.rawValue)" }
    if let updateAction { text += " ON UPDATE \(updateAction.rawValue)" }
    if isDeferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    return text
  }
}

/// The columns by which rows belong to a row of another table, as `TableDefinition.belongsTo` makes
/// them.
public final class ForeignKeyDefinition {
  let name: String
  let table: String?
  let deleteAction: Database.ForeignKeyAction?
  let updateAction: Database.ForeignKeyAction?
  let isDeferred: Bool
  private let isIndexed: Bool
  private var isUnique = false
  private var refusesNull = false
  private var notNullResolution: Database.ConflictResolution?

  init(
    name: String, table: String?, deleteAction: Database.ForeignKeyAction?,
    updateAction: Database.ForeignKeyAction?, isIndexed: Bool, isDeferred: Bool
  ) {
    self.name = name
    self.table = table
    self.deleteAction = deleteAction
    self.updateAction = updateAction
    self.isIndexed = isIndexed
    self.isDeferred = isDeferred
  }

  /// Every row must belong to one.
  @discardableResult
  public func notNull(
    onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> Self {
    refusesNull = true
    notNullResolution = conflictResolution
    return self
  }

  /// No two rows belong to the same one.
  @discardableResult
  public func unique() -> Self {
    isUnique = true
    return self
  }

  // MARK: Columns

  /// What stands for the definition in CREATE TABLE.
  struct Resolved {
    var columns: [ColumnDefinition] = []
    /// A constraint of the table, where the key has several columns.
    var constraint: (columns: [String], reference: ForeignKeyReference)?
    var index: IndexDefinition?
  }

  /// Names the columns after the relation and the key that they refer to: `teamId`.
  func resolve(
    _ resolver: KeyResolver, on origin: String, options: IndexOptions
  ) throws -> Resolved {
    let key = try parentKey(resolver)
    guard let parts = key.columns, parts.count > 1 else {
      return Resolved(columns: [column(for: key)])
    }
    let names = parts.map { name + $0.name.uppercasingFirstCharacter }
    var resolved = Resolved()
    for (part, name) in zip(parts, names) {
      let column = ColumnDefinition(name: name, type: part.type)
      if refusesNull { column.notNull(onConflict: notNullResolution) }
      resolved.columns.append(column)
    }
    resolved.constraint = (names, reference(to: key, columns: nil))
    if isIndexed || isUnique {
      resolved.index = IndexDefinition(
        name: IndexDefinition.name(on: origin, names), table: origin,
        expressions: names.map { SQLExpression(.column($0)) },
        options: isUnique ? options.union(.unique) : options)
    }
    return resolved
  }

  private func column(for key: KeyResolver.Key) -> ColumnDefinition {
    let part = key.columns?.first
    let column = ColumnDefinition(
      name: name + (part?.name.uppercasingFirstCharacter ?? "Id"),
      type: part == nil ? .integer : part?.type)
    column.references(
      key.table, column: part?.name, onDelete: deleteAction, onUpdate: updateAction,
      deferred: isDeferred)
    if refusesNull { column.notNull(onConflict: notNullResolution) }
    if isUnique { column.unique() } else if isIndexed { column.indexed() }
    return column
  }

  private func reference(to key: KeyResolver.Key, columns: [String]?) -> ForeignKeyReference {
    ForeignKeyReference(
      table: key.table, columns: columns, deleteAction: deleteAction, updateAction: updateAction,
      isDeferred: isDeferred)
  }

  /// The table's own key, where rows belong to rows of the same table; else that of the table with
  /// the given name, or with the relation's name, singular or plural.
  private func parentKey(_ resolver: KeyResolver) throws -> KeyResolver.Key {
    if let own = resolver.own {
      let isOwn = table.map { $0.isSameName(as: own.table) }
        ?? own.table.singularized.isSameName(as: name.singularized)
      if isOwn { return own }
    }
    if let table { return try resolver.primaryKey(of: table) }
    for candidate in [name, name.pluralized] where try resolver.db.tableExists(candidate) {
      return try resolver.primaryKey(of: candidate)
    }
    // Words may be those of the table for Unicode.
    if let own = resolver.own,
      own.table.singularized.lowercased() == name.singularized.lowercased()
    {
      return own
    }
    throw DatabaseError(message: "no such table: \(name)")
  }
}

@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}

/// Finds the primary keys that references are about: those of tables that exist, and that of the
/// table that is being defined.
struct KeyResolver {
  /// A primary key; its columns are nil for the rowid that has no column.
  struct Key {
    let table: String
    let columns: [(name: String, type: Database.ColumnType?)]?

    var columnNames: [String] { columns?.map(\.name) ?? [Column.rowID.name] }
  }

  let db: Database
  /// Of the table that is being defined, once it is known.
  var own: Key?

  func primaryKey(of table: String) throws -> Key {
    if let own, own.table.isSameName(as: table) { return own }
    guard let names = try db.primaryKey(table).explicitColumns else {
      return Key(table: table, columns: nil)
    }
    let infos = try db.columns(in: table)
    return Key(
      table: table,
      columns: names.map { name in
        let type = infos.first { $0.name.isSameName(as: name) }?.type ?? ""
        return (name, type.isEmpty ? nil : Database.ColumnType(type))
      })
  }
}

extension String {
  /// `teamId` of `team` and `id`.
  var uppercasingFirstCharacter: String {
    guard let first else { return self }
    return first.uppercased() + dropFirst()
  }
}
