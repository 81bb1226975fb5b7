// VACUUM and VACUUM INTO.

extension Connection {
  /// The command `vacuum`. Its arguments are whether there is INTO, and the file.
  func vacuum(
    _ index: Int, _ arguments: UnsafeMutablePointer<Register>, for vm: VM
  ) throws(SQLError) {
    if index == 1 { return }
    guard isAutocommit else { throw .sql("cannot VACUUM from within a transaction") }
    guard runningStatements.count <= 1 else {
      throw .sql("cannot VACUUM - SQL statements in progress")
    }
    var path: String?
    if arguments.pointee.integer != 0 {
      guard arguments[1].tag == .text else { throw .sql("non-text filename") }
      path = try fileName(arguments + 1, vm.encoding)
    }
    guard try mayAttach(path ?? "") else { return }
    // Also when it fails.
    defer { readSchemasAgain() }
    let source = try tree(ofDatabase: index)
    endReading()
    if settings.flags.contains(.isReadOnly) { throw SQLError(.readOnly) }
    if let path {
      try source.pager.beginRead()
      defer { source.pager.endRead() }
      try copyFile(source, index, to: path)
    } else {
      // In WAL mode the page size stays, and what was asked for is forgotten.
      if source.pager.journalMode == .wal { settings.vacuumPageSize = 0 }
      let isReset = settings.flags.contains(.resetsDatabase)
      source.pager.isBeingReset = isReset
      defer { source.pager.isBeingReset = false }
      try source.pager.beginReadAndWrite(exclusive: true)
      defer { source.pager.endRead() }
      try isReset ? reset(source, index) : rebuild(source, index)
    }
  }

  /// SQLite attaches what VACUUM writes to, and of a refusal it tells the code alone.
  private func mayAttach(_ path: String) throws(SQLError) -> Bool {
    guard let authorizer = hooks.authorizer else { return true }
    do {
      return try authorizer.allows(.attach, path)
    } catch where error.code == .authorization {
      throw SQLError(.authorization)
    }
  }

  /// Writes the content to a temporary database, which then takes the place of the old image.
  private func rebuild(_ source: BTree, _ index: Int) throws(SQLError) {
    let target = try temporaryDatabase(cacheSize: source.pager.cacheSize)
    defer { target.pager.close() }
    try fill(target, from: source, index, keepsRowids: false) { () throws(SQLError) in
      try self.replace(source, by: target)
    }
    forgetSchema(index)
  }

  /// Puts an empty database in the place of the file's content, which may be anything
  /// (c3ref/c_dbconfig_defensive, SQLITE_DBCONFIG_RESET_DATABASE).
  private func reset(_ source: BTree, _ index: Int) throws(SQLError) {
    let target = try temporaryDatabase(cacheSize: source.pager.cacheSize)
    defer { target.pager.close() }
    try begin(target, like: source, source.pager.header.autoVacuum)
    defer { target.pager.endRead() }
    try target.updateMeta(.schemaCookie, to: 1)
    try replace(source, by: target)
    if index == 0 && databases[0].isSchemaLoaded { settings.newEncoding = catalog.encoding }
    forgetSchema(index)
  }

  private func temporaryDatabase(cacheSize: Int) throws(SQLError) -> BTree {
    BTree(
      pager: try Pager(
        file: SpillingFile(temporaryVFS, kind: .temporaryDatabase),
        vfs: temporaryVFS ?? VFSRegistry.memory, path: "", cacheSize: cacheSize))
  }

  private func replace(_ source: BTree, by target: BTree) throws(SQLError) {
    do throws(SQLError) {
      try source.pager.commitReplacement(by: target.pager)
    } catch {
      try source.rollback(tripping: nil)
      throw error
    }
    source.newDatabaseVacuum = target.newDatabaseVacuum
    if source.pager.committedFrameCount > 0 { hasLoggedCommit = true }
  }

  private func copyFile(
    _ source: BTree, _ index: Int, to path: String
  ) throws(SQLError) {
    var flags = openFlags
    flags.remove(.readOnly)
    flags.insert(.readWrite)
    flags.insert(.create)
    let pager: Pager
    do {
      pager = try Pager.open(
        try DatabaseLocation.parse(path, flags: flags, vfsName: vfs.name))
    } catch where error.code.primary == .cannotOpen {
      throw SQLError(error.code, "unable to open database: \(path)")
    }
    defer { pager.close() }
    guard try pager.file.byteCount() == 0 else { throw .sql("output file already exists") }
    pager.synchronous = source.pager.synchronous
    let target = BTree(pager: pager)
    try fill(target, from: source, index, keepsRowids: true) { () throws(SQLError) in
      try target.commit()
    }
  }

  /// Makes the target a copy of the source, with what pragmas have asked for, and calls `finish`
  /// while the transaction on the target is open.
  private func fill(
    _ target: BTree, from source: BTree, _ index: Int, keepsRowids: Bool,
    _ finish: () throws(SQLError) -> Void
  ) throws(SQLError) {
    guard source.pager.header.schemaCookie == catalog.databases[index].cookie else {
      forgetSchema(index)
      throw SQLError(.schema)
    }
    try begin(target, like: source, try source.autoVacuum())
    defer { target.pager.endRead() }
    let vacuum = try Vacuum(
      from: source, to: target, schema: catalog.databases[index], catalog: catalog,
      collations: collations, keepsRowids: keepsRowids, supervisor: self)
    try vacuum.run()
    if let rowid = vacuum.lastCopiedRowid { functionHost.lastInsertRowID = rowid }
    try finish()
  }

  /// Begins to write an empty database with the source's sizes, or those that pragmas have asked
  /// for. The caller ends it.
  private func begin(
    _ target: BTree, like source: BTree, _ vacuumMode: AutoVacuum
  ) throws(SQLError) {
    let reserved = source.pager.wantedReservedByteCount
    let isInMemory = source.pager.file.traits.contains(.inMemory)
    var pageSize = settings.vacuumPageSize
    if isInMemory || pageSize == 0 { pageSize = source.pager.pageSize }
    if try !target.pager.setPageSize(pageSize, reserved: reserved) {
      try target.pager.setPageSize(source.pager.pageSize, reserved: reserved)
    }
    target.newDatabaseVacuum = settings.vacuumMode ?? vacuumMode
    target.secureDelete = .off
    try target.pager.beginReadAndWrite(exclusive: false)
    do {
      try target.beginWrite()
    } catch {
      target.pager.endRead()
      throw error
    }
  }

  private func fileName(
    _ file: UnsafeMutablePointer<Register>, _ encoding: TextEncoding
  ) throws(SQLError) -> String {
    try file.pointee.changeEncoding(from: encoding, to: .utf8)
    return String(fileNameBytes: UnsafeRawBufferPointer(file.pointee.byteBuffer))
  }
}
