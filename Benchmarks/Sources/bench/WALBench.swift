import Foundation

/// A workload on a database in WAL mode.
enum WALWorkload: String, CaseIterable, FileWorkload {
  case insertOff = "insert, autocommit, off"
  case insertNormal = "insert, autocommit, normal"
  case insertFull = "insert, autocommit, full"
  case readersAndWriter = "8 readers beside a writer"
  case checkpoint = "checkpoint of 10,000 frames"
  case pointReads = "point reads, 100,000 frames"
  case pointReadsSmallLog = "point reads, 1,000 frames"

  var setup: [String] {
    let mode = "PRAGMA journal_mode = WAL"
    let table = "CREATE TABLE item(id INTEGER PRIMARY KEY, code INTEGER, pad BLOB)"
    func fill(_ rows: Int, _ byteCount: Int) -> String {
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO item SELECT i, i * 7, zeroblob(\(byteCount)) FROM n
      """
    }
    let manual = "PRAGMA wal_autocheckpoint = 0"
    return switch self {
    case .insertOff: [mode, "PRAGMA synchronous = OFF", table]
    case .insertNormal: [mode, "PRAGMA synchronous = NORMAL", table]
    case .insertFull: [mode, "PRAGMA synchronous = FULL", table]
    case .readersAndWriter: [mode, "PRAGMA synchronous = NORMAL", table, fill(20_000, 100)]
    case .checkpoint: [mode, "PRAGMA synchronous = NORMAL", manual, table, fill(10_000, 3_900)]
    case .pointReads: [mode, "PRAGMA synchronous = OFF", manual, table, fill(100_000, 3_900)]
    case .pointReadsSmallLog: [mode, "PRAGMA synchronous = OFF", manual, table, fill(1_000, 3_900)]
    }
  }

  func run<Engine: BenchEngine & Sendable>(
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
    let readers = try (0..<8).map { _ in try Engine(path: path) }
    try inThreads(readers.count + 1) { index in
      if index == readers.count { return try insert(2_000, engine) }
      var checksum = Checksum(isThorough: false)
      try read(4_000, of: 20_000, readers[index], &checksum)
    }
  }
}
