import Foundation

/// The databases of the search workloads: C SQLite builds one, each engine gets a copy of its own.
struct SearchData {
  let oraclePath: String
  let martletPath: String
  private let folder: URL
  private let isTemporary: Bool

  /// Builds the files in `folder`, or takes them from there.
  init(documents: Int, boxes: Int, folder named: String?) throws {
    isTemporary = named == nil
    folder =
      named.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent(
        "martlet-search-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let original = folder.appendingPathComponent("search-\(documents)-\(boxes).db").path
    oraclePath = folder.appendingPathComponent("search-c.db").path
    martletPath = folder.appendingPathComponent("search-martlet.db").path
    if !FileManager.default.fileExists(atPath: original) {
      let unfinished = original + "-unfinished"
      try? FileManager.default.removeItem(atPath: unfinished)
      try Self.build(unfinished, documents, boxes)
      try FileManager.default.moveItem(atPath: unfinished, toPath: original)
    }
    // Workloads that write leave free pages behind.
    for path in [oraclePath, martletPath] {
      for suffix in ["", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      try FileManager.default.copyItem(atPath: original, toPath: path)
    }
  }

  func remove() {
    if isTemporary { return (try? FileManager.default.removeItem(at: folder)) ?? () }
    for path in [oraclePath, martletPath] { try? FileManager.default.removeItem(atPath: path) }
  }

  private static func build(_ path: String, _ documents: Int, _ boxes: Int) throws(BenchError) {
    let connection = try OracleConnection(path: path)
    for statement in [
      "PRAGMA page_size = 4096", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
      "PRAGMA cache_size = -100000", "BEGIN",
      "CREATE TABLE document(id INTEGER PRIMARY KEY, body TEXT)",
    ] { try connection.execute(statement) }
    try fill(connection, documents)
    for statement in tables(documents, boxes) + ["COMMIT", "PRAGMA journal_mode = DELETE"] {
      try connection.execute(statement)
    }
  }

  private static func fill(
    _ connection: OracleConnection, _ documents: Int
  ) throws(BenchError) {
    let insert = try OracleBenchStatement(connection, "INSERT INTO document VALUES(?1, ?2)")
    var source = SearchText(), text: [UInt8] = []
    for id in 1...documents {
      source.document(into: &text)
      try insert.bind(Int64(id), at: 1)
      let result = text.withUnsafeBytes { bytes in
        Result { () throws(BenchError) in try insert.bind(text: bytes, at: 2) }
      }
      try result.get()
      while try insert.step() {}
      insert.reset()
    }
  }

  private static func tables(_ documents: Int, _ boxes: Int) -> [String] {
    [
      "CREATE VIRTUAL TABLE search USING fts5(body, content=document, content_rowid=id)",
      "INSERT INTO search(rowid, body) SELECT id, body FROM document",
      """
      CREATE VIRTUAL TABLE prefixed USING fts5(
        body, content=document, content_rowid=id, prefix='2 3')
      """,
      "INSERT INTO prefixed(rowid, body) SELECT id, body FROM document",
      """
      CREATE VIRTUAL TABLE pieces USING fts5(
        body, content=document, content_rowid=id, tokenize=trigram)
      """,
      """
      INSERT INTO pieces(rowid, body) SELECT id, body FROM document WHERE id <= \(documents / 10)
      """,
      "CREATE VIRTUAL TABLE legacy USING fts4(content=document, body)",
      "INSERT INTO legacy(docid, body) SELECT id, body FROM document",
      "CREATE TABLE place(id INTEGER PRIMARY KEY, x INTEGER, y INTEGER, w INTEGER, h INTEGER)",
      """
      INSERT INTO place
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(boxes))
        SELECT i, i * 7919 % 1000003, i * 104729 % 999983, i % 97 * 10, i % 89 * 10 FROM n
      """,
      "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1)",
      "INSERT INTO box SELECT id, x, x + w, y, y + h FROM place",
    ]
  }
}
