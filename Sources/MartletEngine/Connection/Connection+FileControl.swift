// Requests to the file of a database beside reading and writing (`sqlite3_file_control`).

/// The files of one database of a connection.
public struct DatabaseFiles {
  public let name: DatabaseFileName
  public let vfs: any VFS
  public let file: any File
  /// The rollback journal or the write-ahead log; nil while it is not open.
  public let journal: (any File)?
  let pager: Pager

  /// Lets another object stand for the file of the database from now on. What it does, it does to
  /// the same file, which it also closes.
  public func replaceFile(by other: any File) { pager.replaceFile(by: other) }
}

extension Connection {
  /// Makes a request to the file of a database.
  ///
  /// - Returns: nil when the file does not know the request.
  /// - Throws: "unknown database" if there is none of that name, or it is not open yet; what the
  ///   file throws.
  public func fileControl(
    _ request: FileControl, database name: String = "main"
  ) throws(SQLError) -> FileControl.Reply? {
    lock.lock()
    defer { lock.unlock() }
    return try openPager(named: name).file.control(request)
  }

  /// Lends the files of a database. While `body` runs, nothing else happens on the connection;
  /// locks and content of the files are the connection's, and must be left as they are.
  public func withFiles<Result>(
    ofDatabase name: String = "main", _ body: (DatabaseFiles) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    lock.lock()
    defer { lock.unlock() }
    let pager = try openPager(named: name)
    return try body(
      DatabaseFiles(
        name: pager.name, vfs: pager.vfs, file: pager.file,
        journal: pager.writeAheadLog?.log ?? pager.openJournalFile, pager: pager))
  }

  /// A number that changes with every change of a database, by this connection or another one. Of
  /// others it is known when the database was read (`SQLITE_FCNTL_DATA_VERSION`).
  public func dataVersion(ofDatabase name: String = "main") throws(SQLError) -> UInt32 {
    lock.lock()
    defer { lock.unlock() }
    let pager = try openPager(named: name)
    return pager.dataVersion &+ pager.commitCount
  }

  /// The bytes at the end of each page that are left to extensions, now or after the next VACUUM
  /// (`SQLITE_FCNTL_RESERVE_BYTES`).
  public func reservedByteCount(ofDatabase name: String = "main") throws(SQLError) -> Int {
    lock.lock()
    defer { lock.unlock() }
    return try openPager(named: name).wantedReservedByteCount
  }

  /// Sets `reservedByteCount`: at once for a database without pages, by VACUUM for others. It never
  /// becomes less.
  public func setReservedByteCount(
    _ count: Int, ofDatabase name: String = "main"
  ) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    let pager = try openPager(named: name)
    let size = pager.newDatabaseHeader.pageSize
    try pager.setPageSize(size, reserved: max(count, pager.header.reservedByteCount))
  }

  /// Forgets the cached pages of a database that is not in use, so that they are read again
  /// (`SQLITE_FCNTL_RESET_CACHE`).
  public func clearCache(ofDatabase name: String = "main") throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    let pager = try openPager(named: name)
    guard pager.state == .idle, !pager.isPrivate, !pager.file.traits.contains(.inMemory) else {
      return
    }
    pager.cache.discardAll()
    pager.isHeaderKnown = false
    pager.hasBeenRead = false
    pager.dataVersion &+= 1
  }

  /// The system's number for why the last call on this thread failed, 0 if it has none
  /// (`sqlite3_system_errno`).
  public var lastSystemError: Int32 { vfs.lastError }

  private func openPager(named name: String) throws(SQLError) -> Pager {
    guard let index = databases.indices.first(where: { isDatabase($0, named: name) }),
      let pager = databases[index].tree?.pager
    else { throw .sql("unknown database \(name)") }
    return pager
  }
}

extension Connection {
  /// A pager asks the connection whether to wait, and its file may, too.
  func adopt(_ pager: Pager) throws(SQLError) {
    pager.busyHandler = busyWaiter
    let waiter = busyWaiter
    // Most files have no use for it.
    do { try pager.tellFile(.busyHandler { waiter.retries(.file) }) } catch {}
  }

  /// The file of the database may carry out a pragma in place of the engine. Its text is then the
  /// only row, under its own name.
  func answerOfFile(_ pragma: PragmaStatement, _ database: Int) throws(SQLError) -> Program? {
    guard let file = databases[database].tree?.pager.file else { return nil }
    busyWaiter.startOver()
    guard
      let reply = try file.control(
        .pragma(name: pragma.name.string, argument: pragma.argument))
    else { return nil }
    guard case .text(let text) = reply else { return program(columns: [Name("")]) { _ in } }
    let label = try SQLText.copying(text)
    let name = Name(start: label.start, count: label.count)
    let program = try listing(RowListing(columns: [name], rows: [[.text(text)]]))
    program.labelTexts = [label]
    return program
  }
}

extension Pager {
  /// What an extension asked for, and not less than the file has.
  var wantedReservedByteCount: Int {
    max(newDatabaseHeader.reservedByteCount, header.reservedByteCount)
  }
}
