/// Differences that `docs/deviations.md` explains, by the first words of the line that does.
enum KnownDifference {
  static func explanation(of difference: Difference, isBroken: Bool) -> String? {
    if isBroken, difference.kind == .errorMessage, difference.oracle.hasPrefix("1: ") {
      return "Of several mistakes in one statement, another may be reported first"
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
