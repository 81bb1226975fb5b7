import Engines

/// `torture interleave`: several connections on one file, statements that are kept and run again,
/// queries that are left half-read, and changes of the schema between, on both engines. Each seed has a
/// process of its own.
struct InterleaveTorture {
  let library: OracleLibrary
  let options: Options

  /// True when nothing differed.
  func run() -> Bool {
    let start = ContinuousClock.now
    let perSeed = 150
    let seeds = max((options.count + perSeed - 1) / perSeed, 1), first = options.seed
    Files.makeFolder(options.caseFolder)
    // A process for each seed would cost more than the seed.
    let perProcess = 20
    var steps = 0, badSeeds = 0
    var explained: [String: Int] = [:], last = ""
    runChildren(
      (seeds + perProcess - 1) / perProcess, width: options.jobs, limit: .seconds(300),
      arguments: { index in
        let number = min(perProcess, seeds - index * perProcess)
        return [
          "interleave-seed", "--seed", "\(first &+ UInt64(index * perProcess))",
          "--seeds", "\(number)", "--count", "\(perSeed)", "--cases", options.caseFolder,
        ]
      },
      finished: { index, result in
        for line in result.output.split(separator: "\n") {
          if let count = line.dropPrefix("steps ") {
            steps += Int(count) ?? 0
          } else if let name = line.dropPrefix("explained ") {
            explained[name, default: 0] += 1
            last = name
          } else if let line = line.dropPrefix("? ") {
            if explained[last, default: 0] <= options.explained { printLine("\(last): \(line)") }
          } else {
            printLine(String(line))
            if line.hasPrefix("seed ") { badSeeds += 1 }
          }
        }
        if result.end != .exited(0) {
          badSeeds += 1
          printLine("seeds from \(first &+ UInt64(index * perProcess)): \(result.end)")
        }
        return true
      })
    for (name, count) in explained.sorted(by: { $0.value > $1.value }) {
      printLine("\(count) explained: \(name)")
    }
    printLine("\(steps) steps in \(.now - start); \(badSeeds) seeds differ")
    return badSeeds == 0
  }

  /// The steps of a case, in this process.
  func runCase() -> Bool {
    let text = String(decoding: Files.bytes(of: options.path) ?? [], as: UTF8.self)
    guard let script = InterleaveScript(text) else {
      printLine("\(options.path) holds no steps")
      return false
    }
    var run = InterleaveRun(library, script)
    do throws(EngineError) { try run.run() } catch {
      printLine("cannot begin: \(error.line)")
      return false
    }
    run.explanations.forEach { printLine("explained: \($0.rule.rawValue)") }
    if let problem = run.problem { printLine(problem.line) }
    return run.problem == nil
  }

  /// Some seeds one after the other, in this process.
  func runSeed() -> Bool {
    var steps = 0
    for number in 0..<UInt64(max(options.seeds, 1)) {
      let seed = options.seed &+ number
      let script = InterleaveScript(seed: seed, count: options.count)
      var run = InterleaveRun(library, script)
      do throws(EngineError) { try run.run() } catch {
        printLine("seed \(seed): cannot begin: \(error.line)")
        continue
      }
      steps += run.stepCount
      for (rule, line) in run.explanations {
        printLine("explained \(rule.rawValue)")
        printLine("? seed \(seed): \(line.replacingLineBreaks())")
      }
      guard let problem = run.problem else { continue }
      let shortest = InterleaveShrinker(library, script, problem).shortest(within: .seconds(20))
      let path = "\(options.caseFolder)/interleave-\(seed).txt"
      Files.write(Array(shortest.description.utf8), to: path)
      printLine("seed \(seed): \(problem.line)\n  \(path)")
    }
    printLine("steps \(steps)")
    return true
  }
}

extension Substring {
  fileprivate func dropPrefix(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
