import Foundation
import MartletEngine

/// A database with one connection, whose accesses run one after the other.
///
/// ```swift
/// let dbQueue = try DatabaseQueue(path: "players.sqlite")
/// try dbQueue.write { db in
///   try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// let count = try await dbQueue.read { db in
///   try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// Synchronous accesses run on the thread that asks for them and are not reentrant.
public final class DatabaseQueue {
  private let db: Database
  private let access: SerialAccess
  private let suspensionObserver: SuspensionObserver?

  /// How the connection was configured.
  public var configuration: Configuration {
    var configuration = db.configuration
    configuration.maximumReaderCount = 1
    return configuration
  }

  /// The path of the database; `:memory:` for one in memory.
  public let path: String

  /// Opens the database at a path, and creates it if it is not there.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    db = try configuration.open(path: path, flags: .default)
    access = SerialAccess(db)
    suspensionObserver = SuspensionObserver(db)
    self.path = path
  }

  /// Opens a database in memory.
  ///
  /// - Parameters:
  ///   - name: Queues of one name share a database, as long as one of them exists; without a name
  ///     it is the queue's own.
  ///   - configuration: How connections are configured.
  public init(named name: String? = nil, configuration: Configuration = Configuration()) throws {
    if let name {
      let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
      path = "file:\(escaped)?mode=memory&cache=shared"
      db = try configuration.open(path: path, flags: [.readWrite, .create, .uri])
    } else {
      path = ":memory:"
      db = try configuration.open(path: path, flags: .default)
    }
    access = SerialAccess(db)
    suspensionObserver = SuspensionObserver(db)
  }

  /// A copy in memory of the database at a path.
  public static func inMemoryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(of: path, to: ":memory:", configuration)
  }

  /// A copy in a temporary file, which goes with the queue, of the database at a path.
  public static func temporaryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(of: path, to: "", configuration)
  }

  /// The copy is written before it is made read-only.
  private static func copy(
    of path: String, to target: String, _ configuration: Configuration
  ) throws -> DatabaseQueue {
    var sourceConfiguration = Configuration()
    sourceConfiguration.readonly = true
    sourceConfiguration.busyMode = configuration.busyMode
    let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
    var targetConfiguration = configuration
    targetConfiguration.readonly = false
    let queue = try DatabaseQueue(path: target, configuration: targetConfiguration)
    try source.backup(to: queue)
    try source.close()
    if configuration.readonly {
      try queue.inDatabase { try $0.execute(sql: "PRAGMA query_only = 1") }
    }
    return queue
  }

  /// Frees memory that can be built again.
  public func releaseMemory() { access.sync { $0.releaseMemory() } }
}

extension DatabaseQueue: @unchecked Sendable {}

extension DatabaseQueue: DatabaseReader {
  /// Closes the connection. Later accesses throw `SQLITE_MISUSE`.
  public func close() throws { try access.sync { try $0.close() } }

  /// Ends the statements that run with `SQLITE_INTERRUPT`. May be called from any thread.
  public func interrupt() { access.interrupt() }

  /// Reads in a transaction. What would write throws `SQLITE_READONLY`.
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try access.sync { db in try db.isolated(readOnly: true) { try value(db) } }
  }

  /// Reads in a transaction. Cancelling the task interrupts it.
  public func read<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.async { db in try db.isolated(readOnly: true) { try value(db) } }
  }

  /// Reads in a transaction, some time later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    access.async { db in
      var isTold = false
      do {
        try db.isolated(readOnly: true) {
          isTold = true
          value(.success(db))
        }
      } catch {
        // That the transaction cannot be ended is nothing that can be told.
        if !isTold { value(.failure(error)) }
      }
    }
  }

  /// Reads without a transaction.
  public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try access.sync(value)
  }

  /// Reads without a transaction.
  public func unsafeRead<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.async(value)
  }

  /// Reads without a transaction, some time later.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    access.async { value(.success($0)) }
  }

  /// Reads without a transaction, also inside another access of the same thread.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try access.reentrantSync(value)
  }

  /// Starts an observation. Call `ValueObservation.start` instead.
  public func _add<Reducer: ValueReducer>(
    observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    if configuration.readonly {
      return addReadOnly(observation, scheduling: scheduler, onChange: onChange)
    }
    return ValueObserver(observation, in: self, scheduling: scheduler, onChange: onChange).start()
  }
}

extension DatabaseQueue: DatabaseWriter {
  /// Writes in a transaction that the closure ends.
  public func inTransaction(
    _ kind: Database.TransactionKind? = nil,
    _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try access.sync { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Writes without a transaction of its own.
  public func inDatabase<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try access.sync(updates)
  }

  /// Writes without a transaction of its own.
  public func writeWithoutTransaction<T>(
    _ updates: (Database) throws -> T
  ) rethrows -> T {
    try access.sync(updates)
  }

  /// Writes without a transaction of its own. Cancelling the task interrupts it.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.async(updates)
  }

  /// Writes without a transaction of its own.
  public func barrierWriteWithoutTransaction<T>(
    _ updates: (Database) throws -> T
  ) throws -> T {
    try access.sync(updates)
  }

  /// Writes without a transaction of its own. Cancelling the task interrupts it.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.async(updates)
  }

  /// Writes without a transaction of its own, some time later.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    access.async { updates(.success($0)) }
  }

  /// Writes without a transaction of its own, some time later.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    access.async(updates)
  }

  /// Writes without a transaction of its own, also inside another access of the same thread.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try access.reentrantSync(updates)
  }

  /// Reads the state that the last write has left, some time later.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncRead(value)
  }
}
