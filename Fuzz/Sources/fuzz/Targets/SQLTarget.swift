import MartletEngine

/// SQL on a database in memory that has tables of every kind.
///
/// A first byte below 4 chooses the database: text in UTF-16, or an empty one.
enum SQLTarget {
  static let schema = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB);
    CREATE INDEX tb ON t(b, c);
    CREATE INDEX tc ON t(c DESC) WHERE c > 3;
    CREATE TABLE w(k INT, v TEXT COLLATE NOCASE, x, PRIMARY KEY(k, v)) WITHOUT ROWID;
    CREATE UNIQUE INDEX wx ON w(x);
    CREATE TABLE u(p UNIQUE, q DEFAULT 7, r AS (p || q), s REFERENCES t(a) ON DELETE SET NULL);
    CREATE INDEX ur ON u(r);
    CREATE TABLE s(i INTEGER PRIMARY KEY AUTOINCREMENT, n ANY CHECK(n <> 13)) STRICT;
    CREATE VIEW v AS SELECT b, x FROM t JOIN w ON a = k;
    CREATE TRIGGER tu AFTER UPDATE ON t BEGIN INSERT INTO s(n) VALUES(NEW.b); END;
    CREATE TRIGGER vi INSTEAD OF INSERT ON v BEGIN INSERT INTO t(b) VALUES(NEW.b); END;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
    INSERT INTO t SELECT i * 3, substr('text of a row', i % 7), i / 4.0, zeroblob(i % 5) FROM n;
    INSERT INTO w SELECT a / 3, b, a * 1000003 FROM t;
    INSERT INTO u(p, q, s) SELECT CASE a % 2 WHEN 0 THEN a WHEN 1 THEN 'p' || a END, a, a FROM t;
    INSERT INTO s(n) VALUES(1), ('two'), (3.5), (x'04'), (NULL);
    """

  /// Databases to begin with, as bytes: it is quicker to copy one than to make it.
  private static let images: [[UInt8]] = [
    image("PRAGMA page_size = 512;" + schema),
    image("PRAGMA encoding = 'UTF-16le';" + schema),
    image("PRAGMA encoding = 'UTF-16be'; PRAGMA auto_vacuum = FULL;" + schema + "ANALYZE;"),
    [],
  ]

  static func image(_ sql: String, hasModules: Bool = false) -> [UInt8] {
    guard let connection = try? Connection(path: ":memory:") else { return [] }
    do throws(SQLError) {
      if hasModules { try Session.register(on: connection) }
      try connection.execute(sql)
      return try connection.serialize()
    } catch { fatalError("the schema does not compile: \(error.message)") }
  }

  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    var sql = bytes[...]
    var choice = 0
    if let first = sql.first, first < 4 {
      choice = Int(first)
      sql = sql.dropFirst()
    }
    guard let session = try? Session(path: ":memory:") else { return }
    if !images[choice].isEmpty { session.deserialize(images[choice]) }
    session.run(sql)
  }
}
