/// What becomes of the rollback journal (pragma, journal_mode).
enum JournalMode: String, Sendable {
  case delete
  case truncate
  case persist
  case memory
  case off
  case wal

  /// Whether a crash in the middle of a commit can be recovered from.
  var isOnDisk: Bool { self == .delete || self == .truncate || self == .persist }
  /// Whether the journal file stays when the transaction is over.
  var keepsFile: Bool { self == .truncate || self == .persist }
}

/// When the file system is asked to make writes durable (pragma, synchronous).
enum SynchronousMode: UInt8, Comparable, Sendable {
  case off = 0
  case normal = 1
  case full = 2
  case extra = 3

  static func < (left: SynchronousMode, right: SynchronousMode) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Whether locks are given back when a transaction ends (pragma, locking_mode).
enum LockingMode: String, Sendable {
  case normal
  case exclusive
}

/// Decides whether a pager tries again to get a lock that another connection holds
/// (`sqlite3_busy_handler`).
///
/// It is asked for the shared and the exclusive lock, and for the reserved lock when a transaction
/// begins with it; never when a reader wants to become a writer, because two of those would wait
/// for each other for ever.
protocol BusyHandler: AnyObject {
  /// Waits a little; false when the time is up. Counting and sleeping are the handler's own.
  func retries(_ awaited: AwaitedLock) -> Bool
}

/// What somebody else has.
enum AwaitedLock {
  /// A lock of the database file.
  case file
  /// The shared lock of the database file, with which its use begins.
  case connecting
  /// A lock of the write-ahead log.
  case log
}
