// A commit in two phases (atomiccommit §3): after the first, the file is complete and durable, and
// the journal still says how to go back; the second ends the journal, and that is the commit.

extension Pager {
  /// Both phases, for a transaction that changes no other file.
  func commit() throws(SQLError) {
    try commitPhaseOne(superJournal: nil)
    try commitPhaseTwo()
  }

  /// Writes all changes to the file. `busy` leaves everything as it was, and may be tried again;
  /// after another error the caller rolls back.
  ///
  /// - Parameter superJournal: name of the file that decides for several databases together.
  func commitPhaseOne(superJournal: String?) throws(SQLError) {
    if let failure { throw failure }
    guard let transaction, state == .changed || state == .writing else { return }
    if let logging {
      try logging.commitPhaseOne(self, transaction, superJournal: superJournal)
    } else {
      try writeImage(transaction, superJournal: superJournal)
    }
  }

  /// With a rollback journal.
  private func writeImage(
    _ transaction: WriteTransaction, superJournal: String?
  ) throws(SQLError) {
    // Nobody reads the header of a private database again.
    if isPrivate && !isFirstPageSound { throw SQLError(.notADatabase) }
    if mayStayInMemory {
      state = .finished
      return
    }
    try prepareHeaderPage()
    try lockExclusively()
    if let superJournal { try appendSuperJournal(superJournal, transaction) }
    try makeJournalSafe(transaction)
    state = .writing
    var pages = try cache.sortedDirtyPages()
    pages.removeAll { page in
      if isToBeWritten(page, pageCount) { return false }
      // While the commit may fail, a rollback may want it.
      if !isOnlyCopy(page.pointee.number, transaction) { dropDirty(page) }
      return true
    }
    try writePages(pages, transaction)
    try extendFile()
    try sync(superJournal: superJournal)
    state = .finished
  }

  func sync(superJournal: String?) throws(SQLError) {
    try tellFile(.sync(superJournal: superJournal))
    if isSyncing { try file.sync(fully: syncsFully) }
  }

  /// What a file that does not know the request makes no use of.
  func tellFile(_ request: FileControl) throws(SQLError) {
    if !isPrivate { _ = try file.control(request) }
  }

  /// Commits what phase one wrote, and returns to reading.
  ///
  /// - Parameter unlocking: false when `endRead` follows at once and gives back the locks: that
  ///   saves system calls.
  func commitPhaseTwo(unlocking: Bool = true) throws(SQLError) {
    if let failure { throw failure }
    guard let transaction else { return }
    assert(state == .finished || state == .reserved)
    commitCount &+= 1
    if state == .finished {
      do {
        if let logging {
          try logging.finishCommit(self, transaction)
        } else {
          try finishImage(transaction)
        }
        try tellFile(.commitPhaseTwo)
      } catch {
        fail(error)
        throw error
      }
    }
    endTransaction(transaction, unlocking: unlocking)
  }

  /// With a rollback journal: ends it, which is the commit, and brings the file to its size.
  func finishImage(_ transaction: WriteTransaction) throws(SQLError) {
    if isPrivate { return try finishPrivateImage(transaction) }
    try finishJournal(transaction, isCut: pageCount < transaction.originalPageCount)
    if transaction.hasWrittenHeader { keepWrittenHeader() } else { try updateHeader() }
    try cutFile(transaction)
  }

  /// What can fail comes before the end of the journal, with which nothing can be undone any more.
  private func finishPrivateImage(_ transaction: WriteTransaction) throws(SQLError) {
    // What is written in the file may be older than page 1.
    try updateHeader()
    try finishJournal(transaction, isCut: false)
    // A file that is too long does no harm.
    do { try cutFile(transaction) } catch {}
  }

  /// Page 1 is part of every commit: others see by its change counter that the file has changed.
  /// In exclusive locking mode the first commit is enough.
  func prepareHeaderPage() throws(SQLError) {
    guard pageCount > 0 else { return }
    let page = try self.page(PageNumber(1))
    defer { unpin(page) }
    let hasSameSize = UnsafePointer(page.pointee.data).bigEndianUInt32(at: 28) == pageCount
    if hasCountedChange && hasSameSize { return }
    try makeWritable(page)
  }

  /// The numbers that the pager keeps in the header (fileformat2 §1.3.6 to §1.3.8).
  func stampHeader(
    _ bytes: UnsafeMutableRawPointer, pageCount: UInt32, _ transaction: WriteTransaction
  ) {
    let counter = UnsafeRawPointer(headerBytes).bigEndianUInt32(at: 24)
    let newCounter = hasCountedChange ? counter : counter &+ 1
    bytes.storeBigEndian(newCounter, at: 24)
    bytes.storeBigEndian(pageCount, at: 28)
    bytes.storeBigEndian(newCounter, at: 92)
    bytes.storeBigEndian(Self.libraryVersion, at: 96)
    if let cookie = transaction.schemaCookie { bytes.storeBigEndian(cookie, at: 40) }
    Memory.copy(from: bytes, to: writtenHeader, DatabaseHeader.byteCount)
    transaction.hasWrittenHeader = true
  }

  /// What bytes 96 to 99 of a database say about its last writer.
  static let libraryVersion: UInt32 = 3_053_004

  private var writtenHeader: UnsafeMutableRawPointer {
    headerBytes + 2 * DatabaseHeader.byteCount
  }

  /// The header that the transaction has written is that of the file from now on. What is no header
  /// has been written all the same: whoever reads the file next finds it out.
  func keepWrittenHeader() {
    rememberWrittenHeader()
    if !header.change(to: headerBytes) { isHeaderKnown = false }
    isFirstPageSound = true
  }

  /// The same for another database, whose pages may have another size.
  func adoptWrittenHeader() throws(SQLError) {
    rememberWrittenHeader()
    header = try DatabaseHeader(whole: headerBytes)
  }

  private func rememberWrittenHeader() {
    Memory.copy(from: writtenHeader, to: headerBytes, DatabaseHeader.byteCount)
    hasCountedChange = true
  }

  /// Whether a commit needs no writing: nobody else will look into the file, which has no limit of
  /// its own, and there is room for the changed pages in the cache (SQLite writes from a quarter on,
  /// too).
  private var mayStayInMemory: Bool {
    isResident || isPrivate && !traits.contains(.isLimited) && journalMode != .off
      && cache.dirtyCount < cache.limit / 4
  }

  private func appendSuperJournal(
    _ name: String, _ transaction: WriteTransaction
  ) throws(SQLError) {
    guard let journal = transaction.journal, journalMode.isOnDisk, !isPrivate else { return }
    transaction.superJournal = name
    try journal.appendSuperJournal(name.fileNameBytes, alignsToSector: synchronous >= .full)
  }

  /// The originals of all changed pages are durable afterwards, as far as `synchronous` says.
  func makeJournalSafe(_ transaction: WriteTransaction) throws(SQLError) {
    try transaction.journal?.makeSafe(syncingTwice: synchronous >= .full, fully: syncsFully)
    transaction.mustSync = false
    cache.journalWasSynced()
  }

  func isToBeWritten(_ page: PagePointer, _ neededPageCount: UInt32) -> Bool {
    page.pointee.number.rawValue <= neededPageCount && !page.pointee.isWorthless
  }

  /// Forgets a dirty page that nobody needs any more.
  func dropDirty(_ page: PagePointer) {
    page.pointee.pinCount == 0 ? cache.discard(page) : cache.markClean(page)
  }

  /// Writes dirty pages, whose originals are safe, to the file. They are clean afterwards.
  ///
  /// - Parameter areCold: whether they are to make room for others.
  private func writePages(
    _ pages: [PagePointer], _ transaction: WriteTransaction, areCold: Bool = false
  ) throws(SQLError) {
    try hintSize(pages)
    var run = pages[...]
    while let page = run.first {
      assert(!page.pointee.needsSync)
      if page.pointee.number.rawValue == 1 {
        stampHeader(page.pointee.data, pageCount: pageCount, transaction)
      }
      let count = runLength(of: run)
      writtenPageCount &+= count
      if areCold { spilledPageCount &+= count }
      try writeRun(run.prefix(count), areCold: areCold)
      run = run.dropFirst(count)
    }
  }

  /// Tells a file that is about to grow how long it will be. It need not listen.
  private func hintSize(_ pages: [PagePointer]) throws(SQLError) {
    guard hintedPageCount < pageCount, let last = pages.last,
      last.pointee.number.rawValue > hintedPageCount
    else { return }
    hintedPageCount = pageCount
    do { try tellFile(.sizeHint(Int64(pageCount) * Int64(pageSize))) } catch {}
  }

  /// How many pages stand one after the other in the file, to be written by one call.
  private func runLength(of pages: ArraySlice<PagePointer>) -> Int {
    guard let first = pages.first else { return 0 }
    if traits.contains(.writesSinglePages) { return 1 }
    let limit = min(pages.count, JournalFile.bufferByteCount / pageSize)
    var count = 1
    while count < limit {
      let page = pages[pages.startIndex + count]
      guard page.pointee.number.rawValue == first.pointee.number.rawValue + UInt32(count)
      else { break }
      count += 1
    }
    return count
  }

  private func writeRun(
    _ pages: ArraySlice<PagePointer>, areCold: Bool
  ) throws(SQLError) {
    guard let first = pages.first, let last = pages.last else { return }
    let offset = Int64(first.pointee.number.rawValue - 1) * Int64(pageSize)
    if pages.count == 1 {
      try file.write(from: first.pointee.data, byteCount: pageSize, at: offset)
    } else {
      // The journal, whose buffer this is, has been flushed.
      let buffer = try writeBuffer()
      for (index, page) in pages.enumerated() {
        Memory.copy(from: page.pointee.data, to: buffer + index * pageSize, pageSize)
      }
      try file.write(from: buffer, byteCount: pages.count * pageSize, at: offset)
    }
    filePageCount = max(filePageCount, last.pointee.number.rawValue)
    for page in pages { cache.markClean(page, isCold: areCold) }
  }

  /// The last pages of the image may be worthless, but the file has to have them.
  private func extendFile() throws(SQLError) {
    guard pageCount > filePageCount else { return }
    let zeros = try Memory.allocateZeroed(pageSize)
    defer { Memory.free(zeros) }
    let offset = Int64(pageCount - 1) * Int64(pageSize)
    try file.write(from: zeros, byteCount: pageSize, at: offset)
    filePageCount = pageCount
  }

  /// After the commit nobody needs the pages beyond the image. What the file had in addition
  /// before, which some applications use to keep it in one piece, stays while nothing is cut.
  func cutFile(_ transaction: WriteTransaction) throws(SQLError) {
    if transaction.hasCutImage { cache.discardPages(after: pageCount) }
    let isShorter = pageCount < transaction.originalPageCount
    let kept = isShorter ? pageCount : max(pageCount, transaction.originalFilePageCount)
    guard filePageCount > kept else { return }
    try file.truncate(to: Int64(kept) * Int64(pageSize))
    filePageCount = kept
    hintedPageCount = min(hintedPageCount, kept)
  }
}

extension Pager {
  /// Ends the journal in the way of `journal_mode`: then it is not hot any more.
  ///
  /// - Parameter isCut: the file is about to lose pages that the journal does not have, which must not
  ///   be there again then after a loss of power.
  func finishJournal(_ transaction: WriteTransaction, isCut: Bool) throws(SQLError) {
    guard let journal = transaction.journal else { return }
    if let memory = journal.memory {
      // Otherwise its memory goes with the transaction.
      if traits.contains(.inMemory) {
        memory.empty()
        spareJournal = journal
      }
      return
    }
    transaction.journal = nil
    try finishJournalFile(
      journal.output.file, hasSuperJournal: transaction.superJournal != nil,
      syncsFolder: isCut && isSyncing && synchronous >= .full)
  }

  func finishJournalFile(
    _ journalFile: any File, hasSuperJournal: Bool, syncsFolder: Bool = false
  ) throws(SQLError) {
    if journalMode == .truncate {
      try journalFile.truncate(to: 0)
      if isSyncing && synchronous >= .full { try journalFile.sync(fully: syncsFully) }
    } else if journalMode == .persist || lockingMode == .exclusive {
      try invalidateJournal(journalFile, truncates: hasSuperJournal || journalSizeLimit == 0)
    } else {
      forgetJournalFile()
      try vfs.delete(journalPath, syncingDirectory: syncsFolder || synchronous == .extra)
    }
  }

  /// In exclusive locking mode a journal that has ended stays open for the next transaction. Before
  /// the lock is given up it goes, if `journal_mode` keeps none; that it cannot go hurts nobody.
  func removeEndedJournal() {
    guard openJournalFile != nil, journalMode == .delete,
      transaction == nil, unfinished == nil, failure == nil,
      !usesLocks || file.lockLevel >= .reserved
    else { return }
    forgetJournalFile()
    do { try vfs.delete(journalPath, syncingDirectory: false) } catch {}
  }

  private func invalidateJournal(
    _ journalFile: any File, truncates: Bool
  ) throws(SQLError) {
    if truncates {
      try journalFile.truncate(to: 0)
    } else {
      var zeros: (UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0)
      try withUnsafeBytes(of: &zeros) { bytes throws(SQLError) in
        guard let start = bytes.baseAddress else { return }
        try journalFile.write(
          from: start, byteCount: JournalFormat.headerByteCount, at: 0)
      }
    }
    if isSyncing { try journalFile.sync(fully: syncsFully) }
    if journalSizeLimit > 0, try journalFile.byteCount() > journalSizeLimit {
      try journalFile.truncate(to: journalSizeLimit)
    }
  }

  /// Back to reading, with the lock of a reader.
  func endTransaction(_ transaction: WriteTransaction, unlocking: Bool) {
    transaction.end()
    spareTransaction = transaction
    self.transaction = nil
    writeEpoch += 1
    cache.resetSpill()
    state = .reading
    checkInvariants()
    if let logging { logging.endTransaction(self) } else if unlocking { lowerLock() }
  }

  /// With a rollback journal: back to the lock of a reader.
  private func lowerLock() {
    guard lockingMode == .normal else { return }
    forgetCountedChange()
    guard usesLocks else { return }
    do { try file.unlock(to: .shared) } catch {
      // The lock is of unknown strength: only giving it up altogether makes it known again.
      fail(error)
    }
  }

  /// Others may read from now on, and are to see the next change by the counter; without locks
  /// (`nolock=1`), too.
  func forgetCountedChange() {
    if !isPrivate { hasCountedChange = false }
  }

  /// A write or rollback broke off: the cache is not to be believed, and the journal, which stays
  /// where it is, must be rolled back before anything is read. A private database keeps both as they
  /// are, for nobody else has what they have; a journal in memory is kept until reading ends.
  func fail(_ error: SQLError) {
    failure = error
    if let transaction, isPrivate || transaction.journal?.memory != nil {
      unfinished = (transaction, state)
    }
    state = .failed
    transaction = nil
    writeEpoch += 1
    rollbackGeneration &+= 1
    if isPrivate, unfinished != nil { return cache.hide() }
    cache.discardAll()
    if unfinished == nil { forgetJournalFile() }
  }
}

extension Pager {
  /// Writes a part of the dirty pages, because there are too many for the cache. Where that is not
  /// possible now, the cache grows.
  @inline(never)
  func spill() throws(SQLError) {
    guard let transaction, spillsDirtyPages, !isHoldingPages, !isResident,
      state == .changed || state == .writing
    else { return cache.postponeSpill() }
    do {
      try lockExclusively()
    } catch where error.code == .busy {
      // The readers may be gone at the next try, or at the commit.
      return cache.postponeSpill()
    }
    let victims = cache.spillVictims()
    try writeEarly(victims, transaction)
    if victims.isEmpty { cache.postponeSpill() } else { cache.resetSpill() }
  }

  /// Writes all dirty pages that are not pinned, if any were changed.
  ///
  /// - Throws: `busy` where readers are in the way.
  func flush() throws(SQLError) {
    guard let transaction, !isHoldingPages, !isResident, state == .changed || state == .writing
    else { return }
    try lockExclusively()
    while true {
      let victims = cache.spillVictims()
      if victims.isEmpty { return }
      try writeEarly(victims, transaction)
    }
  }

  private func writeEarly(
    _ victims: [PagePointer], _ transaction: WriteTransaction
  ) throws(SQLError) {
    if let logging {
      try logging.writeEarly(self, victims, transaction)
    } else {
      try writeSafely(victims, transaction)
    }
  }

  /// With a rollback journal.
  private func writeSafely(
    _ victims: [PagePointer], _ transaction: WriteTransaction
  ) throws(SQLError) {
    // Where a write may damage a page's neighbours, their originals have to be safe, too.
    if state == .changed || transaction.mustSync || sectorSize > pageSize
      || victims.contains(where: { $0.pointee.needsSync })
    {
      try makeJournalSafe(transaction)
    } else {
      try transaction.journal?.output.flush()
    }
    state = .writing
    let neededPageCount = max(pageCount, transaction.largestSavepoint)
    var pages = victims
    pages.removeAll { page in
      let isOnlyCopy = isOnlyCopy(page.pointee.number, transaction)
      if isToBeWritten(page, isOnlyCopy ? .max : neededPageCount) { return false }
      dropDirty(page)
      return true
    }
    try writePages(pages, transaction, areCold: true)
  }
}
