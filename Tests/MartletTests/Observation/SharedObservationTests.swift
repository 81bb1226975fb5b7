import Dispatch
import Foundation
import Martlet
import Synchronization
import Testing

/// Shared observations call their observers while no lock is held.
@Suite struct SharedObservationTests {
  private func makeQueue() throws -> DatabaseQueue {
    let queue = try emptyDatabase()
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY)") }
    return queue
  }

  private func insert(_ database: any DatabaseWriter) throws {
    try database.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
  }

  private func share(
    _ database: any DatabaseReader, _ extent: SharedValueObservationExtent = .whileObserved,
    failingAt failure: Int? = nil
  ) -> SharedValueObservation<Int> {
    ValueObservation.tracking { db in
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? 0
      if count == failure { throw DatabaseError(message: "failure") }
      return count
    }.shared(
      in: database, scheduling: .async(onQueue: DispatchQueue(label: "shared")), extent: extent)
  }

  private func wait(_ semaphore: DispatchSemaphore, _ location: SourceLocation = #_sourceLocation) {
    #expect(semaphore.wait(timeout: .now() + 20) == .success, sourceLocation: location)
  }

  @Test func `who has the database starts and cancels while an observer waits for it`() throws {
    let queue = try makeQueue(), shared = share(queue)
    let isCalled = DispatchSemaphore(value: 0), isWriting = DispatchSemaphore(value: 0)
    let hasRead = DispatchSemaphore(value: 0), hasWritten = DispatchSemaphore(value: 0)
    let first = shared.start(onError: { _ in }) { value in
      guard value == 1 else { return }
      isCalled.signal()
      isWriting.wait()
      #expect(throws: Never.self) { try queue.read { _ in } }
      hasRead.signal()
    }
    queue.writeWithoutTransaction { _ in }
    try insert(queue)
    wait(isCalled)
    let values = LockedList()
    DispatchQueue.global().async {
      queue.writeWithoutTransaction { _ in
        isWriting.signal()
        let second = shared.start(onError: { _ in }, onChange: { values.append("\($0)") })
        shared.start(onError: { _ in }, onChange: { _ in }).cancel()
        second.cancel()
        first.cancel()
      }
      hasWritten.signal()
    }
    wait(hasWritten)
    wait(hasRead)
    #expect(values.take() == [])
  }

  @Test func `observers start and cancel others when they are called`() throws {
    let queue = try makeQueue(), shared = share(queue), list = LockedList()
    let isDone = DispatchSemaphore(value: 0)
    let others = Mutex<[String: AnyDatabaseCancellable]>([:])
    let first = shared.start(onError: { _ in }) { value in
      list.append("first \(value)")
      guard value == 1 else { return }
      others.withLock { $0.removeValue(forKey: "cancelled") }?.cancel()
      let new = shared.start(onError: { _ in }) { value in
        list.append("new \(value)")
        isDone.signal()
      }
      others.withLock { $0["new"] = new }
    }
    let cancelled = shared.start(onError: { _ in }) { value in
      list.append("cancelled \(value)")
      isDone.signal()
    }
    others.withLock { $0["cancelled"] = cancelled }
    wait(isDone)
    #expect(list.take().sorted() == ["cancelled 0", "first 0"])
    try insert(queue)
    wait(isDone)
    #expect(list.take() == ["first 1", "new 1"])
    try insert(queue)
    wait(isDone)
    #expect(list.take() == ["first 2", "new 2"])
    withExtendedLifetime((first, cancelled)) {}
  }

  @Test func `an error is told to all, and ends or stays`() throws {
    for extent in [SharedValueObservationExtent.whileObserved, .observationLifetime] {
      let queue = try makeQueue(), list = LockedList()
      let shared = share(queue, extent, failingAt: 1)
      let isTold = DispatchSemaphore(value: 0)
      func start(_ name: String) -> AnyDatabaseCancellable {
        shared.start(
          onError: { _ in
            list.append("\(name) error")
            isTold.signal()
          },
          onChange: { value in
            list.append("\(name) \(value)")
            isTold.signal()
          })
      }
      let one = start("one"), two = start("two")
      wait(isTold)
      wait(isTold)
      #expect(list.take().sorted() == ["one 0", "two 0"])
      try insert(queue)
      wait(isTold)
      wait(isTold)
      #expect(list.take() == ["one error", "two error"])
      try insert(queue)
      let three = start("three")
      wait(isTold)
      #expect(list.take() == [extent == .whileObserved ? "three 2" : "three error"])
      withExtendedLifetime((one, two, three)) {}
    }
  }

  @Test func `each observer is told values in their order, whoever starts and ends`() throws {
    try withTemporaryPath { path throws in
      let pool = try DatabasePool(path: path)
      try pool.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY)") }
      let shared = share(pool), writeCount = 100
      let mistakes = LockedList()
      @Sendable func observer(_ isFinal: DispatchSemaphore? = nil) -> AnyDatabaseCancellable {
        let last = Mutex(-1), isBusy = Mutex(false)
        return shared.start(onError: { mistakes.append("\($0)") }) { value in
          if isBusy.withLock({ swap(&$0, true) }) { mistakes.append("two at a time") }
          let before = last.withLock { swap(&$0, value) }
          if before > value { mistakes.append("\(value) after \(before)") }
          isBusy.withLock { $0 = false }
          if value == writeCount { isFinal?.signal() }
        }
      }
      let isFinal = DispatchSemaphore(value: 0), kept = observer(isFinal)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for number in 0..<writeCount {
          if thread == 0 {
            #expect(throws: Never.self) { try insert(pool) }
          } else {
            let one = observer(), two = observer()
            if number % 3 == 0 { pool.writeWithoutTransaction { _ in one.cancel() } }
            two.cancel()
          }
        }
      }
      wait(isFinal)
      #expect(mistakes.take() == [])
      kept.cancel()
    }
  }
}

/// Gives a variable another value, and gives the one before.
private func swap<Value>(_ variable: inout Value, _ value: Value) -> Value {
  defer { variable = value }
  return variable
}
