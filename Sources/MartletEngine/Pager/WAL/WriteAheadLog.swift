// In WAL mode a transaction appends its pages to a log beside the database; the last of them says
// that it is committed (fileformat2 §4). A reader sees the log up to the last commit before it
// began, and for all other pages the file. A checkpoint copies the log into the file, as far as no
// reader still needs what is there. docs/pager.md has a drawing.

/// A connection to the write-ahead log of a database and to its index.
///
/// Invariants: (1) while reading, the frames up to `header.frameCount` do not change, and neither do
/// pages of the file that are not in frames from `firstFrame` on: the lock of `reader` says so.
/// (2) Frames after those of `index.liveHeader` belong to the one that has the write lock.
final class WriteAheadLog {
  @exclusivity(unchecked) private(set) var databaseFile: any File
  let vfs: any VFS
  let path: String
  let log: any File
  let index: WALIndex
  /// The log may only be read. A database that may only be read can have a log that is written: a
  /// checkpoint then finds out with its first page, as in SQLite.
  let isReadOnly: Bool

  /// What the connection sees, its own frames among it.
  @exclusivity(unchecked) var header = WALIndexHeader()
  /// Which read mark is locked; 0 says that the log is not used.
  @exclusivity(unchecked) var reader: Int?
  /// Frames before it are in the file, and are read from there.
  @exclusivity(unchecked) var firstFrame: UInt32 = 1
  @exclusivity(unchecked) var isWriting = false
  @exclusivity(unchecked) var isCheckpointing = false
  /// How often the log was started again.
  @exclusivity(unchecked) var startCount: UInt32 = 0
  /// The first frame of the transaction that was written twice, so that all checksums from there on
  /// have to be made again; 0 if there is none.
  @exclusivity(unchecked) var firstStaleChecksum: UInt32 = 0
  /// Whether the log was started again in this transaction, and may be cut after the commit.
  @exclusivity(unchecked) var mayCut = false
  /// The shared memory may only be read, and nobody keeps it up to date: the index is the
  /// connection's own, made anew when the log has changed.
  @exclusivity(unchecked) var isIndexUnreliable = false
  /// A past state that is to be read instead of the last one.
  @exclusivity(unchecked) var snapshot: WALIndexHeader?
  /// Bytes that the log may keep when it is started again; negative is no limit.
  @exclusivity(unchecked) var sizeLimit: Int64 = -1
  /// Where salts come from, once one was needed.
  var salts: SplitMix?

  /// - Parameter isPrivate: nobody else has the database, so the index needs no shared memory.
  init(
    _ databaseFile: any File, _ vfs: any VFS, _ name: DatabaseFileName, isPrivate: Bool
  ) throws(SQLError) {
    self.databaseFile = databaseFile
    self.vfs = vfs
    path = name.writeAheadLogPath
    log = try vfs.open(path, [.readWrite, .create, .writeAheadLog], of: name)
    isReadOnly = log.traits.contains(.readOnly)
    index = WALIndex(databaseFile, isPrivate ? .private : .shared)
  }

  var pageSize: Int { header.pageSize }

  /// An index of the connection's own keeps no other writer out, nor tells readers of anything.
  var mayOnlyRead: Bool { isReadOnly || index.isReadOnly || isIndexUnreliable }

  /// Lets another object stand for the database file.
  func replaceDatabaseFile(by other: any File) {
    databaseFile = other
    index.file = other
  }

  func offset(ofFrame frame: UInt32) -> Int64 {
    WALFormat.offset(ofFrame: frame, pageSize: pageSize)
  }
}

extension WriteAheadLog: PageSource {
  func read(
    _ number: PageNumber, into target: UnsafeMutablePointer<UInt8>, pageSize: Int
  ) throws(SQLError) {
    if let frame = try frame(of: number.rawValue) {
      try readPage(ofFrame: frame, into: target, byteCount: pageSize)
    } else {
      let offset = Int64(number.rawValue &- 1) * Int64(pageSize)
      _ = try databaseFile.read(into: target, byteCount: pageSize, at: offset)
    }
  }

  /// As far as the log has none of them.
  func readRun(
    _ first: PageNumber, into frames: UnsafeBufferPointer<PagePointer>, pageSize: Int
  ) -> Int {
    var count = 0
    do throws(SQLError) {
      while count < frames.count, try frame(of: first.rawValue + UInt32(count)) == nil {
        count += 1
      }
    } catch {
      return 0
    }
    guard count > 1 else { return 0 }
    return Self.readRun(
      first, into: UnsafeBufferPointer(rebasing: frames[..<count]), pageSize: pageSize,
      from: databaseFile)
  }

  /// The frame that has what the connection sees of a page; nil where the file has it.
  func frame(of page: UInt32) throws(SQLError) -> UInt32? {
    guard reader != 0 || isIndexUnreliable else { return nil }
    return try index.frame(of: page, first: firstFrame, last: header.frameCount)
  }

  func readPage(
    ofFrame frame: UInt32, into target: UnsafeMutableRawPointer, byteCount: Int
  ) throws(SQLError) {
    let count = min(byteCount, pageSize)
    try log.readFully(
      into: target, byteCount: count,
      at: offset(ofFrame: frame) + Int64(WALFormat.frameHeaderByteCount))
    // A log of smaller pages than the database leaves nothing of another page behind them.
    (target + count).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - count)
  }
}

extension WriteAheadLog {
  /// What a try to begin reading came to.
  private enum Attempt {
    case done
    /// Somebody has changed something in between.
    case again
  }

  /// Begins to read what was committed last, or `snapshot`.
  ///
  /// - Parameter hasChanged: becomes true where that is something else than the connection has read
  ///   last, also where an error comes behind it.
  /// - Throws: `busyRecovery` while somebody makes the index anew, `lockProtocol` when somebody is
  ///   always in the way, `errorSnapshot`.
  func beginRead(_ hasChanged: inout Bool) throws(SQLError) {
    assert(reader == nil)
    guard let snapshot else { return try beginLatestRead(&hasChanged) }
    let isOther = snapshot != header
    // While a checkpoint runs, what it will have overwritten is not known.
    guard try index.open(), try index.lock(WALIndex.Slot.checkpoint, .shared) else {
      throw SQLError(.busy)
    }
    defer { index.unlock(WALIndex.Slot.checkpoint, .shared) }
    try beginLatestRead(&hasChanged)
    guard snapshot != header else {
      hasChanged = hasChanged || isOther
      return
    }
    guard snapshot.hasSalt(of: header), snapshot.frameCount >= index.backfillAttempted else {
      endRead()
      throw SQLError(.errorSnapshot)
    }
    header = snapshot
    firstFrame = 1
    hasChanged = isOther
  }

  private func beginLatestRead(_ hasChanged: inout Bool) throws(SQLError) {
    var attempts = 0
    while try attemptRead(usingLog: false, &hasChanged, &attempts) == .again {}
  }

  /// Goes on reading, with the log, what was read without it.
  func readAgainUsingLog() throws(SQLError) {
    var hasChanged = false
    var attempts = 0
    while try attemptRead(usingLog: true, &hasChanged, &attempts) == .again {}
  }

  /// Keeps what is read in the log. A reader of the file alone does not hinder writers to start the
  /// log again, after which nobody else can begin to read its state (c3ref snapshot_get).
  ///
  /// - Returns: whether it is there; false when the log has gone on already.
  /// - Throws: `lockProtocol` when somebody is always in the way.
  func holdState(_ attempts: inout Int) throws(SQLError) -> Bool {
    guard reader == 0, header.frameCount > 0, !isIndexUnreliable, !index.isReadOnly else {
      return true
    }
    while index.liveHeader == header {
      try pause(&attempts)
      if try lockReadMark(for: header.frameCount) == .done {
        index.unlock(WALIndex.Slot.reader(0), .shared)
        return true
      }
    }
    return false
  }

  func endRead() {
    endWrite()
    guard let reader else { return }
    if !isIndexUnreliable { index.unlock(WALIndex.Slot.reader(reader), .shared) }
    self.reader = nil
  }

  /// Someone else may change what is being looked at, so it is tried again; more and more slowly,
  /// because the reason may be a process that has not got the processor.
  private func pause(_ attempts: inout Int) throws(SQLError) {
    let patience = 100
    attempts += 1
    guard attempts > 5 else { return }
    guard attempts <= patience else { throw SQLError(.lockProtocol) }
    vfs.sleep(microseconds: attempts < 10 ? 1 : (attempts - 9) * (attempts - 9) * 39)
  }

  /// - Parameter usingLog: look at the log even where all of it is in the file; the header is known.
  private func attemptRead(
    usingLog: Bool, _ hasChanged: inout Bool, _ attempts: inout Int
  ) throws(SQLError) -> Attempt {
    try pause(&attempts)
    if !usingLog {
      guard try readHeader(&hasChanged) else { return try waitForRecovery() }
      if isIndexUnreliable { return try attemptUnreliableRead(&hasChanged) }
    }
    let wanted = snapshot.map { min($0.frameCount, header.frameCount) } ?? header.frameCount
    if !usingLog, index.backfillCount == header.frameCount,
      snapshot == nil || header.frameCount == 0
    {
      // All of the log is in the file.
      if try index.lock(WALIndex.Slot.reader(0), .shared) {
        index.barrier()
        guard index.liveHeader == header else {
          index.unlock(WALIndex.Slot.reader(0), .shared)
          return .again
        }
        reader = 0
        return .done
      }
    }
    return try lockReadMark(for: wanted)
  }

  /// Locks the highest read mark that is not after `wanted`, or puts one there.
  private func lockReadMark(for wanted: UInt32) throws(SQLError) -> Attempt {
    var mark: UInt32 = 0
    var best = 0
    for number in 1..<WALIndex.Slot.readerCount {
      let candidate = index.readMark(number)
      if candidate >= mark, candidate <= wanted {
        mark = candidate
        best = number
      }
    }
    var wasBusy = false
    if !index.isReadOnly, mark < wanted || best == 0 {
      for number in 1..<WALIndex.Slot.readerCount {
        let slot = WALIndex.Slot.reader(number)
        guard try index.lock(slot, .exclusive) else {
          wasBusy = true
          continue
        }
        index.setReadMark(number, to: wanted)
        mark = wanted
        best = number
        index.unlock(slot, .exclusive)
        break
      }
    }
    guard best > 0 else {
      if wasBusy { return .again }
      throw SQLError(.readOnlyCannotInit)
    }
    let slot = WALIndex.Slot.reader(best)
    guard try index.lock(slot, .shared) else { return .again }
    // What is in the file stays there while the lock is held.
    firstFrame = index.backfillCount &+ 1
    index.barrier()
    guard index.readMark(best) == mark, index.liveHeader == header else {
      index.unlock(slot, .shared)
      return .again
    }
    reader = best
    return .done
  }

  /// Somebody has the write lock, and the header is not whole: the index is being made anew.
  private func waitForRecovery() throws(SQLError) -> Attempt {
    guard index.isOpen else { return .again }
    guard try index.lock(WALIndex.Slot.recover, .shared) else { throw SQLError(.busyRecovery) }
    index.unlock(WALIndex.Slot.recover, .shared)
    return .again
  }
}

extension WriteAheadLog {
  /// Takes over what the index says was committed last, after making the index where that is not to
  /// be trusted. False when somebody else is at it.
  func readHeader(_ hasChanged: inout Bool) throws(SQLError) -> Bool {
    do throws(SQLError) {
      _ = try index.open()
    } catch where error.code == .readOnlyCannotInit && index.sharing != .private {
      // Nobody writes, else there would be shared memory to be trusted.
      isIndexUnreliable = true
      index.makePrivate()
      hasChanged = true
    }
    if !isIndexUnreliable, index.isOpen, adoptLiveHeader(&hasChanged) { return try checkVersion() }
    return try readHeaderLocked(&hasChanged)
  }

  /// The header that is not whole may be one that is just being written.
  private func readHeaderLocked(_ hasChanged: inout Bool) throws(SQLError) -> Bool {
    if isIndexUnreliable {
      do {
        hasChanged = true
        guard try recover() else { return false }
      } catch {
        forgetPrivateIndex()
        // The log became shorter while it was read.
        guard error.code == .ioErrorShortRead else { throw error }
        return false
      }
      return try checkVersion()
    }
    if index.isReadOnly {
      guard try index.lock(WALIndex.Slot.write, .shared) else { return false }
      index.unlock(WALIndex.Slot.write, .shared)
      throw SQLError(.readOnlyRecovery)
    }
    let wasWriting = isWriting
    if !wasWriting {
      guard try index.lock(WALIndex.Slot.write, .exclusive) else { return false }
      isWriting = true
    }
    index.mayExtend = true
    defer {
      if !wasWriting {
        isWriting = false
        index.mayExtend = false
        index.unlock(WALIndex.Slot.write, .exclusive)
      }
    }
    guard try index.open() else { throw SQLError(.ioErrorSharedMemoryMap) }
    if !adoptLiveHeader(&hasChanged) {
      hasChanged = true
      guard try recover() else { return false }
    }
    return try checkVersion()
  }

  private func adoptLiveHeader(_ hasChanged: inout Bool) -> Bool {
    guard let live = index.wholeHeader else { return false }
    if live != header {
      hasChanged = true
      header = live
    }
    return true
  }

  private func checkVersion() throws(SQLError) -> Bool {
    guard header.version == WALFormat.version else { throw SQLError(.cannotOpen) }
    return true
  }

  private func forgetPrivateIndex() {
    guard isIndexUnreliable else { return }
    isIndexUnreliable = false
    index.makeShared()
  }

  /// Reads by an index of the connection's own: good while nobody uses the shared memory, and the
  /// log has no more than when it was read.
  private func attemptUnreliableRead(_ hasChanged: inout Bool) throws(SQLError) -> Attempt {
    do throws(SQLError) {
      guard try databaseFile.sharedMemory(region: 0, extending: false) == nil else {
        // Somebody keeps it up to date by now.
        forgetPrivateIndex()
        return .again
      }
    } catch where error.code == .readOnlyCannotInit {
    }
    guard try !hasGrown() else {
      forgetPrivateIndex()
      return .again
    }
    reader = 0
    return .done
  }

  /// Whether there is a valid frame behind those that are known.
  private func hasGrown() throws(SQLError) -> Bool {
    let byteCount = try log.byteCount()
    if byteCount < Int64(WALFormat.headerByteCount) {
      return header.frameCount > 0
    }
    var reader = WALReader(log, byteCount: byteCount)
    guard try reader.readHeader(), header.frameCount == 0 || reader.salt == header.salt else {
      return true
    }
    guard header.frameCount > 0 else { return try reader.hasCommit() }
    reader.skip(to: header)
    return try reader.hasCommit()
  }
}
