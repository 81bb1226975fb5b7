import Foundation

/// `storage-bench`: Martlet's storage engine alone beside C SQLite's statements of one row.
@main
struct StorageBench {
  static let usage = """
    usage: storage-bench [--rows N] [--pairs N] [--cache-size N] [--engine martlet|c]

    Rows and index entries inserted, sought, scanned and deleted without SQL. --cache-size is that
    of the pragma (-2000); --engine runs one engine once, for a profiler.
    """

  var rows = 200_000
  var pairs = 5
  var cacheSize = -2000
  var engine: String?

  static func main() {
    do {
      guard let bench = StorageBench(Array(CommandLine.arguments.dropFirst())) else {
        print(usage)
        exit(2)
      }
      try bench.run()
    } catch {
      print("storage-bench: \(error)")
      exit(1)
    }
  }

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch (name, Int(value)) {
      case ("--rows", let number?) where number > 1: rows = number
      case ("--pairs", let number?) where number > 0: pairs = number
      case ("--cache-size", let number?): cacheSize = number
      case ("--engine", _) where ["martlet", "c"].contains(value): engine = value
      default: return nil
      }
    }
  }

  func run() throws {
    if engine != "martlet" { OracleBench.load(for: "storage-bench") }
    if let engine {
      let result = try engine == "c" ? measure(StatementStorage.self) : measure(TreeStorage.self)
      for phase in StoragePhase.allCases { print(line(phase, [result.times[phase] ?? 0])) }
      return
    }
    print("Martlet's storage engine beside C SQLite \(OracleBench.library?.version ?? "")")
    print("\(rows) rows, cache_size \(cacheSize), \(pairs) pairs, medians in ms; C SQLite has no")
    print("interface to its B-trees: its times are those of prepared statements of one row")
    print(line("phase", ["Martlet", "C", "ratio"]))
    var ours: [[StoragePhase: Double]] = [], theirs: [[StoragePhase: Double]] = []
    for _ in 0..<pairs {
      let martlet = try measure(TreeStorage.self), c = try measure(StatementStorage.self)
      for phase in StoragePhase.allCases where martlet.sums[phase] != c.sums[phase] {
        throw BenchError(engine: "Martlet", message: "wrong answer in \(phase.rawValue)")
      }
      ours.append(martlet.times)
      theirs.append(c.times)
    }
    var logarithms = 0.0
    for phase in StoragePhase.allCases {
      let martlet = median(ours.map { $0[phase] ?? 0 }), c = median(theirs.map { $0[phase] ?? 0 })
      let ratio = median(zip(ours, theirs).map { ($0[phase] ?? 0) / max($1[phase] ?? 0, 1e-6) })
      logarithms += log(ratio)
      print(line(phase, [martlet, c, ratio]))
    }
    let geomean = exp(logarithms / Double(StoragePhase.allCases.count))
    print("geomean \(String(format: "%.3f", geomean))")
  }

  /// All phases once, on a new file.
  private func measure<Engine: StorageEngine>(
    _ type: Engine.Type
  ) throws -> (times: [StoragePhase: Double], sums: [StoragePhase: UInt64]) {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("martlet-storage-\(UUID().uuidString).db").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let storage = try Engine(path: path, cacheSize: cacheSize)
    defer { storage.close() }
    var times: [StoragePhase: Double] = [:], sums: [StoragePhase: UInt64] = [:]
    for phase in StoragePhase.allCases {
      let start = ContinuousClock.now
      sums[phase] = try storage.run(phase, rows: rows)
      times[phase] = (ContinuousClock.now - start) / .milliseconds(1)
    }
    return (times, sums)
  }

  private func line(_ phase: StoragePhase, _ numbers: [Double]) -> String {
    line(phase.rawValue, numbers.map { String(format: "%.2f", $0) })
  }

  private func line(_ name: String, _ columns: [String]) -> String {
    let padded = columns.map { String(repeating: " ", count: max(12 - $0.count, 1)) + $0 }
    return name.padding(toLength: 28, withPad: " ", startingAt: 0) + padded.joined()
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }
}
