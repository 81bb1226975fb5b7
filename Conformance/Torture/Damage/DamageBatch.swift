import Engines

/// Some damaged files, one after the other, each given to both engines as a copy of its own.
struct DamageBatch {
  let library: OracleLibrary
  let options: Options
  private var bases: [Int: DatabaseImage] = [:]

  init(_ library: OracleLibrary, _ options: Options) {
    self.library = library
    self.options = options
  }

  mutating func run() throws(EngineError) {
    for number in 0..<max(options.count, 1) {
      let seed = options.seed &+ UInt64(number)
      var mutator = Mutator(try base(Int(seed % UInt64(DamageBase.shapeCount))), seed: seed)
      mutator.mutate()
      judge(mutator, seed)
    }
  }

  private mutating func base(_ shape: Int) throws(EngineError) -> DatabaseImage {
    if let known = bases[shape] { return known }
    let made = try DamageBase(library: library).make(shape: shape)
    bases[shape] = made
    return made
  }

  private func judge(_ mutator: Mutator, _ seed: UInt64) {
    let path = Scratch.path("damaged")
    defer { Files.removeDatabase(path) }
    // The parent finds the file here if this process does not survive it.
    printLine("> \(seed) \(path)")
    write(mutator.image, to: path)
    let expected = outcomes(of: .oracle(library), path)
    Files.removeDatabase(path)
    write(mutator.image, to: path)
    printLine("m \(seed)")
    let start = ContinuousClock.now
    let mine = outcomes(of: .martlet, path)
    let elapsed = ContinuousClock.now - start
    var problem = difference(expected, mine)
    if elapsed > .seconds(5) { problem = "took \(elapsed)" }
    guard let problem else { return }
    let name = "\(options.caseFolder)/damage-\(seed).db"
    write(mutator.image, to: name)
    printLine("! \(seed) \(mutator.notes.joined(separator: "; ")): \(problem)")
  }

  private func write(_ image: DatabaseImage, to path: String) {
    Files.write(image.bytes, to: path)
    if let journal = image.journal { Files.write(journal, to: path + "-journal") }
    if let log = image.log { Files.write(log, to: path + "-wal") }
    if let index = image.index { Files.write(index, to: path + "-shm") }
  }

  private func outcomes(of engine: Engine, _ path: String) -> [Outcome] {
    do throws(EngineError) {
      let database = try engine.open(path: path, readOnly: false)
      return (DamageProbe.reads + DamageProbe.writes).map { database.outcome(of: $0) }
    } catch { return [Outcome(error: error)] }
  }

  /// The first answer that is worse than C's. Behind the first that is merely another, the two
  /// files have different contents and are not compared any more.
  private func difference(_ expected: [Outcome], _ mine: [Outcome]) -> String? {
    let statements = DamageProbe.reads + DamageProbe.writes
    var hasDiverged = false
    // As C's integrity_check says, which is among the reads.
    let check = DamageProbe.reads.firstIndex(of: "PRAGMA integrity_check") ?? 0
    let complaints = check < expected.count ? expected[check].rows : []
    let isDamaged = complaints != ["'ok'"]
    // Then a change finds its rows by another path, and other rows are there afterwards.
    var findsOthers = complaints.contains { $0.contains("out of order") }
    for (index, sql) in statements.enumerated() where index < min(expected.count, mine.count) {
      let isReading = index < DamageProbe.reads.count
      guard isReading || !hasDiverged else { return nil }
      switch DamageProbe.verdict(sql, oracle: expected[index], martlet: mine[index]) {
      // How many rows a change came to before it met the damage stays in the transaction.
      case .same where !isReading && expected[index].error != nil: findsOthers = true
      case .same: continue
      case .tolerated: hasDiverged = true
      case .wrong where DamageProbe.searches.contains(sql) && isDamaged: hasDiverged = true
      case .wrong where !isReading && findsOthers: hasDiverged = true
      case .wrong(let problem): return "\(sql): \(problem)"
      }
    }
    return nil
  }
}
