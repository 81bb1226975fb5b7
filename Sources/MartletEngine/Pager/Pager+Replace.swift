// VACUUM builds the database anew, perhaps with another page size, and then puts the result in the
// place of the old one. The journal has the old pages in their old size, as far as the new image
// reaches: what is behind it is cut off after the commit, and not touched before.

extension Pager {
  /// Replaces the whole image by that of another database, and commits. To be called in a write
  /// transaction that has changed nothing, with no page pinned; `other` is being read.
  ///
  /// After an error the caller rolls back.
  ///
  /// - Parameter schemaCookie: in place of the other's.
  func commitReplacement(by other: Pager, schemaCookie: UInt32? = nil) throws(SQLError) {
    if let failure { throw failure }
    guard let transaction, state == .reserved else { throw SQLError(.misuse) }
    assert(cache.pinnedCount == 0)
    transaction.schemaCookie = schemaCookie
    if let logging {
      try logging.replaceImage(self, by: other, transaction)
    } else {
      try replaceFileContent(by: other, transaction)
    }
    endTransaction(transaction, unlocking: true)
  }

  /// With a rollback journal.
  private func replaceFileContent(
    by other: Pager, _ transaction: WriteTransaction
  ) throws(SQLError) {
    if isResident { return try replacePages(by: other, transaction) }
    try openJournal(transaction)
    try saveOldPages(under: Int64(other.pageCount) * Int64(other.pageSize), transaction)
    try lockExclusively()
    try tellFile(.overwrite(Int64(other.pageCount) * Int64(other.pageSize)))
    try makeJournalSafe(transaction)
    state = .writing
    try writeImage(of: other, transaction)
    try sync(superJournal: nil)
    state = .finished
    commitCount &+= 1
    do {
      let oldSize = Int64(transaction.originalPageCount) * Int64(pageSize)
      let newSize = Int64(other.pageCount) * Int64(other.pageSize)
      try finishJournal(transaction, isCut: newSize < oldSize)
      try adoptReplacement(by: other)
      try tellFile(.commitPhaseTwo)
    } catch {
      fail(error)
      throw error
    }
  }

  /// The same in the cache, which is the database.
  private func replacePages(by other: Pager, _ transaction: WriteTransaction) throws(SQLError) {
    if pageCount == 0 {
      newDatabaseHeader.pageSize = other.pageSize
      newDatabaseHeader.reservedByteCount = other.header.reservedByteCount
      header = newDatabaseHeader
      setCachePageSize(other.pageSize)
    }
    guard other.pageSize == pageSize else { throw SQLError(.readOnly) }
    try openJournal(transaction)
    for number in 1..<max(other.pageCount &+ 1, 1) {
      let number = PageNumber(number)
      if number == lockBytePage { continue }
      let page = try other.page(number)
      defer { other.unpin(page) }
      pageCount = max(pageCount, number.rawValue)
      let copy = try pageForContent(of: number)
      defer { unpin(copy) }
      Memory.copy(from: page.pointee.data, to: copy.pointee.data, pageSize)
      copy.pointee.tree.isChecked = false
      guard number.rawValue == 1 else { continue }
      // Nobody else sees this header: its change counter stays what it is, as in SQLite.
      UnsafeMutableRawPointer(copy.pointee.data).storeBigEndian(other.pageCount, at: 28)
      if let cookie = transaction.schemaCookie {
        UnsafeMutableRawPointer(copy.pointee.data).storeBigEndian(cookie, at: 40)
      }
    }
    truncateImage(to: other.pageCount)
    state = .finished
    try finishImage(transaction)
    commitCount &+= 1
    rollbackGeneration &+= 1
  }

  /// Saves the pages that the first `byteCount` bytes of the file will be written over, and those
  /// beside them that a write to their sector may damage.
  private func saveOldPages(
    under byteCount: Int64, _ transaction: WriteTransaction
  ) throws(SQLError) {
    guard let journal = transaction.journal else { return }
    let end = JournalFormat.alignedUp(byteCount, to: max(sectorSize, pageSize))
    let count = min(transaction.originalPageCount, UInt32(clamping: end / Int64(pageSize)))
    for number in 1..<count &+ 1 {
      let number = PageNumber(number)
      if number == lockBytePage { continue }
      let page = try self.page(number)
      defer { unpin(page) }
      try journal.append(number, page.pointee.data)
      try transaction.journaled.insert(number)
    }
  }

  private func writeImage(
    of other: Pager, _ transaction: WriteTransaction
  ) throws(SQLError) {
    let newSize = Int64(other.pageSize)
    for number in 1..<max(other.pageCount &+ 1, 1) {
      let number = PageNumber(number)
      if number == other.lockBytePage { continue }
      let page = try other.page(number)
      defer { other.unpin(page) }
      if number.rawValue == 1 {
        try writeFirstPage(page.pointee.data, of: other, transaction)
      } else {
        let offset = Int64(number.rawValue - 1) * newSize
        try file.write(from: page.pointee.data, byteCount: other.pageSize, at: offset)
      }
      // A rollback cuts the file to the old size in old pages.
      let end = Int64(number.rawValue) * newSize
      filePageCount = max(filePageCount, UInt32(clamping: (end - 1) / Int64(pageSize) + 1))
    }
  }

  /// A copy, because the page is the other pager's.
  private func writeFirstPage(
    _ content: UnsafePointer<UInt8>, of other: Pager, _ transaction: WriteTransaction
  ) throws(SQLError) {
    let copy = try Memory.allocate(other.pageSize)
    defer { Memory.free(copy) }
    Memory.copy(from: content, to: copy, other.pageSize)
    stampHeader(copy, pageCount: other.pageCount, transaction)
    try file.write(from: copy, byteCount: other.pageSize, at: 0)
  }

  private func adoptReplacement(by other: Pager) throws(SQLError) {
    do { try file.truncate(to: Int64(other.pageCount) * Int64(other.pageSize)) } catch {
      // A private file that is too long does no harm, and nothing can be undone any more.
      if !isPrivate { throw error }
    }
    cache.discardAll()
    setCachePageSize(other.pageSize)
    pageCount = other.pageCount
    filePageCount = other.pageCount
    try adoptWrittenHeader()
    rollbackGeneration &+= 1
  }
}
