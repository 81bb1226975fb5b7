/// A column of a table that is created or altered, as `TableDefinition.column(_:_:)` makes it.
///
/// ```swift
/// try db.create(table: "player") { t in
///   t.autoIncrementedPrimaryKey("id")
///   t.column("name", .text).notNull()
///   t.column("score", .integer).notNull().defaults(to: 0).check { $0 >= 0 }
/// }
/// ```
public final class ColumnDefinition {
  /// Whether a generated column takes room in the file (gencol §2.1).
  public enum GeneratedColumnQualification: Sendable {
    /// It is computed when it is read.
    case virtual
    /// It is computed when the row is written.
    case stored
  }

  enum Indexing {
    case none
    case plain
    case unique(Database.ConflictResolution)
  }

  let name: String
  let type: Database.ColumnType?
  private(set) var isPrimaryKey = false
  private(set) var indexing = Indexing.none
  private var primaryKeyClause = ""
  private var notNullClause: String?
  private var checks: [SQLExpression] = []
  private var defaultValue: SQLExpression?
  private var collation: String?
  private var references: [ForeignKeyReference] = []
  private var generation: (SQLExpression, GeneratedColumnQualification)?

  init(name: String, type: Database.ColumnType?) {
    self.name = name
    self.type = type
  }

  /// Makes the column the primary key.
  ///
  /// - Parameters:
  ///   - conflictResolution: What is done with a row whose key is there already.
  ///   - autoincrement: Keys of deleted rows are not used again (autoinc).
  @discardableResult
  public func primaryKey(
    onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
  ) -> Self {
    isPrimaryKey = true
    primaryKeyClause = "PRIMARY KEY" + ColumnDefinition.clause(conflictResolution)
    if autoincrement { primaryKeyClause += " AUTOINCREMENT" }
    return self
  }

  static func clause(_ resolution: Database.ConflictResolution?) -> String {
    resolution.map { " ON CONFLICT \($0.rawValue)" } ?? ""
  }

  /// The column refuses NULL.
  @discardableResult
  public func notNull(
    onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> Self {
    let resolution = conflictResolution == .abort ? nil : conflictResolution
    notNullClause = "NOT NULL" + ColumnDefinition.clause(resolution)
    return self
  }

  /// The column refuses a value that another row has.
  @discardableResult
  public func unique(
    onConflict conflictResolution: Database.ConflictResolution? = nil
  ) -> Self {
    indexing = .unique(conflictResolution ?? .abort)
    return self
  }

  /// The column gets an index, `TABLE_on_COLUMN`.
  @discardableResult
  public func indexed() -> Self {
    if case .none = indexing { indexing = .plain }
    return self
  }

  /// Rows must meet a condition of the column.
  ///
  /// It is SQL: what `==` makes of two values of Swift is none.
  @discardableResult
  public func check(
    _ condition: (Column) throws -> any SQLSpecificExpressible
  ) rethrows -> Self {
    try checks.append(condition(Column(name)).sqlExpression)
    return self
  }

  /// Rows must meet a condition.
  @discardableResult
  public func check(sql: String) -> Self {
    checks.append(SQL(sql: sql).sqlExpression)
    return self
  }

  /// The value of rows that are inserted without one.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    defaultValue = SQLExpression(.value(value.databaseValue))
    return self
  }

  /// The value of rows that are inserted without one.
  @discardableResult
  public func defaults(sql: String) -> Self {
    defaultValue = SQL(sql: sql).sqlExpression
    return self
  }

  /// The collation that comparisons and indexes of the column use.
  @discardableResult
  public func collate(_ collation: Database.CollationName) -> Self {
    self.collation = collation.rawValue
    return self
  }

  /// The collation that comparisons and indexes of the column use.
  @discardableResult
  public func collate(_ collation: DatabaseCollation) -> Self {
    self.collation = collation.name
    return self
  }

  /// The column is computed from others (gencol).
  @discardableResult
  public func generatedAs(
    sql: String, _ qualification: GeneratedColumnQualification = .virtual
  ) -> Self {
    generation = (SQL(sql: sql).sqlExpression, qualification)
    return self
  }

  /// The column is computed from others (gencol).
  @discardableResult
  public func generatedAs(
    _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
  ) -> Self {
    generation = (expression.sqlExpression, qualification)
    return self
  }

  /// The column refers to rows of a table (foreignkeys).
  ///
  /// - Parameters:
  ///   - table: The parent table.
  ///   - column: Its column; by default its primary key.
  ///   - deleteAction: What happens when the parent row is deleted.
  ///   - updateAction: What happens when the parent's key is changed.
  ///   - isDeferred: The reference is checked when the transaction is committed.
  @discardableResult
  public func references(
    _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) -> Self {
    references.append(
      ForeignKeyReference(
        table: table, columns: column.map { [$0] }, deleteAction: deleteAction,
        updateAction: updateAction, isDeferred: isDeferred))
    return self
  }

  // MARK: SQL

  /// The definition as it stands in CREATE TABLE.
  func sql(_ resolver: KeyResolver) throws -> String {
    let writer = SQLWriter(resolver.db, inlinesValues: true)
    var parts = [name.quotedIdentifier]
    if let type { parts.append(type.rawValue) }
    if isPrimaryKey { parts.append(primaryKeyClause) }
    if let notNullClause { parts.append(notNullClause) }
    if case .unique(let resolution) = indexing {
      parts.append("UNIQUE" + ColumnDefinition.clause(resolution == .abort ? nil : resolution))
    }
    for check in checks { parts.append("CHECK (\(try writer.sql(check)))") }
    if let defaultValue { parts.append("DEFAULT \(try writer.sql(defaultValue))") }
    if let collation { parts.append("COLLATE \(collation)") }
    for reference in references { parts.append(try reference.sql(resolver)) }
    if let (expression, qualification) = generation {
      let word = qualification == .stored ? "STORED" : "VIRTUAL"
      parts.append("GENERATED ALWAYS AS (\(try writer.sql(expression))) \(word)")
    }
    return parts.joined(separator: " ")
  }

  /// The index that `indexed()` has asked for.
  func index(on table: String, options: IndexOptions = []) -> IndexDefinition? {
    guard case .plain = indexing else { return nil }
    return IndexDefinition(
      name: "\(table)_on_\(name)", table: table, expressions: [SQLExpression(.column(name))],
      options: options)
  }
}

@available(*, unavailable)
extension ColumnDefinition: Sendable {}
