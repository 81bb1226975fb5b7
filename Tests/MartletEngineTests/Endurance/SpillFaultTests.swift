import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Statements whose work goes on in temporary files, in which the n-th call fails, for every n, or
/// whose disk is full from then on.
@Suite struct SpillFaultTests {
  static let statements = [
    "INSERT INTO u SELECT a, b FROM t ORDER BY b DESC, a",
    "INSERT INTO u SELECT DISTINCT a % 170, b FROM t",
    "INSERT INTO u SELECT a % 90, group_concat(b) FROM t GROUP BY 1",
    "INSERT INTO u SELECT c, b FROM t EXCEPT SELECT c, b FROM t WHERE a % 3 = 0",
    "INSERT INTO u SELECT x.a, y.b FROM t x JOIN t y ON x.c = y.d",
    """
    INSERT INTO u WITH RECURSIVE n(x, y) AS (
      SELECT 1, 1 UNION SELECT x + 1, x * 7 % 101 FROM n WHERE x < 200
      UNION SELECT x + 2, x * 11 % 103 FROM n WHERE x < 90 ORDER BY 2)
    SELECT x, y FROM n
    """,
    "INSERT INTO u SELECT a, max(b) OVER (PARTITION BY a % 2 ORDER BY c ROWS 9 PRECEDING) FROM t",
    "CREATE INDEX t_b ON t(b, a)",
  ]

  private static let setUp = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT, d INT);
    CREATE TABLE u(x, y);
    INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      SELECT i, 'row number ' || (i * 7919 % 307), i * 31 % 101, i * 17 % 103 FROM n;
    """

  private static let contents = """
    SELECT * FROM t
    SELECT * FROM u
    SELECT sql FROM sqlite_schema
    PRAGMA integrity_check
    """

  @Test(arguments: statements, [false, true])
  func `when any call fails there is an error, and the database is as before`(
    statement: String, isDiskFull: Bool
  ) throws {
    let directory = try TemporaryDirectory(), path = directory("a.db")
    try Connection(path: path).execute(Self.setUp)
    let original = try Data(contentsOf: URL(fileURLWithPath: path))
    let old = try AlternatingEnginesTests.rows(Connection(path: path), Self.contents)
    var new: String?
    let vfs = FaultVFS(PosixVFS(), name: "spill-\(UUID().uuidString)")
    VFSRegistry.register(vfs, asDefault: false)
    defer { VFSRegistry.unregister(vfs) }
    var number = 1, hasFailed = true, temporaryFileCount = 0
    while hasFailed {
      try original.write(to: URL(fileURLWithPath: path))
      let connection = try Connection(
        path: "file:\(path)?vfs=\(vfs.name)", flags: [.readWrite, .uri])
      connection.workMemoryLimit = 5_000
      _ = try connection.rows("SELECT count(*) FROM t")
      let opened = vfs.count(of: .open)
      vfs.fail(
        isDiskFull ? [.write] : [.open, .read, .write], at: number, isLasting: isDiskFull,
        code: isDiskFull ? .full : nil)
      var failure: SQLError?
      do { try connection.execute(statement) } catch { failure = error }
      hasFailed = vfs.stopFailing() > 0
      temporaryFileCount = vfs.count(of: .open) - opened
      let comment: Comment = "call \(number)"
      let image = try AlternatingEnginesTests.rows(connection, Self.contents)
      if failure != nil {
        #expect(image == old, comment)
        // The same connection can do it once the disk is well.
        try connection.execute(statement)
        let again = try AlternatingEnginesTests.rows(connection, Self.contents)
        #expect(new == nil || again == new, comment)
        new = again
        if isDiskFull { #expect(failure?.code.primary == .full, comment) }
      } else if !hasFailed {
        #expect(new == nil || image == new, comment)
      }
      try connection.close()
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.db"])
      // Faults far from each other are enough where there are many.
      number += number < 60 ? 1 : number / 12
    }
    #expect(temporaryFileCount > 1, "a journal, and a file for what does not fit into memory")
  }
}
