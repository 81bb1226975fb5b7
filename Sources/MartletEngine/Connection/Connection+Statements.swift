// The start and the end of statements, and what their end does to transactions.

extension Connection {
  /// A statement starts to run.
  func statementStarts(_ vm: VM) {
    // An interrupt ends what runs when it comes, and nothing that starts later.
    if runningStatements.isEmpty { attentionFlag.lower(.interrupt) }
    runningStatements.append(.passUnretained(vm))
    if !vm.program.isReadOnly { writingStatementCount += 1 }
  }

  /// A statement has ended, with an error or without. Commits or takes back what has to be, and
  /// returns the error that the statement ends with.
  func statementEnds(_ vm: VM, _ error: SQLError?) -> SQLError? {
    let result =
      vm.program.traits.contains(.usesTransactions) ? endTransaction(of: vm, error) : error
    for index in runningStatements.indices.reversed()
    where runningStatements[index].toOpaque() == Unmanaged.passUnretained(vm).toOpaque() {
      runningStatements.remove(at: index)
      break
    }
    if !vm.program.isReadOnly { writingStatementCount -= 1 }
    endReadingIfIdle()
    return result
  }

  /// Ends all read transactions, unless a statement or an explicit transaction needs them.
  func endReadingIfIdle() {
    if runningStatements.isEmpty && isAutocommit { endReading() }
  }

  func endReading() {
    for (index, database) in databases.enumerated()
    where readingDatabases & (1 << UInt64(index)) != 0 {
      database.tree?.pager.endRead()
    }
    readingDatabases = 0
  }

  /// What becomes of the changes made by a statement.
  private enum Outcome { case decided, kept, undone }

  private func endTransaction(of vm: VM, _ error: SQLError?) -> SQLError? {
    var error = error
    let isWriter = !vm.program.isReadOnly
    var outcome = Outcome.decided
    let isGrave = error?.isGrave ?? false
    if let error, isGrave, isWriter || error.code.primary != .interrupt {
      if error.code.primary != .ioError && error.code.primary != .interrupt,
        vm.program.traits.contains(.usesStatementJournal)
      {
        outcome = .undone
      } else {
        undoTransaction(vm)
      }
    }
    let mayCommit = error == nil || vm.errorPolicy == .fail && !isGrave
    if isAutocommit && writingStatementCount == (isWriter ? 1 : 0) {
      if mayCommit {
        error = commit(after: vm, error)
      } else if error?.code == .schema && runningStatements.count > 1 {
        vm.changeCount = 0
      } else {
        rollbackAll(tripping: nil)
        vm.changeCount = 0
      }
      statementSavepointCount = 0
      outcome = .decided
      vm.statementSavepoint = 0
    } else if outcome == .decided {
      if mayCommit {
        outcome = .kept
      } else if vm.errorPolicy == .rollback {
        undoTransaction(vm)
      } else {
        outcome = .undone
      }
    }
    if outcome != .decided, let failure = closeStatementSavepoint(vm, outcome) { error = failure }
    if vm.program.traits.contains(.countsChanges) {
      setChangeCount(outcome == .undone ? 0 : vm.changeCount)
      vm.changeCount = 0
    }
    return error
  }

  /// An error that leaves nothing of the transaction.
  private func undoTransaction(_ vm: VM) {
    rollbackAll(tripping: .abortRollback)
    forgetSavepoints()
    isAutocommit = true
    vm.changeCount = 0
    vm.statementSavepoint = 0
  }

  private func commit(after vm: VM, _ error: SQLError?) -> SQLError? {
    do {
      try commitAll()
      return error
    } catch {
      if error.code == .busy && vm.program.isReadOnly {
        // COMMIT may be tried again.
        isAutocommit = false
      } else {
        rollbackAll(tripping: nil)
        vm.changeCount = 0
      }
      return error
    }
  }

  /// Ends the savepoint of a statement, taking back its changes or not.
  private func closeStatementSavepoint(_ vm: VM, _ outcome: Outcome) -> SQLError? {
    guard vm.statementSavepoint > 0 else { return nil }
    let depth = vm.statementSavepoint - 1
    var failure: SQLError?
    for (index, database) in databases.enumerated()
    where writingDatabases & (1 << UInt64(index)) != 0 {
      guard let tree = database.tree else { continue }
      do {
        if outcome == .undone { try tree.rollback(toSavepoint: depth) }
        try tree.pager.releaseSavepoint(depth)
      } catch {
        failure = error
      }
    }
    statementSavepointCount -= 1
    vm.statementSavepoint = 0
    if failure != nil { undoTransaction(vm) }
    return failure
  }

  private func setChangeCount(_ count: Int64) {
    functionHost.changeCount = count
    functionHost.totalChangeCount &+= count
  }
}

extension SQLError {
  /// Errors after which nothing of the transaction can be relied on (lang_transaction §3).
  fileprivate var isGrave: Bool {
    switch code.primary {
    case .outOfMemory, .ioError, .interrupt, .full: true
    default: false
    }
  }
}
