/// A column of a table that is being made.
///
/// ```swift
/// t.column("email", .text).notNull().unique().collate(.nocase)
/// ```
public final class ColumnDefinition {
  /// Whether the values of a generated column are stored.
  public enum GeneratedColumnQualification: Sendable {
    /// Computed when they are read.
    case virtual
    /// Stored with the row.
    case stored
  }

  enum Index {
    case plain, unique(Database.ConflictResolution)
  }

  struct Reference {
    let table: String
    let column: String?
    let actions: ForeignKeyActions
  }

  let name: String
  let type: Database.ColumnType?
  var primaryKey: (resolution: Database.ConflictResolution?, autoincrement: Bool)?
  private(set) var index: Index?
  private var notNullResolution: Database.ConflictResolution?
  private var checks: [SQLExpression] = []
  private var references: [Reference] = []
  private var defaultSQL: SQL?
  private var collation: String?
  private var generated: (SQLExpression, GeneratedColumnQualification)?

  init(name: String, type: Database.ColumnType?) {
    self.name = name
    self.type = type
  }

  /// Makes the column the primary key.
  @discardableResult
  public func primaryKey(
    onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
  ) -> Self {
    primaryKey = (conflictResolution, autoincrement)
    return self
  }

  /// Refuses NULL.
  @discardableResult
  public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    notNullResolution = conflictResolution ?? .abort
    return self
  }

  /// Refuses duplicates.
  @discardableResult
  public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
    index = .unique(conflictResolution ?? .abort)
    return self
  }

  /// Makes an index on the column.
  @discardableResult
  public func indexed() -> Self {
    if case .none = index { index = .plain }
    return self
  }

  /// Checks values.
  @discardableResult
  public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
    checks.append(condition(Column(name)).sqlExpression)
    return self
  }

  /// Checks values.
  @discardableResult
  public func check(sql: String) -> Self {
    checks.append(SQL(sql: sql).sqlExpression)
    return self
  }

  /// The value that the column has by default.
  @discardableResult
  public func defaults(to value: some DatabaseValueConvertible) -> Self {
    defaultSQL = SQL(sql: value.databaseValue.sqlLiteral)
    return self
  }

  /// The value that the column has by default, as SQL.
  @discardableResult
  public func defaults(sql: String) -> Self {
    defaultSQL = SQL(sql: sql)
    return self
  }

  /// The collation of the column.
  @discardableResult
  public func collate(_ collation: Database.CollationName) -> Self {
    self.collation = collation.rawValue
    return self
  }

  /// The collation of the column.
  @discardableResult
  public func collate(_ collation: DatabaseCollation) -> Self {
    self.collation = collation.name
    return self
  }

  /// Computes the column.
  @discardableResult
  public func generatedAs(
    sql: String, _ qualification: GeneratedColumnQualification = .virtual
  ) -> Self {
    generated = (SQL(sql: sql).sqlExpression, qualification)
    return self
  }

  /// Computes the column.
  @discardableResult
  public func generatedAs(
    _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
  ) -> Self {
    generated = (expression.sqlExpression, qualification)
    return self
  }

  /// Refers to a column of another table, by default to its primary key.
  @discardableResult
  public func references(
    _ table: String, column: String? = nil,
    onDelete deleteAction: Database.ForeignKeyAction? = nil,
    onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) -> Self {
    references.append(
      Reference(
        table: table, column: column,
        actions: ForeignKeyActions(
          onDelete: deleteAction, onUpdate: updateAction, isDeferred: isDeferred)))
    return self
  }

  /// The column in CREATE TABLE or ALTER TABLE.
  ///
  /// - Parameters:
  ///   - table: The table, which references of a table to itself need.
  ///   - primaryKey: The key that the table is going to have.
  func sql(_ writer: SQLWriter, table: String, primaryKey key: [String]?) throws -> String {
    var text = name.quotedIdentifier
    if let type { text += " " + type.rawValue }
    if let primaryKey {
      text += " PRIMARY KEY" + primaryKey.resolution.conflictClause
      if primaryKey.autoincrement { text += " AUTOINCREMENT" }
    }
    if let notNullResolution {
      text += " NOT NULL" + Optional(notNullResolution).conflictClause
    }
    if case .unique(let resolution) = index {
      text += " UNIQUE" + Optional(resolution).conflictClause
    }
    for check in checks { text += try " CHECK (\(writer.sql(check)))" }
    if let defaultSQL { text += try " DEFAULT " + writer.sql(defaultSQL) }
    if let collation { text += " COLLATE " + collation }
    for reference in references {
      let column = try reference.column ?? writer.schema().soleKey(of: reference.table, table, key)
      text += " REFERENCES \(reference.table.quotedIdentifier)(\(column.quotedIdentifier))"
      text += reference.actions.sql
    }
    if let (expression, qualification) = generated {
      text += try " GENERATED ALWAYS AS (\(writer.sql(expression))) "
      text += qualification == .stored ? "STORED" : "VIRTUAL"
    }
    return text
  }

  /// An index that is made after the table.
  var needsIndex: Bool {
    if case .plain = index { return true }
    return false
  }
}

@available(*, unavailable)
extension ColumnDefinition: Sendable {}

extension Optional<Database.ConflictResolution> {
  /// ON CONFLICT …; ABORT is what SQL does anyway.
  var conflictClause: String {
    guard let self, self != .abort else { return "" }
    return " ON CONFLICT \(self.rawValue)"
  }
}

/// What a foreign key does.
struct ForeignKeyActions {
  var onDelete: Database.ForeignKeyAction?
  var onUpdate: Database.ForeignKeyAction?
  var isDeferred = false

  var sql: String {
    var text = ""
    if let onDelete { text += " ON DELETE \(onDelete.rawValue)" }
    if let onUpdate { text += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    return text
  }
}

extension Database {
  /// The column that a reference to a table without column means.
  func soleKey(of table: String, _ newTable: String, _ newKey: [String]?) throws -> String {
    let columns = try keyColumns(of: table, newTable, newKey)
    guard columns.count == 1 else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the primary key of \(table) has \(columns.count) columns")
    }
    return columns[0]
  }

  /// The primary key of a table that is there, or is being made.
  func keyColumns(
    of table: String, _ newTable: String, _ newKey: [String]?
  ) throws -> [String] {
    if table.lowercased() == newTable.lowercased(), let newKey { return newKey }
    return try primaryKey(table).columns
  }
}
