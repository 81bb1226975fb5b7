import Dispatch
import Foundation
import Martlet
import Synchronization
import Testing

@Suite struct ValueObservationTests {
  private func makeQueue() throws -> DatabaseQueue {
    let queue = try emptyDatabase()
    try queue.write { try Observing.makeTables($0) }
    return queue
  }

  private static let counting = ValueObservation.tracking { db in
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") ?? 0
  }

  private func insert(_ queue: DatabaseQueue, _ id: Int) throws {
    try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (?, 'x')", arguments: [id]) }
  }

  /// Values and errors of an observation, which are waited for.
  private final class Values: Sendable {
    private let texts = LockedList()
    private let semaphore = DispatchSemaphore(value: 0)

    func append(_ value: some Any) {
      texts.append("\(value)")
      semaphore.signal()
    }

    /// The next values, as soon as there are so many.
    func next(_ count: Int) -> [String] {
      for _ in 0..<count where semaphore.wait(timeout: .now() + 300) == .timedOut {
        return ["timeout"] + texts.take()
      }
      return texts.take()
    }
  }

  private func start<Reducer: ValueReducer>(
    _ observation: ValueObservation<Reducer>, _ queue: any DatabaseReader
  ) -> (Values, AnyDatabaseCancellable) {
    let values = Values()
    let cancellable = observation.start(
      in: queue, scheduling: .async(onQueue: DispatchQueue(label: "values"))
    ) { error in
      values.append(error)
    } onChange: { value in
      values.append(value)
    }
    return (values, cancellable)
  }

  // MARK: Values

  @Test func `the first value comes always, others with changes`() throws {
    let queue = try makeQueue()
    let (values, cancellable) = start(Self.counting, queue)
    #expect(values.next(1) == ["0"])
    try insert(queue, 1)
    #expect(values.next(1) == ["1"])
    try queue.write { try $0.execute(sql: "UPDATE child SET n = 1") }
    try queue.write { try $0.execute(sql: "INSERT INTO note VALUES (2, ''), (3, '')") }
    #expect(values.next(1) == ["3"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `a transaction that is taken back gives no value`() throws {
    let queue = try makeQueue()
    let (values, cancellable) = start(Self.counting, queue)
    #expect(values.next(1) == ["0"])
    try queue.inTransaction {
      try $0.execute(sql: "INSERT INTO note VALUES (1, '')")
      return .rollback
    }
    try insert(queue, 2)
    #expect(values.next(1) == ["1"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `no change is missed between the first fetch and the start`() throws {
    for _ in 0..<20 {
      let queue = try makeQueue()
      let (values, cancellable) = start(Self.counting, queue)
      try insert(queue, 1)
      var last: String?
      repeat { last = values.next(1).last } while last == "0"
      #expect(last == "1")
      withExtendedLifetime(cancellable) {}
    }
  }

  @Test func `what is fetched says what is watched, each time`() throws {
    let queue = try makeQueue()
    let observation = ValueObservation.tracking { db -> Int in
      let isFirst = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") == 0
      return try Int.fetchOne(
        db, sql: isFirst ? "SELECT SUM(n) FROM child" : "SELECT COUNT(*) FROM parent") ?? 0
    }
    let (values, cancellable) = start(observation, queue)
    #expect(values.next(1) == ["60"])
    try queue.write { try $0.execute(sql: "INSERT INTO parent VALUES (9, 'z')") }
    try queue.write { try $0.execute(sql: "UPDATE child SET n = 1 WHERE id = 1") }
    #expect(values.next(1) == ["51"])
    try insert(queue, 1)
    #expect(values.next(1) == ["3"])
    try queue.write { try $0.execute(sql: "UPDATE child SET n = 2") }
    try queue.write { try $0.execute(sql: "INSERT INTO parent VALUES (10, 'y')") }
    #expect(values.next(1) == ["4"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `a constant region is that of the first fetch`() throws {
    let queue = try makeQueue()
    let observation = ValueObservation.trackingConstantRegion { db -> Int in
      let isFirst = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") == 0
      return isFirst ? 0 : try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM parent") ?? 0
    }
    let (values, cancellable) = start(observation, queue)
    #expect(values.next(1) == ["0"])
    try insert(queue, 1)
    #expect(values.next(1) == ["2"])
    try queue.write { try $0.execute(sql: "INSERT INTO parent VALUES (9, 'z')") }
    try insert(queue, 2)
    #expect(values.next(1) == ["3"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `regions may be given`() throws {
    let queue = try makeQueue()
    let counter = LockedCounter()
    let observation = ValueObservation.tracking(
      region: Table("parent").filter(Column("id") == 1), Table("keyed")
    ) { _ in counter.next() }
    let (values, cancellable) = start(observation, queue)
    #expect(values.next(1) == ["1"])
    try queue.write { try $0.execute(sql: "UPDATE parent SET name = 'x' WHERE id = 2") }
    try queue.write { try $0.execute(sql: "UPDATE parent SET name = 'y' WHERE id = 1") }
    #expect(values.next(1) == ["2"])
    try queue.write { try $0.notifyChanges(in: Table("keyed")) }
    #expect(values.next(1) == ["3"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `registerAccess adds to what is watched`() throws {
    let queue = try makeQueue()
    let counter = LockedCounter()
    let observation = ValueObservation.tracking { db in
      try db.registerAccess(to: Table("note"))
      return counter.next()
    }
    let (values, cancellable) = start(observation, queue)
    #expect(values.next(1) == ["1"])
    try insert(queue, 1)
    #expect(values.next(1) == ["2"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `records with associated rows are watched with them`() throws {
    let queue = try makeQueue()
    let observation = ValueObservation.tracking { db in
      try Row.fetchAll(
        db, Observing.Parent.filter(key: 1).including(all: Observing.Parent.children)
      ).map { $0.prefetchedRows["children"]?.count ?? 0 }
    }
    let (values, cancellable) = start(observation, queue)
    #expect(values.next(1) == ["[2]"])
    try queue.write { try $0.execute(sql: "UPDATE parent SET name = 'x' WHERE id = 2") }
    try queue.write { try $0.execute(sql: "DELETE FROM child WHERE id = 1") }
    #expect(values.next(1) == ["[1]"])
    withExtendedLifetime(cancellable) {}
  }

  // MARK: Ends

  @Test func `cancelling and forgetting end an observation`() throws {
    let queue = try makeQueue()
    let (values, cancellable) = start(Self.counting, queue)
    #expect(values.next(1) == ["0"])
    cancellable.cancel()
    try insert(queue, 1)
    var (others, kept): (Values, AnyDatabaseCancellable?) = start(Self.counting, queue)
    #expect(others.next(1) == ["1"])
    withExtendedLifetime(kept) {}
    kept = nil
    try insert(queue, 2)
    let (last, end) = start(Self.counting, queue)
    #expect(last.next(1) == ["2"])
    #expect(others.next(0) == [])
    #expect(values.next(0) == [])
    others = last
    end.cancel()
  }

  @Test func `an error of the first fetch ends the observation`() throws {
    let queue = try makeQueue()
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT * FROM none") }
    let (values, cancellable) = start(observation, queue)
    #expect(values.next(1).first?.contains("no such table: none") == true)
    withExtendedLifetime(cancellable) {}
  }

  @Test func `an error of a later fetch, or of a transformation, ends the observation`() throws {
    struct Late: Error {}
    let queue = try makeQueue()
    let failing = ValueObservation.tracking { db -> Int in
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") ?? 0
      if count == 1 { throw Late() }
      return count
    }
    let mapping = Self.counting.map { count -> Int in
      if count == 1 { throw Late() }
      return count
    }
    let (values, first) = start(failing, queue)
    let (others, second) = start(mapping, queue)
    #expect(values.next(1) == ["0"])
    #expect(others.next(1) == ["0"])
    try insert(queue, 1)
    #expect(values.next(1) == ["Late()"])
    #expect(others.next(1) == ["Late()"])
    try insert(queue, 2)
    let (last, third) = start(Self.counting, queue)
    #expect(last.next(1) == ["2"])
    #expect(values.next(0) == [])
    #expect(others.next(0) == [])
    withExtendedLifetime((first, second, third)) {}
  }

  // MARK: Operators

  @Test func `map transforms, and removeDuplicates leaves out`() throws {
    let queue = try makeQueue()
    let (values, first) = start(Self.counting.map { $0 / 2 }.removeDuplicates(), queue)
    let parity = Self.counting.removeDuplicates { $0 % 2 == $1 % 2 }
    let (others, second) = start(parity, queue)
    #expect(values.next(1) == ["0"])
    #expect(others.next(1) == ["0"])
    for id in 1...4 { try insert(queue, id) }
    #expect(values.next(2) == ["1", "2"])
    #expect(others.next(4) == ["1", "2", "3", "4"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `events are handled in their order`() throws {
    let queue = try makeQueue()
    let list = LockedList()
    let observation = Self.counting.handleEvents(
      willStart: { list.append("start") }, willFetch: { list.append("fetch") },
      willTrackRegion: { list.append("region \($0)") },
      databaseDidChange: { list.append("change") },
      didReceiveValue: { list.append("value \($0)") }, didFail: { list.append("fail \($0)") },
      didCancel: { list.append("cancel") })
    let (values, cancellable) = start(observation, queue)
    _ = values.next(1)
    #expect(list.take() == ["start", "fetch", "region note(*)", "value 0"])
    try insert(queue, 1)
    _ = values.next(1)
    #expect(list.take() == ["change", "fetch", "value 1"])
    cancellable.cancel()
    #expect(list.take() == ["cancel"])
  }

  private final class Stream: TextOutputStream, Sendable {
    let list = LockedList()
    func write(_ string: String) { list.append(string) }
  }

  @Test func `print writes lines`() throws {
    let queue = try makeQueue()
    let stream = Stream()
    let (values, cancellable) = start(Self.counting.print("notes", to: stream), queue)
    _ = values.next(1)
    cancellable.cancel()
    #expect(
      stream.list.take() == [
        "notes: start", "notes: fetch", "notes: tracked region: note(*)", "notes: value: 0",
        "notes: cancel",
      ])
  }

  @Test func `a function may write if it says so`() throws {
    let queue = try makeQueue()
    var observation = ValueObservation.trackingConstantRegion { db -> Int in
      try db.execute(sql: "INSERT INTO parent (name) VALUES (NULL)")
      return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM note") ?? 0
    }
    let (refused, first) = start(observation, queue)
    #expect(refused.next(1).first?.contains("SQLite error 8") == true)
    observation.requiresWriteAccess = true
    let (values, second) = start(observation, queue)
    #expect(values.next(1) == ["0"])
    try insert(queue, 1)
    #expect(values.next(1) == ["1"])
    let count = try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM parent") }
    #expect(count == 4)
    withExtendedLifetime((first, second)) {}
  }

  // MARK: Schedulers

  @Test func `a scheduler may want the first value at once`() throws {
    struct AtOnce: ValueObservationScheduler {
      func immediateInitialValue() -> Bool { true }
      func schedule(_ action: @escaping @Sendable () -> Void) { action() }
    }
    let queue = try makeQueue()
    let values = Values()
    let cancellable = Self.counting.start(in: queue, scheduling: AtOnce()) {
      values.append($0)
    } onChange: {
      values.append($0)
    }
    #expect(values.next(0) == ["0"])
    try insert(queue, 1)
    #expect(values.next(2) == ["1"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `an observation starts inside an access`() throws {
    struct AtOnce: ValueObservationScheduler {
      func immediateInitialValue() -> Bool { true }
      func schedule(_ action: @escaping @Sendable () -> Void) { action() }
    }
    let queue = try makeQueue()
    let values = Values()
    let cancellable = try queue.write { db in
      try db.execute(sql: "INSERT INTO note VALUES (1, '')")
      let cancellable = Self.counting.start(in: queue, scheduling: AtOnce()) { _ in
      } onChange: {
        values.append($0)
      }
      try db.execute(sql: "INSERT INTO note VALUES (2, '')")
      return cancellable
    }
    #expect(values.next(2) == ["1", "2"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `values come on the main actor`() async throws {
    let queue = try makeQueue()
    let list = LockedList()
    let cancellable = await MainActor.run {
      Self.counting.start(in: queue) { _ in
      } onChange: { value in
        MainActor.assertIsolated()
        list.append("\(value)")
      }
    }
    try await queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, '')") }
    var seen: [String] = []
    for _ in 0..<2_000 where seen.last != "1" {
      try await Task.sleep(for: .milliseconds(10))
      seen += list.take()
    }
    #expect(seen.last == "1")
    cancellable.cancel()
  }

  // MARK: Sequences

  @Test func `values are a sequence`() async throws {
    let queue = try makeQueue()
    var seen: [Int] = []
    for try await count in Self.counting.values(in: queue) {
      seen.append(count)
      if count == 3 { break }
      try await queue.write { db in
        try db.execute(sql: "INSERT INTO note (text) VALUES ('x')")
      }
    }
    #expect(seen == [0, 1, 2, 3])
  }

  @Test func `an error ends the sequence`() async throws {
    let queue = try makeQueue()
    let observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT * FROM none") }
    await #expect(throws: DatabaseError.self) {
      for try await _ in observation.values(in: queue) {}
    }
  }

  @Test func `a cancelled task ends the sequence`() async throws {
    let queue = try makeQueue()
    let list = LockedList()
    let observation = Self.counting.handleEvents(didCancel: { list.append("cancelled") })
    let task = Task {
      for try await _ in observation.values(in: queue) {
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return true
    }
    #expect(try await task.value)
    #expect(list.take() == ["cancelled"])
  }

  // MARK: Shared observations

  @Test(arguments: [SharedValueObservationExtent.whileObserved, .observationLifetime])
  func `a shared observation fetches once for all`(extent: SharedValueObservationExtent) throws {
    let queue = try makeQueue()
    let fetches = LockedList()
    let shared = Self.counting.handleEvents(willFetch: { fetches.append("fetch") })
      .shared(
        in: queue, scheduling: .async(onQueue: DispatchQueue(label: "shared")), extent: extent)
    let one = Values(), two = Values()
    let first = shared.start(onError: { one.append($0) }, onChange: { one.append($0) })
    #expect(one.next(1) == ["0"])
    let second = shared.start(onError: { two.append($0) }, onChange: { two.append($0) })
    #expect(two.next(1) == ["0"])
    #expect(fetches.take() == ["fetch"])
    try insert(queue, 1)
    #expect(one.next(1) == ["1"])
    #expect(two.next(1) == ["1"])
    #expect(fetches.take() == ["fetch"])
    first.cancel()
    second.cancel()
    try insert(queue, 2)
    let three = Values()
    let third = shared.start(onError: { three.append($0) }, onChange: { three.append($0) })
    // The last value may come before the new one where the observation has gone on.
    var last: String?
    while last != "2" && last != "timeout" { last = three.next(1).last ?? last }
    #expect(last == "2")
    #expect(fetches.take() == ["fetch"])
    withExtendedLifetime(third) {}
  }

  @Test func `a shared observation is a sequence`() async throws {
    let queue = try makeQueue()
    let shared = Self.counting.shared(in: queue, scheduling: .task)
    var iterator = shared.values().makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    try await queue.write { try $0.execute(sql: "INSERT INTO note VALUES (1, '')") }
    #expect(try await iterator.next() == 1)
  }

  // MARK: Readers

  @Test func `a database that is only read gives one value`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
    defer { try? FileManager.default.removeItem(at: file) }
    let path = file.path
    let writer = try DatabaseQueue(path: path)
    try writer.write { try Observing.makeTables($0) }
    try writer.close()
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let (values, cancellable) = start(Self.counting, queue)
    #expect(values.next(1) == ["0"])
    withExtendedLifetime(cancellable) {}
  }

  @Test func `readers and writers of any kind are observed`() throws {
    let queue = try makeQueue()
    let (values, first) = start(Self.counting, AnyDatabaseWriter(queue))
    let (others, second) = start(Self.counting, AnyDatabaseReader(queue))
    #expect(values.next(1) == ["0"])
    #expect(others.next(1) == ["0"])
    try insert(queue, 1)
    #expect(values.next(1) == ["1"])
    #expect(others.next(1) == ["1"])
    withExtendedLifetime((first, second)) {}
  }
}
