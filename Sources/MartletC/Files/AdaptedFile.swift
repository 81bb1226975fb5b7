// Open files of C's VFSs, as the engine sees them (c3ref/io_methods).
import CSQLite3
import MartletEngine

/// A `sqlite3_file` that a VFS of C has opened in memory of ours, or one of our own that a program has
/// in its hands (`LentFile`).
final class AdaptedFile: File {
  let structure: UnsafeMutablePointer<sqlite3_file>
  let traits: FileTraits
  private(set) var lockLevel = LockLevel.none
  /// An attempt to lock failed that may have left the pending lock (c3ref/io_methods).
  private var mayBePending = false
  /// The name that the file was opened by, which must stay until it is closed.
  var nameBlock: FileNameBlock?
  /// What `SQLITE_FCNTL_BUSYHANDLER` has given out.
  var busyCallback: BusyCallback?
  private var isOpen = true
  /// Whether the shared memory was found to be for reading only.
  private(set) var isSharedMemoryReadOnly = false
  private let ownsStructure: Bool

  /// Opens a file; without a name, a temporary one.
  init(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>, _ name: UnsafePointer<CChar>?, _ flags: OpenFlags
  ) throws(SQLError) {
    let size = max(Int(vfs.pointee.szOsFile), MemoryLayout<sqlite3_file>.size)
    guard let memory = calloc(1, size), let open = vfs.pointee.xOpen else {
      throw SQLError(.outOfMemory)
    }
    let file = memory.assumingMemoryBound(to: sqlite3_file.self)
    var result: Int32 = 0
    let wantsResult = flags.contains(.mainDatabase) || flags.isHotJournal
    let code = withUnsafeMutablePointer(to: &result) {
      open(vfs, name, file, flags.rawValue & flagsForFiles, wantsResult ? $0 : nil)
    }
    guard code == SQLITE_OK, file.pointee.pMethods != nil else {
      // A file with methods wants to be closed, even if it could not be opened.
      _ = file.pointee.pMethods?.pointee.xClose?(file)
      free(memory)
      throw SQLError(code == SQLITE_OK ? .cannotOpen : ResultCode(rawValue: code))
    }
    var traits: FileTraits = name == nil ? .isPrivate : .writesSinglePages
    if OpenFlags(rawValue: result).contains(.readOnly) { traits.insert(.readOnly) }
    self.traits = traits
    structure = file
    ownsStructure = true
  }

  /// The methods of a structure that somebody else opens, closes and frees.
  init(methodsOf structure: UnsafeMutablePointer<sqlite3_file>, _ traits: FileTraits) {
    self.structure = structure
    self.traits = traits
    ownsStructure = false
  }

  deinit {
    busyCallback?.deallocate()
    guard ownsStructure else { return }
    close()
    free(structure)
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    _ = structure.pointee.pMethods?.pointee.xClose?(structure)
    structure.pointee.pMethods = nil
  }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    guard let read = structure.pointee.pMethods?.pointee.xRead else { throw SQLError(.ioError) }
    let code = read(structure, target, Int32(clamping: byteCount), offset)
    // How much there was is not said; the rest is zeros.
    if code == shortRead { return 0 }
    try check(code)
    return byteCount
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    guard let write = structure.pointee.pMethods?.pointee.xWrite else { throw SQLError(.ioError) }
    try check(write(structure, source, Int32(clamping: byteCount), offset))
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    guard let truncate = structure.pointee.pMethods?.pointee.xTruncate else {
      throw SQLError(.ioError)
    }
    try check(truncate(structure, byteCount))
  }

  func sync(dataOnly: Bool) throws(SQLError) { try sync(SQLITE_SYNC_NORMAL) }
  func syncFully() throws(SQLError) { try sync(SQLITE_SYNC_FULL) }

  private func sync(_ flags: Int32) throws(SQLError) {
    guard let sync = structure.pointee.pMethods?.pointee.xSync else { throw SQLError(.ioError) }
    try check(sync(structure, flags))
  }

  func byteCount() throws(SQLError) -> Int64 {
    guard let size = structure.pointee.pMethods?.pointee.xFileSize else { throw SQLError(.ioError) }
    var count: sqlite3_int64 = 0
    try check(size(structure, &count))
    // Sizes are added to and multiplied; what a VFS makes up stays where that cannot overflow.
    return max(0, min(count, largestFile))
  }

  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    if lockLevel >= level { return true }
    if let lock = structure.pointee.pMethods?.pointee.xLock {
      let code = lock(structure, Int32(level.rawValue))
      if code != SQLITE_OK, level == .exclusive { mayBePending = true }
      if code == SQLITE_BUSY { return false }
      try check(code)
    }
    lockLevel = level
    return true
  }

  /// Whatever the VFS says: a lock that it has dropped must not be believed in, as nothing would ask
  /// for it again.
  func unlock(to level: LockLevel) throws(SQLError) {
    guard lockLevel > level || mayBePending else { return }
    mayBePending = false
    lockLevel = min(lockLevel, level)
    if let unlock = structure.pointee.pMethods?.pointee.xUnlock {
      try check(unlock(structure, Int32(level.rawValue)))
    }
  }

  /// The lock that the file has, where others change it, too.
  func assume(_ level: LockLevel) { lockLevel = level }

  func isReserved() throws(SQLError) -> Bool {
    guard let method = structure.pointee.pMethods?.pointee.xCheckReservedLock else { return false }
    var result: Int32 = 0
    try check(method(structure, &result))
    return result != 0
  }

  var hasMoved: Bool {
    var result: Int32 = 0
    return control(SQLITE_FCNTL_HAS_MOVED, &result) == SQLITE_OK && result != 0
  }

  var sectorSize: Int {
    guard let method = structure.pointee.pMethods?.pointee.xSectorSize else { return 4096 }
    return Int(method(structure))
  }

  var deviceCharacteristics: DeviceCharacteristics {
    guard let method = structure.pointee.pMethods?.pointee.xDeviceCharacteristics else { return [] }
    return DeviceCharacteristics(rawValue: method(structure))
  }
}

// The VFS's own shared memory, and nothing else, is the index of a write-ahead log.
extension AdaptedFile {
  var hasSharedMemory: Bool {
    guard let methods = structure.pointee.pMethods else { return false }
    return methods.pointee.iVersion >= 2 && methods.pointee.xShmMap != nil
  }

  func sharedMemory(
    region: Int, extending: Bool
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    guard hasSharedMemory, let map = structure.pointee.pMethods?.pointee.xShmMap else {
      throw SQLError(.cannotOpen)
    }
    var memory: UnsafeMutableRawPointer?
    let code = map(
      structure, Int32(clamping: region), Int32(SharedMemory.regionByteCount), extending ? 1 : 0,
      &memory)
    if code == SQLITE_READONLY {
      isSharedMemoryReadOnly = true
    } else {
      try check(code)
    }
    return memory
  }

  func lockSharedMemory(
    _ slots: Range<Int>, _ kind: SharedMemory.Lock
  ) throws(SQLError) -> Bool {
    let code = lockSharedMemory(slots, SQLITE_SHM_LOCK, kind)
    if code == SQLITE_BUSY { return false }
    try check(code)
    return true
  }

  func unlockSharedMemory(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) {
    try check(lockSharedMemory(slots, SQLITE_SHM_UNLOCK, kind))
  }

  private func lockSharedMemory(
    _ slots: Range<Int>, _ what: Int32, _ kind: SharedMemory.Lock
  ) -> Int32 {
    guard let lock = structure.pointee.pMethods?.pointee.xShmLock else { return SQLITE_IOERR }
    return lock(
      structure, Int32(slots.lowerBound), Int32(slots.count),
      what | (kind == .shared ? SQLITE_SHM_SHARED : SQLITE_SHM_EXCLUSIVE))
  }

  func sharedMemoryBarrier() { structure.pointee.pMethods?.pointee.xShmBarrier?(structure) }

  func closeSharedMemory(deleting: Bool) throws(SQLError) {
    guard let unmap = structure.pointee.pMethods?.pointee.xShmUnmap else { return }
    try check(unmap(structure, deleting ? 1 : 0))
  }
}

/// More than 2^32 of the largest pages (limits §13).
private let largestFile: Int64 = 1 << 52

/// SQLITE_IOERR_SHORT_READ
let shortRead = SQLITE_IOERR | 2 << 8

/// What SQLite passes on to `xOpen`: the kind of the file, and how it is opened.
private let flagsForFiles: Int32 = 0x0108_7f7f

extension OpenFlags {
  fileprivate var isHotJournal: Bool { contains(.mainJournal) && !contains(.create) }
}
