import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MartletEngine

@Suite struct BusyTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory("test.db")
    try Connection(path: path).setVersion(1)
  }

  private func connect() throws -> Connection { try Connection(path: path) }

  private final class Counter: Sendable {
    let attempts = Mutex<[Int]>([])
    func note(_ attempt: Int) { attempts.withLock { $0.append(attempt) } }
    var list: [Int] { attempts.withLock { $0 } }
  }

  @Test func `the handler is told how often it was asked, until it gives up`() throws {
    let holder = try connect(), waiter = try connect()
    let counter = Counter()
    waiter.busyHandler = { attempt in
      counter.note(attempt)
      return attempt < 3
    }
    try holder.execute("BEGIN EXCLUSIVE")
    let statement = try holder.prepare("COMMIT")
    #expect(waiter.failure("BEGIN IMMEDIATE") == SQLError(.busy))
    #expect(counter.list == [0, 1, 2, 3])
    _ = try statement.step()
    try waiter.execute("BEGIN IMMEDIATE")
    #expect(counter.list.count == 4)
  }

  /// A database in WAL mode whose write lock is held, and who wants it.
  private func connectToLog() throws -> (holder: Connection, waiter: Connection, Counter) {
    let holder = try connect(), waiter = try connect(), counter = Counter()
    try holder.execute("PRAGMA journal_mode = wal; CREATE TABLE t(a); BEGIN IMMEDIATE")
    waiter.busyHandler = { attempt in
      counter.note(attempt)
      return false
    }
    return (holder, waiter, counter)
  }

  @Test func `locks of a log are waited for before the handler is asked`() throws {
    let (holder, waiter, counter) = try connectToLog()
    #expect(waiter.failure("BEGIN IMMEDIATE") == SQLError(.busy))
    waiter.waitForLogs(milliseconds: 30)
    let clock = ContinuousClock()
    let time = clock.measure { #expect(waiter.failure("BEGIN IMMEDIATE") == SQLError(.busy)) }
    #expect(time >= .milliseconds(30))
    #expect(counter.list == [0, 0])
    waiter.waitForLogs(milliseconds: -1)
    let committing = Thread {
      usleep(50_000)
      do { try holder.execute("COMMIT") } catch { Issue.record("\(error)") }
    }
    committing.start()
    try waiter.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES(1)")
    #expect(counter.list == [0, 0])
  }

  @Test func `who wants to write what it reads does not wait for the log`() throws {
    let (holder, waiter, counter) = try connectToLog()
    waiter.waitForLogs(milliseconds: -1)
    try waiter.execute("BEGIN; SELECT * FROM t")
    #expect(waiter.failure("INSERT INTO t VALUES(1)") == SQLError(.busy))
    #expect(counter.list == [])
    try holder.execute("COMMIT")
  }

  @Test func `a checkpoint waits for readers of the log`() throws {
    let (holder, waiter, _) = try connectToLog()
    try holder.execute("INSERT INTO t VALUES(1); COMMIT; BEGIN; SELECT * FROM t")
    #expect(try waiter.checkpoint(.truncate).isBusy)
    waiter.waitForLogs(milliseconds: -1)
    let committing = Thread {
      usleep(50_000)
      do { try holder.execute("COMMIT") } catch { Issue.record("\(error)") }
    }
    committing.start()
    #expect(try !waiter.checkpoint(.truncate).isBusy)
  }

  @Test func `only who says so waits for a database that somebody has for itself`() throws {
    let (holder, waiter, counter) = try connectToLog()
    try holder.execute(
      "COMMIT; PRAGMA locking_mode = exclusive; INSERT INTO t VALUES(1)")
    waiter.waitForLogs(milliseconds: 30)
    #expect(waiter.failure("SELECT * FROM t") == SQLError(.busy))
    waiter.waitForLogs(milliseconds: 30, blocksOnConnect: true)
    let time = ContinuousClock().measure {
      #expect(waiter.failure("SELECT * FROM t") == SQLError(.busy))
    }
    #expect(time >= .milliseconds(30))
    #expect(counter.list == [0, 0])
  }

  @Test func `a reader that wants to write does not ask`() throws {
    let holder = try connect(), waiter = try connect()
    let counter = Counter()
    waiter.busyHandler = { attempt in
      counter.note(attempt)
      return attempt < 1
    }
    try waiter.execute("BEGIN; PRAGMA user_version")
    try holder.execute("BEGIN IMMEDIATE")
    #expect(try waiter.writer(2).failure() == SQLError(.busy))
    #expect(counter.list == [])
    // Outside a transaction it does.
    try waiter.execute("COMMIT")
    #expect(try waiter.writer(2).failure() == SQLError(.busy))
    #expect(counter.list == [0, 1])
  }

  @Test func `a page size that is set beside an exclusive lock counts for a new file`() throws {
    let path = directory("new.db")
    let holder = try Connection(path: path), maker = try Connection(path: path)
    try holder.execute("BEGIN EXCLUSIVE")
    try maker.execute("PRAGMA page_size = 512")
    try holder.execute("ROLLBACK")
    try maker.execute("CREATE TABLE t(a)")
    #expect(try maker.integer("PRAGMA page_size") == 512)
    // A database that is there keeps its own.
    try holder.execute("BEGIN EXCLUSIVE")
    let reader = try Connection(path: path)
    try reader.execute("PRAGMA page_size = 1024")
    try holder.execute("ROLLBACK")
    #expect(try reader.integer("SELECT count(*) FROM t") == 0)
    #expect(try reader.integer("PRAGMA page_size") == 512)
  }

  @Test func `a timeout and a handler take each other's place`() throws {
    let connection = try connect()
    #expect(connection.busyTimeout == 0)
    connection.busyTimeout = 250
    #expect(connection.busyTimeout == 250 && connection.busyHandler != nil)
    connection.busyHandler = { _ in false }
    #expect(connection.busyTimeout == 0)
    connection.busyTimeout = -5
    #expect(connection.busyTimeout == 0 && connection.busyHandler == nil)
  }

  @Test func `a timeout waits that long, and no longer`() throws {
    let holder = try connect(), waiter = try connect()
    try holder.execute("BEGIN EXCLUSIVE")
    waiter.busyTimeout = 120
    let clock = ContinuousClock()
    let duration = clock.measure { #expect(waiter.failure("PRAGMA user_version")?.code == .busy) }
    #expect(duration >= .milliseconds(115) && duration < .seconds(20))
  }

  @Test func `attached databases ask too`() throws {
    let holder = try connect(), waiter = try Connection(path: ":memory:")
    let counter = Counter()
    waiter.busyHandler = { attempt in
      counter.note(attempt)
      return false
    }
    try waiter.execute("ATTACH '\(path)' AS other")
    try holder.execute("BEGIN EXCLUSIVE")
    #expect(waiter.failure("BEGIN IMMEDIATE")?.code == .busy)
    #expect(counter.list == [0])
    #expect(waiter.readingDatabases == 0)
  }

  @Test func `pauses grow to a tenth of a second, and sum up to the timeout`() {
    var pauses: [Int] = []
    while let pause = BusyDelay.milliseconds(pauses.count, timeout: 450) { pauses.append(pause) }
    #expect(pauses == [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100, 100, 22])
  }
}
