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
}
