import MartletEngine

extension TableRecord {
  /// The statement that fetches the row of a primary key of one column, compiled once: many records
  /// are fetched one by one. Nil where there is no such key, and while the statement runs.
  static func statementForKey(_ db: Database) throws -> KeyedStatement? {
    try db.checkAccess()
    // A request knows which row it reads.
    if db.recordedRegion != nil { return nil }
    let selection = databaseSelection
    // Other selections may change from one request to the next.
    guard selection.count == 1, selection[0] is AllColumns else { return nil }
    let table = databaseTableName
    if let known = db.schemaCache.keyedStatements[ObjectIdentifier(Self.self)],
      known.table.hasSameBytes(as: table)
    {
      return known.statement.sqliteStatement.isBusy ? nil : known
    }
    let columns = try db.primaryKey(table).columns
    guard columns.count == 1 else { return nil }
    var query = SQLQuery(table: table)
    query.filters = [Column(columns[0]) == 0]
    let writer = SQLWriter(db)
    let sql = try writer.sql(query)
    let keyed = KeyedStatement(
      table: table, statement: try db.internalStatement(sql: sql), column: columns[0])
    db.schemaCache.keyedStatements[ObjectIdentifier(Self.self)] = keyed
    return keyed
  }
}

/// A statement that fetches the row of a primary key, and the column of the key.
struct KeyedStatement {
  let table: String
  let statement: Statement
  let column: String
}
