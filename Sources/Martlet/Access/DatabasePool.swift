import Dispatch
import Foundation
import MartletEngine

/// A database with one connection that writes, and several that read at the same time.
///
/// The database is in WAL mode: who reads sees the last commit from the start of the access to its
/// end, and waits for no writer; who writes waits for no reader.
///
/// ```swift
/// let dbPool = try DatabasePool(path: "players.sqlite")
/// try dbPool.write { db in try Player(name: "Arthur").insert(db) }
/// let players = try dbPool.read { db in try Player.fetchAll(db) }
/// ```
///
/// Accesses that write run one after the other, in the order in which they were asked for. At most
/// `Configuration.maximumReaderCount` accesses read at the same time; others wait for them.
public final class DatabasePool: @unchecked Sendable {
  /// How the connections were configured.
  public let configuration: Configuration

  /// The path of the database.
  public let path: String

  let writer: SerialAccess
  let readers: ReaderPool
  /// Barriers come one after the other.
  private let barriers: DispatchQueue
  private let barrierActor: QueueActor
  private let suspensionObserver: SuspensionObserver?
  let snapshotNumbers = Counter()

  /// Opens the database at a path, creates it if it is not there, and brings it into WAL mode
  /// unless it is opened for reading only.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    self.configuration = configuration
    self.path = path
    var writerConfiguration = configuration
    writerConfiguration.journalMode = .wal
    let name = configuration.label ?? "GRDB.DatabasePool"
    let db = try writerConfiguration.open(path: path, description: "\(name).writer")
    writer = SerialAccess(db)
    if !configuration.readonly { try writer.sync { try $0.requireWriteAheadLog() } }
    suspensionObserver = SuspensionObserver(db)
    barriers = DispatchQueue(label: "\(name).barrier", qos: configuration.writeQoS)
    barrierActor = QueueActor(barriers)
    let readerConfiguration = configuration.ofReaders
    readers = ReaderPool(capacity: configuration.maximumReaderCount) { number in
      let db = try readerConfiguration.open(path: path, description: "\(name).reader.\(number)")
      return SerialAccess(db)
    }
  }

  /// Frees memory that can be built again, and closes connections for reading, those in use when
  /// their accesses end, unless `Configuration.persistentReadOnlyConnections` keeps them. Waits for
  /// the writing access that is under way.
  public func releaseMemory() {
    writer.sync { if !$0.isClosed { $0.releaseMemory() } }
    if configuration.persistentReadOnlyConnections {
      for reader in readers.all { reader.sync { if !$0.isClosed { $0.releaseMemory() } } }
    } else {
      readers.invalidate()
    }
  }

  /// `releaseMemory()` when the accesses that are under way have ended, without waiting for them.
  public func releaseMemoryEventually() {
    writer.async { if !$0.isClosed { $0.releaseMemory() } }
    if configuration.persistentReadOnlyConnections {
      for reader in readers.all { reader.async { if !$0.isClosed { $0.releaseMemory() } } }
    } else {
      readers.invalidate()
    }
  }

  /// Later accesses read with connections that are opened anew. Accesses that are under way go on.
  public func invalidateReadOnlyConnections() { readers.invalidate() }
}

extension Configuration {
  /// That of the connections that read: they wait ten seconds for locks, which are held while the
  /// log is made or restarted, unless the application has said what they do.
  var ofReaders: Configuration {
    var configuration = self
    configuration.readonly = true
    configuration.journalMode = .default
    if case .immediateError = busyMode { configuration.busyMode = .timeout(10) }
    return configuration
  }
}

extension DatabasePool: DatabaseReader {
  /// Closes all connections when the accesses that are under way have ended. Later accesses throw
  /// `SQLITE_MISUSE`.
  ///
  /// - Throws: `SQLITE_BUSY` while statements or cursors are kept. If they are those of the writer,
  ///   nothing is closed; if they are those of a reader, the pool is closed all the same, and the
  ///   reader when they are gone.
  ///
  /// An access that closes its own database stops the program: it would wait for its own end.
  public func close() throws {
    precondition(readers.current == nil && !isWriting, "Database methods are not reentrant.")
    try barriers.sync {
      if readers.isClosed { return }
      try readers.barrier { awaitSilence in
        try writer.sync { db in
          awaitSilence()
          try db.close()
          try readers.close()
        }
      }
    }
  }

  /// Ends the statements that run with `SQLITE_INTERRUPT`. May be called from any thread.
  public func interrupt() {
    writer.interrupt()
    for reader in readers.all { reader.interrupt() }
  }

  /// The caller has the writer, for which others wait: it must not wait for them.
  private var isWriting: Bool { writer.db.isAccessed }

  private func lendReader<T>(_ body: (SerialAccess) throws -> T) throws -> T {
    precondition(readers.current == nil, "Database methods are not reentrant.")
    return try readers.lend(passingBarrier: isWriting, body)
  }

  /// Reads the last committed state. What would write throws `SQLITE_READONLY`.
  ///
  /// Inside a write access it does not see what the access has not committed.
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try lendReader { reader in try reader.sync { try $0.reading(value) } }
  }

  /// Reads the last committed state. Cancelling the task interrupts it.
  public func read<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await readers.lend { try $0.reading(value) }
  }

  /// Reads the last committed state, some time later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.take { result in
      switch result {
      case .failure(let error): value(.failure(error))
      case .success(let reader):
        reader.async { db in
          do {
            try db.beginReading()
          } catch {
            value(.failure(error))
            return self.readers.release(reader)
          }
          value(.success(db))
          let isFit = db.endReading()
          self.readers.release(reader, isFit: isFit)
        }
      }
    }
  }

  /// Reads without a transaction: each statement sees the last committed state.
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try lendReader { reader in
      try reader.sync { db in
        try db.refreshSchemaCache()
        return try value(db)
      }
    }
  }

  /// Reads without a transaction: each statement sees the last committed state.
  public func unsafeRead<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await readers.lend { db in
      try db.refreshSchemaCache()
      return try value(db)
    }
  }

  /// Reads without a transaction, some time later.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    readers.take { result in
      switch result {
      case .failure(let error): value(.failure(error))
      case .success(let reader):
        reader.async { db in
          value(
            Result {
              try db.refreshSchemaCache()
              return db
            })
          self.readers.release(reader)
        }
      }
    }
  }

  /// Reads without a transaction, also inside another access of the same thread: of one that
  /// writes, it sees what is not committed yet.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    if let reader = readers.current { return try reader.reentrantSync(value) }
    if isWriting { return try writer.reentrantSync(value) }
    return try unsafeRead(value)
  }

  /// Starts an observation. Call `ValueObservation.start` instead.
  public func _add<Reducer: ValueReducer>(
    observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    if configuration.readonly {
      return addReadOnly(observation, scheduling: scheduler, onChange: onChange)
    }
    if observation.requiresWriteAccess {
      return ValueObserver(observation, in: self, scheduling: scheduler, onChange: onChange).start()
    }
    return PoolValueObserver(observation, in: self, scheduling: scheduler, onChange: onChange)
      .start()
  }
}

extension DatabasePool: DatabaseWriter {
  /// Writes in a transaction that the closure ends.
  public func writeInTransaction(
    _ kind: Database.TransactionKind? = nil,
    _ updates: (Database) throws -> Database.TransactionCompletion
  ) throws {
    try writer.sync { db in try db.inTransaction(kind) { try updates(db) } }
  }

  /// Writes without a transaction of its own.
  public func writeWithoutTransaction<T>(
    _ updates: (Database) throws -> T
  ) rethrows -> T {
    try writer.sync(updates)
  }

  /// Writes without a transaction of its own. Cancelling the task interrupts it.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.async(updates)
  }

  /// Writes without a transaction of its own when all reading accesses have ended. Those that are
  /// asked for meanwhile wait.
  public func barrierWriteWithoutTransaction<T>(
    _ updates: (Database) throws -> T
  ) throws -> T {
    precondition(readers.current == nil, "A barrier waits for the reading access that it is in.")
    precondition(!isWriting, "Database methods are not reentrant.")
    return try barriers.sync {
      try readers.barrier { awaitSilence in
        try writer.sync { db in
          awaitSilence()
          return try updates(db)
        }
      }
    }
  }

  /// Writes without a transaction of its own when all reading accesses have ended. Cancelling the
  /// task interrupts it.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await barrierActor.run {
        try self.readers.barrier { awaitSilence in
          try self.writer.sync { db in
            awaitSilence()
            return try db.cancelled(by: cancellation) { try updates(db) }
          }
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Writes without a transaction of its own when all reading accesses have ended, some time later.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    barriers.async {
      do {
        try self.readers.barrier { awaitSilence in
          self.writer.sync { db in
            awaitSilence()
            updates(.success(db))
          }
        }
      } catch {
        updates(.failure(error))
      }
    }
  }

  /// Writes without a transaction of its own, some time later.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    writer.async(updates)
  }

  /// Writes without a transaction of its own, also inside another writing access of the same
  /// thread.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try writer.reentrantSync(updates)
  }

  /// Reads the state that the writer's access has left, some time later: see `asyncConcurrentRead`.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncConcurrentRead(value)
  }

  /// Reads the state of now, on another connection, while the writer goes on.
  ///
  /// Call it in a writing access outside of transactions; elsewhere it stops the program. It
  /// returns when the state to be read is fixed, and so waits while no connection is free.
  ///
  /// ```swift
  /// try dbPool.writeWithoutTransaction { db in
  ///   try db.inTransaction { … }
  ///   dbPool.asyncConcurrentRead { db in … }  // what the transaction has committed
  /// }
  /// ```
  public func asyncConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    precondition(isWriting, "asyncConcurrentRead must be called in a writing access.")
    precondition(
      !writer.db.isInsideTransaction,
      "asyncConcurrentRead must not be called from inside a transaction.")
    do {
      try readNow(with: readers.take(passingBarrier: true), value)
    } catch {
      value(.failure(error))
    }
  }

  /// Fixes the state that a connection reads, and lets it read some time later.
  func readNow(
    with reader: SerialAccess, _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) throws {
    do {
      try reader.sync { try $0.beginReading() }
    } catch {
      readers.release(reader)
      throw error
    }
    reader.async { db in
      value(.success(db))
      let isFit = db.endReading()
      self.readers.release(reader, isFit: isFit)
    }
  }
}

extension Database {
  /// Reads one state. The version of the schema is the first that is read of it.
  func reading<T>(_ value: (Database) throws -> T) throws -> T {
    // The connection cannot write anyway.
    try isolated(readOnly: !configuration.readonly) {
      try refreshSchemaCache()
      return try value(self)
    }
  }

  /// Begins to read the state of now, over more than one access.
  ///
  /// - Parameter forOthers: other connections can begin to read the state until the transaction ends.
  func beginReading(forOthers: Bool = false) throws {
    keepsTransaction = true
    do {
      try beginTransaction(.deferred)
      // Only the first read of a transaction can hold its state.
      if forOthers { _ = try currentSnapshot() }
      try refreshSchemaCache()
    } catch {
      endReading()
      throw error
    }
  }

  /// Ends what `beginReading()` has begun.
  ///
  /// - Returns: The connection has no transaction open.
  @discardableResult
  func endReading() -> Bool {
    defer { keepsTransaction = false }
    do {
      try rollback()
      return true
    } catch {
      keepsTransaction = true
      return false
    }
  }
}
