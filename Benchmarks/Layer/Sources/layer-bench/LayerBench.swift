import Foundation
import GRDBWorkloads
import MartletWorkloads

/// Runs each workload with both libraries in turns, and prints Martlet's time over GRDB's.
@main
enum LayerBench {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--help") { return print(usage) }
    let options = Options(Array(arguments))
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("layer-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let martlet = try MartletWorkloads.Workloads(
      path: folder.appendingPathComponent("martlet.db").path, rows: options.rows)
    let grdb = try GRDBWorkloads.Workloads(
      path: folder.appendingPathComponent("grdb.db").path, rows: options.rows)
    print("Martlet beside GRDB 7.10 on C SQLite; \(options.rows) rows, \(options.pairs) pairs, ms")
    let pairs = zip(martlet.all, grdb.all).filter {
      options.filter.isEmpty || $0.0.name.contains(options.filter)
    }
    let measurements = try measureAll(pairs) { martlet, grdb in
      try measure(martlet.name, martlet.run, grdb.run, options.pairs)
    }
    let report = BenchReport(
      subject: "records and rows", rival: "GRDB 7.10 on C SQLite", size: "\(options.rows) rows",
      pairs: options.pairs, measurements: measurements)
    print("geomean \(decimal(report.geomean, 3))")
    if let path = options.svg { try Chart(of: report).write(to: path) }
    if let path = options.json { try report.write(to: path) }
  }

  private static let usage = """
    usage: layer-bench [--rows N] [--pairs N] [--filter TEXT] [--json FILE] [--svg FILE]

    Fetches and writes records with Martlet and with GRDB: the same source, compiled against each.
    The last line is `geomean R`: the geometric mean of Martlet's time over GRDB's.
    """

  private struct Options {
    var rows = 200_000
    var pairs = 5
    var filter = ""
    var json: String?
    var svg: String?

    init(_ arguments: [String]) {
      for (name, value) in zip(arguments, arguments.dropFirst()) {
        switch name {
        case "--rows": rows = Int(value) ?? rows
        case "--pairs": pairs = Int(value) ?? pairs
        case "--filter": filter = value
        case "--json": json = value
        case "--svg": svg = value
        default: break
        }
      }
    }
  }

  private static func measure(
    _ name: String, _ martlet: () throws -> Int, _ grdb: () throws -> Int, _ pairs: Int
  ) throws -> Measurement {
    var martletTimes: [Double] = [], grdbTimes: [Double] = []
    for pair in 0...pairs {
      let ours = try time(martlet), theirs = try time(grdb)
      guard ours.result == theirs.result else {
        throw Disagreement(description: "\(name): \(ours.result) and \(theirs.result)")
      }
      // The first pair warms the caches.
      guard pair > 0 else { continue }
      martletTimes.append(ours.milliseconds)
      grdbTimes.append(theirs.milliseconds)
    }
    return Measurement(
      name: name, martletMilliseconds: median(martletTimes), oracleMilliseconds: median(grdbTimes),
      ratio: median(zip(martletTimes, grdbTimes).map { $0 / $1 }))
  }

  private struct Disagreement: Error, CustomStringConvertible {
    let description: String
  }

  private static func time(
    _ body: () throws -> Int
  ) rethrows -> (result: Int, milliseconds: Double) {
    let clock = ContinuousClock(), start = clock.now
    let result = try body()
    let (seconds, attoseconds) = start.duration(to: clock.now).components
    return (result, Double(seconds) * 1_000 + Double(attoseconds) / 1e15)
  }
}
