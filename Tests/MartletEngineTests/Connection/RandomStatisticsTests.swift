import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// ANALYZE of random tables by both engines, each with a copy of one file: the statistics are the
/// same row by row, the chosen samples included.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct RandomStatisticsTests {
  private static let statistics = [
    "SELECT rowid, tbl, idx, stat, typeof(stat) FROM sqlite_stat1",
    "SELECT rowid, tbl, idx, neq, nlt, ndlt, quote(sample) FROM sqlite_stat4",
  ]

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `both engines gather the same statistics`(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var script = RandomTables(seed: seed)
    try OracleShell(directory("theirs.db")).run(script.definitions())
    try FileManager.default.copyItem(
      atPath: directory("theirs.db"), toPath: directory("ours.db"))
    let oracle = try OracleShell(directory("theirs.db"))
    let connection = try Connection(path: directory("ours.db"))
    var done: [String] = []
    for _ in 0..<6 {
      let sql = script.analysis()
      done.append(sql)
      let expected = try oracle.run(sql + ";")
      let rows = try connection.rows(sql)
      #expect(lines(expected) == rows, "seed \(seed): \(done.joined(separator: "; "))")
      for query in Self.statistics {
        let expected = lines(try oracle.run(query + ";"))
        let rows = connection.failure(query) == nil ? try connection.rows(query) : expected
        try #require(rows == expected, "seed \(seed): \(done.joined(separator: "; "))")
      }
    }
    try connection.close()
    #expect(try OracleShell(directory("ours.db")).run("PRAGMA integrity_check;") == "ok\n")
  }

  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map(String.init).filter { !$0.contains("no such table") }
  }
}

/// Makes tables and indexes with values of varied skew.
private struct RandomTables {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  private mutating func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
  private mutating func pick(_ items: [String]) -> String { items[number(items.count)] }

  /// Small numbers are the more frequent, the larger `skew` is.
  private mutating func value(_ limit: Int, skew: Int) -> String {
    var value = number(limit)
    for _ in 0..<skew { value = value * number(limit) / limit }
    return switch number(9) {
    case 0: "NULL"
    case 1: "\(value).5"
    case 2: "'a\(value)'"
    case 3: "'A\(value) '"
    default: String(value)
    }
  }

  mutating func definitions() -> String {
    var sql = ["PRAGMA page_size = \(pick(["512", "4096"]));", "BEGIN;"]
    for table in 0..<3 {
      let isWithoutRowid = number(3) == 0
      let key = isWithoutRowid ? ", PRIMARY KEY(b, \(pick(["a", "c DESC"]))) ON CONFLICT IGNORE" : ""
      sql.append(
        """
        CREATE TABLE t\(table)(a \(pick(["", "INT", "REAL"])), b \(pick(["", "TEXT COLLATE NOCASE"])), \
        c \(pick(["", "UNIQUE ON CONFLICT IGNORE", "NOT NULL ON CONFLICT IGNORE"])), \
        d AS (a || b)\(key))\(isWithoutRowid ? " WITHOUT ROWID" : "");
        """)
      for index in 0..<(1 + number(3)) {
        let columns = pick(["a", "b, a", "c", "d", "a, b DESC, c", "length(b), a", "b COLLATE RTRIM"])
        let condition = pick(["", "", "", " WHERE a > 3", " WHERE c IS NULL"])
        sql.append("CREATE INDEX t\(table)i\(index) ON t\(table)(\(columns))\(condition);")
      }
      let limits = (0..<3).map { _ in [2, 10, 100, 1000][number(4)] }, skew = number(4)
      for _ in 0..<[0, 3, 40, 300, 1500][number(5)] {
        let values = limits.map { value($0, skew: skew) }.joined(separator: ", ")
        sql.append("INSERT INTO t\(table)(a, b, c) VALUES (\(values));")
      }
    }
    return (sql + ["COMMIT;"]).joined(separator: "\n")
  }

  mutating func analysis() -> String {
    switch number(10) {
    case 0...2: "ANALYZE"
    case 3: "ANALYZE t\(number(3))"
    case 4: "ANALYZE main.t\(number(3))i0"
    case 5: "PRAGMA analysis_limit = \(pick(["0", "1", "20", "200"]))"
    case 6: "DELETE FROM t\(number(3)) WHERE a % 3 = 0"
    case 7: "PRAGMA optimize(\(pick(["0x10002", "0x10012", "2"])))"
    case 8: "PRAGMA optimize(-1)"
    default: "INSERT OR IGNORE INTO t\(number(3))(a, b, c) VALUES (7, 'z', \(number(100_000)))"
    }
  }
}
