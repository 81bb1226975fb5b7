import Testing

@testable import MartletEngine

@Suite struct FunctionTests {
  private let connection: Connection

  init() throws { connection = try Connection(path: ":memory:") }

  /// A function that gives a constant text.
  private func define(
    _ name: String, _ argumentCount: Int, _ text: String, encoding: TextEncoding = .utf8
  ) throws {
    try connection.createFunction(name, argumentCount: argumentCount, encoding: encoding) {
      call throws(SQLError) in
      try call.setResult(text: text)
    }
  }

  // MARK: Scalar functions

  @Test func `a function sees its arguments in every form and gives any type`() throws {
    try connection.createFunction("show") { call throws(SQLError) in
      var parts: [String] = []
      for index in 0..<call.count {
        let text = try call.text(index) ?? "NULL"
        parts.append("\(call.type(index)) \(call.int64(index)) \(call.double(index)) \(text)")
      }
      try call.setResult(text: parts.joined(separator: ", "))
    }
    #expect(
      try connection.rows("SELECT show(7, -1.5, '12ab', x'3132', NULL)") == [
        "integer 7 7.0 7, real -1 -1.5 -1.5, text 12 12.0 12ab, blob 12 12.0 12, null 0 0.0 NULL"
      ])
    try connection.createFunction("give", argumentCount: 1) { call throws(SQLError) in
      switch call.int64(0) {
      case 0: call.setNull()
      case 1: call.setResult(5)
      case 2: call.setResult(0.5)
      case 3: try call.setResult(text: "né")
      case 4: try call.setResult(blob: [1, 2])
      case 5: try call.setResult(zeroBlobCount: 3)
      case 6: try call.setResult(argument: 0)
      case 7: call.setResult(.nan)
      default: break
      }
    }
    #expect(
      try connection.rows(
        """
        SELECT quote(give(0)), quote(give(1)), quote(give(2)), quote(give(3)), quote(give(4)),
          quote(give(5)), quote(give(6)), quote(give(7)), quote(give(8))
        """) == ["NULL|5|0.5|'né'|X'0102'|X'000000'|6|NULL|NULL"])
  }

  @Test func `an error of a function is the statement's, with code and message`() throws {
    try connection.createFunction("fail", argumentCount: 2) { call throws(SQLError) in
      throw SQLError(
        ResultCode(rawValue: Int32(truncatingIfNeeded: call.int64(0))), try call.text(1) ?? "")
    }
    #expect(connection.failure("SELECT fail(1, 'boo')") == SQLError(.error, "boo"))
    #expect(connection.failure("SELECT fail(275, 'x')") == SQLError(.constraintCheck, "x"))
    try connection.createFunction("huge", argumentCount: 0) { call throws(SQLError) in
      try call.setResult(zeroBlobCount: 2_000_000_000)
    }
    #expect(
      connection.failure("SELECT huge()") == SQLError(.tooBig, "string or blob too big"))
  }

  @Test func `the closest definition is called, and removed ones hide built-in functions`() throws {
    try connection.removeFunction("abs", argumentCount: 1)
    #expect(
      connection.failure("SELECT abs(-1)")?.message
        == "wrong number of arguments to function abs()")
    try define("abs", -1, "any")
    #expect(
      connection.failure("SELECT abs(-1), abs(1, 2)")?.message
        == "wrong number of arguments to function abs()")
    try define("abs", 1, "one")
    #expect(try connection.rows("SELECT abs(-1), abs(1, 2)") == ["one|any"])
    try connection.removeFunction("abs", argumentCount: 1)
    #expect(try connection.rows("SELECT abs(1, 2)") == ["any"])
    try connection.removeFunction("nosuch")
    #expect(connection.failure("SELECT nosuch(1)")?.message == "no such function: nosuch")
    try define("f", 1, "f")
    for sql in ["SELECT f()", "SELECT f(1, 2)"] {
      #expect(
        connection.failure(sql)?.message == "wrong number of arguments to function f()")
    }
    #expect(
      connection.failure("SELECT f(1) OVER ()")?.message
        == "f() may not be used as a window function")
  }

  @Test func `of definitions for several encodings that of the database is called`() throws {
    try define("e", 1, "utf16", encoding: .utf16LittleEndian)
    #expect(try connection.rows("SELECT e(1)") == ["utf16"])
    try define("e", 1, "utf8")
    #expect(try connection.rows("SELECT e(1)") == ["utf8"])
    let wide = try Connection(path: ":memory:")
    try wide.execute("PRAGMA encoding = 'UTF-16be'; CREATE TABLE t(a); INSERT INTO t VALUES('né')")
    for encoding in [TextEncoding.utf8, .utf16LittleEndian] {
      try wide.createFunction("e", argumentCount: 1, encoding: encoding) { call throws(SQLError) in
        try call.setResult(text: "\(encoding) \(try call.text(0) ?? "")")
      }
    }
    #expect(try wide.rows("SELECT e(a) FROM t") == ["utf16LittleEndian né"])
  }

  @Test func `names and argument counts have SQLite's limits`() throws {
    #expect(throws: SQLError(.misuse)) { try define("f", 1_001, "") }
    #expect(throws: SQLError(.misuse)) { try define("f", -2, "") }
    #expect(throws: SQLError(.misuse)) {
      try define(String(repeating: "f", count: 256), 1, "")
    }
    try define("f", 1_000, "")
    try define(String(repeating: "f", count: 255), 1, "")
  }

  @Test func `a function is replaced only while no statement runs`() throws {
    try define("f", 1, "old")
    let later = try connection.prepare("SELECT f(1)")
    let running = try connection.prepare("SELECT 1 UNION ALL SELECT 2")
    _ = try running.step()
    let busy = SQLError(
      .busy, "unable to delete/modify user-function due to active statements")
    #expect(throws: busy) { try define("f", 1, "new") }
    #expect(throws: busy) { try connection.removeFunction("f", argumentCount: 1) }
    #expect(throws: busy) { try define("lower", 1, "new") }
    try define("unknown_so_far", 1, "new")
    try running.reset()
    try define("f", 1, "new")
    _ = try later.step()
    #expect(later.columnText(0) == "new")
  }

  @Test func `only deterministic functions stand in the schema, direct ones only in statements`()
    throws
  {
    try define("random_like", 1, "r")
    try connection.createFunction("stable", argumentCount: 1, options: .deterministic) {
      call throws(SQLError) in
      call.setResult(-call.int64(0))
    }
    try connection.createFunction("direct", argumentCount: 0, options: .directOnly) { call in
      call.setResult(1)
    }
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2), (3)")
    #expect(
      connection.failure("CREATE INDEX i ON t(random_like(a))")?.message
        == "non-deterministic functions prohibited in index expressions")
    try connection.execute("CREATE INDEX i ON t(stable(a))")
    #expect(try connection.rows("SELECT a FROM t ORDER BY stable(a)") == ["3", "2", "1"])
    #expect(try connection.rows("SELECT a FROM t WHERE stable(a) = -2") == ["2"])
    #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
    try connection.execute("CREATE VIEW v AS SELECT direct()")
    #expect(try connection.rows("SELECT direct()") == ["1"])
    #expect(connection.failure("SELECT * FROM v")?.message == "unsafe use of direct()")
    try connection.execute("CREATE VIEW w AS SELECT stable(1); PRAGMA trusted_schema = OFF")
    #expect(connection.failure("SELECT * FROM w")?.message == "unsafe use of stable()")
  }

  @Test func `auxiliary data stays for constant arguments while the statement runs`() throws {
    let notes = Notes()
    try connection.createFunction("aux", argumentCount: 2) { call in
      for index in 0..<2 where call.auxiliaryData(index) == nil {
        notes.add("made \(index)")
        call.setAuxiliaryData("something", at: index)
      }
      if call.auxiliaryData(-1) == nil {
        notes.add("shared")
        call.setAuxiliaryData(1, at: -1)
      }
    }
    let statement = try connection.prepare(
      "SELECT aux('pattern', v) FROM (SELECT 1 AS v UNION ALL SELECT 2 UNION ALL SELECT 3)")
    while try statement.step() {}
    #expect(notes.take() == ["made 0", "made 1", "shared", "made 1", "made 1"])
    while try statement.step() {}
    #expect(notes.take() == ["made 0", "made 1", "shared", "made 1", "made 1"])
  }

  @Test func `subtypes and pointers go from function to function`() throws {
    try connection.createFunction("mark", argumentCount: 1, options: .resultSubtype) {
      call throws(SQLError) in
      try call.setResult(argument: 0)
      call.setResultSubtype(75)
    }
    try connection.createFunction("marked", argumentCount: 1, options: .subtype) { call in
      call.setResult(Int(call.subtype(0)))
    }
    #expect(try connection.rows("SELECT marked(mark('a')), marked('a')") == ["75|0"])
    try connection.createFunction("box", argumentCount: 1) { call throws(SQLError) in
      call.setResult(pointer: AggregateState(try call.text(0) ?? ""), type: "text")
    }
    for type in ["text", "other"] {
      try connection.createFunction("open_\(type)", argumentCount: 1) { call throws(SQLError) in
        guard let box = call.pointer(0, type: type) as? AggregateState<String> else { return }
        try call.setResult(text: box.value)
      }
    }
    #expect(
      try connection.rows("SELECT box('a') IS NULL, open_text(box('a')), open_other(box('a'))") == [
        "1|a|"
      ])
  }

  @Test func `arguments say whether they are parameters and whether they are numbers`() throws {
    try connection.createFunction("ask", argumentCount: 1) { call throws(SQLError) in
      try call.setResult(text: "\(call.isFromBind(0)) \(call.numericType(0))")
    }
    let statement = try connection.prepare("SELECT ask(?1), ask('12'), ask('1.5'), ask('x')")
    try statement.bind(Int64(1), at: 1)
    _ = try statement.step()
    #expect(
      (0..<4).map(statement.columnText) == [
        "true integer", "false integer", "false real", "false text",
      ])
  }

  // MARK: Aggregates

  private func defineSum(_ notes: Notes? = nil) throws {
    try connection.createAggregate("my_sum", argumentCount: 1, initial: { Int64(0) }) {
      state, call in
      state += call.int64(0)
    } result: { state, call in
      notes?.add("result \(state)")
      call.setResult(state)
    }
  }

  @Test func `an aggregate has a state for each group and a result for none`() throws {
    try defineSum()
    try connection.execute(
      "CREATE TABLE t(k, v); INSERT INTO t VALUES('a', 1), ('b', 10), ('a', 2), ('b', 20)")
    #expect(try connection.rows("SELECT k, my_sum(v) FROM t GROUP BY k") == ["a|3", "b|30"])
    #expect(try connection.rows("SELECT my_sum(v) FROM t WHERE 0") == ["0"])
    #expect(
      try connection.rows("SELECT my_sum(DISTINCT v / 10), my_sum(v) FILTER (WHERE v > 1) FROM t")
        == ["3|32"])
    #expect(
      try connection.rows("SELECT k FROM t GROUP BY k HAVING my_sum(v) > 5") == ["b"])
    #expect(
      connection.failure("SELECT my_sum(v) OVER () FROM t")?.message
        == "my_sum() may not be used as a window function")
    try connection.execute("CREATE INDEX i ON t(k)")
    #expect(try connection.rows("SELECT k, my_sum(v) FROM t GROUP BY k") == ["a|3", "b|30"])
  }

  @Test func `states are released when the statement ends early or fails`() throws {
    final class Counted: Sendable {
      let notes: Notes
      init(_ notes: Notes) { self.notes = notes }
      deinit { notes.add("gone") }
    }
    let notes = Notes()
    try connection.createAggregate("hold", argumentCount: 1, initial: { Counted(notes) }) {
      _, call throws(SQLError) in
      if call.int64(0) < 0 { throw SQLError(.error, "negative") }
    } result: { _, call in
      call.setResult(1)
    }
    #expect(connection.failure("SELECT hold(column1) FROM (VALUES (1), (-1))") != nil)
    #expect(notes.take() == ["gone"])
    let statement = try connection.prepare(
      "SELECT hold(column1) FROM (VALUES (1), (2), (3)) GROUP BY column1")
    _ = try statement.step()
    try statement.reset()
    #expect(notes.take() == ["gone", "gone", "gone"])
  }

  @Test func `a window function aggregates, and follows the frame by its inverse`() throws {
    let notes = Notes()
    try connection.createWindowFunction("w", argumentCount: 1, initial: { Int64(0) }) {
      state, call in
      state += call.int64(0)
    } inverse: { state, call in
      notes.add("inverse \(call.int64(0))")
      state -= call.int64(0)
    } value: { state, call in
      call.setResult(state)
    } result: { state, call in
      notes.add("result \(state)")
      call.setResult(state)
    }
    #expect(try connection.rows("SELECT w(column1) FROM (VALUES (1), (2))") == ["3"])
    #expect(notes.take() == ["result 3"])
    let moving = "SELECT w(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (3))"
    #expect(try connection.rows(moving) == ["1", "3", "5"])
    #expect(notes.take() == ["inverse 1", "result 5"])
    let partitions = """
      SELECT w(column2) OVER (PARTITION BY column1) FROM (VALUES (1, 5), (2, 6), (1, 7))
      """
    #expect(try connection.rows(partitions) == ["12", "12", "6"])
    #expect(notes.take() == ["result 12", "result 6"])
    let growing = "SELECT w(column1) OVER (ROWS UNBOUNDED PRECEDING) FROM (VALUES (1), (2))"
    #expect(try connection.rows(growing) == ["1", "3"])
    let excluding = """
      SELECT w(column1) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) \
      FROM (VALUES (1), (2), (3))
      """
    #expect(try connection.rows(excluding) == ["2", "4", "2"])
  }

  @Test func `errors of a window function's parts end the statement`() throws {
    for part in ["step", "inverse", "value"] {
      try connection.createWindowFunction("w", argumentCount: 1, initial: { Int64(0) }) {
        _, call throws(SQLError) in
        if call.int64(0) == 2 && part == "step" { throw SQLError(.error, "no step") }
      } inverse: { _, _ throws(SQLError) in
        if part == "inverse" { throw SQLError(.error, "no inverse") }
      } value: { _, _ throws(SQLError) in
        if part == "value" { throw SQLError(.error, "no value") }
      } result: { _, _ in
      }
      let sql = "SELECT w(column1) OVER (ROWS 1 PRECEDING) FROM (VALUES (1), (2), (3))"
      #expect(connection.failure(sql)?.message == "no \(part)")
    }
  }

  @Test func `an aggregate without inverse is no window function`() throws {
    try connection.createAggregate("a", argumentCount: 1, initial: { 0 }) { _, _ in
    } result: { _, _ in
    }
    #expect(
      connection.failure("SELECT a(column1) OVER () FROM (VALUES (1))")?.message
        == "a() may not be used as a window function")
  }

  @Test func `a window function may run SQL on its connection`() throws {
    try connection.execute("CREATE TABLE log(x); CREATE TABLE t(x); INSERT INTO t VALUES(1),(2),(3)")
    try connection.createWindowFunction("w", argumentCount: 1, initial: { Int64(0) }) {
      state, call throws(SQLError) in
      state += call.int64(0)
      try call.connection?.execute("INSERT INTO log VALUES(\(call.int64(0)))")
    } inverse: { state, call in
      state -= call.int64(0)
    } value: { state, call in
      call.setResult(state)
    } result: { state, call in
      call.setResult(state)
    }
    #expect(try connection.rows("SELECT w(x) OVER (ROWS 1 PRECEDING) FROM t") == ["1", "3", "5"])
    #expect(try connection.rows("SELECT x FROM log") == ["1", "2", "3"])
  }
}
