import Dispatch
import Foundation
import Martlet
import Testing

@Suite struct AccessOrderTests {
  private static func writers() throws -> [any DatabaseWriter] {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("martlet-\(UUID().uuidString).sqlite").path
    return [try DatabaseQueue(), try DatabasePool(path: path)]
  }

  private static func removeFiles(_ writer: any DatabaseWriter) {
    for suffix in ["", "-wal", "-shm"] where writer.path != ":memory:" {
      try? FileManager.default.removeItem(atPath: writer.path + suffix)
    }
  }

  @Test func `a synchronous access does not overtake asynchronous ones`() throws {
    for writer in try Self.writers() {
      defer { Self.removeFiles(writer) }
      for _ in 0..<100 {
        let order = LockedList()
        writer.asyncWriteWithoutTransaction { _ in order.append("async") }
        writer.writeWithoutTransaction { _ in order.append("sync") }
        #expect(order.take() == ["async", "sync"])
      }
    }
  }

  @Test func `accesses run on the queues of the configuration`() throws {
    let key = DispatchSpecificKey<String>()
    let target = DispatchQueue(label: "target", attributes: .concurrent)
    let writeTarget = DispatchQueue(label: "write target")
    target.setSpecific(key: key, value: "target")
    writeTarget.setSpecific(key: key, value: "write target")
    var configuration = Configuration()
    configuration.targetQueue = target
    let queue = try DatabaseQueue(configuration: configuration)
    #expect(queue.inDatabase { _ in DispatchQueue.getSpecific(key: key) } == "target")
    configuration.writeTargetQueue = writeTarget
    try withPool(configuration) { pool throws in
      let write = pool.writeWithoutTransaction { _ in DispatchQueue.getSpecific(key: key) }
      #expect(write == "write target")
      #expect(try pool.read { _ in DispatchQueue.getSpecific(key: key) } == "target")
    }
  }

  @Test func `an observation misses no value that is written behind its start`() throws {
    for _ in 0..<50 {
      let queue = try DatabaseQueue()
      try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      let values = LockedList()
      let done = DispatchSemaphore(value: 0)
      let cancellable = ValueObservation.tracking { try rowCount($0) }.start(
        in: queue, scheduling: .async(onQueue: DispatchQueue(label: "values")),
        onError: { Issue.record($0) },
        onChange: {
          values.append("\($0)")
          if $0 == 1 { done.signal() }
        })
      try queue.write { try insertRow($0) }
      try #require(done.wait(timeout: .now() + 300) == .success)
      #expect(values.take() == ["0", "1"])
      cancellable.cancel()
    }
  }
}
