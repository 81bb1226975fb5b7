// Files of the engine's own VFSs whose structure a program has asked for (c3ref/c_fcntl_begin_atomic_write,
// SQLITE_FCNTL_FILE_POINTER). The recovery of SQLite's shell, for example, puts methods of its own
// into the structure while it reads a damaged file.
import CSQLite3
import MartletEngine

/// An open file, and the structure that stands for it in the program. While that has our methods,
/// the file is used directly; else the program's are called, which may call ours.
final class LentFile: File {
  let structure: UnsafeMutablePointer<sqlite3_file>
  private let native: any File
  private let adapted: AdaptedFile

  /// - Parameter structure: In the block of the file's name, which outlives the file.
  init(_ native: any File, _ structure: UnsafeMutablePointer<sqlite3_file>) {
    self.native = native
    self.structure = structure
    adapted = AdaptedFile(methodsOf: structure, native.traits)
  }

  /// Whose methods are to be called.
  private var current: any File {
    NativeFile.isNative(structure) ? native : adapted
  }

  var traits: FileTraits { native.traits }
  var lockLevel: LockLevel { native.lockLevel }
  var hasMoved: Bool { current.hasMoved }
  var sectorSize: Int { current.sectorSize }
  var deviceCharacteristics: DeviceCharacteristics { current.deviceCharacteristics }

  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int {
    try current.read(into: target, byteCount: byteCount, at: offset)
  }

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    try current.write(from: source, byteCount: byteCount, at: offset)
  }

  func truncate(to byteCount: Int64) throws(SQLError) { try current.truncate(to: byteCount) }
  func sync(dataOnly: Bool) throws(SQLError) { try current.sync(dataOnly: dataOnly) }
  func syncFully() throws(SQLError) { try current.syncFully() }
  func byteCount() throws(SQLError) -> Int64 { try current.byteCount() }
  func isReserved() throws(SQLError) -> Bool { try current.isReserved() }

  func lock(_ level: LockLevel) throws(SQLError) -> Bool {
    adapted.assume(native.lockLevel)
    return try current.lock(level)
  }

  func unlock(to level: LockLevel) throws(SQLError) {
    adapted.assume(native.lockLevel)
    try current.unlock(to: level)
  }

  // Nobody who reads a damaged file looks for the index of its log.
  var hasSharedMemory: Bool { native.hasSharedMemory }
  var isSharedMemoryReadOnly: Bool { native.isSharedMemoryReadOnly }

  func sharedMemory(
    region: Int, extending: Bool
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    try native.sharedMemory(region: region, extending: extending)
  }

  func lockSharedMemory(
    _ slots: Range<Int>, _ kind: SharedMemory.Lock
  ) throws(SQLError) -> Bool { try native.lockSharedMemory(slots, kind) }

  func unlockSharedMemory(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError) {
    try native.unlockSharedMemory(slots, kind)
  }

  func sharedMemoryBarrier() { native.sharedMemoryBarrier() }

  func closeSharedMemory(deleting: Bool) throws(SQLError) {
    try native.closeSharedMemory(deleting: deleting)
  }

  func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply? {
    try current.control(request)
  }

  func close() {
    structure.pointee.pMethods = nil
    NativeFile.forget(structure)
    native.close()
  }
}
