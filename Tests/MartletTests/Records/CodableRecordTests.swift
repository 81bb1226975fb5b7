import Foundation
import Martlet
import Testing

private struct Address: Codable, Equatable {
  var street: String
  var city: String
  var country: String
}

private struct Person: Codable, Equatable, FetchableRecord, PersistableRecord {
  var id: String
  var name: String
  var address: Address
  var tags: [String]
  var birth: Date?
  var photo: Data?
  var key: UUID?
}

private struct Team: Codable, Equatable, FetchableRecord, PersistableRecord {
  var id: String
  var color: String
  var info: Data

  static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
    .text
  }
}

private struct Strategic: Codable, Equatable, FetchableRecord, PersistableRecord {
  var createdAt: Date
  var uniqueID: UUID
  var homePageURL: URL?

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    column == "createdAt" ? .millisecondsSince1970 : .deferredToDate
  }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .millisecondsSince1970
  }
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
    .lowercaseString
  }
  static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
  static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
}

private struct Book: Codable, Equatable, FetchableRecord, TableRecord {
  var id: Int
  var title: String
}

private struct Author: Codable, Equatable, FetchableRecord {
  var name: String
}

private struct BookInfo: Decodable, Equatable, FetchableRecord {
  var book: Book
  var author: Author?
  var count: Int?
}

@Suite struct CodableRecordTests {
  @Test func `properties that are no values are stored as JSON text`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE person(id TEXT PRIMARY KEY, name, address, tags, birth, photo, key)")
      let person = Person(
        id: "a", name: "Arthur", address: Address(street: "1 Main", city: "X", country: "DE"),
        tags: ["x", "y"], birth: Date(timeIntervalSince1970: 0), photo: Data([1]), key: UUID())
      try person.insert(db)
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM person"))
      #expect(row["address"] == #"{"city":"X","country":"DE","street":"1 Main"}"#)
      #expect(row["tags"] == #"["x","y"]"#)
      #expect(row["birth"] == "1970-01-01 00:00:00.000")
      #expect(try Person.find(db, key: "a") == person)
      #expect(try Person.fetchAll(db) == [person])
      let empty = Person(id: "b", name: "B", address: person.address, tags: [])
      try empty.insert(db)
      #expect(try Person.find(db, key: "b") == empty)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM person WHERE birth IS NULL") == 1)
    }
  }

  @Test func `data is stored as text where a strategy says so`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE team(id TEXT PRIMARY KEY, color, info)")
      let team = Team(id: "r", color: "red", info: Data(#"{"a":1}"#.utf8))
      try team.insert(db)
      #expect(try String.fetchOne(db, sql: "SELECT typeof(info) FROM team") == "text")
      #expect(try Int.fetchOne(db, sql: "SELECT info ->> 'a' FROM team") == 1)
      #expect(try Team.find(db, key: "r") == team)
    }
  }

  @Test func `strategies say how dates, UUIDs and columns are stored`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE strategic(created_at, unique_id, home_page_url)")
      let record = Strategic(
        createdAt: Date(timeIntervalSince1970: 1.5), uniqueID: UUID(),
        homePageURL: URL(string: "https://example.com"))
      #expect(try record.databaseDictionary.keys.sorted() == ["created_at", "home_page_url", "unique_id"])
      try record.insert(db)
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM strategic"))
      #expect(row["created_at"] == 1_500)
      #expect(row["unique_id"] == record.uniqueID.uuidString.lowercased())
    }
  }

  @Test func `snake case is undone when records are decoded`() throws {
    struct Record: Decodable, FetchableRecord {
      var createdAt: Int
      var name: String?
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
    }
    #expect(try Record(row: ["created_at": 3]).createdAt == 3)
    let failure = error { try Record(row: ["createdAt2": 3]) }
    #expect("\(try #require(failure))".contains("\"createdAt\""))
    #expect("\(try #require(failure))".contains("converted to created_at"))
  }

  @Test func `missing and wrong columns are errors`() throws {
    #expect("\(try #require(error { try Book(row: ["id": 1]) }))".hasPrefix("column not found: \"title\""))
    #expect(error { try Book(row: ["id": "x", "title": "a"]) } is RowDecodingError)
    #expect(error { try Book(row: ["id": nil, "title": "a"]) } is RowDecodingError)
  }

  @Test func `records are decoded from the row, and from its scopes`() throws {
    try inEmptyDatabase { db throws in
      let sql = "SELECT 1 AS id, 'T' AS title, ? AS name, 5 AS count"
      let adapter = ScopeAdapter(["author": RangeRowAdapter(2..<3)])
      let info = try BookInfo.fetchOne(db, sql: sql, arguments: ["A"], adapter: adapter)
      #expect(info == BookInfo(book: Book(id: 1, title: "T"), author: Author(name: "A"), count: 5))
      let without = try BookInfo.fetchAll(db, sql: sql, arguments: [nil], adapter: adapter)
      #expect(without == [BookInfo(book: Book(id: 1, title: "T"), author: nil, count: 5)])
      let row = try #require(try Row.fetchOne(db, sql: sql, arguments: ["A"], adapter: adapter))
      #expect(row["author"] as Author == Author(name: "A"))
      #expect(try row.decodeIfPresent(Author.self, forKey: "other") == nil)
    }
  }

  @Test func `a cursor decodes many rows`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);
          WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 500)
          INSERT INTO book SELECT n, 'title ' || n FROM c
          """)
      let cursor = try Book.fetchCursor(db)
      var count = 0
      while let book = try cursor.next() {
        count += 1
        #expect(book == Book(id: count, title: "title \(count)"))
      }
      #expect(count == 500)
      #expect(try Book.fetchAll(db).last?.title == "title 500")
    }
  }

  @Test(arguments: [
    ("Player", "player"), ("PostalAddress", "postalAddress"), ("HTTPRequest", "httpRequest"),
    ("TOEFL", "toefl"),
  ])
  func `tables are named after types`(type: String, table: String) {
    struct Player: TableRecord {}
    struct PostalAddress: TableRecord {}
    struct HTTPRequest: TableRecord {}
    struct TOEFL: TableRecord {}
    let types: [any TableRecord.Type] = [Player.self, PostalAddress.self, HTTPRequest.self, TOEFL.self]
    #expect(types.first { "\($0)" == type }?.databaseTableName == table)
  }

  @Test func `a part that is no record has the strategies of its record`() throws {
    struct Part: Decodable, Equatable {
      var since: Date
      var lastSeen: Date
      var note: String?
      enum CodingKeys: String, CodingKey { case since, lastSeen }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        since = try container.decode(Date.self, forKey: .since)
        lastSeen = try container.decode(Date.self, forKey: .lastSeen)
        note = decoder.userInfo[Whole.note] as? String
      }
    }
    struct Whole: Decodable, FetchableRecord {
      static let note = CodingUserInfoKey(rawValue: "note")!
      static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [note: "told"] }
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
      static func databaseDateDecodingStrategy(
        for column: String
      ) -> DatabaseDateDecodingStrategy { .millisecondsSince1970 }
      var lastName: String
      var part: Part
    }
    try inEmptyDatabase { db throws in
      let adapter = ScopeAdapter(["part": SuffixRowAdapter(fromIndex: 1)])
      let whole = try #require(
        try Whole.fetchOne(
          db, sql: "SELECT 'x' AS last_name, 1500 AS since, 2000 AS lastSeen", adapter: adapter))
      #expect(whole.lastName == "x" && whole.part.note == "told")
      #expect(whole.part.since == Date(timeIntervalSince1970: 1.5))
      #expect(whole.part.lastSeen == Date(timeIntervalSince1970: 2))
    }
  }

  @Test func `a key that no column becomes is told with what is wrong`() throws {
    struct Snake: Decodable, FetchableRecord {
      var userID: Int
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
    }
    struct Custom: Decodable, FetchableRecord {
      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      var userID: Int
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom {
        Key(stringValue: String($0.dropFirst()))
      }
    }
    let key = #"key not found: CodingKeys(stringValue: "userID", intValue: nil) ("userID")"#
    let snake = try #require(error { try Snake(row: ["user_id": 1]) })
    #expect(
      "\(snake)" == key + ", with divergent representation userId, converted to user_id"
        + " - row: [user_id:1]")
    let custom = try #require(error { try Custom(row: ["userID": 1]) })
    #expect("\(custom)" == key + " - row: [userID:1]")
  }

  @Test func `a property that decodes itself as a value wants a column`() throws {
    enum Kind: String, Decodable { case good }
    struct Record: Decodable, FetchableRecord { var kind: Kind }
    let failure = try #require(error { try Record(row: ["other": "good"]) })
    #expect("\(failure)" == #"column not found: "kind" - row: [other:"good"]"#)
    #expect(try Record(row: ["kind": "good"]).kind == .good)
  }

  @Test func `keys of scopes are decoded without a type of their own`() throws {
    struct Flat: Decodable, FetchableRecord, Equatable {
      var id: Int
      var city: String
      var country: String?
      enum CodingKeys: CodingKey { case id, address, missing }
      enum AddressKeys: CodingKey { case city, country }
      init(id: Int, city: String, country: String?) {
        (self.id, self.city, self.country) = (id, city, country)
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let address = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
        city = try address.decode(String.self, forKey: .city)
        country = try address.decodeIfPresent(String.self, forKey: .country)
        id = try container.decode(Int.self, forKey: .id)
      }
    }
    try inEmptyDatabase { db throws in
      let adapter = ScopeAdapter(["address": SuffixRowAdapter(fromIndex: 1)])
      let flats = try Flat.fetchAll(
        db, sql: "SELECT 1 AS id, 'Paris' AS city, 'FR' AS country UNION ALL VALUES (2, 'Rom', NULL)",
        adapter: adapter)
      #expect(
        flats == [
          Flat(id: 1, city: "Paris", country: "FR"), Flat(id: 2, city: "Rom", country: nil),
        ])
      #expect(error { try Flat(row: ["id": 1, "address": "x"]) } is DecodingError)
    }
  }
}
