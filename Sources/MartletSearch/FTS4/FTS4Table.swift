import MartletEngine

/// A table of the module `fts3` or `fts4` (fts3).
final class FTS4Table: VirtualTable {
  let declaration: FTS4Declaration
  let name: String
  let database: String
  let shadow: FTS4Shadow
  let index: FTS4Index
  let tokenizer: any LegacyTokenizer
  unowned(unsafe) let connection: Connection
  /// Of an FTS3 table: whether it got a `%_stat` later is asked with each transaction.
  private var mayGetStat: Bool
  /// A savepoint is opened by the table's own statement.
  private var ignoresSavepoints = false
  /// Gives the row of a docid; nil while a cursor has it, and before the first one wanted it.
  private var rowStatement: Statement?
  /// Statements of the table's own run, which must not use the table.
  var lockCount = 0
  /// Savepoints below that number have nothing in memory.
  private var savepoint = 0

  var columnCount: Int { declaration.columns.count }

  init(_ request: VirtualTableRequest, isFTS4: Bool, isNew: Bool) throws(SQLError) {
    guard let connection = request.connection else { throw SQLError(.misuse) }
    let tokenizers = try FTS5Extension.of(connection).legacyTokenizers
    self.connection = connection
    name = request.tableName
    database = request.databaseName
    declaration = try FTS4Declaration(request, connection, tokenizers, isFTS4: isFTS4)
    guard let tokenizer = declaration.tokenizer else { throw SQLError(.internal) }
    self.tokenizer = tokenizer
    shadow = FTS4Shadow(
      connection, database, name, readList: declaration.readList(database, name),
      writeList: declaration.writeList)
    if isNew { try shadow.execute(declaration.shadowTables(database, name)) }
    let nodeSize = try FTS4Table.pageSize(connection, database) - 35
    index = FTS4Index(
      shadow, nodeSize: nodeSize, isDescending: declaration.isDescending,
      prefixLengths: declaration.prefixLengths)
    index.hasStat = isFTS4
    mayGetStat = !isFTS4 && !isNew
    request.configure([.constraintSupport, .innocuous])
    do throws(SQLError) {
      try request.declare(declaration.declaration(name))
    } catch {
      throw SQLError(error.code)
    }
  }

  private static func pageSize(
    _ connection: Connection, _ database: String
  ) throws(SQLError) -> Int {
    do throws(SQLError) {
      let statement = try connection.prepare(
        withNames: "PRAGMA \(database.quotedIdentifier).page_size")
      return try statement.step() ? Int(statement.columnInt64(0)) : 4_096
    } catch {
      // Who must not read it gets the smallest that there was.
      if error.code.primary == .authorization { return 1_024 }
      throw SQLError(error.code)
    }
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { FTS4Cursor(self) }

  /// The statement that gives the row of a docid, to be given back.
  func takeRowStatement() throws(SQLError) -> Statement {
    if let statement = rowStatement {
      rowStatement = nil
      return statement
    }
    return try connection.prepare(
      forVirtualTable: "SELECT \(shadow.readList) WHERE rowid = ?")
  }

  /// Keeps a statement for the next cursor, as SQLite does.
  func giveBack(rowStatement statement: Statement) {
    guard rowStatement == nil else { return }
    // That it has failed was said already.
    do throws(SQLError) { try statement.reset() } catch {}
    statement.clearBindings()
    rowStatement = statement
  }

  // MARK: Definition

  func destroy() throws(SQLError) {
    var sql = ""
    for suffix in ["segments", "segdir", "docsize", "stat"] {
      sql += "DROP TABLE IF EXISTS \(shadow.table(suffix));"
    }
    if declaration.content == nil { sql += "DROP TABLE IF EXISTS \(shadow.table("content"));" }
    try shadow.execute(sql)
  }

  func rename(to newName: String) throws(SQLError) {
    try findStat()
    try index.flush()
    ignoresSavepoints = true
    defer { ignoresSavepoints = false }
    var suffixes = declaration.content == nil ? ["content"] : []
    if declaration.hasDocSizes { suffixes.append("docsize") }
    if index.hasStat { suffixes.append("stat") }
    for suffix in suffixes + ["segments", "segdir"] {
      try shadow.execute(
        "ALTER TABLE \(shadow.table(suffix)) RENAME TO "
          + (newName + "_" + suffix).quotedIdentifier)
    }
  }

  // MARK: Transactions

  private func findStat() throws(SQLError) {
    guard mayGetStat else { return }
    mayGetStat = false
    do throws(SQLError) {
      try connection.checkTable(name + "_stat", database: database)
      index.hasStat = true
    } catch {
      if error.code.primary != .error { throw SQLError(error.code) }
      index.hasStat = false
    }
  }

  func begin() throws(SQLError) {
    index.addedLeafCount = 0
    try findStat()
  }

  /// Less work than that is not worth it.
  private static let leastMerge: Int64 = 64

  func sync() throws(SQLError) {
    let rowid = connection.lastInsertRowID
    defer { connection.lastInsertRowID = rowid }
    try index.flush()
    guard index.addedLeafCount > FTS4Table.leastMerge / 16, let automerge = index.automerge,
      automerge != 0
    else { return }
    let level = try shadow.number(.maximumRelativeLevel) ?? 0
    var amount = index.addedLeafCount &* level
    amount = amount &+ amount / 2
    if amount > FTS4Table.leastMerge {
      try index.mergeIncrementally(amount: amount, leastSegments: automerge)
    }
  }

  func rollback() { index.dropPending() }

  func openSavepoint(_ number: Int) throws(SQLError) {
    if ignoresSavepoints || index.isFlushing { return }
    if index.hasPendingTerms {
      ignoresSavepoints = true
      defer { ignoresSavepoints = false }
      let table = database.quotedIdentifier + "." + name.quotedIdentifier
      try connection.execute(
        withNames: "INSERT INTO \(table)(\(name.quotedIdentifier)) VALUES('flush')")
    }
    savepoint = number + 1
  }

  func release(_ number: Int) throws(SQLError) { savepoint = number }

  func rollback(to number: Int) throws(SQLError) {
    if number + 1 <= savepoint { index.dropPending() }
  }
}
