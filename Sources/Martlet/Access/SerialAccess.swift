import Dispatch
import Foundation
import MartletEngine
import Synchronization

/// Lets one access at a time to a connection: synchronous ones on the thread that asks,
/// asynchronous ones on a queue of the connection.
final class SerialAccess: @unchecked Sendable {
  private let db: Database
  private let lock = NSLock()
  private let actor: QueueActor
  private let queue: DispatchQueue

  init(_ db: Database) {
    self.db = db
    queue = DispatchQueue(
      label: "Martlet.\(db.description)", qos: db.configuration.writeQoS,
      target: db.configuration.writeTargetQueue ?? db.configuration.targetQueue)
    actor = QueueActor(queue)
  }

  deinit { db.forgetStatements() }

  /// An access is not reentrant: a nested one would see the middle of the outer one's transaction.
  func sync<T>(_ body: (Database) throws -> T) rethrows -> T {
    precondition(!db.isAccessed, "Database methods are not reentrant.")
    lock.lock()
    db.beginAccess()
    defer {
      db.endAccess()
      lock.unlock()
    }
    return try body(db)
  }

  /// An access, or a part of the one that this thread has.
  func reentrantSync<T>(_ body: (Database) throws -> T) rethrows -> T {
    if db.isAccessed { return try body(db) }
    return try sync(body)
  }

  /// An access on the queue.
  func async(_ body: @escaping @Sendable (Database) -> Void) {
    queue.async { self.sync { body($0) } }
  }

  /// An access on the queue that ends when the task is cancelled.
  func async<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
    let cancellation = Cancellation(db.connection)
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await actor.run {
        try self.sync { db in
          guard cancellation.begin() else { throw CancellationError() }
          db.cancellation = cancellation
          defer {
            db.cancellation = nil
            cancellation.end()
          }
          return try body(db)
        }
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
    var isRunning = false
  }

  private let state = Mutex(State())
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The access begins; false if it must not.
  func begin() -> Bool {
    state.withLock {
      $0.isRunning = !$0.isCancelled
      return $0.isRunning
    }
  }

  func end() { state.withLock { $0.isRunning = false } }

  /// Interrupts the access, and no later one.
  func cancel() {
    state.withLock {
      $0.isCancelled = true
      if $0.isRunning { connection.interrupt() }
    }
  }
}

/// Runs closures on a dispatch queue.
private actor QueueActor {
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
