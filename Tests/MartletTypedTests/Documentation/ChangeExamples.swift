import Foundation
import MartletTyped
import Testing

/// The code of the article "Changes".
@Suite struct ChangeExamples {
  let users = Table("users"), id = Expression<Int64>("id"), email = Expression<String>("email")
  let name = Expression<String?>("name"), balance = Expression<Double>("balance")
  let visits = Expression<Int>("visits"), managerId = Expression<Int64?>("manager_id")

  @Test func `rows are changed`() throws {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE users (
        id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT,
        balance REAL NOT NULL DEFAULT 0, visits INTEGER NOT NULL DEFAULT 0, manager_id INTEGER)
      """)
    let rowid = try db.run(users.insert(name <- "Alice", email <- "alice@mac.com"))
    try db.run(
      users.insert(or: .replace, id <- rowid, name <- "Alice B.", email <- "alice@mac.com"))
    try db.run(
      users.insertMany([[email <- "betty@mac.com"], [email <- "cathy@mac.com", name <- "C"]]))
    try db.run(users.upsert(email <- "betty@mac.com", name <- "Betty", onConflictOf: email))

    let alice = users.filter(id == rowid)
    let updated = try db.run(alice.update(name <- nil, balance += 10, visits++))
    let deleted = try db.run(users.filter(name == nil).delete())
    #expect(updated == 1 && deleted == 1)

    try db.transaction {
      let manager = try db.run(users.insert(email <- "dolly@mac.com"))
      try db.savepoint {
        try db.run(users.insert(email <- "emery@mac.com", managerId <- manager))
      }
    }
    #expect(try db.scalar(users.count) == 4)

    db.updateHook { operation, database, table, rowid in print(operation, table, rowid) }
    db.commitHook { print("about to commit") }
    db.rollbackHook { print("rolled back") }
    db.trace { print($0) }
    try db.run(users.delete())
  }
}
