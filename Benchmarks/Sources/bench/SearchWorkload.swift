/// A workload on full-text indexes or R-trees: a statement that runs for each of some sets of
/// parameters, and what stands around it.
struct SearchWorkload: Sendable {
  enum Parameter: Sendable {
    case text(String)
    case integer(Int64)
  }

  let name: String
  let sql: String
  /// One set for each run.
  var parameters: [[Parameter]] = [[]]
  /// Statements that run before the timed part, and behind it.
  var before: [String] = []
  var after: [String] = []
  /// Queries that show whether a writing workload has left the same.
  var checks: [String] = []

  /// It takes long: fewer pairs will do.
  var isWriting: Bool { !checks.isEmpty }

  static func all(documents: Int, boxes: Int) -> [SearchWorkload] {
    fts5Queries + fts5Changes(documents) + fts4Queries + fts4Changes(documents)
      + spatial(boxes)
  }

  // MARK: Words

  private static func words(_ ranks: [Int], _ pattern: (String) -> String) -> [[Parameter]] {
    ranks.map { [.text(pattern(SearchText.word($0)))] }
  }

  private static func pairs(
    _ ranks: [(Int, Int)], _ pattern: (String, String) -> String
  ) -> [[Parameter]] {
    ranks.map { [.text(pattern(SearchText.word($0), SearchText.word($1)))] }
  }

  private static let rare = Array(20_000..<20_500)
  private static let common = [5, 7, 9, 11, 13]
  private static let frequentPairs = [(10, 20), (12, 30), (15, 25), (18, 40), (22, 35)]
  /// Beginnings that some hundred words have.
  private static let beginnings = words([101, 203, 307]) { $0.prefix(2) + "*" }

  // MARK: FTS5

  private static func fts5(
    _ name: String, _ columns: String, _ parameters: [[Parameter]], table: String = "search",
    tail: String = ""
  ) -> SearchWorkload {
    SearchWorkload(
      name: name, sql: "SELECT \(columns) FROM \(table) WHERE \(table) MATCH ?1\(tail)",
      parameters: parameters)
  }

  private static let fts5Queries: [SearchWorkload] = [
    fts5("fts5: rare term", "rowid", words(rare) { $0 }),
    fts5("fts5: common term", "rowid", words(common) { $0 }),
    fts5("fts5: AND", "rowid", pairs(frequentPairs) { "\($0) AND \($1)" }),
    fts5("fts5: phrase", "rowid", pairs(frequentPairs) { "\"\($0) \($1)\"" }),
    fts5("fts5: NEAR", "rowid", pairs(frequentPairs) { "NEAR(\($0) \($1), 5)" }),
    fts5("fts5: prefix", "rowid", beginnings),
    fts5("fts5: prefix, indexed", "rowid", beginnings, table: "prefixed"),
    fts5(
      "fts5: rank, top 10", "rowid, rank", words([50, 70, 90]) { $0 },
      tail: " ORDER BY rank LIMIT 10"),
    fts5(
      "fts5: snippet", "snippet(search, 0, '[', ']', '...', 12)", words([50, 70, 90]) { $0 },
      tail: " LIMIT 500"),
    SearchWorkload(
      name: "fts5: trigram LIKE", sql: "SELECT rowid FROM pieces WHERE body LIKE ?1",
      parameters: words([2_000, 3_000, 4_001, 5_003]) { "%\($0)%" }),
  ]

  private static func fts5Changes(_ documents: Int) -> [SearchWorkload] {
    let make = "CREATE VIRTUAL TABLE made USING fts5(body)"
    return [
      SearchWorkload(
        name: "fts5: build",
        sql: "INSERT INTO made(rowid, body) SELECT id, body FROM document",
        before: [make], after: ["DROP TABLE made"],
        checks: ["SELECT * FROM made_data", "SELECT * FROM made_idx"]),
      SearchWorkload(
        name: "fts5: insert one by one",
        sql: "INSERT INTO made(rowid, body) SELECT id, body FROM document WHERE id = ?1",
        parameters: (1...max(documents / 50, 1)).map { [.integer(Int64($0))] },
        before: [make], after: ["DROP TABLE made"],
        checks: ["SELECT * FROM made_data", "SELECT * FROM made_idx"]),
      SearchWorkload(
        name: "fts5: optimize", sql: "INSERT INTO search(search) VALUES('optimize')",
        before: ["BEGIN"], after: ["ROLLBACK"],
        checks: ["SELECT * FROM search_data", "SELECT * FROM search_idx"]),
    ]
  }

  // MARK: FTS4

  private static func fts4(
    _ name: String, _ columns: String, _ parameters: [[Parameter]], tail: String = ""
  ) -> SearchWorkload {
    fts5(name, columns, parameters, table: "legacy", tail: tail)
  }

  private static let fts4Queries: [SearchWorkload] = [
    fts4("fts4: rare term", "docid", words(rare) { $0 }),
    fts4("fts4: common term", "docid", words(common) { $0 }),
    fts4("fts4: AND", "docid", pairs(frequentPairs) { "\($0) AND \($1)" }),
    fts4("fts4: phrase", "docid", pairs(frequentPairs) { "\"\($0) \($1)\"" }),
    fts4("fts4: NEAR", "docid", pairs(frequentPairs) { "\($0) NEAR/5 \($1)" }),
    fts4("fts4: prefix", "docid", beginnings),
    fts4(
      "fts4: offsets", "offsets(legacy)", words([50, 70, 90]) { $0 }, tail: " LIMIT 500"),
    fts4(
      "fts4: snippet", "snippet(legacy, '[', ']', '...', 0, 12)", words([50, 70, 90]) { $0 },
      tail: " LIMIT 500"),
    fts4("fts4: matchinfo", "matchinfo(legacy, 'pcnalx')", words([50, 70, 90]) { $0 }),
  ]

  private static func fts4Changes(_ documents: Int) -> [SearchWorkload] {
    let make = "CREATE VIRTUAL TABLE made USING fts4(body)"
    let checks = ["SELECT * FROM made_segments", "SELECT * FROM made_segdir"]
    return [
      SearchWorkload(
        name: "fts4: build",
        sql: "INSERT INTO made(docid, body) SELECT id, body FROM document",
        before: [make], after: ["DROP TABLE made"], checks: checks),
      SearchWorkload(
        name: "fts4: rebuild", sql: "INSERT INTO made(made) VALUES('rebuild')",
        before: [
          make,
          """
          INSERT INTO made(docid, body) SELECT id, body FROM document WHERE id <= \(documents / 5)
          """,
        ], after: ["DROP TABLE made"], checks: checks),
      SearchWorkload(
        name: "fts4: insert one by one",
        sql: "INSERT INTO made(docid, body) SELECT id, body FROM document WHERE id = ?1",
        parameters: (1...max(documents / 50, 1)).map { [.integer(Int64($0))] },
        before: [make], after: ["DROP TABLE made"], checks: checks),
      SearchWorkload(
        name: "fts4: optimize", sql: "INSERT INTO legacy(legacy) VALUES('optimize')",
        before: ["BEGIN"], after: ["ROLLBACK"],
        checks: ["SELECT * FROM legacy_segments", "SELECT * FROM legacy_segdir"]),
    ]
  }

  // MARK: R-trees

  private static func spatial(_ boxes: Int) -> [SearchWorkload] {
    let windows: [[Parameter]] = (0..<200).map { number in
      let x = Int64(number * 7_919 % 950_000), y = Int64(number * 104_729 % 950_000)
      return [.integer(x), .integer(x + 20_000), .integer(y), .integer(y + 20_000)]
    }
    let points: [[Parameter]] = (0..<5_000).map { number in
      let id = number &* 7_919 % boxes + 1
      return [
        .integer(Int64(id * 7_919 % 1_000_003) + 1), .integer(Int64(id * 104_729 % 999_983) + 1),
      ]
    }
    return [
      SearchWorkload(
        name: "rtree: insert",
        sql: "INSERT INTO made SELECT id, x, x + w, y, y + h FROM place",
        before: ["CREATE VIRTUAL TABLE made USING rtree(id, x0, x1, y0, y1)"],
        after: ["DROP TABLE made"], checks: ["SELECT * FROM made_node"]),
      SearchWorkload(
        name: "rtree: window",
        sql: "SELECT * FROM box WHERE x1 >= ?1 AND x0 <= ?2 AND y1 >= ?3 AND y0 <= ?4",
        parameters: windows),
      SearchWorkload(
        name: "rtree: point",
        sql: "SELECT id FROM box WHERE x0 <= ?1 AND x1 >= ?1 AND y0 <= ?2 AND y1 >= ?2",
        parameters: points),
    ]
  }

  // MARK: Running

  /// Runs the workload once.
  ///
  /// - Returns: The milliseconds of its timed part, and a sum over what it read; where it is
  ///   thorough, also over what it left.
  func run<Engine: BenchEngine>(
    on engine: Engine, thorough: Bool
  ) throws(BenchError) -> (Double, Checksum) {
    var checksum = Checksum(isThorough: thorough)
    for statement in before { try Workload.execute(statement, on: engine) }
    let start = ContinuousClock.now
    try query(engine, &checksum)
    let duration = ContinuousClock.now - start
    if thorough {
      for check in checks {
        let statement = try engine.prepare(check)
        while try statement.step() { statement.read(into: &checksum) }
      }
    }
    for statement in after { try Workload.execute(statement, on: engine) }
    return (duration / .milliseconds(1), checksum)
  }

  private func query<Engine: BenchEngine>(
    _ engine: Engine, _ checksum: inout Checksum
  ) throws(BenchError) {
    let statement = try engine.prepare(sql)
    for set in parameters {
      for (index, parameter) in set.enumerated() {
        switch parameter {
        case .integer(let value): try statement.bind(value, at: Int32(index + 1))
        case .text(var text):
          let result = text.withUTF8 { bytes in
            Result { () throws(BenchError) in
              try statement.bind(text: UnsafeRawBufferPointer(bytes), at: Int32(index + 1))
            }
          }
          try result.get()
        }
      }
      while try statement.step() { statement.read(into: &checksum) }
      statement.reset()
    }
  }
}
