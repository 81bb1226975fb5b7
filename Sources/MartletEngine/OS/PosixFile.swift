/// A file of the operating system, opened by `PosixVFS`.
final class PosixFile: File {
  let traits: FileTraits
  var lockLevel = LockLevel.none

  private let vfs: PosixVFS
  private(set) var descriptor: Int32
  let locking: Locking
  /// The name that a database was opened by.
  let path: String?
  /// For a new journal, the directory that must be synced with it: a journal that cannot be found
  /// after a power failure is as good as none.
  private var unsyncedDirectory: String?
  /// The `errno` of the last call that failed.
  var lastError: Int32 = 0
  private var isPowersafe: Bool
  private var keepsWriteAheadLog = false
  /// The file has a multiple of so many bytes, if it is not 0.
  private var chunkSize: Int64 = 0
  @exclusivity(unchecked) var sharedMemory: PosixSharedMemory?
  @exclusivity(unchecked) var heldSlots = SharedMemory.HeldSlots()
  /// The shared memory may only be read (URI parameter `readonly_shm`).
  let hasReadOnlySharedMemory: Bool

  /// How connections keep each other out.
  enum Locking {
    /// Not at all: journals and temporary files.
    case none
    /// By locks on bytes, and in the process by the inode's record.
    case bytes(InodeLocks)
    /// The same in the process; others are kept out altogether, from the first lock on.
    case process(InodeLocks)
    /// By a directory beside the file, which only one can make.
    case directory(String)
  }

  init(
    _ vfs: PosixVFS, descriptor: Int32, traits: FileTraits, locking: Locking = .none,
    path: String? = nil, unsyncedDirectory: String? = nil, isPowersafe: Bool = true,
    hasReadOnlySharedMemory: Bool = false
  ) {
    self.vfs = vfs
    self.descriptor = descriptor
    self.traits = traits
    self.locking = locking
    self.path = path
    self.unsyncedDirectory = unsyncedDirectory
    self.isPowersafe = isPowersafe
    self.hasReadOnlySharedMemory = hasReadOnlySharedMemory
  }

  deinit { close() }

  func close() {
    guard descriptor >= 0 else { return }
    let closing = descriptor
    do { try closeSharedMemory(deleting: false) } catch {}
    if lockLevel != .none {
      // A failed unlock changes nothing here: closing the descriptor drops the lock as well.
      do { try unlock(to: .none) } catch { lockLevel = .none }
    }
    descriptor = -1
    switch locking {
    case .none, .directory: System.closeFile(closing)
    case .bytes(let locks), .process(let locks):
      locks.close(closing, isReadOnly: traits.contains(.readOnly))
    }
  }

  /// An error of the system call that failed just now.
  func failure(_ code: ResultCode) -> SQLError {
    lastError = System.lastError
    return SQLError(code)
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
      guard count >= 0 else { throw failure(.ioErrorRead) }
      if count == 0 {
        (target + done).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - done)
        break
      }
      done += count
    }
    return done
  }

  func readPieces(
    into targets: UnsafeBufferPointer<UnsafeMutableRawPointer>, byteCount: Int, at offset: Int64
  ) -> Int {
    max(System.readPieces(descriptor, targets, byteCount, offset), 0) / byteCount
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
          ? failure(.full) : failure(.ioErrorWrite)
      }
      // Nothing written and no reason given: the medium takes no more.
      if count == 0 { throw SQLError(.full) }
      done += count
    }
  }

  func truncate(to byteCount: Int64) throws(SQLError) {
    let byteCount = roundedUp(byteCount)
    guard System.truncateFile(descriptor, byteCount) else { throw failure(.ioErrorTruncate) }
  }

  func sync(dataOnly: Bool) throws(SQLError) {
    guard System.syncFile(descriptor, dataOnly: dataOnly) else { throw failure(.ioErrorFsync) }
    syncNewDirectory()
  }

  func syncFully() throws(SQLError) {
    guard System.syncFileFully(descriptor) else { throw failure(.ioErrorFsync) }
    syncNewDirectory()
  }

  private func syncNewDirectory() {
    if let directory = unsyncedDirectory {
      // Not every file system can sync a directory, and there is nothing better to be done.
      _ = System.syncDirectory(directory)
      unsyncedDirectory = nil
    }
  }

  var hasMoved: Bool {
    guard let path else { return false }
    guard let status = System.pathStatus(path) else { return true }
    let identity: InodeLocks.Identity
    switch locking {
    case .bytes(let locks), .process(let locks): identity = locks.identity
    case .none, .directory:
      guard let own = System.fileStatus(descriptor) else { return true }
      identity = InodeLocks.Identity(device: own.device, inode: own.inode)
    }
    return InodeLocks.Identity(device: status.device, inode: status.inode) != identity
  }

  func byteCount() throws(SQLError) -> Int64 {
    guard let status = System.fileStatus(descriptor) else { throw failure(.ioErrorFstat) }
    // Old versions wrote one byte into a new file to lock it, and SQLite takes it for empty still.
    return status.byteCount == 1 ? 0 : status.byteCount
  }
}

extension PosixFile {
  var deviceCharacteristics: DeviceCharacteristics {
    isPowersafe ? [.powersafeOverwrite, .subpageRead] : .subpageRead
  }

  func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply? {
    switch request {
    case .lockState: return .number(Int64(lockLevel.rawValue))
    case .lastError: return .number(Int64(lastError))
    case .chunkSize(let size):
      chunkSize = Int64(max(0, size))
      return .done
    case .sizeHint(let byteCount):
      try grow(to: byteCount)
      return .done
    case .keepsWriteAheadLog(let value):
      if let value { keepsWriteAheadLog = value }
      return .number(keepsWriteAheadLog ? 1 : 0)
    case .powersafeOverwrite(let value):
      if let value { isPowersafe = value }
      return .number(isPowersafe ? 1 : 0)
    case .vfsName: return .text(vfs.name)
    case .temporaryFileName: return .text(try vfs.temporaryFileName())
    // Files are never mapped.
    case .mappedSize: return .number(0)
    case .externalReader: return .number(try hasExternalReader() ? 1 : 0)
    case .hasMoved: return .number(hasMoved ? 1 : 0)
    default: return nil
    }
  }

  private func roundedUp(_ byteCount: Int64) -> Int64 {
    guard chunkSize > 0, byteCount > 0, byteCount < 1 << 62 else { return byteCount }
    return (byteCount + chunkSize - 1) / chunkSize * chunkSize
  }

  /// Whole chunks are there before they are needed, so that the file is in few pieces.
  private func grow(to byteCount: Int64) throws(SQLError) {
    guard chunkSize > 0 else { return }
    guard let status = System.fileStatus(descriptor) else { throw failure(.ioErrorFstat) }
    let size = roundedUp(byteCount)
    guard size > status.byteCount else { return }
    guard System.reserve(descriptor, from: status.byteCount, to: size) else {
      throw failure(.ioErrorWrite)
    }
  }
}
