import Dispatch
import Foundation
import MartletEngine
import Synchronization

/// Lets one access at a time to a connection, in the order in which they were asked for:
/// synchronous ones on the thread that asks, asynchronous ones on a thread of the queue.
final class SerialAccess: @unchecked Sendable {
  let db: Database
  private let actor: QueueActor
  private let queue: DispatchQueue

  init(_ db: Database) {
    self.db = db
    let configuration = db.configuration
    let isWriter = !configuration.readonly
    queue = DispatchQueue(
      label: db.description, qos: isWriter ? configuration.writeQoS : configuration.readQoS,
      target: (isWriter ? configuration.writeTargetQueue : nil) ?? configuration.targetQueue)
    actor = QueueActor(queue)
  }

  deinit { db.forgetStatements() }

  /// The access of a thread that has the queue.
  func perform<T>(_ body: (Database) throws -> T) rethrows -> T {
    db.beginAccess()
    defer { db.endAccess() }
    return try body(db)
  }

  /// An access is not reentrant: a nested one would see the middle of the outer one's transaction.
  func sync<T>(_ body: (Database) throws -> T) rethrows -> T {
    precondition(!db.isAccessed, "Database methods are not reentrant.")
    return try queue.sync { try perform(body) }
  }

  /// An access, or a part of the one that this thread has.
  func reentrantSync<T>(_ body: (Database) throws -> T) rethrows -> T {
    if db.isAccessed { return try body(db) }
    return try sync(body)
  }

  /// An access on the queue.
  func async(_ body: @escaping @Sendable (Database) -> Void) {
    queue.async { self.perform(body) }
  }

  /// Lets the part of a task that `perform`s have the queue.
  func run(_ job: UnownedJob, on executor: UnownedSerialExecutor) {
    queue.async { job.runSynchronously(on: executor) }
  }

  /// An access on the queue that ends when the task is cancelled.
  func async<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await actor.run {
        try self.perform { db in try db.cancelled(by: cancellation) { try body(db) } }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Interrupts what runs.
  func interrupt() { db.connection.interrupt() }
}

/// Whether the task of an access was cancelled.
final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// What the access uses, while it runs.
    var connection: Connection?
  }

  private let state = Mutex(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The access begins; false if it must not.
  func begin(on connection: Connection) -> Bool {
    state.withLock {
      $0.connection = $0.isCancelled ? nil : connection
      return !$0.isCancelled
    }
  }

  func end() { state.withLock { $0.connection = nil } }

  /// Interrupts the access, and no later one.
  func cancel() {
    state.withLock {
      $0.isCancelled = true
      $0.connection?.interrupt()
    }
  }
}

extension Database {
  /// Runs a function that the cancellation of a task ends.
  func cancelled<T>(by cancellation: Cancellation, _ body: () throws -> T) throws -> T {
    guard cancellation.begin(on: connection) else { throw CancellationError() }
    self.cancellation = cancellation
    defer {
      self.cancellation = nil
      cancellation.end()
    }
    return try body()
  }
}

/// Runs closures on a dispatch queue.
actor QueueActor {
  private let executor: QueueExecutor

  init(_ queue: DispatchQueue) { executor = QueueExecutor(queue) }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func run<T: Sendable>(_ body: @Sendable () throws -> T) throws -> T { try body() }
}

private final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
