import Engines

/// `torture savepoints`: nested savepoints, statements that fail, vacuums and commits in databases
/// of every kind, on both engines and held against a model of the rows. Each seed has a process of
/// its own.
struct SavepointTorture {
  let library: OracleLibrary
  let options: Options

  /// True when nothing differed.
  func run() -> Bool {
    let start = ContinuousClock.now
    let seeds = max(options.seeds, 1), first = options.seed
    let perSeed = (options.count + seeds - 1) / seeds
    let folder = options.caseFolder
    Files.makeFolder(folder)
    var steps = 0, badSeeds = 0, failuresOfC = 0
    runChildren(
      seeds, width: options.jobs, limit: .seconds(120 + perSeed),
      arguments: { index in
        [
          "savepoints-seed", "--seed", "\(first &+ UInt64(index))", "--count", "\(perSeed)",
          "--cases", folder,
        ]
      },
      finished: { index, result in
        if result.end == .exited(0) {
          if result.output.isEmpty { steps += perSeed } else { failuresOfC += 1 }
        } else {
          badSeeds += 1
          printLine("seed \(first &+ UInt64(index)): \(result.end)\n\(result.output)")
        }
        return true
      })
    printLine("\(steps) steps without a difference in \(.now - start); \(badSeeds) seeds differ")
    if failuresOfC > 0 { printLine("\(failuresOfC) seeds ended as C lost pages of its own") }
    return badSeeds == 0
  }

  /// One seed, in this process. What differs is printed, and the statements that led to it are
  /// written to a file.
  func runSeed() -> Bool {
    var seed = SavepointSeed(library, seed: options.seed)
    do throws(EngineError) {
      try seed.run(steps: options.count)
    } catch {
      printLine("cannot begin: \(error.line)")
      return false
    }
    if seed.hasOracleFailed { printLine("C failed") }
    guard let problem = seed.problem else { return true }
    let path = "\(options.caseFolder)/savepoints-\(options.seed).sql"
    let script = (["-- \(seed.place.title)"] + seed.history).joined(separator: ";\n")
    Files.write(Array(script.utf8), to: path)
    printLine("\(seed.place.title): \(problem)\n  \(path)")
    return false
  }
}

/// Where the databases of a seed are.
struct SavepointPlace {
  let title: String
  /// The database is a file; else its location is the same for both engines.
  let isFile: Bool
  let location: String
  /// The databases that have a table.
  let schemas: [String]

  static let all = [
    SavepointPlace(title: "temporary", isFile: false, location: "", schemas: ["main"]),
    SavepointPlace(title: "memory", isFile: false, location: ":memory:", schemas: ["main"]),
    SavepointPlace(title: "file", isFile: true, location: "", schemas: ["main"]),
    SavepointPlace(title: "temp table", isFile: false, location: ":memory:", schemas: ["temp"]),
    SavepointPlace(
      title: "file, temp table and attached", isFile: true, location: "",
      schemas: ["main", "temp", "other"]),
  ]
}
