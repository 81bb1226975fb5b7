import Testing

@testable import MartletEngine

struct VacuumInterruptTests {
  @Test func `VACUUM stops where the progress handler wants it, and nothing has changed`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b);
      CREATE INDEX i ON t(b);
      WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 20000)
      INSERT INTO t SELECT x, hex(x * 7919) FROM c;
      DELETE FROM t WHERE a % 3 = 0
      """)
    let pagesBefore = try number("PRAGMA page_count", connection)
    nonisolated(unsafe) var callCount = 0
    connection.setProgressHandler(every: 1) {
      callCount += 1
      return callCount > 50
    }
    let error = #expect(throws: SQLError.self) { try connection.execute("VACUUM") }
    #expect(error?.code.primary == .interrupt)
    connection.setProgressHandler(every: 0) { false }
    #expect(try number("PRAGMA page_count", connection) == pagesBefore)
    try connection.execute("VACUUM")
    #expect(try number("PRAGMA page_count", connection) < pagesBefore)
    #expect(try number("SELECT count(*) FROM t", connection) == 13_334)
    let isWhole = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"
    #expect(try number(isWhole, connection) == 1)
  }

  private func number(_ sql: String, _ connection: Connection) throws -> Int64 {
    let statement = try connection.prepare(sql)
    _ = try statement.step()
    return statement.columnInt64(0)
  }
}
