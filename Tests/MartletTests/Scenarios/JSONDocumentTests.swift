import Foundation
import Martlet
import Testing

/// The document "JSON Support", example by example.
@Suite struct JSONDocumentTests {
  private func createPlayers(_ db: Database) throws {
    try db.create(table: "player") { t in
      t.primaryKey("id", .text)
      t.column("name", .text).notNull()
      t.column("address", .jsonText).notNull()
    }
  }

  // MARK: Store and fetch JSON values

  @Test func `a JSON column is a text column`() throws {
    try inEmptyDatabase { db throws in
      let texts = try executedSQL(db) { try createPlayers(db) }
      #expect(
        texts.filter { $0.hasPrefix("CREATE") } == [
          """
          CREATE TABLE "player" ("id" TEXT PRIMARY KEY NOT NULL, "name" TEXT NOT NULL, \
          "address" TEXT NOT NULL)
          """
        ])
      #expect(Database.ColumnType.jsonText.rawValue == Database.ColumnType.text.rawValue)
    }
  }

  @Test func `SQLite's JSON functions refuse blobs that are no JSONB`() throws {
    try inEmptyDatabase { db throws in
      let blob = Data("[1".utf8)
      let failure = databaseError {
        try String.fetchOne(db, sql: "SELECT JSON_EXTRACT(?, '$[0]')", arguments: [blob])
      }
      #expect(failure?.message == "malformed JSON")
    }
  }

  @Test func `an index on a part of JSON serves the condition on that part`() throws {
    struct Player: FetchableRecord, TableRecord {
      enum Columns {
        static let address = JSONColumn("address")
      }
      let id: String
      init(row: Row) { id = row["id"] }
    }
    try inEmptyDatabase { db throws in
      try createPlayers(db)
      let creation = try executedSQL(db) { () throws in
        try db.create(
          index: "player_on_country", on: "player",
          expressions: [JSONColumn("address")["country"]])
      }
      #expect(
        creation == [
          #"CREATE INDEX "player_on_country" ON "player"("address" ->> 'country')"#
        ])
      try db.execute(
        sql: """
          INSERT INTO player VALUES
            ('a', 'Anna', '{"city":"Berlin","country":"DE"}'),
            ('b', 'Bruno', '{"city":"Paris","country":"FR"}')
          """)
      let request = Player.filter { $0.address["country"] == "DE" }
      let texts = try executedSQL(db) { () throws in
        let germanPlayers = try request.fetchAll(db)
        #expect(germanPlayers.map { $0.id } == ["a"])
      }
      #expect(texts == [#"SELECT * FROM "player" WHERE ("address" ->> 'country') = 'DE'"#])
      let plan = try String.fetchOne(
        db, sql: "EXPLAIN QUERY PLAN " + texts[0], adapter: RangeRowAdapter(3..<4))
      #expect(plan == "SEARCH player USING INDEX player_on_country (<expr>=?)")
    }
  }

  // MARK: Strict and flexible JSON schemas

  @Test func `a Codable property is stored as a JSON string`() throws {
    struct Address: Codable, Equatable {
      var street: String
      var city: String
      var country: String
    }
    struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
      var id: String
      var name: String
      var address: Address
    }
    try inEmptyDatabase { db throws in
      try createPlayers(db)
      let player = Player(
        id: "a", name: "Anna",
        address: Address(street: "1 Lindenallee", city: "Berlin", country: "DE"))
      try player.insert(db)
      #expect(
        try String.fetchOne(db, sql: "SELECT address FROM player")
          == #"{"city":"Berlin","country":"DE","street":"1 Lindenallee"}"#)
      #expect(try Player.fetchOne(db) == player)
    }
  }

  @Test func `a String property may contain any JSON`() throws {
    struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
      var id: String
      var name: String
      var address: String
    }
    try inEmptyDatabase { db throws in
      try createPlayers(db)
      let player = Player(id: "a", name: "Anna", address: #"{ "po box" : 7 }"#)
      try player.insert(db)
      #expect(try Player.fetchOne(db) == player)
      #expect(
        try Int.fetchOne(db, Player.select(JSONColumn("address")["po box"])) == 7)
    }
  }

  @Test func `a Data property is stored as text by the text strategy`() throws {
    struct Team: Codable, Equatable, FetchableRecord, PersistableRecord {
      var id: String
      var color: String
      var info: Data

      static func databaseDataEncodingStrategy(
        for column: String
      ) -> DatabaseDataEncodingStrategy {
        .text
      }
    }
    try inEmptyDatabase { db throws in
      try db.create(table: "team") { t in
        t.primaryKey("id", .text)
        t.column("color", .text).notNull()
        t.column("info", .jsonText).notNull()
      }
      let team = Team(id: "t", color: "red", info: Data(#"{"founded":1931}"#.utf8))
      try team.insert(db)
      #expect(try String.fetchOne(db, sql: "SELECT TYPEOF(info) FROM team") == "text")
      #expect(try Int.fetchOne(db, sql: "SELECT info ->> 'founded' FROM team") == 1931)
      #expect(try Team.fetchOne(db) == team)
    }
  }

  @Test func `a JSON column is compared with a Codable value as text`() throws {
    struct Address: Codable, DatabaseValueConvertible {
      var street: String
      var city: String
    }
    struct Player: FetchableRecord, TableRecord {
      enum Columns {
        static let address = JSONColumn("address")
      }
      let id: String
      init(row: Row) { id = row["id"] }
    }
    try inEmptyDatabase { db throws in
      try createPlayers(db)
      try db.execute(
        sql: """
          INSERT INTO player VALUES
            ('a', 'Anna', '{"city":"Berlin","street":"1 Allee"}'),
            ('b', 'Berta', '{"city": "Berlin", "street": "1 Allee"}')
          """)
      let texts = try executedSQL(db) { () throws in
        let players = try Player
          .filter { $0.address == Address(street: "1 Allee", city: "Berlin") }
          .fetchAll(db)
        // White space matters: the other text is not equal.
        #expect(players.map { $0.id } == ["a"])
      }
      #expect(
        texts == [
          #"SELECT * FROM "player" WHERE "address" = '{"city":"Berlin","street":"1 Allee"}'"#
        ])
    }
  }

  // MARK: Functions

  private let json = #"{"tags":["a","b"],"size":{"w":3},"none":null}"#.databaseValue.asJSON

  private func evaluate(_ expression: some SQLExpressible) throws -> DatabaseValue? {
    try inEmptyDatabase { db in
      try Row.fetchOne(db, SQLRequest<Row>(literal: "SELECT \(expression)"))?[0]
    }
  }

  @Test func `parts of JSON are read with operators`() throws {
    #expect(try evaluate(json["none"]) == DatabaseValue.null)
    #expect(try evaluate(json["size"]) == #"{"w":3}"#.databaseValue)
    #expect(try evaluate(json["$.tags[1]"]) == "b".databaseValue)
    #expect(try evaluate(json.jsonRepresentation(atPath: "none")) == "null".databaseValue)
    #expect(try evaluate(json.jsonRepresentation(atPath: "$.tags[1]")) == #""b""#.databaseValue)
  }

  @Test func `jsonArrayLength counts elements`() throws {
    #expect(try evaluate(Database.jsonArrayLength("[1,2,3]")) == 3.databaseValue)
    #expect(try evaluate(Database.jsonArrayLength(json, atPath: "$.tags")) == 2.databaseValue)
  }

  @Test func `jsonExtract gives one part as a value, several as an array`() throws {
    #expect(try evaluate(Database.jsonExtract(json, atPath: "$.size.w")) == 3.databaseValue)
    #expect(
      try evaluate(Database.jsonExtract(json, atPaths: ["$.size.w", "$.tags[0]"]))
        == #"[3,"a"]"#.databaseValue)
  }

  @Test func `jsonType names types`() throws {
    #expect(try evaluate(Database.jsonType(json)) == "object".databaseValue)
    #expect(try evaluate(Database.jsonType(json, atPath: "$.tags")) == "array".databaseValue)
  }

  @Test func `json checks and shortens`() throws {
    #expect(try evaluate(Database.json(#" { "a" : [ 1 ] } "#)) == #"{"a":[1]}"#.databaseValue)
    #expect(databaseError { try evaluate(Database.json("{")) }?.message == "malformed JSON")
  }

  @Test func `jsonArray takes values of one type and of many`() throws {
    #expect(try evaluate(Database.jsonArray([1, 2, 3])) == "[1,2,3]".databaseValue)
    let mixed: [any SQLExpressible] = [1, "x", DatabaseValue.null, json["size"], json]
    #expect(
      try evaluate(Database.jsonArray(mixed))
        == #"[1,"x",null,"{\"w\":3}",{"tags":["a","b"],"size":{"w":3},"none":null}]"#.databaseValue)
  }

  @Test func `jsonObject takes keys and values`() throws {
    let pairs: KeyValuePairs<String, any SQLExpressible> = ["b": 1, "a": "x"]
    #expect(try evaluate(Database.jsonObject(pairs)) == #"{"b":1,"a":"x"}"#.databaseValue)
  }

  @Test func `jsonQuote makes JSON of a value`() throws {
    #expect(try evaluate(Database.jsonQuote("it's")) == #""it's""#.databaseValue)
  }

  @Test func `groups are gathered in arrays and objects`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE t(k, v); INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3)")
      let table = Table("t"), key = Column("k"), value = Column("v")
      let array = table.select(Database.jsonGroupArray(value), as: String.self)
      #expect(try array.fetchOne(db) == "[1,2,3]")
      let some = table.select(
        Database.jsonGroupArray(value, filter: value > 1), as: String.self)
      #expect(try some.fetchOne(db) == "[2,3]")
      let object = table.select(
        Database.jsonGroupObject(key: key, value: value, filter: key != "b"), as: String.self)
      let texts = try executedSQL(db) { () throws in
        #expect(try object.fetchOne(db) == #"{"a":1,"c":3}"#)
      }
      #expect(
        texts == [
          #"SELECT JSON_GROUP_OBJECT("k", "v") FILTER (WHERE "k" <> 'b') FROM "t""#
        ])
    }
  }

  @Test func `jsonInsert, jsonReplace and jsonSet change different things`() throws {
    let changes: [(key: String, value: any SQLExpressible)] = [
      (key: "$.a", value: 2), (key: "$.b", value: 3),
    ]
    let old = #"{"a":1}"#
    #expect(try evaluate(Database.jsonInsert(old, changes)) == #"{"a":1,"b":3}"#.databaseValue)
    #expect(try evaluate(Database.jsonReplace(old, changes)) == #"{"a":2}"#.databaseValue)
    #expect(try evaluate(Database.jsonSet(old, changes)) == #"{"a":2,"b":3}"#.databaseValue)
  }

  @Test func `jsonPatch merges`() throws {
    #expect(
      try evaluate(Database.jsonPatch(#"{"a":1,"b":2}"#, with: #"{"a":null,"c":3}"#))
        == #"{"b":2,"c":3}"#.databaseValue)
  }

  @Test func `jsonRemove removes one part or several`() throws {
    #expect(try evaluate(Database.jsonRemove("[1,2,3]", atPath: "$[1]")) == "[1,3]".databaseValue)
    #expect(
      try evaluate(Database.jsonRemove("[1,2,3]", atPaths: ["$[2]", "$[0]"]))
        == "[2]".databaseValue)
  }

  @Test func `jsonIsValid tells JSON from other text`() throws {
    #expect(try evaluate(Database.jsonIsValid("[1]")) == 1.databaseValue)
    #expect(try evaluate(Database.jsonIsValid("[1")) == 0.databaseValue)
  }

  // MARK: Table-valued functions

  @Test func `elements of JSON are rows, beyond what the document has`() throws {
    try inEmptyDatabase { db throws in
      let each = try Database.jsonEach(#"{"a":1,"b":[2,3]}"#).fetchAll(db)
      #expect(each.map { $0.key } == ["a".databaseValue, "b".databaseValue])
      let tree = try Database.jsonTree(#"{"a":1,"b":[2,3]}"#)
        .filter { $0.type == "integer" }.fetchAll(db)
      #expect(tree.map { $0.fullKey } == ["$.a", "$.b[0]", "$.b[1]"])
    }
  }
}
