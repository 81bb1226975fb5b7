import Foundation
import Martlet
import Testing

/// Notifications reach all databases that want them: one test at a time.
@Suite(.serialized) struct SuspensionTests {
  private let queue: DatabaseQueue

  init() throws {
    var configuration = Configuration()
    configuration.observesSuspensionNotifications = true
    queue = try DatabaseQueue(configuration: configuration)
    try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
  }

  private func suspend() {
    NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
  }

  private func resume() {
    NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
  }

  @Test func `a suspended database refuses statements until it is resumed`() throws {
    defer { resume() }
    let other = try emptyDatabase()
    suspend()
    for _ in 0..<2 {
      let failure = databaseError { try queue.read { try $0.execute(sql: "SELECT 1") } }
      #expect(failure?.resultCode == .SQLITE_ABORT)
      #expect(failure?.message == "Database is suspended")
    }
    try other.read { try $0.execute(sql: "SELECT 1") }
    resume()
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
  }

  @Test func `the transaction of a suspended database is taken back`() throws {
    defer { resume() }
    let failure = databaseError {
      try queue.write { db throws in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        suspend()
        #expect(databaseError { try db.execute(sql: "SELECT 1") }?.resultCode == .SQLITE_ABORT)
        #expect(!db.isInsideTransaction)
        resume()
      }
    }
    #expect(failure?.resultCode == .SQLITE_ABORT)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 0)
  }

  @Test func `a transaction can be ended while the database is suspended`() throws {
    defer { resume() }
    try queue.write { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      suspend()
    }
    resume()
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 1)
  }

  @Test func `a statement that runs is interrupted when the database is suspended`() throws {
    defer { resume() }
    let failure = databaseError {
      try queue.write { db throws in
        db.add(
          function: DatabaseFunction("suspend") { _ in
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
            return 1
          })
        try db.execute(
          sql: """
            INSERT INTO t WITH RECURSIVE c(n) AS (
              VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 100000)
            SELECT suspend() FROM c
            """)
      }
    }
    #expect(failure?.resultCode == .SQLITE_INTERRUPT)
    resume()
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 0)
  }

  @Test func `a suspended database with a log lets deferred transactions begin`() throws {
    defer { resume() }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
    defer { try? FileManager.default.removeItem(at: file) }
    var configuration = Configuration()
    configuration.observesSuspensionNotifications = true
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    suspend()
    try queue.inDatabase { db throws in
      try db.execute(sql: "BEGIN; ROLLBACK; BEGIN TRANSACTION; ROLLBACK; begin deferred; ROLLBACK")
      for kind in ["IMMEDIATE", "exclusive"] {
        let failure = databaseError { try db.execute(sql: "BEGIN \(kind) TRANSACTION") }
        #expect(failure?.message == "Database is suspended")
      }
    }
    resume()
    try queue.close()
  }

  @Test func `a transaction that was aborted says so while the database is suspended`() throws {
    defer { resume() }
    let failure = databaseError {
      try queue.write { db throws in
        suspend()
        let first = databaseError { try db.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(first?.message == "Database is suspended" && !db.isInsideTransaction)
        let second = databaseError { try db.execute(sql: "SELECT 1") }
        #expect(second?.message == "Transaction was aborted")
      }
    }
    #expect(failure?.message == "Transaction was aborted")
  }
}
