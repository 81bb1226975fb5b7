// Pragmas on journals.

extension Connection {
  func journalPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    switch call.key {
    case "journal_mode": return journalMode(call)
    case "journal_size_limit": return try journalSizeLimit(call)
    case "wal_checkpoint": return checkpoint(call)
    case "wal_autocheckpoint":
      if let argument = call.argument {
        settings.checkpointInterval = max(0, Int(argument.number))
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
    let pager = try tree(ofDatabase: index).pager
    // The file says whether its database is in WAL mode.
    let isWAL =
      try lookWithoutWaiting(index) { tree in tree.pager.header.isWAL }
      ?? pager.header.isWAL
    guard number >= 0, number < Int64(JournalMode.pragmaOrder.count) else {
      return isWAL ? .wal : pager.journalMode
    }
    let mode = JournalMode.pragmaOrder[Int(number)]
    if mode == .off && settings.flags.contains(.isDefensive) {
      return isWAL ? .wal : pager.journalMode
    }
    // As where a file can have no shared memory: what is no WAL database becomes none, and a WAL
    // database stays one.
    if isWAL { return .wal }
    if mode == .wal { return pager.journalMode }
    try pager.setJournalMode(mode)
    return pager.journalMode
  }

  private func journalSizeLimit(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let pager = databases[call.database].tree?.pager else { return emptyProgram() }
    if let argument = call.argument { pager.journalSizeLimit = max(argument.int64.value, -1) }
    return try numberProgram(call, pager.journalSizeLimit)
  }

  /// What SQLite says of databases that are not in WAL mode.
  private func checkpoint(_ call: PragmaCall) -> Program {
    let program = program(columns: [Name("busy"), Name("log"), Name("checkpointed")]) { builder in
      let row = builder.newRegisters(3)
      builder.emit(.integer, 0, row.rawValue)
      builder.emit(.integer, -1, row.rawValue + 1)
      builder.emit(.integer, -1, row.rawValue + 2)
      builder.emit(
        .perform, Int32(ConnectionCommand.checkpoint.rawValue),
        call.schema == nil ? -1 : Int32(call.database), row.rawValue)
      builder.emit(.resultRow, row.rawValue, 3)
    }
    program.countsAsChange = true
    return program
  }

  /// The command `checkpoint`, of one database or, for -1, of all: within a transaction there is
  /// none.
  func checkpoint(ofDatabase index: Int) throws(SQLError) {
    let asked = index < 0 ? UInt64.max : 1 << UInt64(index)
    if readingDatabases & asked != 0 { throw SQLError(.locked) }
  }
}

extension JournalMode {
  /// The order in which SQLite compares the beginnings of names.
  fileprivate static let pragmaOrder: [JournalMode] = [
    .delete, .persist, .off, .truncate, .memory, .wal,
  ]
}
