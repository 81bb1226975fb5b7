/// Differences that `docs/deviations.md` explains, by the first words of the line that does.
enum KnownDifference {
  static func explanation(of difference: Difference, isBroken: Bool) -> String? {
    if isBroken, difference.kind == .errorMessage, difference.oracle.hasPrefix("1: ") {
      return "Of several mistakes in one statement, another may be reported first"
    }
    if difference.kind == .errorMessage,
      difference.martlet.contains("ambiguous") || difference.martlet.contains("term out of range")
    {
      return "Of several mistakes in one statement, another may be reported first"
    }
    if difference.kind == .missingError, difference.oracle.contains("non-deterministic"),
      difference.sql.contains("LIKE")
    {
      return "After PRAGMA case_sensitive_like, SQLite takes LIKE for non-deterministic"
    }
    if difference.kind == .unexpectedError, difference.sql.split(separator: "DO UPDATE").count > 2 {
      return "An upsert clause that no constraint can reach is checked like the others"
    }
    if difference.kind == .rows, difference.sql.contains("RETURNING"),
      difference.sql.contains("CAST")
    {
      return "CAST in RETURNING of a whole number in a REAL column to NUMERIC"
    }
    if difference.kind == .order, isJoin(difference.sql), !difference.sql.contains("ORDER BY") {
      return "Ties between equally cheap join orders may be broken otherwise"
    }
    return nil
  }

  private static func isJoin(_ sql: String) -> Bool {
    sql.contains(" JOIN ") || sql.contains(" AS s1")
  }
}
