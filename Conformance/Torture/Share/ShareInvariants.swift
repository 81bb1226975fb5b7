import Engines

/// The tables of the mix, and what every snapshot of them has in common, whatever is going on.
///
/// - `account`: transactions move amounts from one to another. `size` says what `pad` has to be.
/// - `bulk`: the `x` of each tag cancel out; rows come and go by the hundred.
/// - `log`: each commit of a writer adds the next number; those below `base.low` have been deleted.
enum ShareInvariants {
  static let accountCount = 300
  static let accountTotal = 30_000

  static let schema = """
    CREATE TABLE account(id INTEGER PRIMARY KEY, v INTEGER, size INTEGER, pad TEXT);
    CREATE INDEX account_v ON account(v);
    CREATE TABLE bulk(tag INTEGER, x INTEGER, pad TEXT);
    CREATE INDEX bulk_x ON bulk(tag, x);
    CREATE TABLE log(w INTEGER, n INTEGER);
    CREATE UNIQUE INDEX log_n ON log(w, n);
    CREATE TABLE base(w INTEGER PRIMARY KEY, low INTEGER)
    """

  /// A text of a size, which is not 0, as SQL.
  static func pad(_ size: String) -> String {
    "printf('%.*c', \(size), char(65 + (\(size)) % 26))"
  }

  private static let queries = [
    "SELECT sum(v), count(*) FROM account NOT INDEXED",
    "SELECT sum(v), count(*) FROM account INDEXED BY account_v WHERE v > -1000000000",
    """
    SELECT count(*) FROM account
    WHERE length(pad) <> size OR substr(pad, -1) <> char(65 + size % 26)
    """,
    "SELECT total(x), count(*) FROM bulk NOT INDEXED",
    "SELECT total(x), count(*) FROM bulk INDEXED BY bulk_x WHERE tag >= 0",
    "SELECT w, count(*), max(n) FROM log NOT INDEXED GROUP BY w",
    "SELECT w, count(*), max(n) FROM log INDEXED BY log_n WHERE w >= 0 GROUP BY w",
    "SELECT w, low FROM base ORDER BY w",
  ]

  /// The answers of the connection to all that is compared. To be asked in a transaction.
  static func snapshot(_ database: any Database) throws(EngineError) -> [[[Int64]]] {
    var answers: [[[Int64]]] = []
    for query in queries { answers.append(try database.integers(query)) }
    return answers
  }

  /// What is wrong with a snapshot; nil if it is sound.
  static func problem(_ answers: [[[Int64]]], acknowledged: [Int: Int64] = [:]) -> String? {
    let accounts = [[Int64(accountTotal), Int64(accountCount)]]
    if answers[0] != accounts { return "accounts by table: \(answers[0])" }
    if answers[1] != accounts { return "accounts by index: \(answers[1])" }
    if answers[2] != [[0]] { return "texts of the wrong size: \(answers[2])" }
    if answers[3].first?.first != 0 { return "bulk by table: \(answers[3])" }
    if answers[3] != answers[4] { return "bulk by table \(answers[3]), by index \(answers[4])" }
    if answers[5] != answers[6] { return "log by table \(answers[5]), by index \(answers[6])" }
    return logProblem(answers[5], answers[7], acknowledged)
  }

  private static func logProblem(
    _ log: [[Int64]], _ base: [[Int64]], _ acknowledged: [Int: Int64]
  ) -> String? {
    var last: [Int64: Int64] = [:]
    for entry in log {
      let low = base.first { $0[0] == entry[0] }?[1] ?? 1
      if entry[1] != entry[2] - low + 1 { return "the log \(entry) from \(low) on has a gap" }
      last[entry[0]] = entry[2]
    }
    for (writer, number) in acknowledged where last[Int64(writer), default: 0] < number {
      return "writer \(writer) has lost commits: \(last[Int64(writer), default: 0]), not \(number)"
    }
    return nil
  }
}

extension Database {
  func execute(_ sql: String) throws(EngineError) {
    _ = try run(sql, firstOnly: false) { _ in }
  }

  func integers(_ sql: String) throws(EngineError) -> [[Int64]] {
    var rows: [[Int64]] = []
    _ = try run(sql, firstOnly: true) { row in
      rows.append((0..<row.columnCount).map { row.integer($0) })
    }
    return rows
  }

  func texts(_ sql: String) throws(EngineError) -> [String] {
    var texts: [String] = []
    _ = try run(sql, firstOnly: true) { texts.append(String(decoding: $0.bytes(0), as: UTF8.self)) }
    return texts
  }
}
