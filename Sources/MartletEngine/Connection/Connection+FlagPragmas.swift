// Pragmas that are on or off, and single numbers that a connection keeps. All act when they are
// prepared.

extension Connection {
  func flagPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    if let flag = call.pragma.flag { return try setOrShow(flag, call) }
    switch call.pragma {
    case .caseSensitiveLike:
      // While statements run, LIKE stays as it is, and nothing says so.
      guard let argument = call.argument, runningStatements.isEmpty else { return emptyProgram() }
      for function in BuiltInFunctions.likes(areCaseSensitive: argument.isTrue) {
        try define(function.name, function.arity, .utf8) { $0.define(function) }
      }
      return emptyProgram()
    case .busyTimeout:
      if let argument = call.argument { busyTimeout = max(0, Int(argument.number)) }
      return try listing(
        RowListing(columns: [Name("timeout")], rows: [[.integer(Int64(busyTimeout))]]))
    case .analysisLimit:
      if let (value, isExact) = call.argument?.int64, isExact, value >= 0 {
        settings.analysisLimit = Int(value & 0x7fff_ffff)
      }
      return try numberProgram(call, Int64(settings.analysisLimit))
    case .threads:
      // SQLite allows eight; everything runs on the caller's thread all the same.
      if let (value, isExact) = call.argument?.int64, isExact, value >= 0 {
        limits.set(.workerThreads, to: Int(value & 0x7fff_ffff))
      }
      return try numberProgram(call, Int64(limits[.workerThreads]))
    case .softHeapLimit:
      if let (value, isExact) = call.argument?.int64, isExact, value >= 0 {
        settings.softHeapLimit = value
        if MemoryUse.isLimited { MemoryUse.setSoftLimit(Int(clamping: value)) }
      }
      return try numberProgram(
        call, MemoryUse.isLimited ? Int64(MemoryUse.softLimitBytes) : settings.softHeapLimit)
    case .workMemory:
      if let (value, isExact) = call.argument?.int64, isExact, value >= 0 {
        settings.workMemoryLimit = value == 0 ? WorkMemory.initialLimit : Int(clamping: value)
      }
      return try numberProgram(call, Int64(settings.workMemoryLimit))
    case .hardHeapLimit:
      if let (value, isExact) = call.argument?.int64, isExact, value > 0 {
        // Without the C interface nobody counts memory, and the limit stays 0: none.
        let limit = Int(clamping: value), known = MemoryUse.hardLimitBytes
        if MemoryUse.isLimited, known == 0 || limit < known { MemoryUse.setHardLimit(limit) }
      }
      return try numberProgram(call, Int64(MemoryUse.hardLimitBytes))
    case .shrinkMemory:
      releaseMemory()
      return emptyProgram()
    default: return nil
    }
  }

  private func setOrShow(_ flag: ConnectionFlags, _ call: PragmaCall) throws(SQLError) -> Program {
    guard let argument = call.argument else {
      return try numberProgram(call, settings.flags.contains(flag) ? 1 : 0)
    }
    let program = emptyProgram()
    // Foreign keys are not switched within a transaction (pragma, foreign_keys).
    if flag == .hasForeignKeys && !isAutocommit { return program }
    let isOn = argument.isTrue
    if isOn && flag == .isSchemaWritable && settings.flags.contains(.isDefensive) {
      return program
    }
    if isOn {
      settings.flags.insert(flag)
    } else {
      settings.flags.remove(flag)
      if flag == .defersForeignKeys { foreignKeys = ForeignKeyCounters() }
      if flag == .isSchemaWritable && argument.isWord("reset") {
        for index in databases.indices where databases[index].tree != nil {
          forgetSchema(index)
        }
      }
    }
    applyFlags()
    expireStatements()
    return program
  }
}

extension Pragma {
  /// What it switches.
  fileprivate var flag: ConnectionFlags? {
    switch self {
    case .queryOnly: .isReadOnly
    case .ignoreCheckConstraints: .ignoresChecks
    case .writableSchema: .isSchemaWritable
    case .cellSizeCheck: .checksCellSizes
    case .readUncommitted: .readsUncommitted
    case .recursiveTriggers: .hasRecursiveTriggers
    case .trustedSchema: .trustsSchema
    case .legacyAlterTable: .altersAsBefore
    case .automaticIndex: .hasAutomaticIndexes
    case .fullFSync: .syncsFully
    case .checkpointFullFSync: .syncsCheckpointsFully
    case .deferForeignKeys: .defersForeignKeys
    case .emptyResultCallbacks: .callsBackWithoutRows
    case .foreignKeys: .hasForeignKeys
    case .reverseUnorderedSelects: .reversesOrder
    case .countChanges: .countsChanges
    case .fullColumnNames: .hasFullColumnNames
    case .shortColumnNames: .hasShortColumnNames
    default: nil
    }
  }
}
