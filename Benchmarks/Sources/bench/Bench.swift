import Foundation

/// `bench`: Martlet beside C SQLite.
@main
struct Bench {
  static func main() {
    guard let options = BenchOptions(Array(CommandLine.arguments.dropFirst())) else {
      print(BenchOptions.usage)
      exit(2)
    }
    do {
      try run(options)
    } catch {
      print("bench: \(error)")
      exit(1)
    }
  }

  private static func run(_ options: BenchOptions) throws {
    if let (before, after) = options.comparison {
      let report = try BenchReport.read(before).comparison(with: try BenchReport.read(after))
      print(report, terminator: "")
      return
    }
    // C's functions are looked for in the statements that build the data.
    let needed =
      ["SELECT jsonb('1'), sqrt(4)"]
      + (options.isSearch
        ? ["fts5", "fts4", "rtree"].map {
          "SELECT 1 FROM pragma_module_list WHERE name = '\($0)'"
        } : [])
    let library = OracleBench.load(for: "bench", needed)
    if options.isWAL { return try runWAL(library, options) }
    if options.isSearch { return try runSearch(library, options) }
    if options.isWriting { return try runWriting(library, options) }
    let workloads = Workload.all.filter { options.wants($0.name) }
    if !options.sizes.isEmpty {
      let bench = try GrowthBench(options)
      defer { bench.remove() }
      return try bench.run(workloads.map(\.name), library)
    }
    let data = try DataFile(rows: options.rows, folder: options.dataFolder)
    defer { data.remove() }
    if let only = options.only {
      return try run(only, workloads, data, options)
    }
    try publish(try compare(workloads, data, library, options), options)
  }

  private static func runWriting(_ library: OracleLibrary, _ options: BenchOptions) throws {
    let workloads = WritingWorkload.all.filter { options.wants($0.name) }
    if !options.sizes.isEmpty {
      let bench = try GrowthBench(options)
      defer { bench.remove() }
      return try bench.run(workloads.map(\.name), library)
    }
    let bench = try WritingBench(options)
    defer { bench.remove() }
    if let only = options.only { return try bench.run(only, workloads) }
    try publish(try bench.compare(workloads, library), options)
  }

  private static func runWAL(_ library: OracleLibrary, _ options: BenchOptions) throws {
    let workloads = WALWorkload.allCases.filter { options.filter.map($0.rawValue.contains) ?? true }
    let bench = try WALBench(options)
    defer { bench.remove() }
    if let only = options.only { return try bench.run(only, workloads) }
    try publish(try bench.compare(workloads, library), options)
  }

  private static func runSearch(_ library: OracleLibrary, _ options: BenchOptions) throws {
    let workloads = SearchWorkload.all(documents: options.documents, boxes: options.boxes)
      .filter { options.wants($0.name) }
    let bench = try SearchBench(options)
    defer { bench.remove() }
    if let only = options.only { return try bench.run(only, workloads) }
    try publish(try bench.compare(workloads, library), options)
  }

  private static func publish(_ report: BenchReport, _ options: BenchOptions) throws {
    if let path = options.json { try report.write(to: path) }
    if let path = options.svg {
      try Data(report.chart.utf8).write(to: URL(fileURLWithPath: path))
    }
    print("geomean \(decimal(report.geomean, 3))")
  }

  /// Runs both engines in turns and prints the table.
  private static func compare(
    _ workloads: [Workload], _ data: DataFile, _ library: OracleLibrary, _ options: BenchOptions
  ) throws -> BenchReport {
    let martlet = try MartletBench(path: data.martletPath)
    let oracle = try OracleBench(path: data.oraclePath)
    print("Martlet beside C SQLite \(library.version) (\(library.path))")
    print("\(options.rows) rows, \(options.pairs) pairs, medians in ms; point and range look-ups")
    print("run inside one read transaction, everything else in autocommit")
    let measurements = try measureAll(workloads) {
      try measure($0, martlet, oracle, options)
    }
    return BenchReport(
      oracleVersion: library.version, rows: options.rows, pairs: options.pairs,
      measurements: measurements)
  }

  private static func measure(
    _ workload: Workload, _ martlet: MartletBench, _ oracle: OracleBench, _ options: BenchOptions
  ) throws(BenchError) -> Measurement {
    // The first run fills the caches, and shows whether both engines read the same.
    let ours = try workload.run(on: martlet, rows: options.rows, thorough: true)
    let theirs = try workload.run(on: oracle, rows: options.rows, thorough: true)
    guard ours == theirs else {
      throw BenchError(engine: "Martlet", message: "wrong answer in \(workload.name)")
    }
    var martletTimes: [Double] = []
    var oracleTimes: [Double] = []
    for pair in 0..<options.pairs {
      // Who goes first changes, so that neither always finds the warmer machine.
      if pair % 2 == 0 {
        martletTimes.append(try time(workload, martlet, options.rows))
        oracleTimes.append(try time(workload, oracle, options.rows))
      } else {
        oracleTimes.append(try time(workload, oracle, options.rows))
        martletTimes.append(try time(workload, martlet, options.rows))
      }
    }
    let ratios = zip(martletTimes, oracleTimes).map { $0 / max($1, 1e-6) }
    return Measurement(
      name: workload.name, martletMilliseconds: median(martletTimes),
      oracleMilliseconds: median(oracleTimes), ratio: median(ratios))
  }

  /// Milliseconds of one run.
  private static func time<Engine: BenchEngine>(
    _ workload: Workload, _ engine: Engine, _ rows: Int
  ) throws(BenchError) -> Double {
    let start = ContinuousClock.now
    _ = try workload.run(on: engine, rows: rows, thorough: false)
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// One engine alone, as a profiler wants it.
  private static func run(
    _ only: BenchOptions.Only, _ workloads: [Workload], _ data: DataFile, _ options: BenchOptions
  ) throws(BenchError) {
    switch only {
    case .martlet:
      try repeatAll(workloads, try MartletBench(path: data.martletPath), options)
    case .c:
      try repeatAll(workloads, try OracleBench(path: data.oraclePath), options)
    }
  }

  private static func repeatAll<Engine: BenchEngine>(
    _ workloads: [Workload], _ engine: Engine, _ options: BenchOptions
  ) throws(BenchError) {
    for workload in workloads {
      var milliseconds: [Double] = []
      for _ in 0..<options.iterations {
        milliseconds.append(try time(workload, engine, options.rows))
      }
      printRun(workload.name, milliseconds)
      fflush(nil)
    }
  }
}
