import Foundation
import MartletEngine

/// What a connection knows about its transaction.
final class TransactionTracker {
  /// A transaction was open when the last statement ended.
  private(set) var isOpen = false
  /// Blocks of `inTransaction` and `inSavepoint` that are open.
  var blockDepth = 0
  /// A rollback does not care for cancellation.
  var isRollingBack = false
  var date: Date?
  /// The engine has taken a transaction back.
  private var wasRolledBack = false

  func noteRollback() { wasRolledBack = true }

  /// A statement has ended; perhaps it has ended a transaction.
  func noteEnd(of db: Database, failed: Bool, isWriting: Bool = false) {
    let wasOpen = isOpen
    isOpen = !db.connection.isAutocommit
    if isOpen { return }
    date = nil
    let wasRolledBack = wasRolledBack || failed
    self.wasRolledBack = false
    if wasRolledBack, wasOpen || (isWriting && !failed) { db.schemaCache.removeAll() }
  }
}

extension Database {
  /// Runs work when the state of the connection is settled: it is no part of a block, and not
  /// cancelled with the task that has ended the transaction.
  func settled(_ work: (Database) -> Void) {
    let depth = transactionState.blockDepth
    let cancellation = cancellation
    transactionState.blockDepth = 0
    self.cancellation = nil
    cancellation?.end()
    work(self)
    transactionState.blockDepth = depth
    self.cancellation = cancellation
    _ = cancellation?.begin(on: connection)
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

  private var defaultTransactionKind: TransactionKind {
    isReadOnly ? .deferred : .immediate
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
    try connection.ignoringInterrupts { try internalStatement(sql: sql).execute() }
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
