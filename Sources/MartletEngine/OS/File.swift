/// An open file. Used by one thread at a time.
public protocol File: AnyObject {
  var traits: FileTraits { get }

  /// Reads `byteCount` bytes at `offset`. Past the end of the file the target is filled with zeros.
  /// Returns how many bytes came from the file.
  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int

  /// Fills pieces of `byteCount` bytes with what lies in one piece at `offset`, in one call.
  ///
  /// - Returns: how many pieces, from the first on, came whole from the file; what is in the others
  ///   means nothing. 0 where the file cannot do that, or where it failed: they are read one by one
  ///   then, and the error is told.
  func readPieces(
    into targets: UnsafeBufferPointer<UnsafeMutableRawPointer>, byteCount: Int, at offset: Int64
  ) -> Int

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError)

  func truncate(to byteCount: Int64) throws(SQLError)

  /// Returns when all that was written is on the medium.
  ///
  /// - Parameter dataOnly: the file's times need not be.
  func sync(dataOnly: Bool) throws(SQLError)

  /// The same, also where what an ordinary sync waits for may still be in the medium's own cache
  /// (pragma, fullfsync).
  func syncFully() throws(SQLError)

  func byteCount() throws(SQLError) -> Int64

  var lockLevel: LockLevel { get }

  /// Raises the lock to `level`, which is not `none` or `pending`. False when another connection
  /// is in the way; a failed attempt at `exclusive` may leave `pending` (lockingv3 §3).
  func lock(_ level: LockLevel) throws(SQLError) -> Bool

  /// Lowers the lock to `shared` or `none`.
  func unlock(to level: LockLevel) throws(SQLError)

  /// Whether the file no longer has the name that it was opened by.
  var hasMoved: Bool { get }

  /// Whether any connection, this one included, holds `reserved` or more.
  func isReserved() throws(SQLError) -> Bool

  /// The smallest piece that can be written without touching its neighbours, in bytes.
  var sectorSize: Int { get }

  var deviceCharacteristics: DeviceCharacteristics { get }

  /// Carries out a request beside reading and writing; nil when the file does not know it.
  func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply?

  /// Whether those who have the file open can share memory, as a write-ahead log needs it
  /// (walformat §1.3). Files without it need nothing of what follows.
  var hasSharedMemory: Bool { get }

  /// A region of the memory that belongs to the file: `SharedMemory.regionByteCount` bytes, zero
  /// when they are new, at the same place until `closeSharedMemory`. Nil when there is no such
  /// region yet.
  ///
  /// - Parameter extending: make the region.
  /// - Throws: `readOnlyCannotInit` when the memory may only be read and nobody keeps it up to
  ///   date, `cannotOpen` when there can be none.
  func sharedMemory(
    region: Int, extending: Bool
  ) throws(SQLError) -> UnsafeMutableRawPointer?

  /// Whether the regions may only be read.
  var isSharedMemoryReadOnly: Bool { get }

  /// Locks some of the eight slots. False when another connection is in the way.
  ///
  /// - Parameter slots: one slot for a shared lock; not locked by this file yet.
  func lockSharedMemory(
    _ slots: Range<Int>, _ kind: SharedMemory.Lock
  ) throws(SQLError) -> Bool

  /// Gives back what `lockSharedMemory` gave.
  func unlockSharedMemory(_ slots: Range<Int>, _ kind: SharedMemory.Lock) throws(SQLError)

  /// What was written to the memory before is seen before what is written after.
  func sharedMemoryBarrier()

  /// Gives up the regions and the locks.
  ///
  /// - Parameter deleting: the memory is of no more use to anybody.
  func closeSharedMemory(deleting: Bool) throws(SQLError)

  /// Drops the lock and closes. Nothing else may be called afterwards.
  func close()
}

extension File {
  public func readPieces(
    into targets: UnsafeBufferPointer<UnsafeMutableRawPointer>, byteCount: Int, at offset: Int64
  ) -> Int { 0 }

  public var hasMoved: Bool { false }

  public func syncFully() throws(SQLError) { try sync(dataOnly: false) }

  func sync(fully: Bool) throws(SQLError) {
    if fully { try syncFully() } else { try sync(dataOnly: true) }
  }

  public var sectorSize: Int { 4096 }
  public var deviceCharacteristics: DeviceCharacteristics { [.powersafeOverwrite, .subpageRead] }

  public func control(_ request: FileControl) throws(SQLError) -> FileControl.Reply? { nil }

  public var hasSharedMemory: Bool { false }
  public var isSharedMemoryReadOnly: Bool { false }

  public func sharedMemory(
    region: Int, extending: Bool
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    throw SQLError(.cannotOpen)
  }

  public func lockSharedMemory(
    _ slots: Range<Int>, _ kind: SharedMemory.Lock
  ) throws(SQLError) -> Bool { throw SQLError(.ioErrorSharedMemoryLock) }

  public func unlockSharedMemory(
    _ slots: Range<Int>, _ kind: SharedMemory.Lock
  ) throws(SQLError) {}

  public func sharedMemoryBarrier() {}
  public func closeSharedMemory(deleting: Bool) throws(SQLError) {}

  /// Like `read`, for callers that cannot do with less: a short read is an error.
  func readFully(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    let count = try read(into: target, byteCount: byteCount, at: offset)
    guard count == byteCount else { throw SQLError(.ioErrorShortRead) }
  }

  /// The exclusive lock for who has `shared`, and has that again where it fails: new readers would
  /// be kept out by a pending lock that nobody drops.
  func lockOutOthers() throws(SQLError) -> Bool {
    assert(lockLevel >= .shared, "a writer is a reader first")
    do {
      if try lock(.exclusive) { return true }
    } catch {
      dropPendingLock()
      throw error
    }
    dropPendingLock()
    return false
  }

  private func dropPendingLock() {
    do { try unlock(to: .shared) } catch {}
  }
}

/// The locking states of a database file (lockingv3 §3), in order of strength.
public enum LockLevel: UInt8, Comparable, Sendable {
  case none
  case shared
  case reserved
  case pending
  case exclusive

  @inline(__always)
  public static func < (left: LockLevel, right: LockLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// What is special about an open file.
public struct FileTraits: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let readOnly = FileTraits(rawValue: 1)
  /// Lives in memory: nothing survives the process, and there are never journals on disk.
  public static let inMemory = FileTraits(rawValue: 2)
  /// Nobody else can open it: locks and change detection have no use.
  public static let isPrivate = FileTraits(rawValue: 4)
  /// Pages are written one by one: the file encodes them, for example.
  public static let writesSinglePages = FileTraits(rawValue: 8)
  /// Has a limit of its own (`FileControl.sizeLimit`), which a commit has to meet.
  public static let isLimited = FileTraits(rawValue: 16)
}

/// What a medium promises (`SQLITE_IOCAP_…`). The engine uses `powersafeOverwrite` and `immutable`.
public struct DeviceCharacteristics: OptionSet, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Writes of any size are atomic. The next eight bits say it of sizes from 512 bytes to 64 KiB.
  public static let atomic = DeviceCharacteristics(rawValue: 0x1)
  /// What is appended is there before the file is longer.
  public static let safeAppend = DeviceCharacteristics(rawValue: 0x200)
  /// What is written first is there first.
  public static let sequential = DeviceCharacteristics(rawValue: 0x400)
  public static let undeletableWhenOpen = DeviceCharacteristics(rawValue: 0x800)
  /// A write that a power failure interrupts leaves the bytes around it alone (psow §2).
  public static let powersafeOverwrite = DeviceCharacteristics(rawValue: 0x1000)
  /// Nobody can change the file: there are no locks and no journals.
  public static let immutable = DeviceCharacteristics(rawValue: 0x2000)
  /// Parts of pages may be read.
  public static let subpageRead = DeviceCharacteristics(rawValue: 0x8000)
}

/// Where the locks of a database file are (fileformat2 §1.4). The bytes are never read or written.
public enum LockByte {
  /// Tests move it to make files small that have such a page; what they write is no SQLite file for
  /// others. To be set while no database is open (c3ref test_control, SQLITE_TESTCTRL_PENDING_BYTE).
  public static var pending: UInt32 {
    get { place }
    set { place = newValue }
  }

  nonisolated(unsafe) private static var place: UInt32 = 0x4000_0000
  static var pendingOffset: Int64 { Int64(place) }
  static var reservedOffset: Int64 { pendingOffset + 1 }
  static var sharedOffset: Int64 { pendingOffset + 2 }
  static let sharedCount: Int64 = 510
}
