import Engines

/// Sound databases with full-text tables and R-trees, and what damages their shadow tables.
struct SearchDamage {
  let library: OracleLibrary

  private static let shapes: [(settings: [String], rows: Int, search: String, classic: String)] = [
    (["page_size = 512"], 120, "a, b, prefix='1 2'", "a, b"),
    (["page_size = 1024"], 200, "a, b, detail=column", "a, b, prefix=\"1,3\""),
    (["page_size = 4096", "auto_vacuum = FULL"], 300, "a, b, detail=none", "a, b, order=desc"),
    (["page_size = 4096"], 150, "a, b, content='', contentless_delete=1", "a, b, content=\"\""),
    (["page_size = 1024", "encoding = 'UTF-16le'"], 90, "a, b, tokenize=trigram",
      "a, b, tokenize=porter, matchinfo=fts3"),
    (["page_size = 65536"], 400, "a, b UNINDEXED, columnsize=0", "a, b, languageid=l"),
  ]

  static var shapeCount: Int { shapes.count }

  func make(shape: Int) throws(EngineError) -> DatabaseImage {
    let shape = Self.shapes[shape % Self.shapes.count]
    return try image(from: nil) { (database) throws(EngineError) in
      let settings = shape.settings.map { "PRAGMA \($0)" }
      for sql in settings + statements(shape.rows, shape.search, shape.classic) {
        if let error = database.outcome(of: sql).error { throw error }
      }
    }
  }

  /// What becomes of a file, or of an empty one, when C SQLite has run something on it.
  private func image(
    from base: DatabaseImage?, _ body: (any Database) throws(EngineError) -> Void
  ) throws(EngineError) -> DatabaseImage {
    let path = Scratch.path("base")
    defer { Files.removeDatabase(path) }
    if let base { Files.write(base.bytes, to: path) }
    let database = try Engine.oracle(library).open(path: path, readOnly: false)
    try body(database)
    return DatabaseImage(bytes: Files.bytes(of: path) ?? [], journal: nil)
  }

  private func statements(_ rows: Int, _ search: String, _ classic: String) -> [String] {
    let numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) "
    let text = "'one w' || (i % 7) || ' ' || (i * 7919 % 61) || ' two' || (i % 3) || ' the end'"
    let box = "i * 31 % 100, i * 31 % 100 + 5, i * 17 % 90, i * 17 % 90 + i % 7"
    return [
      "CREATE VIRTUAL TABLE f USING fts5(\(search))",
      "INSERT INTO f(f, rank) VALUES('pgsz', 64)",
      "INSERT INTO f(f, rank) VALUES('crisismerge', 4)",
      "CREATE VIRTUAL TABLE fv USING fts5vocab(f, instance)",
      "CREATE VIRTUAL TABLE g USING fts4(\(classic))",
      "CREATE VIRTUAL TABLE gv USING fts4aux(g)",
      "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1, +note)",
      numbers + "INSERT INTO f(rowid, a, b) SELECT i * 2, \(text), 'b' || i FROM n",
      numbers + "INSERT INTO g(docid, a, b) SELECT i * 2, \(text), 'b' || i FROM n",
      numbers + "INSERT INTO r SELECT i, \(box), 'n' || i FROM n",
      numbers + "INSERT INTO f(rowid, a, b) SELECT i * 4 + 1, 'two one', \(text) FROM n",
      numbers + "INSERT INTO g(docid, a, b) SELECT i * 4 + 1, 'two one', \(text) FROM n",
      "INSERT INTO g(g) VALUES('merge=4,2')",
      "DELETE FROM r WHERE id % 5 = 0",
    ]
      + (search.contains("content=''") && !search.contains("contentless_delete")
        ? [] : ["DELETE FROM f WHERE rowid % 10 = 4"])
  }

  // MARK: Damage

  private static let blobs = [
    ("f_data", "block"), ("f_data", "block"), ("f_data", "block"), ("f_docsize", "sz"),
    ("g_segments", "block"), ("g_segments", "block"), ("g_segdir", "root"), ("g_segdir", "root"),
    ("g_docsize", "size"), ("g_stat", "value"), ("r_node", "data"), ("r_node", "data"),
    ("f_content", "c0"), ("g_content", "c0a"),
  ]

  private static let numbers = [
    ("f_data", "id"), ("f_idx", "pgno"), ("f_idx", "segid"), ("f_docsize", "id"),
    ("f_config", "v"), ("f_content", "id"), ("g_segments", "blockid"), ("g_segdir", "level"),
    ("g_segdir", "idx"), ("g_segdir", "start_block"), ("g_segdir", "leaves_end_block"),
    ("g_segdir", "end_block"), ("g_docsize", "docid"), ("g_content", "docid"), ("g_stat", "id"),
    ("r_node", "nodeno"), ("r_parent", "parentnode"), ("r_parent", "nodeno"),
    ("r_rowid", "nodeno"), ("r_rowid", "rowid"),
  ]

  /// Changes rows of the shadow tables; says how.
  func damage(
    _ base: DatabaseImage, _ random: inout RandomSource
  ) throws(EngineError) -> (image: DatabaseImage, notes: [String]) {
    let changes = (0..<random.pick([1, 1, 1, 2, 3])).map { _ in Self.change(&random) }
    let image = try image(from: base) { (database) throws(EngineError) in
      for sql in changes { _ = database.outcome(of: sql) }
    }
    return (image, changes)
  }

  private static func change(_ random: inout RandomSource) -> String {
    if random.chance(25) {
      let (table, column) = random.pick(numbers)
      let value = random.pick([
        "0", "1", "2", "-1", "\(column) + 1", "\(column) - 1", "\(column) * 2", "NULL", "'text'",
        "9223372036854775807", "-9223372036854775808", "4294967296", "65536", "1.5", "x'00ff'",
        "\(random.within(0...400))",
      ])
      return "UPDATE OR REPLACE \(table) SET \(column) = \(value) WHERE \(row(of: table, &random))"
    }
    let (table, column) = random.pick(blobs)
    let row = row(of: table, &random)
    if random.chance(6) { return "DELETE FROM \(table) WHERE \(row)" }
    let place = "(\(random.below(100_000)) % max(length(\(column)), 1))"
    let head = "substr(\(column), 1, \(random.chance(40) ? "\(random.below(14))" : place))"
    let tail = { (count: Int) in
      "substr(\(column), length(\(head)) + \(count + 1))"
    }
    let byte = random.pick([0, 1, 2, 3, 0x7f, 0x80, 0x81, 0xff, random.below(256)])
    let value =
      switch random.below(12) {
      case 0..<5: "\(head) || x'\(hex(byte))' || \(tail(1))"
      case 5: head
      case 6: "\(head) || \(tail(random.within(1...4)))"
      case 7: "\(head) || x'ffffffffffffffff7f' || \(tail(random.below(3)))"
      case 8: "\(head) || x'8fffffff7f' || \(tail(random.below(3)))"
      case 9: random.pick(["NULL", "x''", "7", "'text'", "zeroblob(3)", "zeroblob(900)"])
      case 10: "\(head) || zeroblob(\(random.within(1...9))) || \(tail(random.below(9)))"
      default: "(SELECT \(column) FROM \(table) ORDER BY 1 LIMIT 1 OFFSET \(random.below(9)))"
      }
    let result = random.chance(96) ? "CAST(\(value) AS BLOB)" : value
    return "UPDATE \(table) SET \(column) = \(result) WHERE \(row)"
  }

  private static func row(of table: String, _ random: inout RandomSource) -> String {
    let key =
      switch table {
      case "f_idx": "(segid, term)"
      case "f_config": "(k)"
      default: "(rowid)"
      }
    let count = "(SELECT max(count(*), 1) FROM \(table))"
    let number = random.pick([0, 1, 2, random.below(5_000)])
    return "\(key) = (SELECT \(key.dropFirst().dropLast()) FROM \(table) "
      + "LIMIT 1 OFFSET \(number) % \(count))"
  }

  private static func hex(_ byte: Int) -> String {
    let digits = Array("0123456789abcdef")
    return String([digits[byte >> 4], digits[byte & 15]])
  }

  // MARK: What is asked

  static let statements = [
    "SELECT rowid FROM f WHERE f MATCH 'one'", "SELECT rowid, rank FROM f('w1 OR two1')",
    "SELECT rowid FROM f WHERE f MATCH 'tw*' ORDER BY rowid DESC",
    "SELECT rowid FROM f WHERE f MATCH '\"the end\"' ORDER BY rank LIMIT 5",
    "SELECT snippet(f, -1, '<', '>', '', 5), highlight(f, 0, '<', '>') FROM f('one AND w2')",
    "SELECT rowid FROM f('NEAR(one two2, 4) NOT 7') WHERE rowid > 90",
    "SELECT rowid FROM f WHERE f MATCH 'b7' AND rowid < 100", "SELECT * FROM f LIMIT 50",
    "SELECT rowid FROM f WHERE a LIKE '%wo1%'", "SELECT * FROM fv",
    "SELECT * FROM fv WHERE term > 't'",
    "SELECT docid FROM g WHERE g MATCH 'one'", "SELECT docid FROM g WHERE g MATCH 'tw*'",
    "SELECT docid, offsets(g), snippet(g) FROM g WHERE g MATCH 'w1 OR \"two1 the\"'",
    "SELECT hex(matchinfo(g, 'pcnalsxyb')) FROM g WHERE g MATCH 'one NEAR/3 w2'",
    "SELECT docid FROM g WHERE g MATCH 'one NOT w3' ORDER BY docid DESC",
    "SELECT * FROM g LIMIT 50", "SELECT * FROM gv", "SELECT * FROM gv WHERE term > 't'",
    "SELECT * FROM r", "SELECT id FROM r WHERE x0 < 50 AND y1 > 20", "SELECT * FROM r WHERE id = 8",
    "SELECT rtreecheck('r')", "SELECT rtreenode(2, data), rtreedepth(data) FROM r_node",
    "INSERT INTO f(f) VALUES('integrity-check')", "INSERT INTO g(g) VALUES('integrity-check')",
    "PRAGMA integrity_check",
    "BEGIN",
    "INSERT INTO f(rowid, a, b) VALUES(7, 'one new', 'w1'), (9001, 'two', 'w2')",
    "INSERT INTO g(docid, a, b) VALUES(7, 'one new', 'w1'), (9001, 'two', 'w2')",
    "INSERT INTO r VALUES(NULL, 5, 6, 5, 6, 'new'), (900, 1, 90, 1, 90, 'large')",
    "UPDATE f SET a = 'changed ' || a WHERE rowid % 6 = 0",
    "UPDATE g SET a = 'changed ' || a WHERE docid % 6 = 0",
    "UPDATE r SET x1 = x1 + 1 WHERE id % 3 = 0",
    "COMMIT",
    "DELETE FROM f WHERE rowid % 4 = 0", "DELETE FROM g WHERE docid % 4 = 0",
    "DELETE FROM r WHERE id % 4 = 1",
    "INSERT INTO f(f, rank) VALUES('merge', 50)", "INSERT INTO g(g) VALUES('merge=20,2')",
    "INSERT INTO f(f) VALUES('optimize')", "INSERT INTO g(g) VALUES('optimize')",
    "ROLLBACK", "SELECT rowid FROM f WHERE f MATCH 'one'",
    "SELECT docid FROM g WHERE g MATCH 'one'", "SELECT count(*) FROM r WHERE x0 > 1",
    "INSERT INTO f(f) VALUES('rebuild')", "INSERT INTO g(g) VALUES('rebuild')",
    "ALTER TABLE f RENAME TO f2", "ALTER TABLE g RENAME TO g2", "ALTER TABLE r RENAME TO r2",
    "DROP TABLE f2", "DROP TABLE g2", "DROP TABLE r2", "PRAGMA integrity_check",
  ]

  private static let corrupt: Int32 = 11
  /// What no file may lead to: out of memory, internal error, misuse.
  private static let grave: [Int32] = [7, 2, 21]

  /// Rows, the word that something is damaged, or C's error: the first answer that is neither.
  /// Behind the first that is not C's, the tables have different contents.
  static func difference(_ expected: [Outcome], _ mine: [Outcome]) -> String? {
    var hasDiverged = false
    for (index, sql) in statements.enumerated() where index < min(expected.count, mine.count) {
      let right = expected[index], wrong = mine[index]
      let code = wrong.error?.code ?? 0
      let isSame = code & 255 == (right.error?.code ?? 0) & 255
      // Where both fail, they may have met the damage at another place.
      let isWrong = grave.contains(code & 255) || right.error == nil && !hasDiverged
      if !isSame, code != 0, code & 255 != corrupt, isWrong {
        return "\(sql): C: \(right.error?.line ?? "\(right.rows.count) rows"), "
          + "Martlet: \(wrong.error?.line ?? "")"
      }
      if !isSame || right.rows != wrong.rows { hasDiverged = true }
    }
    return nil
  }
}
