import Foundation
import Martlet
import Testing

/// The accesses that `DatabaseReader` and `DatabaseWriter` offer, by a queue and its erasers.
@Suite struct AccessTests {
  private func tables() throws -> DatabaseQueue {
    let queue = try emptyDatabase()
    try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    return queue
  }

  private static func insert(_ db: Database) throws {
    try db.execute(sql: "INSERT INTO t VALUES (\(db.isInsideTransaction ? 1 : 0))")
  }

  private static func values(_ db: Database) throws -> [Int] {
    try Int.fetchAll(db, sql: "SELECT a FROM t")
  }

  @Test func `writing is in a transaction unless it is asked for without`() throws {
    let queue = try tables()
    for writer in [queue as any DatabaseWriter, AnyDatabaseWriter(queue)] {
      try writer.erase()
      try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      try writer.write { try Self.insert($0) }
      try writer.writeWithoutTransaction { try Self.insert($0) }
      try writer.barrierWriteWithoutTransaction { try Self.insert($0) }
      try writer.unsafeReentrantWrite { try Self.insert($0) }
      #expect(try writer.read { try Self.values($0) } == [1, 0, 0, 0])
      #expect(try writer.unsafeRead { try Self.values($0) } == [1, 0, 0, 0])
      #expect(try writer.unsafeReentrantRead { try Self.values($0) } == [1, 0, 0, 0])
    }
  }

  @Test func `every access can be awaited`() async throws {
    let queue = try tables()
    for writer in [queue as any DatabaseWriter, AnyDatabaseWriter(queue)] {
      try await writer.erase()
      try await writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      try await writer.write { try Self.insert($0) }
      try await writer.writeWithoutTransaction { try Self.insert($0) }
      try await writer.barrierWriteWithoutTransaction { try Self.insert($0) }
      #expect(try await writer.read { try Self.values($0) } == [1, 0, 0])
      #expect(try await writer.unsafeRead { try Self.values($0) } == [1, 0, 0])
      try await writer.vacuum()
    }
  }

  @Test func `every access can be asked for, to run later`() async throws {
    let queue = try tables()
    for writer in [queue as any DatabaseWriter, AnyDatabaseWriter(queue)] {
      try await writer.write { try $0.execute(sql: "DELETE FROM t") }
      writer.asyncWriteWithoutTransaction { try? Self.insert($0) }
      writer.asyncBarrierWriteWithoutTransaction { access in
        if let db = try? access.get() { try? Self.insert(db) }
      }
      let isInside = await withCheckedContinuation { continuation in
        writer.asyncWrite({ try Self.insert($0) }) { db, result in
          continuation.resume(returning: db.isInsideTransaction || (try? result.get()) == nil)
        }
      }
      // The completion runs after the transaction.
      #expect(!isInside)
      for kind in 0..<3 {
        let values = try await withCheckedThrowingContinuation {
          (continuation: CheckedContinuation<[Int], any Error>) in
          let body: @Sendable (Result<Database, any Error>) -> Void = { access in
            continuation.resume(with: Result { try Self.values(access.get()) })
          }
          switch kind {
          case 0: writer.asyncRead(body)
          case 1: writer.asyncUnsafeRead(body)
          default: writer.spawnConcurrentRead(body)
          }
        }
        #expect(values == [0, 0, 1])
      }
    }
  }

  @Test func `an asynchronous write that fails is taken back`() async throws {
    let queue = try tables()
    struct Failure: Error {}
    let isFailure = await withCheckedContinuation { continuation in
      queue.asyncWrite({ db in
        try Self.insert(db)
        throw Failure()
      }) { _, result in
        if case .failure(let error) = result {
          continuation.resume(returning: error is Failure)
        } else {
          continuation.resume(returning: false)
        }
      }
    }
    #expect(isFailure)
    #expect(try await queue.read { try Self.values($0) } == [])
  }

  @Test func `a database is built anew in place or in another file`() throws {
    try withTemporaryPath { path in
      let queue = try DatabaseQueue(path: path)
      try queue.write { db throws in
        try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
        try db.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (7)")
      }
      let before = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      try queue.vacuum()
      let after = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      #expect(after < before)
      try queue.vacuum(into: path + ".copy")
      #expect(try DatabaseQueue(path: path + ".copy").read { try Self.values($0) } == [7])
    }
  }

  @Test func `interrupt ends the statement that runs, and none later`() throws {
    let queue = try emptyDatabase()
    try queue.inDatabase { db throws in
      db.add(
        function: DatabaseFunction("stop") { [unowned queue] _ in
          queue.interrupt()
          return 1
        })
      let failure = databaseError {
        try Int.fetchAll(
          db,
          sql: """
            WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 100000)
            SELECT stop() FROM c
            """)
      }
      #expect(failure?.resultCode == .SQLITE_INTERRUPT)
      #expect(failure?.isInterruptionError == true)
      #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
    }
  }

  @Test func `a transaction is taken back however often it is interrupted`() throws {
    let queue = try emptyDatabase()
    try queue.inDatabase { try $0.execute(sql: "CREATE TABLE t(a)") }
    let isOver = Mutex(false), hasBegun = DispatchSemaphore(value: 0)
    let isQuiet = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      hasBegun.signal()
      while !isOver.withLock({ $0 }) { queue.interrupt() }
      isQuiet.signal()
    }
    hasBegun.wait()
    var insertedCount = 0
    for _ in 0..<20_000 {
      do {
        try queue.write { db in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          try db.inSavepoint {
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return .commit
          }
        }
        insertedCount += 2
      } catch let error as DatabaseError {
        #expect(error.resultCode == .SQLITE_INTERRUPT)
      }
    }
    isOver.withLock { $0 = true }
    isQuiet.wait()
    #expect(
      try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == insertedCount)
  }

  @Test func `a value of the closure is the value of the access`() throws {
    let queue = try tables()
    #expect(try queue.write { db in db.changesCount } == 0)
    #expect(queue.inDatabase { db in db.isInsideTransaction } == false)
  }

  @Test func `rows that were changed are counted`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2); DELETE FROM t")
      #expect(db.changesCount == 2)
      #expect(db.totalChangesCount == 4)
      #expect(db.lastInsertedRowID == 2)
    }
  }
}
