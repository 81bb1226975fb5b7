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
    let locks: InodeLocks
    switch locking {
    case .none:
      lockLevel = level
      return true
    case .directory(let path): return try lock(level, byDirectory: path)
    case .bytes(let found), .process(let found): locks = found
    }
    return try locks.state.withLock { state throws(SQLError) in
      // Another connection of this process is in the way: at `pending` nobody new may read, and
      // only one may be above `shared`.
      if state.level != lockLevel && (state.level >= .pending || level > .shared) { return false }
      switch level {
      case .shared: return try lockShared(&state)
      case .reserved:
        guard try setLock(&state, .write, from: LockByte.reservedOffset) else { return false }
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
      let isPending = System.isLocked(descriptor, against: .read, from: LockByte.pendingOffset, count: 1)
      guard let isPending else { throw failure(.ioErrorLock) }
      if isPending { return false }
      guard
        try setLock(&state, .read, from: LockByte.sharedOffset, count: LockByte.sharedCount)
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
      guard try setLock(&state, .write, from: LockByte.pendingOffset) else { return false }
      lockLevel = .pending
      state.level = .pending
    }
    if state.sharedCount > 1 { return false }
    guard
      try setLock(&state, .write, from: LockByte.sharedOffset, count: LockByte.sharedCount)
    else { return false }
    lockLevel = .exclusive
    state.level = .exclusive
    return true
  }

  func unlock(to level: LockLevel) throws(SQLError) {
    assert(level <= .shared)
    if lockLevel <= level { return }
    let locks: InodeLocks
    switch locking {
    case .none: return lockLevel = level
    case .directory(let path): return try unlock(to: level, byDirectory: path)
    case .bytes(let found), .process(let found): locks = found
    }
    try locks.state.withLock { state throws(SQLError) in
      if lockLevel > .shared {
        if level == .shared {
          try dropLock(.read, from: LockByte.sharedOffset, count: LockByte.sharedCount)
        }
        if level == .shared || state.sharedCount > 1 {
          try dropLock(.none, from: LockByte.pendingOffset, count: 2)
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
    defer { if !state.isProcessLocked { state.closeDeferred() } }
    try dropLock(.none, from: 0, count: 0)
  }

  func isReserved() throws(SQLError) -> Bool {
    let locks: InodeLocks
    switch locking {
    // Whoever has the directory is the only one.
    case .none, .directory: return lockLevel > .shared
    case .bytes(let found), .process(let found): locks = found
    }
    return try locks.state.withLock { state throws(SQLError) in
      if state.level > .shared { return true }
      let isLocked = System.isLocked(
        descriptor, against: .write, from: LockByte.reservedOffset, count: 1)
      guard let isLocked else { throw failure(.ioErrorCheckReservedLock) }
      return isLocked
    }
  }

  /// False when another process is in the way.
  private func setLock(
    _ state: inout InodeLocks.State, _ kind: System.LockKind, from start: Int64, count: Int64 = 1
  ) throws(SQLError) -> Bool {
    if case .process = locking { return try lockForProcess(&state) }
    if System.setLock(descriptor, kind, from: start, count: count) { return true }
    return try isConflict(.init(kind == .read ? .ioErrorReadLock : .ioErrorLock))
  }

  /// The first lock of any connection keeps other processes out until the last one closes.
  private func lockForProcess(_ state: inout InodeLocks.State) throws(SQLError) -> Bool {
    if state.isProcessLocked { return true }
    state.isProcessLocked = System.setLock(
      descriptor, .write, from: LockByte.sharedOffset, count: LockByte.sharedCount)
    return state.isProcessLocked ? true : try isConflict(.init(.ioErrorLock))
  }

  /// Why a lock was not given: false when another process is in the way, an error otherwise.
  private func isConflict(_ error: SQLError) throws(SQLError) -> Bool {
    lastError = System.lastError
    if System.Failure.isLockConflict(lastError) { return false }
    throw lastError == System.Failure.notPermitted ? SQLError(.permission) : error
  }

  private func dropLock(
    _ kind: System.LockKind, from start: Int64, count: Int64
  ) throws(SQLError) {
    if case .process = locking { return }
    guard System.setLock(descriptor, kind, from: start, count: count) else {
      throw failure(kind == .read ? .ioErrorReadLock : .ioErrorUnlock)
    }
  }
}

// For file systems without locks ("unix-dotfile"): whoever makes the directory has all locks.
extension PosixFile {
  private func lock(_ level: LockLevel, byDirectory path: String) throws(SQLError) -> Bool {
    if lockLevel == .none, !System.makeDirectory(path) {
      lastError = System.lastError
      if lastError == System.Failure.exists || System.Failure.isLockConflict(lastError) {
        return false
      }
      throw SQLError(lastError == System.Failure.notPermitted ? .permission : .ioErrorLock)
    }
    lockLevel = level
    return true
  }

  private func unlock(to level: LockLevel, byDirectory path: String) throws(SQLError) {
    lockLevel = level
    guard level == .none, !System.removeDirectory(path) else { return }
    if System.lastError != System.Failure.noEntry { throw failure(.ioErrorUnlock) }
  }
}
