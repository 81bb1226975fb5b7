/// Differences that `docs/deviations.md` explains, by the first words of the line that does.
enum KnownDifference {
  static func explanation(of difference: Difference) -> String? {
    switch difference.kind {
    case .errorMessage: return explanation(ofMessage: difference)
    case .missingError:
      if difference.oracle.contains("non-deterministic"), difference.sql.contains("LIKE") {
        return "After PRAGMA case_sensitive_like, SQLite takes LIKE for non-deterministic"
      }
    case .unexpectedError:
      if difference.martlet == "1: aggregate functions are not allowed in the GROUP BY clause",
        difference.sql.contains(" COLLATE "), isSortedCompound(difference.sql)
      {
        return "In a compound SELECT with `ORDER BY … COLLATE`, SQLite lets a number in GROUP BY"
      }
    case .rows:
      if isWholeReal(difference) {
        return "A whole number in a REAL column may be shown as an integer by SQLite"
      }
      if difference.sql.contains("NOT IN (SELECT") {
        return "`x NOT IN (SELECT …)` over a descending index with NULLs is NULL"
      }
    case .content:
      if difference.sql.contains("sqlite_stat4") {
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
    "unsafe use of",
  ]

  private static func explanation(ofMessage difference: Difference) -> String? {
    if difference.sql.hasPrefix("ALTER"), difference.oracle.hasPrefix("1: error in "),
      difference.martlet.hasPrefix("1: error in ")
    {
      return "ALTER TABLE RENAME and DROP COLUMN check the views and triggers before the change"
    }
    let syntaxErrors = ["1: near \"", "1: unrecognized token", "1: incomplete input"]
    if difference.sql.hasPrefix("CREATE"), difference.oracle.hasPrefix("1: "),
      syntaxErrors.contains(where: { difference.martlet.hasPrefix($0) })
    {
      return "A CREATE statement with a semantic and a later syntax error reports the syntax error"
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

  /// UNION, INTERSECT or EXCEPT with an ORDER BY.
  private static func isSortedCompound(_ sql: String) -> Bool {
    sql.contains("ORDER BY")
      && ["UNION", "INTERSECT", "EXCEPT"].contains { sql.contains($0) }
  }

  /// The values differ only in that some are integers in SQLite and the same reals in Martlet.
  private static func isWholeReal(_ difference: Difference) -> Bool {
    let expected = difference.oracle.split(separator: "|", omittingEmptySubsequences: false)
    let mine = difference.martlet.split(separator: "|", omittingEmptySubsequences: false)
    return expected.count == mine.count
      && zip(expected, mine).allSatisfy { isSame("\($0)", "\($1)", difference.sql) }
  }

  /// Also inside of texts, and with the quotes that RETURNING may show.
  private static func isSame(_ expected: String, _ mine: String, _ sql: String) -> Bool {
    if expected == mine || expected + ".0" == mine { return true }
    if sql.contains("RETURNING"), mine == "'\(expected)'" { return true }
    return expected.hasPrefix("'") && mine.hasPrefix("'")
      && withoutZeros(expected) == withoutZeros(mine)
  }

  private static func withoutZeros(_ text: String) -> String {
    text.split(separator: ".0").joined()
  }

  private static func isJoin(_ sql: String) -> Bool {
    sql.contains(" JOIN ") || sql.contains(" AS s1")
  }
}
