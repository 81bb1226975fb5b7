import Engines

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension ShareWorker {
  func make() throws(EngineError) {
    try run("PRAGMA page_size = \(options.pageSize)")
    try run("PRAGMA auto_vacuum = \(random.below(3))")
    try run("PRAGMA journal_mode = \(random.pick(["wal", "delete"]))")
    try run("BEGIN")
    try run(ShareInvariants.schema)
    let each = ShareInvariants.accountTotal / ShareInvariants.accountCount
    try run(
      """
      INSERT INTO account
      WITH RECURSIVE c(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM c LIMIT \
      \(ShareInvariants.accountCount))
      SELECT i, \(each), i + 1, \(ShareInvariants.pad("i + 1")) FROM c
      """)
    try run("COMMIT")
  }

  /// Looks at everything once, against what writers have acknowledged.
  func judge() throws(EngineError) {
    var acknowledged: [Int: Int64] = [:]
    for worker in 0..<options.processes {
      acknowledged[worker] = ShareProgress(of: worker, options.path).acknowledged
    }
    let database = try connection()
    try run("BEGIN")
    let answers = try ShareInvariants.snapshot(database)
    problem = ShareInvariants.problem(answers, acknowledged: acknowledged)
    let found = try database.texts("PRAGMA integrity_check")
    if found != ["ok"] { problem = "\(problem ?? "") integrity_check: \(found.prefix(5))" }
    try run("COMMIT")
    disconnect()
  }

  /// Compares what the log has of this writer with what it has acknowledged. A commit may have
  /// been made before the process was killed and not been acknowledged, but only one.
  func resume() throws(EngineError) {
    let number = try connection()
      .integers("SELECT ifnull(max(n), 0) FROM log WHERE w = \(options.worker)")[0][0]
    let mayHaveMore: Int64 = options.kill > 0 ? 1 : 0
    guard number >= progress.acknowledged, number <= progress.acknowledged + mayHaveMore else {
      problem = "\(progress.acknowledged) commits are acknowledged, and \(number) are there"
      return
    }
    progress.acknowledged = number
    saveProgress()
  }
}

// MARK: Reading

extension ShareWorker {
  func read() throws(EngineError) {
    let database = try connection()
    try run("BEGIN")
    let first = try ShareInvariants.snapshot(database)
    problem = ShareInvariants.problem(first)
    if problem != nil { return }
    if random.chance(30) { pause(upTo: random.chance(20) ? 300 : 20) }
    if random.chance(30) { try readSlowly(database) }
    let second = try ShareInvariants.snapshot(database)
    if first != second { problem = "a snapshot has changed: \(first) \(second)" }
    if random.chance(2) {
      let found = try database.texts("PRAGMA integrity_check")
      if found != ["ok"] { problem = "integrity_check: \(found.prefix(5))" }
    }
    if problem == nil { try run("COMMIT") }
  }

  /// Adds up row by row, with a rest on the way.
  private func readSlowly(_ database: any Database) throws(EngineError) {
    let rest = random.below(ShareInvariants.accountCount)
    let milliseconds = random.below(20)
    var sum: Int64 = 0, count = 0
    let order = random.pick(["id", "v", "v DESC"])
    let sql = "SELECT v, pad FROM account ORDER BY \(order)"
    note(sql)
    _ = try database.run(sql, firstOnly: true) { row in
      sum += row.integer(0)
      count += 1
      if count == rest { usleep(useconds_t(milliseconds * 1000)) }
    }
    if sum != Int64(ShareInvariants.accountTotal) || count != ShareInvariants.accountCount {
      problem = "\(count) accounts row by row: \(sum)"
    }
  }
}

// MARK: Writing

extension ShareWorker {
  func write() throws(EngineError) {
    let number = progress.acknowledged + 1
    let entry = "INSERT INTO log VALUES(\(options.worker), \(number))"
    if random.chance(10) {
      try run(entry)
    } else {
      // The outermost savepoint is a transaction, too.
      let ends = random.pick([
        ("BEGIN IMMEDIATE", "COMMIT"), ("BEGIN IMMEDIATE", "COMMIT"), ("BEGIN", "COMMIT"),
        ("BEGIN EXCLUSIVE", "COMMIT"), ("SAVEPOINT t", "RELEASE t"),
      ])
      try run(ends.0)
      if random.chance(10) { try run("SELECT sum(v) FROM account") }
      try changeSomething()
      try run(entry)
      if number % 200 == 0 { try forgetOldEntries(before: number) }
      if random.chance(3) { pause(upTo: 30) }
      if random.chance(10) { return try run("ROLLBACK") }
      try run(ends.1)
    }
    progress.acknowledged = number
    saveProgress()
  }

  private func changeSomething() throws(EngineError) {
    for _ in 0..<random.pick([0, 1, 1, 2, 5, 40]) {
      try transfer()
      if random.chance(20) { try changeAndTakeBack() }
    }
    if random.chance(15) { try replaceBulk() }
    if random.chance(3) { try changeAllTexts() }
    if random.chance(3) { try run("PRAGMA incremental_vacuum(\(random.below(30)))") }
  }

  private func transfer() throws(EngineError) {
    let amount = random.below(50)
    let size = 1 + random.below(random.pick([100, 900, 5000]))
    try run(
      """
      UPDATE account SET v = v - \(amount), size = \(size), pad = \(ShareInvariants.pad("\(size)"))
      WHERE id = \(account())
      """)
    try run("UPDATE account SET v = v + \(amount) WHERE id = \(account())")
  }

  private func account() -> Int { random.below(ShareInvariants.accountCount) }

  private func changeAllTexts() throws(EngineError) {
    let size = "1 + (id * 7 + \(random.below(500))) % 900"
    try run("UPDATE account SET size = \(size), pad = \(ShareInvariants.pad(size))")
  }

  /// Rows whose numbers cancel out.
  private func replaceBulk() throws(EngineError) {
    let tag = options.worker * 10 + random.below(3)
    try run("DELETE FROM bulk WHERE tag = \(tag)")
    let count = 2 * random.pick([0, 5, 5, 50, 300])
    try run(
      """
      INSERT INTO bulk
      WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < \(count))
      SELECT \(tag), iif(i % 2, i, 1 - i), \(ShareInvariants.pad("i % 200")) FROM c
      WHERE \(count) > 0
      """)
  }

  /// Changes that break the sums, until they are taken back.
  private func changeAndTakeBack() throws(EngineError) {
    try run("SAVEPOINT s")
    try run("UPDATE account SET v = v + 1 WHERE id = \(account())")
    if random.chance(20) { try changeAllTexts() }
    if random.chance(30) {
      try run("SAVEPOINT inner")
      try run("DELETE FROM bulk WHERE x > \(random.below(100))")
      if random.chance(50) { try run("ROLLBACK TO inner") }
      if random.chance(50) { try run("RELEASE inner") }
    }
    try run("ROLLBACK TO s")
    if random.chance(30) { try transfer() }
    try run("RELEASE s")
  }

  private func forgetOldEntries(before number: Int64) throws(EngineError) {
    let low = number - 100
    try run("DELETE FROM log WHERE w = \(options.worker) AND n < \(low)")
    try run("REPLACE INTO base VALUES(\(options.worker), \(low))")
  }
}

// MARK: Checkpoints and journal modes

extension ShareWorker {
  func checkpoint() throws(EngineError) {
    let mode = random.pick(["passive", "full", "restart", "truncate"])
    try run("PRAGMA wal_checkpoint(\(mode))")
    pause(upTo: 30)
    // The last to close the file makes a checkpoint, too.
    if random.chance(5) { disconnect() }
  }

  func switchMode() throws(EngineError) {
    let database = try connection()
    let mode = random.pick(["delete", "wal", "wal", "truncate", "persist"])
    let before = try database.texts("PRAGMA journal_mode")
    note("PRAGMA journal_mode = \(mode)")
    let after = try database.texts("PRAGMA journal_mode = \(mode)")
    if before != after { progress.switches += 1 }
    if random.chance(5) { try run("VACUUM") }
    if random.chance(5) { try beAlone(database) }
    if random.chance(10) {
      let found = try database.texts("PRAGMA quick_check")
      if found != ["ok"] { problem = "quick_check: \(found.prefix(5))" }
    }
    // One that stays would be in the way of another that does the same.
    if random.chance(70) { disconnect() }
    pause(upTo: ShareGate.isShut ? 10 : after == ["wal"] ? 300 : 50)
  }

  /// Uses the file with the exclusive lock: the index of a write-ahead log is then in memory of the
  /// connection's own.
  private func beAlone(_ database: any Database) throws(EngineError) {
    defer { disconnect() }
    if random.chance(50) {
      disconnect()
      try run("PRAGMA locking_mode = exclusive")
    } else {
      try run("PRAGMA locking_mode = exclusive")
      try run("SELECT count(*) FROM base")
    }
    try run("BEGIN IMMEDIATE")
    try run("UPDATE account SET v = v + 1 WHERE id = 1")
    try run("UPDATE account SET v = v - 1 WHERE id = 2")
    try run("COMMIT")
    if random.chance(50) { try run("PRAGMA locking_mode = normal") }
    try run("SELECT count(*) FROM base")
  }
}
