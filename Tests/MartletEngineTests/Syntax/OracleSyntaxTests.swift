import Testing

@testable import MartletEngine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// C SQLite, loaded while the test runs, on one empty database.
private struct Oracle {
  typealias Prepare =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
      UnsafeMutableRawPointer?
    ) -> Int32
  typealias Message = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
  typealias Finalize = @convention(c) (OpaquePointer?) -> Int32

  let database: OpaquePointer?
  let prepare: Prepare, message: Message, finalize: Finalize

  static var folder: String? { getenv("MARTLET_ORACLE").map { String(cString: $0) } }

  init?() {
    typealias Open =
      @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
    guard let folder = Oracle.folder,
      let library = dlopen(folder + "/libsqlite3.so.0", RTLD_NOW),
      let open = dlsym(library, "sqlite3_open"),
      let prepare = dlsym(library, "sqlite3_prepare_v2"),
      let message = dlsym(library, "sqlite3_errmsg"),
      let finalize = dlsym(library, "sqlite3_finalize")
    else { return nil }
    var database: OpaquePointer?
    guard unsafeBitCast(open, to: Open.self)(":memory:", &database) == 0 else { return nil }
    self.database = database
    self.prepare = unsafeBitCast(prepare, to: Prepare.self)
    self.message = unsafeBitCast(message, to: Message.self)
    self.finalize = unsafeBitCast(finalize, to: Finalize.self)
  }

  /// The message of a syntax error; nil for no error or another.
  func syntaxError(_ sql: String) -> String? {
    var statement: OpaquePointer?
    let code = prepare(database, sql, -1, &statement, nil)
    _ = finalize(statement)
    guard code != 0, let pointer = message(database) else { return nil }
    let text = String(cString: pointer)
    return Oracle.isSyntax(text) ? text : nil
  }

  static func isSyntax(_ message: String) -> Bool {
    message.hasSuffix("syntax error") || message == "incomplete input"
      || message.hasPrefix("unrecognized token")
  }
}

@Suite(.enabled(if: Oracle.folder != nil, "MARTLET_ORACLE does not name the oracle's folder"))
struct OracleSyntaxTests {
  static let keywords = """
    ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN \
    BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS \
    CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED \
    DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS \
    EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS HAVING \
    IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL \
    JOIN KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF \
    OFFSET ON OR ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE \
    RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT \
    ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER \
    UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT
    """.split(separator: " ").map(String.init)

  @Test(arguments: [
    "%", "% x", "SELECT %", "SELECT 1 %", "SELECT 1 AS %", "SELECT %()", "SELECT t.%",
    "SELECT %.a", "SELECT a % b", "SELECT 1 COLLATE %", "SELECT * FROM %", "SELECT * FROM t %",
    "SELECT * FROM t % JOIN u", "SELECT * FROM t ORDER BY a %", "SELECT 1 FROM t WINDOW % AS ()",
    "SELECT sum(a) OVER % FROM t", "SELECT sum(a) OVER (%)", "SELECT cast(1 AS %)",
    "WITH % AS (SELECT 1) SELECT 1", "CREATE TABLE x(%)", "CREATE TABLE x(a %)",
    "CREATE TABLE x(a, %)", "CREATE TABLE x(a DEFAULT %)", "PRAGMA x = %", "SAVEPOINT %",
    "BEGIN %", "CREATE %", "INSERT INTO t(%) VALUES(1)", "UPDATE t SET % = 1", "DROP TABLE %",
    "ALTER TABLE t ADD %", "ATTACH 1 AS %",
  ])
  func `every keyword stands where it stands in SQLite`(pattern: String) throws {
    let oracle = try #require(Oracle())
    let parts = pattern.split(separator: "%", omittingEmptySubsequences: false)
    #expect(OracleSyntaxTests.keywords.count == 147)
    for keyword in OracleSyntaxTests.keywords {
      let sql = parts.joined(separator: keyword)
      let ours = parseError(sql)?.message
      #expect(ours.flatMap { Oracle.isSyntax($0) ? $0 : nil } == oracle.syntaxError(sql), "\(sql)")
    }
  }
}
