// Transactions of one file, as far as trees have a part in them; the rest is the pager's.

extension BTree {
  /// Begins to write, or goes on writing. The file must be read already (`Pager.beginRead`).
  ///
  /// An empty file becomes a database of one page: an empty schema table.
  func beginWrite(exclusive: Bool = false) throws(SQLError) {
    try pager.beginWrite(exclusive: exclusive)
    try prepareSpaces()
    if pager.pageCount == 0 { try createDatabase() }
    isAutoVacuum = try meta(.largestRootPage) != 0
  }

  private func createDatabase() throws(SQLError) {
    let page = try pager.appendPage()
    defer { pager.unpin(page) }
    let data = page.pointee.data
    data.update(repeating: 0, count: 100)
    let magic: StaticString = "SQLite format 3\0"
    Memory.copy(from: magic.utf8Start, to: data, 16)
    // 65536 does not fit and is written as 1 (fileformat2 §1.3.2).
    data.setUInt16(pager.pageSize == 65536 ? 1 : pager.pageSize, at: 16)
    data[18] = pager.header.writeVersion
    data[19] = pager.header.readVersion
    data[20] = UInt8(pager.header.reservedByteCount)
    data[21] = 64
    data[22] = 32
    data[23] = 32
    clear(page, kind: TreeKind.table.leafByte)
    data.setUInt32(1, at: 28)
    data.setUInt32(newDatabaseVacuum == .none ? 0 : 1, at: 52)
    data.setUInt32(newDatabaseVacuum == .incremental ? 1 : 0, at: 64)
    try pager.updateHeader()
  }

  /// Everything that has to be written before the pager can commit: with full auto-vacuum, free
  /// pages leave the file now.
  func prepareCommit(vacuuming choose: VacuumChoice? = nil) throws(SQLError) {
    guard isAutoVacuum, try autoVacuum() == .full else { return }
    try vacuumForCommit(choose)
  }

  /// To be called when a transaction is over, committed or not.
  func finishTransaction() {
    freedPages.removeAll()
    isAutoVacuum = false
    dropPending()
  }

  /// Commits a transaction of this file alone.
  func commit() throws(SQLError) {
    try prepareCommit()
    try pager.commit()
    finishTransaction()
  }

  /// Takes back what was changed since a savepoint of the pager, which stays open, or with -1 what
  /// the whole transaction has changed. Cursors keep their places, or lose them where the entry is
  /// gone.
  func rollback(toSavepoint depth: Int) throws(SQLError) {
    dropPending()
    try saveAllCursors()
    try pager.rollbackToSavepoint(depth)
    if pager.isWriting && pager.pageCount == 0 { try createDatabase() }
    isAutoVacuum = try meta(.largestRootPage) != 0
  }

  /// Takes back all changes. Cursors are tripped: whoever uses one gets `error`, until it is moved
  /// by a new search or closed; with nil they find their places again.
  func rollback(tripping error: ResultCode? = .abortRollback) throws(SQLError) {
    dropPending()
    if let error {
      trip(error)
    } else {
      do { try saveAllCursors() } catch { trip(error.code) }
    }
    finishTransaction()
    try pager.rollback()
  }
}
