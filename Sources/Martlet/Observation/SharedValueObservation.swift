import Foundation

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
public final class SharedValueObservation<Element: Sendable>: @unchecked Sendable {
  private let scheduler: any ValueObservationScheduler
  private let extent: SharedValueObservationExtent
  private let startObservation: AsyncValueObservation<Element>.Start
  /// Values may be told while the observation starts.
  private let lock = NSRecursiveLock()
  private var observers: [Observer] = []
  private var isObserving = false
  private var cancellable: AnyDatabaseCancellable?
  private var lastResult: Result<Element, any Error>?

  private final class Observer: @unchecked Sendable {
    let onError: @Sendable (any Error) -> Void
    let onChange: @Sendable (Element) -> Void
    /// It was told something; guarded by the observation's lock.
    var isTold = false

    init(
      _ onError: @escaping @Sendable (any Error) -> Void,
      _ onChange: @escaping @Sendable (Element) -> Void
    ) {
      self.onError = onError
      self.onChange = onChange
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
    lock.withLock {
      let observer = Observer(onError, onChange)
      observers.append(observer)
      if !isObserving {
        isObserving = true
        cancellable = startObservation(
          { [weak self] in self?.fail($0) }, { [weak self] in self?.change($0) })
      } else if lastResult != nil {
        scheduler.scheduleInitial { [weak self] in self?.tellLast(observer) }
      }
      return AnyDatabaseCancellable { self.remove(observer) }
    }
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
    lock.withLock {
      guard !observer.isTold, observers.contains(where: { $0 === observer }), let lastResult
      else { return }
      observer.isTold = true
      switch lastResult {
      case .success(let value): observer.onChange(value)
      case .failure(let error): observer.onError(error)
      }
    }
  }

  private func change(_ value: Element) {
    lock.withLock {
      lastResult = .success(value)
      for observer in observers {
        observer.isTold = true
        observer.onChange(value)
      }
    }
  }

  private func fail(_ error: any Error) {
    lock.withLock {
      let told = observers
      observers = []
      lastResult = .failure(error)
      if extent == .whileObserved { end() }
      for observer in told {
        observer.isTold = true
        observer.onError(error)
      }
    }
  }

  private func remove(_ observer: Observer) {
    lock.withLock {
      observers.removeAll { $0 === observer }
      if observers.isEmpty, extent == .whileObserved { end() }
    }
  }

  /// The next observer starts the observation again.
  private func end() {
    isObserving = false
    cancellable = nil
    lastResult = nil
  }
}
