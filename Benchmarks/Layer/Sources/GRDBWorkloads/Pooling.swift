import Foundation

#if MARTLET
  import Martlet
#else
  import GRDB
#endif

/// Four threads that read from a pool while another one writes to it, one row a transaction.
final class Pooling: @unchecked Sendable {
  private static let readerCount = 4
  private let pool: DatabasePool
  private let rows: Int
  private let lock = NSLock()
  private var sum = 0
  private var isReading = false

  init(path: String, rows: Int) throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = Pooling.readerCount
    pool = try DatabasePool(path: path, configuration: configuration)
    self.rows = rows
  }

  func fill() throws { try Workloads.fill(pool, rows) }

  var all: [(name: String, run: () throws -> Int)] {
    [
      ("pool: fetch all", { try self.read { try self.fetchAll() } }),
      ("pool: point reads", { try self.read { try self.fetchPoints() } }),
    ]
  }

  /// The sum of what the readers give.
  private func read(_ body: @escaping @Sendable () throws -> Int) throws -> Int {
    lock.withLock { (sum, isReading) = (0, true) }
    let writer = DispatchGroup()
    DispatchQueue.global().async(group: writer) { self.write() }
    DispatchQueue.concurrentPerform(iterations: Pooling.readerCount) { _ in
      // What fails has another sum than the other library.
      guard let result = try? body() else { return }
      self.lock.withLock { self.sum &+= result }
    }
    lock.withLock { isReading = false }
    writer.wait()
    return lock.withLock { sum }
  }

  private func write() {
    var id: Int64 = 0
    while lock.withLock({ isReading }) {
      id += 1
      let number = id
      try? pool.write { db in
        try db.execute(
          sql: "INSERT INTO event VALUES (?)", arguments: ["2020-01-01 00:00:00.\(number % 1_000)"])
      }
    }
  }

  private func fetchAll() throws -> Int {
    try pool.read { db in
      try OptimizedItem.fetchAll(db).reduce(0) { $0 &+ $1.sum }
    }
  }

  private func fetchPoints() throws -> Int {
    var sum = 0
    for index in 0..<(rows / 40) {
      let id = Int64(index &* 7_919 % rows + 1)
      sum &+= try pool.read { try CodableItem.fetchOne($0, key: id)?.sum ?? 0 }
    }
    return sum
  }
}
