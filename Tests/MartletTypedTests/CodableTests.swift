import Foundation
import MartletTyped
import Testing

@Suite struct CodableTests {
  enum Kind: String, Codable { case small, large }
  enum Level: Int, Codable { case low = 1, high = 2 }
  struct Place: Codable, Equatable { var x: Int, y: Double }

  struct Thing: Codable, Equatable {
    var int: Int
    var string: String
    var bool: Bool
    var float: Float
    var double: Double
    var small: Int8 = -5
    var unsigned: UInt32 = 7
    var date: Date
    var uuid: UUID
    var data: Data
    var kind: Kind
    var level: Level
    var optional: String?
    var place: Place?
    var list: [Int] = []
  }

  let things = Table("things"), int = Expression<Int>("int"), kind = Expression<String>("kind")
  let optional = Expression<String?>("optional"), place = Expression<String?>("place")

  private func thing(_ number: Int, optional: String? = nil, place: Place? = nil) -> Thing {
    Thing(
      int: number, string: "it's \(number)", bool: true, float: 1.5, double: 2.25,
      date: Date(timeIntervalSince1970: 1_416_314_730.25), uuid: UUID(), data: Data([1, 2]),
      kind: .large, level: .high, optional: optional, place: place, list: [1, 2])
  }

  private func database() throws -> Connection {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE things (
        int INTEGER PRIMARY KEY, string TEXT, bool INTEGER, float REAL, double REAL, small INTEGER,
        unsigned INTEGER, date TEXT, uuid TEXT, data BLOB, kind TEXT, level INTEGER, optional TEXT,
        place TEXT, list TEXT)
      """)
    return db
  }

  @Test func `values are inserted and decoded`() throws {
    let db = try database()
    let one = thing(1), two = thing(2, optional: "x", place: Place(x: 1, y: 0.5))
    try db.run(things.insert(one))
    try db.run(things.insert(or: .replace, encodable: two))
    let read: [Thing] = try db.prepareRowIterator(things.order(int)).map { try $0.decode() }
    #expect(read == [one, two])
    let row = try #require(try db.pluck(things.filter(int == 2)))
    #expect(try row.get(kind) == "large" && row.get(Expression<Int>("level")) == 2)
    #expect(try row.get(place) == "{\"x\":1,\"y\":0.5}")
    #expect(try row.get(Expression<String>("list")) == "[1,2]")
    #expect(try row.get(Expression<String>("date")) == "2014-11-18T12:45:30.250")
  }

  @Test func `SQLite.swift's form of enumerations is written where it is asked for, and read`()
    throws
  {
    let db = try database(), one = thing(1)
    try db.run(things.insert(one, userInfo: [.encodesSingleValuesAsJSON: true]))
    let row = try #require(try db.pluck(things))
    #expect(try row.get(kind) == "\"large\"")
    #expect(try row.decode() as Thing == one)
  }

  @Test func `properties that are nil are left out, or written when asked`() throws {
    struct Note: Codable {
      var optional: String?
      var place: String?
    }
    expectSQL(
      "INSERT INTO \"things\" (\"optional\") VALUES ('x')", try things.insert(Note(optional: "x")))
    expectSQL("UPDATE \"things\" SET \"optional\" = 'x'", try things.update(Note(optional: "x")))
    expectSQL(
      "UPDATE \"things\" SET \"optional\" = NULL, \"place\" = 'p'",
      try things.update(Note(place: "p"), writesNull: true))
    expectSQL(
      "INSERT INTO \"things\" (\"optional\", \"place\") VALUES ('x', NULL), (NULL, 'p')",
      try things.insertMany([Note(optional: "x"), Note(place: "p")]))
    expectSQL(
      "INSERT OR IGNORE INTO \"things\" (\"optional\") VALUES ('x')",
      try things.insertMany(or: .ignore, encodables: [Note(optional: "x")]))
    expectSQL(
      "INSERT INTO \"things\" (\"optional\", \"int\") VALUES ('x', 3) "
        + "ON CONFLICT (\"int\") DO UPDATE SET \"optional\" = \"excluded\".\"optional\"",
      try things.upsert(Note(optional: "x"), otherSetters: [int <- 3], onConflictOf: int))
  }

  @Test func `what a row cannot be throws`() throws {
    let db = try database()
    #expect(throws: EncodingError.self) { try things.insert([1, 2]) }
    #expect(throws: EncodingError.self) { try things.insert(5) }
    struct Nested: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var inner = container.nestedContainer(keyedBy: Key.self, forKey: .a)
        try inner.encode(1, forKey: .a)
      }
      enum Key: CodingKey { case a }
    }
    #expect(throws: EncodingError.self) { try things.insert(Nested()) }
    try db.run(things.insert(thing(1)))
    let row = try #require(try db.pluck(things))
    #expect(throws: (any Error).self) { try row.decode() as [Int] }
    #expect(throws: (any Error).self) { try row.decode() as Int }
    struct Other: Decodable { var missing: Int }
    #expect(throws: (any Error).self) { try row.decode() as Other }
    try db.run(things.update(kind <- "none", Expression<String>("level") <- "x"))
    let wrong = try #require(try db.pluck(things))
    #expect(throws: (any Error).self) { try wrong.decode() as Thing }
  }

  @Test func `optional properties of a wrong type throw instead of being nil`() throws {
    struct Optionals: Decodable { var int: String? }
    let db = try database()
    try db.run(things.insert(thing(1)))
    let row = try #require(try db.pluck(things))
    #expect(throws: (any Error).self) { try row.decode() as Optionals }
  }
}
