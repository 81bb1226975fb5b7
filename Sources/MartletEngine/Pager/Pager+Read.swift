extension Pager {
  /// Makes the database readable and unchanging until `endRead`.
  ///
  /// A journal that a crash has left is rolled back first. Throws `busy` when a writer is in the
  /// way and the busy handler gives up (then nothing has changed, and it may be tried again),
  /// `notADatabase` and `corrupt` for what the header says, `cannotOpen` where a write-ahead log
  /// cannot be used.
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
      } catch where error.code.primary == .busy {
        guard let busyHandler, busyHandler.retries() else { throw error }
      }
    }
  }

  private func beginFirstRead() throws(SQLError) {
    assert(cache.pinnedCount == 0, "pages are not kept from one read to the next")
    var isInLog = false
    do throws(SQLError) {
      try journaling.beginRead()
      isInLog = header.isWAL && canHaveLog
    } catch where error.code == .corrupt || error.code == .notADatabase {
      // A checkpoint that broke off leaves a file that is shorter than its new header says, or a
      // torn header: the log has what is missing.
      guard try hasLogWithContent() else { throw error }
      if usesLocks, !(try file.lock(.shared)) { throw SQLError(.busy) }
      isInLog = true
    }
    if isInLog {
      do { try openWriteAheadLog() } catch {
        dropLock()
        throw error
      }
      try journaling.beginRead()
    }
    readerCount = 1
    state = .reading
  }

  /// Whether a write-ahead log may have to be opened.
  private var canHaveLog: Bool {
    journaling.writesInPlace && !isLeavingWAL && !isUnchanging && !file.traits.contains(.inMemory)
  }

  private func hasLogWithContent() throws(SQLError) -> Bool {
    guard canHaveLog, canUseWriteAheadLog else { return false }
    guard let status = try vfs.status(of: name.writeAheadLogPath) else { return false }
    return status.byteCount > 0
  }

  /// With a rollback journal: the shared lock, and a look at the file.
  func lockAndCheckForChanges() throws(SQLError) {
    // In exclusive locking mode, nobody was able to change the file.
    if usesLocks && file.lockLevel >= .shared && isHeaderKnown { return }
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
    journaling.endRead(hasFailed: hasFailed)
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
    if try !hasSameVersion() { try adoptChangedImage() }
  }

  /// Takes over what somebody else has committed.
  func adoptChangedImage() throws(SQLError) {
    let wasEmpty = isHeaderKnown && pageCount == 0
    try adoptHeader(try readFirstPage())
    // What was never seen before has not changed.
    if hasBeenRead, !(wasEmpty && pageCount == 0) { dataVersion &+= 1 }
    hasBeenRead = true
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
    let page = try Memory.allocateZeroed(size).bindMemory(to: UInt8.self, capacity: size)
    defer { Memory.free(page) }
    try source.read(PageNumber(1), into: page, pageSize: size)
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
    let fileByteCount = try journaling.imageByteCount()
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
    Memory.copy(from: fresh, to: headerBytes, DatabaseHeader.byteCount)
    isHeaderKnown = true
  }
}
