// Pragmas on journals.

extension Connection {
  func journalPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    switch call.key {
    case "journal_mode": return journalMode(call)
    case "journal_size_limit": return try journalSizeLimit(call)
    case "wal_checkpoint": return try checkpoint()
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
    return program(columns: [call.name]) { builder in
      let register = builder.newRegister()
      for target in targets where databases[target].tree != nil {
        builder.emit(.integer, mode, register.rawValue)
        builder.emit(
          .perform, Int32(ConnectionCommand.journalMode.rawValue), Int32(target),
          register.rawValue)
      }
      builder.emit(.resultRow, register.rawValue, 1)
    }
  }

  /// The command `journalMode`.
  func setJournalMode(
    ofDatabase index: Int, _ number: Int64
  ) throws(SQLError) -> JournalMode {
    let pager = try tree(ofDatabase: index).pager
    // The file says whether its database is in WAL mode.
    let isWAL = try whileReading(index) { tree in tree.pager.header.isWAL }
    guard number >= 0, number < Int64(JournalMode.pragmaOrder.count) else {
      return isWAL ? .wal : pager.journalMode
    }
    let mode = JournalMode.pragmaOrder[Int(number)]
    if mode == .off && settings.flags.contains(.isDefensive) {
      return isWAL ? .wal : pager.journalMode
    }
    if isWAL {
      if mode == .wal { return .wal }
      throw .notSupported("PRAGMA journal_mode = \(mode.rawValue) of a database in WAL mode")
    }
    if mode == .wal {
      if pager.isPrivate || pager.file.traits.contains(.inMemory) { return pager.journalMode }
      throw .notSupported("PRAGMA journal_mode = wal")
    }
    try pager.setJournalMode(mode)
    return pager.journalMode
  }

  private func journalSizeLimit(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let pager = databases[call.database].tree?.pager else { return emptyProgram() }
    if let argument = call.argument { pager.journalSizeLimit = max(argument.int64.value, -1) }
    return try numberProgram(call, pager.journalSizeLimit)
  }

  /// What SQLite says of databases that are not in WAL mode.
  private func checkpoint() throws(SQLError) -> Program {
    try listing(
      RowListing(
        columns: [Name("busy"), Name("log"), Name("checkpointed")],
        rows: [[.integer(0), .integer(-1), .integer(-1)]]))
  }
}

extension JournalMode {
  /// The order in which SQLite compares the beginnings of names.
  fileprivate static let pragmaOrder: [JournalMode] = [
    .delete, .persist, .off, .truncate, .memory, .wal,
  ]
}
