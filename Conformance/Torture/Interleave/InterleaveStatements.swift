/// Statements over a handful of names, so that most of them meet something of another connection's.
struct InterleaveStatements {
  var random: RandomSource

  private let tables = ["t0", "t1", "t2"]
  private let sources = ["t0", "t1", "t2", "v0"]
  private let columns = ["a", "b", "c", "d"]

  mutating func statement() -> String {
    switch random.below(100) {
    case 0..<22: query()
    case 22..<38: pragma()
    case 38..<56: definition()
    case 56..<80: change()
    case 80..<93: transaction()
    default: database()
    }
  }

  // MARK: Values and conditions

  private mutating func literal() -> String {
    switch random.below(9) {
    case 0..<3: "\(random.within(-3...12))"
    case 3..<5: random.pick(["'x'", "'abc'", "'abd'", "'1'", "''", "'2.5'"])
    case 5: "NULL"
    case 6: random.pick(["1.5", "2.0", "-0.5", "1e10"])
    case 7: random.pick(["x''", "x'6162'", "zeroblob(10)"])
    default: "zeroblob(\(random.pick([600, 3000])))"
    }
  }

  private mutating func condition() -> String {
    let column = random.pick(columns)
    return switch random.below(6) {
    case 0: "\(column) = \(literal())"
    case 1: "\(column) > \(literal())"
    case 2: "\(column) IS NOT NULL"
    case 3: "\(column) IN (SELECT \(random.pick(columns)) FROM \(random.pick(sources)))"
    case 4: "rowid % 3 = \(random.below(3))"
    default: "\(column) BETWEEN 1 AND 6"
    }
  }

  private mutating func schema() -> String { random.pick(["", "", "", "main.", "temp.", "x1."]) }

  // MARK: Queries

  private mutating func query() -> String {
    let source = random.pick(sources), column = random.pick(columns)
    return switch random.below(12) {
    case 0: "SELECT * FROM \(schema())\(source)"
    case 1: "SELECT \(column), count(*) FROM \(source) GROUP BY 1 ORDER BY 1"
    case 2:
      "SELECT x.\(column), y.b FROM \(source) x JOIN \(random.pick(sources)) y ON x.a = y.a ORDER BY 1, 2 LIMIT 20"
    case 3: "SELECT * FROM \(source) WHERE \(condition()) ORDER BY 1, 2"
    case 4: "SELECT (SELECT count(*) FROM \(random.pick(sources))), total(\(column)) FROM \(source)"
    case 5:
      "WITH q AS (SELECT a, b FROM \(source)) SELECT * FROM q UNION SELECT a, c FROM \(random.pick(sources)) ORDER BY 1, 2 LIMIT 15"
    case 6: "SELECT type, name, tbl_name, sql FROM \(schema())sqlite_schema ORDER BY rowid"
    case 7:
      "SELECT \(column), row_number() OVER (ORDER BY \(column), a) FROM \(source) ORDER BY 2 LIMIT 9"
    case 8: "SELECT DISTINCT \(column) FROM \(source) ORDER BY 1 DESC"
    case 9: "SELECT changes(), total_changes(), last_insert_rowid()"
    case 10: "SELECT * FROM pragma_table_info('\(source)')"
    default: "SELECT rowid, * FROM \(random.pick(tables)) ORDER BY 1"
    }
  }

  private mutating func pragma() -> String {
    let source = random.pick(sources), index = random.pick(["i0", "i1", "i2"])
    return "PRAGMA "
      + random.pick([
        "\(schema())table_info(\(source))", "table_xinfo(\(source))", "index_list(\(source))",
        "index_info(\(index))", "index_xinfo(\(index))", "foreign_key_list(\(source))",
        "table_list(\(source))", "foreign_key_check", "integrity_check", "quick_check(\(source))",
        "schema_version", "user_version", "user_version = \(random.below(9))", "application_id",
        "page_count", "foreign_keys", "database_list", "journal_mode", "encoding",
        "recursive_triggers = \(random.below(2))", "foreign_keys = \(random.below(2))",
        "defer_foreign_keys = \(random.below(2))", "collation_list",
      ])
  }

  // MARK: Changes

  private mutating func change() -> String {
    let table = random.pick(tables)
    let policy = random.pick(["", "", "", "OR IGNORE ", "OR REPLACE ", "OR FAIL ", "OR ROLLBACK "])
    switch random.below(9) {
    case 0..<3:
      let end = random.pick(["", "", "", " ON CONFLICT DO NOTHING", " RETURNING *"])
      return
        "INSERT \(policy)INTO \(table)(a, b) VALUES(\(literal()), \(literal())), (\(literal()), \(literal()))\(end)"
    case 3:
      return
        "INSERT \(policy)INTO \(schema())\(table) SELECT * FROM \(random.pick(sources)) LIMIT 60"
    case 4:
      return
        "INSERT INTO \(table)(a, b) WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(random.pick([5, 40, 200]))) SELECT x, 'row' || x FROM n"
    case 5:
      return
        "UPDATE \(policy)\(table) SET \(random.pick(columns)) = \(literal()) WHERE \(condition())"
    case 6: return "UPDATE \(schema())\(table) SET b = b || 'z' WHERE a < 5"
    case 7: return "DELETE FROM \(table) WHERE \(condition())"
    default: return "DELETE FROM \(schema())\(table) WHERE a = \(literal()) RETURNING a, b"
    }
  }

  private mutating func transaction() -> String {
    random.pick([
      "BEGIN", "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "COMMIT", "COMMIT",
      "ROLLBACK",
      "SAVEPOINT s1", "SAVEPOINT s2", "RELEASE s1", "ROLLBACK TO s1", "ROLLBACK TO s2",
      "RELEASE s2",
    ])
  }

  private mutating func database() -> String {
    random.pick([
      "ATTACH ':memory:' AS x1", "ATTACH ':memory:' AS x1", "DETACH x1",
      "CREATE TABLE IF NOT EXISTS x1.t0(a, b, c)", "INSERT INTO x1.t0(a, b) VALUES(1, 2)",
      "SELECT * FROM x1.t0", "VACUUM", "REINDEX", "ANALYZE",
    ])
  }

  // MARK: Definitions

  private mutating func definition() -> String {
    let table = random.pick(tables), temporary = random.pick(["", "", "", "TEMP "])
    switch random.below(16) {
    case 0..<5: return createTable(table, temporary)
    case 5:
      let expressions = random.pick(["a", "b", "b, a", "c DESC", "lower(b)", "a) WHERE (b > 2"])
      let unique = random.pick(["", "", "UNIQUE "])
      return "CREATE \(unique)INDEX \(random.pick(["i0", "i1", "i2"])) ON \(table)(\(expressions))"
    case 6: return "DROP INDEX IF EXISTS \(random.pick(["i0", "i1", "i2"]))"
    case 7: return "DROP TABLE IF EXISTS \(schema())\(table)"
    case 8:
      let guarded = random.pick(["", "IF NOT EXISTS "])
      return
        "CREATE \(temporary)VIEW \(guarded)v0 AS SELECT a, b, \(random.pick(["1", "b || 1", "NULL"])) c, 1 d FROM \(table)"
    case 9: return "DROP VIEW IF EXISTS v0"
    case 10:
      return "ALTER TABLE \(table) ADD COLUMN \(random.pick(["d", "d INT DEFAULT 5", "c TEXT"]))"
    case 11: return "ALTER TABLE \(table) RENAME TO \(random.pick(tables))"
    case 12:
      return
        "ALTER TABLE \(table) RENAME COLUMN \(random.pick(columns)) TO \(random.pick(columns + ["e"]))"
    case 13: return "ALTER TABLE \(table) DROP COLUMN \(random.pick(columns))"
    case 14: return createTrigger(table, temporary)
    default:
      return random.pick([
        "DROP TRIGGER IF EXISTS g0", "DROP TRIGGER IF EXISTS g1", "DROP TABLE \(table)",
        "CREATE TABLE IF NOT EXISTS t2 AS SELECT * FROM t0",
      ])
    }
  }

  private mutating func createTable(_ table: String, _ temporary: String) -> String {
    var definitions: [String] = []
    for column in columns.prefix(random.within(2...4)) {
      let type = random.pick(["", " INT", " TEXT", " REAL", " BLOB", " NUMERIC"])
      let constraint = random.pick([
        "", "", "", "", " NOT NULL DEFAULT 3", " DEFAULT 'dd'", " UNIQUE", " COLLATE NOCASE",
        " CHECK(\(column) IS NULL OR length(\(column)) < 2000)",
        " REFERENCES \(random.pick(tables))(a)",
      ])
      definitions.append(column + type + constraint)
    }
    var end = ""
    if random.chance(30) {
      definitions[0] = "a INTEGER PRIMARY KEY" + random.pick(["", " AUTOINCREMENT"])
    } else if random.chance(20) {
      definitions.append("PRIMARY KEY(a, b)")
      end = " WITHOUT ROWID"
    }
    let guarded = random.pick(["", "IF NOT EXISTS "])
    let list = definitions.joined(separator: ", ")
    return "CREATE \(temporary)TABLE \(guarded)\(table)(\(list))\(end)"
  }

  private mutating func createTrigger(_ table: String, _ temporary: String) -> String {
    let body = random.pick([
      "INSERT INTO \(random.pick(tables))(a, b) VALUES(1, 2)",
      "DELETE FROM \(random.pick(tables)) WHERE a = 3",
      "UPDATE \(random.pick(tables)) SET b = b + 1 WHERE a = 2",
      "SELECT RAISE(ABORT, 'stop') WHERE new.a = 11",
    ])
    let event =
      random.pick(["BEFORE", "AFTER"]) + " " + random.pick(["INSERT", "UPDATE", "UPDATE OF a"])
    let guarded = random.pick(["", "IF NOT EXISTS "])
    return
      "CREATE \(temporary)TRIGGER \(guarded)\(random.pick(["g0", "g1"])) \(event) ON \(table) BEGIN \(body); END"
  }
}
