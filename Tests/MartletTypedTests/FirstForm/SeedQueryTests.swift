import MartletTyped
import Testing

private struct InsertingRows: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"], email = Seed.email, name = Seed.name
    db.execute(Seed.schema)
    db.execute("CREATE TABLE timestamps (id INTEGER PRIMARY KEY, at TEXT DEFAULT 'now')")
    let timestamps = db["timestamps"]
    db.trace(log.add)
    users.insert(email <- "alice@mac.com", name <- "Alice")
    log.expect("INSERT INTO \"users\" (\"email\", \"name\") VALUES ('alice@mac.com', 'Alice')")
    users.insert(or: .Replace, email <- "alice@mac.com", name <- "Alice B.")
    log.expect(
      "INSERT OR REPLACE INTO \"users\" (\"email\", \"name\") VALUES ('alice@mac.com', 'Alice B.')")
    let insert = users.insert(email <- "betty@mac.com")
    #expect(insert.rowid == 3 && !insert.statement.failed)
    let failing = users.insert(email <- "betty@mac.com")
    #expect(failing.rowid == nil && failing.statement.failed)
    #expect(failing.statement.reason?.contains("UNIQUE constraint failed: users.email") == true)
    _ = log.take()
    timestamps.insert()
    log.expect("INSERT INTO \"timestamps\" DEFAULT VALUES")
    #expect(timestamps.insert()! as Int64 == 2)
  }
}

private struct Setters: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), count = Expression<Int>("count"), id = Seed.id
    db.execute("CREATE TABLE views (id INTEGER PRIMARY KEY, count INTEGER)")
    let views = db["views"].filter(id == 1)
    db.trace(log.add)
    views.update(count <- 0)
    log.expect("UPDATE \"views\" SET \"count\" = 0 WHERE (\"id\" = 1)")
    views.update(count++)
    log.expect("UPDATE \"views\" SET \"count\" = (\"count\" + 1) WHERE (\"id\" = 1)")
    views.update(count--)
    log.expect("UPDATE \"views\" SET \"count\" = (\"count\" - 1) WHERE (\"id\" = 1)")
  }
}

private struct SelectingRows: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"]
    let id = Seed.id, email = Seed.email, name = Seed.name, age = Seed.age
    db.execute(Seed.schema)
    users.insert(email <- "alice@mac.com", name <- "Alice", age <- 30)
    db.trace(log.add)
    var lines: [String] = []
    for user in users {
      lines.append("id: \(user[id]), email: \(user[email]), name: \(user[name]!)")
    }
    #expect(lines == ["id: 1, email: alice@mac.com, name: Alice"])
    log.expect("SELECT * FROM \"users\"")
    if let user = users.first { #expect(user[id] == 1) } else { Issue.record("no row") }
    log.expect("SELECT * FROM \"users\" LIMIT 1")
    #expect(Array(users).count == 1)
    log.expect("SELECT * FROM \"users\"")
    let query = users.select(email).filter(name != nil).order(email.desc, name).limit(5, offset: 1)
    #expect(query.isEmpty)
    expectSQL(
      "SELECT \"email\" FROM \"users\" WHERE (\"name\" IS NOT NULL) "
        + "ORDER BY \"email\" DESC, \"name\" LIMIT 5 OFFSET 1", query)
    _ = log.take()
    for user in users.select(id, email) { #expect(user.get(email) == "alice@mac.com") }
    log.expect("SELECT \"id\", \"email\" FROM \"users\"")
    let sentence = (name + " is " + cast(age) as Expression<String?>) + " years old!"
    for user in users.select(sentence) { #expect(user[sentence] == "Alice is 30 years old!") }
    log.expect(
      "SELECT (((\"name\" || ' is ') || CAST (\"age\" AS TEXT)) || ' years old!') FROM \"users\"")
  }
}

private struct JoiningTables: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let db = Database(), users = db["users"], posts = db["posts"]
    let id = Seed.id, email = Seed.email, user_id = Seed.userId, managerId = Seed.managerId
    db.execute(Seed.schema)
    users.insert(email <- "boss@mac.com")
    users.insert(email <- "alice@mac.com", managerId <- db.lastInsertRowid)
    posts.insert(user_id <- 2)
    let joined = users.join(posts, on: user_id == users[id])
    expectSQL(
      "SELECT * FROM \"users\" INNER JOIN \"posts\" ON (\"user_id\" = \"users\".\"id\")", joined)
    #expect(Array(joined).count == 1)
    #expect(joined.first?[posts[id]] == 1)
    expectSQL("SELECT \"users\".* FROM \"users\"", users.select(users[*]))
    expectSQL(
      "SELECT * FROM \"users\" LEFT OUTER JOIN \"posts\" ON (\"user_id\" = \"users\".\"id\")",
      users.join(.LeftOuter, posts, on: user_id == users[id]))
    let managers = users.alias("managers")
    let query = users.join(managers, on: managers[id] == users[managerId])
    expectSQL(
      "SELECT * FROM \"users\" INNER JOIN \"users\" AS \"managers\" "
        + "ON (\"managers\".\"id\" = \"users\".\"manager_id\")", query)
    let user = try #require(query.first)
    #expect(user[users[id]] == 2 && user[managers[id]] == 1)
    #expect(
      throws: QueryError.ambiguousColumn(
        name: "\"id\"", similar: ["\"managers\".\"id\"", "\"users\".\"id\""])
    ) { try user.row.get(id) }
    // A query whose names are ambiguous gives no rows, and says so where it is run.
    #expect(users.join(posts, on: user_id == id).first == nil)
  }
}

private struct FilteringRows: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let users = Database()["users"], id = Seed.id, email = Seed.email, name = Seed.name
    let verified = Seed.verified, balance = Seed.balance
    expectSQL("SELECT * FROM \"users\" WHERE (\"id\" = 1)", users.filter(id == 1))
    expectSQL(
      "SELECT * FROM \"users\" WHERE (\"id\" IN (1, 2, 3, 4, 5))",
      users.filter(contains([1, 2, 3, 4, 5], id)))
    expectSQL(
      "SELECT * FROM \"users\" WHERE (\"email\" LIKE '%@mac.com')",
      users.filter(like("%@mac.com", email)))
    expectSQL(
      "SELECT * FROM \"users\" WHERE (\"verified\" AND (lower(\"name\") = 'alice'))",
      users.filter(verified && lower(name) == "alice"))
    expectSQL(
      "SELECT * FROM \"users\" WHERE (\"verified\" OR (\"balance\" >= 10000.0))",
      users.filter(verified || balance >= 10_000))
    expectSQL("SELECT * FROM \"users\" ORDER BY \"email\", \"name\"", users.order(email, name))
    expectSQL(
      "SELECT * FROM \"users\" ORDER BY \"email\" DESC, \"name\" ASC",
      users.order(email.desc, name.asc))
    expectSQL("SELECT * FROM \"users\" LIMIT 5", users.limit(5))
    expectSQL("SELECT * FROM \"users\" LIMIT 5 OFFSET 5", users.limit(5, offset: 5))
  }
}

private struct Aggregation: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"]
    let id = Seed.id, email = Seed.email, name = Seed.name, balance = Seed.balance
    db.execute(Seed.schema)
    #expect(users.max(id) == nil && users.average(balance) == nil && users.total(balance) == 0)
    users.insert(email <- "a", name <- "A", balance <- 1.5)
    users.insert(email <- "b", name <- "A", balance <- 2.5)
    users.insert(email <- "c", balance <- 2.5)
    db.trace(log.add)
    #expect(users.count == 3)
    log.expect("SELECT count(*) FROM \"users\"")
    #expect(users.filter(name != nil).count == 2)
    log.expect("SELECT count(*) FROM \"users\" WHERE (\"name\" IS NOT NULL)")
    #expect(users.count(name) == 2)
    log.expect("SELECT count(\"name\") FROM \"users\"")
    #expect(users.max(id) == 3)
    log.expect("SELECT max(\"id\") FROM \"users\"")
    #expect(users.min(id) == 1)
    log.expect("SELECT min(\"id\") FROM \"users\"")
    #expect(users.average(balance) == 6.5 / 3)
    log.expect("SELECT avg(\"balance\") FROM \"users\"")
    #expect(users.sum(balance) == 6.5 && users.sum(id) == 6)
    #expect(users.total(balance) == 6.5 && users.total(distinct: balance) == 4)
    _ = log.take()
    #expect(users.count(distinct: name) == 1)
    log.expect("SELECT count(DISTINCT \"name\") FROM \"users\"")
  }
}

private struct UpdatingAndDeleting: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"], id = Seed.id, email = Seed.email
    db.execute(Seed.schema)
    users.insert(email <- "alice@mac.com")
    db.trace(log.add)
    users.update(email <- "alice@me.com")
    log.expect("UPDATE \"users\" SET \"email\" = 'alice@me.com'")
    let alice = users.filter(id == 1)
    let update = alice.update(email <- "alice@mac.com")
    log.expect("UPDATE \"users\" SET \"email\" = 'alice@mac.com' WHERE (\"id\" = 1)")
    if let changes = update.changes, changes > 0 {
      #expect(changes == 1)
    } else if update.statement.failed {
      Issue.record("update failed: \(update.statement.reason ?? "")")
    }
    let delete = alice.delete()
    log.expect("DELETE FROM \"users\" WHERE (\"id\" = 1)")
    #expect(delete.changes == 1)
    users.delete()
    log.expect("DELETE FROM \"users\"")
    let failing = db["nobody"].delete()
    #expect(failing.changes == nil && failing.statement.failed)
  }
}

@Suite struct SeedQueryTests {
  private static let examples: [any SeedExample] = [
    InsertingRows(), Setters(), SelectingRows(), JoiningTables(), FilteringRows(), Aggregation(),
    UpdatingAndDeleting(),
  ]

  @Test(arguments: 0..<SeedQueryTests.examples.count)
  func `examples of queries make the SQL of 2015, and give its rows`(index: Int) throws {
    try SeedQueryTests.examples[index].run()
  }
}
