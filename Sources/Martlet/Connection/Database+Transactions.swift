import Foundation
import MartletEngine
import Synchronization

/// What a connection knows about its transaction.
final class TransactionTracker {
  /// A transaction was open when the last statement ended.
  private(set) var isOpen = false
  /// Blocks of `inTransaction` and `inSavepoint` that are open.
  var blockDepth = 0
  /// A rollback does not care for cancellation.
  var isRollingBack = false
  var date: Date?
  private var handlers: [EndHandlers] = []
  /// Set by the engine's hook.
  private let rollback = RollbackFlag()

  struct EndHandlers {
    let onCommit: (Database) -> Void
    let onRollback: (Database) -> Void
  }

  final class RollbackFlag: Sendable {
    let isRaised = Atomic(false)
  }

  func install(on connection: Connection) {
    connection.rollbackHook = { [rollback] in rollback.isRaised.store(true, ordering: .relaxed) }
  }

  func add(_ handler: EndHandlers) { handlers.append(handler) }

  func forget() { handlers = [] }

  /// A statement has ended; perhaps it has ended a transaction.
  func noteEnd(of db: Database, failed: Bool, isWriting: Bool = false) {
    let wasOpen = isOpen
    isOpen = !db.connection.isAutocommit
    if isOpen { return }
    date = nil
    let wasRolledBack = rollback.isRaised.exchange(false, ordering: .relaxed) || failed
    guard wasOpen || (isWriting && !failed) else { return }
    if wasRolledBack { db.schemaCache.removeAll() }
    guard !handlers.isEmpty else { return }
    let ended = handlers
    handlers = []
    db.afterStatement { db in
      for handler in ended { wasRolledBack ? handler.onRollback(db) : handler.onCommit(db) }
    }
  }
}

extension Database {
  /// Runs work when the state of the connection is settled.
  func afterStatement(_ work: (Database) -> Void) {
    let depth = transactionState.blockDepth
    transactionState.blockDepth = 0
    work(self)
    transactionState.blockDepth = depth
  }

  /// The date of the transaction: the same as long as one is open, the present else.
  public var transactionDate: Date {
    get throws {
      try checkAccess()
      if let date = transactionState.date { return date }
      let date = try configuration.transactionClock.now(self)
      if !connection.isAutocommit { transactionState.date = date }
      return date
    }
  }

  /// Calls one of two functions when the transaction that is open, or else the next one, has ended.
  public func afterNextTransaction(
    onCommit: @escaping @Sendable (Database) -> Void,
    onRollback: @escaping @Sendable (Database) -> Void = { _ in }
  ) {
    stopOutsideAccess()
    transactionState.add(.init(onCommit: onCommit, onRollback: onRollback))
  }

  private var defaultTransactionKind: TransactionKind {
    configuration.readonly || readOnlyDepth > 0 ? .deferred : .immediate
  }

  /// Begins a transaction. By default it is immediate, or deferred where the database cannot be
  /// written.
  public func beginTransaction(_ kind: TransactionKind? = nil) throws {
    try internalStatement(sql: "BEGIN \((kind ?? defaultTransactionKind).rawValue) TRANSACTION")
      .execute()
  }

  /// Commits the transaction.
  public func commit() throws {
    try internalStatement(sql: "COMMIT TRANSACTION").execute()
  }

  /// Takes the transaction back. Without a transaction it does nothing.
  public func rollback() throws {
    guard isInsideTransaction else { return }
    try rollingBack("ROLLBACK TRANSACTION")
  }

  /// An interrupt that was meant for what is taken back must not stop the rollback.
  private func rollingBack(_ sql: String) throws {
    transactionState.isRollingBack = true
    let cancellation = cancellation
    self.cancellation = nil
    defer {
      transactionState.isRollingBack = false
      self.cancellation = cancellation
    }
    do {
      try internalStatement(sql: sql).execute()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
      try internalStatement(sql: sql).execute()
    }
  }

  /// Runs a block in a transaction, and ends it as the block says, or takes it back if the block
  /// throws.
  ///
  /// - Throws: The first error. Where SQLite has taken the transaction back by itself, every
  ///   further statement in the block throws `SQLITE_ABORT`.
  public func inTransaction(
    _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
  ) throws {
    try beginTransaction(kind)
    try inBlock(operations, commit: { try commit() }, rollback: { try rollback() })
  }

  /// Runs a block in a savepoint, and ends it as the block says, or takes it back if the block
  /// throws. Without a transaction the savepoint is one.
  public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
    guard isInsideTransaction else { return try inTransaction(nil, operations) }
    try internalStatement(sql: "SAVEPOINT grdb").execute()
    let release = { try self.internalStatement(sql: "RELEASE SAVEPOINT grdb").execute() }
    try inBlock(operations, commit: release) {
      guard isInsideTransaction else { return }
      try rollingBack("ROLLBACK TRANSACTION TO SAVEPOINT grdb")
      try rollingBack("RELEASE SAVEPOINT grdb")
    }
  }

  private func inBlock(
    _ operations: () throws -> TransactionCompletion, commit: () throws -> Void,
    rollback: () throws -> Void
  ) throws {
    transactionState.blockDepth += 1
    var firstError: (any Error)?
    do {
      if try operations() == .commit {
        try commit()
        transactionState.blockDepth -= 1
        return
      }
    } catch {
      firstError = error
    }
    transactionState.blockDepth -= 1
    do {
      try rollback()
    } catch {
      throw firstError ?? error
    }
    if let firstError { throw firstError }
  }

  /// Runs a block in which nothing can be written: statements that would throw `SQLITE_READONLY`.
  public func readOnly<T>(_ value: () throws -> T) throws -> T {
    try checkAccess()
    readOnlyDepth += 1
    defer { readOnlyDepth -= 1 }
    return try value()
  }

  /// Runs a block in a transaction, or in a savepoint where one is open, that is committed unless
  /// the block throws.
  func isolated<T>(readOnly isReadOnly: Bool = false, _ body: () throws -> T) throws -> T {
    var result: T?
    if isReadOnly { readOnlyDepth += 1 }
    defer { if isReadOnly { readOnlyDepth -= 1 } }
    try inSavepoint {
      result = try body()
      return .commit
    }
    return result.unsafelyUnwrapped
  }
}
