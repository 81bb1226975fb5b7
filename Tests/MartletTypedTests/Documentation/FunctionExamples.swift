import Foundation
import MartletTyped
import Testing

/// The code of the article "Functions, collations, databases".
@Suite struct FunctionExamples {
  let users = Table("users"), name = Expression<String>("name")

  @Test func `functions`() throws {
    let db = try Connection(), copy = try Connection()
    try db.run(users.create { $0.column(name) })
    try db.run(users.insertMany([[name <- "Ada Lovelace"], [name <- "Bo"]]))
    let initials = try db.createFunction("initials", deterministic: true) { (name: String) in
      name.split(separator: " ").map { String($0.prefix(1)) }.joined()
    }
    let short = initials(name)
    let all = try db.prepareRowIterator(users.select(name, short)).map { try $0.get(short) }
    #expect(all == ["AL", "B"])
    db.createFunction("shout", argumentCount: 1) { arguments in
      (arguments[0] as? String).map { $0.uppercased() }
    }
    #expect(try db.scalar("SELECT shout('a')") as? String == "A")
    db.createAggregation(
      "product", argumentCount: 1, initialValue: 1 as Int64,
      reduce: { state, arguments in state * (arguments[0] as? Int64 ?? 1) }, result: { $0 })
    try db.createCollation("BY_LENGTH") { lhs, rhs in
      lhs.count < rhs.count
        ? .orderedAscending : lhs.count > rhs.count ? .orderedDescending : .orderedSame
    }
    let sorted = users.order(name.collate(.custom("BY_LENGTH")))
    #expect(try db.pluck(sorted)?.get(name) == "Bo")

    try db.attach(.inMemory, as: "other")
    let elsewhere = Table("users", database: "other")
    try db.run(elsewhere.create(users))
    try db.detach("other")
    let backup = try db.backup(usingConnection: copy)
    try backup.step(pagesToCopy: .all)
    backup.finish()
    #expect(try copy.scalar(users.count) == 2)
  }
}
