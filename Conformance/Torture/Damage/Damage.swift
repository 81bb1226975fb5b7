import Engines

/// `torture damage`: batches of damaged files in child processes, so that neither a crash nor an
/// endless loop ends the run.
struct Damage {
  private static let batchSize = 25

  let options: Options
  private var crashes = 0
  private var hangs = 0
  private var wrong = 0

  init(_ options: Options) { self.options = options }

  /// True when every file was answered as it should be.
  mutating func run() -> Bool {
    let start = ContinuousClock.now
    Files.makeFolder(options.caseFolder)
    // Batches that were cut short by a crash go on behind the file that did it.
    var waiting = stride(from: 0, to: options.count, by: Self.batchSize).map {
      (first: options.seed &+ UInt64($0), count: min(Self.batchSize, options.count - $0))
    }
    while !waiting.isEmpty {
      let batches = waiting
      waiting = []
      let folder = options.caseFolder, words = options.isSearch ? ["--search"] : []
      runChildren(
        batches.count, width: options.jobs, limit: .seconds(options.limit),
        arguments: { index in
          [
            "damage-batch", "--seed", "\(batches[index].first)", "--count",
            "\(batches[index].count)", "--cases", folder,
          ] + words
        },
        finished: { index, result in
          if let next = take(result) {
            let end = batches[index].first &+ UInt64(batches[index].count)
            if next < end { waiting.append((next, Int(end - next))) }
          }
          return true
        })
    }
    printLine("\(options.count) files in \(ContinuousClock.now - start)")
    printLine("\(crashes) crashes, \(hangs) hangs, \(wrong) wrong answers")
    return crashes + hangs + wrong == 0
  }

  /// Counts what a batch printed. Where it was cut short, gives the number of the file to go on
  /// with.
  private mutating func take(_ result: ChildResult) -> UInt64? {
    var current: (seed: UInt64, path: String)?
    var isMartlet = false
    for line in result.output.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      switch line.first {
      case ">" where words.count == 3:
        current = UInt64(words[1]).map { ($0, words[2]) }
        isMartlet = false
      case "m": isMartlet = true
      case "!":
        wrong += 1
        printLine(String(line.dropFirst(2)))
      default: break
      }
    }
    guard result.end != .exited(0), let current else { return nil }
    if isMartlet {
      if result.end == .timedOut { hangs += 1 } else { crashes += 1 }
    }
    printLine("\(current.seed): \(isMartlet ? "Martlet" : "C") \(result.end)")
    Files.removeDatabase(current.path)
    return current.seed &+ 1
  }
}
