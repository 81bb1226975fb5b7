import Engines

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `torture share`: processes of both engines on one file, reading, writing, checkpointing and
/// changing the journal mode; with `--kill`, some of them are killed again and again.
struct ShareTorture {
  let options: Options

  /// How long, or for how many kills, one file is used: the next has other settings.
  private static let secondsPerFile = 20
  private static let roundsPerFile = 50

  /// True when nothing was found.
  func run() -> Bool {
    let start = ContinuousClock.now
    Files.makeFolder(options.caseFolder)
    var tally = ShareTally()
    var seed = options.seed
    var left = options.kill > 0 ? options.kill : max(options.seconds, 1)
    let most = options.kill > 0 ? Self.roundsPerFile : Self.secondsPerFile
    while left > 0, tally.findingCount == 0 {
      let part = min(left, most)
      let mix = ShareMix(options, seed: seed)
      if options.kill > 0 { mix.runKilling(rounds: part) } else { mix.run(seconds: part) }
      tally.add(mix)
      left -= part
      seed &+= 1
    }
    printLine(
      "\(tally.commits) commits, \(tally.steps) steps of all kinds, \(tally.busy) of them refused"
        + " as busy, \(tally.switches) changes of the journal mode, \(tally.rounds) rounds with"
        + " \(tally.kills) kills in \(ContinuousClock.now - start); \(tally.findingCount) findings")
    return tally.findingCount == 0
  }

  /// One of the processes. Prints what it finds.
  func runWorker(library: OracleLibrary) -> Bool {
    guard let role = ShareRole(rawValue: options.role) else { Torture.fail("no such role") }
    let engine: Engine = options.engine == "c" ? .oracle(library) : .martlet
    let worker = ShareWorker(role, engine, options)
    guard let problem = worker.run() else { return true }
    printLine(problem)
    return false
  }
}

/// What a process does in the mix.
enum ShareRole: String, CaseIterable {
  case writer, reader, checkpointer, switcher
  /// Makes the file.
  case maker
  /// Looks at the file once.
  case judge

  static let ofMix: [ShareRole] = [.writer, .reader, .checkpointer, .switcher]
}

/// What the mixes came to.
private struct ShareTally {
  var commits = 0, steps = 0, busy = 0, switches = 0, rounds = 0, kills = 0
  var findingCount = 0

  mutating func add(_ mix: ShareMix) {
    for progress in mix.progress {
      commits += Int(progress.acknowledged)
      steps += Int(progress.steps)
      busy += Int(progress.busy)
      switches += Int(progress.switches)
    }
    rounds += mix.roundCount
    kills += mix.killCount
    findingCount += mix.findingCount
  }
}
