import Foundation

/// The databases that the workloads read: C SQLite builds one, each engine gets a copy of its own.
///
/// Two engines never open one file in a process: closing it in one would drop the other's locks.
struct DataFile {
  let oraclePath: String
  let martletPath: String
  private let folder: URL
  private let isTemporary: Bool

  /// Builds the files in `folder`, or takes them from there if they are of `rows` rows already.
  init(rows: Int, folder named: String?) throws {
    isTemporary = named == nil
    folder =
      named.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent(
        "martlet-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    oraclePath = folder.appendingPathComponent("c-\(rows).db").path
    martletPath = folder.appendingPathComponent("martlet-\(rows).db").path
    if FileManager.default.fileExists(atPath: martletPath) { return }
    try? FileManager.default.removeItem(atPath: oraclePath)
    try Self.build(oraclePath, rows: rows)
    try FileManager.default.copyItem(atPath: oraclePath, toPath: martletPath)
  }

  func remove() {
    if isTemporary { try? FileManager.default.removeItem(at: folder) }
  }

  private static func build(_ path: String, rows: Int) throws(BenchError) {
    let connection = try OracleConnection(path: path)
    let series =
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows - 1)) "
    // `code` is a permutation of 0..<rows where 7,919 and the row count have no common divisor.
    let statements = [
      "PRAGMA page_size = 4096", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "BEGIN",
      """
      CREATE TABLE item(
        id INTEGER PRIMARY KEY, code INTEGER, bucket INTEGER, flag INTEGER, price REAL,
        name TEXT, note TEXT)
      """,
      """
      INSERT INTO item \(series) SELECT i + 1, i * 7919 % \(rows), i * 31 % 1000, i % 4,
        (i * 37 % 100003) / 100.0, printf('%04x item %d', i * 40503 % 65536, i),
        'a note of some forty characters' || CASE i % 50 WHEN 0 THEN ' with a needle' ELSE '' END
        || ' number ' || i FROM n
      """,
      "CREATE INDEX item_code ON item(code)",
      """
      CREATE TABLE sale(
        id INTEGER PRIMARY KEY, item_id INTEGER, item_code INTEGER, quantity INTEGER, mark INTEGER)
      """,
      """
      INSERT INTO sale \(series) SELECT i + 1, i * 104729 % \(rows) + 1, i * 15485863 % \(rows),
        i % 10, i * 3 % \(max(rows / 2, 1)) FROM n
      """,
      "CREATE TABLE plain(mark INTEGER, points REAL, label TEXT)",
      """
      INSERT INTO plain \(series) SELECT i * 17 % \(max(rows / 2, 1)), i * 0.5, 'label ' || i FROM n
        WHERE i % 4 = 0
      """,
      "CREATE INDEX plain_label ON plain(label COLLATE NOCASE)",
    ]
    let all = statements + starStatements(rows, series) + documentStatements(rows, series)
    for statement in all + ["COMMIT"] {
      try connection.execute(statement)
    }
  }

  /// A star: `visit` with its four dimensions, two of which have an index.
  private static func starStatements(_ rows: Int, _ series: String) -> [String] {
    [
      "CREATE TABLE customer(id INTEGER PRIMARY KEY, region TEXT, name TEXT)",
      """
      INSERT INTO customer \(series) SELECT i + 1, 'region ' || i % 7, 'customer ' || i FROM n
        WHERE i < 2000
      """,
      "CREATE TABLE product(id INTEGER PRIMARY KEY, kind TEXT, price REAL)",
      """
      INSERT INTO product \(series) SELECT i + 1, 'kind ' || i % 11, i * 1.25 FROM n WHERE i < 500
      """,
      "CREATE TABLE store(id INTEGER PRIMARY KEY, city TEXT)",
      "INSERT INTO store \(series) SELECT i + 1, 'city ' || i % 20 FROM n WHERE i < 50",
      "CREATE TABLE day(id INTEGER PRIMARY KEY, date TEXT)",
      """
      INSERT INTO day \(series) SELECT i + 1, date('2020-01-01', '+' || i || ' days') FROM n
        WHERE i < 1461
      """,
      """
      CREATE TABLE visit(
        id INTEGER PRIMARY KEY, customer_id INTEGER, product_id INTEGER, store_id INTEGER,
        day_id INTEGER, amount REAL, at TEXT)
      """,
      """
      INSERT INTO visit \(series) SELECT i + 1, i * 7919 % 2000 + 1, i * 104729 % 500 + 1,
        i * 31 % 50 + 1, i * 1009 % 1461 + 1, i % 997 * 0.37,
        datetime('2020-01-01', '+' || (i * 631) || ' seconds') FROM n
      """,
      "CREATE INDEX visit_customer ON visit(customer_id)",
      "CREATE INDEX visit_product ON visit(product_id)",
    ]
  }

  /// Documents of about 1,000 bytes, as text and as JSONB.
  private static func documentStatements(_ rows: Int, _ series: String) -> [String] {
    [
      "CREATE TABLE document(id INTEGER PRIMARY KEY, body TEXT, packed BLOB)",
      """
      INSERT INTO document(id, body) \(series) SELECT i + 1, json_object(
        'id', i, 'name', printf('document %d', i), 'kind', i % 100,
        'active', json(iif(i % 3, 'true', 'false')),
        'tags', json_array('red', 'green', printf('tag %d', i % 17), 'blue "quoted"'),
        'address', json_object(
          'street', printf('%d Long Street Name', i % 999), 'city', 'city ' || i % 20,
          'location', json_array(i * 0.001, i * -0.002)),
        'items', json_array(
          json_object(
            'sku', printf('A-%06d', i), 'count', i % 7, 'price', i * 0.25, 'note', NULL),
          json_object(
            'sku', printf('B-%06d', i), 'count', i % 5, 'price', i * 0.5, 'note', 'a note'),
          json_object('sku', printf('C-%06d', i), 'count', i % 3, 'price', i * 0.75)),
        'description', printf('%.300c', 'x') || ' and some more text at the end of it',
        'score', i * 1.5, 'last', 'end ' || i)
        FROM n WHERE i < 100000
      """,
      "UPDATE document SET packed = jsonb(body)",
      "CREATE INDEX document_kind ON document(body ->> '$.kind')",
    ]
  }
}
