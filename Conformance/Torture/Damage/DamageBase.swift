import Engines

/// Sound databases of different shapes, made by C SQLite, for the mutations to begin with.
struct DamageBase {
  let library: OracleLibrary

  private static let shapes: [(settings: [String], rows: Int, text: Int, hasHotJournal: Bool)] = [
    (["page_size = 512"], 120, 30, false),
    (["page_size = 512", "auto_vacuum = FULL"], 60, 60, false),
    (["page_size = 1024", "auto_vacuum = INCREMENTAL"], 90, 40, false),
    (["page_size = 512", "encoding = 'UTF-16le'"], 60, 25, false),
    (["page_size = 1024", "encoding = 'UTF-16be'", "auto_vacuum = FULL"], 40, 40, false),
    (["page_size = 4096"], 200, 20, false),
    (["page_size = 65536"], 60, 100, false),
    (["page_size = 512"], 40, 900, false),
    (["page_size = 1024", "auto_vacuum = FULL"], 30, 3_000, false),
    (["page_size = 512"], 60, 40, true),
    (["page_size = 1024", "auto_vacuum = INCREMENTAL"], 50, 30, true),
    (["page_size = 4096"], 80, 200, true),
    (["page_size = 512", "journal_mode = wal"], 60, 40, true),
    (["page_size = 4096", "journal_mode = wal"], 80, 100, true),
    (["page_size = 1024", "auto_vacuum = FULL", "journal_mode = wal"], 50, 60, true),
  ]

  static var shapeCount: Int { shapes.count }

  /// The database of one shape.
  func make(shape: Int) throws(EngineError) -> DatabaseImage {
    let shape = Self.shapes[shape % Self.shapes.count]
    let path = Scratch.path("base")
    defer { Files.removeDatabase(path) }
    let database = try Engine.oracle(library).open(path: path, readOnly: false)
    for setting in shape.settings { _ = database.outcome(of: "PRAGMA \(setting)") }
    for sql in statements(rows: shape.rows, text: shape.text) {
      if let error = database.outcome(of: sql).error { throw error }
    }
    guard shape.hasHotJournal else { return image(path) }
    for sql in [
      "PRAGMA cache_size = 2", "BEGIN", "UPDATE t SET b = b || 'changed', c = c + 1",
      "DELETE FROM w WHERE k % 3 = 0", "INSERT INTO t SELECT a + 5000, b, c, d FROM t",
    ] { _ = database.outcome(of: sql) }
    // A copy made in the middle of a transaction is what a crash leaves.
    defer { _ = database.outcome(of: "ROLLBACK") }
    if shape.settings.contains("journal_mode = wal") { _ = database.outcome(of: "COMMIT") }
    return image(path)
  }

  private func image(_ path: String) -> DatabaseImage {
    DatabaseImage(
      bytes: Files.bytes(of: path) ?? [], journal: Files.bytes(of: path + "-journal"),
      log: Files.bytes(of: path + "-wal"), index: Files.bytes(of: path + "-shm"))
  }

  private func statements(rows: Int, text: Int) -> [String] {
    let numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) "
    let filling = "substr(hex(i * 7919) || printf('%0\(text)d', i), 1, \(text))"
    return [
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB)",
      "CREATE INDEX tb ON t(b, c)",
      "CREATE INDEX tc ON t(c DESC) WHERE c > 3",
      "CREATE TABLE w(k INT, v TEXT COLLATE NOCASE, x, PRIMARY KEY(k, v)) WITHOUT ROWID",
      "CREATE UNIQUE INDEX wx ON w(x)",
      "CREATE TABLE u(p UNIQUE, q DEFAULT 7, r AS (p || q))",
      "CREATE TABLE gone(z)",
      "CREATE VIEW v AS SELECT b, x FROM t JOIN w ON a = k",
      numbers + "INSERT INTO t SELECT i * 3, \(filling), i / 4.0, zeroblob(i % 50) FROM n",
      numbers + "INSERT INTO w SELECT i, \(filling), i * 1000003 FROM n",
      numbers + "INSERT INTO u SELECT CASE i % 3 WHEN 0 THEN i WHEN 1 THEN 'p' || i END, i FROM n",
      numbers + "INSERT INTO gone SELECT \(filling) FROM n",
      "DELETE FROM t WHERE a % 7 = 0",
      "DROP TABLE gone",
      "DELETE FROM u WHERE q > \(rows * 9 / 10)",
    ]
  }
}
