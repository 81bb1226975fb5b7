import MartletEngine

/// Connections that read one state of a database in WAL mode, several at the same time.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshotPool()
/// let same = try dbPool.read { db in try DatabaseSnapshotPool(db) }
/// ```
///
/// The log cannot be emptied by checkpoints while there are snapshots of older states: drop them
/// when they are not needed any more.
public final class DatabaseSnapshotPool: @unchecked Sendable {
  /// How the connections were configured.
  public let configuration: Configuration

  /// The path of the database.
  public let path: String

  /// Holds the state in the log, so that connections can be opened upon it.
  private let holder: SerialAccess
  private let readers: ReaderPool
  private let snapshot: Snapshot

  /// The state that a connection reads: that of its transaction, which must not have written, or
  /// the last committed one outside of transactions.
  ///
  /// - Parameters:
  ///   - db: A connection, which sees the state that the snapshot will show.
  ///   - configuration: How connections are configured; nil for that of the connection.
  /// - Throws: `SQLITE_ERROR` for a database that is not in WAL mode, and in a transaction that
  ///   writes; `SQLITE_ERROR_SNAPSHOT` in a transaction whose state only the file had when it began,
  ///   if somebody has written since (c3ref snapshot_get).
  public init(_ db: Database, configuration: Configuration? = nil) throws {
    try db.checkAccess()
    let configuration = configuration ?? db.configuration
    self.configuration = configuration
    path = db.path
    // While the transaction reads it, the state cannot vanish.
    (holder, snapshot) = try db.showingSnapshot { snapshot in
      (try Self.open(db.path, configuration, at: snapshot, "holder"), snapshot)
    }
    readers = Self.pool(path, configuration, snapshot)
  }

  /// The last committed state of the database at a path.
  ///
  /// - Throws: `SQLITE_ERROR` for a database that is not in WAL mode.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    self.configuration = configuration
    self.path = path
    holder = try Self.open(path, configuration, at: nil, "holder")
    snapshot = try holder.sync { try $0.currentSnapshot() }
    readers = Self.pool(path, configuration, snapshot)
  }

  private static func pool(
    _ path: String, _ configuration: Configuration, _ snapshot: Snapshot
  ) -> ReaderPool {
    ReaderPool(capacity: configuration.maximumReaderCount) { number in
      try open(path, configuration, at: snapshot, "reader.\(number)")
    }
  }

  /// Opens a connection that reads a state, or the last committed one.
  private static func open(
    _ path: String, _ configuration: Configuration, at snapshot: Snapshot?, _ kind: String
  ) throws -> SerialAccess {
    var configuration = configuration.ofReaders
    configuration.allowsUnsafeTransactions = true
    let name = configuration.label ?? "GRDB.DatabaseSnapshotPool"
    let access = SerialAccess(try configuration.open(path: path, description: "\(name).\(kind)"))
    try access.sync { db in
      try db.beginReading(forOthers: snapshot == nil)
      guard let snapshot else { return }
      try translatingErrors { () throws(SQLError) in try db.open(snapshot) }
      db.schemaCache.removeAll()
    }
    return access
  }

  /// An access may have ended the transaction, and with it the state that the connection reads.
  private func giveBack(_ reader: SerialAccess, _ isFit: Bool) {
    readers.release(reader, isFit: isFit)
  }

  private func isFit(_ db: Database) -> Bool {
    (try? db.currentSnapshot()) == snapshot
  }
}

extension Database {
  /// The state that the transaction reads.
  func currentSnapshot() throws -> Snapshot {
    try translatingErrors { () throws(SQLError) in try connection.snapshot() }
  }

  /// Lets the transaction read a state. While a checkpoint runs, that has to wait: SQLite's call says
  /// BUSY then without asking the busy handler.
  fileprivate func open(_ snapshot: Snapshot) throws(SQLError) {
    var attempt = 0
    while true {
      do throws(SQLError) {
        return try connection.open(snapshot)
      } catch {
        guard error.code.primary == .busy, connection.busyHandler?(attempt) == true else {
          throw error
        }
        attempt += 1
      }
    }
  }

  /// Runs a function in a transaction that reads a state: in the one that is open if there is one.
  /// Observers of transactions are not told of another.
  fileprivate func showingSnapshot<T>(_ body: (Snapshot) throws -> T) throws -> T {
    if isInsideTransaction { return try body(currentSnapshot()) }
    try translatingErrors { () throws(SQLError) in try connection.execute("BEGIN") }
    // The transaction has only read: nothing can fail.
    defer { try? connection.execute("COMMIT") }
    return try body(currentSnapshot())
  }

  /// The last committed state; nil for a database that is not in WAL mode.
  func latestSnapshot() -> Snapshot? { try? showingSnapshot { $0 } }
}

extension DatabaseSnapshotPool: DatabaseSnapshotReader {
  /// Closes all connections. Later accesses throw `SQLITE_MISUSE`.
  public func close() throws {
    try readers.close()
    try holder.sync { try $0.close() }
  }

  /// Ends the statements that run with `SQLITE_INTERRUPT`. May be called from any thread.
  public func interrupt() { for reader in readers.all { reader.interrupt() } }

  /// Reads the state.
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    precondition(readers.current == nil, "Database methods are not reentrant.")
    let reader = try readers.take()
    var isFit = false
    defer { giveBack(reader, isFit) }
    return try reader.sync { db in
      defer { isFit = self.isFit(db) }
      return try value(db)
    }
  }

  /// Reads the state. Cancelling the task interrupts it.
  public func read<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await readers.lend(ifFit: { self.isFit($0) }, value)
  }

  /// Reads the state, some time later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    readers.take { result in
      switch result {
      case .failure(let error): value(.failure(error))
      case .success(let reader):
        reader.async { db in
          value(.success(db))
          self.giveBack(reader, self.isFit(db))
        }
      }
    }
  }

  /// Reads the state.
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try read(value) }

  /// Reads the state.
  public func unsafeRead<T: Sendable>(
    _ value: @Sendable (Database) throws -> T
  ) async throws -> T {
    try await read(value)
  }

  /// Reads the state, some time later.
  public func asyncUnsafeRead(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    asyncRead(value)
  }

  /// Reads the state, also inside another access of the same thread.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    if let reader = readers.current { return try reader.reentrantSync(value) }
    return try read(value)
  }

  /// Starts an observation, which has one value. Call `ValueObservation.start` instead.
  public func _add<Reducer: ValueReducer>(
    observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    addReadOnly(observation, scheduling: scheduler, onChange: onChange)
  }
}
