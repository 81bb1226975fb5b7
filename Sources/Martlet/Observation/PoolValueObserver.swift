import Dispatch
import MartletEngine
import Synchronization

/// Runs an observation of values on a pool: values are fetched on connections that read, and the
/// writer waits for none.
///
/// 1. The first value is fetched from the last commit, and told.
/// 2. The writer begins to watch. If it finds another commit than the one that was read, the value
///    is fetched again.
/// 3. After a commit that has modified the region, a reader is given the state of the commit, and
///    the writer goes on. While it fetches, what is committed is noted: at the end it is known
///    whether the value must be fetched once more, and what must be watched.
///
/// One fetch at a time keeps the values in order.
final class PoolValueObserver<Reducer: ValueReducer>: @unchecked Sendable {
  private let scheduler: any ValueObservationScheduler
  private let fetch: ObservedFetch<Reducer.Fetcher>
  private let queue: DispatchQueue

  /// The pool, as long as the observation lives; the callbacks, as long as it is not cancelled.
  private let life: Mutex<Life>

  private struct Life: Sendable {
    var pool: DatabasePool?
    var callbacks: Callbacks?
  }

  private struct Callbacks: Sendable {
    let events: ValueObservationEvents
    let onChange: @Sendable (Reducer.Value) -> Void
  }

  // Of the writer: used in its accesses only.
  private var region: DatabaseRegion?
  private var isModified = false
  private var isFetching = false
  private var changes = NotedChanges()

  /// Used on the queue only.
  private var reducer: Reducer

  init(
    _ observation: ValueObservation<Reducer>, in pool: DatabasePool,
    scheduling scheduler: any ValueObservationScheduler,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) {
    self.scheduler = scheduler
    reducer = observation.makeReducer()
    fetch = ObservedFetch(observation, reducer._makeFetcher())
    queue = DispatchQueue(label: "Martlet.ValueObservation", qos: pool.configuration.qos)
    life = Mutex(
      Life(pool: pool, callbacks: Callbacks(events: observation.events, onChange: onChange)))
  }

  private var callbacks: Callbacks? { life.withLock { $0.callbacks } }
  private var pool: DatabasePool? { life.withLock { $0.pool } }

  // MARK: Start

  func start() -> AnyDatabaseCancellable {
    guard let pool else { return AnyDatabaseCancellable {} }
    if scheduler.immediateInitialValue() {
      do {
        let first = try pool.unsafeReentrantRead { db in
          try db.reading { try firstFetch($0) }
        }
        let value = try queue.sync { try reducer.firstValue(first.value) }
        callbacks?.onChange(value)
        watch(first.region, since: first.snapshot)
      } catch {
        callbacks?.events.didFail?(error)
        return AnyDatabaseCancellable {}
      }
    } else {
      pool.asyncRead { result in
        guard self.callbacks != nil else { return }
        do {
          let first = try self.firstFetch(result.get())
          // Who is told the first value, and writes then, is told of what it writes.
          self.queue.suspend()
          defer { self.queue.resume() }
          self.tell(first.value, isFirst: true)
          self.watch(first.region, since: first.snapshot)
        } catch {
          self.tell(error)
        }
      }
    }
    return AnyDatabaseCancellable(self)
  }

  /// What is fetched at first, from the state that the snapshot shows.
  private func firstFetch(
    _ db: Database
  ) throws -> (value: Reducer.Fetcher.Value, region: DatabaseRegion, snapshot: Snapshot?) {
    let (value, region) = try fetch(db, watching: nil)
    return (value, region, try? db.currentSnapshot())
  }

  private func watch(_ region: DatabaseRegion, since snapshot: Snapshot?) {
    pool?.asyncWriteWithoutTransaction { db in
      guard let callbacks = self.callbacks else { return }
      let isOutdated = snapshot == nil || db.latestSnapshot() != snapshot
      if isOutdated { callbacks.events.databaseDidChange?() }
      callbacks.events.willTrackRegion?(region)
      self.region = region
      db.add(transactionObserver: self, extent: .observerLifetime)
      self.fetchAfterOpenTransaction(of: db)
      if isOutdated { self.fetchAgain(db) }
    }
  }

  // MARK: Fetching

  /// Begins to fetch the state that the writer's access has left.
  private func fetchAgain(_ db: Database) {
    guard let pool, callbacks != nil else { return }
    if isFetching {
      changes.isModified = true
      return
    }
    isFetching = true
    changes = NotedChanges()
    let region = region
    pool.readSoon { result in
      guard self.callbacks != nil else { return }
      do {
        let (fetched, newRegion) = try self.fetch(result.get(), watching: region)
        self.tell(fetched, isFirst: false)
        pool.asyncWriteWithoutTransaction { self.didFetch($0, newRegion) }
      } catch {
        pool.asyncWriteWithoutTransaction { self.stop($0) }
        self.tell(error)
      }
    }
  }

  private func didFetch(_ db: Database, _ newRegion: DatabaseRegion) {
    isFetching = false
    guard let callbacks else { return }
    if newRegion != region {
      callbacks.events.willTrackRegion?(newRegion)
      region = newRegion
    }
    let isOutdated = changes.isModified || changes.haveModified(newRegion)
    fetchAfterOpenTransaction(of: db)
    changes = NotedChanges()
    if isOutdated { fetchAgain(db) }
  }

  /// Between two accesses a transaction may be open (`allowsUnsafeTransactions`), and has perhaps
  /// changed what is watched from now on: its commit is followed by a fetch.
  private func fetchAfterOpenTransaction(of db: Database) {
    if db.isInsideTransaction { isModified = true }
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
        self.pool?.asyncWriteWithoutTransaction { self.stop($0) }
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
    life.withLock { $0.pool = nil }
  }
}

/// What was committed while a value was fetched.
private struct NotedChanges {
  /// The value must be fetched again in any case.
  var isModified = false
  private var committed: [(kind: DatabaseEventKind, event: DatabaseEvent)] = []
  private var uncommitted: [(kind: DatabaseEventKind, event: DatabaseEvent)] = []
  /// Kinds of changes of the statements of the transaction, each once.
  private var kinds: [DatabaseEventKind] = []

  /// More changes than that are not told apart: the value is fetched again.
  private static let limit = 1_000

  mutating func expect(_ kind: DatabaseEventKind) {
    if !kinds.contains(where: { $0.isSame(as: kind) }) { kinds.append(kind) }
  }

  mutating func note(_ event: DatabaseEvent) {
    guard uncommitted.count < NotedChanges.limit else { return }
    let announced = kinds.filter { $0.announces(event.kind.rawValue, in: event.tableName) }
    // Virtual tables change tables that no statement has announced.
    for kind in announced.isEmpty ? kinds : announced { uncommitted.append((kind, event.copy())) }
  }

  mutating func commit() {
    committed += uncommitted
    if committed.count >= NotedChanges.limit { isModified = true }
    rollBack()
  }

  mutating func rollBack() { (uncommitted, kinds) = ([], []) }

  func haveModified(_ region: DatabaseRegion) -> Bool {
    committed.contains { change in
      region.isModified(byEventsOfKind: change.kind) && region.isModified(by: change.event)
    }
  }
}

extension DatabaseEventKind {
  fileprivate func isSame(as other: DatabaseEventKind) -> Bool {
    switch (self, other) {
    case (.insert(let left), .insert(let right)), (.delete(let left), .delete(let right)):
      left == right
    case (.update(let left, let leftColumns), .update(let right, let rightColumns)):
      left == right && leftColumns == rightColumns
    default: false
    }
  }
}

extension PoolValueObserver: ValueBlindObserver {
  /// What a fetch is going to read is not known before its end, where it may differ each time.
  private var notesChanges: Bool {
    guard isFetching, case .everyFetch = fetch.tracking else { return false }
    return !changes.isModified
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    if notesChanges {
      changes.expect(eventKind)
      return true
    }
    return region?.isModified(byEventsOfKind: eventKind) ?? false
  }

  func databaseDidChange() {
    isModified = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidChange(with event: DatabaseEvent) {
    if notesChanges { return changes.note(event) }
    if region?.isModified(by: event) ?? false { databaseDidChange() }
  }

  func databaseDidCommit(_ db: Database) {
    changes.commit()
    guard isModified else { return }
    isModified = false
    callbacks?.events.databaseDidChange?()
    fetchAgain(db)
  }

  func databaseDidRollback(_ db: Database) {
    changes.rollBack()
    isModified = false
  }
}

extension PoolValueObserver: DatabaseCancellable {
  func cancel() {
    guard let callbacks = takeCallbacks() else { return }
    callbacks.events.didCancel?()
    pool?.asyncWriteWithoutTransaction { self.stop($0) }
  }
}

extension DatabasePool {
  /// Reads, on another connection, the state that the writer's access has left, or a later one
  /// where no connection is free: the writer does not wait.
  fileprivate func readSoon(
    _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    do {
      guard let reader = try readers.takeIfAvailable() else { return asyncRead(value) }
      try readNow(with: reader, value)
    } catch {
      value(.failure(error))
    }
  }
}
