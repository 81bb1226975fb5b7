import Engines

/// One seed of `torture savepoints`.
///
/// Each schema has a table of a unique number and a text, which has an index too. The model knows
/// the text of each number; a step is a statement about transactions and some about rows.
struct SavepointSeed {
  typealias Rows = [Int: String]

  let place: SavepointPlace
  private let library: OracleLibrary
  private var random: RandomSource
  private let pageSize: Int
  private(set) var history: [String] = []
  /// What went wrong first; then nothing more is done.
  private(set) var problem: String?
  /// Whether C has found its own database malformed, where Martlet's is sound, as happens to a
  /// temporary database after a rollback.
  private(set) var hasOracleFailed = false

  private var martlet: (any Database)?
  private var oracle: (any Database)?
  private var paths: [String] = []

  /// The rows of each schema.
  private var rows: [Rows]
  /// What a rollback of the whole transaction returns to.
  private var committed: [Rows]
  private var savepoints: [(name: String, rows: [Rows])] = []
  private var isInTransaction = false
  private var version = 0

  init(_ library: OracleLibrary, seed: UInt64) {
    self.library = library
    random = RandomSource(seed: seed)
    place = SavepointPlace.all[Int(seed % UInt64(SavepointPlace.all.count))]
    pageSize = random.pick([512, 1024, 1024, 4096])
    rows = place.schemas.map { _ in [:] }
    committed = rows
  }

  mutating func run(steps: Int) throws(EngineError) {
    defer { paths.forEach { Files.removeDatabase($0) } }
    try open()
    setUp()
    for step in 0..<steps where goesOn {
      control()
      for _ in 0..<random.within(1...3) where goesOn { change() }
      if goesOn { check(thoroughly: step % 4 == 3) }
    }
    if isInTransaction, goesOn { end("COMMIT") }
    if goesOn { check(thoroughly: true) }
    oracle = nil
    martlet = nil
  }

  private var goesOn: Bool { problem == nil && !hasOracleFailed }

  private mutating func open() throws(EngineError) {
    if place.isFile { paths = [Scratch.path("m"), Scratch.path("c")] }
    martlet = try Engine.martlet.open(path: paths.first ?? place.location, readOnly: false)
    oracle = try Engine.oracle(library).open(
      path: paths.last ?? place.location, readOnly: false)
  }

  private mutating func setUp() {
    let cacheSize = random.pick([5, 10, 10, 40, 0])
    let vacuum = random.pick(["NONE", "FULL", "INCREMENTAL", "INCREMENTAL", "INCREMENTAL"])
    if place.schemas.contains("other") { run("ATTACH '' AS other") }
    if place.isFile { run("PRAGMA synchronous = OFF") }
    for schema in place.schemas {
      run("PRAGMA \(schema).page_size = \(pageSize)")
      if cacheSize > 0 { run("PRAGMA \(schema).cache_size = \(cacheSize)") }
      run("PRAGMA \(schema).auto_vacuum = \(vacuum)")
      if schema != "temp", place.title != "memory" {
        let mode = random.pick(["DELETE", "DELETE", "TRUNCATE", "PERSIST", "MEMORY"])
        run("PRAGMA \(schema).journal_mode = \(mode)")
      }
      run("CREATE TABLE \(schema).t(x, y)")
      run("CREATE UNIQUE INDEX \(schema).tx ON t(x)")
      run("CREATE INDEX \(schema).ty ON t(y)")
    }
  }

  /// Runs a statement on both engines, which have to agree.
  private mutating func run(_ sql: String) {
    guard goesOn, let martlet, let oracle else { return }
    history.append(sql)
    let mine = martlet.outcome(of: sql), expected = oracle.outcome(of: sql)
    let isBad =
      expected.error?.code == 11 || sql.contains("integrity_check") && expected.rows != ["'ok'"]
    if isBad, mine.error == nil, place.title != "file" {
      hasOracleFailed = place.schemas.allSatisfy {
        martlet.outcome(of: "PRAGMA \($0).integrity_check").rows == ["'ok'"]
      }
      if hasOracleFailed { return }
    }
    guard let found = expected.difference(from: mine, sql: sql) else { return }
    problem =
      "\(found.kind.rawValue): \(sql.prefix(100))\n  C: \(found.oracle)\n  M: \(found.martlet)"
  }
}

// MARK: Transactions

extension SavepointSeed {
  private mutating func control() {
    switch random.below(14) {
    case 0..<5:
      let name = random.pick(["a", "b", "c", "d", "e"])
      run("SAVEPOINT \(name)")
      if !isInTransaction { committed = rows }
      isInTransaction = true
      savepoints.append((name, rows))
    case 5..<7: release()
    case 7..<10: rollBackToSavepoint()
    case 10: if isInTransaction { end(random.chance(70) ? "COMMIT" : "ROLLBACK") }
    case 11 where !isInTransaction:
      run("BEGIN")
      isInTransaction = true
      committed = rows
    // C finds an index of another schema in the way where several have one of that name.
    case 12 where !isInTransaction && random.chance(30) && place.schemas.count == 1:
      run("VACUUM \(place.schemas[0])")
    default: break
    }
  }

  /// The innermost savepoint of a name counts.
  private mutating func chosenSavepoint() -> Int? {
    guard !savepoints.isEmpty else { return nil }
    let name = savepoints[random.below(savepoints.count)].name
    return savepoints.lastIndex { $0.name == name }
  }

  private mutating func release() {
    guard let index = chosenSavepoint() else { return }
    run("RELEASE \(savepoints[index].name)")
    savepoints.removeSubrange(index...)
    guard let oracle, oracle.state.isAutocommit else { return }
    isInTransaction = false
  }

  private mutating func rollBackToSavepoint() {
    guard let index = chosenSavepoint() else { return }
    run("ROLLBACK TO \(savepoints[index].name)")
    rows = savepoints[index].rows
    savepoints.removeSubrange((index + 1)...)
  }

  private mutating func end(_ sql: String) {
    run(sql)
    if sql == "ROLLBACK" { rows = committed }
    savepoints = []
    isInTransaction = false
  }
}

// MARK: Rows

extension SavepointSeed {
  private mutating func change() {
    let index = random.below(place.schemas.count)
    let table = "\(place.schemas[index]).t"
    switch random.below(16) {
    case 0..<6: replace(index, table)
    case 6..<10: delete(index, table)
    case 10: update(index, table)
    case 11: fail(index, table)
    case 12..<15:
      run("PRAGMA \(place.schemas[index]).incremental_vacuum(\(random.pick([0, 1, 5, 30])))")
    case 15 where random.chance(20):
      run("PRAGMA \(place.schemas[index]).cache_size = \(random.pick([5, 10, 40, 500]))")
    // A commit of one row leaves few dirty pages, which then stay in the cache.
    default: insert([random.below(1000)], index, table)
    }
  }

  private mutating func text(of number: Int) -> String {
    version += 1
    let length = random.pick([8, 200, 300, 450, pageSize, 3 * pageSize])
    let word = "\(number).\(version) "
    return String(String(repeating: word, count: length / word.utf8.count + 1).prefix(length))
  }

  private mutating func insert(_ numbers: [Int], _ index: Int, _ table: String) {
    var values: [String] = []
    for number in numbers {
      let text = text(of: number)
      rows[index][number] = text
      values.append("(\(number), '\(text)')")
    }
    run("INSERT OR REPLACE INTO \(table) VALUES \(values.joined(separator: ", "))")
  }

  private mutating func replace(_ index: Int, _ table: String) {
    let perStatement = random.pick([1, 10, 40])
    for _ in 0..<(40 / perStatement) where rows[index].count < 600 {
      var numbers: [Int] = []
      for _ in 0..<perStatement { numbers.append(random.below(1000)) }
      insert(numbers, index, table)
    }
  }

  private mutating func delete(_ index: Int, _ table: String) {
    let first = random.below(1000), count = random.pick([1, 30, 150, 500])
    let range = first..<(first + count)
    if random.chance(50) {
      run("DELETE FROM \(table) WHERE x >= \(first) AND x < \(first + count)")
    } else {
      for number in rows[index].keys.filter({ range.contains($0) }).sorted() {
        run("DELETE FROM \(table) WHERE x = \(number)")
      }
    }
    rows[index] = rows[index].filter { !range.contains($0.key) }
  }

  private mutating func update(_ index: Int, _ table: String) {
    let first = random.below(1000), last = first + 100
    run("UPDATE \(table) SET y = y || y WHERE x BETWEEN \(first) AND \(last) AND length(y) < 2000")
    for (number, text) in rows[index] where (first...last).contains(number) {
      if text.utf8.count < 2000 { rows[index][number] = text + text }
    }
  }

  /// The last of the rows is there already.
  private mutating func fail(_ index: Int, _ table: String) {
    guard let existing = rows[index].keys.sorted().last else { return }
    var values: [String] = [], added: Rows = [:]
    for _ in 0..<random.pick([1, 20]) {
      let number = 2000 + random.below(1000)
      guard rows[index][number] == nil, added[number] == nil else { continue }
      let text = text(of: number)
      added[number] = text
      values.append("(\(number), '\(text)')")
    }
    values.append("(\(existing), 'there')")
    let policy = random.pick(["ABORT", "ABORT", "ABORT", "FAIL", "ROLLBACK"])
    run("INSERT OR \(policy) INTO \(table) VALUES \(values.joined(separator: ", "))")
    if policy == "FAIL" { rows[index].merge(added) { _, new in new } }
    guard policy == "ROLLBACK", isInTransaction else { return }
    rows = committed
    savepoints = []
    isInTransaction = false
  }

  private mutating func check(thoroughly isThorough: Bool) {
    for (schema, expected) in zip(place.schemas, rows) where goesOn {
      guard let martlet else { return }
      let found = martlet.outcome(of: "SELECT x, y FROM \(schema).t NOT INDEXED ORDER BY x")
      let wanted = expected.sorted { $0.key < $1.key }.map { "\($0.key)|'\($0.value)'" }
      if let error = found.error {
        problem = "the rows of \(schema): \(error.line)"
      } else if found.rows != wanted {
        problem = "\(found.rows.count) rows of \(schema) are not the \(wanted.count) of the model"
      }
      guard isThorough, problem == nil else { continue }
      run("PRAGMA \(schema).integrity_check")
      run("SELECT x, length(y) FROM \(schema).t ORDER BY y, x")
      run("SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count")
    }
  }
}
