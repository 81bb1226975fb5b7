import Foundation
import MartletTyped
import Testing

@Suite struct RowTests {
  private func world() throws -> UsersDatabase {
    let world = try UsersDatabase()
    try world.insert("alice", age: 30, admin: true)
    try world.insert("betty")
    try world.db.run(world.users.filter(world.id == 2).update(world.managerId <- 1))
    return world
  }

  @Test func `rows are read by expressions`() throws {
    let world = try world(), db = world.db
    var lines: [String] = []
    for user in try db.prepare(world.users.order(world.id)) {
      lines.append(
        "\(user[world.id]) \(user[world.email]) \(user[world.age] ?? 0) \(user[world.admin])")
    }
    #expect(lines == ["1 alice@example.com 30 true", "2 betty@example.com 0 false"])
    let row = try #require(try db.pluck(world.users.select(world.email.length, world.age.max)))
    #expect(try row.get(world.email.length) == 17 && row.get(world.age.max) == 30)
    #expect(try db.pluck(world.users.filter(world.id == 9)) == nil)
    #expect(Array(try db.prepare(world.users)).count == 2)
    #expect(try Array(db.prepareRowIterator(world.users)).map { try $0.get(world.id) } == [1, 2])
  }

  @Test func `columns that are not there, ambiguous or NULL throw`() throws {
    let world = try world(), db = world.db, other = Expression<Int>("other")
    let row = try #require(
      try db.pluck(world.users.select(world.id, world.age).order(world.id.desc)))
    #expect(throws: QueryError.noSuchColumn(name: "\"other\"", columns: ["\"age\"", "\"id\""])) {
      try row.get(other)
    }
    #expect(throws: QueryError.unexpectedNullValue(name: "\"age\"")) {
      try row.get(Expression<Int>("age"))
    }
    #expect(throws: QueryError.unexpectedNullValue(name: "\"id\"")) {
      try row.get(Expression<String>("id"))
    }
    #expect(try row.get(Expression<String?>("id")) == nil)
    let managers = world.users.alias("managers")
    let joined = world.users.join(managers, on: managers[world.id] == world.users[world.managerId])
    let pair = try #require(try db.pluck(joined))
    #expect(try pair.get(world.users[world.id]) == 2 && pair.get(managers[world.id]) == 1)
    #expect(try pair.get(managers[world.email]) == "alice@example.com")
    #expect(
      throws: QueryError.ambiguousColumn(
        name: "\"id\"", similar: ["\"managers\".\"id\"", "\"users\".\"id\""])
    ) { try pair.get(world.id) }
    let some = try #require(try db.pluck(joined.select(world.users[*], managers[world.email])))
    #expect(try some.get(world.users[world.email]) == "betty@example.com")
    #expect(try some.get(world.age) == nil)
    #expect(throws: (any Error).self) { try db.prepare(Table("nobody")) }
  }

  @Test func `joined queries have their own columns`() throws {
    let world = try world(), db = world.db
    let counts = world.users.select(world.managerId, count(*)).group(world.managerId).alias(
      "counts")
    let joined = world.users.join(
      .leftOuter, counts, on: counts[world.managerId] == world.users[world.id])
    let rows = try db.prepareRowIterator(joined.order(world.users[world.id])).map {
      (try $0.get(world.users[world.id]), try $0.get(counts[world.managerId]))
    }
    #expect(rows.map(\.0) == [1, 2] && rows.map(\.1) == [1, nil])
  }

  @Test func `many columns are found too`() throws {
    let db = try Connection(), names = (0..<40).map { "column \($0)" }
    let columns = names.map { Expression<Int>($0) }, table = Table("t")
    try db.run(table.create { t in for column in columns { t.column(column) } })
    try db.run(table.insert(columns.enumerated().map { $1 <- $0 }))
    let row = try #require(try db.pluck(table))
    #expect(try columns.map { try row.get($0) } == Array(0..<40))
    #expect(throws: QueryError.self) { try row.get(Expression<Int>("column 40")) }
  }

  @Test func `values of each type come back`() throws {
    let db = try Connection(), table = Table("t")
    func roundTrip<V: Value & Equatable>(_ values: V...) throws {
      let column = Expression<V>("c"), optional = Expression<V?>("c")
      try db.run(table.drop(ifExists: true))
      try db.run(table.create { $0.column(optional) })
      for value in values {
        try db.run(table.delete())
        try db.run(table.insert(column <- value))
        #expect(try db.pluck(table)?.get(column) == value)
        #expect(try db.scalar(table.select(column)) == value)
      }
      try db.run(table.update(optional <- nil))
      #expect(try db.scalar(table.select(optional)) == nil)
      #expect(throws: QueryError.self) { try db.scalar(table.select(column)) }
    }
    try roundTrip(Int.min, 0, .max)
    try roundTrip(Int64.min, 0, .max)
    try roundTrip(Int8.min, .max)
    try roundTrip(Int16.min, .max)
    try roundTrip(Int32.min, .max)
    try roundTrip(UInt8.min, .max)
    try roundTrip(UInt16.min, .max)
    try roundTrip(UInt32.min, .max)
    try roundTrip(UInt64.min, UInt64(Int64.max))
    try roundTrip(UInt.min, UInt(Int64.max))
    try roundTrip(0.1, -.infinity, .greatestFiniteMagnitude)
    try roundTrip(Float(0.1), .infinity)
    try roundTrip(true, false)
    try roundTrip("", "é👩‍🚀", "'; DROP TABLE t; --")
    try roundTrip(Blob(bytes: []), Blob(bytes: [0, 255]))
    try roundTrip(Data(), Data([0, 1]))
    try roundTrip(UUID())
    try roundTrip(URL(string: "https://example.com/?q=1#x")!)
    try roundTrip(
      Date(timeIntervalSince1970: 0.25), Date(timeIntervalSince1970: -1e9),
      Date(timeIntervalSince1970: 1e12), Date(timeIntervalSinceReferenceDate: 438_007_530.123),
      Date(timeIntervalSinceReferenceDate: 0.001))
  }

  @Test func `what does not fit throws`() throws {
    let db = try Connection(), table = Table("t")
    try db.execute("CREATE TABLE t (c); INSERT INTO t VALUES (300)")
    #expect(throws: Result.self) { try db.scalar(table.select(Expression<UInt8>("c"))) }
    #expect(throws: Result.self) { try db.run(table.insert(Expression<UInt64>("c") <- .max)) }
    try db.execute("UPDATE t SET c = -1")
    #expect(throws: (any Error).self) { try db.scalar(table.select(Expression<UInt64>("c"))) }
    try db.execute("UPDATE t SET c = 'neither'")
    #expect(throws: Result.self) { try db.scalar(table.select(Expression<Date>("c"))) }
    #expect(throws: Result.self) { try db.scalar(table.select(Expression<UUID>("c"))) }
    #expect(throws: QueryError.self) { try db.scalar(table.select(Expression<Int>("c"))) }
  }

  @Test func `dates are read in all formats of SQLite`() throws {
    let db = try Connection(), at = Expression<Date>("at")
    for (text, seconds) in [
      ("2014-11-18T12:45:30.250", 1_416_314_730.25), ("2014-11-18 12:45:30", 1_416_314_730),
      ("2014-11-18", 1_416_268_800), ("2014-11-18T12:45:30+01:00", 1_416_311_130),
    ] {
      let row = try db.prepareRowIterator("SELECT ? AS at", bindings: text).failableNext()
      #expect(try row?.get(at) == Date(timeIntervalSince1970: seconds))
    }
  }
}
