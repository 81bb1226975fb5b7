/// A change to measure: a state of the database, and the statements that change it.
///
/// Every run starts on a file of its own, equal for both engines, and both must leave the same.
struct WritingWorkload: Sendable {
  /// What a parameter is bound to in run i of a statement.
  enum Parameter: Sendable {
    /// i + 1.
    case next
    /// Every number from 1 to the count of runs once, jumping about.
    case scattered
    /// A number that repeats itself after some thousand runs.
    case cycling
    /// A text of 20 to 43 letters.
    case text
  }

  /// The timed part.
  struct Change: Sendable {
    let sql: String
    var parameters: [Parameter] = []
    /// How often the statement runs, for the count of rows.
    var runs: @Sendable (_ rows: Int) -> Int = { _ in 1 }
    /// BEGIN before and COMMIT after all runs, which are timed with them.
    var isInTransaction = false
    /// What is in place of COMMIT.
    var ending = "COMMIT"
  }

  let name: String
  /// Indexes of the table `item`.
  var indexes: [String] = []
  /// How many rows `item` has before the change.
  var filled: @Sendable (_ rows: Int) -> Int = { $0 }
  let change: Change
  /// The table that is compared afterwards.
  var changedTable = "item"
  /// What the connections are told before the change.
  var pragmas: [String] = []
  /// The database is `:memory:`, which each engine fills itself before.
  var isInMemory = false
}

extension WritingWorkload {
  private static let columns =
    "item(id INTEGER PRIMARY KEY, code INTEGER, bucket INTEGER, price REAL, name TEXT)"
  private static let byCode = "CREATE INDEX item_code ON item(code)"
  private static let byBucket = "CREATE INDEX item_bucket ON item(bucket)"
  private static let byName = "CREATE INDEX item_name ON item(name)"
  private static let uniqueCode = "CREATE UNIQUE INDEX item_code ON item(code)"

  private static func insert(
    _ key: Parameter, runs: @escaping @Sendable (Int) -> Int = { $0 }, inTransaction: Bool = true
  ) -> Change {
    Change(
      sql: "INSERT INTO item VALUES(?1, ?2, ?3, ?4, ?5)",
      parameters: [key, .scattered, .cycling, .cycling, .text], runs: runs,
      isInTransaction: inTransaction)
  }

  static let all = files + memory

  private static let files: [WritingWorkload] = [
    WritingWorkload(name: "insert, in order", filled: { _ in 0 }, change: insert(.next)),
    WritingWorkload(
      name: "insert, two indexes", indexes: [byCode, byName], filled: { _ in 0 },
      change: insert(.next)),
    WritingWorkload(name: "insert, random keys", filled: { _ in 0 }, change: insert(.scattered)),
    WritingWorkload(
      name: "insert, autocommit", filled: { $0 / 20 },
      change: Change(
        sql: "INSERT INTO item VALUES(NULL, ?1, ?2, ?3, ?4)",
        parameters: [.scattered, .cycling, .cycling, .text], runs: { $0 / 20 })),
    WritingWorkload(
      name: "upsert", indexes: [uniqueCode], filled: { $0 / 2 },
      change: Change(
        sql: """
          INSERT INTO item(code, bucket, price, name) VALUES(?1, ?2, 0.5, ?3)
          ON CONFLICT(code) DO UPDATE SET bucket = bucket + excluded.bucket
          """,
        parameters: [.scattered, .cycling, .text], runs: { $0 }, isInTransaction: true)),
    WritingWorkload(
      name: "update all rows",
      change: Change(sql: "UPDATE item SET bucket = bucket + 1, price = price * 1.5")),
    WritingWorkload(
      name: "update by rowid", indexes: [byCode],
      change: Change(
        sql: "UPDATE item SET price = ?2 WHERE id = ?1", parameters: [.scattered, .cycling],
        runs: { $0 }, isInTransaction: true)),
    WritingWorkload(
      name: "update indexed column", indexes: [byCode],
      change: Change(sql: "UPDATE item SET code = code + 1000")),
    WritingWorkload(
      name: "delete half", indexes: [byCode],
      change: Change(sql: "DELETE FROM item WHERE id % 2 = 0")),
    WritingWorkload(
      name: "copy table, one index",
      indexes: [
        byCode, "CREATE TABLE copied\(columns.dropFirst("item".count))",
        "CREATE INDEX copied_code ON copied(code)",
      ],
      change: Change(sql: "INSERT INTO copied SELECT * FROM item"), changedTable: "copied"),
    WritingWorkload(
      name: "insert, trigger",
      indexes: [
        "CREATE TABLE log(id, name)",
        """
        CREATE TRIGGER item_log AFTER INSERT ON item BEGIN
          INSERT INTO log VALUES(new.id, new.name);
        END
        """,
      ],
      filled: { _ in 0 }, change: insert(.next), changedTable: "log"),
    WritingWorkload(
      name: "insert, trigger on a view",
      indexes: [
        "CREATE TABLE log(id, code, name)",
        byBucket,
        "CREATE VIEW filling AS SELECT bucket, count(*) AS count FROM item GROUP BY bucket",
        """
        CREATE TRIGGER item_log AFTER INSERT ON item BEGIN
          INSERT INTO log SELECT new.id, count, bucket FROM filling WHERE bucket = new.bucket;
        END
        """,
      ],
      filled: { _ in 0 }, change: insert(.next), changedTable: "log"),
    WritingWorkload(
      name: "insert, foreign key",
      indexes: [
        "CREATE TABLE parent(id INTEGER PRIMARY KEY)",
        """
        INSERT INTO parent
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
        SELECT i FROM n
        """,
        "CREATE TABLE child(id INTEGER PRIMARY KEY, up INTEGER REFERENCES parent, name TEXT)",
      ],
      filled: { _ in 0 },
      change: Change(
        sql: "INSERT INTO child VALUES(?1, ?2, ?3)", parameters: [.next, .cycling, .text],
        runs: { $0 }, isInTransaction: true),
      changedTable: "child", pragmas: ["PRAGMA foreign_keys = ON"]),
    WritingWorkload(
      name: "alter, add column", filled: { $0 * 5 },
      change: Change(sql: "ALTER TABLE item ADD COLUMN more TEXT DEFAULT 'x' CHECK(more <> 'y')")),
    WritingWorkload(
      name: "alter, drop column", filled: { $0 * 5 },
      change: Change(sql: "ALTER TABLE item DROP COLUMN bucket")),
    WritingWorkload(
      name: "alter, rename column", indexes: [byCode], filled: { $0 * 5 },
      change: Change(sql: "ALTER TABLE item RENAME COLUMN code TO number"), changedTable: "item"),
    WritingWorkload(
      name: "vacuum", indexes: [byCode], filled: { $0 * 5 }, change: Change(sql: "VACUUM")),
    WritingWorkload(name: "create index, integer", change: Change(sql: byCode)),
    WritingWorkload(name: "create index, text", change: Change(sql: byName)),
  ]

  /// Databases in memory, larger than the cache is by default.
  private static let memory: [WritingWorkload] = [
    WritingWorkload(
      name: "memory, insert, autocommit", filled: { _ in 0 },
      change: insert(.next, inTransaction: false), isInMemory: true),
    WritingWorkload(
      name: "memory, update, autocommit",
      change: Change(
        sql: "UPDATE item SET price = ?2 WHERE id = ?1", parameters: [.scattered, .cycling],
        runs: { $0 }),
      isInMemory: true),
    WritingWorkload(
      name: "memory, rollback", indexes: [byCode],
      change: Change(
        sql: "UPDATE item SET bucket = bucket + 1", isInTransaction: true, ending: "ROLLBACK"),
      isInMemory: true),
    WritingWorkload(
      name: "memory, count(*)",
      change: Change(sql: "SELECT count(*) FROM item", runs: { _ in 50 }), isInMemory: true),
    WritingWorkload(
      name: "memory, vacuum", indexes: [byCode], filled: { $0 * 5 },
      change: Change(sql: "VACUUM"), isInMemory: true),
  ]

  /// Statements that make the state before the change.
  func setup(rows: Int) -> [String] {
    let count = filled(rows)
    let series =
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1)) "
    let filling = """
      INSERT INTO item \(series) SELECT i + 1, i * 7919 % \(count) + 1, i * 31 % 1000,
        (i * 37 % 100003) / 100.0, printf('%04x item %d of many', i * 40503 % 65536, i) FROM n
      """
    return ["PRAGMA synchronous = OFF", "BEGIN", "CREATE TABLE \(Self.columns)"]
      + (count == 0 ? [] : [filling]) + indexes + ["COMMIT"]
  }

  /// Queries whose rows tell whether both engines left the same.
  var checks: [String] {
    if change.sql.hasPrefix("ALTER") { return ["SELECT * FROM \(changedTable)"] }
    let isIndexed = change.sql.hasPrefix("CREATE") || indexes.contains {
      $0.hasPrefix("CREATE INDEX") || $0.hasPrefix("CREATE UNIQUE")
    }
    let names = isIndexed ? ["code, id", "name, id"] : []
    return ["SELECT * FROM \(changedTable)"]
      + names.map { "SELECT \($0) FROM \(changedTable) ORDER BY 1, 2" }
  }

  /// Makes the change.
  func run<Engine: BenchEngine>(on engine: Engine, rows: Int) throws(BenchError) {
    if change.isInTransaction { try Workload.execute("BEGIN", on: engine) }
    let statement = try engine.prepare(change.sql)
    let count = change.runs(rows)
    for run in 0..<count {
      for (index, parameter) in change.parameters.enumerated() {
        try bind(parameter, at: Int32(index + 1), run, count, statement)
      }
      while try statement.step() {}
      statement.reset()
    }
    if change.isInTransaction { try Workload.execute(change.ending, on: engine) }
  }

  @inline(__always)
  private func bind<Prepared: BenchStatement>(
    _ parameter: Parameter, at index: Int32, _ run: Int, _ count: Int, _ statement: Prepared
  ) throws(BenchError) {
    switch parameter {
    case .next: try statement.bind(Int64(run + 1), at: index)
    // A permutation where the count and 7,919, a prime, have no common divisor.
    case .scattered: try statement.bind(Int64(run * 7919 % count + 1), at: index)
    case .cycling: try statement.bind(Int64(run * 31 % 4001), at: index)
    case .text:
      let start = run * 977 % (Letters.count - 43)
      let text = UnsafeRawBufferPointer(start: Letters.bytes + start, count: 20 + run % 24)
      try statement.bind(text: text, at: index)
    }
  }
}

/// Letters in no order, of which texts are cut.
private enum Letters {
  static let count = 8192
  static nonisolated(unsafe) let bytes: UnsafeMutableRawPointer = {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
    var state: UInt64 = 88_172_645_463_325_252
    for index in 0..<count {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      bytes.storeBytes(of: UInt8(97 + state % 26), toByteOffset: index, as: UInt8.self)
    }
    return bytes
  }()
}
