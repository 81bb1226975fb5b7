import Dispatch
import Foundation

/// Where and when an observation tells of its values.
public protocol ValueObservationScheduler: Sendable {
  /// The first value is told before `start` returns.
  func immediateInitialValue() -> Bool

  /// Runs an action, later than those before.
  func schedule(_ action: @escaping @Sendable () -> Void)
}

extension ValueObservationScheduler {
  func scheduleInitial(_ action: @escaping @Sendable () -> Void) {
    if immediateInitialValue() { action() } else { schedule(action) }
  }
}

/// A scheduler that tells on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
  /// Runs an action on the main actor, later than those before.
  func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void)
}

extension ValueObservationMainActorScheduler {
  /// Runs an action on the main actor.
  public func schedule(_ action: @escaping @Sendable () -> Void) { scheduleOnMainActor(action) }
}

/// Tells on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
  private let queue: DispatchQueue

  /// Tells on a queue.
  public init(queue: DispatchQueue) { self.queue = queue }

  /// No.
  public func immediateInitialValue() -> Bool { false }

  /// Runs an action on the queue.
  public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
  /// Tells on a dispatch queue.
  public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
    AsyncValueObservationScheduler(queue: queue)
  }
}

/// Tells the first value at once, and the others on the main actor. Start it on the main thread.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
  /// Makes the scheduler.
  public init() {}

  /// Yes; on another thread than the main one it stops the program.
  public func immediateInitialValue() -> Bool {
    precondition(Thread.isMainThread, "ValueObservation must be started from the main thread.")
    return true
  }

  /// Runs an action on the main queue.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async(execute: action)
  }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
  /// Tells the first value at once, and the others on the main actor. Start it on the main thread.
  public static var immediate: ImmediateValueObservationScheduler { .init() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
  /// Tells the first value at once, and the others on the main actor. Start it on the main thread.
  public static var immediate: ImmediateValueObservationScheduler { .init() }
}

/// Tells on the main actor.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
  /// No.
  public func immediateInitialValue() -> Bool { false }

  /// Runs an action on the main queue.
  public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) {
    DispatchQueue.main.async(execute: action)
  }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
  /// Tells on the main actor.
  public static var mainActor: DelayedMainActorValueObservationScheduler { .init() }
}

/// Tells in a task.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
  private let continuation: AsyncStream<@Sendable () -> Void>.Continuation
  private let task: Task<Void, Never>

  init(priority: TaskPriority? = nil) {
    let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    self.continuation = continuation
    task = Task(priority: priority) {
      for await action in stream { action() }
    }
  }

  deinit { task.cancel() }

  /// No.
  public func immediateInitialValue() -> Bool { false }

  /// Runs an action in the task.
  public func schedule(_ action: @escaping @Sendable () -> Void) { continuation.yield(action) }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
  /// Tells in a task.
  public static var task: TaskValueObservationScheduler { .init() }

  /// Tells in a task of a priority.
  public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
    .init(priority: priority)
  }
}
