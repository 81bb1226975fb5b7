import Foundation
import MartletTyped
import Testing

@Suite struct CustomFunctionTests {
  @Test func `typed functions take optional and other arguments`() throws {
    let world = try UsersDatabase(), db = world.db, users = world.users
    try world.insert("alice", age: 30)
    try world.insert("betty")
    let zero = try db.createFunction("zero", deterministic: true) { 42 }
    #expect(try db.pluck(users.select(zero(), zero()))?.get(zero()) == 42)
    expectSQL("\"zero\"()", zero())
    let domain = try db.createFunction("domain", deterministic: true) { (email: String) in
      String(email.split(separator: "@")[1])
    }
    expectSQL("\"domain\"(\"email\")", domain(world.email))
    #expect(try db.scalar(users.select(domain(world.email)).limit(1)) == "example.com")
    let older: (Expression<Int?>, Expression<Int>) -> Expression<Int?> = try db.createFunction(
      "older"
    ) { (age: Int?, years: Int) in age.map { $0 + years } }
    let ages = older(world.age, Expression(value: 10))
    #expect(
      try db.prepareRowIterator(users.select(ages, ages).order(world.id)).map { try $0.get(ages) }
        == [40, nil])
    let between = try db.createFunction("between") { (low: Int, value: Int, high: Int) in
      low <= value && value <= high
    }
    let condition = between(Expression(value: 1), Expression(value: 2), Expression(value: 3))
    #expect(try db.scalar(users.filter(condition).count) == 2)
    let strict = try db.createFunction("strict") { (age: Int) in age }
    #expect(throws: Result.self) {
      try db.prepareRowIterator(users.select(strict(Expression("age")), world.id)).map { $0 }
    }
  }

  @Test func `functions throw, and are told any value`() throws {
    let db = try Connection()
    struct Failure: Error, CustomStringConvertible { let description = "no way" }
    var seen: [String] = []
    db.createFunction("look") { arguments in
      seen.append(arguments.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: ", "))
      return Int64(arguments.count)
    }
    #expect(try db.scalar("SELECT look(1, 2.5, 'x', x'ff', NULL)") as? Int64 == 5)
    #expect(seen == ["1, 2.5, x, x'ff', nil"])
    db.createFunction("fail", argumentCount: 0) { _ in throw Failure() }
    do {
      _ = try db.scalar("SELECT fail()")
      Issue.record("no error")
    } catch Result.error(let message, _, _) {
      #expect(message == "no way")
    }
    #expect(throws: Result.self) { try db.scalar("SELECT fail(1)") }
    db.createFunction(String(repeating: "x", count: 300)) { _ in nil }
    #expect(db.iterationFailure != nil)
    db.createFunction("it's a \"name\"", argumentCount: 1) { $0[0] }
    #expect(try db.scalar("SELECT \"it's a \"\"name\"\"\"(7)") as? Int64 == 7)
  }

  @Test func `aggregations work, for each group of its own`() throws {
    let db = try Connection()
    try db.execute(
      "CREATE TABLE t (g, v); INSERT INTO t VALUES ('a', 1), ('b', 2), ('a', 3), ('c', NULL)")
    db.createAggregation("product", argumentCount: 1, deterministic: true, initialValue: 1 as Int64)
    {
      state, arguments in
      state * (arguments[0] as? Int64 ?? 1)
    } result: {
      $0
    }
    let query = "SELECT g, product(v) FROM t GROUP BY g ORDER BY g"
    for _ in 0..<2 {
      #expect(try db.prepare(query).map { $0[1] as? Int64 } == [3, 2, 1])
    }
    #expect(try db.scalar("SELECT product(v) FROM t WHERE v > 9") as? Int64 == 1)
    db.createAggregation(
      "texts", step: { arguments, state in state.pointee += "\(arguments[0] ?? 0)," },
      final: { state in
        defer { state.deinitialize(count: 1).deallocate() }
        return state.pointee
      },
      state: {
        let state = UnsafeMutablePointer<String>.allocate(capacity: 1)
        state.initialize(to: "")
        return state
      })
    #expect(try db.scalar("SELECT texts(v) FROM t") as? String == "1,2,3,0,")
    final class Box { var sum: Int64 = 0 }
    let box = Box()
    db.createAggregation("boxed", argumentCount: 1, initialValue: box) { box, arguments in
      box.sum += arguments[0] as? Int64 ?? 0
      return box
    } result: {
      $0.sum
    }
    #expect(try db.scalar("SELECT boxed(v) FROM t") as? Int64 == 6)
    struct Failure: Error {}
    db.createAggregation("failing", argumentCount: 1, initialValue: 0) { _, _ in
      throw Failure()
    } result: {
      $0
    }
    #expect(throws: Result.self) { try db.scalar("SELECT failing(v) FROM t") }
  }

  @Test func `collations compare as their closure says`() throws {
    let db = try Connection(), table = Table("t"), name = Expression<String>("name")
    let collation = Collation.custom("no \"marks\"")
    try db.createCollation("no \"marks\"") { $0.compare($1, options: .diacriticInsensitive) }
    try db.run(table.create { $0.column(name, collate: collation) })
    for text in ["f", "é", "d"] { try db.run(table.insert(name <- text)) }
    let sorted = try db.prepareRowIterator(table.order(name)).map { try $0.get(name) }
    #expect(sorted == ["d", "é", "f"])
    #expect(try db.scalar(table.filter(name == "e").count) == 1)
    #expect(try db.scalar(table.filter(name.collate(.binary) == "e").count) == 0)
    #expect(throws: Result.self) { try db.prepare(table.order(name.collate(.custom("nothing")))) }
  }
}
