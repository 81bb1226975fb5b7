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
    if difference.kind == .missingError, circumstances.hasRolledBack,
      difference.oracle == "1: no such function: nosuch", difference.sql.contains("rank")
    {
      return "FTS5: settings that a ROLLBACK has taken back"
    }
    if difference.kind == .missingError, circumstances.hasUndoneFailedAlter,
      ["11: ", "267: "].contains(where: { difference.oracle.hasPrefix($0) })
    {
      return "FTS5: behind the rollback of a transaction in which an ALTER TABLE has failed"
    }
    switch difference.kind {
    case .missingError, .unexpectedError, .errorCode:
      if difference.oracle.hasPrefix("267: "), hasContentlessSnippet(difference.sql, oracle) {
        return "FTS5: `snippet` of a contentless table is NULL"
      }
      if difference.kind == .missingError, difference.oracle.hasPrefix("267: "),
        difference.sql.contains("snippet("),
        isQuery(difference.sql, of: "%fts5(%UNINDEXED%detail=%", oracle)
      {
        return "FTS5 with detail=column or detail=none: where an UNINDEXED column has a token"
      }
      if difference.martlet.hasPrefix("1: no such table: "),
        difference.martlet.hasSuffix("_content")
      {
        return "FTS5: ALTER TABLE RENAME of a table with contentless_unindexed"
      }
    case .rows, .content:
      if isTextOfBlob(difference, oracle) {
        return "Full-text tables: a blob in a row whose text was read"
      }
      if isOtherNumber(difference) {
        return "FTS5: the hidden column with the name of the table shows the number of a cursor"
      }
      if isOfAscendingOrder(difference, oracle) {
        return "FTS5 reads stretches of rowids in ascending order for `ORDER BY rowid DESC`"
      }
      if isNumberOfText(difference, oracle) {
        return "R-trees: RETURNING shows values as they were given"
      }
      if difference.sql.contains("NEAR"), placed.contains(where: difference.sql.contains),
        isQuery(difference.sql, of: "%USING fts_(%", oracle),
        !isQuery(difference.sql, of: "%fts5(%", oracle)
      {
        return "`matchinfo`, `offsets` and `snippet` of phrases in parts of a query below OR"
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

  /// All values that differ are blobs in Martlet and their texts in SQLite, or the lengths of them:
  /// a text ends at its first zero.
  private static func isTextOfBlob(_ difference: Difference, _ oracle: any Database) -> Bool {
    guard isQuery(difference.sql, of: "%USING fts%", oracle) else { return false }
    return KnownDifference.values(difference)?.allSatisfy { expected, mine in
      guard expected != mine else { return true }
      if let mine = Int(mine), let expected = Int(expected) {
        return difference.sql.contains("length(") && expected < mine
      }
      guard mine.hasPrefix("x'"), !expected.hasPrefix("x'") else { return false }
      return oracle.outcome(of: "SELECT \(expected) IS CAST(\(mine) AS TEXT)").rows == ["1"]
    } ?? false
  }

  /// A query of the hidden column that differs in integers only.
  private static func isOtherNumber(_ difference: Difference) -> Bool {
    guard let from = difference.sql.firstRange(of: "FROM ") else { return false }
    let table = difference.sql[from.upperBound...].prefix { $0.isLetter || $0.isNumber }
    let columns = difference.sql[..<from.lowerBound].split { $0 == "," || $0 == " " }
    guard table.hasPrefix("f"), columns.contains(where: { $0 == table || $0 == "(\(table))" })
    else { return false }
    return KnownDifference.values(difference)?.allSatisfy { expected, mine in
      expected == mine || Int(expected) != nil && Int(mine) != nil
    } ?? false
  }

  /// Martlet's row is the one that SQLite gives where it reads upwards.
  private static func isOfAscendingOrder(
    _ difference: Difference, _ oracle: any Database
  ) -> Bool {
    guard let order = difference.sql.firstRange(of: "rowid DESC"),
      let start = difference.martlet.firstRange(of: ": ")
    else { return false }
    let sql = difference.sql[..<order.lowerBound] + "rowid" + difference.sql[order.upperBound...]
    return oracle.outcome(of: String(sql)).rows.contains {
      $0.hasPrefix(difference.martlet[start.upperBound...])
    }
  }

  /// Functions of FTS3 and FTS4 that tell of places.
  private static let placed = ["offsets(", "snippet(", "matchinfo("]

  /// A statement reads or fills a table whose definition is like a pattern.
  private static func isQuery(
    _ sql: String, of definition: String, _ oracle: any Database
  ) -> Bool {
    ["FROM ", "INTO "].contains { word in
      guard let place = sql.firstRange(of: word) else { return false }
      let name = sql[place.upperBound...].prefix { $0.isLetter || $0.isNumber }
      let definitions = oracle.outcome(
        of: "SELECT 1 FROM sqlite_schema WHERE name = '\(name)' AND sql LIKE '\(definition)'")
      return !definitions.rows.isEmpty
    }
  }

  /// RETURNING shows texts in Martlet where SQLite shows the same numbers.
  private static func isNumberOfText(_ difference: Difference, _ oracle: any Database) -> Bool {
    guard difference.sql.contains("RETURNING"),
      isQuery(difference.sql, of: "%USING rtree%", oracle)
    else { return false }
    return KnownDifference.values(difference)?.allSatisfy { expected, mine in
      expected == mine
        || mine.hasPrefix("'") && Double(expected) != nil
          && Double(expected) == Double(mine.dropFirst().dropLast())
    } ?? false
  }
}
