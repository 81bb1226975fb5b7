import MartletTyped
import Testing

private struct CreatingTables: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"]
    db.trace(log.add)
    let id = Seed.id, email = Seed.email, name = Seed.name
    db.create(table: users) { t in
      t.column(id, primaryKey: true)
      t.column(email, unique: true)
      t.column(name)
    }
    log.expect(
      "CREATE TABLE \"users\" (\"id\" INTEGER PRIMARY KEY NOT NULL, "
        + "\"email\" TEXT UNIQUE NOT NULL, \"name\" TEXT)")
    db.create(table: users, temporary: true) { t in t.column(id) }
    log.expect("CREATE TEMPORARY TABLE \"users\" (\"id\" INTEGER NOT NULL)")
    let again = db.create(table: users, ifNotExists: true) { t in t.column(id) }
    log.expect("CREATE TABLE IF NOT EXISTS \"users\" (\"id\" INTEGER NOT NULL)")
    #expect(!again.failed)
    let failing = db.create(table: users, temporary: true) { t in t.column(id) }
    #expect(failing.failed)
    #expect(failing.reason?.contains("already exists") == true)
  }
}

private struct ColumnConstraints: SeedExample {
  @available(*, deprecated)
  private func definition(_ build: (TableBuilder) -> Void) -> String {
    let log = Log(), db = Database()
    db.trace(log.add)
    db.create(collation: "custom") { _, _ in .orderedSame }
    db.create(table: db["t"], build)
    let sql = log.take().first ?? ""
    return String(sql.dropFirst("CREATE TABLE \"t\" (".count).dropLast())
  }

  @available(*, deprecated)
  func run() throws {
    let id = Seed.id, email = Seed.email, name = Seed.name, users = Database()["users"]
    #expect(
      definition { t in t.column(id, primaryKey: true) } == "\"id\" INTEGER PRIMARY KEY NOT NULL")
    #expect(
      definition { t in t.column(id, primaryKey: .Autoincrement) }
        == "\"id\" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL")
    #expect(definition { t in t.column(email, unique: true) } == "\"email\" TEXT UNIQUE NOT NULL")
    #expect(
      definition { t in t.column(email, check: like("%@%", email)) }
        == "\"email\" TEXT NOT NULL CHECK (\"email\" LIKE '%@%')")
    #expect(
      definition { t in t.column(name, defaultValue: "Anonymous") }
        == "\"name\" TEXT DEFAULT 'Anonymous'")
    #expect(
      definition { t in t.column(email, collate: .Nocase) }
        == "\"email\" TEXT NOT NULL COLLATE \"NOCASE\"")
    #expect(
      definition { t in t.column(name, collate: .Rtrim) } == "\"name\" TEXT COLLATE \"RTRIM\"")
    #expect(
      definition { t in t.column(name, collate: .Custom("custom")) }
        == "\"name\" TEXT COLLATE \"custom\"")
    let user_id = Seed.userId
    #expect(
      definition { t in t.column(user_id, references: users[id]) }
        == "\"user_id\" INTEGER REFERENCES \"users\"(\"id\")")
    #expect(
      definition { t in t.column(user_id, references: users) }
        == "\"user_id\" INTEGER REFERENCES \"users\"")
  }
}

private struct TableConstraints: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"], user_id = Seed.userId
    let local = Expression<String>("local"), domain = Expression<String>("domain")
    db.trace(log.add)
    db.create(table: users) { t in
      t.column(Seed.email)
      t.column(Seed.name)
      t.column(local)
      t.column(domain)
      t.column(Seed.balance)
      t.column(user_id)
      t.primaryKey(Seed.email.asc, Seed.name)
      t.unique(local, domain)
      t.check(Seed.balance >= 0)
      t.foreignKey(user_id, on: users[Seed.id], delete: .SetNull)
    }
    log.expect(
      "CREATE TABLE \"users\" (\"email\" TEXT NOT NULL, \"name\" TEXT, \"local\" TEXT NOT NULL, "
        + "\"domain\" TEXT NOT NULL, \"balance\" REAL NOT NULL, \"user_id\" INTEGER, "
        + "PRIMARY KEY(\"email\" ASC, \"name\"), UNIQUE(\"local\", \"domain\"), "
        + "CHECK (\"balance\" >= 0.0), "
        + "FOREIGN KEY(\"user_id\") REFERENCES \"users\"(\"id\") ON DELETE SET NULL)")
  }
}

private struct AlteringTheSchema: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"], posts = db["posts"]
    db.execute(Seed.schema)
    db.trace(log.add)
    let suffix = Seed.suffix
    db.alter(table: users, add: suffix)
    log.expect("ALTER TABLE \"users\" ADD COLUMN \"suffix\" TEXT")
    let check = contains(["JR", "SR"], suffix)
    _ = db.alter(table: posts, add: suffix, check: check)
    log.expect(
      "ALTER TABLE \"posts\" ADD COLUMN \"suffix\" TEXT CHECK (\"suffix\" IN ('JR', 'SR'))")
    db.alter(table: users, add: Expression<String?>("s2"), defaultValue: "SR")
    log.expect("ALTER TABLE \"users\" ADD COLUMN \"s2\" TEXT DEFAULT 'SR'")
    db.alter(
      table: users, add: Expression<String>("s3"), defaultValue: "", collate: .Nocase)
    log.expect(
      "ALTER TABLE \"users\" ADD COLUMN \"s3\" TEXT NOT NULL DEFAULT '' COLLATE \"NOCASE\"")
    db.alter(table: users, add: Expression<String?>("s4"), collate: .Rtrim)
    log.expect("ALTER TABLE \"users\" ADD COLUMN \"s4\" TEXT COLLATE \"RTRIM\"")
    db.alter(table: posts, add: Expression<Int64?>("user_2"), references: users[Seed.id])
    log.expect("ALTER TABLE \"posts\" ADD COLUMN \"user_2\" INTEGER REFERENCES \"users\"(\"id\")")
    db.alter(table: posts, add: Expression<Int64?>("user_3"), references: users)
    log.expect("ALTER TABLE \"posts\" ADD COLUMN \"user_3\" INTEGER REFERENCES \"users\"")
    db.rename(users, to: "users_old")
    log.expect("ALTER TABLE \"users\" RENAME TO \"users_old\"")
  }
}

private struct IndexesAndDropping: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"], email = Seed.email
    db.execute(Seed.schema)
    db.trace(log.add)
    db.create(index: users, on: email)
    log.expect("CREATE INDEX \"index_users_on_email\" ON \"users\" (\"email\")")
    db.create(index: users, on: email, ifNotExists: true)
    log.expect("CREATE INDEX IF NOT EXISTS \"index_users_on_email\" ON \"users\" (\"email\")")
    db.drop(index: users, on: email)
    log.expect("DROP INDEX \"index_users_on_email\"")
    db.create(index: users, on: email, unique: true)
    log.expect("CREATE UNIQUE INDEX \"index_users_on_email\" ON \"users\" (\"email\")")
    db.drop(index: users, on: email, ifExists: true)
    log.expect("DROP INDEX IF EXISTS \"index_users_on_email\"")
    db.drop(table: users)
    log.expect("DROP TABLE \"users\"")
    #expect(db.drop(table: users).failed)
    _ = log.take()
    #expect(!db.drop(table: users, ifExists: true).failed)
    log.expect("DROP TABLE IF EXISTS \"users\"")
    if db.userVersion == 0 { db.userVersion = 1 }
    if db.userVersion == 1 { db.userVersion = 2 }
    #expect(db.userVersion == 2)
  }
}

@Suite struct SeedSchemaTests {
  private static let examples: [any SeedExample] = [
    CreatingTables(), ColumnConstraints(), TableConstraints(), AlteringTheSchema(),
    IndexesAndDropping(),
  ]

  @Test(arguments: 0..<SeedSchemaTests.examples.count)
  func `examples of schemas make the SQL of 2015`(index: Int) throws {
    try SeedSchemaTests.examples[index].run()
  }
}
