import Synchronization

extension ReaderPool {
  /// Lends a connection to a task for the time of a function, which cancelling the task ends.
  ///
  /// - Parameter isFit: The connection can be lent again.
  func lend<T: Sendable>(
    ifFit isFit: @Sendable (Database) -> Bool = { _ in true },
    _ body: @Sendable (Database) throws -> T
  ) async throws -> T {
    let turn = Turn(self)
    return try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await turn.read(ifFit: isFit, body)
    } onCancel: {
      turn.cancel()
    }
  }
}

/// The turn of one task to read, which is an executor as well: it takes a connection from the pool,
/// runs the task on the queue of that connection, and gives it back there.
///
/// So nobody who has a connection, or is to have one, needs a thread of those that all tasks share.
/// Programs block these with synchronous accesses, which wait for connections in their turn.
private actor Turn: SerialExecutor {
  private let pool: ReaderPool
  private let cancellation = Cancellation()
  private let state = Mutex(State())

  private struct State {
    /// Until there is a connection, or none will be.
    var waiter: ReaderPool.Waiter?
    var reader: Result<SerialAccess, any Error>?
  }

  init(_ pool: ReaderPool) { self.pool = pool }

  nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

  /// The task comes here to read.
  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let waiter = pool.take { result in
      self.state.withLock { $0 = State(reader: result) }
      let executor = self.asUnownedSerialExecutor()
      switch result {
      case .success(let reader): reader.run(job, on: executor)
      // The task is told the error.
      case .failure: self.pool.queue.async { job.runSynchronously(on: executor) }
      }
    }
    state.withLock { if $0.reader == nil { $0.waiter = waiter } }
    // The task may have been cancelled before the waiter was in the line.
    if cancellation.isCancelled { pool.forget(waiter) }
  }

  nonisolated func cancel() {
    cancellation.cancel()
    if let waiter = state.withLock({ $0.waiter }) { pool.forget(waiter) }
  }

  func read<T: Sendable>(
    ifFit isFit: @Sendable (Database) -> Bool, _ body: @Sendable (Database) throws -> T
  ) throws -> T {
    guard let reader = try state.withLock({ $0.reader })?.get() else {
      throw DatabaseError.connectionIsClosed
    }
    var fits = true
    defer { pool.release(reader, isFit: fits) }
    return try reader.perform { db in
      defer { fits = isFit(db) }
      return try db.cancelled(by: cancellation) { try body(db) }
    }
  }
}
