import TestSupport
import Testing

@testable import MartletEngine

@Suite struct LimitTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(a, b, c)")
  }

  @Test func `limits start, end and stay where SQLite's do`() throws {
    let standard = [
      1_000_000_000, 1_000_000_000, 2_000, 1_000, 500, 250_000_000, 1_000, 10, 50_000, 32_766,
      1_000, 0, 2_500,
    ]
    #expect(LimitCategory.allCases.map(connection.limit) == standard)
    for category in LimitCategory.allCases {
      #expect(connection.setLimit(category, to: -1) == connection.limit(category))
      connection.setLimit(category, to: 2_000_000_000)
    }
    #expect(connection.limit(.workerThreads) == 8)
    #expect(connection.limit(.columnCount) == 2_000)
    for category in LimitCategory.allCases { connection.setLimit(category, to: 0) }
    #expect(LimitCategory.allCases.map(connection.limit) == [30] + Array(repeating: 0, count: 12))
  }

  @Test(arguments: [
    (LimitCategory.length, 50, "SELECT zeroblob(51)", "string or blob too big"),
    (.length, 50, "SELECT 'x' || zeroblob(50)", "string or blob too big"),
    (.length, 50, "SELECT printf('%60s', 'x')", "string or blob too big"),
    (.length, 50, "SELECT hex(zeroblob(26))", "string or blob too big"),
    (.columnCount, 3, "SELECT 1, 2, 3, 4", "too many columns in result set"),
    (.columnCount, 3, "CREATE TABLE x(a, b, c, d)", "too many columns on x"),
    (.columnCount, 3, "SELECT * FROM t, t AS u", "too many columns in result set"),
    (.columnCount, 3, "CREATE INDEX i ON t(a, b, c, a)", "too many columns in index"),
    (.columnCount, 3, "SELECT 1 FROM t GROUP BY 1, 2, 3, 4", "too many terms in GROUP BY clause"),
    (.columnCount, 3, "SELECT 1 ORDER BY 1, 1, 1, 1", "too many terms in ORDER BY clause"),
    (.columnCount, 3, "UPDATE t SET a=1, b=2, c=3, a=4", "too many columns in set list"),
    (.columnCount, 3, "VALUES(1, 2, 3, 4)", "too many columns in result set"),
    (
      .expressionDepth, 5, "SELECT 1+1+1+1+1+1+1",
      "Expression tree is too large (maximum depth 5)"
    ),
    (
      .compoundSelect, 2, "SELECT 1 UNION SELECT 2 UNION SELECT 3",
      "too many terms in compound SELECT"
    ),
    (.functionArgumentCount, 2, "SELECT max(1, 2, 3)", "too many arguments on function max"),
    (.attachedCount, 0, "ATTACH ':memory:' AS b", "too many attached databases - max 0"),
    (.likePatternLength, 5, "SELECT 'a' LIKE 'aaaaaa'", "LIKE or GLOB pattern too complex"),
    (.variableNumber, 3, "SELECT ?4", "variable number must be between ?1 and ?3"),
    (.variableNumber, 3, "SELECT ?, ?, ?, ?", "too many SQL variables"),
  ])
  func `what exceeds a limit fails with SQLite's words`(
    category: LimitCategory, limit: Int, sql: String, message: String
  ) throws {
    connection.setLimit(category, to: limit)
    #expect(connection.failure(sql)?.message == message)
  }

  @Test func `a statement's text has a limit`() throws {
    connection.setLimit(.sqlLength, to: 20)
    let sql = "SELECT 1+1+1+1+1+1+1+1"
    #expect(throws: SQLError(.tooBig, "statement too long")) { try connection.prepare(sql) }
    connection.setLimit(.sqlLength, to: 22)
    #expect(try connection.rows(sql) == ["8"])
  }

  @Test func `ADD CHECK takes a text in double quotes where definitions and queries do`() throws {
    for (inStatements, inDefinitions) in [(false, false), (false, true), (true, false)] {
      connection.set(.doubleQuotedStringsInStatements, on: inStatements)
      connection.set(.doubleQuotedStringsInDefinitions, on: inDefinitions)
      #expect(
        connection.failure(#"ALTER TABLE t ADD CHECK ("key" IS NOT NULL)"#)?.message
          == #"no such column: "key" - should this be a string literal in single-quotes?"#)
    }
    connection.set(.doubleQuotedStringsInStatements, on: true)
    connection.set(.doubleQuotedStringsInDefinitions, on: true)
    try connection.execute(#"ALTER TABLE t ADD CHECK ("key" IS NOT NULL)"#)
  }

  @Test func `switches change what statements may do`() throws {
    #expect(connection.isOn(.doubleQuotedStringsInStatements) && connection.isOn(.enableViews))
    #expect(try connection.rows(#"SELECT "nosuch""#) == ["nosuch"])
    connection.set(.doubleQuotedStringsInStatements, on: false)
    #expect(
      connection.failure(#"SELECT "nosuch""#)?.message
        == #"no such column: "nosuch" - should this be a string literal in single-quotes?"#)
    try connection.execute("CREATE VIEW v AS SELECT 1")
    connection.set(.enableViews, on: false)
    #expect(connection.failure("SELECT * FROM v")?.message == #"access to view "v" prohibited"#)
    connection.set(.enableViews, on: true)
    #expect(try connection.rows("SELECT * FROM v") == ["1"])
    connection.set(.defensive, on: true)
    try connection.execute("PRAGMA writable_schema = ON")
    #expect(try connection.rows("PRAGMA writable_schema") == ["0"])
    #expect(
      connection.failure("DELETE FROM sqlite_master")?.message
        == "table sqlite_master may not be modified")
  }

  @Test func `a statement counts its runs, sorts and compilations`() throws {
    let statement = try connection.prepare("SELECT a FROM t ORDER BY b")
    for _ in 0..<3 { while try statement.step() {} }
    #expect(statement.count(of: .runs) == 3 && statement.count(of: .sorts) == 3)
    try connection.execute("CREATE TABLE u(x)")
    while try statement.step() {}
    #expect(statement.count(of: .reprepares, resetting: true) == 1)
    #expect(statement.count(of: .reprepares) == 0)
  }

  @Test func `a script of many statements takes time in proportion to its length`() throws {
    func time(_ count: Int) throws -> Duration {
      let script = Array(
        String(repeating: "SELECT /* a statement of a script */ 1;\n", count: count).utf8)
      let begin = ProcessorTime.now
      try script.withUnsafeBufferPointer { bytes in
        var rest = bytes[...]
        var found = 0
        while true {
          let (statement, consumed) = try connection.prepare(UnsafeBufferPointer(rebasing: rest))
          guard statement != nil else { break }
          found += 1
          rest = rest.dropFirst(consumed)
        }
        #expect(found == count)
      }
      return ProcessorTime.now - begin
    }
    _ = try time(100)
    let short = try time(500), long = try time(8_000)
    #expect(long < short * 64)
  }

  @Test func `a reset gives the error of the commit that it leads to`() throws {
    try connection.execute("CREATE TABLE u(x)")
    connection.commitHook = { true }
    let statement = try connection.prepare("INSERT INTO u VALUES(1), (2) RETURNING x")
    _ = try statement.step()
    #expect(throws: SQLError(.constraintCommitHook, "constraint failed")) { try statement.reset() }
    connection.commitHook = nil
    #expect(try connection.rows("SELECT count(*) FROM u") == ["0"])
  }
}
