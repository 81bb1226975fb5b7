// Transactions as statements see them (lang_transaction).
//
// A statement begins a transaction when it first reads or writes. Outside BEGIN it ends with the last
// statement that runs; what was written is committed with the last statement that writes.

extension Connection: VMHost {
  var attention: AttentionFlag { attentionFlag }
  var lengthLimit: Int { functionHost.lengthLimit }
  var workMemoryLimit: Int { 64 << 20 }

  func tree(ofDatabase index: Int) throws(SQLError) -> BTree {
    guard index < databases.count, let tree = databases[index].tree else {
      throw .sql("unknown database")
    }
    return tree
  }

  func attend() throws(SQLError) {
    if attentionFlag.isRaised(for: .interrupt) { throw SQLError(.interrupt) }
  }

  // MARK: Begin

  func beginTransaction(
    onDatabase index: Int, _ mode: TransactionMode, _ version: SchemaVersion?, for vm: VM
  ) throws(SQLError) {
    guard index < databases.count else { throw SQLError(.schema) }
    // BEGIN IMMEDIATE takes what is there; a statement that knows the schema is going to use it.
    if index == 1 && version != nil { try openTemporaryDatabase() }
    guard let tree = databases[index].tree else { return }
    if mode == .read {
      try beginReading(index)
    } else {
      try beginWriting(index, exclusive: mode == .exclusive, vm)
    }
    guard let version else { return }
    let cookie = tree.pager.header.schemaCookie
    if cookie != version.cookie { databases[index].isSchemaLoaded = false }
    guard databases[index].isSchemaLoaded, catalog.databases[index].version == version else {
      throw SQLError(.schema)
    }
  }

  func beginReading(_ index: Int) throws(SQLError) {
    guard let tree = databases[index].tree else { return }
    let bit: UInt64 = 1 << UInt64(index)
    if readingDatabases & bit == 0 {
      try tree.pager.beginRead()
      readingDatabases |= bit
    }
  }

  private func beginWriting(_ index: Int, exclusive: Bool, _ vm: VM) throws(SQLError) {
    guard let tree = databases[index].tree else { return }
    let bit: UInt64 = 1 << UInt64(index)
    if readingDatabases & bit == 0 {
      try tree.pager.beginReadAndWrite(exclusive: exclusive)
      readingDatabases |= bit
    }
    writingDatabases |= bit
    try tree.beginWrite(exclusive: exclusive)
    // What other statements show of their rows must not change under them.
    for reference in runningStatements {
      let other = reference.takeUnretainedValue()
      if other !== vm { try other.ownBorrowedBytes() }
    }
    try openSavepoints(of: tree.pager, upTo: savepointDepth)
    if vm.program.traits.contains(.usesStatementJournal),
      !isAutocommit || runningStatements.count > 1
    {
      try openStatementSavepoint(vm, tree.pager)
    }
  }

  /// The pager has as many savepoints as the connection: they are opened when it is first written.
  private func openSavepoints(of pager: Pager, upTo depth: Int) throws(SQLError) {
    while pager.savepointCount < depth { _ = try pager.openSavepoint() }
  }

  private func openStatementSavepoint(_ vm: VM, _ pager: Pager) throws(SQLError) {
    if vm.statementSavepoint == 0 {
      statementSavepointCount += 1
      vm.statementSavepoint = savepointDepth + statementSavepointCount
    }
    try openSavepoints(of: pager, upTo: vm.statementSavepoint)
  }

  // MARK: BEGIN, COMMIT, ROLLBACK

  func changeTransaction(_ change: TransactionChange) throws(SQLError) {
    switch (change, isAutocommit) {
    case (.begin, true): isAutocommit = false
    case (.begin, false): throw .sql("cannot start a transaction within a transaction")
    case (.commit, false):
      if writingStatementCount > 0 {
        throw SQLError(.busy, "cannot commit transaction - SQL statements in progress")
      }
      // The commit itself comes with the end of the statement.
      isAutocommit = true
    case (.rollback, false):
      rollbackAll(tripping: .abortRollback)
      isAutocommit = true
      forgetSavepoints()
    case (.commit, true): throw .sql("cannot commit - no transaction is active")
    case (.rollback, true): throw .sql("cannot rollback - no transaction is active")
    }
  }

  func forgetSavepoints() {
    savepoints.removeAll()
    statementSavepointCount = 0
    hasTransactionSavepoint = false
  }

  /// Savepoints that the pagers have to have.
  var savepointDepth: Int { savepoints.count - (hasTransactionSavepoint ? 1 : 0) }

  func hasOtherReaders(than vm: VM) -> Bool {
    runningStatements.contains { reference in
      let other = reference.takeUnretainedValue()
      return other !== vm && other.program.traits.contains(.usesTransactions)
    }
  }

  /// Commits all databases, several of them together. Throws `busy` with everything as it was.
  func commitAll() throws(SQLError) {
    guard writingDatabases != 0 else { return }
    let trees = databases.indices.compactMap { index in
      writingDatabases & (1 << UInt64(index)) != 0 ? databases[index].tree : nil
    }
    for tree in trees { try tree.prepareCommit() }
    if trees.count == 1, let tree = trees.first {
      try tree.pager.commitPhaseOne(superJournal: nil)
      try tree.pager.commitPhaseTwo(unlocking: runningStatements.count > 1)
    } else if let main = databases[0].tree {
      try SuperJournal.commit(trees.map(\.pager), main: main.pager)
    }
    for tree in trees { tree.finishTransaction() }
    writingDatabases = 0
    changedSchemas = 0
  }

  /// Takes back all changes of all databases. `code` is what other statements get that cannot go on,
  /// because the schema that they were made for is gone; nil lets them find their places again.
  func rollbackAll(tripping code: ResultCode?) {
    let tripped = changedSchemas == 0 ? nil : code
    for (index, database) in databases.enumerated()
    where writingDatabases & (1 << UInt64(index)) != 0 {
      // The pager remembers a failure, and recovers from its journal.
      do { try database.tree?.rollback(tripping: tripped) } catch {}
    }
    forgetChangedSchemas()
    writingDatabases = 0
  }

  /// Schemas that were changed are read again, since the changes are gone.
  func forgetChangedSchemas() {
    for index in databases.indices where changedSchemas & (1 << UInt64(index)) != 0 {
      databases[index].isSchemaLoaded = false
    }
    changedSchemas = 0
  }

  // MARK: Schema

  func schemaChanged(ofDatabase index: Int) throws(SQLError) {
    changedSchemas |= 1 << UInt64(index)
    databases[index].isSchemaLoaded = false
    try readSchema(index)
  }

  // MARK: Header

  func headerValue(
    ofDatabase index: Int, _ field: HeaderField
  ) throws(SQLError) -> Int64 {
    guard let pager = databases[index].tree?.pager else { return 0 }
    let header = pager.header
    return switch field {
    case .userVersion: Int64(header.userVersion)
    case .applicationID: Int64(header.applicationID)
    case .schemaVersion: Int64(Int32(bitPattern: header.schemaCookie))
    case .pageSize: Int64(pager.pageSize)
    case .pageCount: Int64(pager.pageCount)
    case .freelistCount: Int64(header.freelistPageCount)
    case .dataVersion: Int64(pager.dataVersion)
    case .autoVacuum: header.largestRootPage == 0 ? 0 : header.hasIncrementalVacuum ? 2 : 1
    }
  }
}
