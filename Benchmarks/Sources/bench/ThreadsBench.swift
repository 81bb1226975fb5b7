/// Threads with connections of their own on one file: what locks cost where many wait for them.
struct ThreadsWorkload: FileWorkload {
  enum Kind: String, CaseIterable {
    case readers, writers, mixed = "readers and writers"
  }

  let kind: Kind
  let isWAL: Bool
  let threadCount: Int

  static func all(threads: Int) -> [ThreadsWorkload] {
    [false, true].flatMap { isWAL in
      Kind.allCases.map { ThreadsWorkload(kind: $0, isWAL: isWAL, threadCount: threads) }
    }
  }

  var name: String { "\(kind.rawValue), \(isWAL ? "WAL" : "journal")" }

  var setup: [String] {
    [
      "PRAGMA journal_mode = \(isWAL ? "WAL" : "DELETE")", "PRAGMA synchronous = OFF",
      "CREATE TABLE item(id INTEGER PRIMARY KEY, code INTEGER)", "INSERT INTO item VALUES (1, 0)",
    ]
  }

  func run<Engine: BenchEngine & Sendable>(
    _ engine: Engine, path: String, thorough: Bool
  ) throws -> Checksum {
    let others = try (0..<threadCount).map { _ in
      let other = try Engine(path: path)
      try Workload.execute("PRAGMA synchronous = OFF", on: other)
      // Short, so that waiting is the engine's affair and not that of a sleep.
      try Workload.execute("PRAGMA busy_timeout = 10", on: other)
      return other
    }
    try inThreads(threadCount) { index in
      let writes = kind == .writers || kind == .mixed && index % 2 == 0
      if writes { try Self.write(others[index]) } else { try Self.read(others[index]) }
    }
    var checksum = Checksum(isThorough: thorough)
    let total = try engine.prepare("SELECT code FROM item")
    while try total.step() { total.read(into: &checksum) }
    return checksum
  }

  /// Transactions that begin with the lock; as often as it takes.
  private static func write<Engine: BenchEngine>(_ engine: Engine) throws {
    for _ in 0..<100 {
      try persist("BEGIN IMMEDIATE", engine)
      try Workload.execute("UPDATE item SET code = code + 1", on: engine)
      // Readers keep a writer of a journal from its end.
      try persist("COMMIT", engine)
    }
  }

  private static func read<Engine: BenchEngine>(_ engine: Engine) throws {
    for _ in 0..<500 { try persist("SELECT count(*) FROM item", engine) }
  }

  private static func persist<Engine: BenchEngine>(_ sql: String, _ engine: Engine) throws {
    var attempts = 0
    while true {
      do {
        return try Workload.execute(sql, on: engine)
      } catch {
        attempts += 1
        if attempts == 10_000 { throw error }
      }
    }
  }
}
