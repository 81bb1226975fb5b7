import MartletEngine
import MartletSearch
import TestSupport
import Testing

/// Shadow tables with what no FTS4 table writes: rows or errors, but no trap and no hang.
struct FTS4DamageTests {
  private static let questions = [
    "SELECT count(*), max(offsets(t)) FROM t WHERE t MATCH 'apple'",
    "SELECT docid, snippet(t) FROM t WHERE t MATCH 'ap* OR \"the of\"' ORDER BY docid DESC",
    "SELECT matchinfo(t, 'pcnalsxyb') FROM t WHERE t MATCH 'the NEAR/3 of OR (one AND NOT two)'",
    "SELECT matchinfo(t, 'pcnalsxyb') FROM t WHERE t MATCH '(the NEAR/3 o*) OR ^one'",
    "SELECT * FROM t", "SELECT * FROM x", "SELECT * FROM x WHERE term > 'c'",
    "PRAGMA integrity_check", "INSERT INTO t(a, b) VALUES('apple of the', 'grape')",
    "DELETE FROM t WHERE docid % 4 = 1", "UPDATE t SET a = a || ' apple' WHERE docid % 5 = 2",
    "INSERT INTO t(t) VALUES('merge=20,2')", "INSERT INTO t(t) VALUES('merge=1,2')",
    "INSERT INTO t(t) VALUES('optimize')", "INSERT INTO t(t) VALUES('integrity-check')",
    "INSERT INTO t(t) VALUES('rebuild')", "DELETE FROM t",
  ]

  /// Runs a statement, which may fail, but not for ever.
  private func run(_ sql: String, _ connection: Connection) throws {
    let deadline = ProcessorTime.now + .seconds(20)
    connection.setProgressHandler(every: 1_000) { ProcessorTime.now > deadline }
    do {
      _ = try connection.printed(sql)
    } catch let error as SQLError {
      let expected: [ResultCode] = [.corrupt, .constraint, .error, .tooBig, .outOfMemory, .full]
      #expect(expected.contains(error.code.primary), "\(error) of \(sql)")
    }
    #expect(ProcessorTime.now < deadline, "\(sql) hangs")
  }

  private func bytes(_ work: inout FTS4Work, _ count: Int) -> String {
    (0..<count).map { _ in
      let byte = [0, 1, 2, 0xff, 0x7f, 0x80, work.number(256)][work.number(7)]
      return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  private func damage(_ work: inout FTS4Work) -> String {
    let segment = "(SELECT rowid FROM t_segdir LIMIT 1 OFFSET \(work.number(6)))"
    let block = "(SELECT blockid FROM t_segments LIMIT 1 OFFSET \(work.number(30)))"
    let position = 1 + work.number(work.number(3) == 0 ? 6 : 460)
    let count = 1 + work.number(8)
    func patch(_ column: String, _ new: String) -> String {
      """
      CAST(substr(\(column), 1, \(position - 1)) || x'\(new)'
      || substr(\(column), \(position + count)) AS BLOB)
      """
    }
    let new = bytes(&work, count)
    let number = [0, 1, 2, 5, -1, 1_000, 4_611_686_018_427_387_904][work.number(7)]
    switch work.number(14) {
    case 0: return "UPDATE t_segments SET block = NULL WHERE blockid = \(block)"
    case 1: return "DELETE FROM t_segments WHERE blockid = \(block)"
    case 2: return "UPDATE t_segdir SET leaves_end_block = \(number) WHERE rowid = \(segment)"
    case 3: return "UPDATE t_segdir SET start_block = \(number) WHERE rowid = \(segment)"
    case 4: return "UPDATE t_segdir SET end_block = '\(number) \(number)' WHERE rowid = \(segment)"
    case 5: return "UPDATE t_stat SET value = x'\(new)' WHERE id = \(work.number(3))"
    case 6: return "UPDATE t_docsize SET size = x'\(new)' WHERE docid % 3 = 1"
    case 7: return "UPDATE t_segdir SET level = \(work.number(4)) WHERE rowid = \(segment)"
    case 8: return "REPLACE INTO t_stat VALUES(1, x'\(new)')"
    case 9, 10: return "UPDATE t_segdir SET root = \(patch("root", new)) WHERE rowid = \(segment)"
    case 11: return "DELETE FROM t_content WHERE docid % 7 = \(work.number(7))"
    default: return "UPDATE t_segments SET block = \(patch("block", new)) WHERE blockid = \(block)"
    }
  }

  @Test(arguments: 0..<8)
  func `damaged segments are errors or rows`(seed: Int) throws {
    var work = FTS4Work(seed: UInt64(seed) + 77)
    for _ in 0..<25 {
      let connection = try Connection.search()
      try connection.execute("PRAGMA page_size = 512")
      try connection.execute("CREATE VIRTUAL TABLE t USING fts4(a, b, prefix=2)")
      try connection.execute("CREATE VIRTUAL TABLE x USING fts4aux(t)")
      for _ in 0..<40 {
        try connection.execute("INSERT INTO t(a, b) VALUES(\(work.text()), \(work.text()))")
      }
      if work.number(2) == 0 { try connection.execute("INSERT INTO t(t) VALUES('merge=4,2')") }
      for _ in 0..<(1 + work.number(3)) { try run(damage(&work), connection) }
      for _ in 0..<8 {
        try run(Self.questions[work.number(Self.questions.count)], connection)
      }
    }
  }

  @Test(arguments: ["NEAR", "NOT", "AND", "OR"])
  func `a query of very many terms is an error`(word: String) throws {
    let connection = try Connection.search()
    try connection.execute("CREATE VIRTUAL TABLE t USING fts4(a); INSERT INTO t VALUES('a')")
    let statement = try connection.prepare("SELECT * FROM t WHERE t MATCH ?")
    let query = "a" + String(repeating: " \(word) a", count: 300_000)
    try statement.bind(text: query, at: 1)
    #expect(throws: SQLError.self) { try statement.step() }
  }

  @Test func `a place that a list says very often is compared once`() throws {
    let connection = try Connection.search()
    try connection.execute(
      """
      CREATE VIRTUAL TABLE t USING fts4(a);
      INSERT INTO t_segdir VALUES(0, 0, 0, 0, 0, CAST(x'00016182b51801'
        || replace(hex(zeroblob(400000)), '00', char(2)) || x'00' AS BLOB))
      """)
    try run("SELECT docid FROM t WHERE t MATCH 'a NEAR a'", connection)
  }

  @Test func `an index whose levels are all full is an error`() throws {
    let connection = try Connection.search()
    try connection.execute(
      """
      CREATE VIRTUAL TABLE t USING fts4(a);
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO t_segdir SELECT i, 20, 0, 0, 0, x'00016103010200' FROM n
      """)
    let error = #expect(throws: SQLError.self) {
      try connection.execute("INSERT INTO t VALUES('b')")
    }
    #expect(error?.code.primary == .corrupt)
  }
}
