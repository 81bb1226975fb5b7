extension Pager {
  /// Undoes the transaction and returns to reading, but for what is in a write-ahead log with its
  /// commit. Pages that are pinned get their old content
  /// where they are; `rollbackGeneration` changes.
  ///
  /// When an error is thrown nothing more can be read, and the next `beginRead` after the last
  /// `endRead` recovers from the journal.
  func rollback() throws(SQLError) {
    if failure != nil { return try resumeRollback() }
    guard let transaction else { return }
    do {
      if state == .reserved {
        pageCount = transaction.originalPageCount
      } else if isPrivate, transaction.journal == nil {
        return try keepChanges()
      } else if isPrivate, transaction.journal != nil {
        transaction.endSavepoints(from: 0)
        // What the file does not have yet of earlier transactions, only the journal has.
        try restore(
          Savepoint(pageCount: transaction.originalPageCount, position: nil, recordIndex: 0),
          transaction)
        // A file that stays too long takes up memory or space, and does no other harm.
        do { try cutFile(transaction) } catch {}
        // Others look at bytes that the program has given: they are what they were.
        if traits.contains(.isLimited) { try writeRestored() }
      } else {
        if let logging, state == .finished {
          // The commit is in the log, where others may have read it: it was another database of the
          // same transaction that failed.
          commitCount &+= 1
          try logging.finishCommit(self, transaction)
        } else if let logging {
          try logging.undo(self, transaction)
        } else if try !restoreFromFile(transaction) {
          return fail(SQLError(.abort))
        }
      }
      // What may fail for want of memory comes while there is a journal to begin again with.
      try updateHeader()
      try finishJournal(transaction, isCut: false)
    } catch {
      fail(error)
      throw error
    }
    if let superJournal = transaction.superJournal {
      // A super-journal that stays takes up space, and does no other harm.
      do { try SuperJournal.deleteUnlessNeeded(superJournal, by: journalPath, vfs) } catch {}
    }
    rollbackGeneration &+= 1
    endTransaction(transaction, unlocking: true)
  }

  /// Undoes what a private database has begun, after an attempt that broke off: for want of memory,
  /// of which there may be more by now.
  func resumeRollback() throws(SQLError) {
    guard let failure else { return }
    guard let unfinished else { throw failure }
    self.failure = nil
    self.unfinished = nil
    cache.show()
    transaction = unfinished.transaction
    state = unfinished.state
    try rollback()
  }

  /// A private database without a journal has no other image than that of now, of which a part may
  /// be in its file and a part in the cache: the transaction ends, and what it did stays.
  private func keepChanges() throws(SQLError) {
    if state != .finished { try commitPhaseOne(superJournal: nil) }
    rollbackGeneration &+= 1
    try commitPhaseTwo()
  }

  /// Puts the originals, of which only the cache has some, back where pages were written to make room.
  private func writeRestored() throws(SQLError) {
    try cache.forEachDirty { (frame) throws(SQLError) in
      if frame.pointee.isWorthless { return dropDirty(frame) }
      let offset = Int64(frame.pointee.number.rawValue - 1) * Int64(pageSize)
      try file.write(from: frame.pointee.data, byteCount: pageSize, at: offset)
      cache.markClean(frame)
    }
  }

  /// False when the file does not have the old image, and there is no journal.
  private func restoreFromFile(_ transaction: WriteTransaction) throws(SQLError) -> Bool {
    let wasWritten = state == .writing || state == .finished
    if transaction.journal == nil, wasWritten || transaction.hadDirtyPages { return false }
    pageCount = transaction.originalPageCount
    if wasWritten { try restoreFile(transaction) }
    try restoreCache(transaction) { wasWritten && transaction.journaled.contains($0) }
    return true
  }

  /// Puts the originals of all pages that may have been written back into the file.
  private func restoreFile(_ transaction: WriteTransaction) throws(SQLError) {
    guard let journal = transaction.journal else { return }
    // The file itself is asked: a write that failed may have made it longer by a part of a page.
    let byteCount = Int64(transaction.originalFilePageCount) * Int64(pageSize)
    if try file.byteCount() > byteCount { try file.truncate(to: byteCount) }
    filePageCount = transaction.originalFilePageCount
    let buffer = try Memory.allocate(pageSize).bindMemory(to: UInt8.self, capacity: pageSize)
    defer { Memory.free(buffer) }
    let safeCount = journal.isSynced ? journal.safeSegmentCount : journal.segments.count
    try journal.forEachRecord(
      from: .init(segment: 0, record: 0), segmentCount: safeCount, buffer: buffer
    ) { number, content throws(SQLError) in
      let offset = Int64(number.rawValue - 1) * Int64(pageSize)
      try file.write(from: content, byteCount: pageSize, at: offset)
    }
    if isSyncing { try file.sync(fully: syncsFully) }
  }

  /// Makes the cache what the file is: forgets changed pages, but for those that somebody has.
  ///
  /// - Parameter wasWritten: whether a page that is not dirty may have been.
  func restoreCache(
    _ transaction: WriteTransaction, wasWritten: (PageNumber) -> Bool
  ) throws(SQLError) {
    var pinned: [PagePointer] = []
    cache.forEachFrame { frame in
      let number = frame.pointee.number
      guard number.rawValue != 0 else { return }
      let isBeyond = number.rawValue > transaction.originalPageCount
      let isStale = frame.pointee.isDirty || isBeyond || wasWritten(number)
      guard isStale else { return }
      if frame.pointee.pinCount == 0 || isBeyond {
        cache.discard(frame)
      } else {
        pinned.append(frame)
      }
    }
    for frame in pinned {
      cache.markClean(frame)
      frame.pointee.tree.isChecked = false
      try source.read(frame.pointee.number, into: frame.pointee.data, pageSize: pageSize)
    }
  }
}
