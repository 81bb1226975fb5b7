import MartletEngine

/// Lends a closure to the engine, which calls it while the connection is locked: by one thread at a
/// time.
struct Lent<Body>: @unchecked Sendable {
  let body: Body
}

extension Connection {
  /// What happens to a row.
  public enum Operation: Sendable {
    /// It was inserted.
    case insert
    /// It was changed.
    case update
    /// It was deleted.
    case delete

    init(_ kind: MartletEngine.Connection.ChangeKind) {
      switch kind {
      case .insert: self = .insert
      case .update: self = .update
      case .delete: self = .delete
      }
    }
  }

  /// Is told the text of each statement that runs, with its values; nil ends it.
  public func trace(_ callback: ((String) -> Void)?) {
    guard let callback else { return core.trace([], nil) }
    let lent = Lent(body: callback)
    core.trace(.statement) { event in
      if case .statement(let statement) = event { lent.body(statement.expandedSQL) }
    }
  }

  /// Is told each row that changes, with the names of its database and table; nil ends it.
  public func updateHook(
    _ callback: ((_ operation: Operation, _ db: String, _ table: String, _ rowid: Int64) -> Void)?
  ) {
    guard let callback else { return core.updateHook = nil }
    let lent = Lent(body: callback)
    core.updateHook = { kind, database, table, rowid in
      lent.body(Operation(kind), database, table, rowid)
    }
  }

  /// Is called before a transaction is committed; what it throws rolls it back. nil ends it.
  public func commitHook(_ callback: (() throws -> Void)?) {
    guard let callback else { return core.commitHook = nil }
    let lent = Lent(body: callback)
    core.commitHook = {
      do {
        try lent.body()
        return false
      } catch {
        return true
      }
    }
  }

  /// Is called after a transaction was rolled back; nil ends it.
  public func rollbackHook(_ callback: (() -> Void)?) {
    guard let callback else { return core.rollbackHook = nil }
    let lent = Lent(body: callback)
    core.rollbackHook = { lent.body() }
  }

  /// How many seconds statements wait for locks of other connections.
  public var busyTimeout: Double {
    get { Double(core.busyTimeout) / 1_000 }
    set {
      let milliseconds = newValue * 1_000
      core.busyTimeout = milliseconds > 0 ? Int(min(milliseconds, 2e9)) : 0
    }
  }

  /// Is asked whether to try again when another connection holds a lock, and told how often it was
  /// asked already; nil ends it.
  public func busyHandler(_ callback: ((_ tries: Int) -> Bool)?) {
    guard let callback else { return core.busyHandler = nil }
    let lent = Lent(body: callback)
    core.busyHandler = { lent.body($0) }
  }
}
