// The API of 2015: a connection whose calls never throw. A statement remembers what went wrong.

import MartletEngine

/// A connection, as SQLite.swift had it in 2015. `Connection` is today's form.
@available(*, deprecated, message: "use Connection, whose calls throw")
public final class Database: @unchecked Sendable {
  /// Today's form of the connection; nil where the database could not be opened.
  public let connection: Connection?
  private let openFailure: String?

  /// Opens a database; without a path one in memory, with an empty path a temporary one. Where it
  /// fails, all statements fail with the reason.
  public init(_ path: String = ":memory:", readonly: Bool = false) {
    do {
      connection = try Connection(path, readonly: readonly)
      openFailure = nil
    } catch {
      connection = nil
      openFailure = "\(error)"
    }
  }

  /// Nothing can be changed.
  public var readonly: Bool { connection?.readonly ?? true }

  /// The rowid of the last row that was inserted; nil if there is none.
  public var lastInsertRowid: Int64? {
    guard let rowid = connection?.lastInsertRowid, rowid != 0 else { return nil }
    return rowid
  }

  /// The rows that the last statement changed.
  public var changes: Int? { connection?.changes }

  /// The rows that were changed since the connection was opened.
  public var totalChanges: Int { connection?.totalChanges ?? 0 }

  /// The number that the application gives to its schema.
  public var userVersion: Int {
    get { Int(connection?.userVersion ?? 0) }
    set { connection?.userVersion = Int32(clamping: newValue) }
  }

  /// Foreign keys are enforced.
  public var foreignKeys: Bool {
    get { connection?.foreignKeys ?? false }
    set { connection?.foreignKeys = newValue }
  }

  /// A query of the table of that name.
  public subscript(tableName: String) -> Query { Query(self, Table(tableName)) }

  /// Is told the text of each statement that runs; nil ends it.
  public func trace(_ callback: ((String) -> Void)?) { connection?.trace(callback) }

  /// Runs something that throws, and gives a statement that remembers it.
  func attempt(_ body: (Connection) throws -> MartletTyped.Statement?) -> Statement {
    guard let connection else { return Statement(nil, reason: openFailure) }
    do {
      return Statement(try body(connection), reason: nil)
    } catch {
      return Statement(nil, reason: "\(error)")
    }
  }
}

// MARK: - SQL

@available(*, deprecated)
extension Database {
  /// Runs all statements of a script.
  @discardableResult
  public func execute(_ SQL: String) -> Statement {
    attempt { connection in
      try connection.execute(SQL)
      return nil
    }
  }

  /// Compiles a statement, and binds values to its parameters.
  public func prepare(_ statement: String, _ bindings: (any Binding)?...) -> Statement {
    attempt { try $0.prepare(statement, bindings) }
  }

  /// Compiles a statement, and binds values to its named parameters.
  public func prepare(_ statement: String, _ bindings: [String: (any Binding)?]) -> Statement {
    attempt { try $0.prepare(statement, bindings) }
  }

  /// Compiles a statement, binds values and runs it.
  @discardableResult
  public func run(_ statement: String, _ bindings: (any Binding)?...) -> Statement {
    attempt { try $0.run(statement, bindings) }
  }

  /// Compiles a statement, binds values and runs it.
  @discardableResult
  public func run(_ statement: String, _ bindings: [String: (any Binding)?]) -> Statement {
    attempt { try $0.run(statement, bindings) }
  }

  /// The first value of the first row.
  public func scalar(_ statement: String, _ bindings: (any Binding)?...) -> (any Binding)? {
    attempt { try $0.prepare(statement, bindings) }.scalar()
  }
}

// MARK: - Transactions

@available(*, deprecated)
extension Database {
  /// When a transaction takes its locks.
  public enum TransactionMode: String, Sendable {
    /// As they are needed.
    case Deferred = "DEFERRED"
    /// For writing, at once.
    case Immediate = "IMMEDIATE"
    /// Against all others.
    case Exclusive = "EXCLUSIVE"
  }

  /// How the block of a transaction ends.
  public enum TransactionResult: Sendable {
    /// What it has done stays.
    case Commit
    /// What it has done is taken back.
    case Rollback
  }

  /// How the block of a savepoint ends.
  public enum SavepointResult: Sendable {
    /// What it has done stays.
    case Release
    /// What it has done is taken back.
    case Rollback
  }

  /// Begins a transaction.
  @discardableResult
  public func transaction(_ mode: TransactionMode = .Deferred) -> Statement {
    run("BEGIN \(mode.rawValue) TRANSACTION")
  }

  /// Runs a block in a transaction, which ends as the block says.
  @discardableResult
  public func transaction(
    _ mode: TransactionMode = .Deferred, _ block: (_ txn: Statement) -> TransactionResult
  ) -> Statement {
    let begun = transaction(mode)
    if begun.failed { return begun }
    switch block(begun) {
    case .Commit: return commit() || rollback()
    case .Rollback: return rollback()
    }
  }

  /// Commits the transaction.
  @discardableResult
  public func commit() -> Statement { run("COMMIT TRANSACTION") }

  /// Rolls the transaction back.
  @discardableResult
  public func rollback() -> Statement { run("ROLLBACK TRANSACTION") }

  /// Begins a savepoint.
  @discardableResult
  public func savepoint(_ name: String) -> Statement { run("SAVEPOINT \(name.quotedIdentifier)") }

  /// Runs a block in a savepoint, which ends as the block says.
  @discardableResult
  public func savepoint(
    _ name: String = "savepoint", _ block: (_ txn: Statement) -> SavepointResult
  ) -> Statement {
    let begun = savepoint(name)
    if begun.failed { return begun }
    switch block(begun) {
    case .Release: return release(name)
    case .Rollback: return rollback(name) && release(name)
    }
  }

  /// Ends a savepoint: what was done in it stays.
  @discardableResult
  public func release(_ name: String) -> Statement {
    run("RELEASE SAVEPOINT \(name.quotedIdentifier)")
  }

  /// Takes back what was done in a savepoint.
  @discardableResult
  public func rollback(_ name: String) -> Statement {
    run("ROLLBACK TO SAVEPOINT \(name.quotedIdentifier)")
  }
}
