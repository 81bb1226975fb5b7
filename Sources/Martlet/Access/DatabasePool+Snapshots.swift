import MartletEngine
import Synchronization

extension DatabasePool {
  /// A connection that reads the state of now for as long as it lives.
  ///
  /// Inside a transaction of the writer, whose changes are no state yet, it stops the program.
  public func makeSnapshot() throws -> DatabaseSnapshot {
    stopInsideTransaction("makeSnapshot")
    let name = configuration.label ?? "GRDB.DatabasePool"
    return try DatabaseSnapshot(
      path: path, configuration: configuration,
      description: "\(name).snapshot.\(snapshotNumbers.next())")
  }

  /// Connections that read the state of now, several at the same time, for as long as they live.
  ///
  /// Inside a transaction of the writer, whose changes are no state yet, it stops the program.
  public func makeSnapshotPool() throws -> DatabaseSnapshotPool {
    stopInsideTransaction("makeSnapshotPool")
    return try DatabaseSnapshotPool(path: path, configuration: configuration)
  }

  private func stopInsideTransaction(_ method: String) {
    precondition(
      !writer.db.isAccessed || !writer.db.isInsideTransaction,
      "\(method)() must not be called from inside a transaction.")
  }
}

/// Numbers from 1 on.
final class Counter: Sendable {
  private let last = Mutex(0)

  func next() -> Int {
    last.withLock {
      $0 += 1
      return $0
    }
  }
}

/// A database whose state does not change while it is read: see `DatabasePool.makeSnapshot()`.
public protocol DatabaseSnapshotReader: DatabaseReader {
  /// Reads, also inside another access of the same thread.
  func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}

extension DatabaseSnapshotReader {
  /// Reads, also inside another access of the same thread.
  public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try unsafeReentrantRead(value)
  }
}

/// A connection that reads one state of a database in WAL mode.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshot()
/// let count = try snapshot.read { db in try Player.fetchCount(db) }
/// ```
///
/// Its accesses run one after the other. The log cannot be emptied by checkpoints while there are
/// snapshots of older states: drop them when they are not needed any more.
public final class DatabaseSnapshot: @unchecked Sendable {
  private let access: SerialAccess

  /// The path of the database.
  public let path: String

  /// How the connection was configured.
  public var configuration: Configuration { access.db.configuration }

  init(path: String, configuration: Configuration, description: String) throws {
    var configuration = configuration.ofReaders
    configuration.allowsUnsafeTransactions = true
    self.path = path
    access = SerialAccess(try configuration.open(path: path, description: description))
    try access.sync { try $0.beginReading() }
  }
}

extension DatabaseSnapshot: DatabaseSnapshotReader {
  /// Closes the connection. Later accesses throw `SQLITE_MISUSE`.
  public func close() throws { try access.sync { try $0.close() } }

  /// Ends the statements that run with `SQLITE_INTERRUPT`. May be called from any thread.
  public func interrupt() { access.interrupt() }

  /// Reads the state.
  public func read<T>(_ value: (Database) throws -> T) rethrows -> T { try access.sync(value) }

  /// Reads the state. Cancelling the task interrupts it.
  public func read<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.async(value)
  }

  /// Reads the state, some time later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    access.async { value(.success($0)) }
  }

  /// Reads the state.
  public func unsafeRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try access.sync(value)
  }

  /// Reads the state.
  public func unsafeRead<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await access.async(value)
  }

  /// Reads the state, some time later.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncRead(value)
  }

  /// Reads the state, also inside another access of the same thread.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) rethrows -> T {
    try access.reentrantSync(value)
  }

  /// Starts an observation, which has one value. Call `ValueObservation.start` instead.
  public func _add<Reducer: ValueReducer>(
    observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    addReadOnly(observation, scheduling: scheduler, onChange: onChange)
  }
}
