import Testing

@testable import MartletEngine

@Suite struct InsertCacheTests {
  /// A connection on which INSERTs into `t` have left a program.
  private func connection(encoding: String = "UTF-8") throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a, b); CREATE TABLE u(a, b)")
    for _ in 0..<2 { try run("INSERT INTO t VALUES('first', 1)", connection) }
    try connection.execute("DELETE FROM t")
    return connection
  }

  @discardableResult
  private func run(_ sql: String, _ connection: Connection) throws -> Statement {
    let statement = try connection.prepare(sql)
    while try statement.step() {}
    return statement
  }

  private func rows(_ table: String, _ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      "SELECT quote(a) || typeof(a) || quote(b) || typeof(b) FROM \(table) ORDER BY rowid")
    var rows: [String] = []
    while try statement.step() { rows.append(statement.columnText(0)) }
    return rows
  }

  @Test func `INSERTs that differ in literals share a program from the second on`() throws {
    let connection = try connection()
    let first = try connection.prepare("INSERT INTO t VALUES(1, NULL)")
    let second = try connection.prepare("INSERT INTO t VALUES(x'00', -2.5) ; SELECT 1")
    #expect(first.program === second.program)
    #expect(second.sql == "INSERT INTO t VALUES(x'00', -2.5)")
    #expect(second.parameterCount == 0)
    #expect(throws: SQLError(.range)) { try second.bindNull(at: 1) }
    second.clearBindings()
    for _ in 0..<2 { #expect(try !second.step()) }
    #expect(try rows("t", connection) == ["X'00'blob-2.5real", "X'00'blob-2.5real"])
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `literals mean what they mean when they are compiled`(encoding: String) throws {
    let connection = try connection(encoding: encoding)
    let literals = [
      "NULL", "null", "0", "-0", "007", "- 5", "9223372036854775807", "-9223372036854775808",
      "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890", "1.5",
      "-1.5", "-0.0", ".5", "5.", "1e3", "-1E-3", "1e999", "-1e999", "0x7f", "-0xff", "1_000",
      "1_0.5", "''", "'it''s'", "''''", "'é日本'", "x''", "X'0aFF'", "+7", "1+1", "'a'||'b'",
      "(1)", "\"word\"", "true", "/* c */ 3 -- d\n", "1.7976931348623157e308",
      "0.1234567890123456789",
    ]
    for literal in literals {
      for pair in ["\(literal),'x'", "0, \(literal)", "\(literal) , \(literal)"] {
        try run("INSERT INTO t VALUES(\(pair))", connection)
        // Several statements in one text are always compiled.
        try connection.execute("INSERT INTO u VALUES(\(pair))")
      }
    }
    #expect(try rows("t", connection) == rows("u", connection))
    #expect(try rows("t", connection).count == 3 * literals.count)
  }

  @Test(arguments: [
    "1)", "1, 2, 3)", "1, 2", "1, 2) x", "1, )", "1, 'a)", "1, x'0')", "1, 1_)",
    "1, 0x1234567890abcdef0)", "1, -'a' b)", "1, 12ab)", "1, 2) RETURNING c", "1, 2), (3)",
  ])
  func `what is wrong behind the start is reported as ever`(rest: String) throws {
    let connection = try connection()
    let sql = "INSERT INTO t VALUES(" + rest
    var expected: SQLError?
    do throws(SQLError) { try connection.execute(sql) } catch { expected = error }
    #expect(expected != nil)
    #expect { try connection.prepare(sql) } throws: { $0 as? SQLError == expected }
  }

  @Test func `more than literals goes another way`() throws {
    let connection = try connection()
    try run("INSERT INTO t VALUES(1, 2), (3, 4)", connection)
    try run("INSERT INTO t VALUES(5, 6) UNION SELECT 7, 8", connection)
    #expect(try connection.prepare("INSERT INTO t VALUES(9, 10) RETURNING a").step())
    #expect(try rows("t", connection).count == 5)
    let statement = try connection.prepare("INSERT INTO t VALUES(?, 2)")
    #expect(statement.parameterCount == 1)
  }

  @Test func `a statement keeps its literals when the schema changes before it runs`() throws {
    let connection = try connection()
    let statement = try connection.prepare("INSERT INTO t VALUES('kept', 17)")
    try connection.execute("CREATE UNIQUE INDEX i ON t(a)")
    #expect(try !statement.step())
    #expect(try rows("t", connection) == ["'kept'text17integer"])
    #expect(throws: SQLError(.constraintUnique, "UNIQUE constraint failed: t.a")) {
      try statement.step()
    }
    // The program for the old schema is not used any more.
    #expect(throws: SQLError(.constraintUnique, "UNIQUE constraint failed: t.a")) {
      try run("INSERT INTO t VALUES('kept', 18)", connection)
    }
  }

  @Test func `rowids are made and checked`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE k(id INTEGER PRIMARY KEY AUTOINCREMENT, b NOT NULL)")
    for id in ["NULL", "7", "NULL", "-3", "NULL"] {
      try run("INSERT INTO k VALUES(\(id), 'b')", connection)
    }
    let statement = try connection.prepare("SELECT group_concat(id) FROM k")
    #expect(try statement.step())
    #expect(statement.columnText(0) == "-3,1,7,8,9")
    #expect(throws: SQLError(.constraintNotNull, "NOT NULL constraint failed: k.b")) {
      try run("INSERT INTO k VALUES(20, NULL)", connection)
    }
    #expect(throws: SQLError(.constraintPrimaryKey, "UNIQUE constraint failed: k.id")) {
      try run("INSERT INTO k VALUES(9, 'b')", connection)
    }
    #expect(throws: SQLError(.mismatch)) { try run("INSERT INTO k VALUES('x', 1)", connection) }
  }
}
