import MartletEngine

/// The statements by which a record is written, with the values that it has.
///
/// Statements are kept by the connection under the record's table and columns: writing many records
/// of a type makes no SQL text after the first.
struct RecordStatements<Record: MutablePersistableRecord> {
  let db: Database
  /// Of a class, that of the object and not that of its base.
  let type: Record.Type
  let container: PersistenceContainer
  let table: String
  let primaryKey: PrimaryKeyInfo
  /// What the last insertion of a record of the type has used.
  private let known: SchemaCache.Insertion?

  init(_ record: Record, _ db: Database) throws {
    try db.checkAccess()
    self.db = db
    type = Swift.type(of: record)
    container = try PersistenceContainer(record)
    let table = type.databaseTableName
    // The name of a type's table may be computed.
    known = db.schemaCache.insertions[ObjectIdentifier(type)].flatMap {
      $0.table.hasSameBytes(as: table) ? $0 : nil
    }
    self.table = table
    primaryKey = try known?.primaryKey ?? db.primaryKey(table)
  }

  /// The values of the primary key; nil if one of them is NULL: the record is not identified.
  var key: [DatabaseValue]? {
    let values = container.values(ofColumns: primaryKey.columns)
    return values.contains { $0.isNull } ? nil : values
  }

  var notFound: RecordError {
    let values = container.values(ofColumns: primaryKey.columns)
    return .recordNotFound(
      databaseTableName: table,
      key: Dictionary(uniqueKeysWithValues: zip(primaryKey.columns, values)))
  }

  private func statement(_ sql: String, _ values: [DatabaseValue]) throws -> Statement {
    let statement = try db.internalStatement(sql: sql)
    try statement.bindUnchecked(values)
    return statement
  }

  private func checkColumns() throws {
    guard container.columns.isEmpty else { return }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "\(Record.self): the record writes no columns")
  }

  // MARK: Insertion

  func insert(
    _ resolution: Database.ConflictResolution, returning: String? = nil
  ) throws -> Statement {
    try checkColumns()
    if returning == nil,
      let known,
      known.resolution == resolution,
      known.columns.elementsEqual(container.columns, by: { $0.hasSameBytes(as: $1) }),
      !known.statement.sqliteStatement.isBusy
    {
      try known.statement.bindUnchecked(container.values)
      return known.statement
    }
    var sql = "INSERT " + (resolution.clause.map { $0 + " " } ?? "")
    sql += insertionTarget
    if let returning { sql += " RETURNING \(returning)" }
    let statement = try statement(sql, container.values)
    if returning == nil {
      db.schemaCache.insertions[ObjectIdentifier(type)] = .init(
        table: table, primaryKey: primaryKey, resolution: resolution,
        columns: container.columns, statement: statement)
    }
    return statement
  }

  private var insertionTarget: String {
    let columns = container.columns.map { $0.quotedIdentifier }.joined(separator: ", ")
    let marks = databaseQuestionMarks(count: container.columns.count)
    return "INTO \(table.quotedIdentifier) (\(columns)) VALUES (\(marks))"
  }

  /// INSERT … ON CONFLICT … DO UPDATE … RETURNING …
  func upsert(_ clause: Upsert, returning: String) throws -> Statement {
    try checkColumns()
    let writer = SQLWriter(db)
    var sql = "INSERT " + insertionTarget + " ON CONFLICT"
    if !clause.target.isEmpty {
      sql += "(" + clause.target.map { $0.quotedIdentifier }.joined(separator: ", ") + ")"
    }
    let alias = TableAliasBase(userName: "excluded")
    var assignments: [String] = []
    var assigned: Set<ExactText> = []
    for assignment in clause.assignments {
      assigned.insert(assignment.columnName.nameKey)
      if let text = try assignment.sql(writer) { assignments.append(text) }
    }
    if clause.updatesAllColumns {
      let kept = Set((primaryKey.columns + clause.target).map { $0.nameKey }).union(assigned)
      for column in container.columns where !kept.contains(column.nameKey) {
        let name = column.quotedIdentifier
        assignments.append("\(name) = \(writer.column(column, of: alias))")
      }
    }
    if assignments.isEmpty {
      // An update of nothing would give no row back.
      let column = (primaryKey.columns.first ?? "rowid").quotedIdentifier
      assignments = ["\(column) = \(column)"]
    }
    sql += " DO UPDATE SET " + assignments.joined(separator: ", ")
    sql += " RETURNING \(returning)"
    return try statement(sql, container.values + writer.arguments.values)
  }

  // MARK: Update, deletion, existence

  /// Nil if the record has no key.
  func update(
    columns: Set<String>, _ resolution: Database.ConflictResolution, returning: String? = nil
  ) throws -> Statement? {
    guard let key else { return nil }
    let wanted = Set(columns.map { $0.nameKey })
    let keyColumns = Set(primaryKey.columns.map { $0.nameKey })
    var updated = container.columns.filter {
      // A set of texts has one of those that Unicode takes as equal, and stands for both.
      (columns.contains($0) || wanted.contains($0.nameKey)) && !keyColumns.contains($0.nameKey)
    }
    // Observers are told of an update that changes nothing too.
    if updated.isEmpty { updated = primaryKey.columns }
    let names = try spellings()
    let assignments = updated.map { "\((names[$0.nameKey] ?? $0).quotedIdentifier)=?" }
      .joined(separator: ", ")
    var sql = "UPDATE " + (resolution.clause.map { $0 + " " } ?? "")
    sql += "\(table.quotedIdentifier) SET \(assignments) WHERE \(keyCondition)"
    if let returning { sql += " RETURNING \(returning)" }
    return try statement(sql, container.values(ofColumns: updated) + key)
  }

  /// The names of the table's columns as it has defined them, by their small letters.
  private func spellings() throws -> [ExactText: String] {
    let names = try db.columns(in: table).map { $0.name }
    return Dictionary(names.map { ($0.nameKey, $0) }) { left, _ in left }
  }

  /// Nil if the record has no key.
  func delete() throws -> Statement? {
    guard let key else { return nil }
    return try statement("DELETE FROM \(table.quotedIdentifier) WHERE \(keyCondition)", key)
  }

  /// Nil if the record has no key.
  func exists() throws -> Statement? {
    guard let key else { return nil }
    return try statement(
      "SELECT EXISTS (SELECT 1 FROM \(table.quotedIdentifier) WHERE \(keyCondition))", key)
  }

  private var keyCondition: String {
    primaryKey.columns.map { "\($0.quotedIdentifier)=?" }.joined(separator: " AND ")
  }
}

/// What an upsert does where the row is there already.
struct Upsert {
  var target: [String] = []
  var updatesAllColumns = true
  var assignments: [ColumnAssignment] = []
}

/// Which columns an upsert updates where the row is there already.
public struct UpsertUpdateStrategy: OptionSet, Sendable {
  /// A set of bits.
  public let rawValue: Int

  /// Wraps a set of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Those that the assignments name.
  public static let noColumnUnlessSpecified: UpsertUpdateStrategy = []
  /// All that the record writes, but for the key and those that the assignments name.
  public static let allColumns = UpsertUpdateStrategy(rawValue: 1)
}

extension SchemaCache {
  /// The statement that has last inserted a record of a type.
  struct Insertion {
    let table: String
    let primaryKey: PrimaryKeyInfo
    let resolution: Database.ConflictResolution
    let columns: [String]
    let statement: Statement
  }
}

extension TableRecord {
  /// The selection of the type, for RETURNING.
  static func returningSQL(
    _ db: Database, _ selection: [any SQLSelectable]? = nil
  ) throws -> String {
    let writer = SQLWriter(db, inlinesValues: true)
    return try writer.sql(selection ?? databaseSelection, of: databaseTableName)
  }
}
