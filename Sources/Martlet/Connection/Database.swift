import Foundation
import MartletEngine
import MartletSearch
import Synchronization

/// The engine's connection.
public typealias SQLiteConnection = MartletEngine.Connection

/// A connection to a database, lent to the closure of a database access.
///
/// ```swift
/// try dbQueue.write { db in
///   try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
/// }
/// ```
///
/// It must not leave the closure: using it elsewhere stops the program.
public final class Database: CustomStringConvertible, CustomDebugStringConvertible {
  let connection: Connection
  /// What the connection's FTS5 tables share: tokenizers are added to it.
  let search: FTS5Extension

  /// How the connection was configured.
  public let configuration: Configuration

  /// The name of the connection, for people who debug: its kind with the label of the
  /// configuration.
  public let description: String

  /// As it was given to open.
  let path: String

  /// Compiled statements of `cachedStatement(sql:)`.
  var publicStatements = StatementCache<Statement>()
  /// Compiled statements of the layer itself, which never collide with the application's.
  var internalStatements = StatementCache<Statement>()
  var schemaCache = SchemaCache()
  /// Those that keep the connection from being closed.
  let liveStatements = LiveStatements()

  /// Asked about the schema where SQLite does not know: at first that of the configuration.
  public internal(set) var schemaSource: (any DatabaseSchemaSource)?

  /// The thread whose access is under way; 0 for none.
  private let owner = Atomic<UInt>(0)
  var cancellation: Cancellation?
  /// Blocks in which the database must not be written.
  var readOnlyDepth = 0
  let transactionState = TransactionTracker()
  /// Set and read by any thread.
  let suspension = Suspension()
  /// Tells observers of changes and transactions.
  private(set) lazy var broker = ObservationBroker(self)
  /// What was read since it was asked for; nil while nobody asks.
  var recordedRegion: DatabaseRegion?
  private(set) var isClosed = false
  /// A transaction may stay open from one access to the next: that of a snapshot.
  var keepsTransaction = false
  /// The version of the schema that the cache is about; nil where no other connection counts.
  var cachedSchemaVersion: Int32?
  private(set) var lastError: DatabaseError?

  init(
    connection: Connection, search: FTS5Extension, configuration: Configuration, path: String,
    description: String
  ) {
    self.connection = connection
    self.search = search
    self.configuration = configuration
    schemaSource = configuration.schemaSource
    self.description = description
    self.path = path
    nonisolated(unsafe) unowned let db = self
    connection.rollbackHook = {
      db.transactionState.noteRollback()
      db.broker.noteRollback()
    }
  }

  /// What the connection is, for people who debug.
  public var debugDescription: String { "<Database: \(description)>" }

  /// The engine's connection, for what this layer does not offer; nil when it is closed.
  public var sqliteConnection: SQLiteConnection? { isClosed ? nil : connection }

  // MARK: What the connection knows

  /// The rowid of the last row that was inserted.
  public var lastInsertedRowID: Int64 {
    stopOutsideAccess()
    return connection.lastInsertRowID
  }

  /// How many rows the last INSERT, UPDATE or DELETE has changed.
  public var changesCount: Int {
    stopOutsideAccess()
    return Int(connection.changes)
  }

  /// How many rows were changed since the connection was opened.
  public var totalChangesCount: Int {
    stopOutsideAccess()
    return Int(connection.totalChanges)
  }

  /// A transaction is open.
  public var isInsideTransaction: Bool {
    stopOutsideAccess()
    return !isClosed && !connection.isAutocommit
  }

  /// The extended result code of the last statement that failed; `SQLITE_OK` if none has.
  public var lastErrorCode: ResultCode { lastError?.extendedResultCode ?? .SQLITE_OK }

  /// The message of the last statement that failed.
  public var lastErrorMessage: String? { lastError?.message }

  /// The version of SQLite whose behaviour the engine has.
  public static var sqliteLibVersionNumber: CInt { 3_053_000 }

  /// The options that SQLite would have been compiled with to behave as the engine does.
  public static func sqliteCompileOptions() throws -> Set<String> {
    try DatabaseQueue().read { try String.fetchSet($0, sql: "PRAGMA compile_options") }
  }

  /// The most parameters that a statement may have: 250,000, as with Debian's SQLite.
  public var maximumStatementArgumentCount: Int { connection.limit(.variableNumber) }

  /// Frees memory that can be built again: compiled statements and what is known of the schema.
  public func releaseMemory() {
    stopOutsideAccess()
    publicStatements.removeAll()
    internalStatements.removeAll()
    schemaCache.removeAll()
  }

  /// Nothing may be written.
  var isReadOnly: Bool { configuration.readonly || readOnlyDepth > 0 }

  // MARK: Accesses

  static var currentThread: UInt {
    #if canImport(Darwin) || canImport(Musl)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// An access of this thread is under way.
  var isAccessed: Bool { owner.load(ordering: .relaxed) == Database.currentThread }

  func beginAccess() { owner.store(Database.currentThread, ordering: .relaxed) }

  func endAccess() {
    broker.accessWillEnd()
    precondition(
      configuration.allowsUnsafeTransactions || keepsTransaction || isClosed
        || connection.isAutocommit,
      "A transaction has been left opened at the end of a database access")
    owner.store(0, ordering: .relaxed)
  }

  /// Using a connection outside its access is a mistake that no error can mend: another thread may
  /// be using it.
  func stopOutsideAccess(file: StaticString = #file, line: UInt = #line) {
    precondition(isAccessed, "Database was not used on the correct thread", file: file, line: line)
  }

  /// The access is right, and the connection is open.
  func checkAccess() throws {
    stopOutsideAccess()
    if isClosed { throw DatabaseError.connectionIsClosed }
  }

  /// Closes the connection.
  func close() throws {
    guard !isClosed else { return }
    forgetStatements()
    broker.forget()
    do throws(SQLError) {
      try connection.close()
    } catch {
      for sql in liveStatements.texts {
        Database.logError?(ResultCode(error.code), "unfinalized statement: \(sql)")
      }
      throw DatabaseError(error)
    }
    isClosed = true
  }

  /// Breaks the cycles through the caches.
  func forgetStatements() {
    publicStatements.removeAll()
    internalStatements.removeAll()
    schemaCache.removeAll()
  }

  // MARK: Statements that run

  /// The task of the access was cancelled, and nothing is being taken back.
  var isCancelled: Bool {
    guard let cancellation else { return false }
    return cancellation.isCancelled && !transactionState.isRollingBack
  }

  func statementWillExecute(_ statement: Statement) throws {
    try checkAccess()
    // What was read to its end is not lost: only writes must not be committed any more.
    if isCancelled, !(isReadOnly && statement.releasesLocks) {
      throw CancellationError()
    }
    if transactionState.blockDepth > 0, connection.isAutocommit {
      throw failure(SQLError(.abort, "Transaction was aborted"), statement)
    }
    try checkSuspension(statement)
    if readOnlyDepth > 0, !statement.isReadOnly, !statement.asksPragma {
      throw failure(SQLError(.readOnly), statement)
    }
    if let region = recordedRegion {
      recordedRegion = try region.union(statement.region())
    }
    if broker.hasObservers { try broker.statementWillExecute(statement) }
  }

  func statementDidFail(_ statement: Statement, _ error: SQLError) -> any Error {
    publicStatements.remove(statement)
    internalStatements.remove(statement)
    let failure = failure(error, statement)
    if statement.mayEndTransaction || transactionState.isOpen {
      transactionState.noteEnd(of: self, failed: true)
    }
    return broker.statementDidFail(statement) ?? failure
  }

  private func failure(_ error: SQLError, _ statement: Statement) -> any Error {
    self.error(error, sql: statement.sql, arguments: statement.arguments)
  }

  func error(
    _ error: SQLError, sql: String, arguments: StatementArguments? = nil
  ) -> any Error {
    let error = DatabaseError(
      error, sql: sql, arguments: arguments,
      publicStatementArguments: configuration.publicStatementArguments)
    lastError = error
    if let cancellation, cancellation.isCancelled,
      error.isInterruptionError || error.resultCode == .SQLITE_BUSY
    {
      return CancellationError()
    }
    Database.logError?(error.extendedResultCode, error.message ?? "")
    return error
  }

  func statementDidEnd(_ statement: Statement) throws {
    transactionState.noteEnd(of: self, failed: false, isWriting: !statement.isReadOnly)
    if statement.mayChangeSchema { schemaCache.removeAll() }
    try broker.statementDidExecute(statement)
  }
}

@available(*, unavailable)
extension Database: Sendable {}
