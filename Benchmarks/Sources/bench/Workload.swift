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
  static let all = basic + joins + firstRows + functions + recursions + windows + documents

  private static let basic: [Workload] = [
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
    Workload(
      "order by index, top 10", .scan(),
      "SELECT id, name, code FROM item ORDER BY code, name LIMIT 10"),
    Workload(
      "order by index, full", .scan(), "SELECT id, name, code FROM item ORDER BY code, name"),
    Workload("distinct", .scan(), "SELECT DISTINCT bucket, flag FROM item"),
    Workload("distinct by index", .scan(), "SELECT DISTINCT code FROM item"),
    Workload(
      "LIKE prefix by index", .scan(20),
      "SELECT count(*), sum(points) FROM plain WHERE label LIKE 'Label 1%'"),
    Workload(
      "string_agg, small groups", .scan(),
      """
      SELECT sum(length(names)) FROM \
      (SELECT string_agg(name, ',' ORDER BY price) AS names FROM item GROUP BY code / 3)
      """),
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
      "function of the application", .scan(),
      "SELECT sum(bench_score(code, name)) FROM (SELECT code, name FROM item LIMIT 200000)"),
    Workload(
      "order by own collation", .scan(),
      "SELECT id FROM (SELECT id, name FROM item LIMIT 200000) ORDER BY name COLLATE bench_bytes"),
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

  /// Joins and what is like them.
  private static let joins: [Workload] = [
    Workload(
      "star join of five tables", .scan(),
      """
      SELECT c.region, p.kind, s.city, count(*), sum(v.amount * p.price) FROM visit v \
      JOIN customer c ON c.id = v.customer_id JOIN product p ON p.id = v.product_id \
      JOIN store s ON s.id = v.store_id JOIN day d ON d.id = v.day_id \
      WHERE d.date BETWEEN '2021-01-01' AND '2022-12-31' AND s.city <> 'city 3' \
      GROUP BY c.region, p.kind, s.city
      """),
    Workload(
      "correlated subquery", .scan(),
      """
      SELECT count(*) FROM customer c WHERE \
      (SELECT sum(amount) FROM visit v WHERE v.customer_id = c.id AND v.store_id < 25) > 5000
      """),
    Workload(
      "OR over two indexes",
      .query(runs: 100) { run, _ in [scattered(run, 2_000) + 1, scattered(run, 500) + 1] },
      inTransaction: true,
      "SELECT id, amount FROM visit WHERE customer_id = ?1 OR product_id = ?2"),
    Workload(
      "LEFT JOIN chain", .scan(),
      """
      SELECT count(*), count(i.id), count(j.id), sum(v.amount) FROM sale o \
      LEFT JOIN item i ON i.id = o.item_id AND i.flag = 1 \
      LEFT JOIN item j ON j.code = i.code + 1 LEFT JOIN visit v ON v.id = j.id + 7
      """),
    Workload(
      "compound with ORDER BY", .scan(),
      """
      SELECT bucket, flag FROM item WHERE price > 100 UNION SELECT quantity, mark FROM sale \
      EXCEPT SELECT customer_id, 1 FROM visit ORDER BY 2, 1
      """),
    Workload(
      "UNION ALL with ORDER BY", .scan(),
      """
      SELECT id, code FROM item WHERE flag = 2 UNION ALL SELECT id, item_code FROM sale \
      WHERE quantity = 3 ORDER BY 2, 1
      """),
  ]

  /// Few rows of large tables: what is not needed must not be looked at.
  private static let firstRows: [Workload] = [
    Workload(
      "IN of a table's keys, few", .scan(100),
      "SELECT count(*) FROM plain WHERE rowid < 20 AND mark IN (SELECT id FROM item)"),
    Workload(
      "IN of a table's keys, all", .scan(),
      "SELECT count(*) FROM sale WHERE item_code IN (SELECT code FROM item)"),
    Workload(
      "IN with an order, top 10", .scan(100),
      "SELECT id, amount FROM visit WHERE customer_id IN (5, 7, 11) ORDER BY id DESC LIMIT 10"),
    Workload(
      "UNION, top 10", .scan(100),
      "SELECT customer_id FROM visit UNION SELECT product_id FROM visit ORDER BY 1 LIMIT 10"),
    Workload(
      "count(*) over UNION ALL", .scan(),
      "SELECT count(*) FROM (SELECT id FROM item UNION ALL SELECT id FROM visit)"),
  ]

  /// Functions of every row of a large table.
  private static let functions: [Workload] = [
    Workload(
      "date functions of a text", .scan(),
      """
      SELECT max(date(at, '+1 month')), max(julianday(at)), sum(unixepoch(at)), \
      max(time(at, '-90 minutes')) FROM visit
      """),
    Workload(
      "date functions of a number", .scan(),
      """
      SELECT max(datetime(id * 611, 'unixepoch')), \
      max(date(id * 3, 'unixepoch', 'start of month')), \
      max(strftime('%Y-%W %H:%M:%f', id + 2400000.25)) FROM visit
      """),
    Workload(
      "group by strftime", .scan(),
      "SELECT strftime('%Y-%m', at), count(*), sum(amount) FROM visit GROUP BY 1"),
    Workload(
      "reals to text", .scan(),
      "SELECT max(price || ''), max(CAST(amount * 1.1 AS TEXT)) FROM item JOIN visit USING (id)"),
    Workload(
      "printf", .scan(),
      """
      SELECT max(printf('%.2f', price)), max(format('%08d %s', code, name)), \
      max(printf('%,d %x', code, id)) FROM item
      """),
    Workload(
      "round and numbers of text", .scan(),
      """
      SELECT sum(round(price * 1.07, 2)), sum(CAST(substr(note, -4) AS INTEGER)), \
      sum(CAST('1.' || code AS REAL)) FROM item
      """),
    Workload(
      "text functions", .scan(),
      """
      SELECT sum(length(upper(name))), sum(instr(note, 'number')), \
      max(replace(name, 'item', 'thing')), max(substr(note, 5, 12)), max(trim(name)) FROM item
      """),
  ]

  /// Recursive common tables.
  private static let recursions: [Workload] = [
    Workload(
      "recursive CTE, 500,000 rows", .scan(),
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) \
      SELECT count(*), sum(i) FROM n
      """),
    Workload(
      "recursive CTE, UNION", .scan(),
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i * 7 % 100003 FROM n) \
      SELECT count(*), sum(i) FROM n
      """),
  ]

  /// Window functions: sorted input, its own order, small and large partitions, moving frames.
  private static let windows: [Workload] = [
    Workload(
      "window, row_number", .scan(),
      "SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY id) AS r FROM item)"),
    Workload(
      "window, running sum", .scan(),
      "SELECT sum(s) FROM (SELECT sum(price) OVER (ORDER BY id) AS s FROM item)"),
    Workload(
      "window, sum by partition", .scan(),
      "SELECT sum(s) FROM (SELECT sum(price) OVER (PARTITION BY bucket) AS s FROM item)"),
    Workload(
      "window, rank in partition", .scan(),
      """
      SELECT max(r), max(name) FROM \
      (SELECT name, rank() OVER (PARTITION BY bucket ORDER BY price DESC) AS r FROM item)
      """),
    Workload(
      "window, moving average", .scan(),
      """
      SELECT sum(s) FROM (SELECT avg(price) OVER \
      (ORDER BY id ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING) AS s FROM item)
      """),
    Workload(
      "window, moving max", .scan(),
      """
      SELECT sum(s) FROM (SELECT max(price) OVER \
      (ORDER BY id ROWS 50 PRECEDING) AS s FROM item)
      """),
    Workload(
      "window, exclude current row", .scan(),
      """
      SELECT sum(s) FROM (SELECT sum(price) OVER \
      (ORDER BY id ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING EXCLUDE CURRENT ROW) AS s FROM item)
      """),
    Workload(
      "window, lag and lead", .scan(),
      """
      SELECT sum(price - a), sum(b - price) FROM (SELECT price, lag(price) OVER w AS a, \
      lead(price) OVER w AS b FROM item WINDOW w AS (ORDER BY id))
      """),
    Workload(
      "window, range of values", .scan(),
      """
      SELECT sum(s) FROM (SELECT count(*) OVER \
      (ORDER BY price RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS s FROM item)
      """),
    Workload(
      "window, top 3 of each", .scan(),
      """
      SELECT count(*), sum(price) FROM (SELECT price, row_number() OVER \
      (PARTITION BY bucket ORDER BY price DESC) AS r FROM item) WHERE r <= 3
      """),
  ]

  /// JSON, as text and as JSONB.
  private static let documents: [Workload] = [
    Workload(
      "->> of 1 KB texts", .scan(),
      "SELECT count(body ->> '$.address.city'), sum(body ->> 'score') FROM document"),
    Workload(
      "->> of 1 KB texts, one each", .scan(), "SELECT sum(body ->> '$.score') FROM document"),
    Workload(
      "->> of JSONB", .scan(),
      "SELECT count(packed ->> '$.address.city'), sum(packed ->> 'score') FROM document"),
    Workload(
      "JSON by index", .query(runs: 2_000) { run, _ in [scattered(run, 100)] },
      inTransaction: true,
      "SELECT id, json_extract(body, '$.name') FROM document WHERE body ->> '$.kind' = ?1 LIMIT 10"),
    Workload(
      "json_group_array", .scan(),
      "SELECT length(json_group_array(json_object('id', id, 'name', name))) FROM item"),
    Workload(
      "json_group_array by groups", .scan(),
      "SELECT bucket, length(json_group_array(name)) FROM item GROUP BY bucket"),
    Workload(
      "json_each join", .scan(),
      "SELECT count(*), max(value) FROM document, json_each(document.body, '$.tags')"),
    Workload(
      "json_tree of JSONB", .scan(),
      "SELECT count(*), max(fullkey) FROM document, json_tree(document.packed)"),
    Workload(
      "json_set", .scan(),
      "SELECT sum(length(json_set(body, '$.kind', 5, '$.items[1].count', id))) FROM document"),
    Workload(
      "json", .scan(), "SELECT sum(length(json(body))), sum(json_valid(body)) FROM document"),
    Workload("jsonb to text", .scan(), "SELECT sum(length(json(packed))) FROM document"),
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
