import Engines

/// Differences that `docs/deviations.md` explains, by the first words of the line that does.
enum KnownDifference {
  static func explanation(
    of difference: Difference, after circumstances: Circumstances, in oracle: any Database
  ) -> String? {
    if difference.sql == "PRAGMA schema_version", circumstances.hasVirtualTables {
      return "ALTER TABLE RENAME and DROP TABLE of a virtual table count"
    }
    if difference.sql.hasPrefix("PRAGMA"), difference.kind == .rows {
      return difference.sql.hasPrefix("PRAGMA journal_mode =")
        && circumstances.hasFailedAlterInTransaction
        ? "An ALTER TABLE that fails has changed nothing" : nil
    }
    // The rows of a statement that failed are gone; those that RETURNING shows are there.
    if isRandomRowid(difference),
      difference.kind == .state || TableModel.hasLargestRowid(oracle)
    {
      return "The rowid of a row behind the largest possible one is random"
    }
    if isRenamedKey(difference, in: oracle) {
      return "ALTER TABLE RENAME of a column of a WITHOUT ROWID table that is an INTEGER PRIMARY KEY"
    }
    if let reason = SearchDifference.explanation(of: difference, after: circumstances, in: oracle) {
      return reason
    }
    // As an integer, it may have been written to another column.
    if difference.kind == .content, isWholeReal(difference), TableModel.hasVirtualReal(oracle) {
      return "A whole number in a REAL column may be shown as an integer by SQLite"
    }
    return explanation(of: difference)
  }

  private static func explanation(of difference: Difference) -> String? {
    switch difference.kind {
    case .state:
      let isSaved = [
        "CREATE TRIGGER", "CREATE TEMP TRIGGER", "DROP TRIGGER", "DROP VIEW", "ANALYZE",
      ].contains { difference.sql.hasPrefix($0) }
      if difference.sql.contains(" RETURNING "), onlyDiffer(difference, in: [" totalChanges"]) {
        return "RETURNING of a virtual table has no savepoint"
      }
      let mayStop = ["DELETE ", "UPDATE "].contains { difference.sql.hasPrefix($0) }
      let written = [" totalChanges", " lastInsertRowID"]
      if isSaved || mayStop && onlyDiffer(difference, in: written) {
        return "CREATE TRIGGER, DROP TRIGGER, DROP VIEW and ANALYZE have a savepoint of their own"
      }
    case .errorMessage: return explanation(ofMessage: difference)
    case .errorCode:
      if difference.oracle.hasPrefix("11: "), difference.martlet.hasPrefix("267: "),
        difference.sql.contains("rank")
      {
        return "FTS5: where ORDER BY rank meets damage, SQLite gives SQLITE_CORRUPT"
      }
    case .unexpectedError:
      if difference.martlet.hasPrefix("1: unable to use function "),
        difference.sql.contains(" OVER "), difference.sql.contains(" OFFSET ")
      {
        return "A query with window functions computes the rows that OFFSET leaves out"
      }
      if difference.martlet == "1: aggregate functions are not allowed in the GROUP BY clause",
        difference.sql.contains(" COLLATE "), isSortedCompound(difference.sql)
      {
        return "In a compound SELECT with `ORDER BY … COLLATE`, SQLite lets a number in GROUP BY"
      }
    case .rows:
      if isWholeReal(difference) {
        return "A whole number in a REAL column may be shown as an integer by SQLite"
      }
    case .content:
      if difference.sql.contains("sqlite_stat4"), isOtherSample(difference) {
        return "A whole number in a REAL column may be shown as an integer by SQLite"
      }
    case .order:
      if isJoin(difference.sql), !difference.sql.contains("ORDER BY") {
        return "Ties between equally cheap join orders may be broken otherwise"
      }
    default: break
    }
    return nil
  }

  /// Beginnings of the messages about mistakes that are found before a statement runs.
  private static let mistakes = [
    "no such ", "ambiguous ", "wrong number of arguments", "misuse of ", "row value misused",
    "sub-select returns", "near ", "unrecognized token", "incomplete input", "ON CONFLICT clause",
    "aggregate functions are not", "HAVING clause on", "cannot join using", "no tables specified",
    "SELECTs to the left", "a NATURAL join", "table ", "hex literal", "ORDER BY", "DISTINCT ",
    "FILTER may not", "all VALUES", "unable to use function", "second argument", "too many",
    "foreign key mismatch", "IN(...) element has", "cannot ", "unknown ", "RETURNING may not",
    "unsafe use of", "expected ", "circular reference: ",
  ]

  private static func explanation(ofMessage difference: Difference) -> String? {
    if difference.sql.hasPrefix("ALTER"), difference.oracle.hasPrefix("1: error in "),
      difference.martlet.hasPrefix("1: error in ")
    {
      return "ALTER TABLE RENAME and DROP COLUMN may name another of several mistakes"
    }
    let syntaxErrors = ["1: near \"", "1: unrecognized token", "1: incomplete input"]
    if difference.sql.hasPrefix("CREATE") || difference.sql.hasPrefix("ALTER"),
      difference.oracle.hasPrefix("1: "),
      syntaxErrors.contains(where: { difference.martlet.hasPrefix($0) })
    {
      return "A CREATE or ALTER statement with a semantic and a later syntax error reports the latter"
    }
    if difference.sql.hasPrefix("ALTER"), difference.oracle.hasPrefix("1: Cannot add a column"),
      difference.martlet.contains(" after add column: ")
    {
      return "Of several mistakes in one statement, another may be reported first"
    }
    let isMistake = { (line: String) in
      guard line.hasPrefix("1: ") else { return false }
      let message = line.dropFirst(3)
      return mistakes.contains { message.hasPrefix($0) } || message.contains(" BY term ")
        || message.contains("values for")
    }
    guard isMistake(difference.oracle), isMistake(difference.martlet) else { return nil }
    return "Of several mistakes in one statement, another may be reported first"
  }

  /// The states differ in some numbers and in nothing else.
  private static func onlyDiffer(_ difference: Difference, in numbers: [String]) -> Bool {
    let parts = [difference.oracle, difference.martlet].map { line in
      line.split(separator: ",").filter { part in !numbers.contains { part.hasPrefix($0) } }
    }
    return parts[0] == parts[1]
  }

  /// UNION, INTERSECT or EXCEPT with an ORDER BY.
  private static func isSortedCompound(_ sql: String) -> Bool {
    sql.contains("ORDER BY")
      && ["UNION", "INTERSECT", "EXCEPT"].contains { sql.contains($0) }
  }

  /// SQLite fails to rename an INTEGER PRIMARY KEY of a table without rowids.
  private static func isRenamedKey(_ difference: Difference, in oracle: any Database) -> Bool {
    guard [.missingError, .errorCode].contains(difference.kind),
      difference.oracle.contains(" after rename: no such column: ")
    else { return false }
    return TableModel.all(in: oracle).contains { table in
      !table.hasRowID && difference.sql.hasPrefix("ALTER TABLE \(table.name) RENAME ")
        && table.columns.contains {
          $0.type == "INTEGER" && difference.sql.contains(" \($0.name) TO ")
        }
    }
  }

  /// The values of the rows that differ, in both engines.
  static func values(_ difference: Difference) -> [(String, String)]? {
    let values = [difference.oracle, difference.martlet].map { line in
      // Behind "row 1 of 2: ".
      line.drop { $0 != ":" }.dropFirst(2).split(separator: "|", omittingEmptySubsequences: false)
        .map(String.init)
    }
    return values[0].count == values[1].count ? Array(zip(values[0], values[1])) : nil
  }

  /// The values differ only in that some are integers in SQLite and the same reals in Martlet.
  private static func isWholeReal(_ difference: Difference) -> Bool {
    values(difference)?.allSatisfy { isSame($0, $1) } ?? false
  }

  /// Rows of sqlite_stat4 that differ in nothing but the record of the sample.
  private static func isOtherSample(_ difference: Difference) -> Bool {
    values(difference)?.dropLast().allSatisfy { $0 == $1 } ?? false
  }

  /// Also inside of texts.
  private static func isSame(_ expected: String, _ mine: String) -> Bool {
    if expected == mine || expected + ".0" == mine { return true }
    return expected.hasPrefix("'") && mine.hasPrefix("'")
      && withoutZeros(expected) == withoutZeros(mine)
  }

  private static func withoutZeros(_ text: String) -> String {
    text.split(separator: ".0").joined()
  }

  /// The states, or the rows that RETURNING gives, differ only in rowids far from what counting
  /// gives.
  private static func isRandomRowid(_ difference: Difference) -> Bool {
    switch difference.kind {
    case .state:
      let parts = [difference.oracle, difference.martlet].map { line in
        line.split(separator: ",").map(String.init)
      }
      let name = " lastInsertRowID: "
      return parts[0].count == parts[1].count
        && zip(parts[0], parts[1]).allSatisfy { expected, mine in
          expected == mine
            || [expected, mine].allSatisfy {
              $0.hasPrefix(name) && isRandom(String($0.dropFirst(name.count)))
            }
        }
    case .rows:
      guard difference.sql.contains("RETURNING"), let values = values(difference) else {
        return false
      }
      return values.allSatisfy { $0 == $1 || isRandom($0) && isRandom($1) }
    default: return false
    }
  }

  private static func isRandom(_ rowid: String) -> Bool { (Int64(rowid) ?? 0) > 1 << 40 }

  private static func isJoin(_ sql: String) -> Bool {
    sql.contains(" JOIN ") || sql.contains(" AS s1")
  }
}
