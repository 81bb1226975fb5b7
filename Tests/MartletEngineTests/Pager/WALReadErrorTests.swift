import TestSupport
import Testing

@testable import MartletEngine

/// Reads in WAL mode that fail while they begin.
@Suite struct WALReadErrorTests {
  private static let contents =
    "SELECT sum(a), (SELECT sum(b) FROM t INDEXED BY tb WHERE b > 0), count(*) FROM t NOT INDEXED"

  @Test func `what is read behind an error is the last commit`() throws {
    let directory = try TemporaryDirectory()
    let vfs = FaultVFS(PosixVFS(), name: "WAL read errors")
    VFSRegistry.register(vfs)
    defer { VFSRegistry.unregister(vfs) }
    let other = try Connection(path: directory("a.db"))
    try other.execute(
      """
      PRAGMA journal_mode = WAL; CREATE TABLE t(a, b); CREATE INDEX tb ON t(b);
      INSERT INTO t VALUES(1, 1), (2, 20), (3, 300)
      """)
    let connection = try Connection(path: directory("a.db"), vfs: vfs.name)
    var number = 1, isFailing = true
    while isFailing {
      _ = try connection.rows(Self.contents)
      try other.execute("UPDATE t SET a = a + 1, b = b + 1000")
      vfs.fail([.lock, .map], at: number)
      _ = try? connection.rows(Self.contents)
      isFailing = vfs.stopFailing() > 0
      #expect(try connection.rows(Self.contents) == other.rows(Self.contents), "call \(number)")
      #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
      number += 1
    }
    #expect(number > 2)
  }
}
