import Foundation
import MartletEngine

/// Something that gives access to a database for reading and writing.
public protocol DatabaseWriter: DatabaseReader {
  /// Writes without a transaction of its own.
  func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T

  /// Writes without a transaction of its own. Cancelling the task interrupts it.
  func writeWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T

  /// Writes without a transaction of its own when all other accesses have ended.
  func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T

  /// Writes without a transaction of its own when all other accesses have ended.
  func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @Sendable (Database) throws -> T
  ) async throws -> T

  /// Writes without a transaction of its own when all other accesses have ended, some time later.
  func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Writes without a transaction of its own, some time later.
  func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void)

  /// Writes without a transaction of its own, also inside another access of the same thread.
  func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T

  /// Reads the state that the writer's access has left, some time later. Call it outside a
  /// transaction.
  func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)
}

extension DatabaseWriter {
  /// Writes in a transaction, which is taken back if the closure throws.
  ///
  /// ```swift
  /// try dbQueue.write { db in
  ///   try Player(name: "Arthur").insert(db)
  /// }
  /// ```
  public func write<T>(_ updates: (Database) throws -> T) throws -> T {
    try writeWithoutTransaction { db in
      var result: T?
      try db.inTransaction {
        result = try updates(db)
        return .commit
      }
      return result.unsafelyUnwrapped
    }
  }

  /// Writes in a transaction, which is taken back if the closure throws or the task is cancelled.
  public func write<T: Sendable>(_ updates: @Sendable (Database) throws -> T) async throws -> T {
    try await writeWithoutTransaction { db in
      var result: T?
      try db.inTransaction {
        result = try updates(db)
        return .commit
      }
      return result.unsafelyUnwrapped
    }
  }

  /// Writes in a transaction, some time later.
  ///
  /// - Parameters:
  ///   - updates: Runs in the transaction.
  ///   - completion: Called after the transaction with its result.
  public func asyncWrite<T>(
    _ updates: @escaping @Sendable (Database) throws -> T,
    completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void
  ) {
    asyncWriteWithoutTransaction { db in
      let result = Result<T, any Error> {
        var result: T?
        try db.inTransaction {
          result = try updates(db)
          return .commit
        }
        return result.unsafelyUnwrapped
      }
      completion(db, result)
    }
  }

  /// Empties the database: no table, no row, nothing is left.
  public func erase() throws {
    try barrierWriteWithoutTransaction { try $0.erase() }
  }

  /// Empties the database: no table, no row, nothing is left.
  public func erase() async throws {
    try await barrierWriteWithoutTransaction { try $0.erase() }
  }

  /// Builds the file anew, so that it takes the least room.
  public func vacuum() throws {
    try writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Builds the file anew, so that it takes the least room.
  public func vacuum() async throws {
    try await writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
  }

  /// Builds a new file that has the database's content.
  public func vacuum(into filePath: String) throws {
    try writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath]) }
  }

  /// Builds a new file that has the database's content.
  public func vacuum(into filePath: String) async throws {
    try await writeWithoutTransaction {
      try $0.execute(sql: "VACUUM INTO ?", arguments: [filePath])
    }
  }
}

extension Database {
  /// Copies an empty database over this one.
  func erase() throws {
    let empty = try Configuration().open(path: ":memory:", flags: .default)
    empty.beginAccess()
    defer {
      empty.endAccess()
      try? empty.close()
    }
    // A copy keeps the page size only if the databases agree on it.
    let pageSize = try Int.fetchOne(self, sql: "PRAGMA page_size") ?? 4_096
    try empty.execute(sql: "PRAGMA page_size = \(pageSize); VACUUM")
    try empty.backup(to: self)
  }
}
