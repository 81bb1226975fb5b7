import Foundation
import Martlet
import Testing

/// Threads on one pool beside a process of C SQLite that writes the same file.
/// `MARTLET_POOL_SECONDS` says for how long.
@Suite struct PoolEnduranceTests {
  private static let seconds =
    Double(ProcessInfo.processInfo.environment["MARTLET_POOL_SECONDS"] ?? "") ?? 3
  private static let accountCount = 20
  private static let total = accountCount * 1_000

  /// Moves money between two accounts: the sum stays.
  private static func move(_ db: Database, _ random: inout SystemRandomNumberGenerator) throws {
    let from = Int.random(in: 1...accountCount, using: &random)
    let to = Int.random(in: 1...accountCount, using: &random)
    let amount = Int.random(in: 1...50, using: &random)
    let change = "UPDATE account SET credit = credit + ? WHERE id = ?"
    try db.execute(sql: change, arguments: [-amount, from])
    try db.execute(sql: change, arguments: [amount, to])
    try db.execute(sql: "UPDATE done SET count = count + 1 WHERE who = 'pool'")
  }

  private static func sum(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT SUM(credit) FROM account") ?? -1
  }

  private static func makePool(_ path: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { db throws in
      try db.execute(sql: "CREATE TABLE account(id INTEGER PRIMARY KEY, credit INTEGER NOT NULL)")
      try db.execute(sql: "CREATE TABLE done(who TEXT PRIMARY KEY, count INTEGER NOT NULL)")
      try db.execute(sql: "INSERT INTO done VALUES ('pool', 0), ('other', 0)")
      for id in 1...accountCount {
        try db.execute(sql: "INSERT INTO account VALUES (?, 1000)", arguments: [id])
      }
    }
    return pool
  }

  /// What a thread has done, or why it has ended.
  private struct Report: Sendable {
    var moves = 0
    var reads = 0
    var wrongSums: [Int] = []
  }

  private static func work(_ pool: DatabasePool, _ number: Int, until end: Date) throws -> Report {
    var random = SystemRandomNumberGenerator()
    var report = Report()
    while Date() < end {
      switch (number + report.moves + report.reads) % 8 {
      case 0, 1:
        try pool.write { try move($0, &random) }
        report.moves += 1
      case 2:
        let sums = try pool.read { db throws in
          let first = try sum(db)
          Thread.sleep(forTimeInterval: 0.002)
          return [first, try sum(db)]
        }
        report.wrongSums += sums.filter { $0 != total }
        report.reads += 1
      case 3 where report.reads % 16 == 0:
        let snapshot = try pool.makeSnapshotPool()
        let sums = try (0..<3).map { _ in try snapshot.read { try sum($0) } }
        report.wrongSums += sums.filter { $0 != total }
        report.reads += 1
      case 4 where report.reads % 32 == 0:
        try pool.barrierWriteWithoutTransaction { db in
          let sum = try sum(db)
          if sum != total { report.wrongSums.append(sum) }
        }
        report.reads += 1
      default:
        let sum = try pool.read { try Self.sum($0) }
        if sum != total { report.wrongSums.append(sum) }
        report.reads += 1
      }
    }
    return report
  }

  /// The shell of C SQLite, which moves money from account to account until its input ends.
  private static func other(_ path: String, _ oracle: String) throws -> (Process, FileHandle) {
    // Its end is an error of the write, and not the end of all tests.
    signal(SIGPIPE, SIG_IGN)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: oracle + "/sqlite3")
    process.arguments = ["-batch", "-bail", path]
    var environment = ProcessInfo.processInfo.environment
    environment["LD_LIBRARY_PATH"] = oracle
    process.environment = environment
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return (process, input.fileHandleForWriting)
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["MARTLET_ORACLE"] != nil,
      "set MARTLET_ORACLE to the folder of C SQLite's shell"))
  func `eight threads and another process keep the sum, and lose nothing`() throws {
    let oracle = try #require(ProcessInfo.processInfo.environment["MARTLET_ORACLE"])
    try withTemporaryPath { path throws in
      let pool = try Self.makePool(path)
      let end = Date(timeIntervalSinceNow: Self.seconds)
      let threads = (0..<8).map { number in
        Running { try Self.work(pool, number, until: end) }
      }
      let (process, input) = try Self.other(path, oracle)
      try input.write(contentsOf: Data(".timeout 60000\n".utf8))
      var otherMoves = 0
      while Date() < end {
        let from = Int.random(in: 1...Self.accountCount)
        let to = Int.random(in: 1...Self.accountCount)
        try input.write(
          contentsOf: Data(
            """
            BEGIN IMMEDIATE;
            UPDATE account SET credit = credit - 7 WHERE id = \(from);
            UPDATE account SET credit = credit + 7 WHERE id = \(to);
            UPDATE done SET count = count + 1 WHERE who = 'other';
            COMMIT;

            """.utf8))
        otherMoves += 1
        Thread.sleep(forTimeInterval: 0.001)
      }
      try input.close()
      var moves = 0
      for thread in threads {
        try #require(thread.ends(within: 120))
        let report = try thread.wait()
        #expect(report.wrongSums == [])
        moves += report.moves
      }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      try pool.read { db throws in
        #expect(try Self.sum(db) == Self.total)
        let done = try Row.fetchAll(db, sql: "SELECT who, count FROM done ORDER BY who")
        #expect(done.map { $0["count"] as Int } == [otherMoves, moves])
        #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      }
      #expect(moves > 0 && otherMoves > 0)
    }
  }
}
