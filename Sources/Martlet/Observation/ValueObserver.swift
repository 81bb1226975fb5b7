import Dispatch
import Synchronization

/// How an observation fetches, and what it must watch then.
struct ObservedFetch<Fetcher: _ValueReducerFetcher>: Sendable {
  let tracking: ValueObservationTracking
  private let isReadOnly: Bool
  private let fetcher: Fetcher

  init(_ observation: ValueObservation<some ValueReducer>, _ fetcher: Fetcher) {
    tracking = observation.tracking
    isReadOnly = !observation.requiresWriteAccess
    self.fetcher = fetcher
  }

  /// Fetches.
  ///
  /// - Parameter region: What is watched; nil at first.
  func callAsFunction(
    _ db: Database, watching region: DatabaseRegion?
  ) throws -> (value: Fetcher.Value, region: DatabaseRegion) {
    switch (tracking, region) {
    case (.regions(let regions), nil):
      let value = try db.isolated(readOnly: isReadOnly) { try fetcher.fetch(db) }
      return (value, try regions.union(db).observable(db))
    case (.regions, let region?), (.firstFetch, let region?):
      return (try db.isolated(readOnly: isReadOnly) { try fetcher.fetch(db) }, region)
    case (.firstFetch, nil), (.everyFetch, _):
      let recorded = try db.isolated(readOnly: isReadOnly) {
        try db.recordingRegion { try fetcher.fetch(db) }
      }
      return (recorded.value, try recorded.region.observable(db))
    }
  }
}

/// Runs an observation of values on the connection that writes.
///
/// The first fetch and the start of watching are one access, so that no change is missed. After a
/// transaction that has modified the region, the value is fetched before the next access; it is
/// reduced on a queue of the observation, and told where the scheduler says.
final class ValueObserver<Reducer: ValueReducer>: @unchecked Sendable {
  private let scheduler: any ValueObservationScheduler
  private let fetch: ObservedFetch<Reducer.Fetcher>
  private let queue: DispatchQueue

  /// The writer, as long as the observation lives; the callbacks, as long as it is not cancelled.
  private let life: Mutex<Life>

  private struct Life: Sendable {
    var writer: (any DatabaseWriter)?
    var callbacks: Callbacks?
  }

  private struct Callbacks: Sendable {
    let events: ValueObservationEvents
    let onChange: @Sendable (Reducer.Value) -> Void
  }

  // Of the connection: used in its accesses only.
  private var region: DatabaseRegion?
  private var isModified = false

  /// Used on the queue only.
  private var reducer: Reducer

  init(
    _ observation: ValueObservation<Reducer>, in writer: any DatabaseWriter,
    scheduling scheduler: any ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) {
    self.scheduler = scheduler
    reducer = observation.makeReducer()
    fetch = ObservedFetch(observation, reducer._makeFetcher())
    queue = DispatchQueue(label: "Martlet.ValueObservation", qos: writer.configuration.qos)
    life = Mutex(
      Life(
        writer: writer, callbacks: Callbacks(events: observation.events, onChange: onChange)))
  }

  private var callbacks: Callbacks? { life.withLock { $0.callbacks } }

  // MARK: Start

  func start() -> AnyDatabaseCancellable {
    guard let writer = life.withLock({ $0.writer }) else { return AnyDatabaseCancellable {} }
    if scheduler.immediateInitialValue() {
      do {
        let value = try writer.unsafeReentrantWrite { db in
          let fetched = try fetchAndWatch(db)
          return try queue.sync { try reducer.firstValue(fetched) }
        }
        callbacks?.onChange(value)
      } catch {
        callbacks?.events.didFail?(error)
        return AnyDatabaseCancellable {}
      }
    } else {
      writer.asyncWriteWithoutTransaction { db in
        guard self.callbacks != nil else { return }
        do {
          self.tell(try self.fetchAndWatch(db), isFirst: true)
        } catch {
          self.stop(db)
          self.tell(error)
        }
      }
    }
    return AnyDatabaseCancellable(self)
  }

  private func fetchAndWatch(_ db: Database) throws -> Reducer.Fetcher.Value {
    let (fetched, region) = try fetch(db, watching: region)
    callbacks?.events.willTrackRegion?(region)
    self.region = region
    db.add(transactionObserver: self, extent: .observerLifetime)
    return fetched
  }

  // MARK: Telling

  private func tell(_ fetched: Reducer.Fetcher.Value, isFirst: Bool) {
    // It was fetched for the queue, and nobody else has it.
    nonisolated(unsafe) let fetched = fetched
    queue.async {
      guard self.callbacks != nil else { return }
      do {
        let value =
          isFirst ? try self.reducer.firstValue(fetched) : try self.reducer._value(fetched)
        guard let value else { return }
        self.scheduler.schedule { self.callbacks?.onChange(value) }
      } catch {
        self.life.withLock { $0.writer }?.asyncWriteWithoutTransaction { self.stop($0) }
        self.tell(error)
      }
    }
  }

  /// An error is the last that is told.
  private func tell(_ error: any Error) {
    scheduler.schedule { self.takeCallbacks()?.events.didFail?(error) }
  }

  private func takeCallbacks() -> Callbacks? {
    life.withLock { life in
      defer { life.callbacks = nil }
      return life.callbacks
    }
  }

  private func stop(_ db: Database) {
    db.remove(transactionObserver: self)
    region = nil
    isModified = false
    life.withLock { $0.writer = nil }
  }
}

extension ValueObserver: ValueBlindObserver {
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    region?.isModified(byEventsOfKind: eventKind) ?? false
  }

  func databaseDidChange() {
    isModified = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidChange(with event: DatabaseEvent) {
    if region?.isModified(by: event) ?? false { databaseDidChange() }
  }

  func databaseDidCommit(_ db: Database) {
    guard isModified else { return }
    isModified = false
    guard let callbacks else { return }
    callbacks.events.databaseDidChange?()
    do {
      let (fetched, newRegion) = try fetch(db, watching: region)
      if newRegion != region {
        callbacks.events.willTrackRegion?(newRegion)
        region = newRegion
      }
      tell(fetched, isFirst: false)
    } catch {
      stop(db)
      tell(error)
    }
  }

  func databaseDidRollback(_ db: Database) { isModified = false }
}

extension ValueObserver: DatabaseCancellable {
  func cancel() {
    guard let callbacks = takeCallbacks() else { return }
    callbacks.events.didCancel?()
    life.withLock { $0.writer }?.asyncWriteWithoutTransaction { self.stop($0) }
  }
}

// MARK: - Databases that can be observed

extension DatabaseReader {
  /// The first value of a database that does not change.
  func addReadOnly<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    let isCancelled = Flag()
    if scheduler.immediateInitialValue() {
      do {
        let value = try unsafeReentrantRead { db in
          try db.isolated(readOnly: true) { try observation.fetchInitialValue(db) }
        }
        onChange(value)
      } catch {
        observation.events.didFail?(error)
      }
      return AnyDatabaseCancellable {}
    }
    asyncRead { db in
      if isCancelled.isRaised { return }
      let result = Result { try observation.fetchInitialValue(db.get()) }
      scheduler.schedule {
        if isCancelled.isRaised { return }
        switch result {
        case .success(let value): onChange(value)
        case .failure(let error): observation.events.didFail?(error)
        }
      }
    }
    return AnyDatabaseCancellable { isCancelled.raise() }
  }
}

private final class Flag: Sendable {
  private let value = Mutex(false)

  var isRaised: Bool { value.withLock { $0 } }

  func raise() { value.withLock { $0 = true } }
}
