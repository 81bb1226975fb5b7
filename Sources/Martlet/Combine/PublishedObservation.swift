#if canImport(Combine)
  import Combine
  import Foundation

  /// A subscriber without its type, which closures that run anywhere could not take along.
  struct Downstream<Input> {
    let receive: (Input) -> Subscribers.Demand
    let complete: (Subscribers.Completion<any Error>) -> Void

    init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == any Error {
      receive = { subscriber.receive($0) }
      complete = { subscriber.receive(completion: $0) }
    }
  }

  /// An observation whose values are published: it starts when a subscriber asks for values.
  struct PublishedObservation<Value> {
    typealias Start =
      @Sendable (
        _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (Value) -> Void
      ) -> AnyDatabaseCancellable

    private let start: Start

    init(_ start: @escaping Start) { self.start = start }

    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Value, S.Failure == any Error {
      let subscription = ObservationSubscription(start, Downstream(subscriber))
      subscriber.receive(subscription: subscription)
    }
  }

  /// One subscriber of an observation, which ends when the subscriber cancels, or when nobody
  /// keeps the subscription.
  private final class ObservationSubscription<Value>: Subscription, @unchecked Sendable {
    private struct State {
      /// Nothing when the subscription has ended.
      var downstream: Downstream<Value>?
      /// What the subscriber has asked for and not got yet.
      var demand = Subscribers.Demand.none
      var isStarted = false
      var cancellable: AnyDatabaseCancellable?
    }

    /// Is kept for as long as the subscription, as it keeps the database.
    private let start: PublishedObservation<Value>.Start
    private var state: State
    /// Guards the state; nothing is called while it is held, so that a thread which cancels waits
    /// for nobody.
    private let stateLock = NSLock()
    /// Subscribers are told one thing at a time, and may be told the first value while they ask
    /// for it.
    private let deliveryLock = NSRecursiveLock()

    init(_ start: @escaping PublishedObservation<Value>.Start, _ downstream: Downstream<Value>) {
      self.start = start
      state = State(downstream: downstream)
    }

    func request(_ demand: Subscribers.Demand) {
      let starts = stateLock.withLock {
        state.demand += demand
        guard state.demand > .none, !state.isStarted, state.downstream != nil else { return false }
        state.isStarted = true
        return true
      }
      guard starts else { return }
      let cancellable = start({ [weak self] in self?.fail($0) }, { [weak self] in self?.tell($0) })
      stateLock.withLock { if state.downstream != nil { state.cancellable = cancellable } }
    }

    func cancel() { _ = end() }

    private func tell(_ value: Value) {
      deliveryLock.withLock {
        let downstream: Downstream<Value>? = stateLock.withLock {
          guard state.demand > .none, let downstream = state.downstream else { return nil }
          state.demand -= 1
          return downstream
        }
        guard let more = downstream?.receive(value) else { return }
        stateLock.withLock { state.demand += more }
      }
    }

    private func fail(_ error: any Error) {
      deliveryLock.withLock { end()?.complete(.failure(error)) }
    }

    /// Ends the subscription; the observation outside the lock, as its end may wait for others.
    private func end() -> Downstream<Value>? {
      let (downstream, cancellable) = stateLock.withLock {
        defer {
          state.downstream = nil
          state.cancellable = nil
        }
        return (state.downstream, state.cancellable)
      }
      cancellable?.cancel()
      return downstream
    }
  }
#endif
