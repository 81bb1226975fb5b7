// Savepoints inside a write transaction, for SAVEPOINT and for statements that may fail half-way.
// They nest; each is known by its depth, from 0 on.
//
// What a page was at a savepoint is in one of two places: in the rollback journal, when the first
// change of the page in the transaction came after the savepoint, else in the statement journal.

extension Pager {
  var savepointCount: Int { transaction?.savepoints.count ?? 0 }

  /// Opens a savepoint in a write transaction; returns its depth.
  func openSavepoint() throws(SQLError) -> Int {
    if let failure { throw failure }
    guard let transaction else { throw SQLError(.misuse) }
    transaction.openSavepoint(pageCount: pageCount, logMark: logging?.mark)
    // Pages have to be saved again before they are changed.
    writeEpoch += 1
    checkInvariants()
    return transaction.savepoints.count - 1
  }

  /// Ends a savepoint and those inside it; their changes belong to what is outside.
  func releaseSavepoint(_ depth: Int) throws(SQLError) {
    if let failure { throw failure }
    guard let transaction, depth < transaction.savepoints.count else { return }
    if depth == 0 || !transaction.savepoints[depth].sharesRecords {
      transaction.statementJournal?.truncate(to: transaction.savepoints[depth].recordIndex)
    }
    transaction.endSavepoints(from: depth)
    checkInvariants()
  }

  /// Returns to a savepoint, which stays open; those inside it end. With -1, returns to where the
  /// transaction began, and stays in it; without a journal, nobody knows that any more, and what the
  /// transaction has done stays.
  func rollbackToSavepoint(_ depth: Int) throws(SQLError) {
    if let failure { throw failure }
    guard let transaction, depth < transaction.savepoints.count else { return }
    let savepoint =
      depth >= 0
      ? transaction.savepoints[depth]
      : Savepoint(pageCount: transaction.originalPageCount, position: nil, recordIndex: 0)
    transaction.endSavepoints(from: depth + 1)
    let isLost = depth < 0 && transaction.journal == nil && writesInPlace
    if isLost && state != .reserved { return }
    do {
      if let logging {
        try logging.restore(self, savepoint, transaction)
      } else {
        try restore(savepoint, transaction)
      }
      try updateHeader()
    } catch {
      fail(error)
      throw error
    }
    rollbackGeneration &+= 1
    writeEpoch += 1
    checkInvariants()
  }

  /// Saves what a page is now for the savepoints that do not have it.
  func saveForSavepoints(
    _ page: PagePointer, _ transaction: WriteTransaction
  ) throws(SQLError) {
    let number = page.pointee.number
    guard transaction.needsSaving(number) else { return }
    try statementJournal(of: transaction).append(number, page.pointee.data)
    try transaction.noteSaved(number)
  }

  private func statementJournal(of transaction: WriteTransaction) -> StatementJournal {
    if let journal = transaction.statementJournal { return journal }
    let journal = StatementJournal(
      SpillingFile(traits.contains(.inMemory) ? nil : vfs, kind: .statementJournal),
      pageSize: pageSize)
    transaction.statementJournal = journal
    return journal
  }

  /// Gives all pages, in the cache, the content that they had at a savepoint.
  func restore(
    _ savepoint: Savepoint, _ transaction: WriteTransaction
  ) throws(SQLError) {
    isHoldingPages = true
    defer { isHoldingPages = false }
    // Pages that go now may come back, with their originals still unsafe.
    transaction.mustSync = true
    transaction.hasCutImage = true
    let neededPageCount = max(savepoint.pageCount, transaction.largestSavepoint)
    cache.forEachPage(after: neededPageCount) { frame in
      let isOnlyCopy = frame.pointee.isDirty && isOnlyCopy(frame.pointee.number, transaction)
      if !isOnlyCopy { cache.discard(frame) }
    }
    pageCount = savepoint.pageCount
    // The first content of a page after the savepoint is what it was at the savepoint. From the last
    // record to the first, no memory is needed to know which one that is, nor for the record: a
    // rollback has to be possible where memory has run out.
    if let statementJournal = transaction.statementJournal {
      let count = max(statementJournal.recordCount, savepoint.recordIndex)
      for index in (savepoint.recordIndex..<count).reversed() {
        let number = try statementJournal.number(index)
        try restore(number, savepoint) { content throws(SQLError) in
          try statementJournal.read(index, into: content)
        }
      }
    }
    guard let journal = transaction.journal else { return }
    try journal.forEachRecordBackwards(
      to: savepoint.position ?? .init(segment: 0, record: 0)
    ) { number, read throws(SQLError) in
      try restore(number, savepoint, read)
    }
  }

  private func restore(
    _ number: PageNumber, _ savepoint: Savepoint,
    _ read: (UnsafeMutablePointer<UInt8>) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard number.rawValue <= savepoint.pageCount else { return }
    let page = try frame(number)
    defer { unpin(page) }
    page.pointee.tree.isChecked = false
    try read(page.pointee.data)
    page.pointee.needsSync = page.pointee.needsSync || state != .writing
    cache.markDirty(page)
    page.pointee.writeEpoch = 0
  }
}
