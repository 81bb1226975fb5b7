import Engines

/// A step that the engines do not agree about.
struct InterleaveProblem {
  let step: Int
  let kind: DifferenceKind
  let line: String
}

/// The steps of a script on both engines, each on a file of its own, one step after the other.
struct InterleaveRun {
  private let library: OracleLibrary
  private let script: InterleaveScript
  private(set) var problem: InterleaveProblem?
  private(set) var stepCount = 0
  /// The differences that docs/deviations.md explains, by its words.
  private(set) var explanations: [String] = []

  init(_ library: OracleLibrary, _ script: InterleaveScript) {
    self.library = library
    self.script = script
  }

  mutating func run() throws(EngineError) {
    let martlet = try InterleaveWorker(.martlet, settings: script.settings)
    let oracle = try InterleaveWorker(.oracle(library), settings: script.settings)
    // Sees by its version whether anything was written to Martlet's file.
    let observer = try Engine.martlet.open(path: martlet.path, readOnly: false)
    for (index, step) in script.steps.enumerated() {
      let version = observer.outcome(of: "PRAGMA data_version").rows
      let mine = martlet.perform(step), expected = oracle.perform(step)
      stepCount += 1
      let sql = step.sql
      guard let found = expected.difference(from: mine, sql: sql ?? "") else { continue }
      let hasWritten = observer.outcome(of: "PRAGMA data_version").rows != version
      let rule = InterleaveRule.of(
        found, expected, mine, breaksLock: hasWritten && martlet.isLocked(for: step.connection),
        anew: sql.map { oracle.fresh($0, on: step.connection) })
      let known = rule ?? script.rule(for: found, at: index)
      if let rule = known {
        explanations.append(rule.rawValue)
        if rule.endsScript { return }
        continue
      }
      problem = InterleaveProblem(
        step: index, kind: found.kind,
        line: "\(found.kind.rawValue): \(step)\n  C: \(found.oracle)\n  M: \(found.martlet)")
      return
    }
    martlet.close()
    oracle.close()
    guard let found = Pair.difference(between: oracle.path, martlet.path, library) else { return }
    if found.kind == .schema, script.losesIndexes {
      return explanations.append(InterleaveRule.hiddenTable.rawValue)
    }
    problem = InterleaveProblem(
      step: script.steps.count, kind: found.kind,
      line: "\(found.kind.rawValue): \(found.sql)\n  C: \(found.oracle)\n  M: \(found.martlet)")
  }
}

extension InterleaveStep {
  /// The text, where a statement is run from its start.
  fileprivate var sql: String? {
    switch action {
    case .run(let sql), .open(let sql): sql
    case .fetch, .close, .reopen: nil
    }
  }
}

extension InterleaveScript {
  /// VACUUM of SQLite looks for the table of an index by its name, and may find a temporary one.
  fileprivate var losesIndexes: Bool {
    let texts = steps.compactMap(\.sql)
    return texts.contains("VACUUM") && texts.contains { $0.hasPrefix("CREATE TEMP TABLE") }
      && texts.contains { $0.hasPrefix("CREATE ") && $0.contains("INDEX ") }
  }

  /// What a difference comes from that has its cause in an earlier step.
  fileprivate func rule(for found: Difference, at index: Int) -> InterleaveRule? {
    let before = steps.prefix(index + 1).compactMap(\.sql)
    if losesIndexes, before.contains("VACUUM"),
      found.sql.contains("sqlite_schema") || found.sql == "PRAGMA page_count"
    {
      return .hiddenTable
    }
    if found.sql == "DETACH x1", (found.oracle + found.martlet).contains("database x1 is locked") {
      return .detachedDatabase
    }
    let isChange = ["INSERT", "UPDATE", "DELETE"].contains { found.sql.hasPrefix($0) }
      && !["main.", "temp.", "x1."].contains { found.sql.contains($0) }
    let hasTwoTables = before.contains { $0.hasPrefix("CREATE TABLE") && $0.contains(" x1.t0(") }
    return isChange && hasTwoTables && found.sql.contains(" t0") ? .otherTable : nil
  }
}

/// Differences that docs/deviations.md explains.
enum InterleaveRule: String {
  case unneededLock = "A transaction that has changed nothing takes no exclusive lock"
  case severalMistakes = "Of several mistakes in one statement"
  case presentSchema = "A mistake that is found with the schema in memory is looked for again"
  case newMeaning = "A statement is compiled again when any schema of the connection has changed"
  /// The same for a statement that has changed something.
  case otherTable = "A statement is compiled again, and changes another table"
  case busyMessage = "The message of a commit that could not be made"
  case mistakeFirst = "A mistake is found before a lock is asked for"
  case hiddenTable = "VACUUM keeps the indexes of a table that a temporary one hides"
  case temporaryDatabase = "PRAGMA database_list lists the temporary database"
  case hiddenView = "PRAGMA table_list counts the columns of a view that a temporary one hides"
  case orphanTrigger = "A temporary trigger whose table is gone does not stop ALTER TABLE"
  case schemaAgain = "Schemas that a rollback has made doubtful are read again"
  case gatheredRows = "Rows that were gathered before a ROLLBACK are still given"
  case detachedDatabase = "DETACH is refused while a transaction has begun on the database"
  case schemaFirst = "The schemas are read before the names of databases are looked at"

  /// The engines have not done the same, so that nothing behind it can be compared.
  var endsScript: Bool {
    switch self {
    case .unneededLock, .otherTable, .hiddenTable, .orphanTrigger, .detachedDatabase: true
    default: false
    }
  }

  /// - Parameters:
  ///   - breaksLock: Martlet has written beside another connection that keeps a lock.
  ///   - anew: What the same text gives when C compiles it now.
  static func of(
    _ found: Difference, _ expected: Outcome, _ mine: Outcome, breaksLock: Bool, anew: Outcome?
  ) -> InterleaveRule? {
    let theirs = expected.error, ours = mine.error
    if let rule = ofNames(found, expected, mine) { return rule }
    // SQLITE_ABORT_ROLLBACK: Martlet has the rows in a table of its own already.
    if theirs?.code == 516, ours == nil, found.sql.isEmpty { return .gatheredRows }
    if let theirs, theirs.code & 0xff == 5 {
      if let ours, ours.code & 0xff == 5 {
        return expected.state == mine.state ? .busyMessage : .unneededLock
      }
      if ours != nil, expected.state == mine.state { return .mistakeFirst }
      if !breaksLock, ours == nil { return .unneededLock }
    }
    if let theirs, let ours, ours.code & 0xff == 5, expected.state == mine.state,
      ["unknown database ", "no such database: "].contains(where: theirs.message.hasPrefix)
    {
      return .schemaFirst
    }
    if let ours, ours.code & 0xff == 5, expected.state == mine.state,
      theirs?.code == 1 || expected.columns.first == "changes()"
    {
      return .schemaAgain
    }
    if let anew, let ours, anew.error?.line == ours.line, expected.state == mine.state {
      return theirs?.code == 1 ? .presentSchema : .newMeaning
    }
    // As many rows as were inserted, into a table of another database.
    if let anew, found.kind == .state, found.sql.hasPrefix("INSERT"), theirs == nil, ours == nil {
      return anew.error == nil ? .otherTable : nil
    }
    if let anew, theirs?.code == 1 || found.sql.hasPrefix("SELECT") || found.sql.hasPrefix("WITH") {
      if anew.rows == mine.rows, anew.columns == mine.columns, anew.error?.line == ours?.line {
        return theirs?.code == 1 ? .presentSchema : .newMeaning
      }
    }
    if let theirs, let ours, theirs.code == 1, ours.code == 1, expected.state == mine.state,
      isMistake(theirs.message), isMistake(ours.message)
    {
      return .severalMistakes
    }
    return nil
  }

  /// What names of temporary objects and of the database of theirs lead to.
  private static func ofNames(
    _ found: Difference, _ expected: Outcome, _ mine: Outcome
  ) -> InterleaveRule? {
    let sql = found.sql
    if sql == "PRAGMA database_list" {
      let temporary = "1|'temp'|''"
      return expected.rows.filter { $0 != temporary } == mine.rows.filter { $0 != temporary }
        ? .temporaryDatabase : nil
    }
    if sql.hasPrefix("PRAGMA table_list"), expected.rows.count == mine.rows.count {
      let differing = zip(expected.rows, mine.rows).filter { $0 != $1 }
      return differing.allSatisfy { $0.0.contains("|'view'|0|") } ? .hiddenView : nil
    }
    if sql == "VACUUM", found.kind == .state || found.kind == .missingError && mine.error == nil,
      expected.error?.code ?? 1 == 1
    {
      return .hiddenTable
    }
    let isTrigger = expected.error?.message.hasPrefix("error in trigger ") ?? false
    return isTrigger && sql.hasPrefix("ALTER") && mine.error == nil ? .orphanTrigger : nil
  }

  /// What is found before a statement runs.
  private static func isMistake(_ message: String) -> Bool {
    [
      "no such ", "foreign key mismatch", "error in ", "there is already ", "use DROP ",
      "duplicate ",
      "cannot drop ", "unable to identify",
    ].contains { message.hasPrefix($0) }
      || message.contains(" already exists") || message.contains(" has no column named ")
      || message.hasSuffix(" values were supplied")
  }
}
