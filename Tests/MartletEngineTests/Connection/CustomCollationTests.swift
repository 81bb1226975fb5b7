import Testing

@testable import MartletEngine

@Suite struct CustomCollationTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(a TEXT); INSERT INTO t VALUES('b'), ('C'), ('a'), ('é')")
  }

  private func defineReverse() throws {
    try connection.createCollation("reverse") { left, right in
      left == right ? 0 : left < right ? 1 : -1
    }
  }

  @Test func `a collation orders, compares, groups and is kept in indexes`() throws {
    try defineReverse()
    #expect(try connection.rows("SELECT a FROM t ORDER BY a COLLATE reverse") == ["é", "b", "a", "C"])
    #expect(try connection.rows("SELECT 'a' < 'b' COLLATE reverse") == ["0"])
    #expect(try connection.rows("SELECT max(a COLLATE reverse) FROM t") == ["C"])
    try connection.execute(
      """
      CREATE TABLE u(a TEXT COLLATE reverse PRIMARY KEY, b) WITHOUT ROWID;
      INSERT INTO u SELECT a, 1 FROM t;
      CREATE INDEX i ON t(a COLLATE reverse);
      """)
    #expect(try connection.rows("SELECT a FROM u") == ["é", "b", "a", "C"])
    #expect(try connection.rows("SELECT a FROM t WHERE a COLLATE reverse > 'b'") == ["a", "C"])
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
    #expect(
      connection.failure("INSERT INTO u VALUES('a', 2)")?.message
        == "UNIQUE constraint failed: u.a")
  }

  @Test func `texts that a collation takes for equal are one`() throws {
    try connection.createCollation("first_letter") { left, right in
      let left = left.lowercased().prefix(1), right = right.lowercased().prefix(1)
      return left == right ? 0 : left < right ? -1 : 1
    }
    #expect(
      try connection.rows(
        """
        SELECT count(*) FROM (VALUES ('abc'), ('Axx'), ('b')) GROUP BY column1 COLLATE first_letter
        """) == ["2", "1"])
    #expect(
      try connection.rows("SELECT DISTINCT column1 COLLATE first_letter FROM (VALUES ('a1'), ('A2'))")
        == ["a1"])
    #expect(try connection.rows("SELECT 'apple' COLLATE first_letter IN ('Axe', 'x')") == ["1"])
  }

  @Test func `a collation gets the bytes in its encoding`() throws {
    let notes = Notes()
    try connection.createCollation("wide", encoding: .utf16LittleEndian, comparingBytes: {
      left, right in
      notes.add("\(Array(left)) \(Array(right))")
      return 0
    })
    #expect(try connection.rows("SELECT 'a' = 'é' COLLATE wide") == ["1"])
    #expect(notes.take() == ["[97, 0] [233, 0]"])
    try connection.createCollation("wide", encoding: .utf8, comparingBytes: { left, right in
      notes.add("\(Array(left)) \(Array(right))")
      return 1
    })
    #expect(try connection.rows("SELECT 'a' = 'é' COLLATE wide") == ["0"])
    #expect(notes.take() == ["[97] [195, 169]"])
  }

  @Test func `a collation that does not exist is an error where it is used`() throws {
    let missing = SQLError(.errorMissingCollation, "no such collation sequence: foo")
    #expect(try connection.rows("SELECT 'a' COLLATE foo") == ["a"])
    for sql in [
      "SELECT 'a' COLLATE foo = 'b'", "SELECT 1 ORDER BY 1 COLLATE foo",
      "CREATE TABLE x(a COLLATE foo)", "CREATE INDEX i ON t(a COLLATE foo)",
    ] {
      #expect(connection.failure(sql)?.code == missing.code)
      #expect(connection.failure(sql)?.message == missing.message)
    }
  }

  @Test func `missing collations are asked for`() throws {
    let notes = Notes()
    connection.collationNeeded = { connection, encoding, name in
      notes.add("\(name) \(encoding)")
      guard name == "Later" else { return }
      do throws(SQLError) {
        try connection.createCollation(name) { left, right in left < right ? 1 : -1 }
      } catch {
        notes.add(error.message)
      }
    }
    #expect(try connection.rows("SELECT a FROM t ORDER BY a COLLATE Later LIMIT 1") == ["é"])
    #expect(try connection.rows("SELECT a FROM t ORDER BY a COLLATE later LIMIT 1") == ["é"])
    #expect(connection.failure("SELECT 1 ORDER BY 1 COLLATE never") != nil)
    #expect(notes.take() == ["Later utf8", "never utf8"])
  }

  @Test func `a collation is replaced only while no statement runs`() throws {
    try defineReverse()
    let sorted = try connection.prepare("SELECT a FROM t ORDER BY a COLLATE reverse")
    _ = try sorted.step()
    #expect(
      throws: SQLError(
        .busy, "unable to delete/modify collation sequence due to active statements")
    ) { try connection.removeCollation("REVERSE") }
    try sorted.reset()
    try connection.removeCollation("REVERSE")
    #expect(sorted.failure()?.message == "no such collation sequence: reverse")
  }

  @Test func `a collation may not run statements`() throws {
    let connection = connection, notes = Notes()
    try connection.createCollation("nested") { left, right in
      notes.add(connection.failure("DELETE FROM t")?.message ?? "no error")
      return 0
    }
    _ = try connection.rows("SELECT 'a' < 'b' COLLATE nested")
    #expect(notes.take() == ["a collation may not run statements"])
  }
}
