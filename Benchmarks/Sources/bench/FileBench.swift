import Foundation

/// A workload on a file of its own, which each engine has prepared itself.
protocol FileWorkload: Sendable {
  var name: String { get }
  /// What stands before the timed part.
  var setup: [String] { get }
  /// The timed part, which gives what it has read.
  /// - Parameter engine: a connection to the file at `path`.
  func run<Engine: BenchEngine & Sendable>(
    _ engine: Engine, path: String, thorough: Bool
  ) throws -> Checksum
}

extension FileWorkload where Self: RawRepresentable<String> {
  var name: String { rawValue }
}

/// Does something in several threads at once, and throws the first error that one has.
func inThreads(_ count: Int, _ body: @Sendable (Int) throws -> Void) throws {
  let failures = Failures()
  DispatchQueue.concurrentPerform(iterations: count) { index in
    do { try body(index) } catch { failures.add(error) }
  }
  if let failure = failures.first { throw failure }
}

private final class Failures: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var first: (any Error)?
  func add(_ error: any Error) { lock.withLock { first = first ?? error } }
}

/// Runs workloads on files, the engines in turns.
struct FileBench {
  let options: BenchOptions
  private let folder: URL

  init(_ options: BenchOptions) throws {
    self.options = options
    folder = try options.makeFolder("files")
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// - Parameter subject: what the workloads have in common: "WAL mode".
  func compare(
    _ workloads: [some FileWorkload], _ subject: String, _ library: OracleLibrary
  ) throws -> BenchReport {
    print("Martlet beside C SQLite \(library.version) (\(library.path)), \(subject)")
    print("\(options.pairs) pairs, medians in ms; each run on a file that the engine has made")
    let measurements = try measureAll(workloads) { try measure($0) }
    return BenchReport(
      subject: subject, rival: "C SQLite \(library.version)",
      size: "each on its own file", pairs: options.pairs,
      measurements: measurements)
  }

  private func measure(_ workload: some FileWorkload) throws -> Measurement {
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
        throw BenchError(engine: "Martlet", message: "wrong answer in \(workload.name)")
      }
    }
    let ratios = zip(martletTimes, oracleTimes).map { $0 / max($1, 1e-6) }
    return Measurement(
      name: workload.name, martletMilliseconds: median(martletTimes),
      oracleMilliseconds: median(oracleTimes), ratio: median(ratios))
  }

  /// Milliseconds of one run on a fresh file.
  private func time<Engine: BenchEngine & Sendable>(
    _ workload: some FileWorkload, _ engine: Engine.Type, thorough: Bool
  ) throws -> (Double, Checksum) {
    let path = folder.appendingPathComponent("bench.db").path
    for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data().write(to: URL(fileURLWithPath: path))
    let engine = try Engine(path: path)
    for statement in workload.setup { try Workload.execute(statement, on: engine) }
    let start = ContinuousClock.now
    let checksum = try workload.run(engine, path: path, thorough: thorough)
    return ((ContinuousClock.now - start) / .milliseconds(1), checksum)
  }

  /// One engine alone, as a profiler wants it.
  func run(_ only: BenchOptions.Only, _ workloads: [some FileWorkload]) throws {
    for workload in workloads {
      var milliseconds: [Double] = []
      for _ in 0..<options.iterations {
        switch only {
        case .martlet:
          milliseconds.append(try time(workload, MartletBench.self, thorough: false).0)
        case .c: milliseconds.append(try time(workload, OracleBench.self, thorough: false).0)
        }
      }
      print(row(workload.name, [decimal(median(milliseconds), 2) + " ms"]), terminator: "")
      fflush(nil)
    }
  }
}
