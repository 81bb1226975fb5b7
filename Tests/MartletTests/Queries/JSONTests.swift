import Foundation
import Martlet
import Testing

private struct Address: Codable, Equatable, DatabaseValueConvertible {
  var street: String
  var city: String
  var country: String
}

private struct Player: Codable, FetchableRecord, PersistableRecord {
  var id: String
  var name: String
  var address: Address

  enum Columns {
    static let name = Column("name")
    static let address = JSONColumn("address")
  }
}

/// The scenarios of the document "JSON Support".
@Suite struct JSONTests {
  private let address = Address(street: "1 Main", city: "Berlin", country: "DE")

  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.create(table: "player") { t in
        t.primaryKey("id", .text)
        t.column("name", .text).notNull()
        t.column("address", .jsonText).notNull()
      }
      try db.create(
        index: "player_on_country", on: "player",
        expressions: [JSONColumn("address")["country"]])
      try Player(id: "a", name: "Arthur", address: address).insert(db)
      try Player(
        id: "b", name: "Barbara", address: Address(street: "2 Rue", city: "Paris", country: "FR")
      ).insert(db)
      try body(db)
    }
  }

  private func value(_ expression: SQLExpression) throws -> DatabaseValue {
    try inEmptyDatabase { db throws in
      try DatabaseValue.fetchOne(db, SQLRequest(literal: "SELECT \(expression)")) ?? .null
    }
  }

  @Test func `JSON columns are text, and indexes on their parts expressions`() throws {
    try inEmptyDatabase { db throws in
      let texts = try executedSQL(db) { () throws in
        try db.create(table: "player") { t in
          t.primaryKey("id", .text)
          t.column("address", .jsonText).notNull()
        }
        try db.create(
          index: "player_on_country", on: "player",
          expressions: [JSONColumn("address")["country"]])
      }
      #expect(
        texts.filter { !$0.hasPrefix("--") } == [
          "CREATE TABLE \"player\" (\"id\" TEXT PRIMARY KEY NOT NULL, \"address\" TEXT NOT NULL)",
          "CREATE INDEX \"player_on_country\" ON \"player\"(\"address\" ->> 'country')",
        ])
    }
  }

  @Test func `parts of JSON are conditions, which the index serves`() throws {
    try inPlayers { db throws in
      let request = Player.filter { $0.address["country"] == "DE" }
      let texts = try executedSQL(db) { () throws in
        #expect(try request.fetchAll(db).map { $0.name } == ["Arthur"])
      }
      #expect(texts == ["SELECT * FROM \"player\" WHERE (\"address\" ->> 'country') = 'DE'"])
      let plan = try Row.fetchAll(
        db, SQLRequest<Row>(literal: "EXPLAIN QUERY PLAN SELECT * FROM player WHERE \(JSONColumn("address")["country"]) = \("DE")"))
      #expect(plan.map { $0["detail"] as String } == [
        "SEARCH player USING INDEX player_on_country (<expr>=?)"
      ])
    }
  }

  @Test func `a JSON column is compared with a value as text`() throws {
    try inPlayers { db throws in
      let players = try Player.filter { $0.address == address }.fetchAll(db)
      #expect(players.map { $0.id } == ["a"])
    }
  }

  @Test func `JSON is looked into`() throws {
    let json = #"{"a":[1,2,{"b":"x"}],"c":null}"#.databaseValue.asJSON
    #expect(try value(json["a"]) == "[1,2,{\"b\":\"x\"}]".databaseValue)
    #expect(try value(json["$.a[2].b"]) == "x".databaseValue)
    #expect(try value(json.jsonExtract(atPath: "$.a[0]")) == 1.databaseValue)
    #expect(try value(json.jsonExtract(atPaths: ["$.a[0]", "$.a[1]"])) == "[1,2]".databaseValue)
    #expect(try value(json.jsonRepresentation(atPath: "$.a[2].b")) == "\"x\"".databaseValue)
    #expect(try value(Database.jsonArrayLength(json, atPath: "$.a")) == 3.databaseValue)
    #expect(try value(Database.jsonArrayLength("[1]")) == 1.databaseValue)
    #expect(try value(Database.jsonType(json)) == "object".databaseValue)
    #expect(try value(Database.jsonType(json, atPath: "$.c")) == "null".databaseValue)
    #expect(try value(Database.jsonExtract(json, atPath: "$.a[1]")) == 2.databaseValue)
    #expect(try value(Database.jsonIsValid("{")) == 0.databaseValue)
    #expect(try value(Database.jsonIsValid("{a:1}", options: .json5)) == 1.databaseValue)
    #expect(try value(Database.jsonErrorPosition("[1")) == 3.databaseValue)
  }

  @Test func `JSON is built, and JSON arguments stay JSON`() throws {
    let json = #"{"e":5}"#.databaseValue
    #expect(try value(Database.json(" [ 1 ] ")) == "[1]".databaseValue)
    #expect(try value(Database.jsonArray([1, 2])) == "[1,2]".databaseValue)
    #expect(
      try value(Database.jsonArray([json, json.asJSON, 1.databaseValue] as [any SQLExpressible]))
        == #"["{\"e\":5}",{"e":5},1]"#.databaseValue)
    let pairs: KeyValuePairs<String, any SQLExpressible> = ["k": json.asJSON, "l": json]
    let object = try value(Database.jsonObject(pairs))
    #expect(object == #"{"k":{"e":5},"l":"{\"e\":5}"}"#.databaseValue)
    #expect(try value(Database.jsonQuote("a\"")) == #""a\"""#.databaseValue)
    #expect(
      try value(Database.jsonInsert("[1]", [(key: "$[#]", value: json.asJSON)]))
        == #"[1,{"e":5}]"#.databaseValue)
    #expect(try value(Database.jsonReplace(json, [(key: "$.e", value: 6)])) == #"{"e":6}"#.databaseValue)
    #expect(try value(Database.jsonSet(json, [(key: "$.f", value: 6)])) == #"{"e":5,"f":6}"#.databaseValue)
    #expect(try value(Database.jsonPatch(json, with: #"{"e":null}"#)) == "{}".databaseValue)
    #expect(try value(Database.jsonRemove("[0,1,2]", atPath: "$[1]")) == "[0,2]".databaseValue)
    #expect(try value(Database.jsonRemove("[0,1,2]", atPaths: ["$[2]", "$[0]"])) == "[1]".databaseValue)
    #expect(try value(Database.json(Database.jsonb("[1]"))) == "[1]".databaseValue)
    #expect(try value(Database.json(Database.jsonbArray([1]))) == "[1]".databaseValue)
  }

  @Test func `groups become arrays and objects`() throws {
    try inPlayers { db throws in
      let names = Player.select(
        Database.jsonGroupArray(Column("name"), orderBy: Column("name").desc), as: String.self)
      #expect(try names.fetchOne(db) == #"["Barbara","Arthur"]"#)
      let object = Player.select(
        Database.jsonGroupObject(
          key: Column("id"), value: JSONColumn("address")["city"], filter: Column("id") == "a"),
        as: String.self)
      #expect(try object.fetchOne(db) == #"{"a":"Berlin"}"#)
      let whole = Player.select(Database.jsonObject([(key: "x", value: JSONColumn("address"))]))
      #expect(
        try executedSQL(db) { _ = try Row.fetchAll(db, whole) }
          == ["SELECT JSON_OBJECT('x', JSONB(\"address\")) FROM \"player\""])
    }
  }

  @Test func `elements of JSON are rows`() throws {
    try inPlayers { db throws in
      let elements = try Database.jsonEach(#"["a",{"b":2}]"#).order { $0.id }.fetchAll(db)
      #expect(elements.map { $0.type } == ["text", "object"])
      #expect(elements[0].value == "a".databaseValue && elements[0].fullKey == "$[0]")
      #expect(try Database.jsonTree(#"{"a":[1,2]}"#, atPath: "$.a").fetchCount(db) == 3)
      let player = TableAlias<Player>(name: "p")
      let inParis = Player.aliased(player).filter(
        Database.jsonEach(player.address).filter { $0.value == "Paris" }.exists())
      #expect(try inParis.fetchAll(db).map { $0.id } == ["b"])
    }
  }

  @Test func `what is JSON already is not parsed again, and NULL stays NULL`() throws {
    let info = JSONColumn("info")
    let values: [any SQLExpressible] = [
      DatabaseValue.null.asJSON, info.jsonRepresentation(atPath: "a").asJSON,
      Database.jsonGroupArray(Column("x")).asJSON, Database.jsonType(info).asJSON,
      Database.jsonObject([(key: "k", value: 1)]).asJSON, info,
    ]
    try inEmptyDatabase { db throws in
      let request = Table("t").select(Database.jsonArray(values))
      try db.execute(sql: "CREATE TABLE t(info, x)")
      #expect(
        try executedSQL(db) { _ = try Row.fetchAll(db, request) } == [
          #"""
            SELECT JSON_ARRAY(NULL, "info" -> 'a', JSON_GROUP_ARRAY("x"), \#
            JSONB(JSON_TYPE("info")), JSON_OBJECT('k', 1), JSONB("info")) FROM "t"
            """#
        ])
    }
  }
}
