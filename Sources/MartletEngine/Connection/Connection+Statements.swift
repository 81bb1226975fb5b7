// The start and the end of statements, and what their end does to transactions.

extension Connection {
  /// A statement starts to run.
  func statementStarts(_ vm: VM) {
    forgetOldInterrupt()
    runningStatements.append(vm)
    openDatabases.transaction.pointee.statementCount = runningStatements.count
    if vm.traits.contains(.usesTransactions) { readingStatementCount += 1 }
    if !vm.traits.contains(.isReadOnly) { writingStatementCount += 1 }
  }

  /// A statement has ended, with an error or without. Commits or takes back what has to be, and
  /// returns the error that the statement ends with.
  func statementEnds(_ vm: VM, _ error: SQLError?) -> SQLError? {
    let usesTransactions = vm.traits.contains(.usesTransactions)
    var result = error
    if error?.code == .corrupt, !commitsAutomatically { hasMetDamage = true }
    if usesTransactions {
      if error == nil, !commitsAutomatically, vm.statementSavepoint == 0, vm.foreignKeyCount == 0 {
        // Inside BEGIN, there is nothing to be decided.
        if vm.traits.contains(.countsChanges) { setChangeCount(vm.changeCount) }
      } else {
        result = endTransaction(of: vm, error)
      }
    }
    runningStatements.remove(vm)
    openDatabases.transaction.pointee.statementCount = runningStatements.count
    if usesTransactions { readingStatementCount -= 1 }
    if !vm.traits.contains(.isReadOnly) { writingStatementCount -= 1 }
    endReadingIfIdle()
    // What a statement has committed that failed all the same is told with the next one.
    if hasLoggedCommit, commitsAutomatically, result == nil {
      hasLoggedCommit = false
      do { try tellLogHook() } catch { result = error }
    }
    return result
  }

  /// Ends all read transactions, unless a statement or an explicit transaction needs them.
  func endReadingIfIdle() {
    if readingStatementCount == 0 && commitsAutomatically && !modules.isSyncing { endReading() }
  }

  func endReading() {
    guard readingDatabases != 0 else { return }
    for index in databases.indices { endReading(index) }
  }

  func endReading(_ index: Int) {
    let bit: UInt64 = 1 << UInt64(index)
    guard readingDatabases & bit != 0 else { return }
    readingDatabases &= ~bit
    writingDatabases &= ~bit
    if let tree = databases[index].tree { tree.pager.endRead() }
  }

  /// What becomes of the changes made by a statement, where it is not the whole transaction that is
  /// decided about.
  private enum Outcome { case decided, kept, undone }

  /// SQLite's sqlite3VdbeHalt.
  private func endTransaction(of vm: VM, _ error: SQLError?) -> SQLError? {
    var error = error
    let isWriter = !vm.traits.contains(.isReadOnly)
    var outcome = Outcome.decided
    let isGrave = error?.isGrave ?? false
    if let error, isGrave, isWriter || error.code.primary != .interrupt {
      if error.code.primary != .ioError && error.code.primary != .interrupt,
        vm.traits.contains(.usesStatementJournal)
      {
        outcome = .undone
      } else {
        undoTransaction(vm)
      }
    }
    if vm.foreignKeyCount != 0, error == nil || vm.errorPolicy == .fail && !isGrave {
      error = .foreignKey
      vm.errorPolicy = .abort
    }
    let mayCommit = error == nil || vm.errorPolicy == .fail && !isGrave
    // What virtual tables run while they are told of a commit does not commit itself.
    if commitsAutomatically && !modules.isSyncing && writingStatementCount == (isWriter ? 1 : 0) {
      if mayCommit {
        error = commit(after: vm, error)
      } else if error?.code == .schema && runningStatements.count > 1 {
        vm.changeCount = 0
      } else {
        rollbackAll(
          tripping: nil, keepsReaders: endingTransaction == nil, tellsHook: error?.code != .schema)
        vm.changeCount = 0
      }
      statementSavepointCount = 0
      outcome = .decided
      vm.statementSavepoint = 0
    } else if outcome == .decided {
      if error == nil || vm.errorPolicy == .fail {
        outcome = .kept
      } else if vm.errorPolicy == .abort {
        outcome = .undone
      } else {
        undoTransaction(vm)
      }
    }
    if outcome != .decided {
      error = closeStatement(vm, takingBack: outcome == .undone, error)
    }
    // A statement that is about to be prepared again has not run.
    if vm.traits.contains(.countsChanges), error?.code != .schema {
      setChangeCount(outcome == .undone ? 0 : vm.changeCount)
      vm.changeCount = 0
    }
    return error
  }

  /// An error that leaves nothing of the transaction.
  private func undoTransaction(_ vm: VM) {
    rollbackAll(tripping: .abortRollback)
    forgetSavepoints()
    commitsAutomatically = true
    vm.changeCount = 0
    vm.statementSavepoint = 0
  }

  private func commit(after vm: VM, _ error: SQLError?) -> SQLError? {
    let ending = endingTransaction
    endingTransaction = nil
    do throws(SQLError) {
      if foreignKeys.isBroken { throw .foreignKey }
      if hasMetDamage { throw SQLError(.corrupt) }
      try commitAll(after: vm)
      forgetForeignKeys()
      if ending != nil { forgetSavepoints() }
      return error
    } catch {
      if error.code == .busy && vm.traits.contains(.isReadOnly) {
        // COMMIT and RELEASE may be tried again.
        if ending != nil { commitsAutomatically = false }
        return error
      }
      // A statement that commits itself has shown nobody what it made.
      rollbackAll(tripping: nil, keepsReaders: ending == nil)
      vm.changeCount = 0
      switch ending {
      case .commit: forgetSavepoints()
      // The savepoints of a transaction without changes remain. A pager that could not take them back
      // starts anew with the next lock, and its error is over.
      case .release:
        commitsAutomatically = false
        if !hasOtherReaders(than: vm) { endReading() }
        hasMetDamage = error.code == .corrupt
      case nil: break
      }
      return error
    }
  }

  /// Ends the savepoint of a statement. Returns the error that the statement ends with.
  private func closeStatement(
    _ vm: VM, takingBack: Bool, _ error: SQLError?
  ) -> SQLError? {
    guard let failure = closeStatementSavepoint(vm, takingBack: takingBack) else { return error }
    undoTransaction(vm)
    // What broke the statement before, unless it was a constraint, says more.
    guard let error, error.code.primary != .constraint else { return failure }
    return error
  }

  private func setChangeCount(_ count: Int64) {
    functionHost.changeCount = count
    functionHost.totalChangeCount &+= count
  }
}

/// What ends a transaction at the end of its statement.
enum TransactionEnd { case commit, release }
