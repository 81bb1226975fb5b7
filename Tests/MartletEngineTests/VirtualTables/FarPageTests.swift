import Testing

@testable import MartletEngine

/// sqlite_dbpage takes pages far behind the end of a database, where those between are nobody's,
/// and first pages that are none.
@Suite struct FarPageTests {
  @Test(arguments: ["DELETE", "MEMORY"])
  func `a page far away takes no time, and goes with a rollback`(mode: String) throws {
    let connection = try Connection(path: "")
    try connection.execute(
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = \(mode); PRAGMA cache_size = 10;
      CREATE TABLE t(a, b); INSERT INTO t VALUES(1, zeroblob(700));
      """)
    let count = try connection.rows("PRAGMA page_count")
    for page in [100_000, 2_000_000_000, 4_294_960_000] {
      try connection.execute(
        """
        BEGIN; INSERT INTO sqlite_dbpage(pgno, data) VALUES(\(page), randomblob(512));
        SAVEPOINT s; UPDATE t SET b = zeroblob(3000);
        """)
      #expect(try connection.rows("PRAGMA page_count") != count)
      #expect(
        try connection.rows(
          """
          SELECT length(data), data = zeroblob(512) FROM sqlite_dbpage
            WHERE pgno IN (\(page), \(page - 1)) ORDER BY pgno
          """) == ["512|1", "512|0"])
      try connection.execute("ROLLBACK TO s; ROLLBACK")
      #expect(try connection.rows("PRAGMA page_count") == count)
      #expect(try connection.rows("SELECT a, length(b) FROM t") == ["1|700"])
      #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
    }
    let far = "INSERT INTO sqlite_dbpage(pgno, data) VALUES(4294967295, zeroblob(512))"
    #expect(connection.failure(far)?.code == .full)
    try connection.execute(
      "INSERT INTO sqlite_dbpage(pgno, data) VALUES(3000, randomblob(512)); VACUUM")
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
    #expect(try connection.rows("SELECT a, length(b) FROM t") == ["1|700"])
  }

  /// The bytes stand for no text at the beginning, for other sizes of pages, and for too much that
  /// is reserved of each.
  @Test(
    arguments: [(0, "58"), (16, "0001"), (16, "0400"), (20, "08"), (20, "40")], ["", ":memory:"])
  func `a private database keeps its header`(change: (Int, String), path: String) throws {
    let connection = try Connection(path: path)
    try connection.execute(
      "PRAGMA page_size = 512; CREATE TABLE t(a, b); INSERT INTO t VALUES(1, zeroblob(3000))")
    let (offset, bytes) = change
    let update = """
      UPDATE sqlite_dbpage SET data = CAST(substr(data, 1, \(offset)) || x'\(bytes)'
        || substr(data, \(offset + bytes.utf8.count / 2 + 1)) AS BLOB) WHERE pgno = 1
      """
    #expect(connection.failure(update)?.code == .notADatabase)
    try connection.execute("BEGIN; \(update); INSERT INTO t VALUES(2, zeroblob(9000))")
    #expect(connection.failure("COMMIT")?.code == .notADatabase)
    #expect(try connection.rows("SELECT a, length(b) FROM t") == ["1|3000"])
    try connection.execute("INSERT INTO t VALUES(3, zeroblob(9000))")
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }
}
