import Engines

/// `torture json`: random calls of JSON functions on both engines. Each seed has a process of its
/// own, so that a crash costs one seed.
struct JSONTorture {
  let library: OracleLibrary
  let options: Options

  /// True when nothing differed.
  func run() -> Bool {
    let start = ContinuousClock.now
    let seeds = max(options.seeds, 1), first = options.seed
    let perSeed = (options.count + seeds - 1) / seeds
    let folder = options.caseFolder
    Files.makeFolder(folder)
    var isGood = true, compared = 0
    runChildren(
      seeds, width: options.jobs, limit: .seconds(120 + perSeed / 100),
      arguments: { index in
        [
          "json-seed", "--seed", "\(first &+ UInt64(index))", "--count", "\(perSeed)",
          "--cases", folder,
        ]
      },
      finished: { index, result in
        if result.end == .exited(0) {
          compared += perSeed
        } else {
          isGood = false
          let end = result.output.split(separator: "\n").suffix(40).joined(separator: "\n")
          printLine("seed \(first &+ UInt64(index)): \(result.end)\n\(end)")
        }
        return true
      })
    printLine("\(compared) JSON statements in seeds without a difference, in \(.now - start)")
    return isGood
  }

  /// One seed, in this process. What differs is printed, and written as a script with C's answers.
  func runSeed() -> Bool {
    var generator = JSONGenerator(seed: options.seed)
    guard let martlet = try? Engine.martlet.open(path: ":memory:", readOnly: false),
      let oracle = try? Engine.oracle(library).open(path: ":memory:", readOnly: false)
    else { return false }
    var differing: [String] = []
    for _ in 0..<options.count {
      let sql = generator.statement()
      let expected = oracle.outcome(of: sql), mine = martlet.outcome(of: sql)
      guard let difference = expected.difference(from: mine, sql: sql) else { continue }
      differing.append(sql)
      printLine("\(difference.kind.rawValue): \(sql)")
      printLine("  C: \(difference.oracle)\n  M: \(difference.martlet)")
      if differing.count >= 20 { break }
    }
    if differing.isEmpty { return true }
    let script = CaseFile.text(of: differing, library)
    Files.write(Array(script.utf8), to: "\(options.caseFolder)/json-\(options.seed).test")
    return false
  }
}
