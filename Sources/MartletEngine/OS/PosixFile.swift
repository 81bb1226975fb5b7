/// A file of the operating system, opened by `PosixVFS`.
final class PosixFile: File {
  private(set) var traits: FileTraits
  private(set) var lockLevel = LockLevel.none

  private var descriptor: Int32
  /// Nil for files that are never locked: journals and temporary files.
  private let locks: InodeLocks?
  /// The name that a database was opened by.
  private let path: String?
  /// For a new journal, the directory that must be synced with it: a journal that cannot be found
  /// after a power failure is as good as none.
  private var unsyncedDirectory: String?

  init(
    descriptor: Int32, traits: FileTraits, locks: InodeLocks?, path: String? = nil,
    unsyncedDirectory: String? = nil
  ) {
    self.descriptor = descriptor
    self.traits = traits
    self.locks = locks
    self.path = path
    self.unsyncedDirectory = unsyncedDirectory
  }

  deinit { close() }

  func close() {
    guard descriptor >= 0 else { return }
    let closing = descriptor
    guard let locks else {
      descriptor = -1
      System.closeFile(closing)
      return
    }
    if lockLevel != .none {
      // A failed unlock changes nothing here: closing the descriptor drops the lock as well.
      do { try unlock(to: .none) } catch { lockLevel = .none }
    }
    descriptor = -1
    locks.state.withLock { state in
      if state.sharedCount > 0 {
        state.deferredDescriptors.append(closing)
      } else {
        System.closeFile(closing)
      }
    }
    locks.release()
  }
}

extension PosixFile {
  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    var done = 0
    while done < byteCount {
      let count = System.readBytes(
        descriptor, target + done, byteCount - done, offset + Int64(done))
      guard count >= 0 else { throw SQLError(.ioErrorRead) }
      if count == 0 {
        (target + done).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - done)
        break
      }
      done += count
    }
    return done
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    var done = 0
    while done < byteCount {
      let count = System.writeBytes(
        descriptor, source + done, byteCount - done, offset + Int64(done))
      if count < 0 {
        throw System.lastError == System.Failure.noSpace
          ? SQLError(.full) : SQLError(.ioErrorWrite)
      }
      // Nothing written and no reason given: the medium takes no more.
      if count == 0 { throw SQLError(.full) }
      done += count
    }
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    guard System.truncateFile(descriptor, byteCount) else { throw SQLError(.ioErrorTruncate) }
  }

  func sync(dataOnly: Bool) throws(SQLError) {
    guard System.syncFile(descriptor, dataOnly: dataOnly) else { throw SQLError(.ioErrorFsync) }
    if let directory = unsyncedDirectory {
      // Not every file system can sync a directory, and there is nothing better to be done.
      _ = System.syncDirectory(directory)
      unsyncedDirectory = nil
    }
  }

  var hasMoved: Bool {
    guard let path, let locks else { return false }
    guard let status = System.pathStatus(path) else { return true }
    return InodeLocks.Identity(device: status.device, inode: status.inode) != locks.identity
  }

  func byteCount() throws(SQLError) -> Int64 {
    guard let status = System.fileStatus(descriptor) else { throw SQLError(.ioErrorFstat) }
    // Old versions wrote one byte into a new file to lock it, and SQLite takes it for empty still.
    return status.byteCount == 1 ? 0 : status.byteCount
  }
}

// Locks (lockingv3 §3): a reader holds a read lock on the shared range. A writer holds a write
// lock on the reserved byte, then on the pending byte, then on the whole shared range.
//
//     | pending | reserved | shared × 510 |
//
// Invariants: (1) the process holds a read lock on the shared range while some file of the inode
// is at `shared` or more, a write lock on it only at `exclusive`. (2) At most one file of the inode
// is above `shared`, and the inode's level is then that file's.
extension PosixFile {
  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    assert(level == .shared || level == .reserved || level == .exclusive)
    assert(level == .shared || lockLevel >= .shared, "a writer is a reader first")
    if lockLevel >= level { return true }
    guard let locks else {
      lockLevel = level
      return true
    }
    return try locks.state.withLock { state throws(SQLError) in
      // Another connection of this process is in the way: at `pending` nobody new may read, and
      // only one may be above `shared`.
      if state.level != lockLevel && (state.level >= .pending || level > .shared) { return false }
      switch level {
      case .shared: return try lockShared(&state)
      case .reserved:
        guard try setLock(.write, from: LockByte.reserved) else { return false }
        lockLevel = .reserved
        state.level = .reserved
        return true
      default: return try lockExclusive(&state)
      }
    }
  }

  /// A new reader must not come in while a writer waits with the pending byte, else writers starve
  /// (lockingv3 §5.1). SQLite takes and drops a read lock on that byte around the shared lock; to
  /// look at it first is one call less. A writer that takes it between the two calls waits for one
  /// reader more, and `exclusive` is safe either way, because it needs the shared range.
  private func lockShared(_ state: inout InodeLocks.State) throws(SQLError) -> Bool {
    if state.sharedCount == 0 {
      let isPending = System.isLocked(descriptor, against: .read, from: LockByte.pending, count: 1)
      guard let isPending else { throw SQLError(.ioErrorLock) }
      if isPending { return false }
      guard
        try setLock(.read, from: LockByte.sharedFirst, count: LockByte.sharedCount)
      else { return false }
      state.level = .shared
    }
    state.sharedCount += 1
    lockLevel = .shared
    return true
  }

  /// From `reserved` by way of the pending byte, which stays when readers are still there. Recovery
  /// of a hot journal comes from `shared` and does without: it must not look like a writer.
  private func lockExclusive(_ state: inout InodeLocks.State) throws(SQLError) -> Bool {
    if lockLevel == .reserved {
      guard try setLock(.write, from: LockByte.pending) else { return false }
      lockLevel = .pending
      state.level = .pending
    }
    if state.sharedCount > 1 { return false }
    guard
      try setLock(.write, from: LockByte.sharedFirst, count: LockByte.sharedCount)
    else { return false }
    lockLevel = .exclusive
    state.level = .exclusive
    return true
  }

  func unlock(to level: LockLevel) throws(SQLError) {
    assert(level <= .shared)
    if lockLevel <= level { return }
    guard let locks else {
      lockLevel = level
      return
    }
    try locks.state.withLock { state throws(SQLError) in
      if lockLevel > .shared {
        if level == .shared {
          try dropLock(.read, from: LockByte.sharedFirst, count: LockByte.sharedCount)
        }
        if level == .shared || state.sharedCount > 1 {
          try dropLock(.none, from: LockByte.pending, count: 2)
        }
        state.level = .shared
        lockLevel = .shared
      }
      if level == .none { try unlockShared(&state) }
    }
  }

  private func unlockShared(_ state: inout InodeLocks.State) throws(SQLError) {
    state.sharedCount -= 1
    lockLevel = .none
    guard state.sharedCount == 0 else { return }
    state.level = .none
    defer {
      if !state.deferredDescriptors.isEmpty {
        for descriptor in state.deferredDescriptors { System.closeFile(descriptor) }
        state.deferredDescriptors.removeAll()
      }
    }
    try dropLock(.none, from: 0, count: 0)
  }

  func isReserved() throws(SQLError) -> Bool {
    guard let locks else { return lockLevel > .shared }
    return try locks.state.withLock { state throws(SQLError) in
      if state.level > .shared { return true }
      let isLocked = System.isLocked(
        descriptor, against: .write, from: LockByte.reserved, count: 1)
      guard let isLocked else { throw SQLError(.ioErrorCheckReservedLock) }
      return isLocked
    }
  }

  /// False when another process is in the way.
  private func setLock(
    _ kind: System.LockKind, from start: Int64, count: Int64 = 1
  ) throws(SQLError) -> Bool {
    if System.setLock(descriptor, kind, from: start, count: count) { return true }
    let failure = System.lastError
    if System.Failure.isLockConflict(failure) { return false }
    if failure == System.Failure.notPermitted { throw SQLError(.permission) }
    throw SQLError(kind == .read ? .ioErrorReadLock : .ioErrorLock)
  }

  private func dropLock(
    _ kind: System.LockKind, from start: Int64, count: Int64
  ) throws(SQLError) {
    guard System.setLock(descriptor, kind, from: start, count: count) else {
      throw SQLError(kind == .read ? .ioErrorReadLock : .ioErrorUnlock)
    }
  }
}
