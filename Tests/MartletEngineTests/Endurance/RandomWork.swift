import Foundation

@testable import MartletEngine

/// Statements that a seed decides, for databases that both engines change. What they leave does not
/// depend on the engine.
struct RandomWork {
  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed) }

  static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB);
    CREATE INDEX t_a ON t(a);
    CREATE INDEX t_b ON t(b COLLATE NOCASE, a DESC);
    CREATE TABLE w(k TEXT, n INT, v, PRIMARY KEY(k, n)) WITHOUT ROWID;
    CREATE UNIQUE INDEX w_n ON w(n, k) WHERE v IS NOT NULL;
    CREATE TABLE s(id INTEGER PRIMARY KEY AUTOINCREMENT, x REAL UNIQUE);
    """

  /// Rows of all tables, in an order that the schema decides.
  static let contents = """
    SELECT id, a, b, quote(c) FROM t ORDER BY id;
    SELECT k, n, quote(v) FROM w ORDER BY k, n;
    SELECT id, quote(x) FROM s ORDER BY id;
    SELECT name, seq FROM sqlite_sequence ORDER BY name;
    SELECT count(*), total(a) FROM t INDEXED BY t_a WHERE a > -1000;
    SELECT name FROM sqlite_schema ORDER BY name;
    """

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  /// A text, now and then longer than a page.
  private mutating func text() -> String {
    let length = random.hits(0.08) ? number(500..<6000) : number(0..<40)
    let letter = Character(UnicodeScalar(UInt8(97 + number(0..<26))))
    return "'\(String(repeating: letter, count: length))é\(number(0..<50))'"
  }

  /// One round: some statements, in a transaction or not, one a line.
  mutating func round() -> [String] {
    var lines = (0..<number(1..<12)).map { _ in statement() }
    if random.hits(0.5) {
      lines.insert("BEGIN;", at: 0)
      lines.append(random.hits(0.15) ? "ROLLBACK;" : "COMMIT;")
    } else if random.hits(0.2) {
      lines.append(schemaChange())
    }
    return lines.map { $0.replacingOccurrences(of: "\n", with: " ") }
  }

  private mutating func statement() -> String {
    switch number(0..<12) {
    case 0...2:
      return "INSERT INTO t(a, b, c) VALUES(\(number(-50..<50)), \(text()), zeroblob(\(number(0..<90))));"
    case 3:
      let count = number(1..<60)
      return """
        INSERT INTO t(a, b) SELECT a + 1, b || \(number(0..<9)) FROM t ORDER BY id LIMIT \(count);
        """
    case 4:
      return "INSERT OR REPLACE INTO w VALUES('k\(number(0..<40))', \(number(0..<9)), \(text()));"
    case 5:
      return """
        INSERT INTO w VALUES('k\(number(0..<60))', \(number(0..<9)), NULL)
        ON CONFLICT DO UPDATE SET v = coalesce(v, '') || 'x';
        """
    case 6: return "INSERT OR IGNORE INTO s(x) VALUES(\(number(0..<200)) / 4.0);"
    case 7: return "UPDATE t SET a = a + \(number(-3..<4)) WHERE a % 7 = \(number(0..<7));"
    case 8: return "UPDATE t SET b = \(text()) WHERE id % 11 = \(number(0..<11));"
    case 9: return "UPDATE w SET n = n + 10, v = n WHERE k = 'k\(number(0..<40))';"
    case 10:
      return "DELETE FROM t WHERE id % \(number(3..<20)) = 0 AND a > \(number(-20..<20));"
    default: return "DELETE FROM w WHERE k > 'k\(number(0..<9))' AND n = \(number(0..<20));"
    }
  }

  private mutating func schemaChange() -> String {
    switch number(0..<5) {
    case 0:
      return "DROP TABLE IF EXISTS x; CREATE TABLE x AS SELECT a, b FROM t WHERE a > 0;"
    case 1: return "DROP INDEX IF EXISTS t_c; CREATE INDEX t_c ON t(c, a);"
    case 2: return "DROP TABLE IF EXISTS x;"
    case 3: return "DROP INDEX IF EXISTS t_c;"
    default: return "DELETE FROM s; DELETE FROM t WHERE id > 150;"
    }
  }
}
