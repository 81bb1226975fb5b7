extension ColumnInfo: FetchableRecord {}

/// A row whose foreign key refers to nothing.
public struct ForeignKeyViolation: FetchableRecord, Sendable {
  /// The table of the row.
  public var originTable: String

  /// The rowid of the row; nil if the table has none.
  public var originRowID: Int64?

  /// The table that the key refers to.
  public var destinationTable: String

  /// SQLite's number for the key in its table.
  public var foreignKeyId: Int

  /// Reads a row of `PRAGMA foreign_key_check`.
  public init(row: Row) {
    originTable = row[0]
    originRowID = row[1]
    destinationTable = row[2]
    foreignKeyId = row[3]
  }

  /// What is wrong, with the row.
  public func failureDescription(_ db: Database) throws -> String {
    var text = "FOREIGN KEY constraint violation - from \(originTable)"
    let key = try db.foreignKeys(on: originTable).first { $0.id == foreignKeyId }
    if let key { text += "(\(key.originColumns.joined(separator: ", ")))" }
    text += " to \(destinationTable)"
    if let key { text += "(\(key.destinationColumns.joined(separator: ", ")))" }
    if let originRowID,
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM \(originTable.quotedIdentifier) WHERE rowid = ?",
        arguments: [originRowID])
    {
      text += ", in \(row)"
    }
    return text
  }

  /// The error of the violation.
  public func databaseError(_ db: Database) -> DatabaseError {
    DatabaseError(
      resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
      message: (try? failureDescription(db)) ?? description)
  }
}

extension ForeignKeyViolation: CustomStringConvertible {
  /// The tables, and the row's rowid.
  public var description: String {
    let row = originRowID.map { ", in rowid \($0)" } ?? ""
    return "FOREIGN KEY constraint violation from \(originTable) to \(destinationTable)\(row)"
  }
}

extension Database {
  /// The rows of the database whose foreign keys refer to nothing.
  public func foreignKeyViolations() throws -> RecordCursor<ForeignKeyViolation> {
    try ForeignKeyViolation.fetchCursor(self, sql: "PRAGMA foreign_key_check")
  }

  /// The rows of a table whose foreign keys refer to nothing.
  public func foreignKeyViolations(
    in tableName: String, in schemaName: String? = nil
  ) throws -> RecordCursor<ForeignKeyViolation> {
    let table = try table(tableName, in: schemaName)
    let schema = table.schemaID.name.quotedIdentifier
    return try ForeignKeyViolation.fetchCursor(
      self, sql: "PRAGMA \(schema).foreign_key_check(\(table.name.quotedIdentifier))")
  }

  /// Throws an error for the first row of the database whose foreign key refers to nothing.
  public func checkForeignKeys() throws {
    if let violation = try foreignKeyViolations().next() { throw violation.databaseError(self) }
  }

  /// Throws an error for the first row of a table whose foreign key refers to nothing.
  public func checkForeignKeys(in tableName: String, in schemaName: String? = nil) throws {
    if let violation = try foreignKeyViolations(in: tableName, in: schemaName).next() {
      throw violation.databaseError(self)
    }
  }
}
