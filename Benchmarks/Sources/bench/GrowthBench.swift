import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How the cost of a row and the memory grow with the number of rows. Each workload of each engine
/// runs once in a process of its own, which tells its time and its peak of memory.
struct GrowthBench {
  let options: BenchOptions
  private let folder: URL

  /// What a process tells.
  private struct Run {
    let milliseconds: Double
    let megabytes: Double
  }

  init(_ options: BenchOptions) throws {
    self.options = options
    folder = try options.makeFolder("growth")
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func run(_ workloads: [String], _ library: OracleLibrary) throws {
    print("Martlet beside C SQLite \(library.version) (\(library.path))")
    print("nanoseconds for a row of the largest table, and peak of memory in MB; one run each, in a")
    print("process of its own")
    if options.kind == .reading {
      for size in options.sizes { _ = try DataFile(rows: size, folder: folder.path) }
    }
    print(row("workload", ["rows", "Martlet", "C", "ratio", "MB", "C"]), terminator: "")
    for workload in workloads {
      for size in options.sizes {
        let ours = try run(workload, .martlet, size), theirs = try run(workload, .c, size)
        let numbers = [ours, theirs].map { $0.milliseconds * 1e6 / Double(size) }
        print(
          row(
            workload,
            ["\(size)"] + numbers.map { decimal($0, 0) }
              + [decimal(numbers[0] / max(numbers[1], 1e-6), 2)]
              + [ours, theirs].map { decimal($0.megabytes, 0) }),
          terminator: "")
        fflush(nil)
      }
    }
  }

  private func run(_ workload: String, _ engine: BenchOptions.Only, _ rows: Int) throws -> Run {
    let process = Process(), output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments =
      ["--engine", engine.rawValue, "--workload", workload, "--rows", "\(rows)"]
      + ["--data", folder.path, "--kept", "\(options.keptCount)"]
      + (options.kind == .writing ? ["--writing"] : [])
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // "… 12.3 ms 45 MB"
    let words = text.split(whereSeparator: \.isWhitespace)
    guard process.terminationStatus == 0, words.count > 4,
      let milliseconds = Double(words[words.count - 4]),
      let megabytes = Double(words[words.count - 2])
    else { throw BenchError(engine: engine.rawValue, message: "\(workload): \(text)") }
    return Run(milliseconds: milliseconds, megabytes: megabytes)
  }

  /// The most memory that this process has had.
  static var peakMegabytes: Double {
    var usage = rusage()
    // 0 is RUSAGE_SELF, which is of another type in each library.
    getrusage(0, &usage)
    #if canImport(Darwin)
      return Double(usage.ru_maxrss) / 1_048_576
    #else
      return Double(usage.ru_maxrss) / 1_024
    #endif
  }
}

/// What one engine alone has needed, and the peak of the process's memory.
func printRun(_ name: String, _ milliseconds: [Double]) {
  let columns = [
    decimal(median(milliseconds), 2) + " ms", decimal(GrowthBench.peakMegabytes, 0) + " MB",
  ]
  print(row(name, columns), terminator: "")
}
