import Testing

@testable import MartletEngine

@Suite struct PlanParameterTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, other TEXT);
      CREATE INDEX by_name ON t(name);
      INSERT INTO t(name) VALUES('abba'), ('ABC'), ('b'), ('cab'), (x'6162');
      """)
  }

  private func rows(_ statement: Statement, _ column: Int) throws -> [String] {
    var rows: [String] = []
    while try statement.step() { rows.append(statement.columnText(column)) }
    try statement.reset()
    return rows
  }

  @Test func `the pattern that a LIKE is bound to decides about the plan`() throws {
    let plan = try connection.prepare(
      "EXPLAIN QUERY PLAN SELECT name FROM t WHERE name LIKE ?2 AND id > ?1")
    let search = ["SEARCH t USING COVERING INDEX by_name (name>? AND name<?)"]
    let scan = ["SEARCH t USING INTEGER PRIMARY KEY (rowid>?)"]
    #expect(try rows(plan, 3) == scan)
    for (pattern, expected) in [("ab%", search), ("%b", scan), ("x%y", search)] {
      try plan.bind(text: pattern, at: 2)
      #expect(try rows(plan, 3) == expected)
    }
    try plan.bind(7, at: 2)
    #expect(try rows(plan, 3) == scan)
  }

  @Test(arguments: ["PRAGMA encoding = 'UTF-8'", "PRAGMA encoding = 'UTF-16'"])
  func `each pattern finds its rows, and other parameters compile nothing again`(
    encoding: String
  ) throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      \(encoding);
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);
      CREATE INDEX by_name ON t(name);
      INSERT INTO t(name) VALUES('abba'), ('ABC'), ('b'), ('cab');
      """)
    let query = try connection.prepare("SELECT name FROM t WHERE name LIKE ?1 AND id < ?2")
    try query.bind(100, at: 2)
    for (pattern, expected) in [
      ("ab%", ["abba", "ABC"]), ("%b", ["b", "cab"]), ("b", ["b"]), ("%", ["abba", "ABC", "b", "cab"]),
    ] {
      try query.bind(text: pattern, at: 1)
      #expect(try rows(query, 0).sorted() == expected.sorted())
    }
    let compilations = query.count(of: .reprepares)
    try query.bind(2, at: 2)
    #expect(try rows(query, 0) == ["abba"])
    #expect(query.count(of: .reprepares) == compilations)
    query.clearBindings()
    #expect(try rows(query, 0).isEmpty)
  }

  @Test(arguments: [
    ("a = ?1 AND b = ?2", "SEARCH s USING INDEX sb (b=?)"),
    ("a = ?2 AND b = ?1", "SEARCH s USING INDEX sa (a=?)"),
    ("a = ?2 AND b = abs(?1)", "SEARCH s USING INDEX sa (a=?)"),
    ("a = +?1 AND b = ?1", "SEARCH s USING INDEX sa (a=?)"),
    ("a > ?3 AND b = ?1", "SEARCH s USING INDEX sa (a>?)"),
    ("a > ?4 AND b = ?1", "SCAN s"),
  ])
  func `samples are asked for what parameters are bound to`(
    condition: String, expected: String
  ) throws {
    try connection.execute(
      """
      CREATE TABLE s(a, b);
      CREATE INDEX sa ON s(a);
      CREATE INDEX sb ON s(b);
      WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000)
        INSERT INTO s SELECT n % 100 * (n % 3 = 0), n % 100 * (n % 7 = 0) FROM r;
      ANALYZE;
      """)
    let plan = try connection.prepare("EXPLAIN QUERY PLAN SELECT * FROM s WHERE \(condition)")
    #expect(try rows(plan, 3) == ["SEARCH s USING INDEX sb (b=?)"])
    for (index, value) in [0, 5].enumerated() where index < plan.parameterCount {
      try plan.bind(value, at: index + 1)
    }
    if plan.parameterCount >= 3 { try plan.bind(text: "x", at: 3) }
    if plan.parameterCount >= 4 { try plan.bindNull(at: 4) }
    #expect(try rows(plan, 3) == [expected])
  }

  @Test(arguments: [
    ("a = ?1", 5, true), ("a = ?1", 6, false), ("?1 = a", 5, true), ("b > ?1 AND a = 5", 1, true),
    ("b = ?1", 5, false), ("+a = ?1", 5, false), ("a >= ?1", 5, false), ("a = ?1 + 0", 5, false),
  ])
  func `a parameter that has the value of an index's WHERE makes the index usable`(
    condition: String, value: Int, isUsable: Bool
  ) throws {
    try connection.execute(
      "CREATE TABLE p(a, b); CREATE INDEX pb ON p(b) WHERE a = 5")
    let plan = try connection.prepare(
      "EXPLAIN QUERY PLAN SELECT b FROM p WHERE \(condition) ORDER BY b")
    try plan.bind(value, at: 1)
    #expect(try rows(plan, 3).contains { $0.contains("INDEX pb") } == isUsable)
    try plan.bind(text: "5", at: 1)
    #expect(
      try rows(plan, 3).contains { $0.contains("INDEX pb") } == condition.hasSuffix("a = 5"))
  }
}
