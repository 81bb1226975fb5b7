import TestSupport
import Testing

@testable import MartletEngine

struct VirtualTableTests {
  private func makeTable(
    _ module: NotesModule = NotesModule()
  ) throws -> (Connection, NotesModule.Store) {
    let connection = try Connection(path: ":memory:")
    try connection.createModule("notes", module)
    try connection.execute("CREATE VIRTUAL TABLE t USING notes(x, y)")
    _ = module.store.calls()
    return (connection, module.store)
  }

  // MARK: Changes

  @Test func `rows are inserted, updated and deleted by the table`() throws {
    let (connection, store) = try makeTable()
    try connection.execute("INSERT INTO t VALUES(1, 'one'), (2, 'two')")
    #expect(connection.lastInsertRowID == 2)
    #expect(connection.changes == 2)
    try connection.execute("INSERT INTO t(rowid, b) VALUES(9, 'nine')")
    #expect(try connection.rows("SELECT rowid, a, b FROM t") == ["1|1|one", "2|2|two", "9||nine"])
    try connection.execute("UPDATE t SET b = b || '!' WHERE a > 1")
    try connection.execute("UPDATE t SET rowid = 7 WHERE rowid = 9")
    #expect(try connection.rows("SELECT rowid, a, b FROM t") == ["1|1|one", "2|2|two!", "7||nine"])
    try connection.execute("DELETE FROM t WHERE rowid IN (1, 7)")
    #expect(connection.changes == 2)
    #expect(try connection.rows("SELECT rowid FROM t") == ["2"])
    try connection.execute("DELETE FROM t")
    #expect(try connection.rows("SELECT * FROM t") == [])
    _ = store.calls()
  }

  @Test func `every match of UPDATE FROM changes the row`() throws {
    let (connection, store) = try makeTable()
    try connection.execute("INSERT INTO t VALUES(1, 'x'), (2, 'y')")
    _ = store.calls()
    try connection.execute(
      "UPDATE t SET a = j.value FROM json_each('[7, 8]') j WHERE t.a = 2")
    #expect(store.calls() == ["begin", "update =1", "update =1", "sync", "commit"])
    #expect(connection.changes == 2)
    #expect(try connection.rows("SELECT rowid, a, b FROM t") == ["1|1|x", "2|8|y"])
  }

  @Test func `an UPDATE tells which columns it leaves alone`() throws {
    let (connection, store) = try makeTable()
    try connection.execute("INSERT INTO t VALUES(1, 2)")
    _ = store.calls()
    try connection.execute("UPDATE t SET a = 5 WHERE rowid = 1")
    #expect(store.calls() == ["begin", "update =1", "sync", "commit"])
    try connection.execute("UPDATE t SET a = 6")
    #expect(store.calls() == ["begin", "update =1", "sync", "commit"])
    #expect(try connection.rows("SELECT * FROM t") == ["6|2"])
  }

  @Test func `conflict clauses reach the table, and IGNORE and REPLACE need its support`() throws {
    let (connection, store) = try makeTable(NotesModule(settings: .constraintSupport))
    try connection.execute("INSERT INTO t(rowid, a) VALUES(1, 1)")
    let failure = connection.failure("INSERT INTO t(rowid, a) VALUES(1, 2)")
    #expect(failure?.code == .constraintRowID)
    #expect(failure?.message == "rowid is taken")
    try connection.execute("INSERT OR IGNORE INTO t(rowid, a) VALUES(1, 3), (2, 3)")
    #expect(connection.changes == 1)
    try connection.execute("INSERT OR REPLACE INTO t(rowid, a) VALUES(1, 4)")
    #expect(try connection.rows("SELECT rowid, a FROM t") == ["1|4", "2|3"])
    #expect(store.calls().contains("insert replace"))
  }

  @Test func `RETURNING shows the row before the table has it`() throws {
    let (connection, _) = try makeTable()
    #expect(
      try connection.rows("INSERT INTO t VALUES(1, 'x') RETURNING rowid, a, b") == ["-1|1|x"])
    #expect(
      connection.failure("DELETE FROM t RETURNING a")?.message
        == "DELETE RETURNING is not available on virtual tables")
    #expect(
      connection.failure("UPDATE t SET a = 1 RETURNING a")?.message
        == "UPDATE RETURNING is not available on virtual tables")
    #expect(
      connection.failure("INSERT INTO t VALUES(1, 2) ON CONFLICT DO NOTHING")?.message
        == "UPSERT not implemented for virtual table \"t\"")
  }

  @Test func `tables of modules that do not write may not be modified`() throws {
    let (connection, _) = try makeTable(NotesModule(abilities: []))
    for sql in ["INSERT INTO t VALUES(1, 2)", "UPDATE t SET a = 1", "DELETE FROM t"] {
      #expect(connection.failure(sql)?.message == "table t may not be modified")
    }
  }

  // MARK: Transactions

  @Test func `a table takes part in transactions and savepoints`() throws {
    let (connection, store) = try makeTable()
    try connection.execute("BEGIN; INSERT INTO t VALUES(1, 1)")
    #expect(store.calls() == ["begin", "insert"])
    try connection.execute("SAVEPOINT s; INSERT INTO t VALUES(2, 2); SAVEPOINT r")
    #expect(store.calls() == ["savepoint 0", "insert", "savepoint 1"])
    try connection.execute("INSERT INTO t VALUES(3, 3); ROLLBACK TO r; RELEASE s")
    #expect(
      store.calls() == [
        "insert", "rollback to 1", "release 0",
      ])
    try connection.execute("COMMIT")
    #expect(store.calls() == ["sync", "commit"])
    #expect(try connection.rows("SELECT a FROM t") == ["1", "2"])
    try connection.execute("BEGIN; DELETE FROM t; ROLLBACK")
    #expect(store.calls().last == "rollback")
    #expect(try connection.rows("SELECT a FROM t") == ["1", "2"])
  }

  @Test func `a sync that fails takes the transaction back`() throws {
    let (connection, store) = try makeTable()
    try connection.execute("CREATE TABLE plain(x)")
    store.state.withLock { $0.fails = "sync" }
    try connection.execute("BEGIN; INSERT INTO plain VALUES(1); INSERT INTO t VALUES(1, 1)")
    #expect(connection.failure("COMMIT")?.message == "sync fails")
    store.state.withLock { $0.fails = nil }
    try? connection.execute("ROLLBACK")
    #expect(try connection.rows("SELECT * FROM plain") == [])
    #expect(try connection.rows("SELECT * FROM t") == [])
  }

  // MARK: Definitions

  @Test func `CREATE, DROP and RENAME call the table and keep the text`() throws {
    let (connection, store) = try makeTable()
    #expect(
      try connection.rows("SELECT type, name, rootpage, sql FROM sqlite_schema")
        == ["table|t|0|CREATE VIRTUAL TABLE t USING notes(x, y)"])
    try connection.execute("ALTER TABLE t RENAME TO u")
    #expect(store.calls().contains("rename u"))
    #expect(
      try connection.rows("SELECT name, sql FROM sqlite_schema")
        == ["u|CREATE VIRTUAL TABLE \"u\" USING notes(x, y)"])
    try connection.execute("INSERT INTO u VALUES(1, 2)")
    #expect(store.calls().first == "connect")
    try connection.execute("DROP TABLE u")
    #expect(store.calls().contains("destroy"))
    #expect(try connection.rows("SELECT * FROM sqlite_schema") == [])
  }

  @Test func `RENAME finds the table in triggers and views`() throws {
    let (connection, _) = try makeTable()
    try connection.execute("CREATE TABLE r(x)")
    try connection.execute(
      "CREATE TRIGGER g AFTER INSERT ON r BEGIN INSERT INTO t(a) VALUES(new.x); END")
    try connection.execute("CREATE VIEW v AS SELECT a FROM t")
    try connection.execute("ALTER TABLE t RENAME TO u")
    let texts = try connection.rows("SELECT sql FROM sqlite_schema WHERE name IN ('g', 'v')")
    #expect(
      texts == [
        "CREATE TRIGGER g AFTER INSERT ON r BEGIN INSERT INTO \"u\"(a) VALUES(new.x); END",
        "CREATE VIEW v AS SELECT a FROM \"u\"",
      ])
    try connection.execute("INSERT INTO r VALUES(7)")
    #expect(try connection.rows("SELECT * FROM v") == ["7"])
  }

  @Test func `what fails says so in SQLite's words`() throws {
    let (connection, _) = try makeTable()
    let cases: [(String, String)] = [
      ("CREATE VIRTUAL TABLE z USING nosuch", "no such module: nosuch"),
      ("CREATE VIRTUAL TABLE z USING json_each", "no such module: json_each"),
      ("CREATE VIRTUAL TABLE z USING notes(mute)", "vtable constructor did not declare schema: z"),
      ("CREATE VIRTUAL TABLE t USING notes", "table t already exists"),
      ("CREATE INDEX i ON t(a)", "virtual tables may not be indexed"),
      ("CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
        "cannot create triggers on virtual tables"),
      ("ALTER TABLE t ADD COLUMN c", "virtual tables may not be altered"),
      ("ALTER TABLE t DROP COLUMN a", "cannot drop column from virtual table \"t\""),
      ("ALTER TABLE t RENAME a TO c", "cannot rename columns of virtual table \"t\""),
      ("DROP VIEW t", "use DROP TABLE to delete table t"),
      ("SELECT * FROM t('x')", "too many arguments on t() - max 0"),
    ]
    for (sql, message) in cases {
      #expect(connection.failure(sql)?.message == message, "\(sql)")
    }
    try connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS t USING nosuch")
    #expect(try connection.rows("SELECT name FROM sqlite_schema") == ["t"])
  }

  @Test func `a module that is gone leaves tables that can only be named`() throws {
    let directory = try TemporaryDirectory()
    let path = directory("a.db")
    do {
      let connection = try Connection(path: path)
      try connection.createModule("notes", NotesModule())
      try connection.execute("CREATE VIRTUAL TABLE t USING notes; CREATE TABLE p(x)")
    }
    let connection = try Connection(path: path)
    #expect(connection.failure("SELECT * FROM t")?.message == "no such module: notes")
    #expect(connection.failure("DROP TABLE t")?.message == "no such module: notes")
    #expect(try connection.rows("SELECT * FROM p") == [])
    let module = NotesModule()
    try connection.createModule("notes", module)
    #expect(try connection.rows("SELECT * FROM t") == [])
    #expect(module.store.calls() == ["connect"])
  }

  @Test func `hidden columns have no place in stars and inserts`() throws {
    let module = NotesModule("CREATE TABLE x(a INTEGER, b TEXT HIDDEN, c HIDDEN)")
    let (connection, _) = try makeTable(module)
    try connection.execute("INSERT INTO t VALUES(1); INSERT INTO t(a, c) VALUES(2, 3)")
    #expect(try connection.rows("SELECT * FROM t") == ["1", "2"])
    #expect(try connection.rows("SELECT a, b, c FROM t WHERE c = 3") == ["2||3"])
    #expect(
      try connection.rows("PRAGMA table_xinfo(t)")
        == ["0|a|INTEGER|0||0|0", "1|b|TEXT|0||0|1", "2|c||0||0|1"])
  }

  @Test func `lists name modules, virtual tables and their shadows`() throws {
    let (connection, _) = try makeTable()
    try connection.execute("CREATE TABLE t_content(x)")
    let tables = try connection.rows(
      "SELECT name, type, ncol FROM pragma_table_list WHERE name LIKE 't%'")
    #expect(tables.sorted() == ["t_content|shadow|1", "t|virtual|2"])
    var modules = try connection.rows("PRAGMA module_list")
    #expect(modules.contains("notes") && modules.contains("pragma_table_list"))
    #expect(!modules.contains("json_each"))
    _ = try connection.rows("SELECT 1 FROM json_each('[]')")
    modules = try connection.rows("PRAGMA module_list")
    #expect(modules.contains("json_each") && !modules.contains("json_tree"))
  }

  @Test func `integrity_check asks the tables`() throws {
    let (connection, _) = try makeTable()
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
    try connection.execute("INSERT INTO t VALUES(1, 2)")
    #expect(try connection.rows("PRAGMA integrity_check") == ["main.t has rows!"])
    #expect(try connection.rows("PRAGMA quick_check(t)") == ["main.t has rows"])
  }

  @Test func `a table may run statements on its connection`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.createModule("shadowed", ShadowedModule())
    try connection.execute(
      "CREATE VIRTUAL TABLE s USING shadowed; INSERT INTO s VALUES('a'), ('b')")
    #expect(try connection.rows("SELECT * FROM s") == ["a", "b"])
    #expect(try connection.rows("SELECT * FROM s_rows") == ["a", "b"])
    try connection.execute("BEGIN; INSERT INTO s VALUES('c'); ROLLBACK")
    #expect(try connection.rows("SELECT * FROM s") == ["a", "b"])
    try connection.execute("DROP TABLE s")
    #expect(try connection.rows("SELECT name FROM sqlite_schema") == [])
  }

  @Test func `tables can be kept out of views and triggers`() throws {
    let (connection, _) = try makeTable(NotesModule(settings: .directOnly))
    try connection.execute("CREATE VIEW v AS SELECT * FROM t")
    #expect(
      connection.failure("SELECT * FROM v")?.message == "unsafe use of virtual table \"t\"")
    #expect(try connection.rows("SELECT * FROM t") == [])
  }
}

/// Keeps its rows in a table of the same database.
private final class ShadowedModule: VirtualTableModule {
  let abilities: VirtualTableAbilities = .writing

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try request.connection?.execute("CREATE TABLE \(request.tableName)_rows(x)")
    return try connect(request)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    guard let connection = request.connection else { throw SQLError(.internal) }
    try request.declare("CREATE TABLE t(x)")
    return ShadowedTable(connection, "\(request.tableName)_rows")
  }
}

private final class ShadowedTable: VirtualTable {
  private unowned let connection: Connection
  private let rows: String

  init(_ connection: Connection, _ rows: String) {
    self.connection = connection
    self.rows = rows
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {}
  func makeCursor() throws(SQLError) -> VirtualTableCursor {
    ShadowedCursor(try connection.prepare("SELECT rowid, x FROM \(rows)"))
  }

  func update(_ change: borrowing VirtualTableChange) throws(SQLError) -> Int64 {
    let statement = try connection.prepare("INSERT INTO \(rows) VALUES(?1)")
    try statement.bind(text: try change[0].text() ?? "", at: 1)
    while try statement.step() {}
    return connection.lastInsertRowID
  }

  func destroy() throws(SQLError) { try connection.execute("DROP TABLE \(rows)") }
}

private final class ShadowedCursor: VirtualTableCursor {
  private let statement: Statement
  private var isDone = false

  init(_ statement: Statement) { self.statement = statement }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    try statement.reset()
    isDone = !(try statement.step())
  }
  override func advance() throws(SQLError) { isDone = !(try statement.step()) }
  override var isAtEnd: Bool { isDone }
  override func rowid() throws(SQLError) -> Int64 { statement.columnInt64(0) }
  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) { try value.set(text: statement.columnText(1)) }
}
