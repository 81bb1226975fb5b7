extension Pager {
  /// Makes the database readable and unchanging until `endRead`.
  ///
  /// A journal that a crash has left is rolled back first. Throws `busy` when a writer is in the
  /// way and the busy handler gives up (then nothing has changed, and it may be tried again),
  /// `notADatabase` and `corrupt` for what the header says, `cannotOpen` when a WAL would have to
  /// be read too.
  func beginRead() throws(SQLError) {
    guard readerCount == 0 else {
      if let failure { throw failure }
      readerCount += 1
      return
    }
    while true {
      do {
        try beginFirstRead()
        return
      } catch where error.code == .busy {
        guard let busyHandler, busyHandler.retries() else { throw error }
      }
    }
  }

  private func beginFirstRead() throws(SQLError) {
    assert(cache.pinnedCount == 0, "pages are not kept from one read to the next")
    // In exclusive locking mode, nobody was able to change the file.
    let isLockKept = usesLocks && file.lockLevel >= .shared && isHeaderKnown
    if !isLockKept {
      if usesLocks {
        guard try file.lock(.shared) else { throw SQLError(.busy) }
      }
      do {
        try checkForChanges()
      } catch {
        dropLock()
        throw error
      }
    }
    readerCount = 1
    state = .reading
  }

  /// Ends one read. The last one rolls back what was not committed, and gives back the locks.
  func endRead() {
    assert(readerCount > 0)
    readerCount -= 1
    guard readerCount == 0 else { return }
    if transaction != nil {
      // A failure is kept in the state, and the next reader recovers from the journal.
      do { try rollback() } catch {}
    }
    let hasFailed = state == .failed
    if hasFailed { forgetFailure() }
    state = .idle
    if cache.frameCount > cache.limit { cache.shrink() }
    guard lockingMode == .normal || hasFailed else { return }
    forgetJournalFile()
    dropLock()
  }

  func dropLock() {
    guard usesLocks else { return }
    hasCountedChange = false
    // Nothing is to be done about a failure: reading is over, and the file counts as unlocked.
    do { try file.unlock(to: .none) } catch {}
  }

  /// After a failure only the file, recovered by its journal, says what the database is.
  private func forgetFailure() {
    guard !isPrivate else { return }
    failure = nil
    isHeaderKnown = false
  }

  /// A file that only we can change is looked at once.
  private var isUnchanging: Bool { isImmutable || isPrivate }

  /// Brings `header` and the cache up to date with the file.
  private func checkForChanges() throws(SQLError) {
    if let failure { throw failure }
    if isUnchanging && isHeaderKnown { return }
    let hasNeighbours = !isUnchanging && !file.traits.contains(.inMemory)
    if hasNeighbours { try recoverFromHotJournal() }
    if try !hasSameVersion() {
      let wasEmpty = isHeaderKnown && pageCount == 0
      try adoptHeader(try readFirstPage())
      // What was never seen before has not changed.
      if hasBeenRead, !(wasEmpty && pageCount == 0) { dataVersion &+= 1 }
      hasBeenRead = true
    }
    if hasNeighbours && header.isWAL { try beginQuietWAL() }
  }

  /// Reads a header that is not known as SQLite does, by the whole first page: who stands between us
  /// and the file sees by the size what is wanted, and may show another page, as the recovery of
  /// SQLite's shell does where the header is damaged. Zeros stand for what the file does not have.
  private func readFirstPage() throws(SQLError) -> UnsafeRawPointer {
    let fresh = headerBytes + DatabaseHeader.byteCount
    try readFirstPage(ofSize: pageSize, headerTo: fresh)
    let size = DatabaseHeader.pageSize(fresh)
    if size != pageSize, DatabaseHeader.isPossible(pageSize: size) {
      try readFirstPage(ofSize: size, headerTo: fresh)
    }
    return UnsafeRawPointer(fresh)
  }

  private func readFirstPage(
    ofSize size: Int, headerTo fresh: UnsafeMutableRawPointer
  ) throws(SQLError) {
    let page = try Memory.allocate(size)
    defer { Memory.free(page) }
    _ = try file.read(into: page, byteCount: size, at: 0)
    Memory.copy(from: page, to: fresh, DatabaseHeader.byteCount)
  }

  /// Every commit in rollback mode changes these bytes (fileformat2 §1.3.6).
  private func hasSameVersion() throws(SQLError) -> Bool {
    guard isHeaderKnown && pageCount > 0 else { return false }
    let offset = DatabaseHeader.versionOffset, count = DatabaseHeader.versionByteCount
    let fresh = headerBytes + DatabaseHeader.byteCount
    _ = try file.read(into: fresh, byteCount: count, at: Int64(offset))
    return Memory.compare(headerBytes + offset, fresh, count) == 0
  }

  /// Takes over a changed header: nothing that was cached under the old one is good any more.
  private func adoptHeader(_ fresh: UnsafeRawPointer) throws(SQLError) {
    isHeaderKnown = false
    cache.discardAll()
    let fileByteCount = try file.byteCount()
    var newHeader = newDatabaseHeader
    var newPageCount: UInt32 = 0
    var newFilePageCount: UInt32 = 0
    if fileByteCount > 0 {
      do {
        newHeader = try DatabaseHeader(decoding: fresh)
      } catch where isBeingReset {
        newHeader = DatabaseHeader(salvaging: fresh)
      }
      let size = Int64(newHeader.pageSize)
      // A last page that is cut off counts; its missing bytes read as zeros.
      newFilePageCount = UInt32(clamping: fileByteCount / size + (fileByteCount % size).signum())
      let isCountKnown = newHeader.pageCount > 0 && !isBeingReset
      newPageCount = isCountKnown ? newHeader.pageCount : newFilePageCount
      guard newPageCount <= newFilePageCount else { throw .corrupt("file shorter than it says") }
    }
    setCachePageSize(newHeader.pageSize)
    header = newHeader
    pageCount = newPageCount
    filePageCount = newFilePageCount
    hintedPageCount = newFilePageCount
    source = DatabaseFileSource(file)
    Memory.copy(from: fresh, to: headerBytes, DatabaseHeader.byteCount)
    isHeaderKnown = true
  }

  /// Reads a WAL database without a WAL. Transactions in WAL mode need not change the header, so
  /// what was cached for an earlier read proves nothing, and the header is read again now that the
  /// WAL is watched.
  private func beginQuietWAL() throws(SQLError) {
    let status = try vfs.status(of: path)
    if let fileStatus, status != fileStatus { dataVersion &+= 1 }
    fileStatus = status
    let quietSource = try QuietWALSource(file, vfs, walPath: walPath)
    try adoptHeader(try readFirstPage())
    try quietSource.checkQuiet()
    source = quietSource
  }
}
