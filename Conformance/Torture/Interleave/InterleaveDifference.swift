import Engines

/// A step of a script that has given something else on each engine, and the question why.
struct InterleaveDifference {
  let found: Difference
  let index: Int
  let step: InterleaveStep
  let expected: Outcome
  let mine: Outcome
  /// Martlet has written beside another connection that keeps a lock.
  let breaksLock: Bool
  let replay: InterleaveReplay

  /// SQLITE_BUSY, the primary code.
  private static let busy: Int32 = 5
  /// Makes SQLite forget what it has found of views and triggers.
  private static let readsSchemasAgain = "PRAGMA writable_schema = RESET"

  func rule() -> InterleaveRule? {
    ofNames() ?? ofRows() ?? ofLocks() ?? ofKeptStatements() ?? ofMistakes()
      ?? replay.earlierCause(before: index)
  }

  // MARK: Names

  /// What names of temporary objects and of the database of theirs lead to.
  private func ofNames() -> InterleaveRule? {
    let sql = found.sql
    if sql == "PRAGMA database_list" {
      let temporary = "1|'temp'|''"
      return expected.rows.filter { $0 != temporary } == mine.rows.filter { $0 != temporary }
        ? .temporaryDatabase : nil
    }
    if sql.hasPrefix("PRAGMA table_list") {
      if differsInHiddenViews(expected) { return .hiddenView }
      let anew = replay.outcome(at: index, behind: [Self.readsSchemasAgain])
      return anew.map(differsInHiddenViews) ?? false ? .temporaryNames : nil
    }
    if sql == "PRAGMA page_count", comesFromUnchangedRows() { return .unchangedRows }
    if sql.hasPrefix("CREATE TEMP TRIGGER"), takesNameOfOrphan() { return .orphanTrigger }
    // ATTACH beside a query that is half read is a part of its transaction in SQLite.
    if sql.hasPrefix("DETACH"), isMine(replay.readingAll(at: index)) { return .detachedDatabase }
    if sql == "VACUUM", replay.losesIndexes(at: index) { return .hiddenTable }
    guard sql.hasPrefix("ALTER TABLE") else { return nil }
    if let message = expected.error?.message ?? mine.error?.message, isAboutHidden(message) {
      return .hiddenTable
    }
    let isTrigger = expected.error?.message.hasPrefix("error in trigger ") ?? false
    return isTrigger && mine.error == nil ? .orphanTrigger : nil
  }

  /// Of a list of tables, only views have another number of columns, which is 0 in SQLite's.
  private func differsInHiddenViews(_ list: Outcome) -> Bool {
    list.rows.count == mine.rows.count
      && zip(list.rows, mine.rows).allSatisfy { $0 == $1 || $0.contains("|'view'|0|") }
  }

  /// Whether both have as many pages where nothing was written that leaves rows as they are.
  private func comesFromUnchangedRows() -> Bool {
    ["REINDEX", "INSERT OR REPLACE"].contains { prefix in
      let theirs = replay.leavingOut(prefix, at: index)
      return theirs != nil && theirs == replay.leavingOut(prefix, at: index, ofMartlet: true)
    }
  }

  /// Whether there is a temporary trigger of the name, of a table that is gone. SQLite makes another
  /// one, and cannot read its schema when the table is there again.
  private func takesNameOfOrphan() -> Bool {
    guard mine.error?.message.hasSuffix(" already exists") ?? found.sql.contains("IF NOT EXISTS"),
      expected.error == nil || expected.error?.code == 11,
      let name = ["g0", "g1"].first(where: { found.sql.contains(" \($0) ") })
    else { return false }
    let question = """
      SELECT count(*) FROM temp.sqlite_schema WHERE name = '\(name)' AND type = 'trigger'
      AND tbl_name NOT IN (SELECT name FROM main.sqlite_schema UNION SELECT name FROM temp.sqlite_schema)
      """
    let answers = replay.answers(to: [question], on: step.connection, before: index)
    return answers?.oracle[0].rows == ["1"] && answers?.martlet[0].rows == ["1"]
  }

  /// Whether the object of `error in <type> <name>: …` is one of main, and belongs to a table whose
  /// name a temporary one has, perhaps only when ALTER TABLE has renamed it.
  private func isAboutHidden(_ message: String) -> Bool {
    let words = message.split(separator: " ")
    guard message.hasPrefix("error in "), words.count > 3 else { return false }
    let name = words[3].prefix { $0 != ":" }
    var tables = "SELECT tbl_name FROM main.sqlite_schema WHERE name = '\(name)'"
    if let newName = found.sql.split(separator: " RENAME TO ").dropFirst().first {
      tables += " UNION ALL SELECT '\(newName)'"
    }
    let question = """
      SELECT count(*) FROM temp.sqlite_schema WHERE name IN (\(tables)) AND type IN ('table', 'view')
      """
    let answers = replay.answers(to: [question], on: step.connection, before: index)
    return [answers?.oracle[0].rows, answers?.martlet[0].rows].allSatisfy { $0 != nil && $0 != ["0"] }
  }

  // MARK: Rows

  /// Half-read queries: Martlet may have gathered rows that SQLite reads as they are asked for.
  private func ofRows() -> InterleaveRule? {
    guard step.sql == nil, mine.error == nil, [nil, 11, 516].contains(expected.error?.code),
      let rows = replay.rowsAtBeginning(ofQueryAt: index)
    else { return nil }
    return rows.starts(with: mine.rows) && mine.rows.count <= rows.count ? .gatheredRows : nil
  }

  // MARK: Locks

  private func ofLocks() -> InterleaveRule? {
    let theirs = expected.error, ours = mine.error
    if let theirs, theirs.code & 0xff == Self.busy {
      if let ours, ours.code & 0xff == Self.busy {
        return expected.state == mine.state ? .busyMessage : .unneededLock
      }
      // A transaction began, and Martlet got the lock.
      if ours != nil, found.sql.hasPrefix("BEGIN") { return .unneededLock }
      // SQLite's statement has begun, so that it has changed no rows.
      if ours != nil, expected.state == mine.state || expected.state?.changes == 0,
        expected.state?.totalChanges == mine.state?.totalChanges,
        expected.state?.isAutocommit == mine.state?.isAutocommit
      {
        return .mistakeFirst
      }
      return !breaksLock && ours == nil ? .unneededLock : nil
    }
    // The file is locked for SQLite, too, which has not looked.
    if let ours, ours.code & 0xff == Self.busy, expected.state == mine.state {
      let answers = replay.answers(to: [InterleaveReplay.look], on: step.connection, before: index)
      let code = answers?.oracle[0].error?.code ?? 0
      return code & 0xff == Self.busy ? .schemaFirst : nil
    }
    return nil
  }

  // MARK: Kept statements

  /// SQLite does as Martlet, if it does not use what it compiled for an older schema.
  private func ofKeptStatements() -> InterleaveRule? {
    if let sql = step.sql {
      if isMine(replay.outcome(at: index, behind: [])) { return meaning(of: sql) }
      if isMine(replay.outcome(at: index, behind: [InterleaveReplay.look])) {
        return expected.error == nil ? meaning(of: sql) : .presentSchema
      }
      if isMine(replay.outcome(at: index, behind: [Self.readsSchemasAgain])) {
        return .temporaryNames
      }
    }
    if isMine(replay.leavingOut("ALTER TABLE", failing: true, at: index)) { return .failedAlter }
    return [false, true].contains { isMine(replay.keepingNothing(at: index, looksAtFile: $0)) }
      ? .earlierMeaning : nil
  }

  /// A statement that fails when it is prepared has no columns, and one that was kept has its old ones.
  private func isMine(_ other: Outcome?) -> Bool {
    guard var other else { return false }
    if other.error != nil { other.columns = mine.columns }
    return other == mine
  }

  private func meaning(of sql: String) -> InterleaveRule {
    ["SELECT", "WITH", "PRAGMA"].contains { sql.hasPrefix($0) } || mine.error != nil
      ? .newMeaning : .earlierMeaning
  }

  // MARK: Mistakes

  /// Each engine finds its own mistake, also in the schema of the file.
  private func ofMistakes() -> InterleaveRule? {
    guard let theirs = expected.error, let ours = mine.error, theirs.code == 1, ours.code == 1,
      expected.state == mine.state, isMistake(theirs.message), isMistake(ours.message),
      let anew = replay.outcome(at: index, behind: [InterleaveReplay.look]),
      let oursAnew = replay.outcome(at: index, ofMartlet: true, behind: [InterleaveReplay.look])
    else { return nil }
    if anew == oursAnew { return .presentSchema }
    return anew == expected && oursAnew == mine ? .severalMistakes : nil
  }

  /// What is found before a statement runs.
  private func isMistake(_ message: String) -> Bool {
    [
      "no such ", "foreign key mismatch", "error in ", "there is already ", "use DROP ",
      "duplicate ", "cannot drop ", "unable to identify",
    ].contains { message.hasPrefix($0) }
      || message.contains(" already exists") || message.contains(" has no column named ")
      || message.hasSuffix(" values were supplied")
  }
}

// MARK: Causes in earlier steps

extension InterleaveReplay {
  /// A step before which the engines had the same, and behind which nothing can be compared.
  func earlierCause(before index: Int) -> InterleaveRule? {
    for (number, step) in script.steps.prefix(index).enumerated() {
      guard let sql = step.sql else { continue }
      if sql == "VACUUM", losesIndexes(at: number) { return .hiddenTable }
      if sql.hasPrefix("ROLLBACK TO"), emptiesDatabase(at: number) { return .emptiedDatabase }
      if changesOtherTable(sql, at: number) { return .earlierMeaning }
    }
    return nil
  }

  /// VACUUM of SQLite looks for the table of an index by its name, and may find a temporary one.
  func losesIndexes(at index: Int) -> Bool {
    let connection = script.steps[index].connection
    let hidden = """
      SELECT count(*) FROM main.sqlite_schema i JOIN temp.sqlite_schema t ON t.name = i.tbl_name
      WHERE i.type = 'index' AND i.sql IS NOT NULL AND t.type IN ('table', 'view')
      """
    let list = ["main", "temp"].map {
      "SELECT name, tbl_name FROM \($0).sqlite_schema WHERE type = 'index' ORDER BY 1"
    }
    guard let before = answers(to: [hidden] + list, on: connection, before: index),
      before.oracle == before.martlet, before.oracle[0].rows != ["0"],
      let after = answers(to: list, on: connection, before: index + 1)
    else { return false }
    return after.martlet.map(\.rows) == before.martlet.dropFirst().map(\.rows)
  }

  /// The statement that SQLite keeps has changed another table than Martlet's; one that it prepares when
  /// it has looked at the file changes the same.
  private func changesOtherTable(_ sql: String, at index: Int) -> Bool {
    guard ["INSERT", "UPDATE", "DELETE"].contains(where: sql.hasPrefix) else { return false }
    let connection = script.steps[index].connection
    let questions = ["main", "temp", "x1"].flatMap { schema in
      ["t0", "t1", "t2"].map { "SELECT * FROM \(schema).\($0)" }
    }
    guard let before = answers(to: questions, on: connection, before: index),
      before.oracle.map(\.rows) == before.martlet.map(\.rows),
      let after = answers(to: questions, on: connection, before: index + 1),
      after.oracle.map(\.rows) != after.martlet.map(\.rows)
    else { return false }
    let anew = answersOfOracle(to: questions, behindAnew: index)
    return anew?.map(\.rows) == after.martlet.map(\.rows)
  }

  /// ROLLBACK TO takes SQLite back to an empty database where a connection has begun to write before
  /// it has read what others have made of one that was empty.
  private func emptiesDatabase(at index: Int) -> Bool {
    let connection = script.steps[index].connection
    let question = ["SELECT count(*) FROM main.sqlite_schema"]
    guard let before = answers(to: question, on: connection, before: index),
      before.oracle == before.martlet, before.oracle[0].rows != ["0"],
      let after = answers(to: question, on: connection, before: index + 1)
    else { return false }
    return after.oracle[0].rows == ["0"] && after.martlet[0].rows != ["0"]
  }
}
