// What is true of a pager between any two calls, written down once for all ways through a
// transaction. Debug builds look after each call that ends something.

extension Pager {
  /// Checks what the numbered rules below say; returns what is wrong, or nil.
  ///
  /// (1) Outside a transaction only a private database has dirty pages, and no page beyond the
  /// image is cached. (2) A dirty page that a rollback needs is in the journal, or it is private
  /// and not yet changed in this transaction. (3) What the page is at each savepoint is in a journal
  /// before the page is ready to be changed. (4) Savepoints are in order, and none begins behind
  /// the end of the statement journal. (5) Where sectors are larger than pages, the originals of all
  /// pages in the sector of a dirty one are saved.
  ///
  /// - Parameter comparingFile: (6) a page that is not dirty is the same in the file.
  func brokenInvariant(comparingFile: Bool = false) -> String? {
    guard failure == nil else { return nil }
    var problem: String?
    cache.forEachFrame { frame in
      let number = frame.pointee.number
      guard problem == nil, number.rawValue != 0 else { return }
      if let transaction {
        problem = brokenInvariant(of: frame, transaction)
      } else if number.rawValue > pageCount {
        problem = "a page beyond the image is cached"
      } else if frame.pointee.isDirty && !isPrivate {
        problem = "a page is dirty outside a transaction"
      } else if frame.pointee.isWorthless && !frame.pointee.isDirty {
        problem = "a clean page is worthless"
      }
      if comparingFile, problem == nil, !isSameInFile(frame) {
        problem = "page \(number.rawValue) is clean, and not what is in the file"
      }
    }
    return problem ?? transaction.flatMap(brokenSavepoints)
  }

  /// Stops a debug build where a rule is broken; in a large cache looking takes too long.
  func checkInvariants() {
    assert(cache.frameCount > 1000 || brokenInvariant() == nil, brokenInvariant() ?? "")
  }

  private func brokenInvariant(
    of frame: PagePointer, _ transaction: WriteTransaction
  ) -> String? {
    let number = frame.pointee.number
    let isSaved = transaction.journaled.contains(number)
    let hasJournal = transaction.journal != nil
    let isReady = frame.pointee.writeEpoch == writeEpoch
    if frame.pointee.isDirty, hasJournal, !isSaved, number.rawValue <= transaction.originalPageCount
    {
      if !isPrivate { return "page \(number.rawValue) is dirty, and its original is not saved" }
      if isReady { return "page \(number.rawValue) is ready, and its original is not saved" }
    }
    if frame.pointee.isDirty, hasJournal, !isSectorSaved(number, transaction) {
      return "page \(number.rawValue) is dirty, and its sector is not saved"
    }
    guard isReady else { return nil }
    if !frame.pointee.isDirty || frame.pointee.isWorthless { return "a ready page is not dirty" }
    if transaction.savepointsNeed(number) {
      return "page \(number.rawValue) is ready, and a savepoint needs it"
    }
    return nil
  }

  private func isSectorSaved(_ number: PageNumber, _ transaction: WriteTransaction) -> Bool {
    guard sectorSize > pageSize else { return true }
    let pagesPerSector = sectorSize / pageSize
    let first = Int(number.rawValue - 1) / pagesPerSector * pagesPerSector + 1
    let last = min(first + pagesPerSector - 1, Int(transaction.originalPageCount))
    return (first...max(first, last)).allSatisfy {
      let neighbour = PageNumber(UInt32(truncatingIfNeeded: $0))
      return $0 > last || neighbour == lockBytePage || transaction.journaled.contains(neighbour)
    }
  }

  private func brokenSavepoints(_ transaction: WriteTransaction) -> String? {
    var recordIndex = 0
    for savepoint in transaction.savepoints {
      if savepoint.recordIndex < recordIndex { return "savepoints are out of order" }
      recordIndex = savepoint.recordIndex
    }
    let recordCount = transaction.statementJournal?.recordCount ?? 0
    return recordIndex > recordCount ? "a savepoint begins behind its journal" : nil
  }

  /// Frames that somebody has pinned may be of the past.
  private func isSameInFile(_ frame: PagePointer) -> Bool {
    guard !frame.pointee.isDirty, frame.pointee.pinCount == 0,
      frame.pointee.number.rawValue <= pageCount, frame.pointee.number != lockBytePage
    else { return true }
    do {
      let bytes = try Memory.allocate(pageSize).bindMemory(to: UInt8.self, capacity: pageSize)
      defer { Memory.free(bytes) }
      try source.read(frame.pointee.number, into: bytes, pageSize: pageSize)
      return Memory.compare(bytes, frame.pointee.data, pageSize) == 0
    } catch {
      return false
    }
  }
}
