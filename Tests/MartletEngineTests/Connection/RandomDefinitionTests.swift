import Foundation
import TestSupport
import Testing

@testable import MartletEngine

/// Random CREATE and DROP on both engines, each with a file of its own: every statement gives the
/// same rows or the same error, and the files are of one size.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct RandomDefinitionTests {
  @Test(arguments: [
    (seed: UInt64(1), pageSize: 512, vacuum: 0), (seed: 2, pageSize: 512, vacuum: 1),
    (seed: 3, pageSize: 4096, vacuum: 0), (seed: 4, pageSize: 1024, vacuum: 2),
  ])
  func `both engines make the same schema`(
    seed: UInt64, pageSize: Int, vacuum: Int
  ) throws {
    let directory = try TemporaryDirectory()
    for name in ["ours.db", "theirs.db"] {
      try OracleShell(directory(name)).run(
        "PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(vacuum); CREATE TABLE first(a);")
    }
    let oracle = try OracleShell(directory("theirs.db"))
    let connection = try Connection(path: directory("ours.db"))
    var script = RandomDefinitions(seed: seed)
    var recent: [String] = []
    for number in 0..<300 {
      let sql = script.next()
      recent.append(sql)
      let expected = try oracle.result(of: sql)
      try #require(
        connection.result(of: sql) == expected,
        "seed \(seed), statement \(number): \(recent.suffix(20).joined(separator: ";\n"))")
    }
    try connection.close()
    #expect(try OracleShell(directory("ours.db")).run("PRAGMA integrity_check;") == "ok\n")
    let ours = try Data(contentsOf: URL(fileURLWithPath: directory("ours.db")))
    let theirs = try Data(contentsOf: URL(fileURLWithPath: directory("theirs.db")))
    #expect(ours.count == theirs.count)
  }
}

/// Makes statements about few names, so that many of them meet.
private struct RandomDefinitions {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  private mutating func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
  private mutating func pick(_ items: [String]) -> String { items[number(items.count)] }

  private mutating func name(_ letter: String) -> String { letter + String(number(6)) }
  private mutating func anyName() -> String { name(pick(["t", "t", "t", "v", "i", "g"])) }
  private mutating func schema() -> String { pick(["", "", "", "", "main.", "temp.", "aux."]) }
  private mutating func ifNotExists() -> String { pick(["", "", "", "IF NOT EXISTS "]) }
  private mutating func temporary() -> String { pick(["", "", "", "", "TEMP "]) }

  mutating func next() -> String {
    switch number(24) {
    case 0...5: table()
    case 6...9: index()
    case 10: view()
    case 11: trigger()
    case 12: "CREATE \(temporary())TABLE \(name("t")) AS SELECT \(pick(["*", "a", "b AS x, c"]))"
      + " FROM \(anyName())"
    case 13...16:
      "DROP \(pick(["TABLE", "TABLE", "INDEX", "VIEW", "TRIGGER"])) \(pick(["", "IF EXISTS "]))"
        + "\(schema())\(anyName())"
    case 17, 18:
      "WITH n(x) AS (VALUES (1), (2), (3), (7), (8)) "
        + "INSERT INTO \(name("t")) SELECT x, x * 5 % 7, 'text ' || x FROM n"
    case 19: "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_temp_schema"
    case 20: "SELECT * FROM \(schema())\(anyName()) ORDER BY 1, 2"
    default: "SELECT rowid, * FROM sqlite_schema"
    }
  }

  private mutating func table() -> String {
    let key = pick([
      "a INTEGER PRIMARY KEY, b, c", "a INTEGER PRIMARY KEY AUTOINCREMENT, b, c TEXT",
      "a, b UNIQUE, c TEXT", "a PRIMARY KEY, b INT UNIQUE, c, UNIQUE(c, b)", "a, b, c",
      "a, b DEFAULT (abs(-5)), c CHECK(c > '') COLLATE NOCASE", "a, b, c, PRIMARY KEY(b, a)",
      "a, b, c, d AS (a || b)", "a, b, c REFERENCES t1(a), UNIQUE(c) ON CONFLICT REPLACE",
    ])
    let options = pick(["", "", "", " WITHOUT ROWID", " STRICT"])
    return "CREATE \(temporary())TABLE \(ifNotExists())\(schema())\(anyName())(\(key))\(options)"
  }

  private mutating func index() -> String {
    let columns = pick(["a", "b, c", "c COLLATE NOCASE DESC", "b + 1", "lower(c), a", "d", "nope"])
    let condition = pick(["", "", "", " WHERE a > 2", " WHERE b IS NOT NULL"])
    return "CREATE \(pick(["", "", "UNIQUE "]))INDEX \(ifNotExists())\(schema())\(name("i")) "
      + "ON \(anyName())(\(columns))\(condition)"
  }

  private mutating func view() -> String {
    "CREATE \(temporary())VIEW \(ifNotExists())\(schema())\(name("v")) AS "
      + "SELECT * FROM \(schema())\(name("t"))"
  }

  private mutating func trigger() -> String {
    let time = pick(["BEFORE", "AFTER", "INSTEAD OF"])
    return "CREATE \(temporary())TRIGGER \(ifNotExists())\(schema())\(name("g")) \(time) DELETE ON "
      + "\(schema())\(name(pick(["t", "v"]))) BEGIN SELECT 1; END"
  }
}
