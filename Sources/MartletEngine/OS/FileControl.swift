/// What a file is asked or told beside reading and writing (`sqlite3_file_control`).
///
/// A setting whose parameter is nil is only asked for; the reply is its value, before the change
/// where the case says so.
public enum FileControl {
  /// How the file is locked; the reply is a number of `LockLevel`.
  case lockState
  /// The system's number for why a call on the file failed last.
  case lastError
  /// The file will soon be this long.
  case sizeHint(Int64)
  /// From now on the file grows and shrinks in pieces of so many bytes.
  case chunkSize(Int)
  /// Whether the write-ahead log stays when the last connection closes.
  case keepsWriteAheadLog(Bool?)
  /// Whether the file has `DeviceCharacteristics.powersafeOverwrite`.
  case powersafeOverwrite(Bool?)
  /// The whole database is about to be replaced by so many bytes, unless the transaction is rolled
  /// back.
  case overwrite(Int64)
  /// The name of the VFS; of one that stands over another one, both names.
  case vfsName
  /// A PRAGMA is being compiled. A reply ends it: with the text as its only row, or without rows.
  /// An error is that of the statement.
  case pragma(name: String, argument: String?)
  /// How to ask the application whether to wait for a lock. Told once, when a database is open.
  case busyHandler(() -> Bool)
  /// A name for a temporary file.
  case temporaryFileName
  /// How many bytes of the file may be mapped to memory, less than 0 to ask; the reply is what it
  /// was.
  case mappedSize(Int64)
  /// Whether the file no longer has its name.
  case hasMoved
  /// The file is about to be synced, in a transaction that the super-journal decides about.
  case sync(superJournal: String?)
  /// A transaction has been committed; the lock is still held.
  case commitPhaseTwo
  /// The longest that a database in memory may become, less than 0 to ask; the reply is the limit
  /// that holds now.
  case sizeLimit(Int64)
  /// How many milliseconds a lock may be waited for inside the file; the reply is what it was.
  case lockTimeout(Int32)
  /// Whether another process reads the database through a write-ahead log.
  case externalReader
  /// Anything else: a number from 100 on is the VFS's own.
  case other(code: Int32, argument: UnsafeMutableRawPointer?)

  public enum Reply: Equatable, Sendable {
    /// There is nothing to say.
    case done
    case number(Int64)
    case text(String)
  }
}
