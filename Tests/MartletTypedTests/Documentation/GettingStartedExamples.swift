import Foundation
import MartletTyped
import Testing

/// The code of the article "Getting started".
@Suite struct GettingStartedExamples {
  @Test func `databases`() throws {
    // The article's path stands for any.
    func open() throws {
      let db = try Connection("path/to/db.sqlite3")
      _ = db
    }
    #expect(throws: Result.self) { try open() }
    func openOthers() throws {
      let memory = try Connection(.inMemory)
      let temporary = try Connection(.temporary)
      let readonly = try Connection("path/to/db.sqlite3", readonly: true)
      let immutable = try Connection(.uri("path/to/db.sqlite3", parameters: [.immutable(true)]))
      _ = (memory, temporary, readonly, immutable)
    }
    #expect(throws: Result.self) { try openOthers() }
  }

  @Test func `rows and SQL`() throws {
    let db = try Connection()
    let users = Table("users")
    let id = Expression<Int64>("id")
    let name = Expression<String?>("name")
    let email = Expression<String>("email")

    try db.run(
      users.create { t in
        t.column(id, primaryKey: true)
        t.column(name)
        t.column(email, unique: true)
      })
    let rowid = try db.run(users.insert(name <- "Alice", email <- "alice@mac.com"))
    for user in try db.prepare(users.filter(id == rowid)) {
      print("id: \(user[id]), email: \(user[email]), name: \(user[name] ?? "nobody")")
    }
    if let user = try db.pluck(users) {
      let address = try user.get(email)
      print(address)
    }
    let rows = try db.prepareRowIterator(users)
    while let user = try rows.failableNext() { print(try user.get(email)) }
    let emails = try db.prepareRowIterator(users).map { try $0.get(email) }
    #expect(emails == ["alice@mac.com"])

    try db.execute(
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); PRAGMA user_version = 1")
    let statement = try db.prepare("INSERT INTO notes (text) VALUES (?)")
    for text in ["one", "two"] { try statement.run(text) }
    let count = try db.scalar("SELECT count(*) FROM notes WHERE text = :text", [":text": "two"])
    #expect(count as? Int64 == 1)
  }
}
