extension Connection {
  /// What a connection holds of a database (`sqlite3_txn_state`).
  public enum TransactionState: Int, Sendable, Comparable {
    case none
    /// It sees the database as it was at one moment.
    case read
    /// It is the one that may change the database.
    case write

    public static func < (left: TransactionState, right: TransactionState) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// Statements commit what they change when they end: BEGIN and SAVEPOINT have not been run, or
  /// what they began has ended, perhaps by an error (`sqlite3_get_autocommit`).
  public var isAutocommit: Bool {
    lock.lock()
    defer { lock.unlock() }
    return commitsAutomatically
  }

  /// A transaction is open that COMMIT or ROLLBACK ends.
  public var isInTransaction: Bool { !isAutocommit }

  /// What transactions are open on a database: on the furthest one, where `schema` is nil. Nil when
  /// there is no such database.
  public func transactionState(of schema: String? = nil) -> TransactionState? {
    lock.lock()
    defer { lock.unlock() }
    guard let schema else { return databases.indices.map(state).max() }
    return databases.indices.first { isDatabase($0, named: schema) }.map(state)
  }

  private func state(_ index: Int) -> TransactionState {
    let bit: UInt64 = 1 << UInt64(index)
    if writingDatabases & bit != 0 { return .write }
    return readingDatabases & bit != 0 ? .read : .none
  }

  /// The transactions with which BEGIN starts, one for each database: a file that may only be read
  /// is only read.
  func transactionModes(_ kind: TransactionKind) -> [TransactionMode] {
    guard kind != .deferred else { return [] }
    return databases.map { database in
      if database.tree?.pager.isReadOnly ?? false { return .read }
      return kind == .exclusive ? .exclusive : .write
    }
  }
}
