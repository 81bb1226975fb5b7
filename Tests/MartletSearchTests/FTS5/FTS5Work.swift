/// Seeded work on an FTS5 table: the same seed is the same work.
struct FTS5Work {
  private var state: UInt64
  private static let words = (0..<400).map { number in
    String(
      decoding: (0..<(2 + number % 7)).map { place in
        UInt8(97 + (number * 7 + place * (number % 5 + 3)) % 26)
      }, as: UTF8.self)
  }

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func number(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(limit))
  }

  /// Common words are more frequent.
  mutating func word() -> String {
    let limit = [3, 10, 40, 400][number(4)]
    return Self.words[number(limit)]
  }

  mutating func text(_ most: Int) -> String {
    (0..<number(most + 1)).map { _ in word() }.joined(separator: [" ", ". ", ", "][number(3)])
  }

  static func schema(_ options: String, pageSize: Int) -> String {
    """
    CREATE VIRTUAL TABLE t USING fts5(a, b\(options));
    INSERT INTO t(t, rank) VALUES('pgsz', \(pageSize));
    """
  }

  mutating func change() -> String {
    switch number(10) {
    case 0...4:
      let rows = (0..<(1 + number(6))).map { _ in
        "(\(number(2) == 0 ? "NULL" : "\(1 + number(300))"), '\(text(14))', '\(text(5))')"
      }
      return "INSERT OR REPLACE INTO t(rowid, a, b) VALUES\(rows.joined(separator: ","));"
    case 5: return "DELETE FROM t WHERE rowid % \(3 + number(20)) = 0;"
    case 6:
      let rest = number(9)
      return "UPDATE t SET a = '\(text(14))', b = '\(text(4))' WHERE rowid % 9 = \(rest);"
    case 7: return "INSERT INTO t(t, rank) VALUES('merge', \([-20, 5, 50, 500][number(4)]));"
    case 8 where number(4) == 0: return "INSERT INTO t(t) VALUES('optimize');"
    default: return "DELETE FROM t WHERE rowid = \(1 + number(300));"
    }
  }

  mutating func question() -> String {
    let query = [
      word(), "\(word()) \(word())", "\"\(word()) \(word())\"", "\(word().prefix(2))*",
      "NEAR(\(word()) \(word()), \(number(9)))", "\(word()) OR \(word()) NOT \(word())",
      "b : \(word())", "^ \(word())",
    ][number(8)]
    return "SELECT rowid, rank FROM t('\(query)') ORDER BY \(["rowid", "rank"][number(2)]);"
  }

  /// Changes in a transaction, and questions.
  mutating func round() -> String {
    var lines = ["BEGIN;"]
    for _ in 0..<(1 + number(5)) { lines.append(change()) }
    lines.append(number(6) == 0 ? "ROLLBACK;" : "COMMIT;")
    for _ in 0..<2 { lines.append(question()) }
    return lines.joined(separator: "\n")
  }

  /// All that the shadow tables have.
  static func contents(_ options: String) -> String {
    """
    SELECT id, quote(block) FROM t_data; SELECT segid, quote(term), pgno FROM t_idx;
    SELECT id, quote(sz)\(options.contains("contentless_delete") ? ", origin" : "") FROM t_docsize;
    SELECT k, v FROM t_config;
    """
  }
}
