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
      if options.isSearch {
        try judgeSearch(seed)
        continue
      }
      var mutator = Mutator(try base(Int(seed % UInt64(DamageBase.shapeCount))), seed: seed)
      mutator.mutate()
      judge(
        mutator.image, mutator.notes, seed, DamageProbe.reads + DamageProbe.writes, difference)
    }
  }

  private mutating func base(_ shape: Int) throws(EngineError) -> DatabaseImage {
    if let known = bases[shape] { return known }
    let made =
      options.isSearch
      ? try SearchDamage(library: library).make(shape: shape)
      : try DamageBase(library: library).make(shape: shape)
    bases[shape] = made
    return made
  }

  /// Three files of four are damaged in rows of shadow tables, the others in pages.
  private mutating func judgeSearch(_ seed: UInt64) throws(EngineError) {
    let sound = try base(Int(seed % UInt64(SearchDamage.shapeCount)))
    var random = RandomSource(seed: seed)
    if random.chance(75) {
      let (image, notes) = try SearchDamage(library: library).damage(sound, &random)
      judge(image, notes, seed, SearchDamage.statements, SearchDamage.difference)
    } else {
      var mutator = Mutator(sound, seed: seed)
      mutator.mutate()
      judge(mutator.image, mutator.notes, seed, SearchDamage.statements, SearchDamage.difference)
    }
  }

  private func judge(
    _ image: DatabaseImage, _ notes: [String], _ seed: UInt64, _ statements: [String],
    _ difference: ([Outcome], [Outcome]) -> String?
  ) {
    let path = Scratch.path("damaged")
    defer { Files.removeDatabase(path) }
    // The parent finds the file here if this process does not survive it.
    printLine("> \(seed) \(path)")
    write(image, to: path)
    let expected = outcomes(of: .oracle(library), path, statements)
    Files.removeDatabase(path)
    write(image, to: path)
    printLine("m \(seed)")
    let start = ContinuousClock.now
    let mine = outcomes(of: .martlet, path, statements)
    let elapsed = ContinuousClock.now - start
    var problem = difference(expected, mine)
    if elapsed > .seconds(5) { problem = "took \(elapsed)" }
    guard let problem else { return }
    let name = "\(options.caseFolder)/damage-\(seed).db"
    write(image, to: name)
    printLine("! \(seed) \(notes.joined(separator: "; ")): \(problem)")
  }

  private func write(_ image: DatabaseImage, to path: String) {
    Files.write(image.bytes, to: path)
    if let journal = image.journal { Files.write(journal, to: path + "-journal") }
    if let log = image.log { Files.write(log, to: path + "-wal") }
    if let index = image.index { Files.write(index, to: path + "-shm") }
  }

  private func outcomes(
    of engine: Engine, _ path: String, _ statements: [String]
  ) -> [Outcome] {
    do throws(EngineError) {
      let database = try engine.open(path: path, readOnly: false)
      return statements.map { database.outcome(of: $0) }
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
