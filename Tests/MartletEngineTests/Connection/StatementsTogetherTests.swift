import TestSupport
import Testing

@testable import MartletEngine

/// Several statements open on one connection (lang_transaction §2.3).
@Suite struct StatementsTogetherTests {
  private let directory: TemporaryDirectory
  private let connection: Connection

  /// `t` has the rows 1 to 6 with a text of that many letters.
  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory("test.db"))
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b);
      INSERT INTO t VALUES (1,'a'),(2,'bb'),(3,'ccc'),(4,'dddd'),(5,'eeeee'),(6,'ffffff');
      """)
  }

  private func reader(_ sql: String = "SELECT a, b FROM t") throws -> Statement {
    let statement = try connection.prepare(sql)
    #expect(try statement.step())
    return statement
  }

  private func rest(_ statement: Statement) throws -> [Int64] {
    var values: [Int64] = []
    while try statement.step() { values.append(statement.columnInt64(0)) }
    return values
  }

  @Test func `a reader goes on across COMMIT and keeps its row`() throws {
    let reader = try reader()
    try connection.execute("BEGIN; UPDATE t SET b = upper(b); DELETE FROM t WHERE a = 3; COMMIT")
    #expect(reader.columnText(1) == "a")
    #expect(try reader.step())
    #expect(reader.columnText(1) == "BB")
    #expect(try rest(reader) == [4, 5, 6])
    #expect(connection.transactionState() == .some(.none))
  }

  @Test func `a reader goes on across ROLLBACK`() throws {
    try connection.execute("BEGIN; DELETE FROM t WHERE a > 2; UPDATE t SET b = 'new'")
    let reader = try reader()
    #expect(reader.columnText(1) == "new")
    try connection.execute("ROLLBACK")
    #expect(reader.columnText(1) == "new")
    #expect(try rest(reader) == [2, 3, 4, 5, 6])
  }

  @Test func `a reader goes on across ROLLBACK TO`() throws {
    try connection.execute("BEGIN; SAVEPOINT s; DELETE FROM t WHERE a % 2 = 0")
    let reader = try reader()
    #expect(try reader.step())
    #expect(reader.columnText(1) == "ccc")
    try connection.execute("ROLLBACK TO s")
    #expect(reader.columnText(1) == "ccc")
    #expect(try rest(reader) == [4, 5, 6])
    try connection.execute("COMMIT")
  }

  @Test(arguments: ["ROLLBACK", "ROLLBACK TO s"])
  func `a rollback of the schema ends readers`(rollback: String) throws {
    try connection.execute("BEGIN; SAVEPOINT s; CREATE TABLE u(x)")
    let reader = try reader()
    try connection.execute(rollback)
    #expect(reader.columnText(1) == "a")
    #expect(reader.failure() == SQLError(.abortRollback))
    #expect(try connection.integer("SELECT count(*) FROM t") == 6)
  }

  @Test(arguments: [
    "ALTER TABLE t RENAME COLUMN b TO a", "ALTER TABLE t ADD COLUMN c AS (nosuch)",
  ])
  func `a change whose text cannot be read does not end readers with ROLLBACK TO`(
    change: String
  ) throws {
    try connection.execute("BEGIN")
    let reader = try reader()
    #expect(connection.failure(change)?.message.hasPrefix("error in table t after ") == true)
    try connection.execute("SAVEPOINT s; ROLLBACK TO s")
    #expect(try rest(reader) == [2, 3, 4, 5, 6])
  }

  @Test func `rows that others change and delete are seen or skipped`() throws {
    let reader = try reader()
    try connection.execute("DELETE FROM t WHERE a IN (1, 2); INSERT INTO t VALUES (7, 'g')")
    #expect(reader.columnText(1) == "a")
    #expect(try rest(reader) == [3, 4, 5, 6, 7])
  }

  @Test(arguments: ["ASC", "DESC"])
  func `a reader of a table without rowids stands on its row when others have changed it`(
    order: String
  ) throws {
    try connection.execute(
      """
      CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID;
      INSERT INTO w VALUES (1, 5), (2, 5), (3, 5);
      """)
    for value in ["-1", "9", "'text'"] {
      let reader = try reader("SELECT a FROM w ORDER BY a \(order)")
      #expect(try reader.step())
      try connection.execute("UPDATE w SET b = \(value)")
      #expect(reader.columnInt64(0) == 2)
      #expect(try rest(reader) == [order == "ASC" ? 3 : 1])
    }
  }

  @Test func `a table is not dropped under a reader, and others may be made`() throws {
    let reader = try reader()
    for sql in ["DROP TABLE t", "BEGIN; DROP TABLE t"] {
      #expect(connection.failure(sql) == SQLError(.locked))
    }
    try connection.execute("CREATE TABLE u(x); INSERT INTO u SELECT a FROM t; COMMIT")
    #expect(try rest(reader) == [2, 3, 4, 5, 6])
    try connection.execute("DROP TABLE t")
    #expect(reader.failure()?.message == "no such table: t")
  }

  @Test func `a statement that counts no database is no reader`() throws {
    let constant = try connection.prepare("VALUES (1), (2)")
    #expect(try constant.step())
    try connection.execute("DROP TABLE t")
    #expect(try constant.step())
    #expect(connection.transactionState() == .some(.none))
  }

  @Test func `statements are prepared again when the schema has changed`() throws {
    let all = try connection.prepare("SELECT * FROM t WHERE a = 1")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    #expect(try all.step())
    try all.reset()
    try connection.execute("CREATE INDEX i ON t(b)")
    try insert.bind(7, at: 1)
    try insert.bind(text: "g", at: 2)
    #expect(try !insert.step())
    #expect(try connection.integer("SELECT a FROM t WHERE b = 'g'") == 7)
    try connection.execute("DROP TABLE t; CREATE TABLE t(a, b, c); INSERT INTO t VALUES (1, 2, 3)")
    #expect(try all.step())
    #expect(all.columnCount == 3)
    #expect(insert.failure()?.message == "table t has 3 columns but 2 values were supplied")
  }

  @Test func `the count of changes is that of the last statement that changed rows`() throws {
    #expect(connection.changes == 6 && connection.totalChanges == 6)
    try connection.execute("UPDATE t SET b = 'x' WHERE a < 3; CREATE TABLE u(x UNIQUE); BEGIN")
    #expect(connection.changes == 2 && connection.totalChanges == 8)
    #expect(connection.failure("INSERT INTO u VALUES (1), (2), (1)")?.code == .constraintUnique)
    #expect(connection.changes == 0 && connection.totalChanges == 8)
    #expect(
      connection.failure("INSERT OR FAIL INTO u VALUES (1), (2), (1)")?.code == .constraintUnique)
    #expect(connection.changes == 2 && connection.totalChanges == 10)
    try connection.execute("ROLLBACK; SELECT * FROM t")
    #expect(connection.changes == 2 && connection.totalChanges == 10)
  }

  @Test func `a transaction survives a reader that another writer would wait for`() throws {
    let other = try Connection(path: directory("test.db"))
    let reader = try other.prepare("SELECT a FROM t")
    #expect(try reader.step())
    try connection.execute("BEGIN; DELETE FROM t")
    #expect(connection.failure("COMMIT") == SQLError(.busy))
    #expect(connection.isInTransaction)
    #expect(try rest(reader) == [2, 3, 4, 5, 6])
    try connection.execute("COMMIT")
    #expect(try other.integer("SELECT count(*) FROM t") == 0)
  }

  @Test func `RETURNING that is left half-way has made its changes`() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (7, 'g'), (8, 'h') RETURNING a")
    #expect(try insert.step())
    #expect(connection.failure("SAVEPOINT s")?.code == .busy)
    try connection.execute("BEGIN")
    #expect(connection.failure("COMMIT")?.code == .busy)
    try connection.execute("ROLLBACK")
    #expect(try rest(insert) == [8])
    #expect(try connection.integer("SELECT count(*) FROM t") == 6)
    let again = try connection.prepare("INSERT INTO t VALUES (7, 'g'), (8, 'h') RETURNING a")
    #expect(try again.step())
    try again.reset()
    #expect(try connection.integer("SELECT count(*) FROM t") == 8)
  }

  @Test func `a savepoint of a failed statement leaves the readers beside it alone`() throws {
    try connection.execute("CREATE UNIQUE INDEX i ON t(b)")
    let reader = try reader()
    #expect(
      connection.failure("UPDATE t SET b = 'same', a = a + 100")?.code == .constraintUnique)
    #expect(reader.columnText(1) == "a")
    #expect(try rest(reader) == [2, 3, 4, 5, 6])
  }
}
