import Dispatch
import Synchronization

/// Lends connections to accesses that read, in the order in which they ask, and opens them when
/// they are needed.
///
/// Invariants: (1) a connection is idle or lent, never both; (2) no more than `capacity` are lent;
/// (3) while the pool is barred nobody is served but those who pass the barrier.
final class ReaderPool: Sendable {
  private let capacity: Int
  private let open: @Sendable (_ number: Int) throws -> SerialAccess
  private let state = Mutex(State())
  /// Opens connections for those who do not wait on a thread. The threads of global queues, on which
  /// tasks run, may all wait for connections.
  let queue = DispatchQueue(label: "Martlet.ReaderPool")

  private struct State {
    /// The one that was given back last is lent first: its caches are warm.
    var idle: [SerialAccess] = []
    var lent: [SerialAccess] = []
    /// Lent, or being opened for somebody.
    var lentCount = 0
    var openedCount = 0
    var waiters: [Waiter] = []
    /// Connections of before an invalidation are not lent again.
    var expired: [SerialAccess] = []
    var barrier: Barrier?
    var isClosed = false

    /// Something to lend, if there is.
    mutating func grant(_ capacity: Int) -> Grant? {
      guard lentCount < capacity else { return nil }
      lentCount += 1
      if let reader = idle.popLast() {
        lent.append(reader)
        return .reader(reader)
      }
      openedCount += 1
      return .opening(openedCount)
    }

    /// Who waits and can be served.
    mutating func serve(_ capacity: Int) -> [(Waiter, Grant)] {
      var served: [(Waiter, Grant)] = []
      while let waiter = waiters.first, barrier == nil || waiter.passesBarrier,
        let grant = grant(capacity)
      {
        waiters.removeFirst()
        served.append((waiter, grant))
      }
      return served
    }
  }

  /// The pool is barred until the barrier is gone.
  private final class Barrier: Sendable {
    /// Signalled when nobody reads.
    let semaphore = DispatchSemaphore(value: 0)
  }

  /// A connection, or the number of one that may be opened.
  fileprivate enum Grant: Sendable {
    case reader(SerialAccess)
    case opening(Int)
  }

  /// Somebody who waits for a connection.
  final class Waiter: Sendable {
    fileprivate let passesBarrier: Bool
    fileprivate let resume: @Sendable (Result<Grant, any Error>) -> Void

    fileprivate init(
      passesBarrier: Bool = false, resume: @escaping @Sendable (Result<Grant, any Error>) -> Void
    ) {
      self.passesBarrier = passesBarrier
      self.resume = resume
    }
  }

  /// A thread that waits for a connection.
  private final class BlockedThread: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let answer = Mutex<Result<Grant, any Error>?>(nil)

    func resume(_ result: Result<Grant, any Error>) {
      answer.withLock { $0 = result }
      semaphore.signal()
    }

    func wait() throws -> Grant {
      semaphore.wait()
      guard let result = answer.withLock({ $0 }) else { throw DatabaseError.connectionIsClosed }
      return try result.get()
    }
  }

  /// - Parameter open: Opens the connection of a number from 1 on.
  init(
    capacity: Int, open: @escaping @Sendable (_ number: Int) throws -> SerialAccess
  ) {
    self.capacity = max(1, capacity)
    self.open = open
  }

  /// The connection that this thread is using.
  var current: SerialAccess? {
    state.withLock { state in state.lent.first { $0.db.isAccessed } }
  }

  // MARK: Lending

  /// A connection, when there is one.
  ///
  /// - Parameter passesBarrier: The caller may read while others wait for the barrier, as the
  /// barrier
  ///   waits for the caller.
  func take(passingBarrier passesBarrier: Bool = false) throws -> SerialAccess {
    var thread: BlockedThread?
    let grant = try request(passesBarrier) {
      let blocked = BlockedThread()
      thread = blocked
      return Waiter(passesBarrier: passesBarrier) { blocked.resume($0) }
    }
    if let grant { return try reader(grant) }
    guard let thread else { throw DatabaseError.connectionIsClosed }
    return try reader(thread.wait())
  }

  /// A connection, if there is one now.
  func takeIfAvailable() throws -> SerialAccess? {
    let capacity = capacity
    let grant = state.withLock { $0.isClosed ? nil : $0.grant(capacity) }
    return try grant.map { try reader($0) }
  }

  /// Calls a function with a connection when there is one, on some thread.
  ///
  /// - Returns: Whom to `forget` who does not want to wait any longer.
  @discardableResult
  func take(_ body: @escaping @Sendable (Result<SerialAccess, any Error>) -> Void) -> Waiter {
    let waiter = Waiter { result in
      switch result {
      case .success(.reader(let reader)): body(.success(reader))
      case .success(let grant):
        // Opening a file takes its time.
        self.queue.async { body(Result { try self.reader(grant) }) }
      case .failure(let error): body(.failure(error))
      }
    }
    do {
      if let grant = try request(false, { waiter }) { waiter.resume(.success(grant)) }
    } catch {
      waiter.resume(.failure(error))
    }
    return waiter
  }

  /// Somebody does not want to wait any longer: if nothing was lent yet, the answer is an error.
  func forget(_ waiter: Waiter) {
    let wasWaiting = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
      state.waiters.remove(at: index)
      return true
    }
    if wasWaiting { waiter.resume(.failure(CancellationError())) }
  }

  /// What can be lent now; nil where a waiter waits in the line.
  private func request(_ passesBarrier: Bool, _ waiter: () -> Waiter) throws -> Grant? {
    let capacity = capacity
    return try state.withLock { state -> Grant? in
      if state.isClosed { throw DatabaseError.connectionIsClosed }
      if passesBarrier || state.barrier == nil && state.waiters.isEmpty,
        let grant = state.grant(capacity)
      {
        return grant
      }
      // Who passes the barrier is served first, as others wait for it.
      state.waiters.insert(waiter(), at: passesBarrier ? 0 : state.waiters.endIndex)
      return nil
    }
  }

  private func reader(_ grant: Grant) throws -> SerialAccess {
    switch grant {
    case .reader(let reader): return reader
    case .opening(let number):
      do {
        let reader = try open(number)
        state.withLock { $0.lent.append(reader) }
        return reader
      } catch {
        giveBack(nil)
        throw error
      }
    }
  }

  /// Takes a connection back.
  ///
  /// - Parameter isFit: It can be lent again.
  func release(_ reader: SerialAccess, isFit: Bool = true) { giveBack(reader, isFit: isFit) }

  private func giveBack(_ reader: SerialAccess?, isFit: Bool = true) {
    let capacity = capacity
    let served = state.withLock { state -> [(Waiter, Grant)] in
      state.lentCount -= 1
      if let reader {
        state.lent.removeAll { $0 === reader }
        let isExpired = state.expired.contains { $0 === reader }
        state.expired.removeAll { $0 === reader }
        if isFit, !isExpired, !state.isClosed { state.idle.append(reader) }
      }
      if state.lentCount == 0 { state.barrier?.semaphore.signal() }
      return state.serve(capacity)
    }
    for (waiter, grant) in served { waiter.resume(.success(grant)) }
  }

  /// Lends a connection for the time of a function.
  func lend<T>(
    passingBarrier passesBarrier: Bool = false, _ body: (SerialAccess) throws -> T
  ) throws -> T {
    let reader = try take(passingBarrier: passesBarrier)
    defer { release(reader) }
    return try body(reader)
  }

  // MARK: All connections

  /// Nobody is lent a connection any more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Connections that are lent are not lent again, others are closed.
  func invalidate() {
    let closed = state.withLock { state in
      defer { state.idle = [] }
      state.expired = state.lent
      return state.idle
    }
    // They go outside of the lock.
    _ = closed
  }

  /// What is lent and what is not.
  var all: [SerialAccess] { state.withLock { $0.lent + $0.idle } }

  /// Runs a function while nobody reads.
  ///
  /// - Parameter body: Given a function that waits until nobody reads any more, also of those who
  ///   passed the barrier.
  func barrier<T>(_ body: (_ awaitSilence: () -> Void) throws -> T) throws -> T {
    let barrier = Barrier()
    try state.withLock { state in
      if state.isClosed { throw DatabaseError.connectionIsClosed }
      precondition(state.barrier == nil, "barriers come one after the other")
      state.barrier = barrier
    }
    let awaitSilence = {
      while self.state.withLock({ $0.lentCount > 0 }) { barrier.semaphore.wait() }
    }
    defer { removeBarrier() }
    awaitSilence()
    return try body(awaitSilence)
  }

  private func removeBarrier() {
    let capacity = capacity
    let served = state.withLock { state in
      state.barrier = nil
      return state.serve(capacity)
    }
    for (waiter, grant) in served { waiter.resume(.success(grant)) }
  }

  /// Closes the connections that are not lent. Nobody is lent one any more.
  ///
  /// - Throws: The first error; the connections are gone for the pool all the same.
  func close() throws {
    let (idle, waiters) = state.withLock { state in
      defer { (state.idle, state.waiters) = ([], []) }
      state.isClosed = true
      return (state.idle, state.waiters)
    }
    for waiter in waiters { waiter.resume(.failure(DatabaseError.connectionIsClosed)) }
    var firstError: (any Error)?
    for reader in idle {
      do {
        try reader.sync { try $0.close() }
      } catch {
        firstError = firstError ?? error
      }
    }
    if let firstError { throw firstError }
  }
}
