/// The deepest statements that the limits allow (limits.md): what recursion has to bear.
enum DeepStatements {
  /// One script for each kind of nesting.
  static let all: [(name: String, sql: [String])] =
    nestedExpressions + chains + subqueries + commonTables + compounds + patterns

  private static func nested(_ depth: Int, _ open: String, _ core: String, _ close: String)
    -> String
  {
    String(repeating: open, count: depth) + core + String(repeating: close, count: depth)
  }

  private static let nestedExpressions: [(name: String, sql: [String])] = [
    ("unary minus", ["SELECT " + nested(990, "- ", "1", "")]),
    ("NOT", ["SELECT " + nested(990, "NOT ", "1", "")]),
    ("parentheses", ["SELECT " + nested(990, "(", "1", ")")]),
    ("sums to the right", ["SELECT " + nested(990, "1 + (", "1", ")")]),
    ("comparisons to the right", ["SELECT " + nested(900, "1 = (", "1", ")")]),
    ("functions", ["SELECT " + nested(990, "abs(", "-1", ")")]),
    ("functions of columns", table + ["SELECT " + nested(980, "abs(", "a", ")") + " FROM t"]),
    ("coalesce", ["SELECT " + nested(990, "coalesce(NULL, ", "5", ")")]),
    ("CASE", ["SELECT " + nested(900, "CASE WHEN 1 THEN ", "7", " END")]),
    ("CASE in its base", ["SELECT " + nested(900, "CASE ", "1", " WHEN 1 THEN 1 END")]),
    ("CAST", ["SELECT " + nested(990, "CAST(", "'1'", " AS TEXT)")]),
    ("COLLATE", ["SELECT 'a'" + nested(900, " COLLATE NOCASE", "", "")]),
    ("IN lists", ["SELECT " + nested(900, "1 IN (", "1", ")")]),
    ("BETWEEN", ["SELECT " + nested(900, "1 BETWEEN 0 AND (", "1", ")")]),
    ("LIKE", ["SELECT " + nested(900, "'a' LIKE (", "'a'", ")")]),
    ("IS NULL", ["SELECT 1" + nested(900, " IS NULL", "", "")]),
    ("rows", ["SELECT " + nested(400, "(1, ", "(1, 2)", ") = (1, 2)")]),
    (
      "conditions",
      table + ["SELECT a FROM t WHERE " + nested(450, "a > 0 AND (b < 9 OR (", "a", "))")]
    ),
    ("too deep", ["SELECT " + nested(1_001, "- ", "1", "")]),
    ("much too deep", ["SELECT " + nested(100_000, "-(", "1", ")")]),
    ("parentheses without end", ["SELECT " + nested(100_000, "(", "1", ")")]),
  ]

  private static let table = [
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", "INSERT INTO t VALUES (1, 2), (3, 4)",
  ]

  private static func chain(_ count: Int, _ term: String, _ sign: String) -> String {
    Array(repeating: term, count: count).joined(separator: sign)
  }

  private static let chains: [(name: String, sql: [String])] = [
    ("sum", ["SELECT " + chain(999, "1", " + ")]),
    ("AND", table + ["SELECT a FROM t WHERE " + chain(999, "a > 0", " AND ")]),
    ("OR", table + ["SELECT a FROM t WHERE " + chain(999, "a = 3", " OR ")]),
    ("OR of ANDs", table + ["SELECT a FROM t WHERE " + chain(490, "(a = 3 AND b = 4)", " OR ")]),
    ("concatenation", ["SELECT length(" + chain(990, "'ab'", " || ") + ")"]),
    ("concatenated columns", table + ["SELECT " + chain(990, "b", " || ") + " FROM t"]),
    ("longer than allowed", ["SELECT " + chain(1_002, "1", " + ")]),
    (
      "CHECK",
      [
        "CREATE TABLE c(a CHECK (" + chain(900, "a > 0", " AND ") + "))",
        "INSERT INTO c VALUES (1)",
        "INSERT INTO c VALUES (0)",
      ]
    ),
    (
      "index of an expression",
      table + [
        "CREATE INDEX i ON t(" + nested(900, "abs(", "b", ")") + ")",
        "SELECT a FROM t WHERE " + nested(900, "abs(", "b", ")") + " = 4",
        "DELETE FROM t WHERE a = 1",
      ]
    ),
    (
      "generated columns",
      [
        "CREATE TABLE g(a, "
          + (0..<150).map { "c\($0) AS (\($0 == 0 ? "a" : "c\($0 - 1)") + 1)" }.joined(
            separator: ", ")
          + ")",
        "INSERT INTO g VALUES (1)", "SELECT c149, c75 FROM g",
        "UPDATE g SET a = 2 WHERE c149 = 151",
      ]
    ),
  ]

  private static let subqueries: [(name: String, sql: [String])] = [
    ("subqueries in FROM", ["SELECT " + nested(95, "* FROM (SELECT ", "1 AS x", ")")]),
    (
      "subqueries that cannot be flattened",
      [
        "SELECT " + nested(95, "* FROM (SELECT DISTINCT ", "1 AS x", " LIMIT 5)")
      ]
    ),
    ("scalar subqueries", ["SELECT " + nested(43, "(SELECT ", "1", ")")]),
    (
      "correlated subqueries",
      table + [
        "SELECT (" + nested(28, "SELECT a + (", "SELECT 1", ") FROM t WHERE a = 1") + ")"
      ]
    ),
    (
      "EXISTS",
      table + [
        "SELECT a FROM t AS t0 WHERE "
          + nested(28, "EXISTS (SELECT 1 FROM t WHERE a > 1 AND ", "1", ")")
      ]
    ),
    ("IN subqueries", table + ["SELECT " + nested(42, "3 IN (SELECT a FROM t WHERE ", "1", ")")]),
    (
      "views",
      table
        + (0..<90).map { "CREATE VIEW v\($0) AS SELECT * FROM \($0 == 0 ? "t" : "v\($0 - 1)")" }
        + ["SELECT * FROM v89", "SELECT a FROM v89 WHERE b = 4"]
    ),
    (
      "views of aggregates",
      table
        + (0..<60).map {
          "CREATE VIEW v\($0) AS SELECT max(a) AS a, sum(b) AS b FROM \($0 == 0 ? "t" : "v\($0 - 1)")"
        } + ["SELECT * FROM v59"]
    ),
    (
      "common tables",
      [
        "WITH "
          + (0..<90).map {
            "c\($0) AS (SELECT \($0 == 0 ? "1 AS x" : "x + 1 AS x FROM c\($0 - 1)"))"
          }
          .joined(separator: ", ") + " SELECT * FROM c89"
      ]
    ),
    (
      "joins in parentheses",
      table + [
        "SELECT count(*) FROM "
          + (0..<40).map { "(t AS t\($0) JOIN " }.joined() + "t AS last"
          + nested(40, " ON 0)", "", "")
      ]
    ),
    ("64 tables", table + ["SELECT count(*) FROM " + chain(64, "t", " NATURAL JOIN ")]),
  ]

  /// Each reads the one before.
  private static func commonTables(_ count: Int, _ body: (String) -> String) -> [String] {
    let rest = (1..<count).map { ", c\($0)(x) AS (\(body("c\($0 - 1)")))" }.joined()
    return ["WITH c0(x) AS (SELECT 1)" + rest + " SELECT * FROM c\(count - 1)"]
  }

  /// C needs less of the stack: here an error may say that there is not enough.
  static func mayBeTooDeep(_ script: Int) -> Bool {
    commonTables.contains { $0.name == all[script].name }
  }

  private static let commonTables: [(name: String, sql: [String])] = [
    ("common tables, many", commonTables(3_000) { "SELECT x + 1 FROM \($0)" }),
    (
      "common tables of compounds",
      commonTables(95) {
        chain(20, "SELECT 1 WHERE 0 UNION ALL SELECT 2 EXCEPT SELECT 3", " UNION ")
          + " UNION SELECT x + 1 FROM \($0)"
      }
    ),
    ("common tables in expressions", commonTables(90) { "SELECT (SELECT x + 1 FROM \($0))" }),
    (
      "common tables in deep expressions",
      commonTables(10) { "SELECT " + nested(90, "abs(", "(SELECT x FROM \($0))", ")") }
    ),
    (
      "common tables in sets",
      commonTables(90) { "SELECT 1 WHERE 1 IN (SELECT x FROM \($0) ORDER BY x LIMIT 3)" }
    ),
  ]

  private static let compounds: [(name: String, sql: [String])] = [
    ("UNION ALL", ["SELECT count(*) FROM (" + chain(500, "SELECT 1", " UNION ALL ") + ")"]),
    ("UNION", [chain(500, "SELECT 1", " UNION ") + " ORDER BY 1"]),
    ("EXCEPT and INTERSECT", [chain(250, "SELECT 1", " EXCEPT ") + " INTERSECT SELECT 2"]),
    ("one too many", [chain(501, "SELECT 1", " UNION ALL ")]),
    (
      "UNION ALL of tables",
      table + [
        "SELECT * FROM (" + chain(300, "SELECT a, b FROM t", " UNION ALL ")
          + ") WHERE a = 3 ORDER BY b"
      ]
    ),
    ("rows of VALUES", ["SELECT count(*) FROM (VALUES " + chain(20_000, "(1)", ", ") + ")"]),
    ("columns", ["SELECT " + chain(2_000, "1", ", ")]),
    ("IN list", table + ["SELECT a FROM t WHERE a IN (" + chain(20_000, "3", ", ") + ")"]),
    ("arguments", ["SELECT max(" + chain(1_000, "1", ", ") + ")"]),
    ("ORDER BY", table + ["SELECT a FROM t ORDER BY " + chain(1_900, "b", ", ")]),
  ]

  private static let patterns: [(name: String, sql: [String])] = [
    (
      "LIKE pattern",
      [
        "SELECT '\(String(repeating: "ab", count: 10_000))' LIKE '\(nested(12_000, "%a", "", ""))'"
      ]
    ),
    (
      "GLOB pattern",
      [
        "SELECT '\(String(repeating: "a", count: 20_000))' GLOB '\(nested(20_000, "*?", "", ""))'"
      ]
    ),
    ("printf", ["SELECT length(printf('\(nested(5_000, "%d%%", "", ""))'))"]),
    (
      "replace",
      ["SELECT length(replace(hex(zeroblob(5000)), '00', '\(nested(50, "xy", "", ""))'))"]
    ),
  ]
}
