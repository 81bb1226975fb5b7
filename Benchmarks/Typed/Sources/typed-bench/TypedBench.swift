import Foundation
import TypedWorkloads

#if SQLITE_SWIFT
  import SQLiteSwiftWorkloads
#endif

/// Runs each workload with the layer and with what it is compared with, in turns.
@main
enum TypedBench {
  private struct Disagreement: Error, CustomStringConvertible { let description: String }

  private typealias Work = () throws -> Int

  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.contains("--help") { return print(usage) }
    let rows = number("--rows", arguments) ?? 100_000, pairs = number("--pairs", arguments) ?? 5
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("typed-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    let filter = text("--filter", arguments) ?? ""
    let typed = try TypedWorkloads.Workloads(path: path("typed.db"), rows: rows).all
      .filter { filter.isEmpty || $0.name == filter }
    let plain = try PlainWorkloads(path: path("plain.db"), rows: rows).all
    print("MartletTyped beside the engine's statements; \(rows) rows, \(pairs) pairs, ms")
    try compare(typed, pairs) { plain[$0] }
    #if SQLITE_SWIFT
      let upstream = try SQLiteSwiftWorkloads.Workloads(path: path("upstream.db"), rows: rows).all
      print("\nMartletTyped beside SQLite.swift on C SQLite")
      try compare(typed, pairs) { name in upstream.first { $0.name == name }?.run }
    #else
      print("\nSQLite.swift is skipped: build with SQLITE_SWIFT=<folder of its package>")
    #endif
  }

  private static let usage = """
    usage: typed-bench [--rows N] [--pairs N] [--filter NAME]

    Fetches and writes rows with MartletTyped, with the engine's own statements and, where the
    environment variable SQLITE_SWIFT named the folder of its package when this was built, with
    SQLite.swift on C SQLite. `geomean R` is the geometric mean of the layer's time over theirs.
    """

  private static func text(_ name: String, _ arguments: [String]) -> String? {
    zip(arguments, arguments.dropFirst()).first { $0.0 == name }?.1
  }

  private static func number(_ name: String, _ arguments: [String]) -> Int? {
    text(name, arguments).flatMap { Int($0) }
  }

  private static func compare(
    _ works: [(name: String, run: () throws -> Int)], _ pairs: Int, with find: (String) -> Work?
  ) throws {
    var logarithms: [Double] = []
    for work in works {
      guard let other = find(work.name) else { continue }
      var ours: [Double] = [], theirs: [Double] = [], ratios: [Double] = []
      for pair in 0...pairs {
        let mine = try time(work.run), their = try time(other)
        guard mine.result == their.result else {
          throw Disagreement(description: "\(work.name): \(mine.result) and \(their.result)")
        }
        // The first pair warms the caches.
        if pair == 0 { continue }
        ours.append(mine.milliseconds)
        theirs.append(their.milliseconds)
        ratios.append(mine.milliseconds / their.milliseconds)
      }
      let ratio = median(ratios)
      logarithms.append(log(ratio))
      let name = work.name.padding(toLength: 16, withPad: " ", startingAt: 0)
      print(name, String(format: "%8.1f %8.1f %7.2f", median(ours), median(theirs), ratio))
    }
    let mean = logarithms.reduce(0, +) / Double(max(1, logarithms.count))
    print("geomean", String(format: "%.3f", exp(mean)))
  }

  private static func time(_ work: Work) throws -> (result: Int, milliseconds: Double) {
    let clock = ContinuousClock(), start = clock.now
    let result = try work()
    let time = clock.now - start
    return (
      result, Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3
    )
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[sorted.count / 2]
  }
}
