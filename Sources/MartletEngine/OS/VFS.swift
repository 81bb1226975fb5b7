/// The operating system as the engine sees it: names, files, time and randomness (vfs §1).
///
/// A VFS is shared by connections on any thread.
protocol VFS: AnyObject, Sendable {
  /// The name in the registry and in the `vfs` parameter of a URI.
  var name: String { get }

  /// Opens `path`, which `fullPath` returned. A read-write open of a file that may only be read
  /// gives a file with the trait `readOnly`, as SQLite does.
  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File

  /// An empty file without a name, gone when it is closed.
  func openTemporary() throws(SQLError) -> any File

  /// Removes a file. False when there is none.
  ///
  /// - Parameter syncingDirectory: return only when the removal would survive a power failure.
  @discardableResult
  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool

  /// What a name stands for, or nil when there is no such file.
  func status(of path: String) throws(SQLError) -> FileStatus?

  /// The absolute name without symbolic links: two names of one file become the same, so that they
  /// find the same journal.
  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer)

  func sleep(microseconds: Int)

  /// Now, as the Julian day in milliseconds: since noon of November 24th, 4714 before our era.
  func currentJulianMilliseconds() -> Int64
}

/// What is known of a file by its name.
struct FileStatus: Equatable, Sendable {
  var byteCount: Int64
  /// Time of the last change in nanoseconds since 1970, as coarse as the file system keeps it.
  var modificationTime: Int64
}

/// The locking states of a database file (lockingv3 §3), in order of strength.
enum LockLevel: UInt8, Comparable, Sendable {
  case none
  case shared
  case reserved
  case pending
  case exclusive

  @inline(__always)
  static func < (left: LockLevel, right: LockLevel) -> Bool { left.rawValue < right.rawValue }
}

/// What is special about an open file.
struct FileTraits: OptionSet, Sendable {
  let rawValue: UInt8

  static let readOnly = FileTraits(rawValue: 1)
  /// Lives in memory: nothing survives the process, and there are never journals on disk.
  static let inMemory = FileTraits(rawValue: 2)
  /// Nobody else can open it: locks and change detection have no use.
  static let isPrivate = FileTraits(rawValue: 4)
}

/// An open file. Used by one thread at a time.
protocol File: AnyObject {
  var traits: FileTraits { get }

  /// Reads `byteCount` bytes at `offset`. Past the end of the file the target is filled with zeros.
  /// Returns how many bytes came from the file.
  func read(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) -> Int

  func write(
    from source: UnsafeRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError)

  func truncate(to byteCount: Int64) throws(SQLError)

  /// Returns when all that was written is on the medium.
  ///
  /// - Parameter dataOnly: the file's times need not be.
  func sync(dataOnly: Bool) throws(SQLError)

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

  /// Drops the lock and closes. Nothing else may be called afterwards.
  func close()
}

extension File {
  var hasMoved: Bool { false }

  /// Like `read`, for callers that cannot do with less: a short read is an error.
  func readFully(
    into target: UnsafeMutableRawPointer, byteCount: Int, at offset: Int64
  ) throws(SQLError) {
    let count = try read(into: target, byteCount: byteCount, at: offset)
    guard count == byteCount else { throw SQLError(.ioErrorShortRead) }
  }
}

/// Where the locks of a database file are (fileformat2 §1.4). The bytes are never read or written.
enum LockByte {
  static let pending: Int64 = 0x4000_0000
  static let reserved = pending + 1
  static let sharedFirst = pending + 2
  static let sharedCount: Int64 = 510
}
