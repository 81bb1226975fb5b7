import Engines

/// `torture lockstep`: every seed in a process of its own, so that a crash costs one seed.
struct Lockstep {
  let library: OracleLibrary
  let options: Options
  private var tally = LockstepTally()
  private var crashes = 0
  private var shownCount = 0

  init(_ library: OracleLibrary, _ options: Options) {
    self.library = library
    self.options = options
  }

  /// True when nothing differed.
  mutating func run() -> Bool {
    let start = ContinuousClock.now
    let seeds = max(options.seeds, 1)
    let perSeed = (options.count + seeds - 1) / seeds
    Files.makeFolder(options.caseFolder)
    let first = options.seed
    let folder = options.caseFolder, shrink = "\(options.shrink)"
    let words = (options.isWAL ? ["--wal"] : []) + (options.isSearch ? ["--search"] : [])
    runChildren(
      seeds, width: options.jobs, limit: .seconds(120 + perSeed / 10 + 3 * options.shrink),
      arguments: { index in
        [
          "lockstep-seed", "--seed", "\(first &+ UInt64(index))", "--count", "\(perSeed)",
          "--cases", folder, "--shrink", shrink,
        ] + words
      },
      finished: { index, result in
        take(result, seed: first &+ UInt64(index))
        return true
      })
    summarize(seeds: seeds, elapsed: .now - start)
    return tally.differences == 0 && crashes == 0
  }

  private mutating func take(_ result: ChildResult, seed: UInt64) {
    var history: [String] = []
    for line in result.output.split(separator: "\n") {
      switch line.first {
      case ">": history.append(String(line.dropFirst(2)))
      case "!": printLine("seed \(seed): \(line.dropFirst(2))")
      case "?":
        if shownCount < options.explained { printLine("seed \(seed): \(line.dropFirst(2))") }
        shownCount += 1
      default: tally.add(line: String(line))
      }
    }
    guard result.end != .exited(0) else { return }
    crashes += 1
    let name = "\(options.caseFolder)/seed-\(seed)-crash.sql"
    let judge = { (statements: [String]) in Self.ends(statements, as: result.end) }
    let kind: DifferenceKind = result.end == .timedOut ? .hang : .crash
    let difference = Difference(kind: kind, sql: history.last ?? "", oracle: "", martlet: "")
    var shrinker = Shrinker(
      library: library, difference: difference, limit: .seconds(options.shrink), judge: judge)
    let statements = kind == .crash ? shrinker.shrink(history) : history
    Files.write(Array(statements.map { $0 + ";\n" }.joined().utf8), to: name)
    printLine("seed \(seed): \(result.end) \(name)")
  }

  /// Whether a process that runs `statements` on Martlet ends as `end`.
  private static func ends(_ statements: [String], as end: ChildEnd) -> Bool {
    let path = Scratch.path("replay")
    Files.write(Array(statements.joined(separator: "\u{0}").utf8), to: path)
    let child = ChildProcess(["replay", path], limit: .seconds(20))
    return child?.wait().end == end
  }

  private func summarize(seeds: Int, elapsed: Duration) {
    for (reason, count) in tally.skipped.sorted(by: { $0.key < $1.key }) {
      printLine("\(count) statements skipped: \(reason)")
    }
    for (reason, count) in tally.explained.sorted(by: { $0.key < $1.key }) {
      printLine("\(count) differences explained: \(reason)")
    }
    printLine(
      "\(tally.statements) statements (\(tally.failures) failed) over \(seeds) seeds in \(elapsed)")
    printLine("\(tally.differences) differences, \(crashes) crashes or hangs")
  }
}
