import Foundation
import MartletTyped
import Testing

/// The code of the article "Queries".
@Suite struct QueryExamples {
  let users = Table("users"), posts = Table("posts"), other = Table("other")
  let id = Expression<Int64>("id"), email = Expression<String>("email")
  let name = Expression<String?>("name"), age = Expression<Int?>("age")
  let managerId = Expression<Int64?>("manager_id"), userId = Expression<Int64>("user_id")
  let title = Expression<String>("title")

  private func database() throws -> Connection {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE users (
        id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT, age INTEGER, manager_id INTEGER);
      CREATE TABLE other (email TEXT);
      CREATE TABLE posts (id INTEGER PRIMARY KEY, user_id INTEGER, title TEXT);
      INSERT INTO users VALUES (1, 'alice@mac.com', 'Alice', 40, NULL),
        (2, 'betty@mac.com', 'B', 35, 1), (3, 'cathy@me.com', NULL, 40, 2);
      INSERT INTO posts VALUES (7, 2, 'Hello');
      """)
    return db
  }

  private func ids(_ db: Connection, _ query: any QueryType) throws -> [Int64] {
    try db.prepareRowIterator(query).map { try $0.get(id) }
  }

  @Test func `filters`() throws {
    let db = try database()
    let adults = users.filter(age >= 18 && name != nil)
    let page = adults.order(name.asc, id.desc).limit(10, offset: 20)
    let some = users.filter([1, 2, 3].contains(id) || email.like("%@mac.com"))
    let thirties = users.filter(30..<40 ~= age)
    #expect(try ids(db, adults) == [1, 2] && ids(db, page) == [])
    #expect(try ids(db, some) == [1, 2, 3] && ids(db, thirties) == [2])
    let managers = users.select(managerId).filter(managerId != nil)
    let bosses = users.filter(managers.contains(id))
    #expect(try ids(db, bosses) == [1, 2])
  }

  @Test func `selections`() throws {
    let db = try database()
    let pairs = users.select(id, email)
    let ages = users.select(distinct: age)
    let length = email.length
    for user in try db.prepare(users.select(email, length)) { print(user[email], user[length]) }
    #expect(try ids(db, pairs) == [1, 2, 3] && Array(db.prepare(ages)).count == 2)
    let count = try db.scalar(users.count)
    let oldest = try db.scalar(users.select(age.max))
    let isThere = try db.scalar(users.filter(email == "alice@mac.com").exists)
    #expect(count == 3 && oldest == 40 && isThere)
  }

  @Test func `joins`() throws {
    let db = try database()
    let authored = posts.join(users, on: posts[userId] == users[id])
    for post in try db.prepare(authored) { print(post[title], post[users[id]], post[posts[id]]) }
    let superiors = users.alias("superiors")
    let superior = users.join(.leftOuter, superiors, on: superiors[id] == users[managerId])
    let optionalId = Expression<Int64?>("id")
    #expect(
      try db.prepareRowIterator(superior).map { try $0.get(superiors[optionalId]) } == [nil, 1, 2])
  }

  @Test func `groups, unions and trees`() throws {
    let db = try database()
    let byAge = users.select(age, count(*)).group(age, having: count(*) > 1)
    let all = users.select(email).union(all: true, other.select(email))
    let chain = Table("chain")
    let start = users.select(id).filter(managerId == nil)
    let next = users.join(chain, on: chain[id] == users[managerId]).select(users[id])
    let tree = chain.with(chain, columns: [id], recursive: true, as: start.union(next))
    #expect(try Array(db.prepare(byAge)).count == 1 && Array(db.prepare(all)).count == 3)
    #expect(try ids(db, tree) == [1, 2, 3])
  }

  @Test func `windows`() throws {
    let db = try database()
    let window = Window(partitionBy: [managerId], orderBy: [age.desc])
    let place = rank(over: window)
    let running = age.sum.over(Window(orderBy: [id]).frame(.rows, from: .preceding(2)))
    let ranked = users.select(id, place, running)
    #expect(
      try db.prepareRowIterator(ranked.order(id)).map { try $0.get(running) } == [40, 75, 115])
  }
}
