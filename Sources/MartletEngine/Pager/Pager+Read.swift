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
        guard let busyHandler, busyHandler.retries(awaitedLock) else { throw error }
      }
    }
  }

  /// What a read waits for that cannot begin.
  private var awaitedLock: AwaitedLock {
    if writeAheadLog != nil { return .log }
    return file.lockLevel == .none ? .connecting : .file
  }

  private func beginFirstRead() throws(SQLError) {
    assert(cache.pinnedCount == 0, "pages are not kept from one read to the next")
    do throws(SQLError) {
      try lockForReading()
    } catch
      where error.code == .notADatabase && hasLogBeside && writesInPlace
      && canUseWriteAheadLog
    {
      // A checkpoint that broke off leaves a torn header: the log has what is missing.
      if usesLocks, !(try file.lock(.shared)) { throw SQLError(.busy) }
    }
    if needsWriteAheadLog(header) {
      do { try openWriteAheadLog() } catch {
        dropLock()
        throw error
      }
      try lockForReading()
    } else if isMadeOfBytes, header.isWAL, lockingMode == .normal, !isBeingReset {
      dropLock()
      throw SQLError(.cannotOpen)
    } else if journalMode == .wal, writesInPlace {
      // Somebody has left WAL mode.
      journalMode = .delete
    }
    readerCount = 1
    state = .reading
  }

  /// Takes the lock of a reader, and makes header and cache those of the last commit.
  ///
  /// - Throws: `busy`; after an error nothing is locked that was not before.
  private func lockForReading() throws(SQLError) {
    if let logging { try logging.beginRead(self) } else { try lockAndCheckForChanges() }
  }

  /// Whether the file has to be read with a write-ahead log, which is not yet open: because it says
  /// so, or because there is one. SQLite reads a log that is there whatever the file says, and the
  /// file may well say something else: it is in the log that the mode is changed while the log is
  /// kept (SQLITE_FCNTL_PERSIST_WAL).
  private func needsWriteAheadLog(_ header: DatabaseHeader) -> Bool {
    writesInPlace && hasNeighbours && (hasLogBeside || header.isWAL && !isLeavingWAL)
  }

  /// To be called with the shared lock, as a log is made and removed under the exclusive one.
  private func lookForLog() throws(SQLError) {
    hasLogBeside = false
    guard usesLocks, !path.isEmpty else { return }
    hasLogBeside = try vfs.allows(.exists, to: walPath)
    guard hasLogBeside, try file.byteCount() == 0 else { return }
    // It is left over from another database of that name.
    try vfs.delete(walPath, syncingDirectory: false)
    hasLogBeside = false
  }

  /// With a rollback journal: the shared lock, and a look at the file.
  private func lockAndCheckForChanges() throws(SQLError) {
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
    if unfinished != nil, !isPrivate { undoFromMemory() }
    let hasFailed = state == .failed
    if hasFailed { forgetFailure() }
    state = .idle
    cache.settle(pageCount: pageCount)
    if let logging { logging.endRead(self) } else { endReadOfFile(hasFailed: hasFailed) }
  }

  private func endReadOfFile(hasFailed: Bool) {
    // What is still to be undone is in the journal.
    guard unfinished == nil, lockingMode == .normal || hasFailed else { return }
    if !hasFailed { removeEndedJournal() }
    forgetJournalFile()
    dropLock(hasFailed: hasFailed)
  }

  /// A journal in memory is lost with the locks: what could not be undone is tried once more, now
  /// (SQLite's pagerUnlockAndRollback).
  private func undoFromMemory() {
    do { try rollback() } catch {}
    guard unfinished != nil else { return }
    unfinished = nil
    forgetJournalFile()
  }

  /// - Parameter hasFailed: a transaction was not undone; its journal is.
  func dropLock(hasFailed: Bool = false) {
    forgetCountedChange()
    guard usesLocks else { return }
    do { try file.unlock(to: .none) } catch {
      // Reading is over, and the file counts as unlocked. Where the writer's lock has stayed, the
      // next reader must not take our journal for that of a writer at work.
      if hasFailed { isLockUnknown = true }
    }
  }

  /// After a failure only the file, recovered by its journal, says what the database is. A private
  /// one has its journal in `unfinished`.
  private func forgetFailure() {
    guard !isPrivate else { return }
    failure = nil
    isHeaderKnown = false
  }

  /// A file that only we can change is looked at once.
  private var isUnchanging: Bool { isImmutable || isPrivate }

  /// Whether journals of others may stand beside the file.
  private var hasNeighbours: Bool { !isUnchanging && !traits.contains(.inMemory) }

  /// Brings `header` and the cache up to date with the file.
  private func checkForChanges() throws(SQLError) {
    try resumeRollback()
    if isUnchanging && isHeaderKnown { return }
    if hasNeighbours { try recoverFromHotJournal() }
    // A log that could not be opened may be gone by now.
    if !hasLogBeside, try hasSameVersion() { return }
    if hasNeighbours { try lookForLog() }
    try adoptChangedImage()
  }

  /// Takes over what somebody else has committed.
  func adoptChangedImage() throws(SQLError) {
    let wasEmpty = isHeaderKnown && pageCount == 0
    let first = try FirstPage.read(source, size: try expectedPageSize())
    try adoptHeader(first.bytes)
    if pageCount > 0, first.size == pageSize { try cacheFirstPage(first) }
    // What was never seen before has not changed.
    if hasBeenRead, !(wasEmpty && pageCount == 0) { dataVersion &+= 1 }
    hasBeenRead = true
  }

  /// What a file says of its page size is asked before anything else of one that knows pages only,
  /// as it may refuse to read what is not one of its pages.
  private func expectedPageSize() throws(SQLError) -> Int {
    guard !hasBeenRead, traits.contains(.writesSinglePages) else { return pageSize }
    let bytes = try Memory.allocateZeroed(DatabaseHeader.byteCount)
    defer { Memory.free(bytes) }
    _ = try file.read(into: bytes, byteCount: DatabaseHeader.byteCount, at: 0)
    let stated = DatabaseHeader.pageSize(bytes)
    return DatabaseHeader.isPossible(pageSize: stated) ? stated : pageSize
  }

  /// Whoever reads the header is about to read the schema, too.
  private func cacheFirstPage(_ first: borrowing FirstPage) throws(SQLError) {
    let frame = try cache.makeFrame(PageNumber(1))
    Memory.copy(from: first.bytes, to: frame.pointee.data, pageSize)
    unpin(frame)
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
    let statedPageCount = logging?.statedPageCount ?? 0
    let fileByteCount = statedPageCount > 0 ? 0 : try file.byteCount()
    var newHeader = newDatabaseHeader
    var newPageCount: UInt32 = 0
    var newFilePageCount: UInt32 = 0
    if statedPageCount > 0 || fileByteCount > 0 {
      do {
        newHeader = try DatabaseHeader(decoding: fresh)
        if isBeingReset { try newHeader.checkUsableSize() }
      } catch where isBeingReset {
        newHeader = DatabaseHeader(
          salvaging: fresh, journalPageSize: logging?.statedPageSize, lastPageSize: pageSize)
      }
      let size = Int64(newHeader.pageSize)
      // A last page that is cut off counts; its missing bytes read as zeros.
      newFilePageCount =
        statedPageCount > 0
        ? statedPageCount
        : min(
          UInt32(clamping: fileByteCount / size + (fileByteCount % size).signum()),
          Pager.largestPageCount)
      let isCountKnown = newHeader.pageCount > 0 && !isBeingReset
      newPageCount = isCountKnown ? newHeader.pageCount : newFilePageCount
      // A checkpoint may be half done: how long the image is, only the log says.
      guard newPageCount <= newFilePageCount || needsWriteAheadLog(newHeader) else {
        throw .corrupt("file shorter than it says")
      }
      try newHeader.checkUsableSize()
      guard max(newPageCount, statedPageCount) <= Pager.largestPageCount else {
        throw .corrupt("more pages than there can be")
      }
    }
    setCachePageSize(newHeader.pageSize)
    header = newHeader
    pageCount = newPageCount
    // Others may have made the file larger than the bound, which then moves with it.
    maximumPageCount = max(maximumPageCount, newPageCount)
    filePageCount = newFilePageCount
    hintedPageCount = newFilePageCount
    Memory.copy(from: fresh, to: headerBytes, DatabaseHeader.byteCount)
    isHeaderKnown = true
    isFirstPageSound = true
  }
}

/// The first page of a database whose page size is not known, read as SQLite does, as a whole: who
/// stands between us and the file sees by the size what is wanted, and may show another page, as the
/// recovery of SQLite's shell does where the header is damaged. Zeros stand for what the file does
/// not have.
private struct FirstPage: ~Copyable {
  let bytes: UnsafeMutablePointer<UInt8>
  let size: Int

  private init(bytes: UnsafeMutablePointer<UInt8>, size: Int) {
    self.bytes = bytes
    self.size = size
  }

  deinit { Memory.free(bytes) }

  static func read(_ source: any PageSource, size: Int) throws(SQLError) -> FirstPage {
    let guess = try readOnce(source, size: size)
    let statedSize = DatabaseHeader.pageSize(guess.bytes)
    guard statedSize != size, DatabaseHeader.isPossible(pageSize: statedSize) else { return guess }
    return try readOnce(source, size: statedSize)
  }

  private static func readOnce(
    _ source: any PageSource, size: Int
  ) throws(SQLError) -> FirstPage {
    let page = FirstPage(
      bytes: try Memory.allocateZeroed(size).bindMemory(to: UInt8.self, capacity: size), size: size)
    try source.read(PageNumber(1), into: page.bytes, pageSize: size)
    return page
  }
}
