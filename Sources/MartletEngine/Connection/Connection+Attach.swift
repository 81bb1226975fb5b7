// The databases of a connection: the temporary one, and those of ATTACH (lang_attach).

extension Connection {
  /// Opens the database of temporary tables, unless it is open: a private one, in memory until it
  /// outgrows its cache.
  func openTemporaryDatabase() throws(SQLError) {
    guard databases[1].tree == nil else { return }
    let pager = try Pager(
      file: SpillingFile(temporaryVFS, kind: .temporaryDatabase),
      vfs: temporaryVFS ?? VFSRegistry.memory, path: "")
    pager.synchronous = .off
    if settings.vacuumPageSize != 0 {
      try pager.setPageSize(settings.vacuumPageSize, reserved: 0)
    }
    let tree = BTree(pager: pager)
    applySettings(to: tree)
    databases[1].tree = tree
    // Its texts will be encoded as those of main are, which the catalog may not know yet.
    forgetSchema(1)
  }

  func attach(file: String, name: String) throws(SQLError) {
    guard databases.count < 2 + limits[.attachedCount] else {
      throw .sql("too many attached databases - max \(limits[.attachedCount])")
    }
    if databases.indices.contains(where: { isDatabase($0, named: name) }) {
      throw .sql("database \(name) is already in use")
    }
    let pager = try openAttached(file)
    let tree = BTree(pager: pager)
    try adopt(pager)
    applySettings(to: tree)
    let index = databases.count
    databases.append(AttachedDatabase(name: name, tree: tree, isSchemaLoaded: false))
    do {
      try loadSchema(index)
    } catch {
      databases.removeLast()
      pager.close()
      throw error
    }
  }

  private func openAttached(_ file: String) throws(SQLError) -> Pager {
    var location: DatabaseLocation
    do {
      location = try DatabaseLocation.parse(file, flags: openFlags, vfsName: vfs.name)
    } catch {
      throw .sql(error.message)
    }
    if settings.flags.contains(.attachesReadOnly) {
      location.flags.subtract([.create, .readWrite])
      location.flags.insert(.readOnly)
    } else if settings.flags.contains(.attachesExistingOnly) {
      location.flags.remove(.create)
    }
    do {
      return try Pager.open(location)
    } catch {
      if error.code == .error { throw error }
      throw SQLError(error.code, "unable to open database: \(file)")
    }
  }

  func detach(_ name: String) throws(SQLError) {
    let found = databases.indices.first {
      databases[$0].tree != nil && isDatabase($0, named: name)
    }
    guard let index = found, let tree = databases[index].tree else {
      throw .sql("no such database: \(name)")
    }
    guard index > 1 else { throw .sql("cannot detach database \(name)") }
    guard readingDatabases & (1 << UInt64(index)) == 0, tree.backupCount == 0 else {
      throw .sql("database \(name) is locked")
    }
    tree.pager.close()
    databases.remove(at: index)
    readingDatabases = readingDatabases.removingBit(index)
    writingDatabases = writingDatabases.removingBit(index)
    changedSchemas = changedSchemas.removingBit(index)
    catalog = catalog.removing(at: index)
    // Schemas know the number of their database, and so do programs: those that run open nothing more.
    runningStatements.forEach { $0.isExpired = true }
    for later in index..<max(index, databases.count) { forgetSchema(later) }
  }

  /// `main` always means the first.
  func isDatabase(_ index: Int, named name: String) -> Bool {
    databases[index].name.isSameName(as: name) || index == 0 && name.isSameName(as: "main")
  }
}

extension UInt64 {
  /// A set of numbers without one of them, those above it lowered by 1.
  fileprivate func removingBit(_ index: Int) -> UInt64 {
    let below: UInt64 = (1 << UInt64(index)) - 1
    return self & below | self >> 1 & ~below
  }
}
