import Testing

@testable import MartletEngine

/// Functions of the application that run SQL on the connection that calls them.
@Suite struct ReentrancyTests {
  private let connection: Connection

  init() throws {
    connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c TEXT UNIQUE);
      CREATE TABLE log(x TEXT);
      """)
    try connection.createFunction("run", argumentCount: 1) { call throws(SQLError) in
      guard let connection = call.connection, let sql = try call.text(0) else { return }
      let statement = try connection.prepare(sql)
      guard try statement.step() else { return }
      try call.setResult(text: statement.columnText(0))
      while try statement.step() {}
    }
    for number in 1...300 {
      let text = String(repeating: "x\(number) ", count: 1 + number % 40)
      try connection.execute("INSERT INTO t VALUES(\(number), '\(text)', 'c\(number)')")
    }
  }

  @Test func `a function reads while a query reads`() throws {
    #expect(
      try connection.rows(
        "SELECT a, run('SELECT count(*) FROM t WHERE a <= ' || a) FROM t WHERE a % 100 = 0") == [
          "100|100", "200|200", "300|300",
        ])
  }

  @Test func `a function writes the table that is being read`() throws {
    let rows = try connection.rows(
      """
      SELECT b, run('UPDATE t SET b = ''changed'' WHERE a = ' || a), b, c FROM t WHERE a <= 50
      """)
    #expect(rows.count == 50)
    for (index, row) in rows.enumerated() {
      let number = index + 1
      let text = String(repeating: "x\(number) ", count: 1 + number % 40)
      #expect(row.hasPrefix(text) && row.hasSuffix("|c\(number)"))
    }
    #expect(try connection.rows("SELECT count(*) FROM t WHERE b = 'changed'") == ["50"])
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a function deletes the rows that a query is about to read`() throws {
    let rows = try connection.rows(
      "SELECT a, run('DELETE FROM t WHERE a = ' || (a + 1)) FROM t")
    #expect(rows.count == 151)
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a function writes other tables inside a writing statement`() throws {
    try connection.execute(
      "UPDATE t SET b = b || coalesce(run('INSERT INTO log VALUES(' || a || ')'), '!') WHERE a > 290")
    #expect(try connection.rows("SELECT count(*), min(x), max(x) FROM log") == ["10|291|300"])
    #expect(try connection.rows("SELECT count(*) FROM t WHERE b LIKE '%!'") == ["10"])
    try connection.execute(
      "INSERT INTO t SELECT a + 1000, b || coalesce(run('DELETE FROM log'), ''), 'n' || a FROM t")
    #expect(try connection.rows("SELECT count(*) FROM t") == ["600"])
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a function writes the table that is being written`() throws {
    try connection.execute(
      """
      UPDATE t SET c = c || coalesce(run('UPDATE t SET b = b || ''+'' WHERE a = ' || (301 - a)), '')
      """)
    #expect(try connection.rows("SELECT count(*) FROM t WHERE b LIKE '%+'") == ["300"])
    try connection.execute(
      """
      DELETE FROM t WHERE a % 2 = 0 AND run('INSERT INTO t VALUES(' || (a + 5000)
        || ', ''new'', ''d' || a || ''')') IS NULL AND a < 400
      """)
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a function may not drop, roll back or commit under its statement`() throws {
    #expect(connection.failure("SELECT run('DROP TABLE t') FROM t")?.code == .locked)
    try connection.execute("BEGIN; INSERT INTO log VALUES('kept')")
    #expect(
      connection.failure("INSERT INTO log SELECT run('COMMIT') FROM t")?.message
        == "cannot commit transaction - SQL statements in progress")
    try connection.execute("COMMIT")
    #expect(try connection.rows("SELECT * FROM log") == ["kept"])
    try connection.execute("BEGIN; INSERT INTO log VALUES('lost')")
    #expect(
      connection.failure("INSERT INTO log SELECT run('ROLLBACK') FROM t")?.code.primary == .abort)
    #expect(try connection.rows("SELECT * FROM log") == ["kept"])
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a function changes the schema while its statement runs`() throws {
    #expect(
      try connection.rows(
        "SELECT count(*), run('CREATE TABLE IF NOT EXISTS made(x)') FROM t") == ["300|"])
    try connection.execute(
      "INSERT INTO log SELECT run('CREATE INDEX IF NOT EXISTS made_index ON made(x)') FROM t")
    #expect(try connection.rows("SELECT count(*) FROM log") == ["300"])
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `aggregates run SQL too`() throws {
    try connection.createAggregate("note", argumentCount: 1, initial: { 0 }) {
      count, call throws(SQLError) in
      count += 1
      try call.connection?.execute("INSERT INTO log VALUES('\(try call.text(0) ?? "")')")
    } result: { count, call in
      call.setResult(count)
    }
    #expect(
      try connection.rows("SELECT a % 3, note(c) FROM t GROUP BY a % 3") == [
        "0|100", "1|100", "2|100",
      ])
    #expect(try connection.rows("SELECT count(*) FROM log") == ["300"])
  }

  @Test func `a statement cannot be stepped, reset or closed by what it calls`() throws {
    final class Held: @unchecked Sendable { var statement: Statement? }
    let held = Held()
    let notes = Notes()
    try connection.createFunction("again", argumentCount: 0) { call throws(SQLError) in
      do throws(SQLError) { _ = try held.statement?.step() } catch { notes.add("\(error.code.rawValue)") }
      do throws(SQLError) { try held.statement?.reset() } catch { notes.add("\(error.code.rawValue)") }
      do throws(SQLError) { try call.connection?.close() } catch { notes.add("\(error.code.rawValue)") }
      call.setResult(1)
    }
    held.statement = try connection.prepare("SELECT again()")
    #expect(try held.statement?.step() == true)
    #expect(notes.take() == ["21", "21", "5"])
    held.statement = nil
  }

  @Test func `threads share a connection`() async throws {
    let connection = connection
    try connection.createFunction("twice", argumentCount: 1, options: .deterministic) { call in
      call.setResult(2 * call.int64(0))
    }
    try await withThrowingTaskGroup(of: Int64.self) { group in
      for task in 0..<4 {
        group.addTask {
          var sum: Int64 = 0
          for round in 0..<50 {
            try connection.execute("INSERT INTO log VALUES('\(task) \(round)')")
            let statement = try connection.prepare("SELECT sum(twice(a)) FROM t")
            while try statement.step() { sum += statement.columnInt64(0) }
          }
          return sum
        }
      }
      for try await sum in group { #expect(sum == 50 * 300 * 301) }
    }
    #expect(try connection.rows("SELECT count(*) FROM log") == ["200"])
  }

  @Test func `a thread reads texts while others write on the connection`() async throws {
    let connection = connection
    try connection.execute("CREATE TABLE words(a, b)")
    try connection.execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO words SELECT printf('%0300d', i), i || 'x' FROM n
      """)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        for round in 0..<300 {
          try connection.execute("UPDATE words SET b = b WHERE rowid = \(round % 200 + 1)")
          try connection.execute("INSERT INTO log VALUES('\(round)')")
        }
        return true
      }
      for _ in 0..<2 {
        group.addTask {
          var isRight = true
          for _ in 0..<10 {
            let statement = try connection.prepare("SELECT a, b FROM words ORDER BY rowid")
            var row: Int64 = 0
            while try statement.step() {
              row += 1
              let text = statement.columnText(0)
              isRight = isRight && text.utf8.count == 300 && Int64(text) == row
              isRight = isRight && statement.columnInt64(1) == row
              isRight = isRight && statement.columnDouble(1) == Double(row)
            }
            isRight = isRight && row == 200
          }
          return isRight
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  /// What a statement opens after its tables are gone would be read from pages of others.
  @Test(arguments: [
    "SELECT (SELECT count(*) FROM u), run('ROLLBACK'), (SELECT count(*) FROM u x)",
    "SELECT run('ROLLBACK') UNION ALL SELECT count(*) FROM u",
    "SELECT * FROM u, (SELECT run('ROLLBACK') AS z FROM u LIMIT 1)",
    "SELECT (SELECT count(*) FROM u), run('ROLLBACK TO s'), (SELECT count(*) FROM u x)",
  ])
  func `nothing is opened after a rollback of the schema`(sql: String) throws {
    try connection.execute("BEGIN; SAVEPOINT s; CREATE TABLE u(a); INSERT INTO u VALUES(1), (2)")
    let failure = try #require(connection.failure(sql))
    #expect(failure.code == .abortRollback)
    #expect(failure.message == "abort due to ROLLBACK")
    if !connection.isAutocommit { try connection.execute("ROLLBACK") }
    #expect(try connection.rows("SELECT count(*) FROM t") == ["300"])
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
  }

  /// The programs of statements that run know databases by their number.
  @Test func `a statement reads its own databases after another one was detached`() throws {
    try connection.execute(
      """
      ATTACH ':memory:' AS one; ATTACH ':memory:' AS two; ATTACH ':memory:' AS three;
      CREATE TABLE two.u(a); INSERT INTO two.u VALUES(1), (2);
      CREATE TABLE three.u(a); INSERT INTO three.u VALUES(3), (4);
      """)
    let statement = try connection.prepare(
      "SELECT a FROM two.u UNION ALL SELECT a FROM (SELECT a FROM two.u ORDER BY -a LIMIT 9)")
    #expect(try statement.step())
    try connection.execute("DETACH one")
    var rows = ["1"]
    while try statement.step() { rows.append(statement.columnText(0)) }
    #expect(rows == ["1", "2", "2", "1"])
    #expect(try connection.rows("SELECT a FROM three.u") == ["3", "4"])
  }
}
