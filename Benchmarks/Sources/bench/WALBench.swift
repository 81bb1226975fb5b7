import Foundation

/// A workload on a database in WAL mode: each engine on a file of its own that it has prepared itself.
enum WALWorkload: String, CaseIterable {
  case insertOff = "insert, autocommit, off"
  case insertNormal = "insert, autocommit, normal"
  case insertFull = "insert, autocommit, full"
  case readersAndWriter = "8 readers beside a writer"
  case checkpoint = "checkpoint of 10,000 frames"
  case pointReads = "point reads, 100,000 frames"
  case pointReadsSmallLog = "point reads, 1,000 frames"

  /// What stands before the timed part.
  fileprivate var setup: [String] {
    let table = "CREATE TABLE item(id INTEGER PRIMARY KEY, code INTEGER, pad BLOB)"
    func fill(_ rows: Int, _ byteCount: Int) -> String {
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO item SELECT i, i * 7, zeroblob(\(byteCount)) FROM n
      """
    }
    let manual = "PRAGMA wal_autocheckpoint = 0"
    return switch self {
    case .insertOff: ["PRAGMA synchronous = OFF", table]
    case .insertNormal: ["PRAGMA synchronous = NORMAL", table]
    case .insertFull: ["PRAGMA synchronous = FULL", table]
    case .readersAndWriter: ["PRAGMA synchronous = NORMAL", table, fill(20_000, 100)]
    case .checkpoint: ["PRAGMA synchronous = NORMAL", manual, table, fill(10_000, 3_900)]
    case .pointReads: ["PRAGMA synchronous = OFF", manual, table, fill(100_000, 3_900)]
    case .pointReadsSmallLog: ["PRAGMA synchronous = OFF", manual, table, fill(1_000, 3_900)]
    }
  }

  /// The timed part, which gives what it has read.
  fileprivate func run<Engine: BenchEngine & Sendable>(
    _ engine: Engine, path: String, thorough: Bool
  ) throws -> Checksum {
    var checksum = Checksum(isThorough: thorough)
    switch self {
    case .insertOff: try Self.insert(5_000, engine)
    case .insertNormal: try Self.insert(5_000, engine)
    case .insertFull: try Self.insert(500, engine)
    case .checkpoint: try Workload.execute("PRAGMA wal_checkpoint(PASSIVE)", on: engine)
    case .pointReads: try Self.read(20_000, of: 100_000, engine, &checksum)
    case .pointReadsSmallLog: try Self.read(20_000, of: 1_000, engine, &checksum)
    case .readersAndWriter: try Self.readAndWrite(engine, path)
    }
    return checksum
  }

  private static func insert<Engine: BenchEngine>(_ count: Int, _ engine: Engine) throws {
    let statement = try engine.prepare("INSERT INTO item(code, pad) VALUES(?1, zeroblob(100))")
    for index in 0..<count {
      try statement.bind(Int64(index), at: 1)
      while try statement.step() {}
      statement.reset()
    }
  }

  private static func read<Engine: BenchEngine>(
    _ count: Int, of rows: Int, _ engine: Engine, _ checksum: inout Checksum
  ) throws {
    let statement = try engine.prepare("SELECT code, length(pad) FROM item WHERE id = ?1")
    for index in 0..<count {
      try statement.bind(Int64((index &* 7_919) % rows + 1), at: 1)
      while try statement.step() { statement.read(into: &checksum) }
      statement.reset()
    }
  }

  /// Each with a connection and a thread of its own, until all have done their share.
  private static func readAndWrite<Engine: BenchEngine & Sendable>(
    _ engine: Engine, _ path: String
  ) throws {
    let failures = Failures()
    let readers = try (0..<8).map { _ in try Engine(path: path) }
    DispatchQueue.concurrentPerform(iterations: readers.count + 1) { index in
      do {
        if index == readers.count {
          try insert(2_000, engine)
        } else {
          var checksum = Checksum(isThorough: false)
          try read(4_000, of: 20_000, readers[index], &checksum)
        }
      } catch { failures.add(error) }
    }
    if let failure = failures.first { throw failure }
  }
}

private final class Failures: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var first: (any Error)?
  func add(_ error: any Error) { lock.withLock { first = first ?? error } }
}

/// Runs the workloads in WAL mode, in turns.
struct WALBench {
  let options: BenchOptions
  private let folder: URL

  init(_ options: BenchOptions) throws {
    self.options = options
    let parent =
      options.dataFolder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    folder = parent.appendingPathComponent("martlet-wal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func compare(_ workloads: [WALWorkload], _ library: OracleLibrary) throws -> BenchReport {
    print("Martlet beside C SQLite \(library.version) (\(library.path)), in WAL mode")
    print("\(options.pairs) pairs, medians in ms; each run on a file that the engine has made")
    let measurements = try measureAll(workloads, measure)
    return BenchReport(
      subject: "WAL mode", rival: "C SQLite \(library.version)",
      size: "each on its own file", pairs: options.pairs,
      measurements: measurements)
  }

  private func measure(_ workload: WALWorkload) throws -> Measurement {
    var martletTimes: [Double] = []
    var oracleTimes: [Double] = []
    for pair in 0..<options.pairs {
      // The first pair shows whether both read the same.
      var sums: [Checksum] = []
      for turn in 0..<2 {
        if (pair + turn) % 2 == 0 {
          let (time, sum) = try time(workload, MartletBench.self, thorough: pair == 0)
          martletTimes.append(time)
          sums.append(sum)
        } else {
          let (time, sum) = try time(workload, OracleBench.self, thorough: pair == 0)
          oracleTimes.append(time)
          sums.append(sum)
        }
      }
      guard sums[0] == sums[1] else {
        throw BenchError(engine: "Martlet", message: "wrong answer in \(workload.rawValue)")
      }
    }
    let ratios = zip(martletTimes, oracleTimes).map { $0 / max($1, 1e-6) }
    return Measurement(
      name: workload.rawValue, martletMilliseconds: median(martletTimes),
      oracleMilliseconds: median(oracleTimes), ratio: median(ratios))
  }

  /// Milliseconds of one run on a fresh file.
  private func time<Engine: BenchEngine & Sendable>(
    _ workload: WALWorkload, _ engine: Engine.Type, thorough: Bool
  ) throws -> (Double, Checksum) {
    let path = folder.appendingPathComponent("wal.db").path
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data().write(to: URL(fileURLWithPath: path))
    let engine = try Engine(path: path)
    try Workload.execute("PRAGMA journal_mode = WAL", on: engine)
    for statement in workload.setup { try Workload.execute(statement, on: engine) }
    let start = ContinuousClock.now
    let checksum = try workload.run(engine, path: path, thorough: thorough)
    return ((ContinuousClock.now - start) / .milliseconds(1), checksum)
  }

  /// One engine alone, as a profiler wants it.
  func run(_ only: BenchOptions.Only, _ workloads: [WALWorkload]) throws {
    for workload in workloads {
      var milliseconds: [Double] = []
      for _ in 0..<options.iterations {
        switch only {
        case .martlet:
          milliseconds.append(try time(workload, MartletBench.self, thorough: false).0)
        case .c: milliseconds.append(try time(workload, OracleBench.self, thorough: false).0)
        }
      }
      print(row(workload.rawValue, [decimal(median(milliseconds), 2) + " ms"]), terminator: "")
      fflush(nil)
    }
  }
}
