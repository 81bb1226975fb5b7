// Pragmas on journals.

extension Connection {
  func journalPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    switch call.pragma {
    case .journalMode: return journalMode(call)
    case .journalSizeLimit: return try journalSizeLimit(call)
    case .walCheckpoint: return checkpoint(call)
    case .walAutocheckpoint:
      if let argument = call.argument {
        settings.checkpointInterval = max(0, Int(argument.number))
        // SQLite's automatic checkpoints are such a hook (c3ref/wal_hook).
        hooks.log = nil
      }
      return try numberProgram(call, Int64(settings.checkpointInterval))
    default: return nil
    }
  }

  /// Sets the mode of one database or of all, the main one last, when it is stepped; the row has
  /// the mode that it came to.
  private func journalMode(_ call: PragmaCall) -> Program {
    var mode: Int32 = -1
    if let argument = call.argument {
      let text = argument.text.lowercased()
      // SQLite takes any beginning of a name.
      mode = Int32(JournalMode.pragmaOrder.firstIndex { $0.rawValue.hasPrefix(text) } ?? -1)
    }
    var targets = [call.database]
    if call.schema == nil && mode >= 0 { targets = databases.indices.reversed() }
    let program = program(columns: [call.name]) { builder in
      let register = builder.newRegister()
      for target in targets where databases[target].tree != nil {
        builder.emit(.integer, mode, register.rawValue)
        builder.emit(
          .perform, Int32(ConnectionCommand.journalMode.rawValue), Int32(target),
          register.rawValue)
      }
      builder.emit(.resultRow, register.rawValue, 1)
    }
    program.countsAsChange = true
    return program
  }

  /// The command `journalMode`.
  func setJournalMode(
    ofDatabase index: Int, _ number: Int64
  ) throws(SQLError) -> JournalMode {
    let tree = try tree(ofDatabase: index)
    let pager = tree.pager
    guard number >= 0, number < Int64(JournalMode.pragmaOrder.count) else {
      // Who asks does not open a log that the connection has no other use for: it would keep others
      // from leaving WAL mode.
      if !databases[index].isSchemaLoaded { _ = try lookWithoutWaiting(index) { _ in } }
      return pager.journalMode
    }
    let mode = JournalMode.pragmaOrder[Int(number)]
    // Nobody leaves WAL mode while others have the log open.
    if mode == .wal && pager.writeAheadLog != nil { return mode }
    // The file says whether its database is in WAL mode.
    _ = try lookWithoutWaiting(index) { _ in }
    let old = pager.journalMode
    if mode == .off && settings.flags.contains(.isDefensive) { return old }
    guard mode != old, mode == .wal || old == .wal else {
      try pager.setJournalMode(mode)
      return pager.journalMode
    }
    if pager.hasChanges || (mode == .wal && !pager.canUseWriteAheadLog) { return old }
    guard isAutocommit, readingDatabases == 0 else {
      let direction = mode == .wal ? "into" : "out of"
      throw .sql("cannot change \(direction) wal mode from within a transaction")
    }
    if old == .wal {
      try pager.closeWriteAheadLog()
    } else if old == .memory {
      // Without a journal on disk, the header is changed in one write.
      try pager.setJournalMode(.off)
    }
    pager.isLeavingWAL = old == .wal
    defer { pager.isLeavingWAL = false }
    do throws(SQLError) {
      try tree.setFormatVersion(mode == .wal ? 2 : 1)
    } catch {
      // What is refused leaves the connection with the journal that it had.
      if old == .memory { _ = try? pager.setJournalMode(.memory) }
      throw error
    }
    if mode == .wal {
      // A rollback journal that was kept goes; the log is opened with the next read.
      try pager.setJournalMode(.memory)
      pager.journalMode = .wal
    } else {
      try pager.setJournalMode(mode)
    }
    return mode
  }

  private func journalSizeLimit(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let pager = databases[call.database].tree?.pager else { return emptyProgram() }
    if let argument = call.argument { pager.journalSizeLimit = max(argument.int64.value, -1) }
    return try numberProgram(call, pager.journalSizeLimit)
  }

  private func checkpoint(_ call: PragmaCall) -> Program {
    let mode: CheckpointMode =
      switch call.argument?.text.lowercased() {
      case "full": .full
      case "restart": .restart
      case "truncate": .truncate
      case "noop": .noop
      default: .passive
      }
    let program = program(columns: [Name("busy"), Name("log"), Name("checkpointed")]) { builder in
      let row = builder.newRegisters(3)
      builder.emit(.integer, mode.rawValue, row.rawValue)
      builder.emit(
        .perform, Int32(ConnectionCommand.checkpoint.rawValue),
        call.schema == nil ? -1 : Int32(call.database), row.rawValue)
      builder.emit(.resultRow, row.rawValue, 3)
    }
    program.countsAsChange = true
    return program
  }

  /// The command `checkpoint`, of one database or, for -1, of all. The row has whether somebody was
  /// in the way, and for the first database the frames of the log and those in the file.
  func checkpoint(
    ofDatabase index: Int, _ row: UnsafeMutablePointer<Register>
  ) throws(SQLError) {
    let mode = CheckpointMode(rawValue: Int32(truncatingIfNeeded: row.pointee.integer)) ?? .passive
    let result = try checkpoint(mode, onDatabase: index < 0 ? nil : index)
    row.pointee.setInteger(result.isBusy ? 1 : 0)
    (row + 1).pointee.setInteger(Int64(result.frameCount))
    (row + 2).pointee.setInteger(Int64(result.backfillCount))
  }

  /// Within a transaction there is no checkpoint.
  private func checkpoint(
    _ mode: CheckpointMode, onDatabase index: Int?
  ) throws(SQLError) -> CheckpointResult {
    var result = CheckpointResult()
    var isFirst = true
    busyWaiter.startOver()
    let flag = attentionFlag
    for (number, database) in databases.enumerated() where index == nil || index == number {
      guard let pager = database.tree?.pager else { continue }
      if readingDatabases & (1 << UInt64(number)) != 0 { throw SQLError(.locked) }
      // Whether there is a log, the header says.
      if pager.writeAheadLog == nil { _ = try lookWithoutWaiting(number) { _ in } }
      do throws(SQLError) {
        let one = try pager.checkpoint(mode) { flag.isRaised(for: .interrupt) }
        if let one {
          if one.isBusy { result.isBusy = true }
          if isFirst {
            result.frameCount = one.frameCount
            result.backfillCount = one.backfillCount
          }
        }
      } catch where error.code == .busy {
        result.isBusy = true
      }
      isFirst = false
    }
    return result
  }
}

extension Connection {
  /// Copies the write-ahead log of a database, or of all databases, into its file
  /// (`sqlite3_wal_checkpoint_v2`; wal §3).
  ///
  /// - Parameter name: nil for all databases; the numbers in the result are those of the first.
  /// - Returns: frames of the log and in the file, -1 for a database that is not in WAL mode, and
  ///   whether somebody was in the way of doing it all.
  /// - Throws: `locked` inside a transaction that uses the database; "unknown database".
  @discardableResult
  public func checkpoint(
    _ mode: CheckpointMode = .passive, database name: String? = nil
  ) throws(SQLError) -> CheckpointResult {
    lock.lock()
    defer { lock.unlock() }
    forgetOldInterrupt()
    var index: Int?
    if let name {
      index = databases.indices.first { isDatabase($0, named: name) }
      if index == nil { throw .sql("unknown database: \(name)") }
    }
    return try checkpoint(mode, onDatabase: index)
  }

  /// Called after each commit to a write-ahead log, with the name of the database and the frames of
  /// its log, outside of any transaction; it may use the connection (`sqlite3_wal_hook`). An error
  /// is that of the statement. It takes the place of the checkpoints that are made automatically.
  public typealias LogHook = @Sendable (String, Int) throws(SQLError) -> Void

  /// Called after each commit to a write-ahead log; nil makes the automatic checkpoints that
  /// `checkpointInterval` says.
  public func setLogHook(_ hook: LogHook?) {
    locked { hooks.log = hook }
  }

  /// To be called when a statement has ended and no transaction is open.
  func tellLogHook() throws(SQLError) {
    for (index, database) in databases.enumerated() {
      guard let pager = database.tree?.pager, pager.committedFrameCount > 0 else { continue }
      let frameCount = Int(pager.committedFrameCount)
      pager.committedFrameCount = 0
      if let hook = hooks.log {
        try hook(database.name, frameCount)
      } else if settings.checkpointInterval > 0, frameCount >= settings.checkpointInterval {
        // Who is in the way now will do it, or the next commit.
        do throws(SQLError) { _ = try checkpoint(.passive, onDatabase: index) } catch {}
      }
    }
  }
}

extension BTree {
  /// Writes the versions of the file format that say whether the database is in WAL mode
  /// (fileformat2 §1.3.3), in a transaction with a rollback journal.
  fileprivate func setFormatVersion(_ version: UInt8) throws(SQLError) {
    try pager.beginReadAndWrite(exclusive: false)
    defer { pager.endRead() }
    do throws(SQLError) {
      try beginWrite()
      if pager.header.writeVersion != version || pager.header.readVersion != version {
        try pager.lockExclusively()
        let page = try pager.page(PageNumber(1))
        defer { pager.unpin(page) }
        try pager.makeWritable(page)
        page.pointee.data[18] = version
        page.pointee.data[19] = version
        try pager.updateHeader()
      }
      try commit()
    } catch {
      do { try rollback(tripping: nil) } catch {}
      throw error
    }
  }
}

extension JournalMode {
  /// The order in which SQLite compares the beginnings of names.
  fileprivate static let pragmaOrder: [JournalMode] = [
    .delete, .persist, .off, .truncate, .memory, .wal,
  ]
}
