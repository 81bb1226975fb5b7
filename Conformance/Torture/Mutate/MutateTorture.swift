import Engines

/// `torture mutate`: broken statements are compiled, over the schemas of the scripts that they are
/// made of. None may crash or hang. Statements that one engine alone takes are printed.
///
/// Each seed has a process of its own. A seed whose process ends badly is run again, printing what
/// it compiles, so that the last line is the statement.
struct MutateTorture {
  let library: OracleLibrary
  let options: Options

  /// True when nothing crashed or hung.
  func run() -> Bool {
    let start = ContinuousClock.now
    let seeds = max(options.seeds, 1), first = options.seed
    let perSeed = (options.count + seeds - 1) / seeds
    var isGood = true, compiled = 0, differing = 0
    runChildren(
      seeds, width: options.jobs, limit: .seconds(120 + perSeed / 50),
      arguments: { arguments("mutate-seed", seed: first &+ UInt64($0), perSeed) },
      finished: { index, result in
        compiled += perSeed
        let lines = result.output.split(separator: "\n")
        differing += lines.count
        lines.prefix(4).forEach { printLine(String($0)) }
        if result.end == .exited(0) { return true }
        isGood = false
        let seed = first &+ UInt64(index)
        printLine("seed \(seed): \(result.end): \(culprit(seed, perSeed))")
        return true
      })
    printLine(
      """
      \(compiled) mutated statements in \(.now - start), \
      \(differing) that one engine alone takes
      """)
    return isGood
  }

  private func arguments(_ command: String, seed: UInt64, _ count: Int) -> [String] {
    [command, options.path, "--seed", "\(seed)", "--count", "\(count)"]
  }

  /// The statement at which a seed's process ends.
  private func culprit(_ seed: UInt64, _ count: Int) -> String {
    let child = ChildProcess(
      arguments("mutate-trace", seed: seed, count), limit: .seconds(240 + count / 25))
    let output = child?.wait().output ?? ""
    return output.split(separator: "\n").last.map(String.init) ?? ""
  }

  /// One seed, in this process.
  func runSeed(isTracing: Bool) -> Bool {
    let scripts = StatementScripts(folder: options.path).scripts
    guard !scripts.isEmpty else { return false }
    var random = RandomSource(seed: options.seed)
    var mutator = StatementMutator(random: RandomSource(seed: random.next()), scripts: scripts)
    var left = options.count
    while left > 0 {
      let script = random.pick(scripts)
      guard let martlet = try? Engine.martlet.open(path: ":memory:", readOnly: false),
        let oracle = try? Engine.oracle(library).open(path: ":memory:", readOnly: false)
      else { return false }
      let known = random.below(script.count)
      for statement in script[...known] where MutateTorture.isDefinition(statement) {
        let sql = String(decoding: statement, as: UTF8.self)
        _ = martlet.outcome(of: sql)
        _ = oracle.outcome(of: sql)
      }
      for _ in 0..<min(left, 200) {
        left -= 1
        let statement = mutator.mutated(random.pick(script))
        let text = String(decoding: statement, as: UTF8.self).replacingLineBreaks()
        // C SQLite obeys this when it compiles it, for all connections of the process.
        if text.contains("heap_limit") { continue }
        if isTracing { printLine(text) }
        compare(martlet, oracle, statement, text)
      }
    }
    return true
  }

  /// Only what makes the schema is run.
  private static func isDefinition(_ statement: [UInt8]) -> Bool {
    let words = statement.prefix(24).map { UInt8($0 &- 0x61 < 26 ? $0 & 0xdf : $0) }
    return words.starts(with: "CREATE ".utf8) || words.starts(with: "ALTER ".utf8)
  }

  private func compare(
    _ martlet: any Database, _ oracle: any Database, _ statement: [UInt8], _ text: String
  ) {
    let mine = MutateTorture.error(of: statement, martlet)
    if let mine, mine.isUnsupported { return }
    let theirs = MutateTorture.error(of: statement, oracle)
    guard (mine == nil) != (theirs == nil) else { return }
    printLine("C: \(theirs?.line ?? "taken"), Martlet: \(mine?.line ?? "taken"): \(text)")
  }

  private static func error(of statement: [UInt8], _ database: any Database) -> EngineError? {
    let result = statement.withUnsafeBufferPointer { bytes in
      Result<Void, EngineError>.catching { () throws(EngineError) in
        _ = try database.prepare(bytes)
      }
    }
    if case .failure(let error) = result { return error }
    return nil
  }
}
