// Pragmas on caches, locks, and on where and how safely things are written. All act when they are
// prepared.

extension Connection {
  func storagePragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    switch call.pragma {
    case .cacheSize: return try cacheSize(call)
    case .cacheSpill: return try cacheSpill(call)
    case .secureDelete: return try secureDelete(call)
    case .synchronous: return try synchronous(call)
    case .lockingMode: return try lockingMode(call)
    case .tempStore: return try temporaryStore(call)
    case .tempStoreDirectory: return try temporaryStoreDirectory(call)
    case .mmapSize: return try mappedSize(call)
    default: return nil
    }
  }

  private func cacheSize(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let pager = databases[call.database].tree?.pager else { return emptyProgram() }
    guard let argument = call.argument else {
      return try numberProgram(call, Int64(pager.cacheSize))
    }
    pager.setCacheSize(Int(argument.number))
    return emptyProgram()
  }

  /// The number of pages from which on dirty pages may be written before the commit.
  private func cacheSpill(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let pager = databases[call.database].tree?.pager else { return emptyProgram() }
    guard let argument = call.argument else {
      let pages = settings.flags.contains(.spillsCache) ? pager.nominalCachePageCount : 0
      return try numberProgram(call, Int64(pages))
    }
    let isOn = argument.isTrue(default: (argument.int32 ?? 1) != 0)
    if isOn {
      settings.flags.insert(.spillsCache)
    } else {
      settings.flags.remove(.spillsCache)
    }
    applyFlags()
    return emptyProgram()
  }

  /// It is the files that say whether they are mapped. Those of the system never are, and a database
  /// in memory has none.
  private func mappedSize(_ call: PragmaCall) throws(SQLError) -> Program {
    if let argument = call.argument, argument.int64.value >= 0 {
      for (index, database) in databases.enumerated()
      where call.schema == nil || index == call.database {
        _ = try database.tree?.pager.file.control(.mappedSize(argument.int64.value))
      }
    }
    let reply = try databases[call.database].tree?.pager.file.control(.mappedSize(-1))
    guard case .number(let size) = reply else { return program(columns: [call.name]) { _ in } }
    return try numberProgram(call, size)
  }

  private func secureDelete(_ call: PragmaCall) throws(SQLError) -> Program {
    if let argument = call.argument {
      let mode: BTree.SecureDelete =
        argument.isWord("fast") ? .fast : argument.isTrue ? .on : .off
      for (index, database) in databases.enumerated()
      where call.schema == nil || index == call.database {
        database.tree?.secureDelete = mode
      }
    }
    let number: Int64 =
      switch databases[call.database].tree?.secureDelete {
      case .on: 1
      case .fast: 2
      case .off, nil: 0
      }
    return try numberProgram(call, number)
  }

  private func synchronous(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let pager = databases[call.database].tree?.pager else { return emptyProgram() }
    guard let argument = call.argument else {
      return try numberProgram(call, Int64(pager.synchronous.rawValue))
    }
    guard isAutocommit else {
      throw .sql("Safety level may not be changed inside a transaction")
    }
    // SQLite adds 1, keeps three bits, and takes 0 for 1; what is more than EXTRA is EXTRA.
    let level = max((argument.safetyLevel &+ 1) & 7, 1) - 1
    if call.database != 1 { pager.synchronous = SynchronousMode(rawValue: level) ?? .extra }
    return emptyProgram()
  }

  private func lockingMode(_ call: PragmaCall) throws(SQLError) -> Program {
    let mode = call.argument.flatMap { LockingMode(rawValue: $0.text.lowercased()) }
    guard let pager = databases[call.database].tree?.pager else { return emptyProgram() }
    if call.schema == nil {
      guard let mode else { return try textProgram(call, settings.lockingMode.rawValue) }
      settings.lockingMode = mode
      for (index, database) in databases.enumerated() where index > 1 {
        if let other = database.tree?.pager, !other.isPrivate { other.setLockingMode(mode) }
      }
    }
    // A private file is never unlocked.
    if pager.isPrivate { return try textProgram(call, LockingMode.exclusive.rawValue) }
    if let mode { pager.setLockingMode(mode) }
    return try textProgram(call, pager.lockingMode.rawValue)
  }

  /// Another place for temporary tables: those that are there are gone.
  private func temporaryStore(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let argument = call.argument else {
      return try numberProgram(call, Int64(settings.temporaryStore))
    }
    let store =
      switch argument.text.lowercased() {
      case "file": 1
      case "memory": 2
      case let text where text.hasPrefix("1"): 1
      case let text where text.hasPrefix("2"): 2
      default: 0
      }
    guard store != settings.temporaryStore else { return emptyProgram() }
    if let tree = databases[1].tree {
      guard isAutocommit, readingDatabases & 2 == 0 else {
        throw .sql("temporary storage cannot be changed from within a transaction")
      }
      tree.pager.close()
      databases[1].tree = nil
      databases[1].isSchemaLoaded = true
      lastGeneration &+= 1
      catalog = catalog.replacing(
        SchemaBuilder.emptySchema(databaseIndex: 1, name: Name("temp"), nameText: nil), at: 1)
      programs.removeAll()
    }
    settings.temporaryStore = store
    return emptyProgram()
  }

  /// Deprecated; nothing is kept, but what is no directory is refused as SQLite does.
  private func temporaryStoreDirectory(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let argument = call.argument else { return program(columns: [call.name]) { _ in } }
    if !argument.text.isEmpty, try !vfs.allows(.readWrite, to: argument.text) {
      throw .sql("not a writable directory")
    }
    return emptyProgram()
  }
}

extension Pager {
  /// The pages that SQLite's cache would have: each takes 136 bytes beside its content.
  fileprivate var nominalCachePageCount: Int {
    guard cacheSize < 0 else { return cacheSize }
    return min(
      cacheSize.magnitude > 1 << 40 ? 1 << 40 : -cacheSize * 1024 / (pageSize + 136),
      1_000_000_000)
  }
}
