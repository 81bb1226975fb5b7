import Dispatch
import Synchronization

/// How long a shared observation goes on.
public enum SharedValueObservationExtent: Sendable {
  /// From its first start until nobody keeps it any more.
  case observationLifetime
  /// As long as somebody observes.
  case whileObserved
}

extension ValueObservation {
  /// One observation for any number of observers: a late one gets the last value at once, without a
  /// fetch.
  public func shared(
    in reader: any DatabaseReader,
    scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main),
    extent: SharedValueObservationExtent = .whileObserved
  ) -> SharedValueObservation<Reducer.Value> {
    SharedValueObservation(scheduler, extent) { onError, onChange in
      start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
    }
  }
}

/// One observation for any number of observers: see `ValueObservation.shared(in:)`.
///
/// Observers are called, and the observation is started and ended, while no lock is held: a
/// callback may wait for the database, and who has the database may start and cancel.
///
/// Invariants: (1) an observer is told values in the order in which the observation has told them,
/// one at a time; (2) what an observation tells that has ended is lost.
public final class SharedValueObservation<Element: Sendable>: Sendable {
  private let scheduler: any ValueObservationScheduler
  private let extent: SharedValueObservationExtent
  private let startObservation: AsyncValueObservation<Element>.Start
  private let state = Mutex(State())

  private struct State: Sendable {
    var observers: [Observer] = []
    var isObserving = false
    /// Counts the observations that were started.
    var generation = 0
    var cancellable: AnyDatabaseCancellable?
    var lastResult: Result<Element, any Error>?

    /// The next observer starts the observation again.
    ///
    /// - Returns: What goes, and may call anybody then: not in the state's lock.
    mutating func end() -> Ended {
      defer {
        isObserving = false
        generation += 1
        cancellable = nil
        lastResult = nil
      }
      return Ended(cancellable: cancellable, lastResult: lastResult)
    }
  }

  private struct Ended: Sendable {
    var cancellable: AnyDatabaseCancellable?
    var lastResult: Result<Element, any Error>?
  }

  /// Its variables are guarded by the lock of the state.
  private final class Observer: @unchecked Sendable {
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Element) -> Void
    /// What it is going to be told.
    var results: [Result<Element, any Error>] = []
    /// There is or was something to tell.
    var isTold = false
    /// Somebody is telling it.
    var isBusy = false
    var isCancelled = false

    init(
      _ onError: @escaping @Sendable (any Error) -> Void,
      _ onChange: @escaping @Sendable (Element) -> Void
    ) {
      self.onError = onError
      self.onChange = onChange
    }

    func add(_ result: Result<Element, any Error>) {
      isTold = true
      results.append(result)
    }
  }

  init(
    _ scheduler: any ValueObservationScheduler, _ extent: SharedValueObservationExtent,
    _ startObservation: @escaping AsyncValueObservation<Element>.Start
  ) {
    self.scheduler = scheduler
    self.extent = extent
    self.startObservation = startObservation
  }

  /// Tells one more observer, until what is returned is cancelled or not kept.
  public func start(
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Element) -> Void
  ) -> AnyDatabaseCancellable {
    let observer = Observer(onError, onChange)
    let (begins, hasResult, generation) = state.withLock { state in
      defer { state.isObserving = true }
      state.observers.append(observer)
      return (!state.isObserving, state.lastResult != nil, state.generation)
    }
    if begins {
      begin(generation)
    } else if hasResult {
      scheduler.scheduleInitial { [weak self] in self?.tellLast(observer) }
    }
    return AnyDatabaseCancellable { self.remove(observer) }
  }

  private func begin(_ generation: Int) {
    let cancellable = startObservation(
      { [weak self] in self?.fail($0, generation) }, { [weak self] in self?.change($0, generation) }
    )
    // Where it has ended meanwhile, it goes.
    state.withLock { if $0.generation == generation { $0.cancellable = cancellable } }
  }

  /// The values as a sequence.
  public func values(
    bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Element> {
    AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
      self.start(onError: onError, onChange: onChange)
    }
  }

  /// Tells a late observer the last value, unless a newer one has come before it.
  private func tellLast(_ observer: Observer) {
    state.withLock { state in
      if !observer.isTold, let lastResult = state.lastResult { observer.add(lastResult) }
    }
    tell(observer)
  }

  private func change(_ value: Element, _ generation: Int) {
    let (observers, last) = state.withLock { state -> ([Observer], Result<Element, any Error>?) in
      guard state.generation == generation else { return ([], nil) }
      let last = state.lastResult
      state.lastResult = .success(value)
      for observer in state.observers { observer.add(.success(value)) }
      return (state.observers, last)
    }
    for observer in observers { tell(observer) }
    withExtendedLifetime(last) {}
  }

  private func fail(_ error: any Error, _ generation: Int) {
    let (observers, ended) = state.withLock { state -> ([Observer], Ended) in
      guard state.generation == generation else { return ([], Ended()) }
      let observers = state.observers
      state.observers = []
      for observer in observers { observer.add(.failure(error)) }
      if extent == .whileObserved { return (observers, state.end()) }
      defer { state.lastResult = .failure(error) }
      return (observers, Ended(lastResult: state.lastResult))
    }
    ended.cancellable?.cancel()
    for observer in observers { tell(observer) }
  }

  /// Tells an observer what there is, unless somebody does already, who then tells that too.
  private func tell(_ observer: Observer) {
    var isMine = false
    while true {
      let result = state.withLock { _ -> Result<Element, any Error>? in
        if observer.isBusy, !isMine { return nil }
        isMine = !observer.isCancelled && !observer.results.isEmpty
        observer.isBusy = isMine
        return isMine ? observer.results.removeFirst() : nil
      }
      switch result {
      case .success(let value): observer.onChange(value)
      case .failure(let error): observer.onError(error)
      case nil: return
      }
    }
  }

  private func remove(_ observer: Observer) {
    let ended = state.withLock { state -> Ended in
      observer.isCancelled = true
      state.observers.removeAll { $0 === observer }
      return state.observers.isEmpty && extent == .whileObserved ? state.end() : Ended()
    }
    ended.cancellable?.cancel()
  }
}
