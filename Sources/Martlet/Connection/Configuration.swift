import Dispatch
import Foundation
import MartletEngine
import MartletSearch
import MartletSpatial

/// How connections are opened.
public struct Configuration: Sendable {
  /// Foreign keys are enforced.
  public var foreignKeysEnabled = true

  /// The database is opened for reading only.
  public var readonly = false

  /// A name of the connection, for people who debug.
  public var label: String?

  /// Words in double quotes that name nothing are texts. That hides misspelled names.
  public var acceptsDoubleQuotedStringLiterals = false

  /// The database is suspended and resumed by `Database.suspendNotification` and
  /// `Database.resumeNotification`.
  public var observesSuspensionNotifications = false

  /// Errors and traces show the arguments of statements, which may be personal data.
  public var publicStatementArguments = false

  /// What `Database.transactionDate` asks.
  public var transactionClock: any TransactionClock = .default

  /// Accesses may end while a transaction is open.
  public var allowsUnsafeTransactions = false

  /// The journal mode that databases get when they are opened.
  public enum JournalModeConfiguration: Sendable {
    /// That of the file, and a rollback journal for new files.
    case `default`
    /// A write-ahead log.
    case wal
  }

  /// The journal mode of the database.
  public var journalMode = JournalModeConfiguration.default

  /// What is done while another connection locks the database.
  public var busyMode: Database.BusyMode = .immediateError

  /// How many accesses may read at the same time, where there are several connections. That of a
  /// `DatabaseQueue` is 1.
  public var maximumReaderCount = 5

  /// Connections for reading stay open while they are not used, where there are several.
  public var persistentReadOnlyConnections = false

  /// The quality of service of asynchronous accesses.
  public var qos: DispatchQoS = .userInitiated

  /// The quality of service of asynchronous accesses that read: that of the target queue, or `qos`.
  public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

  /// The quality of service of asynchronous accesses that write: that of the target queue, or
  /// `qos`.
  public var writeQoS: DispatchQoS { (writeTargetQueue ?? targetQueue)?.qos ?? qos }

  /// The queue that asynchronous accesses run on in the end.
  public var targetQueue: DispatchQueue?

  /// The queue that asynchronous accesses of writers run on in the end; nil for `targetQueue`.
  public var writeTargetQueue: DispatchQueue?

  /// What is asked about the schema where SQLite does not know, for example the keys of views.
  public var schemaSource: (any DatabaseSchemaSource)?

  private var preparations: [@Sendable (Database) throws -> Void] = []

  /// The default configuration.
  public init() {}

  /// Adds work that is done on each connection when it was opened.
  public mutating func prepareDatabase(_ setup: @escaping @Sendable (Database) throws -> Void) {
    preparations.append(setup)
  }

  /// Opens a connection, and does with it what the configuration says.
  ///
  /// - Parameter description: The name of the connection, for people who debug.
  func open(
    path: String, flags: OpenFlags = .default, description: String? = nil
  ) throws -> Database {
    var flags = flags
    if readonly {
      flags.remove([.readWrite, .create])
      flags.insert(.readOnly)
    }
    let (connection, search) = try translatingErrors { () throws(SQLError) in
      let connection = try Connection(path: path, flags: flags)
      connection.allowManyVariables()
      let search = try connection.registerSearch()
      try connection.registerSpatial()
      return (connection, search)
    }
    let db = Database(
      connection: connection, search: search, configuration: self, path: path,
      description: description ?? label ?? "GRDB.DatabaseQueue")
    db.beginAccess()
    try db.setUp()
    for preparation in preparations { try preparation(db) }
    try db.execute(sql: "SELECT * FROM sqlite_master LIMIT 1")
    if journalMode == .wal && !readonly { try db.setUpWriteAheadLog() }
    db.endAccess()
    return db
  }
}

extension Database {
  /// Brings the database to a write-ahead log, and the log into being: readers and snapshots need
  /// one that is not empty.
  fileprivate func setUpWriteAheadLog() throws {
    let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")?.lowercased()
    // A database in memory has no log.
    if mode == "memory" { return }
    guard mode == "wal" else { throw withoutWriteAheadLog }
    try execute(sql: "PRAGMA synchronous = NORMAL")
    let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    guard (size ?? 0) == 0 else { return }
    let name = "grdb_create_wal_\(UUID().uuidString)"
    try inSavepoint {
      try execute(sql: "CREATE TABLE \"\(name)\" (id); DROP TABLE \"\(name)\"")
      return .commit
    }
  }

  private var withoutWriteAheadLog: DatabaseError {
    DatabaseError(message: "could not activate WAL Mode at path: \(path)")
  }

  /// Throws for a database that is not in WAL mode.
  func requireWriteAheadLog() throws {
    guard try isInWALMode() else { throw withoutWriteAheadLog }
  }

  /// Whether the main database is in WAL mode.
  func isInWALMode() throws -> Bool {
    try translatingErrors { () throws(SQLError) in
      let statement = try connection.prepare("PRAGMA main.journal_mode")
      return try statement.step() && statement.columnText(0).lowercased() == "wal"
    }
  }

  fileprivate func setUp() throws {
    switch configuration.busyMode {
    case .immediateError: break
    case .timeout(let seconds):
      // Also what is no number is a time.
      connection.busyTimeout = seconds > 0 ? Int(Swift.min(seconds * 1_000, 2e9)) : 0
    case .callback(let callback): connection.busyHandler = { callback($0) }
    }
    nonisolated(unsafe) unowned let db = self
    // Who cancels the task of the access waits for the end of a callback or pause, and for no lock.
    connection.endsBusyWaits = { db.isCancelled }
    let acceptsQuotes = configuration.acceptsDoubleQuotedStringLiterals
    connection.set(.doubleQuotedStringsInStatements, on: acceptsQuotes)
    connection.set(.doubleQuotedStringsInDefinitions, on: acceptsQuotes)
    connection.set(.enableForeignKeys, on: configuration.foreignKeysEnabled)
    for function in DatabaseFunction.builtIn { add(function: function) }
    for collation in DatabaseCollation.builtIn { add(collation: collation) }
  }
}
