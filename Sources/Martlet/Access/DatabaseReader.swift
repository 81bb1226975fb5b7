import Dispatch

/// Something that gives access to a database for reading.
public protocol DatabaseReader: AnyObject, Sendable {
  /// How its connections were configured.
  var configuration: Configuration { get }

  /// The path of the database.
  var path: String { get }

  /// Closes the connections. Later accesses throw `SQLITE_MISUSE`.
  ///
  /// - Throws: `SQLITE_BUSY` while statements or cursors are kept.
  func close() throws

  /// Ends the statements that run with `SQLITE_INTERRUPT`. May be called from any thread.
  func interrupt()

  /// Reads from an unchanging state of the database. What would write throws `SQLITE_READONLY`.
  func read<T>(_ value: (Database) throws -> T) throws -> T

  /// Reads from an unchanging state of the database. Cancelling the task interrupts it.
  func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

  /// Reads from an unchanging state of the database, some time later.
  func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Reads without a transaction: other connections may write in between.
  func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

  /// Reads without a transaction: other connections may write in between.
  func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T

  /// Reads without a transaction, some time later.
  func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Reads without a transaction, also inside another access of the same thread.
  func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T

  /// Starts an observation. Call `ValueObservation.start` instead.
  func _add<Reducer: ValueReducer>(
    observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable
}

/// The standard library's `SendableMetatype`, by the name that GRDB has for it.
public typealias GRDBSendableMetatype = SendableMetatype
