import Foundation
import MartletTyped
import Testing

/// What queries give, not only how they are written.
@Suite struct QueryRowTests {
  private func world() throws -> UsersDatabase {
    let world = try UsersDatabase()
    try world.insert("alice", age: 30, admin: true)
    try world.insert("betty", age: 40)
    try world.insert("cathy")
    return world
  }

  private func ids(_ world: UsersDatabase, _ query: any QueryType) throws -> [Int64] {
    try world.db.prepareRowIterator(query).map { try $0.get(world.id) }
  }

  @Test func `filters`() throws {
    let world = try world(), users = world.users, id = world.id, age = world.age
    #expect(try ids(world, users.filter(age > 30)) == [2])
    #expect(try ids(world, users.filter(age == nil)) == [3])
    #expect(try ids(world, users.filter(age != nil && world.admin)) == [1])
    #expect(try ids(world, users.filter(!(age === 30))) == [2, 3])
    #expect(try ids(world, users.filter(age !== 30)) == [2, 3])
    #expect(try ids(world, users.filter([1, 3].contains(id))) == [1, 3])
    #expect(try ids(world, users.filter(30..<40 ~= age)) == [1])
    #expect(try ids(world, users.filter(30...40 ~= age)) == [1, 2])
    #expect(try ids(world, users.filter(world.email.like("b%") || 3... ~= id)) == [2, 3])
    let adults = users.select(id).filter(age >= 40)
    #expect(try ids(world, users.filter(adults.contains(id))) == [2])
    #expect(try ids(world, users.filter(!adults.contains(id))) == [1, 3])
    #expect(try world.db.scalar(users.filter(age > 50).exists) == false)
    #expect(try world.db.scalar(users.exists))
  }

  @Test func `unions, common tables and recursion`() throws {
    let world = try world(), users = world.users, id = world.id
    let union = users.filter(id == 3).union(users.filter(id == 1)).order(id)
    #expect(try ids(world, union) == [1, 3])
    let some = Table("some")
    #expect(try ids(world, some.with(some, as: users.filter(id > 1)).order(id.desc)) == [3, 2])
    try world.db.run(users.filter([2, 3].contains(id)).update(world.managerId <- 1))
    try world.db.run(users.filter(id == 3).update(world.managerId <- 2))
    let chain = Table("chain"), level = Expression<Int>("level")
    let start = users.select(id, Expression<Int>(value: 0)).filter(id == 1)
    let next = users.join(chain, on: chain[id] == users[world.managerId])
      .select(users[id], chain[level] + 1)
    let query = chain.with(
      chain, columns: [id, level], recursive: true, as: start.union(all: true, next))
    let rows = try world.db.prepareRowIterator(query).map { (try $0.get(id), try $0.get(level)) }
    #expect(rows.map(\.0) == [1, 2, 3] && rows.map(\.1) == [0, 1, 2])
  }

  @Test func `aggregates and groups`() throws {
    let world = try world(), db = world.db, users = world.users, age = world.age
    #expect(try db.scalar(users.count) == 3)
    #expect(try db.scalar(users.select(age.count)) == 2)
    #expect(try db.scalar(users.select(age.average)) == 35)
    #expect(try db.scalar(users.select(age.sum)) == 70)
    #expect(try db.scalar(users.select(age.total)) == 70)
    #expect(try db.scalar(users.select(age.max)) == 40)
    #expect(try db.scalar(users.filter(age > 99).select(age.min)) == nil)
    #expect(try db.scalar(users.select(distinct: world.admin).limit(1)))
    let groups = users.select(world.admin, count(*)).group(world.admin, having: count(*) > 1)
    #expect(try db.prepareRowIterator(groups).map { try $0.get(count(*)) } == [2])
  }

  @Test func `window functions`() throws {
    let world = try world(), db = world.db, users = world.users, age = world.age
    let place = rank(age.desc),
      running = age.sum.over(
        Window(orderBy: [world.id]).frame(.rows, from: .unbounded))
    let rows = try db.prepareRowIterator(users.select(world.id, place, running).order(world.id))
      .map { (try $0.get(place), try $0.get(running)) }
    #expect(rows.map(\.0) == [2, 1, 3] && rows.map(\.1) == [30, 70, 70])
    let inGroup = rowNumber(over: Window(partitionBy: [world.admin], orderBy: [world.id]))
    let numbers = try db.prepareRowIterator(users.select(world.id, inGroup).order(world.id))
      .map { try $0.get(inGroup) }
    #expect(numbers == [1, 1, 2])
    let before = age.lag(offset: 1, default: 0, world.id)
    #expect(
      try db.prepareRowIterator(users.select(world.id, before).order(world.id))
        .map { try $0.get(before) } == [0, 30, 40])
  }

  @Test func `inserting in all forms`() throws {
    let world = try world(), db = world.db, users = world.users, email = world.email
    #expect(throws: Result.self) { try world.insert("alice") }
    #expect(try db.run(users.insert(or: .ignore, email <- "alice@example.com")) == 3)
    #expect(db.changes == 0)
    try db.run(users.insert(or: .replace, email <- "alice@example.com", world.age <- 31))
    #expect(try db.scalar(users.filter(email.like("alice%")).select(world.age)) == 31)
    try db.run(users.upsert(email <- "betty@example.com", world.age <- 41, onConflictOf: email))
    #expect(try db.scalar(users.filter(world.id == 2).select(world.age)) == 41)
    try db.run(
      users.upsert(email <- "betty@example.com", onConflictOf: email, set: [world.age <- nil]))
    #expect(try db.scalar(users.filter(world.id == 2).select(world.age)) == nil)
    #expect(try db.run(users.insertMany([[email <- "x"], [email <- "y", world.age <- 5]])) == 6)
    #expect(try db.scalar(users.count) == 5)
    let emails = Table("emails")
    try db.run(emails.create { $0.column(email) })
    try db.run(emails.insert(users.select(email)))
    try db.run(emails.insert([email], users.select(email).limit(1)))
    #expect(try db.scalar(emails.count) == 6)
  }

  @Test func `updating and deleting count their rows`() throws {
    let world = try world(), db = world.db, users = world.users, age = world.age
    #expect(try db.run(users.filter(age != nil).update(age += 1, world.salary <- 2.5)) == 2)
    #expect(try db.run(users.filter(world.id == 1).update(age *= 2, world.email += "!")) == 1)
    let alice = try #require(try db.pluck(users.filter(world.id == 1)))
    #expect(try alice.get(age) == 62 && alice.get(world.email) == "alice@example.com!")
    try db.run(users.update(age++))
    try db.run(users.filter(world.id == 1).update(world.salary /= 2, age %= 10))
    #expect(try db.pluck(users.filter(world.id == 1))?.get(world.salary) == 1.25)
    #expect(try db.run(users.filter(age == nil).delete()) == 1)
    #expect(try db.run(users.delete()) == 2)
    let statement = try db.run(users.exists)
    #expect(statement.description.hasPrefix("SELECT EXISTS"))
  }

  @Test func `a statement of the cache is nobody else's while it runs`() throws {
    let world = try world(), db = world.db
    let outer = try db.prepareRowIterator(world.users.order(world.id))
    var pairs = 0
    while let user = try outer.failableNext() {
      for other in try db.prepare(world.users.order(world.id))
      where other[world.id] > user[world.id] {
        pairs += 1
        if pairs == 2 { break }
      }
    }
    #expect(pairs == 3 || pairs == 2)
    var early: RowIterator? = try db.prepareRowIterator(world.users)
    var late: RowIterator? = try db.prepareRowIterator(world.users)
    #expect(try early?.failableNext()?.get(world.id) == 1)
    #expect(try late?.failableNext()?.get(world.id) == 1)
    #expect(try early?.failableNext()?.get(world.id) == 2)
    let rows = try db.prepare(world.users)
    #expect(Array(rows).count == 3 && Array(rows).count == 3)
    // Statements that are given up are reset.
    #expect(throws: Result.self) { try db.execute("DROP TABLE users") }
    (early, late) = (nil, nil)
    try db.execute("DROP TABLE users")
    #expect(throws: Result.self) { try db.prepare(world.users) }
  }

  @Test func `a schema that changes changes the columns`() throws {
    let world = try world(), db = world.db, nick = Expression<String?>("nick")
    #expect(throws: QueryError.self) { try db.pluck(world.users)?.get(nick) }
    try db.run(world.users.addColumn(nick, defaultValue: "x"))
    #expect(try db.pluck(world.users)?.get(nick) == "x")
  }

  @Test func `types have the names that they have in SQLite's module`() throws {
    let db: SQLite.Connection = try Connection(), table: SQLite.Table = Table("t")
    let column = SQLite.Expression<Int>("c"), setter: SQLite.Setter = column <- 5
    try db.run(table.create { (t: SQLite.TableBuilder) in t.column(column) })
    try db.run(table.insert(setter))
    let row: SQLite.Row? = try db.pluck(table)
    #expect(try row?.get(column) == 5)
  }

  @Test func `an R-tree is a virtual table`() throws {
    let db = try Connection(), boxes = VirtualTable("boxes"), id = Expression<Int64>("id")
    let left = Expression<Double>("left"), right = Expression<Double>("right")
    try db.run(boxes.create(.RTree(id, (left, right))))
    try db.run(boxes.insert(id <- 1, left <- 0, right <- 1))
    try db.run(boxes.insert(id <- 2, left <- 5, right <- 6))
    #expect(try db.scalar(boxes.filter(left >= 2).select(id)) == 2)
  }

  @Test func `names that Unicode takes as equal are two`() throws {
    let db = try Connection(), names = ["\u{e9}", "e\u{301}", "\u{212b}", "A\u{30a}"]
    let value = Expression<Int>("a")
    for (number, name) in names.enumerated() {
      try db.execute("CREATE TABLE t\(name)(a)")
      try db.run(Table("t\(name)").insert(value <- number))
    }
    for (number, name) in names.enumerated() {
      #expect(try db.prepare(Table("t\(name)")).map { $0[value] } == [number])
      #expect(try db.scalar("SELECT count(*) FROM t\(name)") as? Int64 == 1)
    }
    for more in ["", "c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, "] {
      let columns = names.map { Expression<Int>($0) }
      try db.execute("DROP TABLE IF EXISTS w; CREATE TABLE w(\(more)\(names.joined(separator: ",")))")
      try db.run(Table("w").insert(columns.enumerated().map { $1 <- $0 }))
      let row = try #require(try db.pluck(Table("w")))
      #expect(columns.map { row[$0] } == [0, 1, 2, 3])
    }
  }

  @Test func `what is said of a column is said of no other that Unicode takes as equal`() throws {
    let db = try Connection(), names = ["\u{e9}", "e\u{301}"]
    try db.execute("CREATE TABLE p(id INTEGER PRIMARY KEY)")
    try db.execute("CREATE TABLE a(\(names[0]) UNIQUE, \(names[1]) REFERENCES p(id))")
    let columns = try db.schema.columnDefinitions(table: "a")
    #expect(columns.map(\.unique) == [true, false])
    #expect(columns.map { $0.references?.toTable } == [nil, "p"])
    // The columns of one table of two.
    let tables = names.map { Table($0) }, value = Expression<Int>("v"), other = Expression<Int>("w")
    try db.execute("CREATE TABLE \(names[0])(v); CREATE TABLE \(names[1])(w)")
    try db.run(tables[0].insert(value <- 1))
    try db.run(tables[1].insert(other <- 2))
    let row = try #require(
      try db.pluck(tables[0].join(tables[1], on: value < other).select(tables[1][*])))
    #expect(row[tables[1][other]] == 2)
    #expect(throws: QueryError.self) { try row.get(tables[0][value]) }
  }
}
