import Testing

@testable import MartletEngine

@Suite struct HookTests {
  private let connection: Connection
  private let notes = Notes()

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c REAL);
      CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;
      INSERT INTO t VALUES(1, 'one', 1), (2, 'two', 2.5), (3, 'three', 3);
      INSERT INTO w VALUES('x', 1), ('y', 2);
      """)
  }

  // MARK: Update hook

  @Test(arguments: [
    ("INSERT INTO t VALUES(10, 'ten', 10), (11, 'eleven', 11)", [
      "insert main t 10", "insert main t 11",
    ]),
    ("UPDATE t SET b = b || '!' WHERE a > 1", ["update main t 2", "update main t 3"]),
    ("UPDATE t SET a = a + 10 WHERE a = 1", ["update main t 11"]),
    ("DELETE FROM t WHERE a < 3", ["delete main t 1", "delete main t 2"]),
    ("DELETE FROM t", []),
    ("DELETE FROM t WHERE 1", ["delete main t 1", "delete main t 2", "delete main t 3"]),
    ("INSERT INTO w VALUES('z', 3)", []),
    ("UPDATE w SET v = 9", []),
    ("REPLACE INTO t VALUES(9, 'one', 9)", ["insert main t 9"]),
    ("REPLACE INTO t VALUES(1, 'uno', 9)", ["insert main t 1"]),
    (
      """
      PRAGMA foreign_keys = ON; CREATE TABLE f(a REFERENCES t(a) ON DELETE CASCADE);
      INSERT INTO f VALUES(1); REPLACE INTO t VALUES(9, 'one', 9)
      """,
      ["insert main f 1", "delete main f 1", "insert main t 9"]
    ),
    ("INSERT INTO t VALUES(1, 'x', 1) ON CONFLICT DO UPDATE SET b = 'y'", ["update main t 1"]),
    ("INSERT OR IGNORE INTO t VALUES(1, 'x', 1)", []),
    ("CREATE TABLE u(x)", []),
    (
      "CREATE TABLE e(x INTEGER PRIMARY KEY, y, z); INSERT INTO e SELECT * FROM t WHERE a < 3",
      ["insert main e 1", "insert main e 2"]
    ),
    (
      "CREATE TABLE c(a INTEGER PRIMARY KEY, b UNIQUE, c REAL); INSERT INTO c SELECT * FROM t",
      ["insert main c 1", "insert main c 2", "insert main c 3"]
    ),
    ("CREATE TEMP TABLE u(x); INSERT INTO u VALUES(1)", ["insert temp u 1"]),
  ])
  func `the update hook is told of every row with a rowid`(
    sql: String, expected: [String]
  ) throws {
    let notes = notes
    connection.updateHook = { notes.add("\($0) \($1) \($2) \($3)") }
    try connection.execute(sql)
    #expect(notes.take() == expected)
    connection.updateHook = nil
    try connection.execute("INSERT INTO t VALUES(100, 'hundred', 1)")
    #expect(notes.take() == [])
  }

  @Test func `C's update hook is told the names as they are now`() throws {
    let notes = notes
    let tell: RawUpdateHook.Function = { data, kind, database, table, rowID in
      guard let data, let database, let table else { return }
      let notes = Unmanaged<Notes>.fromOpaque(data).takeUnretainedValue()
      notes.add("\(kind) \(String(cString: database)) \(String(cString: table)) \(rowID)")
    }
    connection.rawUpdateHook = RawUpdateHook(tell, Unmanaged.passUnretained(notes).toOpaque())
    try connection.execute(
      """
      UPDATE t SET b = b || '!' WHERE a > 1; ALTER TABLE t RENAME TO "a longer name";
      DELETE FROM "a longer name" WHERE a = 1;
      CREATE TEMP TABLE u(x); INSERT INTO u VALUES(1)
      """)
    #expect(
      notes.take() == [
        "23 main t 2", "23 main t 3", "9 main a longer name 1", "18 temp u 1",
      ])
    connection.updateHook = { notes.add("\($0) \($1) \($2) \($3)") }
    try connection.execute("INSERT INTO u VALUES(2)")
    #expect(notes.take() == ["insert temp u 2"])
    connection.rawUpdateHook = nil
    try connection.execute("INSERT INTO u VALUES(3)")
    #expect(notes.take() == [])
  }

  @Test func `a deletion without condition may be told row by row`() throws {
    let notes = notes
    connection.updateHook = { notes.add("\($0) \($1) \($2) \($3)") }
    let statement = try connection.prepare("DELETE FROM t")
    connection.deletesRowByRow = true
    while try statement.step() {}
    #expect(notes.take() == ["delete main t 1", "delete main t 2", "delete main t 3"])
    #expect(connection.changes == 3)
    connection.deletesRowByRow = false
    try connection.execute("INSERT INTO t VALUES(1, 'x', 1); DELETE FROM t")
    #expect(notes.take() == ["insert main t 1"])
  }

  @Test func `a text is inspected without an effect on others`() throws {
    let statement = try connection.prepare("SELECT b FROM t WHERE a = 1")
    let notes = notes
    try connection.inspect("UPDATE t SET c = a; SELECT 1") { action, first, second, _, _ in
      notes.add("\(action) \(first ?? "") \(second ?? "")")
      return .allow
    }
    #expect(notes.take() == ["read t a", "update t c"])
    #expect(connection.authorizer == nil)
    #expect(try statement.step())
    #expect(throws: SQLError.self) {
      try connection.inspect("SELECT * FROM none") { _, _, _, _, _ in .allow }
    }
  }

  // MARK: Preupdate hook

  private func noteChanges() {
    let notes = notes
    connection.preupdateHook = { change in
      var line = "\(change.kind) \(change.table) \(change.oldRowID)>\(change.newRowID)"
      do throws(SQLError) {
        for (isOld, isThere) in [(true, change.kind != .insert), (false, change.kind != .delete)]
        where isThere {
          line += isOld ? " old" : " new"
          for column in 0..<change.columnCount {
            line += " \(try isOld ? change.oldValue(column) : change.newValue(column))"
          }
        }
      } catch {
        line += " \(error)"
      }
      notes.add(line)
    }
  }

  @Test(arguments: [
    ("INSERT INTO t(b, c) VALUES('four', 4)", [
      #"insert t 4>4 new integer(4) text("four") integer(4)"#
    ]),
    ("UPDATE t SET b = 'x', c = 7 WHERE a = 2", [
      #"update t 2>2 old integer(2) text("two") real(2.5) new integer(2) text("x") real(7.0)"#
    ]),
    ("UPDATE t SET a = 20 WHERE a = 2", [
      #"update t 2>20 old integer(2) text("two") real(2.5) new integer(20) text("two") real(2.5)"#
    ]),
    ("DELETE FROM t WHERE a = 1", [#"delete t 1>1 old integer(1) text("one") real(1.0)"#]),
    ("DELETE FROM t", [
      #"delete t 1>1 old integer(1) text("one") real(1.0)"#,
      #"delete t 2>2 old integer(2) text("two") real(2.5)"#,
      #"delete t 3>3 old integer(3) text("three") real(3.0)"#,
    ]),
    ("REPLACE INTO t VALUES(1, 'three', NULL)", [
      #"delete t 1>1 old integer(1) text("one") real(1.0)"#,
      #"delete t 3>3 old integer(3) text("three") real(3.0)"#,
      #"insert t 1>1 new integer(1) text("three") null"#,
    ]),
    ("INSERT INTO w VALUES('z', 3)", [#"insert w 0>0 new text("z") integer(3)"#]),
    ("UPDATE w SET v = 5 WHERE k = 'x'", [
      #"update w 0>0 old text("x") integer(1) new text("x") integer(5)"#
    ]),
    ("DELETE FROM w WHERE k = 'y'", [#"delete w 0>0 old text("y") integer(2)"#]),
  ])
  func `the preupdate hook sees rows before and after`(sql: String, expected: [String]) throws {
    noteChanges()
    try connection.execute(sql)
    #expect(notes.take() == expected)
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `the preupdate hook refuses what is not there`() throws {
    let notes = notes
    connection.preupdateHook = { change in
      for (isOld, column) in [(true, 0), (false, 3), (false, -1)] {
        do throws(SQLError) {
          _ = try isOld ? change.oldValue(column) : change.newValue(column)
        } catch {
          notes.add("\(error.code.rawValue)")
        }
      }
    }
    try connection.execute("INSERT INTO t VALUES(4, 'four', 4)")
    #expect(notes.take() == ["21", "21", "25"])
  }

  // MARK: Commit and rollback

  @Test func `the commit hook can turn a commit into a rollback`() throws {
    let notes = notes
    let refuses = Notes()
    connection.commitHook = {
      notes.add("commit")
      return !refuses.take().isEmpty
    }
    connection.rollbackHook = { notes.add("rollback") }
    try connection.execute("INSERT INTO w VALUES('a', 1)")
    #expect(notes.take() == ["commit"])
    try connection.execute("SELECT * FROM w; BEGIN; SELECT * FROM w; COMMIT")
    #expect(notes.take() == [])
    refuses.add("no")
    let failure = connection.failure("INSERT INTO w VALUES('b', 1)")
    #expect(failure == SQLError(.constraintCommitHook, "constraint failed"))
    #expect(notes.take() == ["commit", "rollback"])
    try connection.execute("BEGIN; INSERT INTO w VALUES('b', 1)")
    refuses.add("no")
    #expect(connection.failure("COMMIT")?.code == .constraintCommitHook)
    #expect(notes.take() == ["commit", "rollback"])
    #expect(connection.isAutocommit)
    try connection.execute("BEGIN; INSERT INTO w VALUES('c', 1); ROLLBACK")
    #expect(notes.take() == ["rollback"])
    try connection.execute("BEGIN; ROLLBACK")
    #expect(notes.take() == ["rollback"])
    #expect(try connection.rows("SELECT k FROM w ORDER BY k") == ["a", "x", "y"])
  }

  // MARK: Trace, progress, interrupt

  @Test func `trace reports statements, rows, their end and the connection's`() throws {
    let notes = notes
    connection.trace([.statement, .row, .profile, .close]) { event in
      switch event {
      case .statement(let statement): notes.add("start \(statement.expandedSQL)")
      case .row(let statement): notes.add("row \(statement.sql)")
      case .comment(let text, _): notes.add(text)
      case .profile(let statement, let time): notes.add("end \(statement.sql) \(time >= 0)")
      case .close: notes.add("close")
      }
    }
    var statement: Statement? = try connection.prepare("SELECT ?1 UNION ALL SELECT 2")
    try statement?.bind(text: "it's", at: 1)
    _ = try statement?.step()
    try statement?.reset()
    #expect(
      notes.take() == [
        "start SELECT 'it''s' UNION ALL SELECT 2", "row SELECT ?1 UNION ALL SELECT 2",
        "end SELECT ?1 UNION ALL SELECT 2 true",
      ])
    statement = nil
    connection.trace(.close) { _ in notes.add("close") }
    try connection.close()
    #expect(notes.take() == ["close"])
  }

  @Test func `trace reports triggers and their statements as comments`() throws {
    let notes = notes
    try connection.execute(
      """
      CREATE TABLE traced(a);
      CREATE TRIGGER told AFTER INSERT ON traced BEGIN SELECT  new.a; DELETE FROM traced; END
      """)
    connection.trace(.statement) { event in
      switch event {
      case .statement(let statement): notes.add(statement.sql)
      case .comment(let text, let statement): notes.add("\(text) of \(statement.sql)")
      default: break
      }
    }
    try connection.execute("INSERT INTO traced VALUES(1)")
    let sql = "INSERT INTO traced VALUES(1)"
    #expect(
      notes.take() == [
        sql, "-- TRIGGER told of \(sql)", "-- SELECT  new.a of \(sql)",
        "-- DELETE FROM traced of \(sql)",
      ])
  }

  @Test func `an expanded text has literals in the places of its parameters`() throws {
    let statement = try connection.prepare(
      "SELECT ?, '?', :name, ?5, @b, $c -- ? \n, ?1, :name, x'3f'")
    try statement.bind(1.5, at: 1)
    try statement.bind(text: "a'b", at: try #require(statement.parameterIndex(named: ":name")))
    try [UInt8]([1, 0xab]).withUnsafeBytes { try statement.bind(blob: $0, at: 5) }
    try statement.bind(Int64(-7), at: try #require(statement.parameterIndex(named: "@b")))
    #expect(
      statement.expandedSQL
        == "SELECT 1.5, '?', 'a''b', x'01ab', -7, NULL -- ? \n, 1.5, 'a''b', x'3f'")
  }

  @Test func `a progress handler is called again and again and ends a statement`() throws {
    let notes = notes
    connection.setProgressHandler(every: 100) {
      notes.add("")
      return false
    }
    let endless = "SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d, t AS e WHERE a.c+e.c>b.c+d.c"
    _ = try connection.rows(endless)
    #expect(notes.take().count > 5)
    connection.setProgressHandler(every: 1) { true }
    #expect(connection.failure(endless) == SQLError(.interrupt, "interrupted"))
    #expect(connection.failure("SELECT 1")?.code == .interrupt)
    connection.setProgressHandler(every: 0, nil)
    #expect(try connection.rows("SELECT 1") == ["1"])
  }

  @Test func `a search for an entry whose expression has changed can be ended`() throws {
    try connection.execute(
      """
      CREATE TABLE quoted(id INTEGER PRIMARY KEY, c, g AS (json_quote(c)));
      CREATE INDEX by_g ON quoted(g);
      WITH n(x) AS (VALUES(-1000) UNION ALL SELECT x + 1 FROM n WHERE x < 1000)
        INSERT INTO quoted(c) SELECT x FROM n;
      UPDATE quoted SET c = g WHERE id = 2001
      """)
    let delete = "DELETE FROM quoted WHERE id = 2001"
    connection.setProgressHandler(every: 1_000) { true }
    #expect(connection.failure(delete) == SQLError(.interrupt, "interrupted"))
    connection.setProgressHandler(every: 0, nil)
    #expect(try connection.rows("SELECT count(*) FROM quoted") == ["2001"])
    try connection.execute(delete)
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `another thread interrupts a statement`() async throws {
    let connection = connection
    let failure = await connection.interrupting {
      connection.failure(
        """
        SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k, t l, t m, t n,
          t o, t p, t q, t r, t s, t u, t v, t x, t y, t z WHERE a.c + b.c + z.c > 1
        """)
    }
    #expect(failure == SQLError(.interrupt, "interrupted"))
    #expect(try connection.rows("SELECT 1") == ["1"])
  }
}
