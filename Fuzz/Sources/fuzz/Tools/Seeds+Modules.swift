import MartletEngine
import MartletSession

/// Inputs about what the modules keep: shadow tables and changesets.
extension Seeds {
  /// The statements on sound tables, and on some with rows that are replaced by the same.
  static func searches(_ add: ([UInt8]) -> Void) {
    for (number, probes) in SearchProbes.all.enumerated() {
      let base = SearchTarget.bases[number]
      for (index, probe) in probes.enumerated() {
        let row = index * 7 % base.rows.count
        let rows = [[], [base.rows[row]], [base.rows[row], base.rows[(row + 20) % base.rows.count]]]
        for rows in rows {
          add(Parts([[UInt8(number)], ShadowRow.bytes(of: rows), Array(probe.utf8)]).bytes)
        }
      }
    }
  }

  private static let changes = [
    "INSERT INTO t VALUES(500, 'new', 1.5, x'00ff'), (501, NULL, NULL, NULL)",
    "UPDATE t SET b = b || 'x', c = NULL WHERE a < 30",
    "DELETE FROM t WHERE a > 40; DELETE FROM w WHERE k = 1",
    "INSERT OR REPLACE INTO w VALUES(2, 'TEXT', -1); UPDATE w SET x = x + 1 WHERE k > 3",
    "UPDATE x SET a = a + 1, b = b || 'z'; DELETE FROM x WHERE c = 2; INSERT INTO x(a) VALUES(9)",
    "UPDATE y SET k = k + 1000; INSERT INTO y VALUES(x'01', 3, NULL), (2.5, 6, 7)",
    "INSERT INTO s(n) VALUES(9223372036854775807), (zeroblob(40)); DELETE FROM s WHERE i = 2",
    "DELETE FROM y; DELETE FROM t WHERE a IN (3, 6, 9); INSERT INTO t(a, b) VALUES(3, 'again')",
  ]

  static func changesets(_ add: ([UInt8]) -> Void) {
    let all = changes.flatMap { sql in [false, true].map { recorded(sql, isPatchset: $0) } }
    for (index, first) in all.enumerated() {
      for step in [2, 5] {
        let second = all[(index + step) % all.count]
        let choices = [index * 3 & 31, step, index, 0, 1, 0x51, 2]
        add(Parts([choices.map { UInt8($0 & 0xff) }, first, second]).bytes)
      }
    }
  }

  private static func recorded(_ sql: String, isPatchset: Bool) -> [UInt8] {
    guard let connection = try? Connection(path: ":memory:") else { return [] }
    do throws(SQLError) {
      try connection.execute(ChangesTarget.schema)
      let session = MartletSession.Session(connection)
      session.attach(nil)
      try connection.execute(sql)
      return try isPatchset ? session.patchset().bytes : session.changeset().bytes
    } catch { fatalError("a seed cannot be made: \(error.message)") }
  }
}
