import MartletEngine

/// The number that an application gives to its schema.
public typealias UserVersion = Int32

/// A version of SQLite.
public struct SQLiteVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// 3.
  public let major: Int
  /// Grows with what SQLite can do.
  public let minor: Int
  /// Grows with what was mended.
  public let point: Int

  /// A version of its numbers.
  public init(major: Int, minor: Int, point: Int = 0) {
    self.major = major
    self.minor = minor
    self.point = point
  }

  /// Versions are in the order of their numbers.
  public static func < (lhs: SQLiteVersion, rhs: SQLiteVersion) -> Bool {
    (lhs.major, lhs.minor, lhs.point) < (rhs.major, rhs.minor, rhs.point)
  }

  /// The numbers with points.
  public var description: String { "\(major).\(minor).\(point)" }
}

/// Where the changes of a transaction are kept until it ends (pragma: journal_mode).
public enum JournalMode: String, Sendable, CaseIterable {
  /// In a file that is deleted.
  case delete = "DELETE"
  /// In a file that is emptied.
  case truncate = "TRUNCATE"
  /// In a file that is kept.
  case persist = "PERSIST"
  /// In memory.
  case memory = "MEMORY"
  /// In a write-ahead log.
  case wal = "WAL"
  /// Nowhere.
  case off = "OFF"
}

/// When files are brought to the disk (pragma: synchronous).
public enum SynchronousMode: Int, Sendable {
  /// Never.
  case off = 0
  /// At the most critical moments.
  case normal = 1
  /// So that no commit is lost.
  case full = 2
  /// Directories too.
  case extra = 3
}

/// How a write-ahead log is brought into its database (pragma: wal_checkpoint).
public enum WALCheckpointMode: String, Sendable {
  /// As far as nobody is waited for.
  case passive = "PASSIVE"
  /// Waiting for others.
  case full = "FULL"
  /// So that the log begins anew.
  case restart = "RESTART"
  /// So that the log is empty.
  case truncate = "TRUNCATE"
}

extension Connection {
  /// The number that the application gives to its schema; nil cannot be set.
  public var userVersion: UserVersion? {
    get { integer("PRAGMA user_version").map { Int32(truncatingIfNeeded: $0) } }
    set { if let newValue { set("PRAGMA user_version = \(newValue)") } }
  }

  /// The version of SQLite that the engine is.
  public var sqliteVersion: SQLiteVersion {
    let text = (try? scalar("SELECT sqlite_version()")) as? String ?? ""
    let numbers = text.split(separator: ".").map { Int($0) ?? 0 } + [0, 0, 0]
    return SQLiteVersion(major: numbers[0], minor: numbers[1], point: numbers[2])
  }

  /// Foreign keys are enforced.
  public var foreignKeys: Bool {
    get { integer("PRAGMA foreign_keys") == 1 }
    set { set("PRAGMA foreign_keys = \(newValue ? 1 : 0)") }
  }

  /// Foreign keys are checked when the transaction is committed.
  public var defer_foreign_keys: Bool {
    get { integer("PRAGMA defer_foreign_keys") == 1 }
    set { set("PRAGMA defer_foreign_keys = \(newValue ? 1 : 0)") }
  }

  /// Rows whose foreign keys find no row.
  public func foreignKeyCheck(table: String? = nil) throws -> [ForeignKeyError] {
    let argument = table.map { "(\($0.quotedIdentifier))" } ?? ""
    return try rows("PRAGMA foreign_key_check\(argument)") { row in
      ForeignKeyError(
        from: row[0] as String, rowId: row[1] as Int64, to: row[2] as String)
    }
  }

  /// What is wrong with the database file; empty where it is in order.
  public func integrityCheck() throws -> [String] {
    try rows("PRAGMA integrity_check") { $0[0] as String }.filter { $0 != "ok" }
  }

  /// Where the changes of transactions are kept.
  public var journalMode: JournalMode {
    get {
      let text = (try? scalar("PRAGMA journal_mode")) as? String ?? ""
      return JournalMode(rawValue: text.uppercased()) ?? .delete
    }
    set { set("PRAGMA journal_mode = \(newValue.rawValue)") }
  }

  /// Changes where the changes of transactions are kept.
  ///
  /// - Throws: `Result` where the database cannot: those in memory have no log.
  public func setJournalMode(_ mode: JournalMode) throws {
    let text = try scalar("PRAGMA journal_mode = \(mode.rawValue)") as? String
    guard text?.uppercased() == mode.rawValue else {
      throw Result.error(
        message: "journal mode is \(text ?? "unknown"), not \(mode.rawValue)",
        code: ResultCode.error.rawValue, statement: nil)
    }
  }

  /// Keeps the changes of transactions in a write-ahead log.
  public func enableWAL() throws { try setJournalMode(.wal) }

  /// When files are brought to the disk.
  public var synchronous: SynchronousMode {
    get { integer("PRAGMA synchronous").flatMap { SynchronousMode(rawValue: Int($0)) } ?? .full }
    set { set("PRAGMA synchronous = \(newValue.rawValue)") }
  }

  /// How many pages a write-ahead log has before it is written back; 0 for never.
  public var walAutoCheckpoint: Int {
    get { Int(integer("PRAGMA wal_autocheckpoint") ?? 0) }
    set { set("PRAGMA wal_autocheckpoint = \(newValue)") }
  }

  /// Writes the write-ahead log back into the database.
  ///
  /// - Returns: Whether others were in the way, how many frames the log has, and how many of them
  ///   are written back; -1 where there is no log.
  @discardableResult
  public func walCheckpoint(
    mode: WALCheckpointMode = .passive, schema: String? = nil
  ) throws -> (isBusy: Bool, frameCount: Int, checkpointedCount: Int) {
    let name = schema.map { $0.quotedIdentifier + "." } ?? ""
    let row = try rows("PRAGMA \(name)wal_checkpoint(\(mode.rawValue))") { row in
      (isBusy: row[0] as Bool, frameCount: row[1] as Int, checkpointedCount: row[2] as Int)
    }
    return row.first ?? (false, -1, -1)
  }

  private func integer(_ sql: String) -> Int64? { (try? scalar(sql)) as? Int64 }

  /// Properties cannot throw when they are set; a failure is kept.
  private func set(_ sql: String) {
    do {
      try execute(sql)
    } catch {
      note(error)
    }
  }

  private func rows<Content>(_ sql: String, _ read: (Cursor) -> Content) throws -> [Content] {
    try sync {
      let statement = try Statement(self, sql)
      var contents: [Content] = []
      while try statement.step() { contents.append(read(statement.row)) }
      return contents
    }
  }
}

/// A row whose foreign key finds no row.
public struct ForeignKeyError: Sendable, Hashable, CustomStringConvertible {
  /// The table of the row.
  public let from: String
  /// The rowid of the row.
  public let rowId: Int64
  /// The table that has no such row.
  public let to: String

  /// The tables and the row.
  public var description: String { "\(from) [\(rowId)] => \(to)" }
}
