import Synchronization

/// A VFS for tests, over another one: lets the n-th call fail, or the power, and keeps book of what
/// would have survived.
///
/// A power failure is simulated with real files below: they are written as usual, and what was not
/// synced is noted. From the call that `cutPower` chooses on, every call fails; `restorePower` then
/// rewrites the files to what a disk could have kept: each sector of each unsynced write is there
/// or not, file sizes and names likewise. Shared memory is that of the VFS below; after a power
/// failure it is gone.
final class FaultVFS: VFS {
  /// What a call does.
  enum Call: Sendable, CaseIterable {
    case open, delete, status, fullPath, read, write, truncate, sync, byteCount, lock, map, sizeHint

    /// Calls that change what is on the disk, or fix it there.
    static let changing: Set<Call> = [.open, .delete, .write, .truncate, .sync, .sizeHint]
  }

  let name: String
  /// The sectors of a device that does not promise to leave alone what a write does not change; nil
  /// for one that does, as the VFS below says.
  let damagedSectorSize: Int?
  private let base: any VFS
  private let state = Mutex(State())

  private struct State: Sendable {
    var callCounts: [Call: Int] = [:]
    var failure: Failure?
    var failureCount = 0
    var cut: Cut?
    var isOff = false
    var disk = FaultDisk()
    /// The files that have had shared memory since the cut was chosen.
    var sharingPaths: Set<String> = []
    /// Where random bytes come from; nil for the VFS below.
    var random: SplitMix?
  }

  private struct Failure: Sendable {
    var calls: Set<Call>
    var remaining: Int
    var isLasting: Bool
    var code: ResultCode?
  }

  private struct Cut: Sendable {
    var remaining: Int
  }

  /// - Parameter randomSeed: for random bytes that are the same in each run.
  init(
    _ base: any VFS, name: String = "fault", damagedSectorSize: Int? = nil,
    randomSeed: UInt64? = nil
  ) {
    self.base = base
    self.name = name
    self.damagedSectorSize = damagedSectorSize
    state.withLock { $0.random = randomSeed.map { SplitMix($0) } }
  }

  /// Lets the n-th of the following calls of some kinds fail, counted from 1.
  ///
  /// - Parameters:
  ///   - isLasting: all later ones fail too, as on a disk that is full or broken.
  ///   - code: what they throw in place of the usual code of their kind.
  func fail(
    _ calls: Set<Call>, at number: Int, isLasting: Bool = false, code: ResultCode? = nil
  ) {
    state.withLock {
      $0.failure = Failure(calls: calls, remaining: number, isLasting: isLasting, code: code)
      $0.failureCount = 0
    }
  }

  /// No more failures. Returns how many there were.
  @discardableResult
  func stopFailing() -> Int {
    state.withLock {
      $0.failure = nil
      return $0.failureCount
    }
  }

  /// Cuts the power in the n-th of the following calls that change the disk, counted from 1.
  ///
  /// What is on the disk now counts as safe.
  func cutPower(at number: Int) {
    state.withLock {
      $0.disk = FaultDisk()
      $0.disk.damagedSectorSize = damagedSectorSize
      $0.sharingPaths.removeAll()
      $0.cut = Cut(remaining: number)
    }
  }

  var isPowerOff: Bool { state.withLock { $0.isOff } }

  /// Turns the power on again: the files are now what the disk has kept. All files that were open
  /// must be closed. Without a cut nothing is lost.
  func restorePower(seed: UInt64) throws(SQLError) {
    let (disk, sharingPaths, wasOff) = state.withLock { state in
      defer {
        state.disk = FaultDisk()
        state.cut = nil
        state.isOff = false
      }
      return (state.disk, state.sharingPaths, state.isOff)
    }
    guard wasOff else { return }
    try disk.restore(in: base, seed: seed)
    for path in sharingPaths { try base.delete(path + "-shm", syncingDirectory: false) }
  }

  /// How often a kind of call was made.
  func count(of call: Call) -> Int { state.withLock { $0.callCounts[call] ?? 0 } }

  /// Counts a call; throws when it is to fail. True when the power fails in this very call, which
  /// then still may reach the disk.
  ///
  /// - Parameter code: what is thrown in place of the usual code of the call's kind.
  fileprivate func enter(
    _ call: Call, failingWith code: ResultCode? = nil
  ) throws(SQLError) -> Bool {
    let result: Result<Bool, SQLError> = state.withLock { state in
      state.callCounts[call, default: 0] += 1
      if state.isOff { return .failure(SQLError(.ioError)) }
      if state.failure?.calls.contains(call) == true {
        state.failure?.remaining -= 1
        if let failure = state.failure, failure.remaining <= 0 {
          if failure.remaining == 0 || failure.isLasting {
            state.failureCount += 1
            return .failure(SQLError(failure.code ?? code ?? call.usualFailure))
          }
        }
      }
      guard Call.changing.contains(call), state.cut != nil else { return .success(false) }
      state.cut?.remaining -= 1
      if let cut = state.cut, cut.remaining == 0 {
        state.isOff = true
        return .success(true)
      }
      return .success(false)
    }
    return try result.get()
  }

  fileprivate func note(_ body: (inout FaultDisk) -> Void) {
    state.withLock { state in
      if state.cut != nil { body(&state.disk) }
    }
  }

  fileprivate func noteSharedMemory(of path: String) {
    state.withLock { state in
      if state.cut != nil { state.sharingPaths.insert(path) }
    }
  }

  fileprivate var isNoting: Bool { state.withLock { $0.cut != nil } }
}

extension FaultVFS.Call {
  fileprivate var usualFailure: ResultCode {
    switch self {
    case .open: .cannotOpen
    case .delete: .ioErrorDelete
    case .status: .ioErrorAccess
    case .fullPath: .cannotOpenFullPath
    case .read: .ioErrorRead
    case .write: .ioErrorWrite
    case .truncate: .ioErrorTruncate
    case .sync: .ioErrorFsync
    case .byteCount: .ioErrorFstat
    case .lock: .ioErrorLock
    case .map: .ioErrorSharedMemoryMap
    case .sizeHint: .full
    }
  }
}

extension FaultVFS {
  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File {
    let isCut = flags.contains(.create) ? try enter(.open) : false
    if !flags.contains(.create), isPowerOff { throw SQLError(.ioError) }
    if isNoting {
      let content = try content(of: path)
      note { $0.open(path, content, creates: flags.contains(.create)) }
    }
    let file = try base.open(path, flags)
    if isCut {
      file.close()
      throw SQLError(.ioError)
    }
    return FaultFile(file, path, self)
  }

  private func content(of path: String) throws(SQLError) -> [UInt8]? {
    guard try base.status(of: path) != nil else { return nil }
    let file = try base.open(path, [.readOnly])
    defer { file.close() }
    let count = Int(try file.byteCount())
    let buffer = try Memory.allocate(count)
    defer { Memory.free(buffer) }
    _ = try file.read(into: buffer, byteCount: count, at: 0)
    return [UInt8](UnsafeRawBufferPointer(start: buffer, count: count))
  }

  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File {
    _ = try enter(.open)
    return FaultFile(try base.openTemporary(kind), nil, self)
  }

  @discardableResult
  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool {
    let isCut = try enter(.delete)
    note { $0.delete(path, isSafe: syncingDirectory && !isCut) }
    if isCut { throw SQLError(.ioError) }
    return try base.delete(path, syncingDirectory: false)
  }

  func status(of path: String) throws(SQLError) -> FileStatus? {
    _ = try enter(.status)
    return try base.status(of: path)
  }

  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String {
    _ = try enter(.fullPath)
    return try base.fullPath(of: path, flags)
  }

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer) {
    let seed = state.withLock { $0.random?.next() }
    guard let seed else { return base.fillRandom(bytes) }
    var random = SplitMix(seed)
    for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
  }

  func sleep(microseconds: Int) { base.sleep(microseconds: microseconds) }
  func currentJulianMilliseconds() -> Int64 { base.currentJulianMilliseconds() }
}

/// A file opened by a `FaultVFS`.
private final class FaultFile: File {
  private let base: any File
  /// Nil for temporary files, which do not survive anyway.
  private let path: String?
  private let vfs: FaultVFS

  init(_ base: any File, _ path: String?, _ vfs: FaultVFS) {
    self.base = base
    self.path = path
    self.vfs = vfs
  }

  var traits: FileTraits { base.traits }
  var lockLevel: LockLevel { base.lockLevel }
  var hasMoved: Bool { base.hasMoved }
  var sectorSize: Int { vfs.damagedSectorSize ?? base.sectorSize }
  var deviceCharacteristics: DeviceCharacteristics {
    let promised = base.deviceCharacteristics
    return vfs.damagedSectorSize == nil ? promised : promised.subtracting(.powersafeOverwrite)
  }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    _ = try vfs.enter(.read)
    return try base.read(into: target, byteCount: byteCount, at: offset)
  }

  /// A failing call leaves them to be read one by one.
  func readPieces(
    into targets: UnsafeBufferPointer<UnsafeMutableRawPointer>, byteCount: Int, at offset: Int64
  ) -> Int {
    do throws(SQLError) { _ = try vfs.enter(.read) } catch { return 0 }
    return base.readPieces(into: targets, byteCount: byteCount, at: offset)
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    let isCut = try vfs.enter(.write)
    if let path {
      let bytes = [UInt8](UnsafeRawBufferPointer(start: source, count: byteCount))
      vfs.note { $0.write(path, bytes, at: Int(offset)) }
    }
    if isCut { throw SQLError(.ioError) }
    try base.write(from: source, byteCount: byteCount, at: offset)
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    let isCut = try vfs.enter(.truncate)
    if !isCut { try base.truncate(to: byteCount) }
    // A file that comes in chunks may stay longer.
    try noteSize(isCut ? byteCount : base.byteCount())
    if isCut { throw SQLError(.ioError) }
  }

  private func noteSize(_ byteCount: Int64) throws(SQLError) {
    if let path { vfs.note { $0.truncate(path, to: Int(byteCount)) } }
  }

  /// A hint may make the file longer, and the rest is the file's own business.
  func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply? {
    guard case .sizeHint = request else { return try base.control(request) }
    let isCut = try vfs.enter(.sizeHint)
    let reply = try base.control(request)
    try noteSize(base.byteCount())
    if isCut { throw SQLError(.ioError) }
    return reply
  }

  /// Nothing is really synced: what would be safe is only noted.
  func sync(dataOnly: Bool) throws(SQLError) {
    if try vfs.enter(.sync) { throw SQLError(.ioError) }
    if let path { vfs.note { $0.sync(path) } }
  }

  func syncFully() throws(SQLError) { try sync(dataOnly: true) }

  func byteCount() throws(SQLError) -> Int64 {
    _ = try vfs.enter(.byteCount)
    return try base.byteCount()
  }

  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    _ = try vfs.enter(.lock)
    return try base.lock(level)
  }

  func unlock(to level: LockLevel) throws(SQLError) { try base.unlock(to: level) }
  func isReserved() throws(SQLError) -> Bool { try base.isReserved() }
  func close() { base.close() }

  var hasSharedMemory: Bool { base.hasSharedMemory }
  var isSharedMemoryReadOnly: Bool { base.isSharedMemoryReadOnly }

  func sharedMemory(
    region: Int, extending: Bool
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    _ = try vfs.enter(.map)
    if let path { vfs.noteSharedMemory(of: path) }
    return try base.sharedMemory(region: region, extending: extending)
  }

  func lockSharedMemory(
    _ slots: Range<Int>, _ kind: SharedMemory.Lock
  ) throws(SQLError) -> Bool {
    _ = try vfs.enter(.lock, failingWith: .ioErrorSharedMemoryLock)
    return try base.lockSharedMemory(slots, kind)
  }

  func unlockSharedMemory(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) {
    try base.unlockSharedMemory(slots, kind)
  }

  func sharedMemoryBarrier() { base.sharedMemoryBarrier() }

  func closeSharedMemory(deleting: Bool) throws(SQLError) {
    try base.closeSharedMemory(deleting: deleting && !vfs.isPowerOff)
  }
}
