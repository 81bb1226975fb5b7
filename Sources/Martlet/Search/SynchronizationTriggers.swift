import MartletEngine

/// The triggers that keep the index of a full-text table up to date with the table that has its
/// content (fts3 §6.2.2, fts5 §4.4.3).
///
/// Names and texts are those of GRDB: a file that one has made, the other can go on with.
struct SynchronizationTriggers {
  private let table: String
  private let content: String
  /// The rowid of the content, and the columns behind it.
  private let contentColumns: [String]
  private let columns: [String]
  private let ifNotExists: Bool

  /// - Throws: A `DatabaseError` for a temporary table: triggers of another schema could not reach
  ///   it.
  init(
    of table: String, with content: String, columns: [String],
    _ configuration: VirtualTableConfiguration, _ db: Database
  ) throws {
    guard !configuration.temporary else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "temporary full-text table \(table) cannot be synchronized with a table")
    }
    self.table = table
    self.content = content
    self.columns = columns
    contentColumns = [try db.primaryKey(content).rowIDColumn ?? Column.rowID.name] + columns
    ifNotExists = configuration.ifNotExists
  }

  /// FTS4 reads the old content when a row is deleted, so that goes before the change.
  func createFTS4(_ db: Database) throws {
    let target = table.quotedIdentifier
    let old = "old." + contentColumns[0].quotedIdentifier
    let delete = "DELETE FROM \(target) WHERE docid=\(old)"
    let new = list(contentColumns, of: "new")
    let insert = "INSERT INTO \(target)(\(list(["docid"] + columns))) VALUES(\(new))"
    try create("bu", "BEFORE UPDATE", [delete], db)
    try create("bd", "BEFORE DELETE", [delete], db)
    try create("au", "AFTER UPDATE", [insert], db)
    try create("ai", "AFTER INSERT", [insert], db)
    try rebuild(db)
  }

  /// FTS5 is told the old content.
  func createFTS5(_ db: Database) throws {
    let target = table.quotedIdentifier
    let columns = list(["rowid"] + columns)
    let old = list(contentColumns, of: "old")
    let delete = "INSERT INTO \(target)(\(target), \(columns)) VALUES('delete', \(old))"
    let insert = "INSERT INTO \(target)(\(columns)) VALUES (\(list(contentColumns, of: "new")))"
    try create("ai", "AFTER INSERT", [insert], db)
    try create("ad", "AFTER DELETE", [delete], db)
    try create("au", "AFTER UPDATE", [delete, insert], db)
    try rebuild(db)
  }

  static func drop(_ suffixes: [String], of table: String, _ db: Database) throws {
    for suffix in suffixes {
      try db.execute(sql: "DROP TRIGGER IF EXISTS " + name(suffix, of: table).quotedIdentifier)
    }
  }

  private static func name(_ suffix: String, of table: String) -> String { "__\(table)_\(suffix)" }

  private func create(
    _ suffix: String, _ event: String, _ actions: [String], _ db: Database
  ) throws {
    let name = SynchronizationTriggers.name(suffix, of: table).quotedIdentifier
    let head = "CREATE TRIGGER " + (ifNotExists ? "IF NOT EXISTS " : "")
    let body = actions.map { "    \($0);\n" }.joined()
    try db.execute(
      sql: "\(head)\(name) \(event) ON \(content.quotedIdentifier) BEGIN\n\(body)END")
  }

  /// Indexes the rows that are there.
  private func rebuild(_ db: Database) throws {
    let target = table.quotedIdentifier
    try db.execute(sql: "INSERT INTO \(target)(\(target)) VALUES('rebuild')")
  }

  private func list(_ columns: [String], of row: String? = nil) -> String {
    let prefix = row.map { $0 + "." } ?? ""
    return columns.map { prefix + $0.quotedIdentifier }.joined(separator: ", ")
  }
}
