import Foundation
import Synchronization

extension Database {
  /// Called while another connection locks the database; true tries again.
  public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

  /// What is done while another connection locks the database.
  public enum BusyMode: Sendable {
    /// The statement fails with `SQLITE_BUSY`.
    case immediateError
    /// The statement waits so many seconds, then fails.
    case timeout(TimeInterval)
    /// A function decides. It is not asked any more when the task of an access is cancelled.
    case callback(BusyCallback)
  }

  /// How much of a write-ahead log is written back into the database.
  public enum CheckpointMode: CInt, Sendable {
    /// As much as is possible without waiting for other connections.
    case passive = 0
    /// Everything; writers wait.
    case full = 1
    /// Everything; the next writer starts the log anew.
    case restart = 2
    /// Everything; the log is emptied.
    case truncate = 3
  }

  /// The name of a collation.
  public struct CollationName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Wraps a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Compares bytes.
    public static let binary = CollationName("BINARY")
    /// Takes the 26 capital letters of ASCII for small ones.
    public static let nocase = CollationName("NOCASE")
    /// Ignores spaces at the end.
    public static let rtrim = CollationName("RTRIM")
  }

  /// The type that a column is declared with.
  public struct ColumnType: RawRepresentable, Hashable, Sendable {
    /// The type as it stands in SQL.
    public let rawValue: String

    /// Wraps a type.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Wraps a type.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Text.
    public static let text = ColumnType("TEXT")
    /// JSON as text.
    public static let jsonText = ColumnType("TEXT")
    /// JSON in SQLite's binary form.
    public static let jsonb = ColumnType("BLOB")
    /// Integers.
    public static let integer = ColumnType("INTEGER")
    /// Real numbers.
    public static let double = ColumnType("DOUBLE")
    /// Real numbers.
    public static let real = ColumnType("REAL")
    /// Numbers.
    public static let numeric = ColumnType("NUMERIC")
    /// Truth values: 0 and 1.
    public static let boolean = ColumnType("BOOLEAN")
    /// Bytes.
    public static let blob = ColumnType("BLOB")
    /// Dates.
    public static let date = ColumnType("DATE")
    /// Dates with times.
    public static let datetime = ColumnType("DATETIME")
    /// Anything, as it is; for STRICT tables.
    public static let any = ColumnType("ANY")
  }

  /// What is done where a constraint is broken.
  public enum ConflictResolution: String, Sendable {
    /// The transaction is taken back.
    case rollback = "ROLLBACK"
    /// The statement is taken back.
    case abort = "ABORT"
    /// The statement ends; what it has done before stays.
    case fail = "FAIL"
    /// The row is left out.
    case ignore = "IGNORE"
    /// The rows that are in the way are deleted.
    case replace = "REPLACE"

    /// Not ABORT, which is what SQL does anyway.
    var clause: String? { self == .abort ? nil : "OR \(rawValue)" }
  }

  /// What happens to rows whose parent row goes or gets another key.
  public enum ForeignKeyAction: String, Sendable {
    /// They go too, or get the new key.
    case cascade = "CASCADE"
    /// The parent row must stay as it is.
    case restrict = "RESTRICT"
    /// Their key becomes NULL.
    case setNull = "SET NULL"
    /// Their key becomes the default value of its column.
    case setDefault = "SET DEFAULT"
  }

  /// A storage class, as CAST names it.
  public struct StorageClass: RawRepresentable, Hashable, Sendable {
    /// The name in SQL.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Integers.
    public static let integer = StorageClass(rawValue: "INTEGER")
    /// Real numbers.
    public static let real = StorageClass(rawValue: "REAL")
    /// Text.
    public static let text = StorageClass(rawValue: "TEXT")
    /// Bytes.
    public static let blob = StorageClass(rawValue: "BLOB")
  }

  /// How a transaction ends.
  public enum TransactionCompletion: Sendable {
    /// What it has done is kept.
    case commit
    /// What it has done is taken back.
    case rollback
  }

  /// When a transaction takes its locks.
  public enum TransactionKind: String, Sendable {
    /// With its first statements.
    case deferred = "DEFERRED"
    /// At once, against other writers.
    case immediate = "IMMEDIATE"
    /// At once, against all others.
    case exclusive = "EXCLUSIVE"
  }

  /// Told of every error of SQLite that a connection meets.
  public typealias LogErrorFunction =
    @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

  private static let errorLog = Mutex<LogErrorFunction?>(nil)

  /// Told of every error of SQLite that any connection meets.
  public static var logError: LogErrorFunction? {
    get { errorLog.withLock { $0 } }
    set { errorLog.withLock { $0 = newValue } }
  }
}
