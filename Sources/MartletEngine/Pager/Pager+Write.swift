// A write transaction: `beginWrite`, then for each page `makeWritable` (or `appendPage`,
// `newContent`) before it is changed, then `commit` or `rollback` (Pager+Commit, Pager+Rollback).
//
//     reading → reserved → changed → writing → finished → reading
//                  |          |         |          |
//                  '----------'---------'----------'--- rollback → reading, or failed

extension Pager {
  var isWriting: Bool { transaction != nil }

  /// Begins a write transaction inside a read: takes the reserved lock, or the exclusive one.
  ///
  /// Throws `busy` when another connection is in the way. For the reserved lock the busy handler is
  /// not asked: the other writer may be waiting for this very reader to end.
  func beginWrite(exclusive: Bool) throws(SQLError) {
    assert(readerCount > 0, "a writer is a reader first")
    if let failure { throw failure }
    guard transaction == nil else {
      if exclusive { try lockExclusively() }
      return
    }
    guard !isReadOnly else { throw SQLError(.readOnly) }
    if let logging {
      try logging.lockForWriting(self, exclusive: exclusive)
    } else {
      try reserve(exclusive: exclusive)
    }
    let transaction = spareTransaction ?? WriteTransaction()
    spareTransaction = nil
    transaction.begin(
      originalPageCount: pageCount,
      // Nobody looks for anything in a private file beyond the image.
      originalFilePageCount: isPrivate ? pageCount : max(filePageCount, pageCount),
      hadDirtyPages: cache.dirtyCount > 0)
    self.transaction = transaction
    writeEpoch += 1
    state = .reserved
  }

  /// Begins a read and a write in one, for a transaction that starts by writing. As nothing is
  /// read yet, the busy handler may be asked for the reserved lock too.
  func beginReadAndWrite(exclusive: Bool) throws(SQLError) {
    assert(readerCount == 0)
    while true {
      try beginRead()
      do {
        try beginWrite(exclusive: exclusive)
        return
      } catch {
        endRead()
        let awaited: AwaitedLock = writeAheadLog != nil ? .log : .file
        guard error.code.primary == .busy, let busyHandler, busyHandler.retries(awaited) else {
          // What somebody has written in between, nobody has seen the old state of.
          throw error.code == .busySnapshot ? SQLError(.busy) : error
        }
      }
    }
  }

  /// With a rollback journal: the reserved lock, or the exclusive one.
  private func reserve(exclusive: Bool) throws(SQLError) {
    guard usesLocks else { return }
    guard try file.lock(.reserved) else { throw SQLError(.busy) }
    do { try checkFileSize() } catch {
      do { try file.unlock(to: .shared) } catch {}
      throw error
    }
    guard exclusive else { return }
    do { try lockExclusively() } catch {
      do { try file.unlock(to: .shared) } catch {}
      throw error
    }
  }

  /// Who does not keep to the locks may have cut the file, which its header does not say: pages that
  /// only the cache has would never be written again. A part of the last page counts for it, as it
  /// does where the header does not say how many there are. What is about to be reset may be
  /// anything.
  private func checkFileSize() throws(SQLError) {
    guard !isPrivate, !isBeingReset, pageCount > 0 else { return }
    if try file.byteCount() <= Int64(pageCount - 1) * Int64(pageSize) { throw SQLError(.corrupt) }
  }

  /// Takes the exclusive lock where the file itself is written, asking the busy handler while
  /// readers are there.
  func lockExclusively() throws(SQLError) {
    guard usesLocks, writesInPlace, file.lockLevel != .exclusive else { return }
    while !(try file.lock(.exclusive)) {
      guard let busyHandler, busyHandler.retries(.file) else { throw SQLError(.busy) }
    }
  }

  /// Prepares a pinned page for being changed: saves what it was, and marks it dirty. To be called
  /// before every change; it costs a compare when nothing is to be done.
  @inline(__always)
  func makeWritable(_ page: PagePointer) throws(SQLError) {
    if page.pointee.writeEpoch != writeEpoch { try prepareWrite(page) }
  }

  /// A new page at the end of the image: pinned, zeroed, writable.
  func appendPage() throws(SQLError) -> PagePointer {
    guard pageCount < maximumPageCount else { throw SQLError(.full) }
    var number = PageNumber(pageCount + 1)
    if number == lockBytePage {
      guard number.rawValue < maximumPageCount else { throw SQLError(.full) }
      number = PageNumber(number.rawValue + 1)
    }
    let oldPageCount = pageCount
    pageCount = number.rawValue
    do {
      return try newContent(of: number)
    } catch {
      pageCount = oldPageCount
      throw error
    }
  }

  /// The same anywhere behind the end. Pages between are nobody's: they are never written, and read
  /// as zeros.
  func appendPage(at number: PageNumber) throws(SQLError) -> PagePointer {
    guard number.rawValue <= maximumPageCount else { throw SQLError(.full) }
    let oldPageCount = pageCount
    pageCount = max(oldPageCount, number.rawValue - 1)
    do {
      return try appendPage()
    } catch {
      pageCount = oldPageCount
      throw error
    }
  }

  /// A page whose content up to now is not wanted: pinned, zeroed, writable, and not read from the
  /// file unless the journal needs it.
  ///
  /// - Parameter hadContent: false for a page that was a leaf of the freelist when the transaction
  ///   began and has not been used since: then a rollback need not restore it (fileformat2 §3).
  func newContent(
    of number: PageNumber, hadContent: Bool = true
  ) throws(SQLError) -> PagePointer {
    let page = try pageForContent(of: number, hadContent: hadContent)
    page.pointee.data.update(repeating: 0, count: pageSize)
    page.pointee.tree.isChecked = false
    return page
  }

  /// The same with whatever the frame has.
  func pageForContent(
    of number: PageNumber, hadContent: Bool = true
  ) throws(SQLError) -> PagePointer {
    guard let transaction else { throw SQLError(.misuse) }
    if let failure { throw failure }
    let isInFile = number.rawValue <= transaction.originalFilePageCount
    let isNeeded = hadContent && number.rawValue <= transaction.originalPageCount
    let page: PagePointer
    if isNeeded && !transaction.journaled.contains(number)
      || transaction.savepointsNeed(number)
    {
      page = try self.page(number)
    } else {
      page = try frame(number)
    }
    do {
      // What the transaction itself has given the page since may well be of worth to a savepoint.
      if isInFile && !isNeeded, !transaction.journaled.contains(number) {
        try markWorthlessOriginal(number, transaction)
      }
      try makeWritable(page)
    } catch {
      // Nobody has read what is in the frame.
      if !page.pointee.isDirty, page.pointee.pinCount == 1 { cache.discard(page) }
      unpin(page)
      throw error
    }
    return page
  }

  /// The content of a writable page no longer matters: it need not be written.
  func dontWrite(_ page: PagePointer) {
    // A savepoint or a rollback could give the content its meaning back.
    guard page.pointee.isDirty, let transaction, transaction.savepoints.isEmpty,
      !isOnlyCopy(page.pointee.number, transaction)
    else { return }
    page.pointee.isWorthless = true
    page.pointee.writeEpoch = 0
  }

  /// Makes the image shorter; the commit cuts the file. Pages beyond must not be used any more.
  func truncateImage(to newPageCount: UInt32) {
    assert(isWriting && newPageCount <= pageCount)
    pageCount = newPageCount
    transaction?.hasCutImage = true
  }

  /// Whether a dirty page is as the transaction has found it: then its database is private, an
  /// earlier commit has left the page in the cache alone, and a rollback has no other copy.
  func isOnlyCopy(_ number: PageNumber, _ transaction: WriteTransaction) -> Bool {
    isPrivate && number.rawValue <= transaction.originalPageCount
      && !transaction.journaled.contains(number)
  }

  /// Decodes `header` again from page 1, which a writer has changed.
  func updateHeader() throws(SQLError) {
    guard pageCount > 0 else {
      newDatabaseHeader.pageSize = cache.pageSize
      header = newDatabaseHeader
      isFirstPageSound = true
      return
    }
    let page = try self.page(PageNumber(1))
    defer { unpin(page) }
    isFirstPageSound = header.change(to: page.pointee.data)
  }
}

extension Pager {
  @inline(never)
  private func prepareWrite(_ page: PagePointer) throws(SQLError) {
    if let failure { throw failure }
    guard let transaction else { throw SQLError(.misuse) }
    assert(state == .reserved || state == .changed || state == .writing)
    assert(page.pointee.pinCount > 0)
    if state == .reserved { try beginChanges(transaction) }
    if sectorSize > pageSize, transaction.journal != nil {
      try prepareSector(of: page, transaction)
    } else {
      try prepareOne(page, transaction)
    }
  }

  /// The first page is about to be changed.
  private func beginChanges(_ transaction: WriteTransaction) throws(SQLError) {
    if logging != nil { state = .changed } else { try openJournal(transaction) }
  }

  private func prepareOne(
    _ page: PagePointer, _ transaction: WriteTransaction
  ) throws(SQLError) {
    let number = page.pointee.number
    if number.rawValue <= transaction.originalFilePageCount {
      if let journal = transaction.journal, !transaction.journaled.contains(number) {
        try save(page, journal, transaction)
        page.pointee.needsSync = journal.isSynced
      }
    } else if state != .writing, let journal = transaction.journal {
      // The header of the journal has the size to which a rollback cuts the file.
      page.pointee.needsSync = journal.isSynced
    }
    if !transaction.savepoints.isEmpty { try saveForSavepoints(page, transaction) }
    cache.markDirty(page)
    page.pointee.writeEpoch = writeEpoch
  }

  private func save(
    _ page: PagePointer, _ journal: RollbackJournal, _ transaction: WriteTransaction
  ) throws(SQLError) {
    try journal.append(page.pointee.number, page.pointee.data)
    try transaction.journaled.insert(page.pointee.number)
    try transaction.noteSaved(page.pointee.number)
  }

  /// Where a write may damage the whole sector, the originals of all its pages are saved, those
  /// that the image has lost since among them (SQLite makes the pages dirty, too).
  ///
  /// All go behind one header of the journal: a rollback writes what is behind the headers that are
  /// complete, and this, too, may damage the sector.
  private func prepareSector(
    of page: PagePointer, _ transaction: WriteTransaction
  ) throws(SQLError) {
    let wasHolding = isHoldingPages
    isHoldingPages = true
    defer { isHoldingPages = wasHolding }
    let pagesPerSector = sectorSize / pageSize
    let first = Int(page.pointee.number.rawValue - 1) / pagesPerSector * pagesPerSector + 1
    for number in first..<first + pagesPerSector where number <= transaction.originalPageCount {
      let neighbour = PageNumber(UInt32(truncatingIfNeeded: number))
      guard let journal = transaction.journal, neighbour != lockBytePage,
        !transaction.journaled.contains(neighbour)
      else { continue }
      let frame = try originalPage(neighbour)
      defer { unpin(frame) }
      try save(frame, journal, transaction)
    }
    try prepareOne(page, transaction)
  }

  /// A page that the transaction has not changed, pinned; it may be beyond the image by now.
  private func originalPage(_ number: PageNumber) throws(SQLError) -> PagePointer {
    if number.rawValue <= pageCount { return try page(number) }
    let frame = try frame(number)
    do {
      try source.read(number, into: frame.pointee.data, pageSize: pageSize)
    } catch {
      cache.discard(frame)
      unpin(frame)
      throw error
    }
    return frame
  }

  /// A rollback may leave anything in this page.
  private func markWorthlessOriginal(
    _ number: PageNumber, _ transaction: WriteTransaction
  ) throws(SQLError) {
    try transaction.journaled.insert(number)
    try transaction.noteSaved(number)
  }

  func openJournal(_ transaction: WriteTransaction) throws(SQLError) {
    if journalMode != .off {
      let isOnDisk = journalMode.isOnDisk && !traits.contains(.inMemory) && !isPrivate
      let journal =
        isOnDisk ? try journalOnDisk(transaction) : try journalInMemory(transaction)
      try journal.appendHeader()
      transaction.journal = journal
    }
    state = .changed
  }

  private func journalOnDisk(
    _ transaction: WriteTransaction
  ) throws(SQLError) -> RollbackJournal {
    let journalFile = if let openJournalFile { openJournalFile } else { try makeJournalFile() }
    openJournalFile = journalFile
    return RollbackJournal(
      JournalFile(journalFile, buffer: try writeBuffer()), memory: nil, seed: seedForJournal(),
      pageSize: pageSize, sectorSize: sectorSize,
      originalPageCount: transaction.originalFilePageCount, isSynced: isSyncing)
  }

  private func makeJournalFile() throws(SQLError) -> any File {
    // A journal beside a file that has another name by now would be found by nobody.
    guard !file.hasMoved else { throw SQLError(.readOnlyDatabaseMoved) }
    let journalFile = try vfs.open(
      journalPath, [.readWrite, .create, .mainJournal], of: name)
    guard !journalFile.traits.contains(.readOnly) else {
      journalFile.close()
      throw SQLError(.cannotOpen)
    }
    return journalFile
  }

  /// In memory, or in a temporary file.
  private func journalInMemory(
    _ transaction: WriteTransaction
  ) throws(SQLError) -> RollbackJournal {
    if let journal = spareJournal {
      spareJournal = nil
      if journal.pageSize == pageSize {
        journal.startAgain(originalPageCount: transaction.originalFilePageCount)
        return journal
      }
    }
    let movesToDisk = isPrivate && !traits.contains(.inMemory) && journalMode != .memory
    let memory = SpillingFile(movesToDisk ? vfs : nil, kind: .temporaryJournal)
    return RollbackJournal(
      JournalFile(memory, buffer: try writeBuffer()), memory: memory, seed: seedForJournal(),
      pageSize: pageSize, sectorSize: sectorSize,
      originalPageCount: transaction.originalFilePageCount, isSynced: false)
  }

  func forgetJournalFile() {
    openJournalFile?.close()
    openJournalFile = nil
  }
}
