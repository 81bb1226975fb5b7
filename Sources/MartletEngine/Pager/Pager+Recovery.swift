// A journal is hot when a crash has left it: its transaction is half in the file, and must be
// undone before anything is read (lockingv3 §4.1).

extension Pager {
  /// Undoes a transaction that a crash has interrupted, ours or that of another library. To be
  /// called with the shared lock. Throws `busy` when somebody else is about to do the same.
  func recoverFromHotJournal() throws(SQLError) {
    guard try isJournalHot() else { return isLockUnknown = false }
    guard !traits.contains(.readOnly) else { throw SQLError(.readOnlyRollback) }
    // Not the reserved lock, which would make the journal look like that of a writer at work.
    if usesLocks, !(try file.lock(.exclusive)) { throw SQLError(.busy) }
    isHeaderKnown = false
    // In between somebody else may have done it.
    if try vfs.allows(.exists, to: journalPath) {
      let journalFile = try vfs.open(journalPath, [.readWrite, .mainJournal], of: name)
      openJournalFile = journalFile
      defer { forgetJournalFile() }
      guard !journalFile.traits.contains(.readOnly) else { throw SQLError(.cannotOpen) }
      try playBack(journalFile)
    }
    isLockUnknown = false
    if usesLocks, lockingMode == .normal { try file.unlock(to: .shared) }
  }

  private func isJournalHot() throws(SQLError) -> Bool {
    guard try vfs.allows(.exists, to: journalPath) else { return false }
    // The journal of a writer at work is no business of readers.
    if !isLockUnknown, try file.isReserved() { return false }
    if try file.byteCount() == 0 {
      try deleteStaleJournal()
      return false
    }
    return try isJournalIntact()
  }

  /// A journal beside an empty file is left over from another database of that name. If somebody
  /// is about to write, it is his, and he knows what to do with it.
  private func deleteStaleJournal() throws(SQLError) {
    guard usesLocks, !isReadOnly else { return }
    do {
      guard try file.lock(.reserved) else { return }
      try vfs.delete(journalPath, syncingDirectory: false)
    } catch {
      // It stays; as long as the database is empty, it does no harm.
    }
    if lockingMode == .normal { try file.unlock(to: .shared) }
  }

  /// Whether a journal's header is not zeroed, which is how `journal_mode=PERSIST` ends a journal.
  private func isJournalIntact() throws(SQLError) -> Bool {
    let journal: any File
    do {
      journal = try vfs.open(journalPath, [.readOnly, .mainJournal], of: name)
    } catch {
      // Its writer may have removed it meanwhile. If not, it may well be hot.
      guard error.code == .cannotOpen else { throw error }
      return try vfs.allows(.exists, to: journalPath)
    }
    defer { journal.close() }
    var firstByte: UInt8 = 0
    _ = try journal.read(into: &firstByte, byteCount: 1, at: 0)
    return firstByte != 0
  }

  private func playBack(_ journalFile: any File) throws(SQLError) {
    // What is in the journal must not be lost in a second crash, when it is half played back.
    if isSyncing { try journalFile.sync(fully: syncsFully) }
    let superJournal = try SuperJournal.name(in: journalFile)
    var isCommitted = false
    if let superJournal { isCommitted = try !vfs.allows(.exists, to: superJournal) }
    var restoredPageCount = 0
    if !isCommitted {
      restoredPageCount = try restoreFile(from: journalFile)
      if isSyncing { try file.sync(fully: syncsFully) }
    }
    try finishJournalFile(journalFile, hasSuperJournal: superJournal != nil)
    if let superJournal, !isCommitted {
      try SuperJournal.deleteUnlessNeeded(superJournal, by: journalPath, vfs)
    }
    if restoredPageCount > 0 {
      Notices.tell(
        .noticeRecoverRollback, "recovered \(restoredPageCount) pages from \(journalPath)")
    }
  }

  /// Returns how many pages the journal had.
  private func restoreFile(from journalFile: any File) throws(SQLError) -> Int {
    var reader = try JournalReader(journalFile, databasePageSize: pageSizeInFile())
    guard var header = try reader.nextHeader() else { return 0 }
    let pageCount = header.originalPageCount
    let pageSize = reader.pageSize
    try resizeFile(to: Int64(pageCount) * Int64(pageSize), pageSize: pageSize)
    let buffer = try Memory.allocate(pageSize).bindMemory(to: UInt8.self, capacity: pageSize)
    defer { Memory.free(buffer) }
    var count = 0
    while true {
      for _ in 0..<reader.recordCount(of: header) {
        guard let number = try reader.nextRecord(into: buffer, pageCount: pageCount)
        else { return count }
        count += 1
        guard number.rawValue <= pageCount else { continue }
        let offset = Int64(number.rawValue - 1) * Int64(pageSize)
        try file.write(from: buffer, byteCount: pageSize, at: offset)
      }
      guard let next = try reader.nextHeader() else { return count }
      header = next
    }
  }

  /// The page size that the file says it has, whatever else is in it; else that of new files.
  private func pageSizeInFile() throws(SQLError) -> Int {
    let bytes = try Memory.allocateZeroed(DatabaseHeader.byteCount)
    defer { Memory.free(bytes) }
    _ = try file.read(into: bytes, byteCount: DatabaseHeader.byteCount, at: 0)
    let size = DatabaseHeader.pageSize(bytes)
    return DatabaseHeader.isPossible(pageSize: size) ? size : newDatabaseHeader.pageSize
  }

  private func resizeFile(to newByteCount: Int64, pageSize: Int) throws(SQLError) {
    let byteCount = try file.byteCount()
    if byteCount > newByteCount {
      try file.truncate(to: newByteCount)
    } else if byteCount + Int64(pageSize) <= newByteCount {
      let zeros = try Memory.allocateZeroed(pageSize)
      defer { Memory.free(zeros) }
      try file.write(from: zeros, byteCount: pageSize, at: newByteCount - Int64(pageSize))
    }
  }
}
