import Foundation
import Martlet
import Testing

/// The code of the article "Concurrency".
@Suite struct ConcurrencyExamples {
  @Test func `accesses are transactions`() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE account(id INTEGER PRIMARY KEY, credit INTEGER)")
      try db.execute(sql: "INSERT INTO account VALUES (1, 100), (2, 0)")
    }
    try await dbQueue.write { db in
      try db.execute(sql: "UPDATE account SET credit = credit - 10 WHERE id = 1")
      try db.execute(sql: "UPDATE account SET credit = credit + 10 WHERE id = 2")
    }
    let credits = try await dbQueue.read { db in
      try Int.fetchAll(db, sql: "SELECT credit FROM account ORDER BY id")
    }
    #expect(credits == [90, 10])
  }

  private func report(_ result: Result<Database, any Error>) {}

  @Test func `pools read while they write`() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("martlet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("db.sqlite").path
    let dbPool = try DatabasePool(path: path)
    try await dbPool.write { db in
      try db.execute(sql: "CREATE TABLE player(name TEXT); INSERT INTO player VALUES ('Arthur')")
    }
    let count = try await dbPool.read { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
    }
    #expect(count == 1)
    try readConcurrently(dbPool)
    try makeSnapshots(dbPool)
  }

  private func readConcurrently(_ dbPool: DatabasePool) throws {
    try dbPool.writeWithoutTransaction { db in
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO player VALUES ('Barbara')")
        return .commit
      }
      dbPool.asyncConcurrentRead { result in
        // Two players, whatever the writer does meanwhile.
        report(result)
      }
      try db.execute(sql: "DELETE FROM player")
    }
    try dbPool.barrierWriteWithoutTransaction { _ in }
    try dbPool.writeWithoutTransaction { db in
      _ = try db.checkpoint(.truncate)
    }
  }

  private func makeSnapshots(_ dbPool: DatabasePool) throws {
    let snapshot = try dbPool.makeSnapshotPool()
    let same = try dbPool.read { db in try DatabaseSnapshotPool(db) }
    let names = try snapshot.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM player")
    }
    #expect(try names == same.read { try String.fetchAll($0, sql: "SELECT name FROM player") })
  }

  @Test func `transactions and savepoints are nested`() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE player(name TEXT)") }
    try dbQueue.writeWithoutTransaction { db in
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO player VALUES ('Arthur')")
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO player VALUES ('Barbara')")
          return .rollback
        }
        return .commit
      }
    }
    #expect(try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") } == 1)
  }

  @Test func `another process's lock is waited for`() throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      db.trace { print($0) }
    }
    #expect(throws: Never.self) { try DatabaseQueue(path: ":memory:", configuration: configuration) }
  }

  @Test func `cancellation ends an access`() async throws {
    let dbQueue = try DatabaseQueue()
    let task = Task {
      try await dbQueue.read { db in
        try Int.fetchOne(
          db,
          sql: """
            WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c)
            SELECT COUNT(*) FROM c
            """)
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
