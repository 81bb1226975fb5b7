import MartletEngine

/// The statements by which a record is written, with the values that it has.
struct RecordStatements<Record: MutablePersistableRecord> {
  let db: Database
  /// Of a class, that of the object and not that of its base.
  let type: Record.Type
  let container: PersistenceContainer
  let kept: KeptRecordStatements

  init(_ record: Record, _ db: Database) throws {
    try db.checkAccess()
    self.db = db
    type = Swift.type(of: record)
    container = try PersistenceContainer(record)
    kept = try KeptRecordStatements.of(type, writing: container, db)
  }

  var table: String { kept.table }

  /// The record has a key; not if one of its values is NULL.
  var hasKey: Bool {
    for place in kept.keyPlaces {
      guard let place, !container.values[place].isNull else { return false }
    }
    return true
  }

  var notFound: RecordError {
    let values = container.values(ofColumns: kept.keyColumns)
    return .recordNotFound(
      databaseTableName: table,
      key: Dictionary(zip(kept.keyColumns, values)) { left, _ in left })
  }

  /// The values of some of the record's columns.
  private func values(at places: [Int?]) -> [DatabaseValue] {
    places.map { place in place.map { container.values[$0] } ?? .null }
  }

  /// A statement that was made before, or a new one, with its values.
  private func statement(
    _ purpose: KeptRecordStatements.Purpose, returning: String? = nil,
    _ make: () throws -> (sql: String, places: [Int?])
  ) throws -> Statement {
    if let known = kept.find(purpose, returning: returning ?? "") {
      try known.statement.bindUnchecked(values(at: known.places))
      return known.statement
    }
    var (sql, places) = try make()
    if let returning { sql += " RETURNING \(returning)" }
    let statement = try db.internalStatement(sql: sql)
    kept.keep(
      .init(
        purpose: purpose, returning: returning ?? "", statement: statement, places: places))
    try statement.bindUnchecked(values(at: places))
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
    return try statement(.insertion(resolution), returning: returning) {
      let sql = "INSERT " + (resolution.clause.map { $0 + " " } ?? "") + insertionTarget
      return (sql, Array(container.columns.indices))
    }
  }

  private var insertionTarget: String {
    let columns = container.columns.map { $0.quotedIdentifier }.joined(separator: ", ")
    let marks = databaseQuestionMarks(count: container.columns.count)
    return "INTO \(table.quotedIdentifier) (\(columns)) VALUES (\(marks))"
  }

  /// INSERT … ON CONFLICT … DO UPDATE … RETURNING …
  func upsert(_ clause: Upsert, returning: String) throws -> Statement {
    try checkColumns()
    if clause.assignments.isEmpty {
      let purpose = KeptRecordStatements.Purpose.upsert(
        target: clause.target, updatesAllColumns: clause.updatesAllColumns)
      return try statement(purpose, returning: returning) {
        (try upsertSQL(clause, SQLWriter(db)), Array(container.columns.indices))
      }
    }
    let writer = SQLWriter(db)
    let sql = try upsertSQL(clause, writer) + " RETURNING \(returning)"
    let statement = try db.internalStatement(sql: sql)
    try statement.bindUnchecked(container.values + writer.arguments.values)
    return statement
  }

  private func upsertSQL(_ clause: Upsert, _ writer: SQLWriter) throws -> String {
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
      let kept = Set((kept.keyColumns + clause.target).map { $0.nameKey }).union(assigned)
      for column in container.columns where !kept.contains(column.nameKey) {
        let name = column.quotedIdentifier
        assignments.append("\(name) = \(writer.column(column, of: alias))")
      }
    }
    if assignments.isEmpty {
      // An update of nothing would give no row back.
      let column = (kept.keyColumns.first ?? "rowid").quotedIdentifier
      assignments = ["\(column) = \(column)"]
    }
    return sql + " DO UPDATE SET " + assignments.joined(separator: ", ")
  }

  // MARK: Update, deletion, existence

  /// Nil if the record has no key.
  func update(
    _ columns: UpdatedColumns, _ resolution: Database.ConflictResolution, returning: String? = nil
  ) throws -> Statement? {
    guard hasKey else { return nil }
    let purpose: KeptRecordStatements.Purpose =
      columns.all === kept ? .update(resolution) : .partialUpdate(resolution, of: columns.names)
    return try statement(purpose, returning: returning) {
      let updated = updatedColumns(columns.names)
      let names = try spellings()
      let assignments = updated.map { "\((names[$0.nameKey] ?? $0).quotedIdentifier)=?" }
        .joined(separator: ", ")
      let sql =
        "UPDATE " + (resolution.clause.map { $0 + " " } ?? "")
        + "\(table.quotedIdentifier) SET \(assignments) WHERE \(keyCondition)"
      return (sql, updated.map { container.index(of: $0) } + kept.keyPlaces)
    }
  }

  private func updatedColumns(_ columns: Set<String>) -> [String] {
    let wanted = Set(columns.map { $0.nameKey })
    let keyColumns = Set(kept.keyColumns.map { $0.nameKey })
    let updated = container.columns.filter {
      // A set of texts has one of those that Unicode takes as equal, and stands for both.
      (columns.contains($0) || wanted.contains($0.nameKey)) && !keyColumns.contains($0.nameKey)
    }
    // Observers are told of an update that changes nothing too.
    return updated.isEmpty ? kept.keyColumns : updated
  }

  /// The names of the table's columns as it has defined them, by their small letters.
  private func spellings() throws -> [ExactText: String] {
    let names = try db.columns(in: table).map { $0.name }
    return Dictionary(names.map { ($0.nameKey, $0) }) { left, _ in left }
  }

  /// Nil if the record has no key.
  func delete() throws -> Statement? {
    guard hasKey else { return nil }
    return try statement(.deletion) {
      ("DELETE FROM \(table.quotedIdentifier) WHERE \(keyCondition)", kept.keyPlaces)
    }
  }

  /// Nil if the record has no key.
  func exists() throws -> Statement? {
    guard hasKey else { return nil }
    return try statement(.existence) {
      let table = table.quotedIdentifier
      return ("SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(keyCondition))", kept.keyPlaces)
    }
  }

  private var keyCondition: String {
    kept.keyColumns.map { "\($0.quotedIdentifier)=?" }.joined(separator: " AND ")
  }
}

/// The columns that an update writes, as far as the record does.
struct UpdatedColumns {
  let names: Set<String>
  /// The statements of records that write exactly these columns; nil if some were chosen.
  let all: KeptRecordStatements?

  /// Some columns.
  init(_ names: Set<String>) {
    self.names = names
    all = nil
  }

  /// All columns that a record writes.
  init(allOf kept: KeptRecordStatements) {
    names = kept.columnSet
    all = kept
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

extension TableRecord {
  /// The selection of the type, for RETURNING.
  static func returningSQL(
    _ db: Database, _ selection: [any SQLSelectable]? = nil
  ) throws -> String {
    let selection = selection ?? databaseSelection
    if selection.count == 1, selection[0] is AllColumns { return "*" }
    return try SQLWriter(db, inlinesValues: true).sql(selection, of: databaseTableName)
  }
}
