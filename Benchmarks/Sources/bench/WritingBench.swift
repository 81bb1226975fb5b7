import Foundation

/// Runs the writing workloads: each time on fresh files, one for each engine, made by C SQLite, or on
/// databases in memory.
struct WritingBench {
  let options: BenchOptions
  private let folder: URL
  private var original: String { path("original.db") }
  private var martletPath: String { path("martlet.db") }
  private var oraclePath: String { path("c.db") }

  init(_ options: BenchOptions) throws {
    self.options = options
    folder = try options.makeFolder("writing")
  }

  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Runs both engines in turns and prints the table.
  func compare(_ workloads: [WritingWorkload], _ library: OracleLibrary) throws -> BenchReport {
    print("Martlet beside C SQLite \(library.version) (\(library.path))")
    print("\(options.rows) rows, \(options.pairs) pairs, medians in ms; synchronous off, otherwise")
    print("as by default; each run on a fresh file, opened and its schema read before")
    let measurements = try measureAll(workloads, measure)
    return BenchReport(
      subject: "writing", rival: "C SQLite \(library.version)",
      size: "\(options.rows) rows", pairs: options.pairs,
      measurements: measurements)
  }

  private func measure(_ workload: WritingWorkload) throws -> Measurement {
    try build(workload)
    try checkSame(workload)
    var martletTimes: [Double] = []
    var oracleTimes: [Double] = []
    for pair in 0..<options.pairs {
      // Who goes first changes, so that neither always finds the warmer machine.
      for turn in 0..<2 {
        if (pair + turn) % 2 == 0 {
          martletTimes.append(try time(workload, MartletBench.self, martletPath))
        } else {
          oracleTimes.append(try time(workload, OracleBench.self, oraclePath))
        }
      }
    }
    let ratios = zip(martletTimes, oracleTimes).map { $0 / max($1, 1e-6) }
    return Measurement(
      name: workload.name, martletMilliseconds: median(martletTimes),
      oracleMilliseconds: median(oracleTimes), ratio: median(ratios))
  }

  private func build(_ workload: WritingWorkload) throws {
    guard !workload.isInMemory else { return }
    try? FileManager.default.removeItem(atPath: original)
    let connection = try OracleConnection(path: original)
    for statement in workload.setup(rows: options.rows) { try connection.execute(statement) }
  }

  /// Makes the change with both engines, and compares what is then in the databases: C SQLite reads
  /// the files, and each engine its memory.
  private func checkSame(_ workload: WritingWorkload) throws {
    let ours = try contents(workload, MartletBench.self, martletPath)
    let theirs = try contents(workload, OracleBench.self, oraclePath)
    guard ours == theirs else {
      throw BenchError(engine: "Martlet", message: "other contents after \(workload.name)")
    }
  }

  private func contents<Engine: BenchEngine>(
    _ workload: WritingWorkload, _ kind: Engine.Type, _ path: String
  ) throws -> Checksum {
    do {
      let engine = try prepare(workload, kind, path)
      try workload.run(on: engine, rows: options.rows)
      if workload.isInMemory { return try contents(workload, of: engine) }
    }
    return try contents(workload, of: OracleBench(path: path))
  }

  private func contents<Engine: BenchEngine>(
    _ workload: WritingWorkload, of engine: Engine
  ) throws(BenchError) -> Checksum {
    var checksum = Checksum(isThorough: true)
    for query in ["PRAGMA integrity_check"] + workload.checks {
      let statement = try engine.prepare(query)
      while try statement.step() { statement.read(into: &checksum) }
    }
    return checksum
  }

  /// A fresh database as it is before the change.
  private func prepare<Engine: BenchEngine>(
    _ workload: WritingWorkload, _ kind: Engine.Type, _ path: String
  ) throws -> Engine {
    if !workload.isInMemory {
      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: original, toPath: path)
    }
    let engine = try Engine(path: workload.isInMemory ? ":memory:" : path)
    if workload.isInMemory {
      for statement in workload.setup(rows: options.rows) {
        try Workload.execute(statement, on: engine)
      }
    }
    try Workload.execute("PRAGMA synchronous = OFF", on: engine)
    for pragma in workload.pragmas { try Workload.execute(pragma, on: engine) }
    try Workload.execute("SELECT count(*) FROM sqlite_schema", on: engine)
    return engine
  }

  /// Milliseconds of one run on a fresh database.
  private func time<Engine: BenchEngine>(
    _ workload: WritingWorkload, _ kind: Engine.Type, _ path: String
  ) throws -> Double {
    let engine = try prepare(workload, kind, path)
    let kept = try keepStatements(on: engine)
    let start = ContinuousClock.now
    try workload.run(on: engine, rows: options.rows)
    let duration = ContinuousClock.now - start
    withExtendedLifetime(kept) {}
    return duration / .milliseconds(1)
  }

  /// What a program with many queries keeps: each has run once, and was reset.
  private func keepStatements<Engine: BenchEngine>(
    on engine: Engine
  ) throws(BenchError) -> [Engine.Prepared] {
    var kept: [Engine.Prepared] = []
    for number in 0..<options.keptCount {
      let statement = try engine.prepare(
        "SELECT price AS kept\(number) FROM item WHERE code = ?1 AND name > ''")
      try statement.bind(Int64(number), at: 1)
      while try statement.step() {}
      statement.reset()
      kept.append(statement)
    }
    return kept
  }

  /// One engine alone, as a profiler wants it.
  func run(_ only: BenchOptions.Only, _ workloads: [WritingWorkload]) throws {
    for workload in workloads {
      try build(workload)
      var milliseconds: [Double] = []
      for _ in 0..<options.iterations {
        switch only {
        case .martlet: milliseconds.append(try time(workload, MartletBench.self, martletPath))
        case .c: milliseconds.append(try time(workload, OracleBench.self, oraclePath))
        }
      }
      printRun(workload.name, milliseconds)
      fflush(nil)
    }
  }
}
