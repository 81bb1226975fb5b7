// Waiting for locks that other connections hold (`sqlite3_busy_handler`, `sqlite3_busy_timeout`).

/// Asks the application whether to try again for a lock. Belongs to one connection, and all its
/// pagers ask it.
final class BusyWaiter: BusyHandler {
  /// Told how often it has been asked for the current call; nil gives up at once.
  var handler: (@Sendable (Int) -> Bool)?
  private var attemptCount = 0
  private var hasGivenUp = false
  /// How long the locks of write-ahead logs are waited for before the handler is asked; negative
  /// waits without end.
  var logMilliseconds = 0
  /// Whether the shared lock of a file is waited for in the same way.
  var blocksOnConnect = false
  /// Waits for that long.
  var sleep: (_ milliseconds: Int) -> Void = { _ in }
  private var logWaitedMilliseconds = 0
  /// Nothing is waited for, and nobody is asked.
  var isSuspended = false
  /// Whether waiting has become useless, so that nobody is asked any more.
  var endsWaiting: (@Sendable () -> Bool)?

  /// A call of the engine begins, with attempts of its own.
  @inline(__always)
  func startOver() {
    attemptCount = 0
    hasGivenUp = false
    logWaitedMilliseconds = 0
  }

  func retries(_ awaited: AwaitedLock) -> Bool {
    if let endsWaiting, endsWaiting() { return false }
    if waits(for: awaited) { return true }
    guard let handler, !hasGivenUp, !isSuspended else { return false }
    hasGivenUp = !handler(attemptCount)
    attemptCount += 1
    if let endsWaiting, endsWaiting() { return false }
    return !hasGivenUp
  }

  /// No system call of POSIX waits for a lock and has an end: it is tried again each millisecond.
  private func waits(for awaited: AwaitedLock) -> Bool {
    guard awaited == .log || awaited == .connecting && blocksOnConnect, !isSuspended,
      logMilliseconds < 0 || logWaitedMilliseconds < logMilliseconds
    else { return false }
    sleep(1)
    logWaitedMilliseconds += 1
    return true
  }
}

extension Connection {
  /// How many milliseconds statements wait for locks that other connections hold, before they fail
  /// with `busy`; 0, as at the start, does not wait (`sqlite3_busy_timeout`).
  ///
  /// Setting it takes the place of `busyHandler`. A statement that has read inside a transaction
  /// and is the first of it to write does not wait: the one in its way may be waiting for it.
  public var busyTimeout: Int {
    get {
      lock.lock()
      defer { lock.unlock() }
      return busyMilliseconds
    }
    set {
      lock.lock()
      defer { lock.unlock() }
      let timeout = max(0, min(newValue, Int(Int32.max)))
      busyMilliseconds = timeout
      guard timeout > 0 else { return busyWaiter.handler = nil }
      let vfs = vfs
      busyWaiter.handler = { attempt in
        guard let delay = BusyDelay.milliseconds(attempt, timeout: timeout) else { return false }
        vfs.sleep(microseconds: delay * 1000)
        return true
      }
    }
  }

  /// Waits for locks of databases in WAL mode, before the busy handler is asked
  /// (`sqlite3_setlk_timeout`).
  ///
  /// - Parameters:
  ///   - milliseconds: how long; 0, as at the start, does not wait, and less than 0 waits without end.
  ///   - blocksOnConnect: wait as well while another connection, the last one to close, has the
  ///     database for itself.
  public func waitForLogs(milliseconds: Int, blocksOnConnect: Bool = false) {
    lock.lock()
    defer { lock.unlock() }
    let vfs = vfs
    busyWaiter.sleep = { vfs.sleep(microseconds: $0 * 1000) }
    busyWaiter.logMilliseconds = milliseconds
    busyWaiter.blocksOnConnect = blocksOnConnect
  }

  /// Asked whether to try again when another connection holds a lock that is needed, and told how
  /// often it was asked already: true tries again, false or nil lets the statement fail with `busy`
  /// (`sqlite3_busy_handler`). It must not use the connection.
  ///
  /// Setting it takes the place of `busyTimeout`.
  public var busyHandler: (@Sendable (_ attempt: Int) -> Bool)? {
    get {
      lock.lock()
      defer { lock.unlock() }
      return busyWaiter.handler
    }
    set {
      lock.lock()
      defer { lock.unlock() }
      busyMilliseconds = 0
      busyWaiter.handler = newValue
    }
  }

  /// Asked while a lock is waited for, by whatever handler or timeout: true lets the statement fail
  /// with `busy` at once. It must not use the connection.
  package var endsBusyWaits: (@Sendable () -> Bool)? {
    get {
      lock.lock()
      defer { lock.unlock() }
      return busyWaiter.endsWaiting
    }
    set {
      lock.lock()
      defer { lock.unlock() }
      busyWaiter.endsWaiting = newValue
    }
  }
}

/// The pauses of a busy timeout: short ones first, then a tenth of a second each, as in SQLite.
enum BusyDelay {
  private static let first = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50]
  private static let rest = 100

  /// The pause before attempt number `attempt`, from 0 on; nil when the time is up.
  static func milliseconds(_ attempt: Int, timeout: Int) -> Int? {
    let waited =
      first.prefix(attempt).reduce(0, +) + max(0, attempt - first.count) * rest
    let delay = attempt < first.count ? first[attempt] : rest
    guard waited + delay > timeout else { return delay }
    return timeout > waited ? timeout - waited : nil
  }
}
