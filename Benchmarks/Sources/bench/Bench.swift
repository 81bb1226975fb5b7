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
      + (options.kind == .search || options.overview != nil
        ? ["fts5", "fts4", "rtree"].map {
          "SELECT 1 FROM pragma_module_list WHERE name = '\($0)'"
        } : [])
    let library = OracleBench.load(for: "bench", needed)
    if let path = options.overview {
      let reports = try BenchOptions.Kind.allCases.compactMap { try run($0, options, library) }
      return try Chart(of: reports).write(to: path)
    }
    guard let report = try run(options.kind, options, library) else { return }
    if let path = options.json { try report.write(to: path) }
    if let path = options.svg { try Chart(of: report).write(to: path) }
  }

  /// The table of one kind of workloads; nil where one engine runs alone, or tables grow.
  private static func run(
    _ kind: BenchOptions.Kind, _ options: BenchOptions, _ library: OracleLibrary
  ) throws -> BenchReport? {
    let report =
      switch kind {
      case .reading: try runReading(library, options)
      case .writing: try runWriting(library, options)
      case .wal: try runFiles(WALWorkload.allCases, "WAL mode", library, options)
      case .threads:
        try runFiles(
          ThreadsWorkload.all(threads: options.threads), "\(options.threads) threads", library,
          options)
      case .search: try runSearch(library, options)
      }
    if let report { print("geomean \(decimal(report.geomean, 3))") }
    return report
  }

  private static func runReading(
    _ library: OracleLibrary, _ options: BenchOptions
  ) throws -> BenchReport? {
    let workloads = Workload.all.filter { options.wants($0.name) }
    if try grow(workloads.map(\.name), library, options) { return nil }
    let data = try DataFile(rows: options.rows, folder: options.dataFolder)
    defer { data.remove() }
    guard let only = options.only else { return try compare(workloads, data, library, options) }
    try run(only, workloads, data, options)
    return nil
  }

  private static func runWriting(
    _ library: OracleLibrary, _ options: BenchOptions
  ) throws -> BenchReport? {
    let workloads = WritingWorkload.all.filter { options.wants($0.name) }
    if try grow(workloads.map(\.name), library, options) { return nil }
    let bench = try WritingBench(options)
    defer { bench.remove() }
    guard let only = options.only else { return try bench.compare(workloads, library) }
    try bench.run(only, workloads)
    return nil
  }

  private static func runFiles(
    _ workloads: [some FileWorkload], _ subject: String, _ library: OracleLibrary,
    _ options: BenchOptions
  ) throws -> BenchReport? {
    let workloads = workloads.filter { options.wants($0.name) }
    let bench = try FileBench(options)
    defer { bench.remove() }
    guard let only = options.only else { return try bench.compare(workloads, subject, library) }
    try bench.run(only, workloads)
    return nil
  }

  private static func runSearch(
    _ library: OracleLibrary, _ options: BenchOptions
  ) throws -> BenchReport? {
    let workloads = SearchWorkload.all(documents: options.documents, boxes: options.boxes)
      .filter { options.wants($0.name) }
    let bench = try SearchBench(options)
    defer { bench.remove() }
    guard let only = options.only else { return try bench.compare(workloads, library) }
    try bench.run(only, workloads)
    return nil
  }

  /// Whether several sizes were asked for; if so, they were measured.
  private static func grow(
    _ workloads: [String], _ library: OracleLibrary, _ options: BenchOptions
  ) throws -> Bool {
    if options.sizes.isEmpty { return false }
    let bench = try GrowthBench(options)
    defer { bench.remove() }
    try bench.run(workloads, library)
    return true
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
      subject: "reading", rival: "C SQLite \(library.version)", size: "\(options.rows) rows",
      pairs: options.pairs, measurements: measurements)
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
