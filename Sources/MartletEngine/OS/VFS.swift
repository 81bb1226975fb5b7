/// The operating system as the engine sees it: names, files, time and randomness (vfs §1).
///
/// Register one with `VFSRegistry`, and name it when a connection is opened. A VFS is shared by
/// connections on any thread.
public protocol VFS: AnyObject, Sendable {
  /// The name in the registry and in the `vfs` parameter of a URI.
  var name: String { get }

  /// Opens `path`, which `fullPath` returned, or which is that with a short suffix. A read-write
  /// open of a file that may only be read gives a file with the trait `readOnly`, as SQLite does.
  func open(_ path: String, _ flags: OpenFlags) throws(SQLError) -> any File

  /// Opens a file of a database: itself, its journal or its write-ahead log, as `flags` say. A VFS
  /// that looks at the parameters of URIs implements this one too.
  func open(
    _ path: String, _ flags: OpenFlags, of database: DatabaseFileName
  ) throws(SQLError) -> any File

  /// An empty file without a name, gone when it is closed.
  ///
  /// - Parameter kind: what it is for: `temporaryDatabase`, `transientDatabase`,
  ///   `temporaryJournal` or `statementJournal`.
  func openTemporary(_ kind: OpenFlags) throws(SQLError) -> any File

  /// Removes a file. False when there is none.
  ///
  /// - Parameter syncingDirectory: return only when the removal would survive a power failure.
  @discardableResult
  func delete(_ path: String, syncingDirectory: Bool) throws(SQLError) -> Bool

  /// What a name stands for, or nil when there is no such file.
  func status(of path: String) throws(SQLError) -> FileStatus?

  /// Whether a file or directory may be used.
  func allows(_ access: FileAccess, to path: String) throws(SQLError) -> Bool

  /// The absolute name without symbolic links: two names of one file become the same, so that they
  /// find the same journal.
  func fullPath(of path: String, _ flags: OpenFlags) throws(SQLError) -> String

  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer)

  func sleep(microseconds: Int)

  /// Now, as the Julian day in milliseconds: since noon of November 24th, 4714 before our era. 0
  /// where the time is not known.
  func currentJulianMilliseconds() -> Int64

  /// The system's number for why the last call on this thread failed, 0 if it has none.
  var lastError: Int32 { get }
}

extension VFS {
  public func open(
    _ path: String, _ flags: OpenFlags, of database: DatabaseFileName
  ) throws(SQLError) -> any File {
    try open(path, flags)
  }

  /// An empty file counts as absent, as in SQLite: a journal of that size says nothing.
  public func allows(_ access: FileAccess, to path: String) throws(SQLError) -> Bool {
    guard let status = try status(of: path) else { return false }
    return access != .exists || status.byteCount > 0
  }

  public var lastError: Int32 { 0 }
}

/// What is known of a file by its name.
public struct FileStatus: Equatable, Sendable {
  /// A VFS that knows only whether there is anything in a file may say 1.
  public var byteCount: Int64
  /// Time of the last change in nanoseconds since 1970, as coarse as the file system keeps it.
  public var modificationTime: Int64

  public init(byteCount: Int64, modificationTime: Int64) {
    self.byteCount = byteCount
    self.modificationTime = modificationTime
  }
}

/// What somebody wants to do with a file (`SQLITE_ACCESS_…`).
public enum FileAccess: Int32, Sendable {
  case exists = 0
  case readWrite = 1
  case read = 2
}
