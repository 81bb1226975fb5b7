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
    try prepareHeaderPage()
    try lockExclusively()
    if let superJournal { try appendSuperJournal(superJournal, transaction) }
    try makeJournalSafe(transaction)
    state = .writing
    try writePages(cache.sortedDirtyPages(), transaction)
    try extendFile()
    if isSyncing { try file.sync(dataOnly: true) }
    state = .finished
  }

  /// Commits what phase one wrote, and returns to reading.
  ///
  /// - Parameter unlocking: false when `endRead` follows at once and gives back the locks: that
  ///   saves system calls.
  func commitPhaseTwo(unlocking: Bool = true) throws(SQLError) {
    if let failure { throw failure }
    guard let transaction else { return }
    assert(state == .finished || state == .reserved)
    if state == .finished {
      do {
        try finishJournal(transaction)
        try adoptWrittenHeader(transaction)
        try cutFile()
      } catch {
        fail(error)
        throw error
      }
    }
    endTransaction(unlocking: unlocking)
  }

  /// Page 1 is part of every commit: others see by its change counter that the file has changed.
  /// In exclusive locking mode the first commit is enough.
  private func prepareHeaderPage() throws(SQLError) {
    guard pageCount > 0 else { return }
    let page = try self.page(PageNumber(1))
    defer { unpin(page) }
    let hasSameSize = UnsafePointer(page.pointee.data).bigEndianUInt32(at: 28) == pageCount
    if hasCountedChange && hasSameSize { return }
    try makeWritable(page)
  }

  /// The numbers that the pager keeps in the header (fileformat2 §1.3.6 to §1.3.8).
  private func stampHeader(_ page: PagePointer, _ transaction: WriteTransaction) {
    let bytes = UnsafeMutableRawPointer(page.pointee.data)
    let counter = UnsafeRawPointer(headerBytes).bigEndianUInt32(at: 24)
    let newCounter = hasCountedChange ? counter : counter &+ 1
    bytes.storeBigEndian(newCounter, at: 24)
    bytes.storeBigEndian(pageCount, at: 28)
    bytes.storeBigEndian(newCounter, at: 92)
    bytes.storeBigEndian(Self.libraryVersion, at: 96)
    Memory.copy(from: bytes, to: writtenHeader, DatabaseHeader.byteCount)
    transaction.hasWrittenHeader = true
  }

  /// What bytes 96 to 99 of a database say about its last writer.
  static let libraryVersion: UInt32 = 3_053_004

  private var writtenHeader: UnsafeMutableRawPointer {
    headerBytes + 2 * DatabaseHeader.byteCount
  }

  /// The header that the transaction has written is that of the file from now on.
  private func adoptWrittenHeader(_ transaction: WriteTransaction) throws(SQLError) {
    if transaction.hasWrittenHeader {
      Memory.copy(from: writtenHeader, to: headerBytes, DatabaseHeader.byteCount)
      hasCountedChange = true
    }
    header = pageCount == 0 ? newDatabaseHeader : try DatabaseHeader(decoding: headerBytes)
  }

  private func appendSuperJournal(
    _ name: String, _ transaction: WriteTransaction
  ) throws(SQLError) {
    guard let journal = transaction.journal, journalMode.isOnDisk, !isPrivate else { return }
    transaction.superJournal = name
    try journal.appendSuperJournal(Array(name.utf8), alignsToSector: synchronous >= .full)
  }

  /// The originals of all changed pages are durable afterwards, as far as `synchronous` says.
  private func makeJournalSafe(_ transaction: WriteTransaction) throws(SQLError) {
    try transaction.journal?.makeSafe(syncingTwice: synchronous >= .full)
    transaction.mustSync = false
    cache.journalWasSynced()
  }

  /// Writes dirty pages, whose originals are safe, to the file. They are clean afterwards.
  private func writePages(
    _ pages: [PagePointer], _ transaction: WriteTransaction
  ) throws(SQLError) {
    let neededPageCount =
      transaction.savepoints.isEmpty ? pageCount : max(pageCount, transaction.largestSavepoint)
    for page in pages {
      let number = page.pointee.number
      assert(!page.pointee.needsSync)
      if number.rawValue <= neededPageCount, !page.pointee.isWorthless {
        if number.rawValue == 1 { stampHeader(page, transaction) }
        let offset = Int64(number.rawValue - 1) * Int64(pageSize)
        try file.write(from: page.pointee.data, byteCount: pageSize, at: offset)
        filePageCount = max(filePageCount, number.rawValue)
        cache.markClean(page)
      } else if page.pointee.pinCount == 0 {
        cache.discard(page)
      } else {
        cache.markClean(page)
      }
    }
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

  /// After the commit nobody needs the pages beyond the image.
  private func cutFile() throws(SQLError) {
    guard filePageCount > pageCount else { return }
    cache.discardPages(after: pageCount)
    try file.truncate(to: Int64(pageCount) * Int64(pageSize))
    filePageCount = pageCount
  }
}

extension Pager {
  /// Ends the journal in the way of `journal_mode`: then it is not hot any more.
  func finishJournal(_ transaction: WriteTransaction) throws(SQLError) {
    guard let journal = transaction.journal else { return }
    let journalFile = journal.output.file
    guard journalMode.isOnDisk, !(journalFile is SpillingFile) else {
      forgetJournalFile()
      return
    }
    transaction.journal = nil
    try finishJournalFile(journalFile, hasSuperJournal: transaction.superJournal != nil)
  }

  func finishJournalFile(
    _ journalFile: any File, hasSuperJournal: Bool
  ) throws(SQLError) {
    if journalMode == .truncate {
      try journalFile.truncate(to: 0)
      if isSyncing && synchronous >= .full { try journalFile.sync(dataOnly: true) }
    } else if journalMode == .persist || lockingMode == .exclusive {
      try invalidateJournal(journalFile, truncates: hasSuperJournal || journalSizeLimit == 0)
    } else {
      forgetJournalFile()
      try vfs.delete(journalPath, syncingDirectory: synchronous == .extra)
    }
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
    if isSyncing { try journalFile.sync(dataOnly: true) }
    if journalSizeLimit > 0, try journalFile.byteCount() > journalSizeLimit {
      try journalFile.truncate(to: journalSizeLimit)
    }
  }

  /// Back to reading, with the lock of a reader.
  func endTransaction(unlocking: Bool) {
    transaction = nil
    writeEpoch += 1
    cache.resetSpill()
    state = .reading
    guard lockingMode == .normal, unlocking, usesLocks else { return }
    hasCountedChange = false
    do { try file.unlock(to: .shared) } catch {
      // The lock is of unknown strength: only giving it up altogether makes it known again.
      fail(error)
    }
  }

  /// A write or rollback broke off: the cache is not to be believed, and the journal, which stays
  /// where it is, must be rolled back before anything is read.
  func fail(_ error: SQLError) {
    failure = error
    state = .failed
    transaction = nil
    writeEpoch += 1
    rollbackGeneration &+= 1
    cache.discardAll()
    forgetJournalFile()
  }
}

extension Pager {
  /// Writes a part of the dirty pages, because there are too many for the cache. Where that is not
  /// possible now, the cache grows.
  @inline(never)
  func spill() throws(SQLError) {
    guard let transaction, spillsDirtyPages, !isRestoring,
      state == .changed || state == .writing
    else { return cache.postponeSpill() }
    do {
      try lockExclusively()
    } catch where error.code == .busy {
      // The readers may be gone at the next try, or at the commit.
      return cache.postponeSpill()
    }
    let victims = cache.spillVictims()
    if state == .changed || transaction.mustSync
      || victims.contains(where: { $0.pointee.needsSync })
    {
      try makeJournalSafe(transaction)
    } else {
      try transaction.journal?.output.flush()
    }
    state = .writing
    try writePages(victims, transaction)
    if victims.isEmpty { cache.postponeSpill() } else { cache.resetSpill() }
  }
}
