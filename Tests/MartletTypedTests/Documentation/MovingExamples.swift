import Foundation
import MartletTyped
import Testing

private struct Example2015: SeedExample {
  @available(*, deprecated)
  func run() throws {
    let path = ":memory:", id = Expression<Int64>("id"), email = Expression<String>("email")
    let db = Database(path)
    let users = db["users"]
    db.create(table: users) { t in
      t.column(id, primaryKey: true)
      t.column(email, unique: true)
    }
    db.transaction()
      && users.insert(email <- "alice@mac.com")
      && users.insert(email <- "betty@mac.com")
      && db.commit() || db.rollback()
    if let user = users.filter(like("%@mac.com", email)).first { print(user[id]) }
    #expect(users.count == 2)
  }
}

/// The code of the article "Moving from SQLite.swift".
@Suite struct MovingExamples {
  @Test func `the API of 2015`() throws {
    let example: any SeedExample = Example2015()
    try example.run()
  }
}
