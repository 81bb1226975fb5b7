import Foundation
import Martlet
import Testing

@Suite struct TransactionTests {
  private func database() throws -> DatabaseQueue {
    let queue = try emptyDatabase()
    try queue.write { try $0.execute(sql: "CREATE TABLE t(a UNIQUE)") }
    return queue
  }

  private func count(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
  }

  @Test func `a write is an immediate transaction, a read a deferred one`() throws {
    var texts: [String] = []
    let queue = try database()
    queue.inDatabase { db in db.trace { texts.append("\($0)") } }
    try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(
      texts == [
        "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (1)", "COMMIT TRANSACTION",
      ])
    texts = []
    #expect(try queue.read { try count($0) } == 1)
    #expect(
      texts == [
        "BEGIN DEFERRED TRANSACTION", "SELECT COUNT(*) FROM t", "COMMIT TRANSACTION",
      ])
  }

  @Test func `an error takes the transaction back and comes out`() throws {
    let queue = try database()
    struct Failure: Error {}
    #expect(
      error {
        try queue.write { db throws in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          throw Failure()
        }
      } is Failure)
    #expect(try queue.read { try count($0) } == 0)
  }

  @Test func `a block decides how its transaction ends`() throws {
    let queue = try database()
    try queue.inTransaction { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      #expect(db.isInsideTransaction)
      return .rollback
    }
    #expect(try queue.read { try count($0) } == 0)
    try queue.inTransaction(.exclusive) { db in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      return .commit
    }
    #expect(try queue.read { try count($0) } == 1)
  }

  @Test func `savepoints nest, and the outermost is a transaction`() throws {
    try database().inDatabase { db throws in
      let texts = try executedSQL(db) { () throws in
        try db.inSavepoint { () throws in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          try db.inSavepoint { () throws in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            return .rollback
          }
          try db.inSavepoint { () throws in
            try db.execute(sql: "INSERT INTO t VALUES (3)")
            return .commit
          }
          return .commit
        }
      }
      #expect(
        texts == [
          "BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (1)", "SAVEPOINT grdb",
          "INSERT INTO t VALUES (2)", "ROLLBACK TRANSACTION TO SAVEPOINT grdb",
          "RELEASE SAVEPOINT grdb", "SAVEPOINT grdb", "INSERT INTO t VALUES (3)",
          "RELEASE SAVEPOINT grdb", "COMMIT TRANSACTION",
        ])
      #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [1, 3])
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func `after an automatic rollback every statement of the block is refused`() throws {
    try database().inDatabase { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      var errors: [DatabaseError?] = []
      let outer = databaseError {
        try db.inTransaction { () throws in
          errors.append(databaseError { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") })
          errors.append(databaseError { try db.execute(sql: "SELECT 1") })
          return .commit
        }
      }
      #expect(errors[0]?.resultCode == .SQLITE_CONSTRAINT)
      #expect(errors[1]?.resultCode == .SQLITE_ABORT)
      #expect(errors[1]?.message == "Transaction was aborted")
      #expect(outer?.resultCode == .SQLITE_ABORT)
      try db.execute(sql: "SELECT 1")
    }
  }

  @Test func `rollback without a transaction does nothing, commit fails`() throws {
    try database().inDatabase { db throws in
      try db.rollback()
      #expect(databaseError { try db.commit() }?.resultCode == .SQLITE_ERROR)
      try db.beginTransaction()
      try db.rollback()
      #expect(!db.isInsideTransaction)
    }
  }

  @Test func `a commit that fails takes the transaction back`() throws {
    try database().inDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE parent(id INTEGER PRIMARY KEY);
          CREATE TABLE child(p REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
          """)
      let failure = databaseError {
        try db.inTransaction { () throws in
          try db.execute(sql: "INSERT INTO child VALUES (1)")
          return .commit
        }
      }
      #expect(failure?.message == "FOREIGN KEY constraint failed")
      #expect(!db.isInsideTransaction)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM child") == 0)
    }
  }

  @Test func `the date of a transaction stays, and follows the clock outside`() throws {
    var configuration = Configuration()
    let ticks = LockedCounter()
    configuration.transactionClock = .custom { _ in
      Date(timeIntervalSince1970: Double(ticks.next()))
    }
    try emptyDatabase(configuration).inDatabase { db throws in
      #expect(try db.transactionDate.timeIntervalSince1970 == 1)
      #expect(try db.transactionDate.timeIntervalSince1970 == 2)
      try db.inTransaction { () throws in
        #expect(try db.transactionDate.timeIntervalSince1970 == 3)
        #expect(try db.transactionDate.timeIntervalSince1970 == 3)
        return .commit
      }
      #expect(try db.transactionDate.timeIntervalSince1970 == 4)
    }
  }

  @Test func `handlers run once, after the next transaction has ended`() throws {
    try database().inDatabase { db throws in
      let events = LockedList()
      func watch() {
        db.afterNextTransaction(
          onCommit: { db in events.append("commit \(db.isInsideTransaction)") },
          onRollback: { _ in events.append("rollback") })
      }
      watch()
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      #expect(events.take() == ["commit false"])
      try db.inTransaction { () throws in
        watch()
        try db.inSavepoint { .commit }
        #expect(events.take().isEmpty)
        return .commit
      }
      #expect(events.take() == ["commit false"])
      try db.inTransaction { () throws in
        watch()
        return .rollback
      }
      #expect(events.take() == ["rollback"])
      watch()
      #expect(error { try db.execute(sql: "INSERT INTO t VALUES (1)") } != nil)
      #expect(events.take().isEmpty)
      try db.inTransaction { .commit }
      #expect(events.take() == ["commit false"])
    }
  }

  @Test func `nothing is written where only reading is allowed`() throws {
    let queue = try database()
    let failure = databaseError {
      try queue.read { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(failure?.resultCode == .SQLITE_READONLY)
    #expect(failure?.message == "attempt to write a readonly database")
    try queue.write { db throws in
      try db.readOnly { () throws in
        #expect(
          databaseError { try db.execute(sql: "DELETE FROM t") }?.resultCode == .SQLITE_READONLY)
      }
      try db.execute(sql: "INSERT INTO t VALUES (1)")
    }
  }

  @Test func `transactions of a read-only connection are deferred`() throws {
    try withTemporaryPath { path in
      try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
      var configuration = Configuration()
      configuration.readonly = true
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.inDatabase { db throws in
        let texts = try executedSQL(db) { try db.inTransaction { .commit } }
        #expect(texts == ["BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION"])
      }
    }
  }

  @Test func `the first error comes out, not that of the rollback`() throws {
    struct Failure: Error {}
    try database().inDatabase { db throws in
      let failure = error {
        try db.inTransaction { () throws in
          // The rollback has nothing left to do, or fails.
          try db.execute(sql: "ROLLBACK")
          throw Failure()
        }
      }
      #expect(failure is Failure)
    }
  }
}
