// Read transactions. A statement begins one when it first reads; outside BEGIN it ends with the last
// statement that runs.

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

  func beginTransaction(
    onDatabase index: Int, isWriting: Bool, schemaCookie: UInt32
  ) throws(SQLError) {
    guard let tree = databases[index].tree else { return }
    try beginReading(index)
    if tree.pager.header.schemaCookie != schemaCookie {
      databases[index].isSchemaLoaded = false
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

  /// Ends all read transactions, unless a statement or an explicit transaction needs them.
  func endReadingIfIdle() {
    if activeStatementCount == 0 && isAutocommit { endReading() }
  }

  func endReading() {
    for (index, database) in databases.enumerated()
    where readingDatabases & (1 << UInt64(index)) != 0 {
      database.tree?.pager.endRead()
    }
    readingDatabases = 0
  }

  func attend() throws(SQLError) {
    if attentionFlag.isRaised(for: .interrupt) { throw SQLError(.interrupt) }
  }

  /// A statement starts to run.
  func statementStarts() {
    // An interrupt ends what runs when it comes, and nothing that starts later.
    if activeStatementCount == 0 { attentionFlag.lower(.interrupt) }
    activeStatementCount += 1
  }

  func statementEnds() {
    activeStatementCount -= 1
    endReadingIfIdle()
  }

  // MARK: BEGIN, COMMIT, ROLLBACK

  func changeTransaction(_ change: TransactionChange) throws(SQLError) {
    switch (change, isAutocommit) {
    case (.begin, true): isAutocommit = false
    case (.begin, false): throw .sql("cannot start a transaction within a transaction")
    case (_, false): isAutocommit = true
    case (.commit, true): throw .sql("cannot commit - no transaction is active")
    case (.rollback, true): throw .sql("cannot rollback - no transaction is active")
    }
  }

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
