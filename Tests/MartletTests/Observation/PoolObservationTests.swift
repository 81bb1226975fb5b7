import Dispatch
import Foundation
import Martlet
import Synchronization
import Testing

/// Values that an observation tells, one after the other.
private final class Told<Value: Sendable>: @unchecked Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private let values = Mutex<[Value]>([])

  func tell(_ value: Value) {
    values.withLock { $0.append(value) }
    arrived.signal()
  }

  /// Waits for a value that fulfils a predicate; all that were told until then.
  func values(until isLast: (Value) -> Bool) throws -> [Value] {
    while true {
      let known = values.withLock { $0 }
      if let index = known.firstIndex(where: isLast) { return Array(known[...index]) }
      try #require(arrived.wait(timeout: .now() + 300) == .success, "nothing is told any more")
    }
  }

  var count: Int { values.withLock { $0.count } }
}

/// Holds the first fetch after `close()`.
private final class Gate: Sendable {
  private let fetch = DispatchSemaphore(value: 0)
  private let opening = DispatchSemaphore(value: 0)
  private let isClosed = Mutex(false)

  func close() { isClosed.withLock { $0 = true } }

  /// For the fetch.
  func pass() {
    let isHeld = isClosed.withLock { isClosed in
      defer { isClosed = false }
      return isClosed
    }
    guard isHeld else { return }
    fetch.signal()
    opening.wait()
  }

  func awaitFetch() { fetch.wait() }
  func open() { opening.signal() }
}

@Suite struct PoolObservationTests {
  private static let queue = DispatchQueue(label: "observations")

  private static func observe<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, _ pool: DatabasePool, _ told: Told<Reducer.Value>
  ) -> AnyDatabaseCancellable {
    observation.start(
      in: pool, scheduling: .async(onQueue: queue),
      onError: { Issue.record($0) }, onChange: { told.tell($0) })
  }

  private static let countings: [ValueObservation<ValueReducers.Fetch<Int>>] = [
    .tracking { try rowCount($0) }, .trackingConstantRegion { try rowCount($0) },
    .tracking(region: Table<Row>("t")) { try rowCount($0) },
  ]

  @Test(arguments: 0..<3) func `the last value is told, and the first`(index: Int) throws {
    try withPool { pool throws in
      let told = Told<Int>()
      let cancellable = Self.observe(Self.countings[index], pool, told)
      #expect(try told.values { $0 == 0 }.last == 0)
      for _ in 0..<100 { try pool.write { try insertRow($0) } }
      let values = try told.values { $0 == 100 }
      #expect(values == values.sorted())
      cancellable.cancel()
    }
  }

  @Test(arguments: 0..<3) func `the writer does not wait for values`(index: Int) throws {
    try withPool { pool throws in
      let gate = Gate()
      let hold: @Sendable (Database) throws -> Int = { db in
        let count = try rowCount(db)
        gate.pass()
        return count
      }
      let observations: [ValueObservation<ValueReducers.Fetch<Int>>] = [
        .tracking(hold), .trackingConstantRegion(hold),
        .tracking(region: Table<Row>("t"), fetch: hold),
      ]
      let told = Told<Int>()
      let cancellable = Self.observe(observations[index], pool, told)
      _ = try told.values { $0 == 0 }
      // The observation watches when an access that was asked for later has ended.
      pool.writeWithoutTransaction { _ in }
      gate.close()
      try pool.write { try insertRow($0) }
      gate.awaitFetch()
      // A value is being fetched.
      try pool.write { try insertRow($0) }
      gate.open()
      let values = try told.values { $0 == 2 }
      #expect(values == [0, 1, 2])
      cancellable.cancel()
    }
  }

  @Test func `changes that are made while an observation starts are told`() throws {
    for _ in 0..<50 {
      try withPool { pool throws in
        let told = Told<Int>()
        let cancellable = Self.observe(Self.countings[0], pool, told)
        try pool.write { try insertRow($0) }
        _ = try told.values { $0 == 1 }
        cancellable.cancel()
      }
    }
  }

  @Test func `a value that reads other tables each time is told of each`() throws {
    try withPool { pool throws in
      try pool.write { db throws in
        try db.execute(sql: "CREATE TABLE u(a); CREATE TABLE choice(name TEXT)")
        try db.execute(sql: "INSERT INTO choice VALUES ('t')")
      }
      let observation = ValueObservation.tracking { db in
        let table = try String.fetchOne(db, sql: "SELECT name FROM choice") ?? ""
        return try "\(table) \(Table<Row>(table).fetchCount(db))"
      }
      let told = Told<String>()
      let cancellable = Self.observe(observation, pool, told)
      _ = try told.values { $0 == "t 0" }
      try pool.write { try $0.execute(sql: "UPDATE choice SET name = 'u'") }
      try pool.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
      _ = try told.values { $0 == "u 1" }
      cancellable.cancel()
    }
  }

  /// A writer whose transaction is open over several accesses, while values are fetched.
  @Test func `a transaction that is open while a value is fetched is told`() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    try withPool(configuration) { pool throws in
      let gate = Gate(), told = Told<Int>()
      let observation = ValueObservation.tracking { db -> Int in
        let count = try rowCount(db)
        gate.pass()
        return count
      }
      let cancellable = Self.observe(observation, pool, told)
      _ = try told.values { $0 == 0 }
      gate.close()
      try pool.write { try insertRow($0) }
      gate.awaitFetch()
      try pool.writeWithoutTransaction { db throws in
        try db.execute(sql: "BEGIN")
        try insertRow(db)
      }
      gate.open()
      _ = try told.values { $0 == 1 }
      // What the end of the fetch leaves to do is an access of its own.
      try pool.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
      let values = try told.values { $0 == 2 }
      #expect(values.last == 2)
      cancellable.cancel()
    }
  }

  @Test(
    arguments: zip(
      ["fts5(a)", "fts4(a)", "rtree(id, a, b)"],
      ["VALUES ('x')", "VALUES ('x')", "VALUES (NULL, 1, 2)"]))
  func `a virtual table that changes while it is fetched is told`(
    module: String, row: String
  ) throws {
    try withPool { pool throws in
      try pool.write { try $0.execute(sql: "CREATE VIRTUAL TABLE v USING \(module)") }
      let gate = Gate(), told = Told<Int>()
      let observation = ValueObservation.tracking { db -> Int in
        let count = try Table<Row>("v").fetchCount(db)
        gate.pass()
        return count
      }
      let cancellable = Self.observe(observation, pool, told)
      _ = try told.values { $0 == 0 }
      gate.close()
      try pool.write { try $0.execute(sql: "INSERT INTO v \(row)") }
      gate.awaitFetch()
      try pool.write { try $0.execute(sql: "INSERT INTO v \(row)") }
      gate.open()
      let values = try told.values { $0 == 2 }
      #expect(values.last == 2)
      cancellable.cancel()
    }
  }

  @Test func `changes elsewhere fetch nothing`() throws {
    try withPool { pool throws in
      try pool.write { try $0.execute(sql: "CREATE TABLE u(a)") }
      let told = Told<Int>()
      let cancellable = Self.observe(Self.countings[0], pool, told)
      _ = try told.values { $0 == 0 }
      for _ in 0..<20 { try pool.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") } }
      try pool.write { try insertRow($0) }
      let values = try told.values { $0 == 1 }
      #expect(values == [0, 1])
      cancellable.cancel()
    }
  }

  /// As `.immediate`, from any thread.
  private struct AtOnce: ValueObservationScheduler {
    func immediateInitialValue() -> Bool { true }
    func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
  }

  @Test func `the first value is told at once where that is asked for`() throws {
    try withPool { pool throws in
      let told = Told<Int>()
      let cancellable = Self.countings[0].start(
        in: pool, scheduling: AtOnce(), onError: { Issue.record($0) },
        onChange: { told.tell($0) })
      #expect(told.count == 1)
      // What is written behind the start is told.
      try pool.write { try insertRow($0) }
      #expect(try told.values { $0 == 1 } == [0, 1])
      cancellable.cancel()
    }
  }

  @Test func `the first value is of the state before it is fetched, and what follows is told`()
    throws
  {
    try withPool { pool throws in
      let isFirst = Mutex(true)
      let events = Told<String>()
      let told = Told<Int>()
      let observation = ValueObservation.trackingConstantRegion { db -> Int in
        let isFirstFetch = isFirst.withLock { value in
          defer { value = false }
          return value
        }
        if isFirstFetch { try pool.write { try insertRow($0) } }
        return try rowCount(db)
      }
      .handleEvents(
        willTrackRegion: { _ in events.tell("region") },
        databaseDidChange: { events.tell("change") })
      let cancellable = observation.start(
        in: pool, scheduling: AtOnce(), onError: { Issue.record($0) },
        onChange: { told.tell($0) })
      #expect(try told.values { $0 == 1 } == [0, 1])
      #expect(try events.values { $0 == "region" } == ["change", "region"])
      cancellable.cancel()
    }
  }

  @Test func `an error ends the observation`() throws {
    try withPool { pool throws in
      let errors = LockedList()
      let told = Told<Int>()
      let failed = DispatchSemaphore(value: 0)
      let observation = ValueObservation.tracking { db in
        let count = try rowCount(db)
        if count > 0 { throw DatabaseError(message: "enough") }
        return count
      }
      let cancellable = observation.start(
        in: pool, scheduling: .async(onQueue: Self.queue),
        onError: {
          errors.append("\($0)")
          failed.signal()
        }, onChange: { told.tell($0) })
      _ = try told.values { $0 == 0 }
      try pool.write { try insertRow($0) }
      failed.wait()
      try pool.write { try insertRow($0) }
      #expect(errors.take() == ["SQLite error 1: enough"])
      #expect(told.count == 1)
      cancellable.cancel()
    }
  }

  @Test func `values that need a write are fetched by the writer`() throws {
    try withPool { pool throws in
      var observation = ValueObservation.tracking { db in
        try db.execute(sql: "INSERT INTO log DEFAULT VALUES")
        return try rowCount(db)
      }
      observation.requiresWriteAccess = true
      try pool.write { try $0.execute(sql: "CREATE TABLE log(a)") }
      let told = Told<Int>()
      let cancellable = Self.observe(observation, pool, told)
      try pool.write { try insertRow($0) }
      _ = try told.values { $0 == 1 }
      cancellable.cancel()
      #expect(try pool.read { try Table<Row>("log").fetchCount($0) } > 0)
    }
  }

  @Test func `sequences and shared observations work on pools`() async throws {
    try await withPool { pool async throws in
      var expected = 0
      for try await count in Self.countings[0].values(in: pool) {
        if count < expected { continue }
        expected = count + 1
        if expected == 4 { break }
        try await pool.write { try insertRow($0) }
      }
      #expect(expected == 4)
      let shared = Self.countings[0].shared(in: pool, scheduling: .async(onQueue: Self.queue))
      for try await count in shared.values() {
        #expect(count == 3)
        break
      }
    }
  }

  @Test func `regions are observed on the writer`() throws {
    try withPool { pool throws in
      let told = Told<Int>()
      let cancellable = DatabaseRegionObservation(tracking: Table<Row>("t")).start(
        in: pool, onError: { Issue.record($0) },
        onChange: { db in told.tell((try? rowCount(db)) ?? -1) })
      try pool.write { try insertRow($0) }
      try pool.write { try insertRow($0) }
      #expect(try told.values { $0 == 2 } == [1, 2])
      cancellable.cancel()
    }
  }

  @Test func `a snapshot has one value`() throws {
    try withPool { pool throws in
      let told = Told<Int>()
      let snapshot = try pool.makeSnapshot()
      let cancellable = Self.countings[0].start(
        in: snapshot, scheduling: .async(onQueue: Self.queue), onError: { Issue.record($0) },
        onChange: { told.tell($0) })
      #expect(try told.values { $0 == 0 } == [0])
      cancellable.cancel()
    }
  }
}
