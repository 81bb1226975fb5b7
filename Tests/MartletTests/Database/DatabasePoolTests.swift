import Dispatch
import Foundation
import Martlet
import Testing

/// A pool on a file of its own with one table of numbers, which goes when the body ends.
func withPool<T>(
  _ configuration: Configuration = Configuration(), _ body: (DatabasePool) throws -> T
) throws -> T {
  try withTemporaryPath { path throws in
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    return try body(pool)
  }
}

func withPool<T>(
  _ configuration: Configuration = Configuration(), _ body: (DatabasePool) async throws -> T
) async throws -> T {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("martlet-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  let path = directory.appendingPathComponent("db.sqlite").path
  let pool = try DatabasePool(path: path, configuration: configuration)
  try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
  return try await body(pool)
}

func insertRow(_ db: Database) throws { try db.execute(sql: "INSERT INTO t VALUES (1)") }
func rowCount(_ db: Database) throws -> Int {
  try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
}

/// A reading access that goes on until `end()`.
final class HeldRead: Sendable {
  private let mayEnd: DispatchSemaphore
  private let reader: Running<Void>

  init(_ pool: DatabasePool) {
    let isReading = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
    self.mayEnd = mayEnd
    reader = Running {
      try pool.read { _ in
        isReading.signal()
        mayEnd.wait()
      }
    }
    #expect(isReading.wait(timeout: .now() + 300) == .success)
  }

  func end() throws {
    mayEnd.signal()
    try reader.wait()
  }
}

/// Runs a closure on a thread of its own; `wait()` gives its result.
final class Running<T: Sendable>: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<T, any Error>?

  init(_ body: @escaping @Sendable () throws -> T) {
    Thread.detachNewThread {
      self.result = Result { try body() }
      self.done.signal()
    }
  }

  /// Whether it ends within some seconds.
  func ends(within seconds: Double) -> Bool {
    let hasEnded = done.wait(timeout: .now() + seconds) == .success
    if hasEnded { done.signal() }
    return hasEnded
  }

  @discardableResult
  func wait() throws -> T {
    try #require(ends(within: 300), "it waits for ever")
    return try #require(result).get()
  }
}

@Suite struct DatabasePoolTests {
  @Test func `the database is in WAL mode, with a log that is not empty`() throws {
    try withPool { pool throws in
      let mode = try pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
      #expect(mode == "wal")
      let size = try FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size]
      #expect((size as? Int ?? 0) > 0)
    }
    let failure = databaseError { try DatabasePool(path: ":memory:") }
    #expect(failure?.message == "could not activate WAL Mode at path: :memory:")
  }

  @Test func `reads do not wait for a write, and see the last commit`() throws {
    try withPool { pool throws in
      try pool.write { db throws in
        try insertRow(db)
        let count = try Running { try pool.read { try rowCount($0) } }.wait()
        #expect(count == 0)
      }
      #expect(try pool.read { try rowCount($0) } == 1)
    }
  }

  @Test func `writes do not wait for a read, which keeps its state`() throws {
    try withPool { pool throws in
      try pool.read { db throws in
        #expect(try rowCount(db) == 0)
        try Running { try pool.write { try insertRow($0) } }.wait()
        #expect(try rowCount(db) == 0)
      }
      #expect(try pool.read { try rowCount($0) } == 1)
      try pool.unsafeRead { db throws in
        #expect(try rowCount(db) == 1)
        try Running { try pool.write { try insertRow($0) } }.wait()
        #expect(try rowCount(db) == 2)
      }
    }
  }

  @Test func `a read inside a write sees what is committed`() throws {
    try withPool { pool throws in
      try pool.writeWithoutTransaction { db throws in
        try insertRow(db)
        try db.inTransaction {
          try insertRow(db)
          #expect(try pool.read { try rowCount($0) } == 1)
          return .commit
        }
        #expect(try pool.read { try rowCount($0) } == 2)
      }
    }
  }

  @Test func `a reentrant read inside a write sees what is not committed`() throws {
    try withPool { pool throws in
      try pool.write { db throws in
        try insertRow(db)
        #expect(try pool.unsafeReentrantRead { try $0 === db && rowCount($0) == 1 })
        #expect(try pool.read { try rowCount($0) } == 0)
      }
    }
  }

  @Test func `reads refuse to write`() throws {
    try withPool { pool throws in
      #expect(databaseError { try pool.read { try insertRow($0) } }?.resultCode == .SQLITE_READONLY)
      let unsafe = databaseError { try pool.unsafeRead { try insertRow($0) } }
      #expect(unsafe?.resultCode == .SQLITE_READONLY)
    }
  }

  @Test func `no more accesses read at a time than the configuration says`() throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = 2
    try withPool(configuration) { pool throws in
      let running = DispatchSemaphore(value: 0)
      let end = DispatchSemaphore(value: 0)
      let readers = (0..<2).map { _ in
        Running {
          try pool.read { _ in
            running.signal()
            end.wait()
          }
        }
      }
      for _ in readers { running.wait() }
      let third = Running { try pool.read { try rowCount($0) } }
      #expect(!third.ends(within: 0.2))
      end.signal()
      #expect(try third.wait() == 0)
      end.signal()
      for reader in readers { try reader.wait() }
    }
  }

  @Test func `a concurrent read sees the state in which it was asked for`() throws {
    try withPool { pool throws in
      let counts = LockedList()
      let mayRead = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      try pool.writeWithoutTransaction { db throws in
        try insertRow(db)
        pool.asyncConcurrentRead { result in
          mayRead.wait()
          counts.append("\((try? rowCount(result.get())) ?? -1)")
          done.signal()
        }
        try insertRow(db)
        mayRead.signal()
        done.wait()
        pool.spawnConcurrentRead { result in
          counts.append("\((try? rowCount(result.get())) ?? -1)")
          done.signal()
        }
        done.wait()
      }
      #expect(counts.take() == ["1", "2"])
    }
  }

  @Test func `a barrier waits for reads, and reads wait for a barrier`() throws {
    try withPool { pool throws in
      let isReading = DispatchSemaphore(value: 0)
      let mayEnd = DispatchSemaphore(value: 0)
      let read = Running {
        try pool.read { _ in
          isReading.signal()
          mayEnd.wait()
        }
      }
      isReading.wait()
      let isAlone = DispatchSemaphore(value: 0)
      let mayGo = DispatchSemaphore(value: 0)
      let barrier = Running {
        try pool.barrierWriteWithoutTransaction { db in
          try insertRow(db)
          isAlone.signal()
          mayGo.wait()
        }
      }
      #expect(!barrier.ends(within: 0.1))
      mayEnd.signal()
      isAlone.wait()
      let later = Running { try pool.read { try rowCount($0) } }
      #expect(!later.ends(within: 0.1))
      mayGo.signal()
      #expect(try later.wait() == 1)
      try read.wait()
      try barrier.wait()
    }
  }

  @Test func `a barrier lets the write before it begin its concurrent reads`() throws {
    try withPool { pool throws in
      let isWriting = DispatchSemaphore(value: 0)
      let mayRead = DispatchSemaphore(value: 0)
      let write = Running {
        try pool.writeWithoutTransaction { db throws in
          isWriting.signal()
          mayRead.wait()
          pool.asyncConcurrentRead { _ in Thread.sleep(forTimeInterval: 0.05) }
          return try pool.read { try rowCount($0) }
        }
      }
      isWriting.wait()
      let barrier = Running { try pool.barrierWriteWithoutTransaction { try insertRow($0) } }
      #expect(!barrier.ends(within: 0.1))
      mayRead.signal()
      #expect(try write.wait() == 0)
      try barrier.wait()
      #expect(try pool.read { try rowCount($0) } == 1)
    }
  }

  @Test func `readers learn of changes of the schema`() throws {
    try withPool { pool throws in
      #expect(try pool.read { try $0.columns(in: "t").count } == 1)
      try pool.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN b") }
      #expect(try pool.read { try $0.columns(in: "t").count } == 2)
      #expect(try pool.unsafeRead { try $0.columns(in: "t").count } == 2)
      let other = try DatabaseQueue(path: pool.path)
      try other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
      #expect(try pool.read { try $0.columns(in: "t").count } == 3)
    }
  }

  @Test func `connections are named for people who debug`() throws {
    try withPool { pool throws in
      #expect(pool.writeWithoutTransaction { $0.description } == "GRDB.DatabasePool.writer")
      #expect(try pool.read { $0.description } == "GRDB.DatabasePool.reader.1")
    }
    var configuration = Configuration()
    configuration.label = "main"
    try withPool(configuration) { pool throws in
      #expect(pool.writeWithoutTransaction { $0.description } == "main.writer")
      #expect(try pool.makeSnapshot().read { $0.description } == "main.snapshot.1")
    }
  }

  @Test func `closing ends all accesses`() throws {
    try withPool { pool throws in
      try pool.read { _ in }
      try pool.close()
      try pool.close()
      #expect(databaseError { try pool.read { _ in } }?.resultCode == .SQLITE_MISUSE)
      let write = databaseError { try pool.write { try insertRow($0) } }
      #expect(write?.message == "Connection is closed")
      pool.releaseMemory()
      pool.invalidateReadOnlyConnections()
    }
  }

  @Test func `a statement of the writer keeps the pool open, one of a reader does not`() throws {
    try withPool { pool throws in
      var statement: Statement? = try pool.writeWithoutTransaction {
        try $0.makeStatement(sql: "SELECT 1")
      }
      #expect(databaseError { try pool.close() }?.resultCode == .SQLITE_BUSY)
      #expect(try pool.read { try rowCount($0) } == 0)
      #expect(statement != nil)
      statement = try pool.read { try $0.makeStatement(sql: "SELECT 1") }
      #expect(databaseError { try pool.close() }?.resultCode == .SQLITE_BUSY)
      #expect(databaseError { try pool.read { _ in } }?.resultCode == .SQLITE_MISUSE)
      #expect(statement != nil)
      try pool.close()
    }
  }

  @Test func `connections that read are closed to free memory unless they persist`() throws {
    for isPersistent in [false, true] {
      var configuration = Configuration()
      configuration.persistentReadOnlyConnections = isPersistent
      let opened = LockedCounter()
      configuration.prepareDatabase { _ in _ = opened.next() }
      try withPool(configuration) { pool throws in
        try pool.read { _ in }
        pool.releaseMemory()
        try pool.read { _ in }
        // The writer and one reader, or two.
        #expect(opened.next() == (isPersistent ? 3 : 4))
        pool.releaseMemoryEventually()
        pool.invalidateReadOnlyConnections()
        try pool.read { db throws in
          #expect(db.description.hasSuffix(isPersistent ? "reader.2" : "reader.3"))
          // It goes when the access has ended.
          pool.invalidateReadOnlyConnections()
          #expect(try rowCount(db) == 0)
        }
        try pool.read { #expect($0.description.hasSuffix(isPersistent ? "reader.3" : "reader.4")) }
      }
    }
  }

  @Test func `a pool that is read-only opens what is there`() throws {
    try withPool { pool throws in
      try pool.write { try insertRow($0) }
      var configuration = Configuration()
      configuration.readonly = true
      let reader = try DatabasePool(path: pool.path, configuration: configuration)
      #expect(try reader.read { try rowCount($0) } == 1)
      let failure = databaseError { try reader.write { try insertRow($0) } }
      #expect(failure?.resultCode == .SQLITE_READONLY)
      let missing = databaseError {
        try DatabasePool(path: pool.path + "-missing", configuration: configuration)
      }
      #expect(missing?.resultCode == .SQLITE_CANTOPEN)
    }
  }

  @Test func `a pool is erased, vacuumed, copied and migrated`() throws {
    try withPool { pool throws in
      try pool.write { try insertRow($0) }
      let copy = try DatabaseQueue()
      try pool.backup(to: copy)
      #expect(try copy.read { try rowCount($0) } == 1)
      try pool.vacuum()
      try pool.erase()
      #expect(try pool.read { try !$0.tableExists("t") })
      var migrator = DatabaseMigrator()
      migrator.registerMigration("t") { try $0.create(table: "t") { $0.column("a") } }
      try migrator.migrate(pool)
      #expect(try pool.read { try rowCount($0) } == 0)
      #expect(try pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }
  }

  @Test func `a queue brings its database into WAL mode where it is asked to`() throws {
    try withTemporaryPath { path throws in
      var configuration = Configuration()
      configuration.journalMode = .wal
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      #expect(try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
      #expect(try DatabasePool(path: path).read { try $0.tableExists("sqlite_master") })
    }
  }
}

@Suite struct DatabasePoolTaskTests {
  @Test func `tasks read and write`() async throws {
    try await withPool { pool async throws in
      try await pool.write { try insertRow($0) }
      let count = try await pool.read { try rowCount($0) }
      #expect(count == 1)
      let unsafe = try await pool.unsafeRead { try rowCount($0) }
      #expect(unsafe == 1)
      let alone = try await pool.barrierWriteWithoutTransaction { db in
        try insertRow(db)
        return try rowCount(db)
      }
      #expect(alone == 2)
    }
  }

  @Test func `more tasks read than there are connections`() async throws {
    try await withPool { pool async throws in
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<100 { group.addTask { try await pool.read { try rowCount($0) + 1 } } }
        return try await group.reduce(0, +)
      }
      #expect(sum == 100)
    }
  }

  /// What has a connection must not need a thread of tasks: here they all wait for connections.
  @Test func `tasks may block their threads with synchronous reads`() async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = 2
    try await withPool(configuration) { pool async throws in
      @Sendable func readBlocking() throws -> Int { try pool.read { try rowCount($0) + 1 } }
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<200 {
          group.addTask {
            number.isMultiple(of: 2)
              ? try readBlocking() : try await pool.read { try rowCount($0) + 1 }
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(sum == 200)
    }
  }

  /// A connection that must be opened for a closure needs none of them.
  @Test func `reads that wait may block all threads of global queues`() throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    try withPool(configuration) { pool throws in
      let read = HeldRead(pool)
      let hasRead = DispatchSemaphore(value: 0)
      pool.asyncRead { _ in hasRead.signal() }
      // As many as there are threads. Nobody waits for these: other tests need the threads, too.
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount + 2 {
        DispatchQueue.global().async { _ = try? pool.read { try rowCount($0) } }
      }
      Thread.sleep(forTimeInterval: 0.1)
      pool.invalidateReadOnlyConnections()
      try read.end()
      #expect(hasRead.wait(timeout: .now() + 300) == .success)
    }
  }

  @Test func `cancelling ends a task that waits for a connection`() async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    try await withPool(configuration) { pool async throws in
      let read = HeldRead(pool)
      let task = Task { try await pool.read { try rowCount($0) } }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try read.end()
      #expect(try await pool.read { try rowCount($0) } == 0)
    }
  }

  @Test func `cancelling takes the transaction of a barrier back`() async throws {
    try await withPool { pool async throws in
      let task = Task {
        try await pool.barrierWriteWithoutTransaction { db in
          try db.inTransaction {
            try insertRow(db)
            withUnsafeCurrentTask { $0?.cancel() }
            try insertRow(db)
            return .commit
          }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await pool.read { try rowCount($0) } == 0)
    }
  }

  @Test func `a read whose task is cancelled at its end succeeds`() async throws {
    try await withPool { pool async throws in
      let task = Task {
        try await pool.read { db throws in
          let count = try rowCount(db)
          withUnsafeCurrentTask { $0?.cancel() }
          return count
        }
      }
      #expect(try await task.value == 0)
    }
  }
}
