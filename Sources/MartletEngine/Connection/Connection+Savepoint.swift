// SAVEPOINT, RELEASE and ROLLBACK TO (lang_savepoint).
//
// The connection keeps the names. A pager opens its savepoints when it is next written: one for
// each name, but for a savepoint that began the transaction, whose place is the beginning of the
// pager's transaction.

struct OpenSavepoint {
  let name: String
  /// What ROLLBACK TO returns to.
  let foreignKeys: ForeignKeyCounters
}

extension Connection {
  func changeSavepoint(
    _ change: SavepointChange, _ name: String, for vm: VM
  ) throws(SQLError) {
    guard change != .begin else { return try openSavepoint(name) }
    guard let position = savepoints.lastIndex(where: { $0.name.isSameName(as: name) }) else {
      throw .sql("no such savepoint: \(name)")
    }
    if change == .release {
      try releaseSavepoint(at: position)
    } else {
      try rollBack(toSavepoint: position, for: vm)
    }
  }

  private func openSavepoint(_ name: String) throws(SQLError) {
    guard writingStatementCount == 0 else {
      throw SQLError(.busy, "cannot open savepoint - SQL statements in progress")
    }
    try changeVirtualSavepoint(.begin, savepointDepth + statementSavepointCount)
    if commitsAutomatically {
      commitsAutomatically = false
      hasTransactionSavepoint = true
    }
    savepoints.append(OpenSavepoint(name: name, foreignKeys: foreignKeys))
  }

  private func releaseSavepoint(at position: Int) throws(SQLError) {
    guard writingStatementCount == 0 else {
      throw SQLError(.busy, "cannot release savepoint - SQL statements in progress")
    }
    if position == 0 && hasTransactionSavepoint {
      if foreignKeys.isBroken { throw .foreignKey }
      // The commit comes with the end of the statement.
      commitsAutomatically = true
      endingTransaction = .release
      return
    }
    let depth = pagerDepth(ofSavepoint: position)
    for tree in writingTrees { try tree.pager.releaseSavepoint(depth) }
    savepoints.removeSubrange(position...)
    // Tables that write now must not open the pagers' savepoints again.
    try changeVirtualSavepoint(.release, depth)
  }

  private func rollBack(toSavepoint position: Int, for vm: VM) throws(SQLError) {
    try ownBorrowedBytes(except: vm)
    // A statement that is changing something, and has called what runs this, would go on with half of
    // its changes taken back.
    runningStatements.forEach { other in
      if other !== vm, !other.traits.contains(.isReadOnly) { other.trip(.abortRollback) }
    }
    tripCursors(.abortRollback)
    for tree in writingTrees {
      try tree.rollback(toSavepoint: pagerDepth(ofSavepoint: position))
    }
    // Whether the schema changed since the savepoint or before it is not known.
    readChangedSchemasAgain()
    savepoints.removeSubrange((position + 1)...)
    foreignKeys = savepoints[position].foreignKeys
    // Tables that are told of it may end the transaction.
    try changeVirtualSavepoint(.rollback, pagerDepth(ofSavepoint: position))
  }

  /// -1 stands for the beginning of the transaction.
  private func pagerDepth(ofSavepoint position: Int) -> Int {
    position - (hasTransactionSavepoint ? 1 : 0)
  }

  func forgetSavepoints() {
    savepoints.removeAll()
    statementSavepointCount = 0
    hasTransactionSavepoint = false
  }

  /// Savepoints that the pagers have to have.
  var savepointDepth: Int { pagerDepth(ofSavepoint: savepoints.count) }

  /// The pager has as many savepoints as the connection: they are opened when it is next written.
  func openSavepoints(of pager: Pager, upTo depth: Int) throws(SQLError) {
    while pager.savepointCount < depth { _ = try pager.openSavepoint() }
  }

  func openStatementSavepoint(_ vm: VM, _ pager: Pager) throws(SQLError) {
    if vm.statementSavepoint == 0 {
      statementSavepointCount += 1
      vm.statementSavepoint = savepointDepth + statementSavepointCount
      vm.savedForeignKeys = foreignKeys
      try changeVirtualSavepoint(.begin, vm.statementSavepoint - 1)
    }
    try openSavepoints(of: pager, upTo: vm.statementSavepoint)
  }

  /// Ends the savepoint of a statement, taking back its changes or not. Returns what went wrong.
  func closeStatementSavepoint(_ vm: VM, takingBack: Bool) -> SQLError? {
    guard vm.statementSavepoint > 0, statementSavepointCount > 0 else { return nil }
    let depth = vm.statementSavepoint - 1
    if takingBack { foreignKeys = vm.savedForeignKeys }
    var failure: SQLError?
    for index in databases.indices where writingDatabases & (1 << UInt64(index)) != 0 {
      guard let tree = databases[index].tree else { continue }
      do {
        if takingBack { try tree.rollback(toSavepoint: depth) }
        try tree.pager.releaseSavepoint(depth)
      } catch {
        failure = error
      }
    }
    statementSavepointCount -= 1
    vm.statementSavepoint = 0
    do {
      if takingBack { try changeVirtualSavepoint(.rollback, depth) }
      try changeVirtualSavepoint(.release, depth)
    } catch {
      failure = failure ?? error
    }
    return failure
  }
}
