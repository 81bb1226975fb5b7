import TestSupport
import Testing

@testable import MartletEngine

@Suite struct AttachTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `the temp database is opened when a statement uses it`() throws {
    let connection = try Connection(path: ":memory:")
    #expect(connection.databases[1].tree == nil)
    try connection.execute("SELECT * FROM sqlite_temp_schema")
    #expect(connection.databases[1].tree != nil)
    #expect(connection.readingDatabases == 0)
  }

  @Test func `ten databases may be attached, and each has its number`() throws {
    let connection = try Connection(path: ":memory:")
    for number in 0..<10 { try connection.execute("ATTACH ':memory:' AS db\(number)") }
    #expect(
      connection.failure("ATTACH '' AS more")
        == .sql("too many attached databases - max 10"))
    try connection.setVersion(42, database: 7)
    try connection.execute("DETACH db2")
    #expect(try connection.version(of: "db5") == 42)
    #expect(connection.databases[6].name == "db5")
    #expect(try connection.rows("PRAGMA database_list").count == 10)
  }

  @Test func `names are strings, expressions or bare words`() throws {
    let connection = try Connection(path: directory("main.db"))
    let statement = try connection.prepare("ATTACH ?1 AS ?2 KEY 'ignored'")
    try statement.bind(text: directory("a.db"), at: 1)
    try statement.bind(text: "A b", at: 2)
    _ = try statement.step()
    try connection.execute("ATTACH DATABASE ':mem' || 'ory:' AS \"c\"; ATTACH NULL AS d")
    #expect(connection.databases.map(\.name) == ["main", "temp", "A b", "c", "d"])
    try connection.execute("DETACH 'a' || ' B'; DETACH DATABASE C")
    #expect(connection.databases.map(\.name) == ["main", "temp", "d"])
  }

  @Test(arguments: [
    ("ATTACH ':memory:' AS main", "database main is already in use"),
    ("ATTACH ':memory:' AS TEMP", "database TEMP is already in use"),
    ("ATTACH ':memory:' AS AUX", "database AUX is already in use"),
    ("ATTACH a.b AS c", "no such column: a.b"),
    ("ATTACH max(1) AS c", "misuse of aggregate function max()"),
    ("ATTACH 'file://host/x' AS c", "invalid uri authority: host"),
    ("ATTACH 'file:x?mode=xx' AS c", "no such access mode: xx"),
    ("DETACH nosuch", "no such database: nosuch"),
    ("DETACH Main", "cannot detach database Main"),
    ("DETACH temp", "no such database: temp"),
    ("SELECT * FROM sqlite_temp_schema; DETACH temp", "cannot detach database temp"),
    ("BEGIN; SELECT * FROM aux.sqlite_schema; DETACH aux", "database aux is locked"),
  ])
  func `what cannot be attached or detached is refused`(sql: String, message: String) throws {
    let connection = try Connection(path: ":memory:", flags: [.default, .uri])
    try connection.execute("ATTACH ':memory:' AS aux")
    let error = connection.failure(sql)
    #expect(error?.code == .error && error?.message == message)
    #expect(connection.databases.count == 3)
  }

  @Test func `a file that cannot be opened or read is not attached`() throws {
    let connection = try Connection(path: ":memory:")
    let missing = directory("none/x.db")
    let error = connection.failure("ATTACH '\(missing)' AS x")
    #expect(error == SQLError(.cannotOpen, "unable to open database: \(missing)"))
    let junk = try PosixVFS().open(directory("junk"), [.readWrite, .create])
    try [UInt8](repeating: 0x5a, count: 1024).withUnsafeBytes {
      try junk.write(from: try #require($0.baseAddress), byteCount: 1024, at: 0)
    }
    junk.close()
    #expect(connection.failure("ATTACH '\(directory("junk"))' AS x") == SQLError(.notADatabase))
    #expect(connection.databases.count == 2)
    #expect(connection.failure("SELECT * FROM x.t")?.message == "no such table: x.t")
  }

  @Test func `attached files may be written as main may`() throws {
    try Connection(path: directory("a.db")).setVersion(1)
    let connection = try Connection(path: directory("a.db"), flags: .readOnly)
    let other = directory("b.db")
    #expect(connection.failure("ATTACH '\(other)' AS b")?.code == .cannotOpen)
    try Connection(path: other).setVersion(2)
    try connection.execute("ATTACH '\(other)' AS b")
    #expect(try connection.version(of: "b") == 2)
    #expect(try connection.writer(3, database: 2).failure() == SQLError(.readOnly))
  }

  @Test func `a transaction over several files is committed or taken back as one`() throws {
    let connection = try Connection(path: directory("a.db"))
    try connection.execute("ATTACH '\(directory("b.db"))' AS b; BEGIN")
    try connection.setVersion(1)
    try connection.setVersion(2, database: 2)
    try connection.execute("COMMIT")
    let other = try Connection(path: directory("b.db"))
    #expect(try other.version() == 2)
    try connection.execute("BEGIN")
    try connection.setVersion(3)
    try connection.setVersion(4, database: 2)
    // A reader of one file keeps both from being committed.
    try other.execute("BEGIN; PRAGMA user_version")
    #expect(connection.failure("COMMIT") == SQLError(.busy))
    #expect(connection.isInTransaction)
    try connection.execute("ROLLBACK")
    #expect(try connection.version() == 1)
    #expect(try connection.version(of: "b") == 2)
    #expect(directory.names == ["a.db", "b.db"])
  }

  @Test func `a statement whose database has gone is prepared again`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("ATTACH ':memory:' AS b; ATTACH ':memory:' AS c")
    let ofC = try connection.prepare("SELECT count(*) FROM c.sqlite_schema")
    let begin = try connection.prepare("BEGIN IMMEDIATE")
    #expect(try ofC.step())
    try ofC.reset()
    try connection.execute("DETACH b")
    #expect(try ofC.step())
    try ofC.reset()
    #expect(try begin.step() == false)
    try connection.execute("COMMIT; DETACH c")
    #expect(ofC.failure()?.message == "no such table: c.sqlite_schema")
  }

  @Test func `ATTACH works inside a transaction`() throws {
    let connection = try Connection(path: directory("a.db"))
    try connection.execute("BEGIN; ATTACH '\(directory("b.db"))' AS b; DETACH b; COMMIT")
    #expect(connection.databases.count == 2)
  }

  @Test(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
  func `databases of one connection have one encoding`() throws {
    let utf16 = directory("utf16.db")
    try OracleShell(utf16).run("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a);")
    let message = "attached databases must use the same text encoding as main database"
    let connection = try Connection(path: ":memory:")
    #expect(connection.failure("ATTACH '\(utf16)' AS x") == .sql(message))
    let other = try Connection(path: utf16)
    try other.execute("ATTACH ':memory:' AS empty; SELECT * FROM empty.sqlite_schema")
    #expect(other.catalog.databases[2].encoding == .utf16LittleEndian)
  }
}
