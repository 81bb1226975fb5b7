import Foundation
import MartletTyped
import Testing

private struct Transactions: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), users = db["users"]
    let id = Seed.id, email = Seed.email, balance = Seed.balance, managerId = Seed.managerId
    db.execute(Seed.schema)
    db.trace(log.add)
    db.transaction()
      && users.insert(email <- "betty@icloud.com")
      && users.insert(email <- "cathy@icloud.com", managerId <- db.lastInsertRowid)
      && db.commit() || db.rollback()
    log.expect(
      "BEGIN DEFERRED TRANSACTION",
      "INSERT INTO \"users\" (\"email\") VALUES ('betty@icloud.com')",
      "INSERT INTO \"users\" (\"email\", \"manager_id\") VALUES ('cathy@icloud.com', 1)",
      "COMMIT TRANSACTION")
    let alice = users.filter(id == 1), betty = users.filter(id == 2), amount = 100.0
    db.transaction()
      && alice.update(balance -= amount)
      && betty.update(balance += amount)
      && db.commit() || db.rollback()
    log.expect(
      "BEGIN DEFERRED TRANSACTION",
      "UPDATE \"users\" SET \"balance\" = (\"balance\" - 100.0) WHERE (\"id\" = 1)",
      "UPDATE \"users\" SET \"balance\" = (\"balance\" + 100.0) WHERE (\"id\" = 2)",
      "COMMIT TRANSACTION")
    let failed =
      db.transaction()
      && users.insert(email <- "dolly@icloud.com")
      && users.insert(email <- "betty@icloud.com")
      && db.commit() || db.rollback()
    #expect(failed.failed && users.count == 2)
    db.transaction { txn in
      if users.insert(email <- "emery@icloud.com").rowid != nil {
        if users.insert(email <- "flint@icloud.com", managerId <- db.lastInsertRowid).rowid != nil {
          return .Commit
        }
      }
      return .Rollback
    }
    #expect(users.count == 4)
    db.transaction { _ in
      users.delete()
      return .Rollback
    }
    db.savepoint("sp") { _ in
      users.delete()
      return .Rollback
    }
    #expect(users.count == 4)
    db.savepoint("sp") { _ in
      users.filter(id == 1).delete()
      return .Release
    }
    #expect(users.count == 3)
  }
}

/// A date that is stored as a text, and one that is stored as a number.
private struct TextDate: Value, Comparable {
  var date: Date
  static var declaredDatatype: String { String.declaredDatatype }
  static func fromDatatypeValue(_ stringValue: String) -> TextDate {
    TextDate(date: SQLDateFormatter.date(from: stringValue)!)
  }
  var datatypeValue: String { SQLDateFormatter.string(from: date) }
  static func < (lhs: TextDate, rhs: TextDate) -> Bool { lhs.date < rhs.date }
}

private struct NumberDate: Value {
  var date: Date
  static var declaredDatatype: String { Int.declaredDatatype }
  static func fromDatatypeValue(_ intValue: Int) -> Self {
    self.init(date: Date(timeIntervalSince1970: TimeInterval(intValue)))
  }
  var datatypeValue: Int { Int(date.timeIntervalSince1970) }
}

private let SQLDateFormatter: DateFormatter = {
  let formatter = DateFormatter()
  formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSS"
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(secondsFromGMT: 0)
  return formatter
}()

/// Any object that is stored as bytes; a class, as UIImage is.
private class Picture: Value, @unchecked Sendable {
  let pixels: [UInt8]
  init(_ pixels: [UInt8]) { self.pixels = pixels }
  class var declaredDatatype: String { Data.declaredDatatype }
  class func fromDatatypeValue(_ blobValue: Blob) -> Picture { Picture(blobValue.bytes) }
  var datatypeValue: Blob { Blob(bytes: pixels) }
}

private struct CustomTypes: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), posts = db["posts"], id = Seed.id
    db.execute("CREATE TABLE posts (id INTEGER PRIMARY KEY, published_at, avatar BLOB)")
    let moment = Date(timeIntervalSince1970: 1_416_314_730)
    let published_at = Expression<TextDate>("published_at")
    db.trace(log.add)
    #expect(Array(posts.filter(published_at <= TextDate(date: moment))).isEmpty)
    log.expect("SELECT * FROM \"posts\" WHERE (\"published_at\" <= '2014-11-18T12:45:30.000')")
    let at = Expression<NumberDate>("published_at")
    #expect(Array(posts.filter(at <= NumberDate(date: moment))).isEmpty)
    log.expect("SELECT * FROM \"posts\" WHERE (\"published_at\" <= 1416314730)")
    let avatar = Expression<Picture?>("avatar")
    expectSQL("\"posts\".\"avatar\"", posts.namespace(avatar))
    posts.insert(published_at <- TextDate(date: moment), avatar <- Picture([1, 2]))
    let user = try #require(posts.first)
    #expect(user.get(avatar)?.pixels == [1, 2])
    #expect(user[published_at].date == moment)
    posts.filter(id == 1).update(at <- NumberDate(date: moment))
    #expect(posts.first?[at].date == moment)
  }
}

private struct Functions: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let name = Seed.name, email = Seed.email
    expectSQL("ifnull(\"name\", \"email\")", name ?? email)
    let db = Database(), attachments = db["attachments"], UTI = Expression<String>("UTI")
    db.execute("CREATE TABLE attachments (UTI TEXT)")
    attachments.insert(UTI <- "public.image.png")
    let typeConformsTo: (Expression<String>, String) -> Expression<Bool> = db.create(
      function: "typeConformsTo", deterministic: true
    ) { UTI, conformsToUTI in
      UTI.hasPrefix(conformsToUTI)
    }
    let images = attachments.filter(typeConformsTo(UTI, "public.image"))
    expectSQL(
      "SELECT * FROM \"attachments\" WHERE \"typeConformsTo\"(\"UTI\", 'public.image')", images)
    #expect(images.count == 1)
    let reversed: (String, Expression<String>) -> Expression<Bool> = db.create(
      function: "typeConformsTo", deterministic: true
    ) { (UTI: String, conformsToUTI: String) in UTI.hasPrefix(conformsToUTI) }
    #expect(attachments.filter(reversed("public", UTI)).count == 0)
    db.create(function: "loose", deterministic: true) { args in
      if let UTI = args[0] as? String, let conformsToUTI = args[1] as? String {
        return UTI.hasPrefix(conformsToUTI) ? 1 : 0
      }
      return nil
    }
    let stmt = db.prepare("SELECT * FROM attachments WHERE loose(UTI, ?)")
    var count = 0
    for row in stmt.bind("public") {
      #expect(row[0] as? String == "public.image.png")
      count += 1
    }
    #expect(count == 1)
    db.create(collation: "NODIACRITIC") { lhs, rhs in
      lhs.compare(rhs, options: .diacriticInsensitive)
    }
    let restaurants = db["restaurants"], title = Expression<String>("name")
    db.execute("CREATE TABLE restaurants (name TEXT)")
    for text in ["f", "é", "d"] { restaurants.insert(title <- text) }
    let sorted = restaurants.order(collate(.Custom("NODIACRITIC"), title))
    expectSQL(
      "SELECT * FROM \"restaurants\" ORDER BY (\"name\" COLLATE \"NODIACRITIC\")", sorted)
    #expect(sorted.map { $0[title] } == ["d", "é", "f"])
  }
}

private struct FreeFunctions: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let name = Seed.name, email = Seed.email, balance = Seed.balance, age = Seed.age
    expectSQL("upper(\"email\")", upper(email))
    expectSQL("length(\"name\")", length(name))
    expectSQL("length(\"email\")", length(email))
    expectSQL("abs(\"balance\")", abs(balance))
    expectSQL("round(\"balance\", 1)", round(balance, 1))
    expectSQL("random()", random() as Expression<Int64>)
    expectSQL("substr(\"email\", 1, 2)", substr(email, 1, 2))
    expectSQL("replace(\"email\", 'a', 'b')", replace(email, "a", "b"))
    expectSQL("trim(\"email\")", trim(email))
    expectSQL("ltrim(\"email\", ' ')", ltrim(email, " "))
    expectSQL("rtrim(\"name\")", rtrim(name))
    expectSQL("(\"name\" GLOB 'a*')", glob("a*", name))
    expectSQL("(\"name\" REGEXP 'a')", regexp("a", name))
    expectSQL("(\"email\" MATCH 'a')", match(email, "a"))
    expectSQL("coalesce(\"name\", \"name\")", coalesce(name, name))
    expectSQL("ifnull(\"name\", 'x')", ifnull(name, "x"))
    expectSQL("ifnull(\"name\", \"email\")", ifnull(name, email))
    expectSQL("ifnull(\"name\", \"name\")", ifnull(name, name))
    expectSQL("count(DISTINCT \"name\")", count(distinct: name))
    expectSQL("count(\"name\")", count(name))
    expectSQL("max(\"age\")", max(age))
    expectSQL("min(\"email\")", min(email))
    expectSQL("avg(\"balance\")", average(balance))
    expectSQL("avg(DISTINCT \"balance\")", average(distinct: balance))
    expectSQL("sum(\"age\")", sum(age))
    expectSQL("sum(DISTINCT \"age\")", sum(distinct: age))
    expectSQL("total(\"balance\")", total(balance))
    expectSQL("total(DISTINCT \"balance\")", total(distinct: balance))
    let number: Expression<Int> = cast(email)
    expectSQL("CAST (\"email\" AS INTEGER)", number)
  }
}

private struct FullTextSearch: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let log = Log(), db = Database(), emails = db["emails"]
    let subject = Expression<String>("subject"), body = Expression<String>("body")
    expectSQL("fts4(\"subject\", \"body\")", fts4(subject, body))
    expectSQL(
      "fts4(\"subject\", \"body\", tokenize=porter)", fts4([subject, body], tokenize: .Porter))
    expectSQL(
      "SELECT * FROM \"emails\" WHERE (\"emails\" MATCH 'wonder*')",
      emails.filter(match(emails, "wonder*")))
    expectSQL(
      "SELECT * FROM \"emails\" WHERE (\"subject\" MATCH 'Re:*')",
      emails.filter(match(subject, "Re:*")))
    db.trace(log.add)
    let made = db.create(vtable: emails, using: fts4(subject, body))
    // Full-text search runs where the module is there.
    if made.failed {
      #expect(made.reason?.contains("no such module") == true)
    } else {
      #expect(
        log.take().first == "CREATE VIRTUAL TABLE \"emails\" USING fts4(\"subject\", \"body\")")
      _ = emails.insert(subject <- "Just Checking In", body <- "Hey, I was just wondering")!
      #expect(emails.filter(match(emails, "wonder*")).count == 1)
    }
  }
}

private struct ArbitrarySQL: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let db = Database()
    db.execute(
      "BEGIN TRANSACTION;"
        + "CREATE TABLE users (id INTEGER PRIMARY KEY NOT NULL, email TEXT UNIQUE NOT NULL,"
        + "name TEXT);"
        + "CREATE TABLE posts (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL);"
        + "PRAGMA user_version = 1;"
        + "COMMIT TRANSACTION;")
    #expect(db.userVersion == 1)
    let insert = db.prepare("INSERT INTO users (email) VALUES (?)")
    insert.run("alice@mac.com")
    #expect(db.changes == 1)
    let stmt = db.prepare("SELECT id, email FROM users")
    for row in stmt {
      #expect("id: \(row[0]!), email: \(row[1]!)" == "id: 1, email: alice@mac.com")
    }
    db.run("INSERT INTO users (email) VALUES (?)", "betty@mac.com")
    #expect(db.scalar("SELECT count(*) FROM users") as! Int64 == 2)
    let count = db.prepare("SELECT count (*) FROM users WHERE id > ?")
    #expect(count.scalar(1) as! Int64 == 1)
    #expect(db.prepare("SELECT nothing").failed)
    let readonly = Database("/nowhere/at/all.sqlite3", readonly: true)
    #expect(readonly.run("SELECT 1").failed && readonly["users"].count == 0)
  }
}

@Suite struct SeedOtherTests {
  private static let examples: [any SeedExample] = [
    Transactions(), CustomTypes(), Functions(), FreeFunctions(), FullTextSearch(), ArbitrarySQL(),
  ]

  @Test(arguments: 0..<SeedOtherTests.examples.count)
  func `examples run as they did in 2015`(index: Int) throws {
    try SeedOtherTests.examples[index].run()
  }
}
