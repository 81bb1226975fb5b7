import TestSupport
import Testing

@testable import MartletEngine

/// Connections that change a schema under each other.
@Suite struct SharedSchemaTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [
    "SELECT a FROM t", "SELECT b FROM u", "INSERT INTO t VALUES (1)", "ALTER TABLE t ADD COLUMN x",
    "CREATE INDEX j ON t(a)", "DROP TABLE t", "DROP INDEX i", "DROP VIEW v", "REINDEX t",
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
    "BEGIN IMMEDIATE; ALTER TABLE t RENAME TO w; COMMIT",
  ])
  func `what another connection has made is found`(sql: String) throws {
    let first = try Connection(path: directory("x.db"))
    try first.execute("CREATE TABLE u(a)")
    #expect(try first.rows("SELECT * FROM u").isEmpty)
    let second = try Connection(path: directory("x.db"))
    try second.execute(
      """
      CREATE TABLE t(a); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT 1;
      ALTER TABLE u ADD COLUMN b
      """)
    #expect(first.failure(sql) == nil)
    #expect(first.readingDatabases == 0)
    #expect(first.failure("SELECT * FROM nowhere") == .sql("no such table: nowhere"))
  }

  @Test func `a database that was empty is found to have tables`() throws {
    let first = try Connection(path: directory("x.db"))
    #expect(try first.rows("SELECT * FROM sqlite_schema").isEmpty)
    try Connection(path: directory("x.db")).execute("CREATE TABLE t(a)")
    #expect(try first.rows("SELECT COUNT(*) FROM t") == ["0"])
  }

  /// Pragmas tell of the schema in memory.
  @Test(arguments: ["PRAGMA page_count", "VACUUM"])
  func `what looks at the whole file sees a new schema, also when it fails`(sql: String) throws {
    let first = try Connection(path: directory("x.db"))
    try first.execute("CREATE TABLE t(a)")
    let second = try Connection(path: directory("x.db"))
    #expect(try second.rows("PRAGMA index_list(t)").isEmpty)
    try first.execute("CREATE INDEX i ON t(a); BEGIN; SELECT * FROM t")
    let reader = try first.prepare("SELECT * FROM t")
    _ = try reader.step()
    #expect(second.failure(sql) == (sql == "VACUUM" ? SQLError(.busy) : nil))
    #expect(try second.rows("PRAGMA index_list(t)").count == 1)
  }
}
