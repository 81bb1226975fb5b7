import Foundation

/// A workload's result in one run of the benchmark.
struct Measurement: Codable {
  let name: String
  let martletMilliseconds: Double
  let oracleMilliseconds: Double
  /// Martlet's time over C's: the median of the pairs' ratios.
  let ratio: Double
}

/// What `--json` writes and `--compare` reads.
struct BenchReport: Codable {
  /// What was measured: "reading".
  let subject: String
  /// What Martlet is compared with: "C SQLite 3.53.4".
  let rival: String
  /// How much was worked on: "200000 rows".
  let size: String
  let pairs: Int
  let measurements: [Measurement]

  var geomean: Double {
    let logarithms = measurements.map { log($0.ratio) }
    return exp(logarithms.reduce(0, +) / Double(max(logarithms.count, 1)))
  }

  static func read(_ path: String) throws -> BenchReport {
    try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: path))
  }

  /// The change of each ratio between two reports.
  func comparison(with later: BenchReport) -> String {
    var text = row("workload", ["before", "after", "change"])
    for before in measurements {
      guard let after = later.measurements.first(where: { $0.name == before.name }) else {
        continue
      }
      let change = (after.ratio / before.ratio - 1) * 100
      text += row(
        before.name,
        [decimal(before.ratio, 2), decimal(after.ratio, 2), decimal(change, 1) + " %"])
    }
    return text + "geomean \(decimal(geomean, 3)) -> \(decimal(later.geomean, 3))\n"
  }
}

/// Measures the workloads one by one and prints the table on the way.
func measureAll<Item>(
  _ workloads: [Item], _ measure: (Item) throws -> Measurement
) rethrows -> [Measurement] {
  print(row("workload", ["Martlet", "C", "ratio"]), terminator: "")
  return try workloads.map { workload in
    let measurement = try measure(workload)
    let numbers = [
      measurement.martletMilliseconds, measurement.oracleMilliseconds, measurement.ratio,
    ]
    print(row(measurement.name, numbers.map { decimal($0, 2) }), terminator: "")
    fflush(nil)
    return measurement
  }
}

/// A line of a table: a name, then columns of numbers.
func row(_ name: String, _ columns: [String]) -> String {
  let width = 12
  let padded = columns.map { String(repeating: " ", count: max(width - $0.count, 1)) + $0 }
  return name.padding(toLength: 28, withPad: " ", startingAt: 0) + padded.joined() + "\n"
}

func decimal(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return 0 }
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
