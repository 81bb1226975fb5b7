import MartletEngine
import MartletSearch
import TestSupport
import Testing

/// Shadow tables with what no FTS5 writes: rows or errors, but no trap and no hang.
struct FTS5DamageTests {
  private static let questions = [
    "SELECT rowid, rank FROM t('abc') ORDER BY rank", "SELECT rowid FROM t('a* OR c* NOT e')",
    "SELECT highlight(t, 0, '[', ']'), snippet(t, -1, '<', '>', '…', 5) FROM t('g* AND a*')",
    "SELECT * FROM t WHERE rowid > 20", "SELECT rowid FROM t('NEAR(a* c*)') ORDER BY rowid DESC",
    "INSERT INTO t(t) VALUES('integrity-check')", "PRAGMA integrity_check",
    "INSERT INTO t(t) VALUES('optimize')", "INSERT INTO t(t, rank) VALUES('merge', -30)",
    "INSERT INTO t(a, b) VALUES('abc def', 'ghi')", "DELETE FROM t WHERE rowid % 4 = 1",
    "UPDATE t SET a = 'x y z abc' WHERE rowid % 5 = 2", "SELECT count(*), sum(cnt) FROM v",
    "SELECT term, doc, col, offset FROM i WHERE term > 'c' LIMIT 50",
  ]

  /// Runs a statement, which may fail, but not for ever.
  private func run(_ sql: String, _ connection: Connection) {
    let begin = ProcessorTime.now
    do {
      _ = try connection.printed(sql)
    } catch let error as SQLError {
      let expected: [ResultCode] = [.corrupt, .constraint, .error, .tooBig, .outOfMemory, .full]
      #expect(expected.contains(error.code.primary), "\(error) of \(sql)")
    } catch {
      Issue.record("\(error)")
    }
    #expect(ProcessorTime.now - begin < .seconds(30), "\(sql) hangs")
  }

  private func damage(_ work: inout FTS5Work) -> String {
    let row = "(SELECT id FROM t_data ORDER BY id LIMIT 1 OFFSET \(work.number(30)))"
    let position = work.number(3) == 0 ? 1 + work.number(8) : 1 + work.number(200)
    let bytes = (0..<(1 + work.number(6))).map { _ in
      let byte = [0, 1, 2, 0xff, 0x7f, 0x80, work.number(256)][work.number(7)]
      return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    let patched =
      "CAST(substr(block, 1, \(position - 1)) || x'\(bytes)' || substr(block, "
      + "\(position + bytes.utf8.count / 2)) AS BLOB)"
    switch work.number(12) {
    case 0: return "UPDATE t_data SET block = zeroblob(\(work.number(300))) WHERE id = \(row)"
    case 1: return "DELETE FROM t_data WHERE id = \(row)"
    case 2: return "UPDATE t_idx SET pgno = \(work.number(90)) WHERE pgno = \(2 * work.number(20))"
    case 3: return "DELETE FROM t_idx WHERE pgno = \(2 * work.number(20))"
    case 4: return "UPDATE t_data SET block = (SELECT block FROM t_data WHERE id = \(row))"
    case 5: return "UPDATE t_data SET block = \(patched) WHERE id = 10"
    case 6: return "UPDATE t_docsize SET sz = x'\(bytes)' WHERE id % 7 = 3"
    case 7: return "UPDATE t_data SET block = substr(block, 1, \(position)) WHERE id = \(row)"
    default: return "UPDATE t_data SET block = \(patched) WHERE id = \(row)"
    }
  }

  @Test(arguments: 0..<12)
  func `damaged blocks are errors or rows`(seed: Int) throws {
    var work = FTS5Work(seed: UInt64(seed) + 5)
    let options = FTS5AlternatingTests.options[seed % FTS5AlternatingTests.options.count]
    for _ in 0..<15 {
      let connection = try Connection.search()
      try connection.execute(FTS5Work.schema(options, pageSize: 32 + work.number(100)))
      try connection.execute(
        """
        CREATE VIRTUAL TABLE v USING fts5vocab(t, row);
        CREATE VIRTUAL TABLE i USING fts5vocab(t, instance);
        """)
      for _ in 0..<8 { run(work.change(), connection) }
      for _ in 0..<(1 + work.number(3)) { run(damage(&work), connection) }
      if work.number(2) == 0 { connection.disconnectVirtualTables() }
      for _ in 0..<8 { run(Self.questions[work.number(Self.questions.count)], connection) }
    }
  }
}
