import Foundation
import MartletTyped
import Testing

@Suite struct StatementTests {
  @Test func `values are bound by place, by name and as a list`() throws {
    let db = try Connection()
    try db.execute("CREATE TABLE t (a, b)")
    try db.run("INSERT INTO t VALUES (?, ?)", 1, "x")
    try db.run("INSERT INTO t VALUES (?, ?)", [2, nil])
    try db.run("INSERT INTO t VALUES (:a, @b)", [":a": 3.5, "@b": Blob(bytes: [1, 255])])
    let statement = try db.prepare("INSERT INTO t VALUES (?, ?)")
    try statement.run(4, true)
    try statement.run([5, false])
    try statement.bind(6, UInt64(7)).run()
    try statement.run()
    let rows = try db.prepare("SELECT a, b FROM t").map { "\($0[0]!) \(String(describing: $0[1]))" }
    #expect(
      rows == [
        "1 Optional(\"x\")", "2 nil", "3.5 Optional(x'01ff')", "4 Optional(1)", "5 Optional(0)",
        "6 Optional(7)", "6 Optional(7)",
      ])
  }

  @Test func `wrong bindings throw when the statement runs`() throws {
    let db = try Connection()
    #expect(throws: Result.self) { try db.scalar("SELECT ?", 1, 2) }
    #expect(throws: Result.self) { try db.scalar("SELECT ?, ?", 1) }
    #expect(throws: Result.self) { try db.scalar("SELECT :a", [":b": 1]) }
    #expect(throws: Result.self) { try db.scalar("SELECT ?", UInt64.max) }
    let statement = try db.prepare("SELECT ?", 1, 2)
    #expect(throws: Result.self) { try statement.step() }
    #expect(Array(statement).isEmpty && statement.failure != nil)
    #expect(try statement.bind(3).scalar() as? Int64 == 3)
    #expect(try statement.scalar([4]) as? Int64 == 4)
    #expect(try statement.bind([]).scalar() as? Int64 == 4)
  }

  @Test func `statements that do not compile throw`() throws {
    let db = try Connection()
    #expect(throws: Result.self) { try db.prepare("SELEC 1") }
    #expect(throws: Result.self) { try db.prepare("") }
    #expect(throws: Result.self) { try db.run("SELECT 1; DROP TABLE t") }
    #expect(try db.scalar("SELECT 1; -- nothing more") as? Int64 == 1)
    #expect(throws: Result.self) { try db.execute("CREATE TABLE t (a); SELECT b FROM t") }
  }

  @Test func `columns are read by their types`() throws {
    let db = try Connection()
    let statement = try db.prepare("SELECT 1 AS one, 2.5, 'three', x'04', NULL")
    #expect(statement.columnCount == 5)
    #expect(statement.columnNames.first == "one")
    #expect(try statement.step())
    let row = statement.row
    #expect(row[0] as Int == 1 && row[0] as Int64 == 1 && row[0] as Bool && row[1] as Double == 2.5)
    #expect(row[2] as String == "three" && (row[3] as Blob).bytes == [4])
    #expect((row[4] as (any Binding)?) == nil && (row[99] as (any Binding)?) == nil)
    #expect(row[4] as Int64 == 0 && row[-1] as String == "")
    #expect(Array(row).count == 5)
    #expect(try !statement.step())
    statement.reset()
    #expect(try statement.failableNext()?.count == 5)
  }

  @Test func `rows of any statement are found by their names`() throws {
    let db = try Connection(), a = Expression<Int>("a"), b = Expression<String?>("b \"c\"")
    let rows = try db.prepareRowIterator(
      "SELECT ? AS a, 'x' AS \"b \"\"c\"\"\" UNION ALL SELECT 2, NULL", bindings: 1)
    #expect(try rows.map { try $0.get(a) } == [1, 2])
    let texts = try db.prepare("SELECT 1 AS a, 'x' AS \"b \"\"c\"\"\" UNION ALL SELECT 2, NULL")
      .prepareRowIterator().compactMap { try $0.get(b) }
    #expect(texts == ["x"])
  }

  @Test func `an iteration that fails says so`() throws {
    let db = try Connection()
    db.createFunction("fail", argumentCount: 1) { arguments in
      if arguments[0] as? Int64 == 2 { throw Result.error(message: "two", code: 1, statement: nil) }
      return arguments[0]
    }
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
    let statement = try db.prepare("SELECT fail(a) FROM t")
    #expect(Array(statement).count == 1)
    #expect(statement.failure != nil)
    #expect(db.iterationFailure != nil)
    db.iterationFailure = nil
    let failing = Expression<Int>(literal: "fail(a)")
    #expect(Array(try db.prepare(Table("t").select(failing, failing))).count == 1)
    #expect(db.iterationFailure != nil)
    let rows = try db.prepareRowIterator(Table("t").select(failing, failing))
    #expect(throws: Result.self) { try rows.map { $0 } }
  }

  @Test func `texts with zero bytes are whole`() throws {
    let db = try Connection(), text = Expression<String>("text"), table = Table("t")
    let value = "a\0b\0"
    try db.run(table.create { $0.column(text, defaultValue: "x\0y") })
    try db.run(table.insert(text <- value))
    try db.run(table.insert())
    #expect(try db.prepareRowIterator(table).map { try $0.get(text) } == [value, "x\0y"])
    #expect(try db.pluck(table.filter(text == value))?.get(text) == value)
    #expect(try db.scalar("SELECT \(Expression<String>(value: value).asSQL())") as? String == value)
  }
}
