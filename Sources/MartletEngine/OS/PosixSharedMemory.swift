import Synchronization

/// The `-shm` file of a database, as this process has it open: mapped once, for all of its
/// connections, because POSIX locks belong to the process (`InodeLocks` says more).
///
/// The slots are locked by bytes from 120 on. A read lock on the byte behind them says that somebody
/// uses the file: who finds none there is the first and empties it, whatever it has
/// (walformat §1.3).
final class PosixSharedMemory: Sendable {
  private static let firstLockByte: Int64 = 120
  private static let useByte: Int64 = 128

  private struct State: @unchecked Sendable {
    /// -1 where other processes are kept out: the memory is the process's own then.
    var descriptor: Int32
    /// Whether the use byte is locked.
    var isInUse = false
    var regions: [UnsafeMutableRawPointer] = []
    /// How many files hold a slot's shared lock, or -1 for the exclusive one.
    var holders = SIMD8<Int32>()
    var userCount = 0
  }

  private let path: String
  let isReadOnly: Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - access: that of the database, which a new file takes over.
  ///   - isPrivate: no other process can have the database open, and there is no file.
  ///   - isReadOnly: open the file for reading only.
  init(
    path: String, access: System.Access, isPrivate: Bool, isReadOnly: Bool
  ) throws(SQLError) {
    self.path = path
    var opened = State(descriptor: -1)
    var isReadOnly = isReadOnly
    if isPrivate {
      opened.isInUse = true
    } else {
      if !isReadOnly {
        opened.descriptor = PosixVFS.openDescriptor(
          path, [.readWrite, .create, .noFollow], access.permissions)
      }
      if opened.descriptor < 0 {
        opened.descriptor = PosixVFS.openDescriptor(path, [.noFollow], nil)
        isReadOnly = true
      }
      guard opened.descriptor >= 0 else { throw SQLError(.cannotOpen) }
      System.setOwner(opened.descriptor, access.user, access.group)
    }
    self.isReadOnly = isReadOnly
    state = Mutex(opened)
  }

  deinit {
    state.withLock { state in
      for region in state.regions {
        if state.descriptor < 0 {
          Memory.free(region)
        } else if Self.isStartOfMapping(region, in: state.regions) {
          System.unmap(region, byteCount: Self.mappingByteCount)
        }
      }
      if state.descriptor >= 0 { System.closeFile(state.descriptor) }
    }
  }

  /// Counts a file that uses the memory; balanced by `close`.
  func open() throws(SQLError) {
    try state.withLock { state throws(SQLError) in
      do throws(SQLError) {
        try lockUseByte(&state)
      } catch where error.code == .readOnlyCannotInit {
        // Somebody may come who can initialize it; asked again with the first region.
      }
      state.userCount += 1
    }
  }

  /// False when nobody in the process uses the memory any more.
  func close(deleting: Bool) -> Bool {
    state.withLock { state in
      state.userCount -= 1
      guard state.userCount == 0 else { return true }
      if deleting, state.descriptor >= 0 { _ = System.deleteFile(path) }
      return false
    }
  }

  private func lockUseByte(_ state: inout State) throws(SQLError) {
    guard !state.isInUse else { return }
    let isUsed = System.isLocked(state.descriptor, against: .read, from: Self.useByte, count: 1)
    guard let isUsed else { throw SQLError(.ioErrorLock) }
    // A write lock is that of somebody who is about to empty the file.
    if isUsed { throw SQLError(.busy) }
    let hasUsers = System.isLocked(state.descriptor, against: .write, from: Self.useByte, count: 1)
    guard let hasUsers else { throw SQLError(.ioErrorLock) }
    if !hasUsers {
      if isReadOnly { throw SQLError(.readOnlyCannotInit) }
      guard System.setLock(state.descriptor, .write, from: Self.useByte, count: 1) else {
        throw SQLError(System.Failure.isLockConflict(System.lastError) ? .busy : .ioErrorLock)
      }
      // Not 0 bytes, so that nobody takes it for a file that is still to be made.
      guard System.truncateFile(state.descriptor, 3) else {
        _ = System.setLock(state.descriptor, .none, from: Self.useByte, count: 1)
        throw SQLError(.ioErrorSharedMemoryOpen)
      }
    }
    guard System.setLock(state.descriptor, .read, from: Self.useByte, count: 1) else {
      throw SQLError(System.Failure.isLockConflict(System.lastError) ? .busy : .ioErrorLock)
    }
    state.isInUse = true
  }
}

extension PosixSharedMemory {
  /// What is mapped by one call: a region, or as many as fill a page of the system.
  private static let mappingByteCount = max(SharedMemory.regionByteCount, System.memoryPageSize)
  private static let regionsPerMapping = mappingByteCount / SharedMemory.regionByteCount

  private static func isStartOfMapping(
    _ region: UnsafeMutableRawPointer, in regions: [UnsafeMutableRawPointer]
  ) -> Bool {
    guard let index = regions.firstIndex(of: region) else { return false }
    return index % regionsPerMapping == 0
  }

  func region(_ index: Int, extending: Bool) throws(SQLError) -> UnsafeMutableRawPointer? {
    let found = try state.withLock { state throws(SQLError) -> UInt? in
      try lockUseByte(&state)
      while state.regions.count <= index {
        guard try addRegions(&state, extending: extending) else { return nil }
      }
      return UInt(bitPattern: state.regions[index])
    }
    return found.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  private func addRegions(
    _ state: inout State, extending: Bool
  ) throws(SQLError) -> Bool {
    if state.descriptor < 0 {
      guard extending else { return false }
      state.regions.append(try Memory.allocateZeroed(SharedMemory.regionByteCount))
      return true
    }
    let start = Int64(state.regions.count) * Int64(SharedMemory.regionByteCount)
    let end = start + Int64(Self.mappingByteCount)
    guard let status = System.fileStatus(state.descriptor) else {
      throw SQLError(.ioErrorSharedMemorySize)
    }
    if status.byteCount < end {
      guard extending else { return false }
      try Self.extend(state.descriptor, from: status.byteCount, to: end)
    }
    guard
      let memory = System.map(
        state.descriptor, from: start, byteCount: Self.mappingByteCount,
        isWritable: !isReadOnly)
    else { throw SQLError(.ioErrorSharedMemoryMap) }
    for region in 0..<Self.regionsPerMapping {
      state.regions.append(memory + region * SharedMemory.regionByteCount)
    }
    return true
  }

  /// Writes into each block: a file with holes would stop the process where the disk is full.
  private static func extend(
    _ descriptor: Int32, from start: Int64, to end: Int64
  ) throws(SQLError) {
    let blockSize: Int64 = 4096
    var zero: UInt8 = 0
    for block in start / blockSize..<end / blockSize {
      let written = System.writeBytes(descriptor, &zero, 1, (block + 1) * blockSize - 1)
      guard written == 1 else { throw SQLError(.ioErrorSharedMemorySize) }
    }
  }
}

extension PosixSharedMemory {
  func lock(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) -> Bool {
    try state.withLock { state throws(SQLError) in
      if kind == .shared {
        for slot in slots where state.holders[slot] < 0 { return false }
        guard slots.contains(where: { state.holders[$0] == 0 }) else {
          for slot in slots { state.holders[slot] += 1 }
          return true
        }
        guard try Self.setLock(state, .read, slots) else { return false }
        for slot in slots { state.holders[slot] += 1 }
      } else {
        for slot in slots where state.holders[slot] != 0 { return false }
        guard try Self.setLock(state, .write, slots) else { return false }
        for slot in slots { state.holders[slot] = -1 }
      }
      return true
    }
  }

  func unlock(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) {
    try state.withLock { state throws(SQLError) in
      var hasOthers = false
      for slot in slots {
        state.holders[slot] = kind == .exclusive ? 0 : state.holders[slot] - 1
        if state.holders[slot] > 0 { hasOthers = true }
      }
      if !hasOthers { _ = try Self.setLock(state, .none, slots) }
    }
  }

  /// Whether another process holds the lock of a reader.
  func hasExternalReader() throws(SQLError) -> Bool {
    try state.withLock { state throws(SQLError) in
      guard state.descriptor >= 0 else { return false }
      let firstReader: Int64 = 3
      let isLocked = System.isLocked(
        state.descriptor, against: .write, from: Self.firstLockByte + firstReader,
        count: Int64(SharedMemory.slotCount) - firstReader)
      guard let isLocked else { throw SQLError(.ioError) }
      return isLocked
    }
  }

  private static func setLock(
    _ state: State, _ kind: System.LockKind, _ slots: Range<Int>
  ) throws(SQLError) -> Bool {
    guard state.descriptor >= 0 else { return true }
    let start = firstLockByte + Int64(slots.lowerBound)
    if System.setLock(state.descriptor, kind, from: start, count: Int64(slots.count)) { return true }
    guard kind == .none || !System.Failure.isLockConflict(System.lastError) else { return false }
    throw SQLError(.ioErrorSharedMemoryLock)
  }
}

extension PosixFile {
  var hasSharedMemory: Bool {
    #if os(WASI)
      return false
    #else
      return path != nil && inodeLocks != nil
    #endif
  }

  private var inodeLocks: InodeLocks? {
    switch locking {
    case .bytes(let locks), .process(let locks): locks
    case .none, .directory: nil
    }
  }

  var isSharedMemoryReadOnly: Bool { sharedMemory?.isReadOnly ?? false }

  func sharedMemory(
    region: Int, extending: Bool
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    try openSharedMemory().region(region, extending: extending)
  }

  private func openSharedMemory() throws(SQLError) -> PosixSharedMemory {
    if let sharedMemory { return sharedMemory }
    guard let locks = inodeLocks, let path else { throw SQLError(.cannotOpen) }
    var isPrivate = false
    if case .process = locking { isPrivate = true }
    let memory = try locks.state.withLock { state throws(SQLError) in
      if let memory = state.sharedMemory {
        try memory.open()
        return memory
      }
      guard let access = System.fileStatus(descriptor)?.access else {
        throw SQLError(.ioErrorFstat)
      }
      let memory = try PosixSharedMemory(
        path: path + "-shm", access: access, isPrivate: isPrivate,
        isReadOnly: hasReadOnlySharedMemory)
      try memory.open()
      state.sharedMemory = memory
      return memory
    }
    sharedMemory = memory
    return memory
  }

  func lockSharedMemory(
    _ slots: Range<Int>, _ kind: SharedMemory.Lock
  ) throws(SQLError) -> Bool {
    let memory = try openSharedMemory()
    if slots.allSatisfy({ heldSlots.contain($0, .shared) }), kind == .shared { return true }
    guard try memory.lock(slots, kind) else { return false }
    heldSlots.insert(slots, kind)
    return true
  }

  /// What the file has not locked is somebody else's, and stays.
  func unlockSharedMemory(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) {
    guard let sharedMemory else { return }
    if slots.allSatisfy({ heldSlots.contain($0, kind) }) {
      heldSlots.remove(slots)
      return try sharedMemory.unlock(slots, kind)
    }
    for slot in slots {
      for kind in [SharedMemory.Lock.shared, .exclusive] where heldSlots.contain(slot, kind) {
        heldSlots.remove(slot..<slot + 1)
        try sharedMemory.unlock(slot..<slot + 1, kind)
      }
    }
  }

  func hasExternalReader() throws(SQLError) -> Bool {
    try sharedMemory?.hasExternalReader() ?? false
  }

  func sharedMemoryBarrier() { atomicMemoryFence(ordering: .sequentiallyConsistent) }

  func closeSharedMemory(deleting: Bool) throws(SQLError) {
    guard let memory = sharedMemory, let locks = inodeLocks else { return }
    do { try unlockSharedMemory(0..<SharedMemory.slotCount, .shared) } catch {}
    sharedMemory = nil
    locks.state.withLock { state in
      if !memory.close(deleting: deleting) { state.sharedMemory = nil }
    }
  }
}
