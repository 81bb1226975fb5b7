/// A `DatabaseReader` of any kind.
public final class AnyDatabaseReader: Sendable {
  private let base: any DatabaseReader

  /// Hides the kind of a reader.
  public init(_ base: any DatabaseReader) { self.base = base }
}

extension AnyDatabaseReader: DatabaseReader {
  /// How the connections were configured.
  public var configuration: Configuration { base.configuration }

  /// The path of the database.
  public var path: String { base.path }

  /// Closes the connections.
  public func close() throws { try base.close() }

  /// Ends the statements that run.
  public func interrupt() { base.interrupt() }

  /// Reads from an unchanging state of the database.
  public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

  /// Reads from an unchanging state of the database.
  public func read<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.read(value)
  }

  /// Reads from an unchanging state of the database, some time later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncRead(value)
  }

  /// Reads without a transaction.
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeRead(value)
  }

  /// Reads without a transaction.
  public func unsafeRead<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.unsafeRead(value)
  }

  /// Reads without a transaction, some time later.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncUnsafeRead(value)
  }

  /// Reads without a transaction, also inside another access of the same thread.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantRead(value)
  }

  /// Starts an observation. Call `ValueObservation.start` instead.
  public func _add<Reducer: ValueReducer>(
    observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    base._add(observation: observation, scheduling: scheduler, onChange: onChange)
  }
}

/// A `DatabaseWriter` of any kind.
public final class AnyDatabaseWriter: Sendable {
  private let base: any DatabaseWriter

  /// Hides the kind of a writer.
  public init(_ base: any DatabaseWriter) { self.base = base }
}

extension AnyDatabaseWriter: DatabaseReader {
  /// How the connections were configured.
  public var configuration: Configuration { base.configuration }

  /// The path of the database.
  public var path: String { base.path }

  /// Closes the connections.
  public func close() throws { try base.close() }

  /// Ends the statements that run.
  public func interrupt() { base.interrupt() }

  /// Reads from an unchanging state of the database.
  public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

  /// Reads from an unchanging state of the database.
  public func read<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.read(value)
  }

  /// Reads from an unchanging state of the database, some time later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncRead(value)
  }

  /// Reads without a transaction.
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeRead(value)
  }

  /// Reads without a transaction.
  public func unsafeRead<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.unsafeRead(value)
  }

  /// Reads without a transaction, some time later.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncUnsafeRead(value)
  }

  /// Reads without a transaction, also inside another access of the same thread.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantRead(value)
  }

  /// Starts an observation. Call `ValueObservation.start` instead.
  public func _add<Reducer: ValueReducer>(
    observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    base._add(observation: observation, scheduling: scheduler, onChange: onChange)
  }
}

extension AnyDatabaseWriter: DatabaseWriter {
  /// Writes without a transaction of its own.
  public func writeWithoutTransaction<T>(
    _ updates: (Database) throws -> T
  ) rethrows -> T {
    try base.writeWithoutTransaction(updates)
  }

  /// Writes without a transaction of its own.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.writeWithoutTransaction(updates)
  }

  /// Writes without a transaction of its own when all other accesses have ended.
  public func barrierWriteWithoutTransaction<T>(
    _ updates: (Database) throws -> T
  ) throws -> T {
    try base.barrierWriteWithoutTransaction(updates)
  }

  /// Writes without a transaction of its own when all other accesses have ended.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.barrierWriteWithoutTransaction(updates)
  }

  /// Writes without a transaction of its own when all other accesses have ended, some time later.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncBarrierWriteWithoutTransaction(updates)
  }

  /// Writes without a transaction of its own, some time later.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    base.asyncWriteWithoutTransaction(updates)
  }

  /// Writes without a transaction of its own, also inside another access of the same thread.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try base.unsafeReentrantWrite(updates)
  }

  /// Reads the state that the writer's access has left, some time later.
  public func spawnConcurrentRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.spawnConcurrentRead(value)
  }
}
