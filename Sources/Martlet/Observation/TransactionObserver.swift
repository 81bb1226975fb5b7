/// Is told of changes and the ends of transactions of a connection.
///
/// ```swift
/// final class PlayerObserver: TransactionObserver {
///   func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///     eventKind.tableName == "player"
///   }
///   func databaseDidChange(with event: DatabaseEvent) { changedIDs.insert(event.rowID) }
///   func databaseDidCommit(_ db: Database) { … }
///   func databaseDidRollback(_ db: Database) { changedIDs = [] }
/// }
/// dbQueue.add(transactionObserver: observer)
/// ```
///
/// It is not told of changes by other connections, of changes to the schema, of changes to tables
/// without rowids, nor of rows that go because others with the same keys come.
public protocol TransactionObserver: AnyObject {
  /// Whether the observer wants to know of changes of a kind. Asked before a statement runs.
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

  /// Something has changed: see `Database.notifyChanges(in:)`.
  func databaseDidChange()

  /// A row has changed. The observer must not use the database here. Changes in a savepoint are
  /// told when it is released.
  func databaseDidChange(with event: DatabaseEvent)

  /// A row is about to change: the event has its values before and after the change. The observer
  /// must not use the database here. Changes in a savepoint are told when it is released.
  ///
  /// Beside the tables of `databaseDidChange(with:)`, those without rowids and rows that go
  /// because others with the same keys come are told, too.
  func databaseWillChange(with event: DatabasePreUpdateEvent)

  /// A transaction is going to be committed. An error takes it back, and is what the committing
  /// statement throws.
  func databaseWillCommit() throws

  /// A transaction was committed.
  func databaseDidCommit(_ db: Database)

  /// A transaction was taken back.
  func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
  /// Does nothing.
  public func databaseDidChange() {}

  /// Does nothing: an observer without a method of its own is not told.
  public func databaseWillChange(with event: DatabasePreUpdateEvent) {
    PreUpdateInterest.note(indifferent: type(of: self))
  }

  /// Does nothing.
  public func databaseWillCommit() throws {}

  /// Is told of no more changes until the transaction ends. Call it in `databaseDidChange()` or
  /// `databaseDidChange(with:)`; elsewhere it stops the program.
  public func stopObservingDatabaseChangesUntilNextTransaction() {
    guard let broker = CurrentBrokers.current else {
      preconditionFailure(
        "stopObservingDatabaseChangesUntilNextTransaction must be called from "
          + "`databaseDidChange()` or `databaseDidChange(with:)`")
    }
    broker.disable(self)
  }
}

extension Database {
  /// How long an observer is told.
  public enum TransactionObservationExtent: Sendable {
    /// As long as the application keeps it.
    case observerLifetime
    /// Until the end of the transaction that is open, or else of the next one.
    case nextTransaction
    /// As long as the connection is there, which keeps it.
    case databaseLifetime
  }

  /// Tells an observer of changes and transactions from now on.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: TransactionObservationExtent = .observerLifetime
  ) {
    stopOutsideAccess()
    broker.add(transactionObserver, extent)
  }

  /// Tells an observer nothing more.
  public func remove(transactionObserver: some TransactionObserver) {
    stopOutsideAccess()
    broker.remove(transactionObserver)
  }

  /// Calls one of two functions when the transaction that is open, or else the next one, has ended.
  /// Transactions that only read are none.
  public func afterNextTransaction(
    onCommit: @escaping @Sendable (Database) -> Void,
    onRollback: @escaping @Sendable (Database) -> Void = { _ in }
  ) {
    add(
      transactionObserver: EndObserver(onCommit: onCommit, onRollback: onRollback),
      extent: .nextTransaction)
  }

  /// Tells observers that something has changed of which SQLite does not tell: by another
  /// connection, in a table without rowids, or by REPLACE.
  public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
    try checkAccess()
    guard !isReadOnly else { return }
    let kinds = try region.databaseRegion(self)
      .observable(self, includesSchemas: true).eventKinds(self)
    broker.notifyChanges(of: kinds)
  }
}

extension DatabaseWriter {
  /// Tells an observer of changes and transactions from now on.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: Database.TransactionObservationExtent = .observerLifetime
  ) {
    writeWithoutTransaction { $0.add(transactionObserver: transactionObserver, extent: extent) }
  }

  /// Tells an observer nothing more.
  public func remove(transactionObserver: some TransactionObserver) {
    writeWithoutTransaction { $0.remove(transactionObserver: transactionObserver) }
  }
}

/// Calls functions at the end of a transaction.
private final class EndObserver: ValueBlindObserver {
  private let onCommit: (Database) -> Void
  private let onRollback: (Database) -> Void

  init(onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void) {
    self.onCommit = onCommit
    self.onRollback = onRollback
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { onCommit(db) }
  func databaseDidRollback(_ db: Database) { onRollback(db) }
}
