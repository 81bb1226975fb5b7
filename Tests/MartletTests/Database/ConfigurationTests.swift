import Dispatch
import Foundation
import Martlet
import Testing

/// What a `Configuration` decides.
@Suite struct ConfigurationTests {
  @Test func `foreign keys are enforced unless the configuration says otherwise`() throws {
    for isEnforced in [true, false] {
      var configuration = Configuration()
      #expect(configuration.foreignKeysEnabled)
      configuration.foreignKeysEnabled = isEnforced
      try emptyDatabase(configuration).write { db throws in
        try db.execute(
          sql: "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p)")
        let failure = databaseError { try db.execute(sql: "INSERT INTO c VALUES (1)") }
        #expect(failure?.extendedResultCode == (isEnforced ? .SQLITE_CONSTRAINT_FOREIGNKEY : nil))
      }
    }
  }

  /// The error of a write while another connection writes.
  private func writeWhileBusy(_ configuration: Configuration) throws -> DatabaseError? {
    try withTemporaryPath { path in
      let first = try DatabaseQueue(path: path)
      try first.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      let second = try DatabaseQueue(path: path, configuration: configuration)
      return try first.write { _ in
        databaseError { try second.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      }
    }
  }

  @Test func `a locked database is an error at once`() throws {
    let failure = try writeWhileBusy(Configuration())
    #expect(failure?.resultCode == .SQLITE_BUSY)
    #expect(failure?.message == "database is locked")
    #expect(failure?.sql == "BEGIN IMMEDIATE TRANSACTION")
  }

  @Test func `a locked database is waited for as long as the timeout says`() throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(0.2)
    let start = Date()
    #expect(try writeWhileBusy(configuration)?.resultCode == .SQLITE_BUSY)
    #expect(Date().timeIntervalSince(start) >= 0.2)
  }

  @Test func `a function decides how long a locked database is waited for`() throws {
    let tries = LockedList()
    var configuration = Configuration()
    configuration.busyMode = .callback { count in
      tries.append("\(count)")
      return count < 3
    }
    #expect(try writeWhileBusy(configuration)?.resultCode == .SQLITE_BUSY)
    #expect(tries.take() == ["0", "1", "2", "3"])
  }

  @Test func `a task that is cancelled waits for no lock`() async throws {
    let folder = FileManager.default.temporaryDirectory
    let path = folder.appendingPathComponent("martlet-\(UUID().uuidString).sqlite").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let other = try DatabaseQueue(path: path)
    var otherConfiguration = Configuration()
    otherConfiguration.allowsUnsafeTransactions = true
    let locking = try DatabaseQueue(path: path, configuration: otherConfiguration)
    try await locking.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    for mode in [0, 1] {
      let (waiting, isWaiting) = AsyncStream.makeStream(of: Void.self)
      let tries = LockedCounter(), isGivenUp = LockedList()
      var configuration = Configuration()
      configuration.busyMode = .callback { _ in
        isWaiting.yield()
        Thread.sleep(forTimeInterval: 0.01)
        if tries.next() < 1_000 { return true }
        isGivenUp.append("given up")
        return false
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let task = Task {
        if mode == 0 {
          try await queue.write { _ in }
        } else {
          try await queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (a)") }
        }
      }
      for await _ in waiting { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(isGivenUp.take() == [])
      #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let clock = ContinuousClock(), start = clock.now
    let task = Task { try await queue.write { _ in } }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now - start < .seconds(30))
    try await locking.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try await other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
  }

  @Test func `a queue reads with one connection, whatever the configuration says`() throws {
    var configuration = Configuration()
    #expect(configuration.maximumReaderCount == 5)
    configuration.maximumReaderCount = 7
    #expect(try emptyDatabase(configuration).configuration.maximumReaderCount == 1)
  }

  @Test func `the journal mode stays as it is unless it is asked for`() throws {
    try withTemporaryPath { path in
      let queue = try DatabaseQueue(path: path)
      #expect(try queue.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
    }
    var configuration = Configuration()
    configuration.journalMode = .wal
    // Databases in memory have no log.
    let queue = try emptyDatabase(configuration)
    #expect(try queue.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "memory")
  }

  @Test func `a database without a log has nothing to check in`() throws {
    try inEmptyDatabase { db throws in
      let counts = try db.checkpoint(.truncate)
      #expect(counts.walFrameCount == -1 && counts.checkpointedFrameCount == -1)
      try db.checkpoint(on: nil)
      #expect(databaseError { try db.checkpoint(on: "nowhere") } != nil)
    }
  }

  @Test func `a transaction may outlive its access where the configuration allows it`() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try emptyDatabase(configuration)
    try queue.inDatabase { try $0.beginTransaction() }
    try queue.inDatabase { db throws in
      #expect(db.isInsideTransaction)
      try db.commit()
    }
  }

  @Test func `asynchronous accesses end on the target queue`() async throws {
    let key = DispatchSpecificKey<String>()
    for isWriterQueue in [true, false] {
      let target = DispatchQueue(label: "target", qos: .utility)
      target.setSpecific(key: key, value: "here")
      var configuration = Configuration()
      if isWriterQueue {
        configuration.writeTargetQueue = target
      } else {
        configuration.targetQueue = target
      }
      #expect(configuration.writeQoS == .utility)
      #expect(configuration.readQoS == (isWriterQueue ? .userInitiated : .utility))
      let queue = try emptyDatabase(configuration)
      let place = try await queue.read { _ in DispatchQueue.getSpecific(key: key) }
      #expect(place == "here")
    }
  }

  @Test func `a connection tells what it is and what the engine can do`() throws {
    var configuration = Configuration()
    configuration.label = "players"
    try emptyDatabase(configuration).write { db throws in
      #expect(db.description == "players")
      #expect(db.debugDescription.contains("players"))
      #expect(db.maximumStatementArgumentCount == 250_000)
      #expect(db.lastErrorCode == .SQLITE_OK)
      #expect(databaseError { try db.execute(sql: "SELECT nosuch") } != nil)
      #expect(db.lastErrorCode == .SQLITE_ERROR)
      #expect(db.lastErrorMessage == "no such column: nosuch")
    }
    #expect(Database.sqliteLibVersionNumber >= 3_053_000)
    #expect(try Database.sqliteCompileOptions().contains { $0.hasPrefix("THREADSAFE") })
  }

  @Test func `errors are logged where the application wants it`() throws {
    let messages = LockedList()
    let former = Database.logError
    defer { Database.logError = former }
    Database.logError = { code, message in messages.append("\(code.rawValue) \(message)") }
    try inEmptyDatabase { db throws in
      #expect(databaseError { try db.execute(sql: "SELECT unknownToTheLog") } != nil)
    }
    #expect(messages.take().contains("1 no such column: unknownToTheLog"))
    let queue = try emptyDatabase()
    let statement = try queue.inDatabase { try $0.makeStatement(sql: "SELECT 'kept'") }
    #expect(databaseError { try queue.close() }?.resultCode == .SQLITE_BUSY)
    #expect(messages.take().contains("5 unfinalized statement: SELECT 'kept'"))
    withExtendedLifetime(statement) {}
  }

  @Test(arguments: [-Double.infinity, -1e300, -1, 0, 0.001, 1e300, .infinity, .nan])
  func `any number of seconds is a timeout`(seconds: Double) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(seconds)
    let queue = try DatabaseQueue(configuration: configuration)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }
}
