/// One thing to measure: a statement, and how often it runs.
struct Workload: Sendable {
  enum Kind: Sendable {
    /// Prepared once; run once for each set of parameters that `parameters` gives.
    case query(runs: Int, parameters: @Sendable (_ run: Int, _ rows: Int) -> [Int64])
    /// Only prepared, again and again: a text of its own each time, so that it is compiled, or the
    /// same text, which an engine may have kept.
    case prepare(times: Int, isSameText: Bool = false)
  }

  let name: String
  let kind: Kind
  let sql: String
  /// Look-ups run inside one read transaction, so that locks are not what is measured.
  let isInTransaction: Bool

  init(_ name: String, _ kind: Kind, inTransaction: Bool = false, _ sql: String) {
    self.name = name
    self.kind = kind
    self.isInTransaction = inTransaction
    self.sql = sql
  }
}

extension Workload.Kind {
  /// A statement without parameters.
  static func scan(_ runs: Int = 1) -> Workload.Kind { .query(runs: runs) { _, _ in [] } }
}

extension Workload {
  /// The reading workloads, over the tables that `DataFile` makes.
  static let all: [Workload] = [
    Workload(
      "point by rowid", .query(runs: 50_000) { run, rows in [scattered(run, rows) + 1] },
      inTransaction: true,
      "SELECT name, price, note FROM item WHERE id = ?1"),
    Workload(
      "look-up by index", .query(runs: 50_000) { run, rows in [scattered(run, rows)] },
      inTransaction: true,
      "SELECT id, name, price FROM item WHERE code = ?1"),
    Workload(
      "range by index",
      .query(runs: 50) { run, rows in
        let start = scattered(run, max(rows - 1_000, 1))
        return [start, start + 999]
      },
      inTransaction: true,
      "SELECT id, name, price FROM item WHERE code BETWEEN ?1 AND ?2"),
    Workload(
      "scan, filter, aggregate", .scan(),
      "SELECT count(*), round(sum(price), 2), max(code) FROM item WHERE flag = 1 AND price > 250.0"),
    Workload("count(*)", .scan(10), "SELECT count(*) FROM item"),
    Workload("LIKE scan", .scan(), "SELECT count(*) FROM item WHERE note LIKE '%needle%'"),
    Workload(
      "group by 1,000 integers", .scan(),
      "SELECT bucket, count(*), sum(price) FROM item GROUP BY bucket"),
    Workload(
      "group by text expression", .scan(),
      "SELECT substr(name, 1, 4), count(*), max(price) FROM item GROUP BY substr(name, 1, 4)"),
    Workload("order by, full", .scan(), "SELECT id, name, price FROM item ORDER BY name"),
    Workload(
      "order by, top 10", .scan(), "SELECT id, name, price FROM item ORDER BY price LIMIT 10"),
    Workload("distinct", .scan(), "SELECT DISTINCT bucket, flag FROM item"),
    Workload(
      "join by rowid", .scan(),
      """
      SELECT count(*), sum(i.price), max(o.quantity) FROM sale o JOIN item i ON i.id = o.item_id
      """),
    Workload(
      "join by index", .scan(),
      """
      SELECT count(*), sum(i.price) FROM sale o JOIN item i ON i.code = o.item_code \
      WHERE o.quantity < 5
      """),
    Workload(
      "join without index", .scan(),
      "SELECT count(*), sum(p.points) FROM sale o JOIN plain p ON p.mark = o.mark"),
    Workload(
      "prepare, point query", .prepare(times: 10_000),
      "SELECT name, price, note FROM item WHERE id = ?1"),
    Workload(
      "prepare, same text", .prepare(times: 10_000, isSameText: true),
      "SELECT name, price, note FROM item WHERE id = ?1"),
    Workload(
      "prepare, 3-join query", .prepare(times: 2_000),
      """
      SELECT i.name, o.quantity, p.points FROM sale o \
      JOIN item i ON i.id = o.item_id JOIN plain p ON p.rowid = o.id JOIN item j ON j.code = i.id \
      WHERE o.quantity > ?1 AND i.price BETWEEN ?2 AND ?3 AND p.points <> 0 \
      ORDER BY o.quantity DESC, i.name LIMIT 10
      """),
  ]

  /// A number below `limit` that jumps about, the same in every run.
  private static func scattered(_ run: Int, _ limit: Int) -> Int64 {
    Int64((run &* 2_654_435_761) % max(limit, 1))
  }

  /// Runs the workload once and gives a sum over what it read.
  func run<Engine: BenchEngine>(
    on engine: Engine, rows: Int, thorough: Bool
  ) throws(BenchError) -> Checksum {
    var checksum = Checksum(isThorough: thorough)
    switch kind {
    case .prepare(let times, let isSameText):
      for time in 0..<times {
        _ = try engine.prepare(isSameText ? sql : "\(sql) -- \(time)")
      }
    case .query(let runs, let parameters):
      if isInTransaction { try Self.execute("BEGIN", on: engine) }
      let statement = try engine.prepare(sql)
      for run in 0..<runs {
        for (index, value) in parameters(run, rows).enumerated() {
          try statement.bind(value, at: Int32(index + 1))
        }
        while try statement.step() { statement.read(into: &checksum) }
        statement.reset()
      }
      if isInTransaction { try Self.execute("COMMIT", on: engine) }
    }
    return checksum
  }

  static func execute<Engine: BenchEngine>(_ sql: String, on engine: Engine) throws(BenchError) {
    let statement = try engine.prepare(sql)
    while try statement.step() {}
  }
}
