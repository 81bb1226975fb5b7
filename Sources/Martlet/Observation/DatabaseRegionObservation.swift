import Synchronization

/// Tells of transactions that have modified a region.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: Player.all())
/// let cancellable = observation.start(in: dbQueue) { error in
///   …
/// } onChange: { db in
///   print("players have changed")
/// }
/// ```
///
/// It is told on the connection that writes, and before other accesses: of each transaction once.
public struct DatabaseRegionObservation: Sendable {
  private let regions: [any DatabaseRegionConvertible]

  /// Observes regions, requests and tables.
  public init(tracking regions: any DatabaseRegionConvertible...) { self.init(tracking: regions) }

  /// Observes regions, requests and tables.
  public init(tracking regions: [any DatabaseRegionConvertible]) { self.regions = regions }

  /// Starts to observe. It ends when what is returned is cancelled or not kept.
  ///
  /// - Parameters:
  ///   - writer: The database that is observed.
  ///   - onError: Called when the observation cannot start.
  ///   - onChange: Called after each transaction that has modified the region.
  public func start(
    in writer: any DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Database) -> Void
  ) -> AnyDatabaseCancellable {
    let state = ObserverState()
    writer.unsafeReentrantWrite { db in
      do {
        let region = try regions.union(db).observable(db)
        let observer = RegionObserver(region) { if !state.isCancelled { onChange($0) } }
        // The observer is no more told when the state drops it.
        db.add(transactionObserver: observer, extent: .observerLifetime)
        state.keep(observer)
      } catch {
        onError(error)
      }
    }
    return AnyDatabaseCancellable { state.cancel() }
  }
}

/// Keeps the observer until the observation is cancelled.
private final class ObserverState: @unchecked Sendable {
  private let lock = Mutex(false)
  private var observer: RegionObserver?

  var isCancelled: Bool { lock.withLock { $0 } }

  func keep(_ observer: RegionObserver) { lock.withLock { if !$0 { self.observer = observer } } }

  func cancel() {
    lock.withLock {
      $0 = true
      observer = nil
    }
  }
}

private final class RegionObserver: ValueBlindObserver {
  private let region: DatabaseRegion
  private let onChange: (Database) -> Void
  private var isModified = false

  init(_ region: DatabaseRegion, onChange: @escaping (Database) -> Void) {
    self.region = region
    self.onChange = onChange
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    region.isModified(byEventsOfKind: eventKind)
  }

  func databaseDidChange() {
    isModified = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidChange(with event: DatabaseEvent) {
    if region.isModified(by: event) { databaseDidChange() }
  }

  func databaseDidCommit(_ db: Database) {
    guard isModified else { return }
    isModified = false
    onChange(db)
  }

  func databaseDidRollback(_ db: Database) { isModified = false }
}
