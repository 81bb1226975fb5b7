// Pragmas on the numbers of the database header, and on the size of the file.

extension Connection {
  func headerPragma(_ call: PragmaCall) throws(SQLError) -> Program? {
    if let field = call.pragma.headerField { return headerProgram(call, field) }
    switch call.pragma {
    case .defaultCacheSize: return try defaultCacheSize(call)
    case .pageSize: return try pageSize(call)
    case .encoding: return try encoding(call)
    case .autoVacuum: return try autoVacuum(call)
    case .incrementalVacuum: return incrementalVacuum(call)
    case .maxPageCount:
      let (number, isExact) = call.argument?.int64 ?? (0, false)
      let wanted = isExact ? number : 0
      let bound = UInt32(clamping: min(max(wanted, 0), 0xffff_fffe))
      return performingProgram(.maximumPageCount, call, argument: Int32(bitPattern: bound))
    default: return nil
    }
  }

  // MARK: Header numbers

  private func headerProgram(_ call: PragmaCall, _ field: HeaderField) -> Program {
    if let argument = call.argument, let meta = field.settableMeta {
      if meta == .schemaCookie && settings.flags.contains(.isDefensive) { return emptyProgram() }
      return program(columns: []) { builder in
        builder.emitPlainTransaction(onDatabase: call.database, .write)
        builder.emit(
          .setMeta, Int32(call.database), Int32(meta.rawValue), argument.number, p5: 1)
      }
    }
    let program = program(columns: [call.name]) { builder in
      let register = builder.newRegister()
      // SQLite sees a new schema with the number of pages, and not with the other numbers.
      if field == .pageCount {
        builder.emitTransaction(onDatabase: call.database, .read)
      } else {
        builder.emitPlainTransaction(onDatabase: call.database, .read)
      }
      builder.emit(
        .headerValue, Int32(call.database), register.rawValue, Int32(field.rawValue))
      builder.emit(.resultRow, register.rawValue, 1)
    }
    // SQLite compiles the number of pages for each run, and the others not.
    program.readsWhenRun = field != .pageCount
    return program
  }

  /// The cache size that the file suggests to those who open it.
  private func defaultCacheSize(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let argument = call.argument else {
      let stored = try whileReading(call.database) { (tree) throws(SQLError) in
        Int32(bitPattern: try tree.meta(.defaultCacheSize))
      }
      let size = stored == 0 ? Int64(Pager.defaultCacheSize) : abs(Int64(stored))
      return try listing(
        RowListing(columns: [Name("cache_size")], rows: [[.integer(size)]]))
    }
    let size = argument.number == .min ? .max : abs(argument.number)
    databases[call.database].tree?.pager.setCacheSize(Int(size))
    return program(columns: []) { builder in
      builder.emitTransaction(onDatabase: call.database, .write)
      builder.emit(
        .setMeta, Int32(call.database), Int32(MetaValue.defaultCacheSize.rawValue), size, p5: 1)
    }
  }

  // MARK: What a new database will be

  private func pageSize(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let tree = databases[call.database].tree else { return emptyProgram() }
    guard let argument = call.argument else {
      return try numberProgram(call, Int64(tree.pager.statedPageSize()))
    }
    settings.vacuumPageSize = Int(argument.number)
    // Whoever reads the file next finds whether it is a database already.
    try tree.pager.setPageSize(Int(argument.number))
    return emptyProgram()
  }

  private func encoding(_ call: PragmaCall) throws(SQLError) -> Program {
    guard let argument = call.argument else {
      return try textProgram(call, catalog.encoding.pragmaName)
    }
    // Who knows the schema, and so its encoding, does not look at the name.
    let encoding = TextEncoding(pragma: argument.text)
    if encoding == nil && !databases[0].isSchemaLoaded {
      throw .sql("unsupported encoding: \(argument.text)")
    }
    // Once there is something in it or in the temp database, the encoding stays.
    for index in databases.indices.prefix(2) where databases[index].tree != nil {
      let isFixed = try lookWithoutWaiting(index) { (tree) throws(SQLError) in
        try tree.meta(.textEncoding) != 0
      }
      // Somebody writes what is going to say it.
      guard let isFixed, !isFixed else { return emptyProgram() }
    }
    guard let encoding else {
      throw .sql("unsupported encoding: \(argument.text)")
    }
    if encoding != catalog.encoding || encoding != settings.newEncoding {
      settings.newEncoding = encoding
      for index in databases.indices where databases[index].tree != nil {
        forgetSchema(index)
      }
      programs.removeAll()
    }
    return emptyProgram()
  }

  private func autoVacuum(_ call: PragmaCall) throws(SQLError) -> Program {
    let known = try tree(ofDatabase: call.database).knownAutoVacuum
    guard let argument = call.argument else {
      let mode = try lookWithoutWaiting(call.database) { (tree) throws(SQLError) in
        try tree.autoVacuum()
      }
      return try numberProgram(call, Int64((mode ?? known).rawValue))
    }
    let mode = AutoVacuum(pragma: argument)
    settings.vacuumMode = mode
    let hasPointerMap = try lookWithoutWaiting(call.database) { (tree) throws(SQLError) in
      if tree.pager.pageCount == 0 {
        tree.newDatabaseVacuum = mode
        return mode != .none
      }
      return try tree.autoVacuum() != .none
    }
    guard hasPointerMap ?? (known != .none), mode != .none else { return emptyProgram() }
    return program(columns: []) { builder in
      let register = builder.newRegister()
      builder.emitTransaction(onDatabase: call.database, .write)
      builder.emit(.integer, Int32(mode.rawValue), register.rawValue)
      builder.emit(
        .perform, Int32(ConnectionCommand.autoVacuum.rawValue), Int32(call.database),
        register.rawValue)
    }
  }

  /// A row without columns for each page that leaves the file, as in SQLite.
  ///
  ///     again: free a page, or leave
  ///            a row
  ///            again, unless N pages are gone
  private func incrementalVacuum(_ call: PragmaCall) -> Program {
    var limit = call.argument?.int32 ?? .max
    if limit <= 0 { limit = .max }
    return program(columns: []) { builder in
      let remaining = builder.newRegister(), isFreed = builder.newRegister()
      let end = builder.newLabel()
      builder.emitTransaction(onDatabase: call.database, .write)
      builder.emit(.integer, limit - 1, remaining.rawValue)
      let again = builder.placeNewLabel()
      builder.emit(
        .perform, Int32(ConnectionCommand.incrementalVacuum.rawValue), Int32(call.database),
        isFreed.rawValue)
      builder.emit(.ifFalse, isFreed.rawValue, end.operand)
      builder.emit(.resultRow, isFreed.rawValue, 0)
      builder.emit(.ifPositive, remaining.rawValue, again.operand, 1)
      builder.place(end)
    }
  }

  /// The command `maximumPageCount`: 0 leaves the bound as it is.
  func setMaximumPageCount(
    ofDatabase index: Int, _ bound: UInt32
  ) throws(SQLError) -> Int64 {
    let pager = try tree(ofDatabase: index).pager
    if bound > 0 { pager.maximumPageCount = max(bound, pager.pageCount) }
    return Int64(pager.maximumPageCount)
  }

  /// Looks at a database while it does not change.
  func whileReading<Result>(
    _ index: Int, _ body: (BTree) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let tree = try tree(ofDatabase: index)
    let wasReading = readingDatabases & (1 << UInt64(index)) != 0
    try beginReading(index)
    defer { if !wasReading { endReading(index) } }
    return try body(tree)
  }
}

extension Connection {
  /// The same where a lock of another connection is no error, nor waited for: nil then. SQLite
  /// answers from what it remembers.
  func lookWithoutWaiting<Result>(
    _ index: Int, _ body: (BTree) throws(SQLError) -> Result
  ) throws(SQLError) -> Result? {
    busyWaiter.isSuspended = true
    defer { busyWaiter.isSuspended = false }
    do throws(SQLError) {
      return try whileReading(index, body)
    } catch where error.code.primary == .busy {
      return nil
    }
  }
}

extension BTree {
  /// The kind of auto-vacuum when the header was last read.
  fileprivate var knownAutoVacuum: AutoVacuum {
    pager.pageCount > 0 ? pager.header.autoVacuum : newDatabaseVacuum
  }
}

extension Pragma {
  /// The number of the header that it shows.
  fileprivate var headerField: HeaderField? {
    switch self {
    case .userVersion: .userVersion
    case .applicationID: .applicationID
    case .schemaVersion: .schemaVersion
    case .freelistCount: .freelistCount
    case .pageCount: .pageCount
    case .dataVersion: .dataVersion
    default: nil
    }
  }
}

extension HeaderField {
  /// Where a pragma puts a new value; nil for those that can only be read.
  fileprivate var settableMeta: MetaValue? {
    switch self {
    case .userVersion: .userVersion
    case .applicationID: .applicationID
    case .schemaVersion: .schemaCookie
    case .pageCount, .freelistCount, .dataVersion, .schemaFormat: nil
    }
  }
}

extension TextEncoding {
  fileprivate var pragmaName: String {
    switch self {
    case .utf8: "UTF-8"
    case .utf16LittleEndian: "UTF-16le"
    case .utf16BigEndian: "UTF-16be"
    }
  }

  fileprivate init?(pragma text: String) {
    switch text.lowercased() {
    case "utf8", "utf-8": self = .utf8
    case "utf16le", "utf-16le": self = .utf16LittleEndian
    case "utf16be", "utf-16be": self = .utf16BigEndian
    case "utf16", "utf-16":
      self = 1.littleEndian == 1 ? .utf16LittleEndian : .utf16BigEndian
    default: return nil
    }
  }
}

extension AutoVacuum {
  fileprivate init(pragma value: PragmaValue) {
    switch value.text.lowercased() {
    case "none": self = .none
    case "full": self = .full
    case "incremental": self = .incremental
    default: self = UInt8(exactly: value.number).flatMap(AutoVacuum.init(rawValue:)) ?? .none
    }
  }
}
