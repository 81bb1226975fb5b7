import Foundation
import Martlet
import Synchronization
import Testing

@Suite struct DatabaseQueueTests {
  @Test func `a file keeps what was written`() throws {
    try withTemporaryPath { path in
      let queue = try DatabaseQueue(path: path)
      try queue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
      try queue.close()
      var configuration = Configuration()
      configuration.readonly = true
      let reader = try DatabaseQueue(path: path, configuration: configuration)
      #expect(reader.path == path)
      #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
      let failure = databaseError {
        try reader.inDatabase { try $0.execute(sql: "DELETE FROM t") }
      }
      #expect(failure?.resultCode == .SQLITE_READONLY)
    }
  }

  @Test func `a file that is no database is refused when it is opened`() throws {
    try withTemporaryPath { path in
      try Data(repeating: 65, count: 4_096).write(to: URL(fileURLWithPath: path))
      #expect(databaseError { try DatabaseQueue(path: path) }?.resultCode == .SQLITE_NOTADB)
    }
    #expect(
      databaseError { try DatabaseQueue(path: "/nowhere/x.sqlite") }?.resultCode == .SQLITE_CANTOPEN)
  }

  @Test func `databases in memory are shared by name`() throws {
    let name = "shared \(UUID().uuidString)"
    let first = try DatabaseQueue(named: name)
    let second = try DatabaseQueue(named: name)
    let other = try DatabaseQueue()
    try first.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try second.read { try $0.tableExists("t") })
    #expect(try !other.read { try $0.tableExists("t") })
    #expect(other.path == ":memory:")
  }

  @Test func `copies have the content, and are read-only where the configuration says so`() throws {
    try withTemporaryPath { path in
      try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
      var configuration = Configuration()
      configuration.readonly = true
      for copy in [
        try DatabaseQueue.inMemoryCopy(fromPath: path),
        try DatabaseQueue.temporaryCopy(fromPath: path),
      ] {
        try copy.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      }
      let copy = try DatabaseQueue.inMemoryCopy(fromPath: path, configuration: configuration)
      let failure = databaseError {
        try copy.inDatabase { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      }
      #expect(failure?.resultCode == .SQLITE_READONLY)
    }
  }

  @Test func `a closed queue throws`() throws {
    let queue = try emptyDatabase()
    var statement: Statement? = try queue.inDatabase { try $0.makeStatement(sql: "SELECT 1") }
    #expect(databaseError { try queue.close() }?.resultCode == .SQLITE_BUSY)
    #expect(statement != nil)
    statement = nil
    try queue.close()
    try queue.close()
    let failure = databaseError { try queue.read { try $0.execute(sql: "SELECT 1") } }
    #expect(failure?.resultCode == .SQLITE_MISUSE)
    #expect(failure?.message == "Connection is closed")
  }

  @Test func `accesses can be nested where that is asked for`() throws {
    let queue = try emptyDatabase()
    let value = try queue.write { _ in
      try queue.unsafeReentrantWrite { db in
        try queue.unsafeReentrantRead { try Int.fetchOne($0, sql: "SELECT 1") }
      }
    }
    #expect(value == 1)
  }

  @Test func `the configuration prepares connections`() throws {
    var configuration = Configuration()
    configuration.label = "main"
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { $0.add(function: DatabaseFunction("one") { _ in 1 }) }
    configuration.prepareDatabase { try $0.execute(sql: "CREATE TEMP TABLE prepared(a)") }
    let queue = try emptyDatabase(configuration)
    try queue.read { db throws in
      #expect(db.description == "main")
      #expect(try Int.fetchOne(db, sql: "SELECT one()") == 1)
      #expect(try db.tableExists("prepared"))
      #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 0)
      #expect(databaseError { try db.execute(sql: "SELECT \"text\"") } != nil)
    }
    #expect(try emptyDatabase().read { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 1)
    configuration.acceptsDoubleQuotedStringLiterals = true
    try emptyDatabase(configuration).read { try $0.execute(sql: "SELECT \"text\"") }
  }

  @Test func `asynchronous accesses run one after the other`() async throws {
    let queue = try emptyDatabase()
    try await queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await queue.write { db throws in
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 50)
  }

  @Test func `cancelling a task ends its access and takes it back`() async throws {
    let queue = try emptyDatabase()
    try await queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    let started = AsyncStream<Void>.makeStream()
    let task = Task {
      try await queue.write { db throws in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        started.continuation.yield()
        try db.execute(
          sql: "WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) "
            + "SELECT COUNT(*) FROM c")
      }
    }
    for await _ in started.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 0)
  }

  @Test func `a task that is cancelled before does not begin`() async throws {
    let queue = try emptyDatabase()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `callbacks get the database or the result`() async throws {
    let queue = try emptyDatabase()
    let value = await withCheckedContinuation { continuation in
      queue.asyncWrite({ try Int.fetchOne($0, sql: "SELECT 42") }) { _, result in
        continuation.resume(returning: try? result.get())
      }
    }
    #expect(value == 42)
    let read = await withCheckedContinuation { continuation in
      queue.asyncRead { db in
        continuation.resume(returning: try? Int.fetchOne(db.get(), sql: "SELECT 7"))
      }
    }
    #expect(read == 7)
  }

  @Test func `what is read later is told once, also when its transaction has been ended`() throws {
    let queue = try emptyDatabase()
    let results = Mutex<[Bool]>([])
    queue.asyncRead { result in
      results.withLock { $0.append((try? result.get()) != nil) }
      try? result.get().execute(sql: "COMMIT")
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    #expect(results.withLock { $0 } == [true])
  }

  @Test func `erase leaves nothing`() throws {
    try withTemporaryPath { path in
      for queue in [try emptyDatabase(), try DatabaseQueue(path: path)] {
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        try queue.erase()
        #expect(try !queue.read { try $0.tableExists("t") })
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try queue.vacuum()
      }
    }
  }

  @Test func `type-erased accesses do what their base does`() throws {
    let queue = try emptyDatabase()
    let writer = AnyDatabaseWriter(queue)
    try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try AnyDatabaseReader(queue).read { try $0.tableExists("t") })
  }

  @Test func `a backup copies the database and reports its progress`() throws {
    let source = try emptyDatabase()
    let target = try emptyDatabase()
    try source.write { db throws in
      try db.execute(sql: "CREATE TABLE t(a)")
      for _ in 0..<50 {
        try db.execute(sql: "INSERT INTO t VALUES (zeroblob(1000))")
      }
    }
    var steps = 0
    try source.backup(to: target, pagesPerStep: 3) { progress in
      steps += 1
      #expect(progress.isCompleted == (progress.remainingPageCount == 0))
    }
    #expect(steps > 3)
    #expect(try target.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") } == 50)
    struct Enough: Error {}
    #expect(error { try source.backup(to: target, pagesPerStep: 1) { _ in throw Enough() } } is Enough)
    try source.backup(to: target) { _ in throw Enough() }
  }
}
