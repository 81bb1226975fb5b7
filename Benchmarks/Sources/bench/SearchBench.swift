import Foundation

/// Runs the workloads on full-text indexes and R-trees, each engine on a copy of a file that C SQLite
/// has built.
struct SearchBench {
  let options: BenchOptions
  private let data: SearchData

  init(_ options: BenchOptions) throws {
    self.options = options
    data = try SearchData(
      documents: options.documents, boxes: options.boxes, folder: options.dataFolder)
  }

  func remove() { data.remove() }

  /// Runs both engines in turns and prints the table.
  func compare(_ workloads: [SearchWorkload], _ library: OracleLibrary) throws -> BenchReport {
    print("Martlet beside C SQLite \(library.version) (\(library.path))")
    print("\(options.documents) documents of \(SearchText.documentLength) words, ", terminator: "")
    print("\(options.boxes) boxes, \(options.pairs) pairs,")
    print("\(writingPairs) of what writes, medians in ms; synchronous off")
    let martlet = try open(MartletBench.self, data.martletPath)
    let oracle = try open(OracleBench.self, data.oraclePath)
    let measurements = try measureAll(workloads) { try measure($0, martlet, oracle) }
    return BenchReport(
      subject: "full-text search and R-trees", rival: "C SQLite \(library.version)",
      size: "\(options.documents) documents, \(options.boxes) boxes", pairs: options.pairs,
      measurements: measurements)
  }

  /// Pairs of the workloads that take long.
  private var writingPairs: Int { max(options.pairs / 2, 1) }

  private func open<Engine: BenchEngine>(
    _ engine: Engine.Type, _ path: String
  ) throws(BenchError) -> Engine {
    let engine = try Engine(path: path)
    try Workload.execute("PRAGMA synchronous = OFF", on: engine)
    return engine
  }

  private func measure(
    _ workload: SearchWorkload, _ martlet: MartletBench, _ oracle: OracleBench
  ) throws(BenchError) -> Measurement {
    // The first run fills the caches, and shows whether both engines do the same.
    let ours = try workload.run(on: martlet, thorough: true).1
    let theirs = try workload.run(on: oracle, thorough: true).1
    guard ours == theirs else {
      throw BenchError(engine: "Martlet", message: "wrong answer in \(workload.name)")
    }
    var martletTimes: [Double] = []
    var oracleTimes: [Double] = []
    for pair in 0..<(workload.isWriting ? writingPairs : options.pairs) {
      // Who goes first changes, so that neither always finds the warmer machine.
      for turn in 0..<2 {
        if (pair + turn) % 2 == 0 {
          martletTimes.append(try workload.run(on: martlet, thorough: false).0)
        } else {
          oracleTimes.append(try workload.run(on: oracle, thorough: false).0)
        }
      }
    }
    let ratios = zip(martletTimes, oracleTimes).map { $0 / max($1, 1e-6) }
    return Measurement(
      name: workload.name, martletMilliseconds: median(martletTimes),
      oracleMilliseconds: median(oracleTimes), ratio: median(ratios))
  }

  /// One engine alone, as a profiler wants it.
  func run(_ only: BenchOptions.Only, _ workloads: [SearchWorkload]) throws {
    switch only {
    case .martlet: try repeatAll(workloads, try open(MartletBench.self, data.martletPath))
    case .c: try repeatAll(workloads, try open(OracleBench.self, data.oraclePath))
    }
  }

  private func repeatAll<Engine: BenchEngine>(
    _ workloads: [SearchWorkload], _ engine: Engine
  ) throws(BenchError) {
    for workload in workloads {
      var milliseconds: [Double] = []
      for _ in 0..<options.iterations {
        milliseconds.append(try workload.run(on: engine, thorough: false).0)
      }
      printRun(workload.name, milliseconds)
      fflush(nil)
    }
  }
}
