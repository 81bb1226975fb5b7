/// Tells of a value that is fetched from the database: at first, and each time that it may have
/// changed.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
/// let cancellable = observation.start(in: dbQueue, scheduling: .async(onQueue: queue)) { error in
///   …
/// } onChange: { players in
///   print("fresh players", players)
/// }
/// for try await players in observation.values(in: dbQueue) { … }
/// ```
///
/// Only committed states are told. Several transactions may lead to one value, and the same value
/// may be told more than once: see `removeDuplicates()`. An error ends the observation.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
  var events = ValueObservationEvents()
  let tracking: ValueObservationTracking
  let makeReducer: @Sendable () -> Reducer

  /// The function that fetches may write.
  public var requiresWriteAccess = false

  init(tracking: ValueObservationTracking, _ makeReducer: @escaping @Sendable () -> Reducer) {
    self.tracking = tracking
    self.makeReducer = makeReducer
  }

  /// The same observation with other values.
  private func reducing<Other>(
    _ transform: @escaping @Sendable (Reducer) -> Other
  ) -> ValueObservation<Other> {
    let makeReducer = makeReducer
    var other = ValueObservation<Other>(tracking: tracking) { transform(makeReducer()) }
    other.events = events
    other.requiresWriteAccess = requiresWriteAccess
    return other
  }

  /// The value at the start.
  func fetchInitialValue(_ db: Database) throws -> Reducer.Value {
    var reducer = makeReducer()
    return try reducer.firstValue(reducer._makeFetcher().fetch(db))
  }
}

extension ValueReducer {
  /// A reducer has something to tell at first.
  mutating func firstValue(_ fetched: Fetcher.Value) throws -> Value {
    if let value = try _value(fetched) { return value }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE, message: "Broken contract: reducer has no initial value")
  }
}

/// How an observation knows what it must watch.
enum ValueObservationTracking: Sendable {
  case regions([any DatabaseRegionConvertible])
  /// What the function reads the first time.
  case firstFetch
  /// What the function has read the last time.
  case everyFetch
}

/// What an application wants to know of an observation.
struct ValueObservationEvents: Sendable {
  var willStart: (@Sendable () -> Void)?
  var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
  var databaseDidChange: (@Sendable () -> Void)?
  var didFail: (@Sendable (any Error) -> Void)?
  var didCancel: (@Sendable () -> Void)?
}

/// Both functions, one after the other.
private func chain(
  _ first: (@Sendable () -> Void)?, _ second: (@Sendable () -> Void)?
) -> (@Sendable () -> Void)? {
  guard let first, let second else { return first ?? second }
  return {
    first()
    second()
  }
}

/// Both functions, one after the other.
private func chain<T>(
  _ first: (@Sendable (T) -> Void)?, _ second: (@Sendable (T) -> Void)?
) -> (@Sendable (T) -> Void)? {
  guard let first, let second else { return first ?? second }
  return {
    first($0)
    second($0)
  }
}

// MARK: - Making observations

extension ValueObservation {
  /// Observes what a function fetches. What it reads may be different each time.
  public static func tracking<Value>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    ValueObservation(tracking: .everyFetch) { ValueReducers.Fetch(fetch) }
  }

  /// Observes what a function fetches that always reads the same parts of the database.
  public static func trackingConstantRegion<Value>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    ValueObservation(tracking: .firstFetch) { ValueReducers.Fetch(fetch) }
  }

  /// Observes what a function fetches each time that regions are modified.
  public static func tracking<Value>(
    region: any DatabaseRegionConvertible, _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// Observes what a function fetches each time that regions are modified.
  public static func tracking<Value>(
    regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> Self where Reducer == ValueReducers.Fetch<Value> {
    ValueObservation(tracking: .regions(regions)) { ValueReducers.Fetch(fetch) }
  }
}

// MARK: - Operators

extension ValueObservation {
  /// Transforms the values, on a queue of the observation.
  public func map<T>(
    _ transform: @escaping @Sendable (Reducer.Value) throws -> T
  ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
    reducing { ValueReducers.Map(base: $0, transform: transform) }
  }

  /// Leaves out values that are the same as the one before.
  public func removeDuplicates(
    by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
  ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
    // Reducers work one value after the other.
    nonisolated(unsafe) let predicate = predicate
    return reducing { ValueReducers.RemoveDuplicates(base: $0, areSame: predicate) }
  }

  /// Leaves out values that are equal to the one before.
  public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
  where Reducer.Value: Equatable {
    reducing { ValueReducers.RemoveDuplicates(base: $0) { $0 == $1 } }
  }

  /// Calls functions in the life of the observation.
  public func handleEvents(
    willStart: (@Sendable () -> Void)? = nil, willFetch: (@Sendable () -> Void)? = nil,
    willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
    databaseDidChange: (@Sendable () -> Void)? = nil,
    didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
    didFail: (@Sendable (any Error) -> Void)? = nil, didCancel: (@Sendable () -> Void)? = nil
  ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
    var other = reducing {
      ValueReducers.Trace(
        base: $0, willFetch: willFetch ?? {}, didReceiveValue: didReceiveValue ?? { _ in })
    }
    other.events = ValueObservationEvents(
      willStart: chain(events.willStart, willStart),
      willTrackRegion: chain(events.willTrackRegion, willTrackRegion),
      databaseDidChange: chain(events.databaseDidChange, databaseDidChange),
      didFail: chain(events.didFail, didFail), didCancel: chain(events.didCancel, didCancel))
    return other
  }

  /// Writes lines about the life of the observation.
  ///
  /// - Parameters:
  ///   - prefix: Stands before each line.
  ///   - stream: Where the lines go; nil for the standard output.
  public func print(
    _ prefix: String = "", to stream: sending (any TextOutputStream)? = nil
  ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
    let log = ObservationLog(prefix, stream)
    return handleEvents(
      willStart: { log.write("start") }, willFetch: { log.write("fetch") },
      willTrackRegion: { log.write("tracked region: \($0)") },
      databaseDidChange: { log.write("database did change") },
      didReceiveValue: { log.write("value: \($0)") },
      didFail: { log.write("failure: \($0)") }, didCancel: { log.write("cancel") })
  }
}

// MARK: - Starting

extension ValueObservation {
  /// Starts the observation. It ends when what is returned is cancelled or not kept.
  ///
  /// - Parameters:
  ///   - reader: The database that is observed.
  ///   - scheduler: Where values and errors are told.
  ///   - onError: Called once, when something has failed.
  ///   - onChange: Called with each value.
  @preconcurrency
  public func start(
    in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    var observation = self
    observation.events.didFail = chain(events.didFail, onError)
    observation.events.willStart?()
    return reader._add(observation: observation, scheduling: scheduler, onChange: onChange)
  }

  /// Starts the observation, whose values are told on the main actor. It ends when what is returned
  /// is cancelled or not kept.
  @preconcurrency @MainActor
  public func start(
    in reader: any DatabaseReader,
    scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    let plain: some ValueObservationScheduler = scheduler
    return start(
      in: reader, scheduling: plain,
      onError: { error in MainActor.assumeIsolated { onError(error) } },
      onChange: { value in MainActor.assumeIsolated { onChange(value) } })
  }

  /// The values as a sequence, each iteration of which is an observation of its own.
  public func values(
    in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
      start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
    }
  }
}
