import Engines

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `torture`: looks for statements and files on which Martlet and C SQLite differ.
@main
struct Torture {
  static func main() {
    var problem = ""
    guard let options = Options(Array(CommandLine.arguments.dropFirst()), problem: &problem) else {
      fail("\(problem)\n\n\(Options.usage)")
    }
    let isGood = run(options)
    Scratch.removeFolder()
    exit(isGood ? 0 : 1)
  }

  /// True when Martlet did as C SQLite does.
  private static func run(_ options: Options) -> Bool {
    var options = options
    switch options.command {
    case "lockstep":
      if options.count == 0 { options.count = 200_000 }
      var lockstep = Lockstep(oracle(), options)
      return lockstep.run()
    case "lockstep-seed": return runSeed(options)
    case "replay":
      replay(options.path)
      return true
    case "damage":
      if options.count == 0 { options.count = 10_000 }
      _ = oracle()
      var damage = Damage(options)
      return damage.run()
    case "damage-batch":
      var batch = DamageBatch(oracle(), options)
      do throws(EngineError) { try batch.run() } catch { fail("no base: \(error.line)") }
      return true
    case "json":
      if options.count == 0 { options.count = 200_000 }
      return JSONTorture(library: oracle(), options: options).run()
    case "json-seed": return JSONTorture(library: oracle(), options: options).runSeed()
    case "mutate":
      if options.count == 0 { options.count = 1_000_000 }
      return MutateTorture(library: oracle(), options: options).run()
    case "mutate-seed", "mutate-trace":
      return MutateTorture(library: oracle(), options: options)
        .runSeed(isTracing: options.command == "mutate-trace")
    case "savepoints":
      if options.count == 0 { options.count = 40_000 }
      return SavepointTorture(library: oracle(), options: options).run()
    case "savepoints-seed":
      return SavepointTorture(library: oracle(), options: options).runSeed()
    case "interleave":
      if options.count == 0 { options.count = 100_000 }
      let interleave = InterleaveTorture(library: oracle(), options: options)
      return options.path.isEmpty ? interleave.run() : interleave.runCase()
    case "interleave-seed":
      return InterleaveTorture(library: oracle(), options: options).runSeed()
    case "share":
      _ = oracle()
      return ShareTorture(options: options).run()
    case "share-worker": return ShareTorture(options: options).runWorker(library: oracle())
    case "deep":
      _ = oracle()
      return Deep.run(jobs: options.jobs)
    case "deep-one": return Deep(library: oracle()).run(script: Int(options.seed))
    default: fail("unknown command \(options.command)\n\n\(Options.usage)")
    }
  }

  private static func runSeed(_ options: Options) -> Bool {
    var seed = LockstepSeed(oracle(), options)
    do throws(EngineError) { try seed.run() } catch { fail("cannot begin: \(error.line)") }
    seed.tally.lines.forEach { printLine($0) }
    return true
  }

  /// Runs the statements of a file, separated by zero bytes, on Martlet alone.
  private static func replay(_ path: String) {
    let text = String(decoding: Files.bytes(of: path) ?? [], as: UTF8.self)
    let file = Scratch.path("replayed")
    defer { Files.removeDatabase(file) }
    guard let database = try? Engine.martlet.open(path: file, readOnly: false) else { return }
    for sql in text.split(separator: "\u{0}") { _ = database.outcome(of: String(sql)) }
  }

  static func oracle() -> OracleLibrary {
    guard let folder = OracleLibrary.configuredFolder,
      let library = OracleLibrary(folder: folder)
    else { fail(OracleLibrary.requirement) }
    return library
  }

  static func fail(_ message: String) -> Never {
    printError("torture: \(message)")
    exit(2)
  }
}
