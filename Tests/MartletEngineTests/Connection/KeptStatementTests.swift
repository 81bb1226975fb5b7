import TestSupport
import Testing

@testable import MartletEngine

/// Statements and programs that are kept while the schema changes.
@Suite struct KeptStatementTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(a TEXT, b); INSERT INTO t VALUES ('x', 2)")
  }

  /// The statements that change the schema, each of another kind.
  @Test(arguments: [
    "CREATE TABLE u(a)", "ALTER TABLE t ADD COLUMN c", "CREATE TEMP TABLE v(a)", "ANALYZE",
    "BEGIN; CREATE TABLE w(a); ROLLBACK",
  ])
  func `a statement that is kept keeps no earlier schema`(change: String) throws {
    weak var earlier: Schema?
    let kept = try connection.prepare("SELECT a AS name, b + ?1 FROM t")
    try kept.bind(40, at: 1)
    #expect(try kept.step())
    // The others are those that the caches have.
    for sql in ["SELECT b FROM t", "SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 2"] {
      _ = try connection.rows(sql)
    }
    try kept.reset()
    earlier = connection.catalog.databases[change.contains("TEMP") ? 1 : 0]
    #expect(earlier != nil)
    try connection.execute(change)
    _ = try connection.rows("SELECT 1")
    #expect(earlier == nil)

    #expect(kept.columnCount == 2)
    #expect(kept.columnName(0) == "name")
    #expect(kept.columnDeclaredType(0) == "TEXT")
    #expect(kept.columnOrigin(0)?.database == "main")
    #expect(kept.columnOrigin(0)?.column == "a")
    #expect(kept.isReadOnly)
    #expect(try kept.step())
    #expect(kept.columnText(0) == "x")
    #expect(kept.columnInt64(1) == 42)
    #expect(try !kept.step())
  }

  @Test func `a statement that runs keeps its schema until it ends`() throws {
    try connection.execute("INSERT INTO t VALUES ('y', 3), ('z', 4)")
    let kept = try connection.prepare("SELECT a FROM t ORDER BY b")
    #expect(try kept.step())
    weak let earlier = connection.catalog.databases[0]
    try connection.execute("CREATE TABLE u(a)")
    _ = try connection.rows("SELECT 1")
    #expect(earlier != nil)
    #expect(try kept.step())
    #expect(kept.columnText(0) == "y")
    #expect(try kept.step())
    #expect(try !kept.step())
    try kept.reset()
    try connection.execute("CREATE TABLE v(a)")
    _ = try connection.rows("SELECT 1")
    #expect(earlier == nil)
    #expect(try kept.step())
    #expect(kept.columnText(0) == "x")
  }

  /// What is bound is whatever was bound last, and a second change finds nothing to let go of.
  @Test func `a kept statement is bound and changed twice`() throws {
    let kept = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    try kept.bind(text: "p", at: 1)
    try connection.execute("CREATE TABLE u(a)")
    try connection.execute("CREATE TABLE v(a)")
    try kept.bind(7, at: 2)
    try connection.execute("ALTER TABLE t ADD COLUMN c DEFAULT 5")
    _ = try connection.rows("SELECT 1")
    #expect(connection.failure("DROP TABLE nothing") != nil)
    #expect(throws: SQLError.self) { try kept.step() }
    try connection.execute("ALTER TABLE t DROP COLUMN c")
    #expect(try !kept.step())
    #expect(try connection.rows("SELECT a, b FROM t WHERE b = 7") == ["p|7"])
  }
}
