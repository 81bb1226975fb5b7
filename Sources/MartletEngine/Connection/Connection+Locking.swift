// The lock of a connection, for those who make several calls as one (`sqlite3_db_mutex`).

extension Connection {
  /// Keeps other threads out of the connection until `leave()`. May be called again by the thread
  /// that has entered.
  public func enter() { lock.lock() }

  /// Enters if no other thread is in the connection; false otherwise.
  public func tryEnter() -> Bool { lock.tryLock() }

  public func leave() { lock.unlock() }
}
