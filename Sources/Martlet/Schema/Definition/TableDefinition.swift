/// A table that is created: its columns and constraints.
///
/// ```swift
/// try db.create(table: "book") { t in
///   t.autoIncrementedPrimaryKey("id")
///   t.column("title", .text).notNull()
///   t.belongsTo("author", onDelete: .cascade).notNull()
/// }
/// ```
public final class TableDefinition {
  enum Element {
    case column(ColumnDefinition)
    case literal(SQL)
    case relation(ForeignKeyDefinition)
    case foreignKey(columns: [String], ForeignKeyReference)
  }

  /// A part of a primary or unique key.
  enum KeyPart {
    case name(String)
    case column(ColumnDefinition)
    case relation(ForeignKeyDefinition)
  }

  struct KeyConstraint {
    var parts: [KeyPart]
    let resolution: Database.ConflictResolution?
  }

  let name: String
  let options: TableOptions
  private(set) var elements: [Element] = []
  private(set) var primaryKeyConstraint: KeyConstraint?
  private(set) var uniqueKeys: [KeyConstraint] = []
  private(set) var checks: [SQLExpression] = []
  private(set) var constraints: [SQL] = []
  private var isInPrimaryKey = false

  init(name: String, options: TableOptions) {
    self.name = name
    self.options = options
  }

  // MARK: Columns

  /// Adds an integer primary key whose values are never used again (autoinc).
  @discardableResult
  public func autoIncrementedPrimaryKey(
    _ name: String, onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
  }

  /// Adds a primary key of one column, which refuses NULL.
  @discardableResult
  public func primaryKey(
    _ name: String, _ type: Database.ColumnType,
    onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    let column = column(name, type).primaryKey(onConflict: conflictResolution)
    // Primary keys that are not the rowid may have NULLs for historical reasons (quirks §5).
    return type == .integer ? column : column.notNull()
  }

  /// Adds a primary key whose columns are defined in a closure; they refuse NULL.
  public func primaryKey(
    onConflict conflictResolution: Database.ConflictResolution? = nil, body: () throws -> Void
  ) rethrows {
    beginPrimaryKey([], conflictResolution)
    let wasInPrimaryKey = isInPrimaryKey
    isInPrimaryKey = true
    defer { isInPrimaryKey = wasInPrimaryKey }
    try body()
  }

  /// Adds a column.
  @discardableResult
  public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    elements.append(.column(column))
    if isInPrimaryKey {
      column.notNull()
      primaryKeyConstraint?.parts.append(.column(column))
    }
    return column
  }

  /// Adds a column with its definition in SQL.
  public func column(sql: String) { column(literal: SQL(sql: sql)) }

  /// Adds a column with its definition in SQL.
  public func column(literal: SQL) {
    precondition(!isInPrimaryKey, "Columns of a primary key can not be defined in SQL")
    elements.append(.literal(literal))
  }

  /// Adds the columns by which rows belong to rows of another table, with a foreign key and an
  /// index.
  ///
  /// - Parameters:
  ///   - name: The relation. The columns are named after it and the key that they refer to:
  ///     `teamId`.
  ///   - table: The other table; by default the one with the relation's name, singular or plural.
  ///   - deleteAction: What happens when the other row is deleted.
  ///   - updateAction: What happens when the other row gets another key.
  ///   - isDeferred: The reference is checked when the transaction is committed.
  ///   - indexed: The columns get an index.
  @discardableResult
  public func belongsTo(
    _ name: String, inTable table: String? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false,
    indexed: Bool = true
  ) -> ForeignKeyDefinition {
    let relation = ForeignKeyDefinition(
      name: name, table: table, deleteAction: deleteAction, updateAction: updateAction,
      isIndexed: indexed && !isInPrimaryKey, isDeferred: isDeferred)
    elements.append(.relation(relation))
    if isInPrimaryKey {
      relation.notNull()
      primaryKeyConstraint?.parts.append(.relation(relation))
    }
    return relation
  }

  // MARK: Constraints

  /// Makes columns the primary key.
  public func primaryKey(
    _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
  ) {
    beginPrimaryKey(columns.map { .name($0) }, conflictResolution)
  }

  private func beginPrimaryKey(
    _ parts: [KeyPart], _ resolution: Database.ConflictResolution?
  ) {
    precondition(primaryKeyConstraint == nil, "A table has one primary key")
    primaryKeyConstraint = KeyConstraint(parts: parts, resolution: resolution)
  }

  /// Refuses rows that are equal in these columns.
  public func uniqueKey(
    _ columns: [String], onConflict conflictResolution: Database.ConflictResolution? = nil
  ) {
    uniqueKeys.append(
      KeyConstraint(parts: columns.map { .name($0) }, resolution: conflictResolution))
  }

  /// Columns refer to rows of a table (foreignkeys).
  ///
  /// - Parameters:
  ///   - columns: The columns of this table.
  ///   - table: The parent table.
  ///   - destinationColumns: Its columns; by default its primary key.
  ///   - deleteAction: What happens when the parent row is deleted.
  ///   - updateAction: What happens when the parent's key is changed.
  ///   - isDeferred: The reference is checked when the transaction is committed.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String]? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) {
    let reference = ForeignKeyReference(
      table: table, columns: destinationColumns, deleteAction: deleteAction,
      updateAction: updateAction, isDeferred: isDeferred)
    elements.append(.foreignKey(columns: columns, reference))
  }

  /// Rows must meet a condition.
  public func check(_ condition: some SQLSpecificExpressible) {
    checks.append(condition.sqlExpression)
  }

  /// Rows must meet a condition.
  public func check(sql: String) { checks.append(SQL(sql: sql).sqlExpression) }

  /// Rows must meet a condition: a value, which is no condition of the row.
  @available(*, deprecated, message: "Use check(sql:) for conditions in SQL.")
  public func check(_ condition: some SQLExpressible) { checks.append(condition.sqlExpression) }

  /// Adds a constraint in SQL.
  public func constraint(sql: String) { constraints.append(SQL(sql: sql)) }

  /// Adds a constraint in SQL.
  public func constraint(literal: SQL) { constraints.append(literal) }
}

@available(*, unavailable)
extension TableDefinition: Sendable {}
