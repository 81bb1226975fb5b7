// What pragmas change.

extension Pager {
  /// Page size and reserved bytes of a database that has no pages yet; for others, and while it is
  /// being made, only what VACUUM is to reserve (pragma, page_size). Returns whether they are those of
  /// the database now.
  @discardableResult
  func setPageSize(_ size: Int, reserved: Int? = nil) throws(SQLError) -> Bool {
    let reserved = reserved ?? newDatabaseHeader.reservedByteCount
    guard (512...65536).contains(size), size & (size - 1) == 0, (0...255).contains(reserved),
      size - reserved >= 480
    else { return false }
    newDatabaseHeader.reservedByteCount = reserved
    // A rollback that takes back all pages goes back to a database of the size that the cache has.
    guard pageCount == 0, state == .idle || state == .reading, cache.pinnedCount == 0 else {
      return size == pageSize && reserved == header.reservedByteCount
    }
    newDatabaseHeader.pageSize = size
    header = newDatabaseHeader
    setCachePageSize(size)
    return true
  }

  /// The page size, before anything was read that of the file as it says now, without a lock: SQLite
  /// looks when it opens a file.
  func statedPageSize() throws(SQLError) -> Int {
    guard !hasBeenRead, !isPrivate, try file.byteCount() > 0 else { return pageSize }
    let bytes = headerBytes + DatabaseHeader.byteCount
    let count = try file.read(into: bytes, byteCount: DatabaseHeader.byteCount, at: 0)
    let size = DatabaseHeader.pageSize(bytes)
    return count == DatabaseHeader.byteCount && DatabaseHeader.isPossible(pageSize: size)
      ? size : pageSize
  }

  /// Changing the size empties the cache, which SQLite counts as a change of the database.
  func setCachePageSize(_ size: Int) {
    guard size != cache.pageSize else { return }
    cache.changePageSize(size, cacheSize: cacheSize)
    dataVersion &+= 1
  }
}

extension Pager {
  /// Changes what becomes of journals (pragma, journal_mode). False when that is not possible now:
  /// in the middle of changes, or for a database in memory, whose journal is never on disk.
  ///
  /// A journal that the old mode has kept is removed, when no mode keeps it and nobody writes.
  @discardableResult
  func setJournalMode(_ mode: JournalMode) throws(SQLError) -> Bool {
    let isIdle = state == .idle || state == .reading || state == .reserved
    guard mode != .wal, isIdle, unfinished == nil else {
      return mode == journalMode
    }
    if traits.contains(.inMemory), mode != .memory, mode != .off { return false }
    guard mode != journalMode else { return true }
    let keptFile = journalMode.keepsFile || openJournalFile != nil
    journalMode = mode
    forgetJournalFile()
    if keptFile, !mode.keepsFile, !isPrivate { try removeKeptJournal() }
    return true
  }

  private func removeKeptJournal() throws(SQLError) {
    guard !isReadOnly else { return }
    if state != .idle, file.lockLevel >= .reserved {
      try vfs.delete(journalPath, syncingDirectory: false)
      return
    }
    // Somebody else's journal must not be touched, and only the reserved lock says whose it is.
    let wasIdle = state == .idle
    if wasIdle {
      do throws(SQLError) {
        try beginRead()
      } catch where error.code.primary == .busy {
        return
      }
    }
    defer { if wasIdle { endRead() } }
    guard usesLocks, try file.lock(.reserved) else { return }
    try vfs.delete(journalPath, syncingDirectory: false)
    if lockingMode == .normal { try file.unlock(to: .shared) }
  }
}
