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
  let oracleVersion: String
  let rows: Int
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

  /// The ratios as horizontal bars; the line is C SQLite.
  var chart: String {
    let barHeight = 22.0
    let labelWidth = 200.0
    let scale = 240.0
    let height = Double(measurements.count) * barHeight + 40
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" width="800" height="\(Int(height))" \
      font-family="sans-serif" font-size="13">
      <text x="10" y="18">Time of Martlet over C SQLite \(oracleVersion), \(rows) rows; \
      geometric mean \(decimal(geomean, 2))</text>\n
      """
    for (index, measurement) in measurements.enumerated() {
      let top = 30 + Double(index) * barHeight
      let width = min(measurement.ratio, 2.2) * scale
      let color = measurement.ratio <= 1 ? "#4a9" : "#c75"
      svg += """
        <text x="10" y="\(top + 14)">\(measurement.name)</text>
        <rect x="\(labelWidth)" y="\(top)" width="\(decimal(width, 1))" height="16" \
        fill="\(color)"/>
        <text x="\(decimal(labelWidth + width + 6, 1))" y="\(top + 13)">\
        \(decimal(measurement.ratio, 2))</text>\n
        """
    }
    let line = labelWidth + scale
    svg += """
      <line x1="\(line)" y1="26" x2="\(line)" y2="\(Int(height) - 8)" stroke="#333" \
      stroke-dasharray="4 3"/>
      </svg>\n
      """
    return svg
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

/// What one engine alone has needed, and the peak of the process's memory.
func printRun(_ name: String, _ milliseconds: [Double]) {
  let columns = [
    decimal(median(milliseconds), 2) + " ms", decimal(GrowthBench.peakMegabytes, 0) + " MB",
  ]
  print(row(name, columns), terminator: "")
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
