import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// One of our processes and one of C's that write to one file at the same time.
/// `MARTLET_WRITING_SECONDS` says for how long.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct TwoWritersTests {
  static let seconds =
    Double(ProcessInfo.processInfo.environment["MARTLET_WRITING_SECONDS"] ?? "") ?? 4

  /// Every transaction adds 1 to a counter that it read before, and a row to a log: an update that
  /// is lost shows in the counter, one that is half done in the log.
  static func transaction(of writer: String) -> String {
    """
    BEGIN IMMEDIATE;
    UPDATE counter SET n = n + 1, last = '\(writer)';
    INSERT INTO log(writer, n) SELECT '\(writer)', n FROM counter;
    DELETE FROM log WHERE id < (SELECT max(id) FROM log) - 500;
    COMMIT;
    """
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST"])
  func `no update is lost and nobody waits for ever`(journalMode: String) throws {
    let directory = try TemporaryDirectory()
    let path = directory("shared.db")
    let oracle = try OracleShell(path)
    try oracle.run(
      """
      PRAGMA journal_mode = \(journalMode);
      CREATE TABLE counter(n INT, last TEXT); INSERT INTO counter VALUES(0, '');
      CREATE TABLE log(id INTEGER PRIMARY KEY, writer TEXT, n INT);
      CREATE INDEX log_n ON log(n);
      .timeout 20000
      """)
    let connection = try Connection(path: path)
    connection.busyTimeout = 20_000
    try connection.execute("PRAGMA journal_mode = \(journalMode)")
    let batch = String(repeating: Self.transaction(of: "c") + "\n", count: 20)
    var ours = 0, theirs = 0
    let end = Date(timeIntervalSinceNow: Self.seconds / 3)
    while Date() < end {
      try oracle.start(batch)
      for _ in 0..<20 {
        try connection.execute(Self.transaction(of: "martlet"))
        ours += 1
      }
      #expect(try oracle.finish() == "")
      theirs += 20
    }
    #expect(try oracle.run("SELECT n FROM counter;") == "\(ours + theirs)\n")
    #expect(try connection.integer("SELECT n FROM counter") == Int64(ours + theirs))
    let total = ours + theirs
    #expect(
      try oracle.run("SELECT max(n), count(*) FROM log;") == "\(total)|\(min(total, 501))\n")
    #expect(try oracle.run("PRAGMA integrity_check;") == "ok\n")
  }
}
