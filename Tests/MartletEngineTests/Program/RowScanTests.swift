import Testing

@testable import MartletEngine

/// Loops that read and test rows at once. What they give is in `Conformance/sql/select/row-scan.test`.
struct RowScanTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a, b REAL, c TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO t SELECT i, i % 10, i / 4.0, 'text ' || i FROM n;
      """)
  }

  /// P4 of the row scans in a statement's program.
  private func scans(_ sql: String) throws -> [String] {
    let statement = try connection.prepare("EXPLAIN " + sql)
    var found: [String] = []
    while try statement.step() {
      if statement.columnText(1) == "ScanRow" { found.append(statement.columnText(5)) }
    }
    return found
  }

  @Test(arguments: [
    ("SELECT a, b FROM t", ["c(1,2)"]),
    ("SELECT c, id FROM t ORDER BY id DESC", ["c(3)"]),
    ("SELECT sum(c) FROM t WHERE b > 2 AND a = 1", ["c(1,2) tests(2)"]),
    ("SELECT c FROM t WHERE a > 2", ["c(1) tests(1)"]),
    ("SELECT c FROM t WHERE a IS NULL OR b = 1", ["c(1,2) tests(2)"]),
    ("SELECT c FROM t WHERE a + 1 > 2", ["c(1)"]),
    ("SELECT a, count(*), sum(b) FROM t GROUP BY a", ["c(1,2)"]),
    ("SELECT id FROM t", []),
    (
      "SELECT count(*) FROM t x, t y WHERE x.a = 1 AND y.id > x.id AND y.b < 3",
      ["c(2) tests(1)", "c(1) tests(1)"]
    ),
    ("SELECT c FROM t WHERE id = 5", []),
    ("SELECT length(c) FROM t", []),
    ("SELECT typeof(c), length(c) FROM t", ["c(3)"]),
    ("UPDATE t SET b = 1 WHERE a = 3", ["c(1) tests(1)"]),
  ]) func `what a loop's body begins with is done at once`(sql: String, expected: [String]) throws {
    #expect(try scans(sql) == expected, "\(sql)")
  }

  @Test func `a collation of the application is called by instructions alone`() throws {
    try connection.createCollation("own") { left, right in
      left == right ? 0 : left < right ? -1 : 1
    }
    #expect(try scans("SELECT a FROM t WHERE c > 'text 5' COLLATE own") == ["c(3)"])
    #expect(try scans("SELECT a FROM t WHERE c > 'text 5' COLLATE NOCASE") == ["c(3) tests(1)"])
  }

  @Test func `rows that are turned down count as steps, and a scan of them can be ended`() throws {
    let statement = try connection.prepare("SELECT c FROM t WHERE a > 20")
    #expect(try !statement.step())
    #expect(statement.count(of: .fullScanSteps, resetting: true) == 999)
    connection.setProgressHandler(every: 10) { true }
    try statement.reset()
    #expect(throws: SQLError.self) { try statement.step() }
  }
}
