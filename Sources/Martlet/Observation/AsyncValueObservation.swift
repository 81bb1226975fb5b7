/// The values of an observation as a sequence: see `ValueObservation.values(in:)`.
///
/// Each iteration is an observation of its own, which ends with the iteration or its task.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
  /// What happens to values that nobody has asked for yet.
  public typealias BufferingPolicy =
    AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

  /// What starts an observation.
  typealias Start =
    @Sendable (
      _ onError: @escaping @Sendable (any Error) -> Void,
      _ onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable

  private let bufferingPolicy: BufferingPolicy
  private let start: Start

  init(bufferingPolicy: BufferingPolicy, _ start: @escaping Start) {
    self.bufferingPolicy = bufferingPolicy
    self.start = start
  }

  /// Starts an observation.
  public func makeAsyncIterator() -> Iterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Element.self, throwing: (any Error).self, bufferingPolicy: bufferingPolicy)
    let cancellable = start(
      { continuation.finish(throwing: $0) }, { _ = continuation.yield($0) })
    continuation.onTermination = { [weak cancellable] _ in cancellable?.cancel() }
    return Iterator(base: stream.makeAsyncIterator(), cancellable: cancellable)
  }

  /// An observation whose values are asked for one by one.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<Element, any Error>.AsyncIterator
    let cancellable: AnyDatabaseCancellable

    /// The next value; nil when the observation or the task is cancelled.
    public mutating func next() async throws -> Element? { try await base.next() }
  }
}
