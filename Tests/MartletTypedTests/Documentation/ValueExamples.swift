import Foundation
import MartletTyped
import Testing

/// The code of the article "Values and Codable types".
@Suite struct ValueExamples {
  struct Temperature: Value, Equatable {
    var celsius: Double
    static var declaredDatatype: String { Double.declaredDatatype }
    static func fromDatatypeValue(_ value: Double) -> Temperature { Temperature(celsius: value) }
    var datatypeValue: Double { celsius }
  }

  struct User: Codable, Equatable {
    enum Kind: String, Codable { case guest, member }
    var id: Int64?
    var email: String
    var name: String?
    var kind: Kind
    var tags: [String]
  }

  @Test func `a type of one's own`() throws {
    let db = try Connection(), days = Table("days"), warmth = Expression<Temperature>("warmth")
    try db.run(days.create { $0.column(warmth, defaultValue: Temperature(celsius: 20)) })
    try db.run(days.insert(warmth <- Temperature(celsius: 30)))
    try db.run(days.insert())
    let warm = days.filter(warmth == Temperature(celsius: 20))
    #expect(try db.pluck(warm)?.get(warmth) == Temperature(celsius: 20))
  }

  @Test func `rows as structures`() throws {
    let db = try Connection(), users = Table("users")
    let id = Expression<Int64>("id"), email = Expression<String>("email")
    try db.execute(
      """
      CREATE TABLE users (
        id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT, kind TEXT, tags TEXT)
      """)
    var user = User(id: 1, email: "alice@mac.com", name: "Alice", kind: .guest, tags: ["a"])
    var changed = user
    changed.name = nil
    let second = User(id: 2, email: "b@mac.com", kind: .member, tags: [])
    let third = User(id: 3, email: "c@mac.com", name: "C", kind: .member, tags: [])
    try db.run(users.insert(user))
    let read: [User] = try db.prepareRowIterator(users).map { try $0.decode() }
    try db.run(users.filter(id == 1).update(changed))
    try db.run(users.filter(id == 1).update(changed, writesNull: true))
    try db.run(users.insertMany([second, third]))
    try db.run(users.upsert(second, onConflictOf: email))
    #expect(read == [user])
    #expect(try db.pluck(users)?.decode() == changed)
    #expect(try db.scalar(users.count) == 3)
    (user.id, user.email) = (4, "d@mac.com")
    try db.run(users.insert(user, userInfo: [.encodesSingleValuesAsJSON: true]))
    #expect(try db.pluck(users.filter(id == 4))?.decode() == user)
  }
}
