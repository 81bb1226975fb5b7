import Engines

/// Differences of full-text tables that `docs/deviations.md` explains, by the first words of the
/// line that does.
enum SearchDifference {
  static func explanation(
    of difference: Difference, after circumstances: Circumstances, in oracle: any Database
  ) -> String? {
    if difference.kind == .missingError, !LockstepSeed.onlyReads(difference.sql) {
      if circumstances.hasMetDamageByRank, difference.oracle.hasPrefix("11: ") {
        return "FTS5: where ORDER BY rank meets damage, SQLite gives SQLITE_CORRUPT"
      }
      let isEnd = ["COMMIT", "END", "RELEASE"].contains { difference.sql.hasPrefix($0) }
      if isEnd, circumstances.hasRenamedInTransaction, difference.oracle == "1: SQL logic error" {
        return "FTS3 and FTS4: a transaction that has written to a table with automerge"
      }
    }
    if difference.kind == .missingError, circumstances.hasDropped,
      difference.oracle == "1: no such function: nosuch", difference.sql.contains("rank")
    {
      return "DROP INDEX and DROP TABLE with auto_vacuum connect virtual tables anew"
    }
    switch difference.kind {
    case .missingError, .unexpectedError, .errorCode:
      if difference.oracle.hasPrefix("267: "), hasContentlessSnippet(difference.sql, oracle) {
        return "FTS5: `snippet` of a contentless table is NULL"
      }
      if difference.martlet.hasPrefix("1: no such table: "),
        difference.martlet.hasSuffix("_content")
      {
        return "FTS5: ALTER TABLE RENAME of a table with contentless_unindexed"
      }
    case .rows, .content:
      if isOtherCookie(difference) {
        return "DROP INDEX and DROP TABLE with auto_vacuum connect virtual tables anew"
      }
    default: break
    }
    return nil
  }

  private static func hasContentlessSnippet(_ sql: String, _ oracle: any Database) -> Bool {
    let parts = sql.split(separator: "snippet(", omittingEmptySubsequences: false)
    return parts.dropFirst().contains { part in
      let name = part.prefix { $0.isLetter || $0.isNumber }
      let definitions = oracle.outcome(
        of: "SELECT 1 FROM sqlite_schema WHERE name = '\(name)' AND sql LIKE '%content=''''%'")
      return !definitions.rows.isEmpty
    }
  }

  /// The structures of an index differ only in how often settings were changed, which stands in
  /// their first four bytes.
  private static func isOtherCookie(_ difference: Difference) -> Bool {
    let records = [difference.oracle, difference.martlet].map { line in
      line.split(separator: ":").last?.split(separator: "|") ?? []
    }
    guard records.allSatisfy({ $0.count == 2 && $0[0] == " 10" && $0[1].hasPrefix("x'") }) else {
      return false
    }
    return records[0][1].dropFirst(10) == records[1][1].dropFirst(10)
  }
}
