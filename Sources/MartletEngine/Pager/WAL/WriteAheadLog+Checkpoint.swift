/// How far a checkpoint goes, and whom it waits for (c3ref wal_checkpoint_v2).
public enum CheckpointMode: Int32, Sendable {
  /// Copies nothing.
  case noop = -1
  /// As far as nobody is in the way.
  case passive = 0
  /// All of the log: waits for writers, and for readers of the past.
  case full = 1
  /// Waits until nobody reads the log, too, so that the next writer starts it again.
  case restart = 2
  /// Cuts the log to nothing besides.
  case truncate = 3
}

/// What a checkpoint came to, in frames; both are -1 where there is no log.
public struct CheckpointResult: Sendable, Equatable {
  /// How many the log has.
  public var frameCount: Int32 = -1
  /// How many of them are in the database file.
  public var backfillCount: Int32 = -1
  /// Somebody was in the way of doing all that was asked for.
  public var isBusy = false

  public init() {}
}

extension WriteAheadLog {
  /// What a checkpoint needs of its pager.
  struct CheckpointContext {
    var pageSize: Int
    var syncing: Syncing
    var busyHandler: (any BusyHandler)?
    /// Asked between pages: throws `interrupt` to end early.
    var isInterrupted: () -> Bool
  }

  /// Copies frames into the database file.
  ///
  /// - Throws: `busy` where somebody else does the same.
  func checkpoint(
    _ mode: CheckpointMode, _ context: CheckpointContext
  ) throws(SQLError) -> CheckpointResult {
    assert(!isCheckpointing && !isWriting)
    if mayOnlyRead { throw SQLError(.readOnly) }
    if mode != .noop {
      guard try index.lock(WALIndex.Slot.checkpoint, .exclusive) else { throw SQLError(.busy) }
      isCheckpointing = true
    }
    var hasChanged = false
    defer {
      // The cache is of an older state than the header: the next reader has to see that.
      if hasChanged { header = WALIndexHeader() }
      endWrite()
      if isCheckpointing {
        isCheckpointing = false
        index.unlock(WALIndex.Slot.checkpoint, .exclusive)
      }
    }
    var actualMode = mode
    var context = context
    if mode == .passive || mode == .noop { context.busyHandler = nil }
    if mode.rawValue > CheckpointMode.passive.rawValue {
      if try lockWaiting(WALIndex.Slot.write..<WALIndex.Slot.write + 1, context.busyHandler) {
        isWriting = true
      } else {
        actualMode = .passive
        context.busyHandler = nil
      }
    }
    guard try readHeader(&hasChanged) else { throw SQLError(.busy) }
    var result = CheckpointResult()
    if header.frameCount > 0, pageSize != context.pageSize {
      throw .corrupt("write-ahead log of another page size")
    }
    if actualMode != .noop { result.isBusy = try !copyFrames(actualMode, context) }
    result.frameCount = Int32(clamping: header.frameCount)
    result.backfillCount = Int32(clamping: index.backfillCount)
    if actualMode != mode { result.isBusy = true }
    return result
  }

  /// Takes a lock for itself, asking the handler while others are in the way.
  private func lockWaiting(
    _ slots: Range<Int>, _ busyHandler: (any BusyHandler)?
  ) throws(SQLError) -> Bool {
    while true {
      if try index.lock(slots, .exclusive) { return true }
      guard let busyHandler, busyHandler.retries(.log) else { return false }
    }
  }

  /// False where not all was done.
  private func copyFrames(
    _ mode: CheckpointMode, _ context: CheckpointContext
  ) throws(SQLError) -> Bool {
    var context = context
    if index.backfillCount < header.frameCount {
      let safeCount = try safeFrameCount(&context)
      if index.backfillCount < safeCount { try copyFrames(through: safeCount, context) }
    }
    guard mode != .passive else { return true }
    if index.backfillCount < header.frameCount { return false }
    guard mode == .restart || mode == .truncate else { return true }
    let salt = randomSalt()
    guard try lockWaiting(WALIndex.Slot.allReadersOfLog, context.busyHandler) else { return false }
    defer { index.unlock(WALIndex.Slot.allReadersOfLog, .exclusive) }
    if mode == .truncate {
      // Only a log that was started again may be cut: nobody must take it for one that was lost.
      startAgain(salt: salt)
      try log.truncate(to: 0)
    }
    return true
  }

  /// How many frames may be copied: no reader may still need what they replace. Read marks that
  /// nobody uses are moved out of the way.
  private func safeFrameCount(_ context: inout CheckpointContext) throws(SQLError) -> UInt32 {
    var safeCount = header.frameCount
    for number in 1..<WALIndex.Slot.readerCount {
      let mark = index.readMark(number)
      guard safeCount > mark else { continue }
      let slot = WALIndex.Slot.reader(number)
      if try lockWaiting(slot..<slot + 1, context.busyHandler) {
        // Readers of the last state find a mark that fits.
        index.setReadMark(number, to: number == 1 ? safeCount : WALIndex.unusedMark)
        index.unlock(slot, .exclusive)
      } else {
        safeCount = mark
        context.busyHandler = nil
      }
    }
    return safeCount
  }

  /// While no reader does without the log, the file may change.
  private func copyFrames(
    through last: UInt32, _ context: CheckpointContext
  ) throws(SQLError) {
    let slot = WALIndex.Slot.reader(0)
    guard try lockWaiting(slot..<slot + 1, context.busyHandler) else { return }
    defer { index.unlock(slot, .exclusive) }
    // Who starts the log again has this lock of a reader: since the header was read, somebody may
    // have, and then all of what is known here is in the file (wal §11).
    guard index.liveHeader.hasSalt(of: header) else { return }
    let first = index.backfillCount &+ 1
    guard first > 0, first <= last else { return }
    index.backfillAttempted = last
    if context.syncing.checkpoints { try log.sync(fully: context.syncing.checkpointsFully) }
    let pages = try newestFrames(from: first, through: last)
    try growFile()
    try copy(pages, context)
    // As long as only a part of the log was copied, none of it is written over: what has to be on
    // the disk is there still. The checkpoint that copies the last frame syncs for all before it.
    if last == index.liveHeader.frameCount {
      try databaseFile.truncate(to: Int64(header.pageCount) * Int64(pageSize))
      if context.syncing.checkpoints {
        try databaseFile.sync(fully: context.syncing.checkpointsFully)
      }
    }
    index.backfillCount = last
  }

  /// A page and the frame that has it.
  private struct PageFrame {
    var page: UInt32
    var frame: UInt32
  }

  /// The last frame of each page, in the order of the file. Pages that have newer frames than `last`
  /// are left out: who reads an older one knows that it is in the log, and a later checkpoint would
  /// write them again.
  private func newestFrames(
    from first: UInt32, through last: UInt32
  ) throws(SQLError) -> [PageFrame] {
    var pages: [PageFrame] = []
    _ = try index.page(ofFrame: last)
    let newest = header.frameCount
    assert(last <= newest)
    let pageCount = header.pageCount
    try index.forEachPage(from: first, through: newest) { (frame, page) throws(SQLError) in
      guard page != 0, page <= pageCount else { return }
      try pages.makeRoom()
      pages.append(PageFrame(page: page, frame: frame))
    }
    try pages.requireRoomForCopy()
    pages.sort { ($0.page, $0.frame) < ($1.page, $1.frame) }
    var kept = 0
    for place in pages.indices {
      if kept > 0, pages[kept - 1].page == pages[place].page { kept -= 1 }
      pages[kept] = pages[place]
      kept += 1
    }
    pages.removeLast(pages.count - kept)
    if newest > last { pages.removeAll { $0.frame > last } }
    return pages
  }

  private func growFile() throws(SQLError) {
    let wanted = Int64(header.pageCount) * Int64(pageSize)
    let byteCount = try databaseFile.byteCount()
    guard byteCount < wanted else { return }
    // A log cannot make a file longer than by its own pages.
    guard byteCount + 65536 + Int64(header.frameCount) * Int64(pageSize) >= wanted else {
      throw .corrupt("write-ahead log says the database is longer than it can be")
    }
    do { _ = try databaseFile.control(.sizeHint(wanted)) } catch {}
  }

  /// Pages that stand one after the other in the file are written together.
  private func copy(_ pages: [PageFrame], _ context: CheckpointContext) throws(SQLError) {
    let single = databaseFile.traits.contains(.writesSinglePages)
    let capacity = single ? 1 : max(1, JournalFile.bufferByteCount / pageSize)
    let buffer = try Memory.allocate(capacity * pageSize)
    defer { Memory.free(buffer) }
    var place = 0
    while place < pages.count {
      if context.isInterrupted() { throw SQLError(.interrupt) }
      var count = 0
      while count < capacity, place + count < pages.count,
        pages[place + count].page == pages[place].page + UInt32(count)
      {
        try readPage(
          ofFrame: pages[place + count].frame, into: buffer + count * pageSize,
          byteCount: pageSize)
        count += 1
      }
      try databaseFile.write(
        from: buffer, byteCount: count * pageSize,
        at: Int64(pages[place].page - 1) * Int64(pageSize))
      place += count
    }
  }
}

extension WriteAheadLog {
  /// Ends the connection to the log. The last one copies it into the file and removes it, unless it
  /// is to stay.
  ///
  /// - Parameters:
  ///   - context: nil where nothing is to be copied (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE).
  ///   - isLeaving: the database ends to be in WAL mode, so the log must not stay.
  func close(_ context: CheckpointContext?, isLeaving: Bool = false) throws(SQLError) {
    endRead()
    var isDone = false
    var failure: SQLError?
    if let context, !isReadOnly, !databaseFile.traits.contains(.readOnly) {
      do {
        isDone = try copyAsLast(context, isLeaving: isLeaving)
      } catch {
        failure = error
      }
    }
    index.close(deleting: isDone)
    log.close()
    if isDone {
      do { try vfs.delete(path, syncingDirectory: false) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// True where the log is of no use any more.
  private func copyAsLast(
    _ context: CheckpointContext, isLeaving: Bool
  ) throws(SQLError) -> Bool {
    guard try databaseFile.lockOutOthers() else { return false }
    if index.sharing == .shared { index.sharing = .exclusive }
    var context = context
    context.busyHandler = nil
    let result = try checkpoint(.passive, context)
    guard result.backfillCount == result.frameCount else { return false }
    if !isLeaving, case .number(1) = try databaseFile.control(.keepsWriteAheadLog(nil)) {
      if sizeLimit >= 0 { cut(to: 0) }
      return false
    }
    return true
  }
}

extension WriteAheadLog {
  /// What the connection reads, to be read again later (c3ref snapshot_get). Nil where nothing was
  /// ever committed to the log.
  func currentSnapshot() -> WALIndexHeader? {
    let salt = header.salt
    guard reader != nil, !isWriting, salt != (0, 0) else { return nil }
    return header
  }

  /// Locks out checkpoints while a snapshot is checked and opened.
  ///
  /// - Throws: `errorSnapshot` where a checkpoint has overwritten it.
  func lockSnapshot(_ snapshot: WALIndexHeader) throws(SQLError) {
    guard try index.lock(WALIndex.Slot.checkpoint, .shared) else { throw SQLError(.busy) }
    guard snapshot.hasSalt(of: header), snapshot.frameCount >= index.backfillAttempted else {
      index.unlock(WALIndex.Slot.checkpoint, .shared)
      throw SQLError(.errorSnapshot)
    }
  }

  func unlockSnapshot() { index.unlock(WALIndex.Slot.checkpoint, .shared) }

  /// Makes older states in the log readable after all connections were closed: lowers the mark of
  /// what checkpoints may have overwritten, as far as the file and the log agree.
  func recoverSnapshots() throws(SQLError) {
    guard try index.lock(WALIndex.Slot.checkpoint, .exclusive) else { throw SQLError(.busy) }
    defer { index.unlock(WALIndex.Slot.checkpoint, .exclusive) }
    let buffer = try Memory.allocate(2 * pageSize)
    defer { Memory.free(buffer) }
    let fileByteCount = try databaseFile.byteCount()
    let first = index.backfillCount
    var frame = index.backfillAttempted
    while frame > first {
      let page = try index.page(ofFrame: frame)
      let offset = Int64(page &- 1) * Int64(pageSize)
      if page != 0, offset + Int64(pageSize) <= fileByteCount {
        try readPage(ofFrame: frame, into: buffer, byteCount: pageSize)
        _ = try databaseFile.read(into: buffer + pageSize, byteCount: pageSize, at: offset)
        if Memory.compare(buffer, buffer + pageSize, pageSize) == 0 { break }
      }
      index.backfillAttempted = frame - 1
      frame -= 1
    }
  }
}
