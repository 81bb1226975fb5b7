import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Random scripts of transactions, savepoints and changes, on both engines, each with files of its
/// own: every statement gives the same rows or the same error, and the files hold the same.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct RandomTransactionTests {
  private static let schema = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c);
    CREATE INDEX i ON t(c);
    CREATE TABLE w(k PRIMARY KEY, v NOT NULL) WITHOUT ROWID;
    CREATE TABLE n(x);
    INSERT INTO n SELECT value FROM generate_series(0, 120);
    """

  @Test(arguments: [
    (seed: UInt64(1), pageSize: 512, cacheSize: 2000),
    (seed: 2, pageSize: 512, cacheSize: 10),
    (seed: 3, pageSize: 4096, cacheSize: 2000),
    (seed: 4, pageSize: 1024, cacheSize: 10),
  ])
  func `both engines do the same`(seed: UInt64, pageSize: Int, cacheSize: Int) throws {
    let directory = try TemporaryDirectory()
    for name in ["ours.db", "theirs.db", "ours2.db", "theirs2.db"] {
      let output = try OracleShell(directory(name)).run(
        "PRAGMA page_size = \(pageSize); \(Self.schema)")
      #expect(output == "")
    }
    let oracle = try OracleShell(directory("theirs.db"))
    let connection = try Connection(path: directory("ours.db"))
    for (attach, engine) in [("ours2.db", true), ("theirs2.db", false)] {
      let sql = "ATTACH '\(directory(attach))' AS aux; PRAGMA cache_size = \(cacheSize);"
      if engine { try connection.execute(sql) } else { try oracle.run(sql) }
    }
    var script = RandomScript(seed: seed)
    var recent: [String] = []
    for number in 0..<400 {
      let sql = script.next()
      recent.append(sql)
      let expected = try oracle.result(of: sql)
      let found = connection.result(of: sql)
      try #require(
        found == expected,
        "seed \(seed), statement \(number): \(recent.suffix(30).joined(separator: "; "))")
    }
    try? connection.execute("ROLLBACK")
    try connection.close()
    try oracle.run("ROLLBACK;")
    for (ours, theirs) in [("ours.db", "theirs.db"), ("ours2.db", "theirs2.db")] {
      let reader = try OracleShell(directory(ours))
      #expect(try reader.run("PRAGMA integrity_check;") == "ok\n")
      #expect(try reader.run(".dump") == OracleShell(directory(theirs)).run(".dump"))
    }
  }
}

/// Makes statements, some of which fail.
private struct RandomScript {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  private mutating func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
  private mutating func pick(_ items: [String]) -> String { items[number(items.count)] }

  mutating func next() -> String {
    switch number(23) {
    case 0: pick(["BEGIN", "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
    case 1: pick(["COMMIT", "COMMIT", "ROLLBACK"])
    case 2, 3: "SAVEPOINT \(savepoint())"
    case 4: "RELEASE \(savepoint())"
    case 5, 6: "ROLLBACK TO \(savepoint())"
    case 7...12: insertion()
    case 13, 14: update()
    case 15: "DELETE FROM \(schema())t WHERE a % \(number(9) + 4) = 1"
    case 16: "DELETE FROM \(schema())w WHERE k BETWEEN \(number(50)) AND \(number(80))"
    case 18, 19: definition()
    case 20: "INSERT INTO \(pick(["u", "tt", "temp.tt", "aux.u"])) SELECT x FROM n WHERE x < 9"
    case 21: "SELECT (SELECT count(*) FROM \(pick(["u", "aux.u"]))), count(*) FROM tt"
    case 17: "SELECT changes(), total_changes(), last_insert_rowid()"
    default:
      """
      SELECT (SELECT count(*) FROM \(schema())t), (SELECT sum(a * 7 + length(c)) FROM \(schema())t),
        (SELECT count(*) FROM \(schema())t WHERE c > 'm'), (SELECT sum(k * length(v)) FROM w)
      """
    }
  }

  private mutating func definition() -> String {
    pick([
      "CREATE TABLE u(x)", "CREATE TABLE aux.u(x)", "CREATE TEMP TABLE tt(x UNIQUE)",
      "DROP TABLE u", "DROP TABLE aux.u", "DROP TABLE IF EXISTS tt", "CREATE INDEX j ON t(b, c)",
      "CREATE INDEX aux.j ON t(c)", "DROP INDEX j", "DROP INDEX IF EXISTS aux.j",
      "CREATE VIEW tt AS SELECT a AS x FROM t", "DROP VIEW tt", "DELETE FROM u", "DELETE FROM tt",
    ])
  }

  private mutating func savepoint() -> String { pick(["a", "b", "A", "c"]) }
  private mutating func schema() -> String { pick(["", "", "aux."]) }
  private mutating func conflict() -> String {
    pick(["", "", "OR ABORT ", "OR FAIL ", "OR ROLLBACK ", "OR IGNORE ", "OR REPLACE "])
  }

  private mutating func insertion() -> String {
    let start = number(80), count = number(30) + 1
    let rows = "FROM n WHERE x BETWEEN \(start) AND \(start + count)"
    let text = pick(["'q'", "'long'", "hex(zeroblob(x * 9))", "printf('%.*c', x, 'z')"])
    if number(3) == 0 {
      return "INSERT \(conflict())INTO \(schema())w "
        + "SELECT x, nullif(\(text), '\(pick(["q", "-"]))') \(rows)"
    }
    let key = pick(["x", "NULL", "x % 40"]), unique = pick(["x", "x * 3 % 50", "NULL"])
    return "INSERT \(conflict())INTO \(schema())t SELECT \(key), \(unique), \(text) \(rows)"
  }

  private mutating func update() -> String {
    let change = pick(["b = b + 1", "a = a + 5", "c = c || 'x'", "b = a % 30", "b = NULL"])
    return "UPDATE \(conflict())\(schema())t SET \(change) WHERE a % \(number(5) + 2) = 0"
  }
}
