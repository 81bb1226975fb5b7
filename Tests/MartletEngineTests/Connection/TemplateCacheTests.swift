import Testing

@testable import MartletEngine

@Suite struct TemplateCacheTests {
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

  // MARK: Queries and changes

  private func values(_ sql: String, _ connection: Connection) throws -> [String] {
    let statement = try connection.prepare(sql)
    var values: [String] = []
    while try statement.step() {
      values.append(
        (0..<statement.columnCount).map { statement.columnText($0) }.joined(separator: "|"))
    }
    return values
  }

  /// A table with rows 1 to 100: the number, ten times it as text, and its tenth.
  private func numbers() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE n(id INTEGER PRIMARY KEY, s TEXT, t REAL);
      CREATE INDEX ns ON n(s);
      WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 100)
        INSERT INTO n SELECT n, n * 10, n / 10.0 FROM r;
      """)
    return connection
  }

  @Test(arguments: [
    ("SELECT s FROM n WHERE id = 7", "SELECT s FROM n WHERE id = 42", ["420"]),
    ("SELECT id FROM n WHERE s = '70'", "SELECT id FROM n WHERE s = '990' ;", ["99"]),
    ("SELECT id FROM n WHERE t = 2.5", "SELECT id FROM n WHERE t = 4.5", ["45"]),
    ("SELECT id FROM n WHERE id>-5 AND id<3", "SELECT id FROM n WHERE id>-9 AND id<4", ["1", "2", "3"]),
    (
      "SELECT 5, id FROM n WHERE id BETWEEN 5 AND 6",
      "SELECT 5, id FROM n WHERE id BETWEEN 8 AND 9", ["5|8", "5|9"]
    ),
    (
      "SELECT id FROM n WHERE n.id IN (3, 4, 1000)", "SELECT id FROM n WHERE n.id IN (9, 9, 8)",
      ["8", "9"]
    ),
    (
      "SELECT count(*) FROM n AS a JOIN n AS b USING (id) WHERE 90 < a.id",
      "SELECT count(*) FROM n AS a JOIN n AS b USING (id) WHERE 98 < a.id", ["2"]
    ),
    (
      "SELECT id FROM n WHERE NOT id > 5 AND length(s) = 9",
      "SELECT id FROM n WHERE NOT id > 12 AND length(s) = 3", ["10", "11", "12"]
    ),
    (
      "UPDATE n SET s = 'x', t = 1 WHERE id = 5 RETURNING s, t, id",
      "UPDATE n SET s = NULL, t = -2.5 WHERE id = 6 RETURNING s, t, id", ["|-2.5|6"]
    ),
    (
      "UPDATE n SET s = s || 'x', t = t - 2 WHERE id = 5 RETURNING s, t",
      "UPDATE n SET s = s || -1, t = t - '1' WHERE id = 6 RETURNING s, t", ["60-1|-0.4"]
    ),
    (
      "INSERT INTO n(id, s) VALUES(201, 'a'), (202, upper('b') || 1) RETURNING id, s, 5",
      "INSERT INTO n(id, s) VALUES(203, NULL), (204, upper('b') || 7.5) RETURNING id, s, 5",
      ["203||5", "204|B7.5|5"]
    ),
    (
      "INSERT INTO n(id, s) VALUES(5, 'a') ON CONFLICT DO UPDATE SET t = 3 RETURNING s, t",
      "INSERT INTO n(id, s) VALUES(6, 'b') ON CONFLICT DO UPDATE SET t = 3 RETURNING s, t", ["60|3.0"]
    ),
    (
      "DELETE FROM n WHERE id = 5 AND s = '50' RETURNING id",
      "DELETE FROM n WHERE id = 6 AND s = '60' RETURNING id", ["6"]
    ),
  ])
  func `statements that differ in what columns are compared with share a program`(
    first: String, second: String, expected: [String]
  ) throws {
    let connection = try numbers()
    _ = try values(first, connection)
    let statement = try connection.prepare(second)
    let again = try connection.prepare(second + " ")
    #expect(statement.program === again.program)
    #expect(statement.parameterCount == 0)
    #expect(statement.sql == second.filter { $0 != ";" }.trimmed)
    #expect(try values(second, connection) == expected)
  }

  @Test(arguments: [
    // Equalities with common numbers are planned otherwise; other kinds of literals may be.
    ("SELECT id FROM n WHERE id = 7", "SELECT id FROM n WHERE id = 1"),
    ("SELECT id FROM n WHERE id = 7", "SELECT id FROM n WHERE id = '7'"),
    ("SELECT id FROM n WHERE id = 7", "SELECT id FROM n WHERE id = NULL"),
    ("SELECT id FROM n WHERE id = 7", "SELECT id FROM n WHERE id = 7.0"),
    ("SELECT id FROM n WHERE id = 7", "SELECT id FROM n WHERE id = 9223372036854775808"),
    ("SELECT id FROM n WHERE id = 7", "SELECT id FROM n WHERE id = +7"),
    // These literals are not replaced.
    ("SELECT 7 FROM n WHERE id", "SELECT 8 FROM n WHERE id"),
    ("SELECT id FROM n ORDER BY 1 LIMIT 7", "SELECT id FROM n ORDER BY 1 LIMIT 8"),
    ("SELECT id FROM n WHERE id = 7 OR id > 8", "SELECT id FROM n WHERE id = 7 OR id > 7"),
    ("SELECT id FROM n WHERE id IS 7", "SELECT id FROM n WHERE id IS 8"),
    ("SELECT id FROM n WHERE iif(id, 7, 5)", "SELECT id FROM n WHERE iif(id, 8, 5)"),
    ("SELECT id FROM n WHERE s LIKE '7%'", "SELECT id FROM n WHERE s LIKE '8%'"),
    ("SELECT id FROM n WHERE id = 7 UNION SELECT 1", "SELECT id FROM n WHERE id = 8 UNION SELECT 1"),
    // And these texts are not alike.
    ("UPDATE n SET t = 7-5 RETURNING t", "UPDATE n SET t = 7--5 RETURNING t"),
    ("SELECT id FROM n WHERE id BETWEEN'7'AND'8'", "SELECT id FROM n WHERE id BETWEEN 7 AND 8"),
  ])
  func `literals that may decide about the plan are compiled`(
    first: String, second: String
  ) throws {
    let connection = try numbers()
    for _ in 0..<3 { _ = try values(first, connection) }
    let known = try connection.prepare(first + " ")
    #expect(try connection.prepare(second).program !== known.program)
    let fresh = try numbers()
    #expect(try values(second, connection) == values(second, fresh))
  }

  @Test func `a word is not cut where a literal was`() throws {
    let connection = try numbers()
    for text in ["'10'", "'20'"] {
      _ = try values("SELECT id FROM n WHERE s BETWEEN\(text)AND\(text)", connection)
    }
    #expect(throws: SQLError.self) {
      try connection.prepare("SELECT id FROM n WHERE s BETWEEN10 AND 20")
    }
  }

  @Test func `partial indexes and samples refuse to share`() throws {
    let connection = try numbers()
    try connection.execute("CREATE INDEX part ON n(t) WHERE s = '70'")
    for id in 5...9 {
      let query = "SELECT t FROM n WHERE s = '\(id)' ORDER BY t"
      let program = try connection.prepare(query).program
      #expect(try connection.prepare(query + " ").program !== program)
    }
    try connection.execute("DROP INDEX part; CREATE INDEX long ON n(id % 2, length(s) > 2)")
    for id in 5...9 {
      let query = "SELECT id FROM n WHERE length(s) > \(id)"
      let program = try connection.prepare(query).program
      #expect(try connection.prepare(query + " ").program !== program)
    }
    try connection.execute("DROP INDEX long; ANALYZE")
    for id in 5...9 {
      let query = "SELECT t FROM n WHERE s = '\(id)'"
      let program = try connection.prepare(query).program
      #expect(try connection.prepare(query + " ").program !== program)
    }
  }

  @Test func `equal changes share a program until what they depend on changes`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(p REFERENCES p);
      INSERT INTO p VALUES(2), (3);
      INSERT INTO c VALUES(2);
      """)
    let delete = "DELETE FROM p WHERE id = 2"
    // A program is kept when its text comes for the second time.
    _ = try connection.prepare(delete)
    let first = try connection.prepare(delete)
    #expect(try connection.prepare(delete).program === first.program)
    try connection.execute("PRAGMA foreign_keys = ON")
    #expect(throws: SQLError(.constraintForeignKey, "FOREIGN KEY constraint failed")) {
      try run(delete, connection)
    }
    // Within the transaction only, the check waits.
    try connection.execute("BEGIN; PRAGMA defer_foreign_keys = ON")
    for _ in 0..<2 {
      try run(delete, connection)
      try run("INSERT INTO p VALUES(2)", connection)
    }
    try connection.execute("COMMIT")
    for _ in 0..<3 {
      #expect(throws: SQLError(.constraintForeignKey, "FOREIGN KEY constraint failed")) {
        try run(delete, connection)
      }
    }
    try run("DELETE FROM p WHERE id = 3", connection)
    #expect(try values("SELECT id FROM p", connection) == ["2"])
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
