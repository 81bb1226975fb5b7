import Engines

/// What is asked of a damaged file, and how answers are judged.
enum DamageProbe {
  static let reads = [
    "PRAGMA page_count",
    "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema",
    "SELECT count(*) FROM t",
    "SELECT * FROM t",
    "SELECT a, typeof(b), length(b), c FROM t ORDER BY a DESC",
    "SELECT b, c FROM t WHERE b > '3' ORDER BY b",
    "SELECT a, c FROM t WHERE c > 4 ORDER BY c DESC LIMIT 20",
    "SELECT * FROM t WHERE a = 30",
    "SELECT sum(length(d)), max(b), min(c) FROM t",
    "SELECT * FROM w",
    "SELECT v, x FROM w WHERE k BETWEEN 5 AND 20 ORDER BY k DESC",
    "SELECT k FROM w WHERE x = 7000021",
    "SELECT p, q, r FROM u",
    "SELECT q FROM u WHERE p = 'p4'",
    "SELECT * FROM v WHERE b > '5'",
    "SELECT t.a, w.k FROM t, w WHERE t.a = w.k AND t.b = w.v",
    "PRAGMA integrity_check",
    "PRAGMA quick_check",
  ]

  /// Those that search for keys: in a tree whose keys are out of order, what a search meets depends
  /// on its path.
  static let searches: Set<String> = [
    "SELECT a, c FROM t WHERE c > 4 ORDER BY c DESC LIMIT 20",
    "SELECT b, c FROM t WHERE b > '3' ORDER BY b",
    "SELECT * FROM t WHERE a = 30",
    "SELECT v, x FROM w WHERE k BETWEEN 5 AND 20 ORDER BY k DESC",
    "SELECT k FROM w WHERE x = 7000021",
    "SELECT q FROM u WHERE p = 'p4'",
    "SELECT * FROM v WHERE b > '5'",
    "SELECT t.a, w.k FROM t, w WHERE t.a = w.k AND t.b = w.v",
  ]

  static let writes = [
    "BEGIN",
    "INSERT INTO t(b, c, d) VALUES ('new', 4.5, x'00ff')",
    "INSERT INTO t SELECT a + 10000, b, c, d FROM t WHERE a < 60",
    "UPDATE t SET b = b || 'longer than before' WHERE a % 2 = 0",
    "DELETE FROM t WHERE c BETWEEN 2 AND 9",
    "COMMIT",
    "INSERT OR REPLACE INTO w SELECT k + 3, v, x + 1 FROM w",
    "DELETE FROM w WHERE k % 2 = 1",
    "UPDATE OR IGNORE u SET p = p || 'y', q = q + 1",
    "CREATE TABLE fresh(a, b)",
    "INSERT INTO fresh SELECT b, c FROM t",
    "CREATE INDEX freshb ON fresh(b)",
    "ROLLBACK",
    "DROP INDEX tb",
    "DROP TABLE u",
    "PRAGMA incremental_vacuum(3)",
    "SELECT count(*), max(length(b)) FROM t",
    "VACUUM",
    "PRAGMA integrity_check",
    "DELETE FROM t",
    "DROP TABLE w",
  ]

  /// Result codes by which a damaged file may be refused.
  private static let corrupt: Int32 = 11

  enum Verdict: Equatable {
    case same
    /// Allowed, but from here on the files differ.
    case tolerated
    case wrong(String)
  }

  /// What is to be said of Martlet's outcome beside that of C.
  static func verdict(_ sql: String, oracle: Outcome, martlet: Outcome) -> Verdict {
    switch (oracle.error?.code, martlet.error?.code) {
    case (let right?, let wrong?):
      if right & 255 == wrong & 255 { return .same }
      return wrong & 255 == corrupt
        ? .tolerated
        : .wrong("C: \(oracle.error?.line ?? ""), Martlet: \(martlet.error?.line ?? "")")
    case (nil, let wrong?):
      if wrong & 255 == corrupt { return .tolerated }
      return .wrong("C: \(oracle.rows.count) rows, Martlet: \(martlet.error?.line ?? "")")
    case (.some, nil): return .tolerated
    case (nil, nil): break
    }
    if sql.hasSuffix("_check") {
      // The complaints may be others, that there are some may not.
      let right = oracle.rows == ["'ok'"], mine = martlet.rows == ["'ok'"]
      if right == mine { return right ? .same : .tolerated }
      return .wrong("check: C: \(oracle.rows.prefix(3)), Martlet: \(martlet.rows.prefix(3))")
    }
    if oracle.rows == martlet.rows { return .same }
    let first = zip(oracle.rows, martlet.rows).prefix { $0 == $1 }.count
    return .wrong(
      "row \(first): C: \(oracle.rows.dropFirst(first).first ?? "none"), Martlet: "
        + "\(martlet.rows.dropFirst(first).first ?? "none")")
  }
}
