import Engines

/// One seed of the lockstep test: makes statements and runs each on both engines.
struct LockstepSeed {
  let library: OracleLibrary
  let seed: UInt64
  let count: Int
  let caseFolder: String
  let isWAL: Bool
  /// How long a difference may be made smaller.
  let shrinkLimit: Duration
  private(set) var tally = LockstepTally()
  private var history: [String] = []
  private var generator: Generator
  private var findings = 0
  private var circumstances = Circumstances()
  /// Every further difference would follow from the first.
  private var hasDiverged = false

  init(_ library: OracleLibrary, _ options: Options) {
    self.library = library
    seed = options.seed
    count = options.count
    caseFolder = options.caseFolder
    isWAL = options.isWAL
    shrinkLimit = .seconds(options.shrink)
    generator = Generator(seed: options.seed, isSearch: options.isSearch)
  }

  mutating func run() throws(EngineError) {
    var pair: Pair? = try Pair(library, isWAL: isWAL)
    var waiting = generator.opening()[...]
    for number in 0..<count where !hasDiverged {
      guard let pair else { break }
      if number % 20 == 19 { waiting += trimmed(pair) }
      let sql = waiting.popFirst() ?? generator.statement()
      run(sql, on: pair)
    }
    guard !hasDiverged, let last = pair else { return }
    guard let found = last.checkFiles() else { return }
    pair = nil
    if let reason = KnownDifference.explanation(
      of: found, after: circumstances, in: last.oracle)
    {
      tally.explained[reason, default: 0] += 1
    } else {
      report(found)
    }
  }

  private mutating func run(_ sql: String, on pair: Pair) {
    announce(sql)
    history.append(sql)
    switch pair.run(sql) {
    case .same(let outcome):
      tally.statements += 1
      if outcome.error != nil { tally.failures += 1 }
      circumstances.take(sql, outcome)
      if Self.changesSchema(sql) || outcome.error != nil { refresh(pair) }
    case .skipped(let reason):
      tally.skipped[reason, default: 0] += 1
      history.removeLast()
      // How far a change came that was interrupted shows in the counters.
      if reason == Pair.interruption, !Self.onlyReads(sql) { hasDiverged = true }
    case .different(let difference, let outcome):
      tally.statements += 1
      hasDiverged = difference.kind == .state || !Self.onlyReads(sql)
      let reason = KnownDifference.explanation(
        of: difference, after: circumstances, in: pair.oracle)
      circumstances.take(sql, outcome)
      if let reason {
        tally.explained[reason, default: 0] += 1
        printLine(
          "? \(reason)\tC: \(difference.oracle)\tMartlet: \(difference.martlet)\t"
            .replacingLineBreaks()
            + sql.replacingLineBreaks())
        // A script that shows another difference may show no other before it.
        if !hasDiverged { history.removeLast() }
      } else {
        report(difference)
      }
      if findings >= 3 { hasDiverged = true }
    }
  }

  /// Leaves the statement where the parent finds it when this process crashes in it.
  private func announce(_ sql: String) { printLine("> " + sql.replacingLineBreaks()) }

  private mutating func report(_ difference: Difference) {
    findings += 1
    tally.differences += 1
    var shrinker = Shrinker(library: library, isWAL: isWAL, difference: difference, limit: shrinkLimit)
    let statements = shrinker.shrink(history)
    let name = "\(caseFolder)/seed-\(seed)-\(findings).test"
    let header =
      "# seed \(seed), \(difference.kind.rawValue)\n# C:       "
      + "\(difference.oracle.replacingLineBreaks())\n# Martlet: "
      + "\(difference.martlet.replacingLineBreaks())\n"
    Files.write(Array((header + CaseFile.text(of: statements, library)).utf8), to: name)
    printLine("! \(difference.kind.rawValue) \(name)")
    if difference.kind != .state { history.removeLast() }
  }

  private mutating func refresh(_ pair: Pair) {
    pair.readSchemaOnMartlet()
    let objects = pair.oracle.outcome(
      of: "SELECT type, name FROM sqlite_schema UNION ALL SELECT type, name FROM sqlite_temp_schema"
    )
    generator.refresh(
      objects: objects.rows.map { row in
        let parts = Self.values(row)
        return (parts[0], parts.count > 1 ? parts[1] : "")
      }, models: TableModel.all(in: pair.oracle))
  }

  /// The texts of a row, without their quotes.
  static func values(_ row: String) -> [String] {
    row.split(separator: "|", omittingEmptySubsequences: false).map {
      $0.first == "'" ? String($0.dropFirst().dropLast()) : String($0)
    }
  }

  /// Statements that make tables small again that have grown too large for joins.
  private mutating func trimmed(_ pair: Pair) -> [String] {
    refresh(pair)
    let limit = generator.isBulky ? 400 : 40
    return generator.tables.filter { table in
      let count = pair.oracle.outcome(of: "SELECT count(*) FROM \(table.name)").rows.first ?? "0"
      return !table.isView && (Int(count) ?? 0) > limit
    }.map {
      "DELETE FROM \($0.name) WHERE \($0.columns[0].name) IN (SELECT \($0.columns[0].name)"
        + " FROM \($0.name) ORDER BY 1 LIMIT \(limit * 3 / 4))"
    }
  }

  static func onlyReads(_ sql: String) -> Bool {
    let isQuery = ["SELECT", "VALUES", "WITH", "EXPLAIN"].contains { sql.hasPrefix($0) }
    let mayWrite =
      sql.hasPrefix("WITH") && ["INSERT", "UPDATE", "DELETE"].contains { sql.contains($0) }
    return isQuery && !mayWrite
      || sql.hasPrefix("PRAGMA") && !sql.contains("=") && !sql.contains("vacuum")
  }

  private static func changesSchema(_ sql: String) -> Bool {
    ["CREATE", "DROP", "ALTER", "ROLLBACK", "COMMIT", "END", "RELEASE"].contains {
      sql.hasPrefix($0)
    }
  }
}

/// What a run of statements came to.
struct LockstepTally {
  var statements = 0
  var failures = 0
  var differences = 0
  var skipped: [String: Int] = [:]
  var explained: [String: Int] = [:]

  mutating func add(_ other: LockstepTally) {
    statements += other.statements
    failures += other.failures
    differences += other.differences
    skipped.merge(other.skipped, uniquingKeysWith: +)
    explained.merge(other.explained, uniquingKeysWith: +)
  }

  /// The lines that a child leaves for its parent.
  var lines: [String] {
    ["= \(statements) \(failures) \(differences)"]
      + skipped.map { "s \($0.value) \($0.key)" } + explained.map { "e \($0.value) \($0.key)" }
  }

  /// Reads what `lines` wrote.
  mutating func add(line: String) {
    let words = line.split(separator: " ", maxSplits: line.hasPrefix("= ") ? 3 : 2)
    guard words.count >= 3, let number = Int(words[1]) else { return }
    switch words[0] {
    case "=":
      statements += number
      failures += Int(words[2]) ?? 0
      differences += Int(words[3]) ?? 0
    case "s": skipped[String(words[2]), default: 0] += number
    case "e": explained[String(words[2]), default: 0] += number
    default: break
    }
  }
}
