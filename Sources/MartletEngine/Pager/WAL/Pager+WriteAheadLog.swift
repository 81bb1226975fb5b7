extension Pager {
  var writeAheadLog: WriteAheadLog? { logging?.log }

  /// Whether the database can be in WAL mode at all.
  var canUseWriteAheadLog: Bool {
    usesLocks && !path.isEmpty && !traits.contains(.inMemory)
      && (file.hasSharedMemory || lockingMode == .exclusive)
  }

  /// Reads and writes by the write-ahead log from now on. To be called with the shared lock.
  func openWriteAheadLog() throws(SQLError) {
    guard canUseWriteAheadLog else { throw SQLError(.cannotOpen) }
    let isPrivate = lockingMode == .exclusive
    if isPrivate, !(try file.lockOutOthers()) { throw SQLError(.busy) }
    let log = try WriteAheadLog(file, vfs, name, isPrivate: isPrivate)
    forgetJournalFile()
    logging = WALJournaling(log)
    source = log
    journalMode = .wal
    isHeaderKnown = false
  }

  /// Ends the use of the write-ahead log, whose content goes to the file, and keeps the exclusive
  /// lock, under which the header may be changed.
  ///
  /// - Throws: `busy` while other connections have the log open.
  func closeWriteAheadLog() throws(SQLError) {
    guard state == .idle else { throw SQLError(.locked) }
    guard let log = writeAheadLog else { return }
    guard try file.lockOutOthers() else { throw SQLError(.busy) }
    do {
      // Whatever else is asked for: who finds the log would read the file with it.
      try log.close(checkpointContext(isInterrupted: { false }), isLeaving: true)
    } catch {
      useRollbackJournal()
      dropLock()
      throw error
    }
    useRollbackJournal()
  }

  private func useRollbackJournal() {
    logging = nil
    source = DatabaseFileSource(file)
    journalMode = .delete
    isHeaderKnown = false
    hasCountedChange = false
  }

  /// Copies the write-ahead log into the file, as far as `mode` says. Nil where none is
  /// in use.
  ///
  /// - Throws: `busy` where another connection does the same.
  func checkpoint(
    _ mode: CheckpointMode, isInterrupted: @escaping () -> Bool
  ) throws(SQLError) -> CheckpointResult? {
    guard let log = writeAheadLog else { return nil }
    assert(readerCount == 0)
    log.sizeLimit = journalSizeLimit
    return try log.checkpoint(mode, checkpointContext(isInterrupted: isInterrupted))
  }

  func checkpointContext(
    isInterrupted: @escaping () -> Bool
  ) -> WriteAheadLog.CheckpointContext {
    WriteAheadLog.CheckpointContext(
      pageSize: pageSize, syncing: logSyncing, busyHandler: busyHandler,
      isInterrupted: isInterrupted)
  }

  /// Sets `lockingMode`. Where the index of the log is the connection's own, it stays as it is.
  func setLockingMode(_ mode: LockingMode) {
    if writeAheadLog?.index.sharing != .private { lockingMode = mode }
  }

  var logSyncing: WriteAheadLog.Syncing {
    WriteAheadLog.Syncing(
      commits: synchronous >= .full, checkpoints: synchronous > .off, commitsFully: syncsFully,
      checkpointsFully: syncsFully || syncsCheckpointsFully,
      sectorSize: sectorSize > 512 || !file.deviceCharacteristics.contains(.powersafeOverwrite)
        ? sectorSize : 0)
  }

  /// The header states the size of the image; where that has changed, page 1 has to be written.
  func prepareChangedSize() throws(SQLError) {
    let page = try self.page(PageNumber(1))
    defer { unpin(page) }
    if UnsafePointer(page.pointee.data).bigEndianUInt32(at: 28) != pageCount {
      try makeWritable(page)
    }
  }
}
