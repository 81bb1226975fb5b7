import Martlet
import Testing

@Suite struct JSONFunctionTests {
  private let queue: DatabaseQueue
  private let address = JSONColumn("address")

  init() throws {
    queue = try DatabaseQueue()
    try queue.write { db throws in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
        t.column("address", .jsonText)
        t.column("packed", .jsonb)
      }
      try db.execute(
        sql: """
          INSERT INTO player(name, address) VALUES
            ('Arthur', '{"street":"Rue de Belleville","city":"Paris","tags":["a","b"]}'),
            ('Barbara', '{"street":"Oranienstraße","city":"Berlin","tags":[]}'), ('Craig', NULL);
          UPDATE player SET packed = jsonb(address);
          """)
    }
  }

  /// The SQL of an expression, and its values for the players.
  private func values(
    _ expression: some SQLSpecificExpressible
  ) throws -> (sql: String, values: [DatabaseValue]) {
    try queue.read { db throws in
      let literal: SQL = "SELECT \(expression) FROM player"
      let sql = try literal.build(db).sql
      return (
        String(sql.dropFirst(7).dropLast(12)),
        try DatabaseValue.fetchAll(db, SQLRequest<DatabaseValue>(literal: literal))
      )
    }
  }

  private func check(
    _ expression: some SQLSpecificExpressible, _ sql: String, _ first: (any DatabaseValueConvertible)?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try values(expression)
    #expect(found.sql == sql, sourceLocation: sourceLocation)
    #expect(found.values.first == (first?.databaseValue ?? .null), sourceLocation: sourceLocation)
  }

  @Test func `parts of a column are values`() throws {
    try check(address["city"], #""address" ->> 'city'"#, "Paris")
    try check(address["$.tags[1]"], #""address" ->> '$.tags[1]'"#, "b")
    try check(address.jsonExtract(atPath: "$.city"), #"JSON_EXTRACT("address", '$.city')"#, "Paris")
    try check(
      address.jsonExtract(atPaths: ["$.city", "$.street"]), #"JSON_EXTRACT("address", '$.city', '$.street')"#,
      #"["Paris","Rue de Belleville"]"#)
    try check(
      address.jsonRepresentation(atPath: "city"), #""address" -> 'city'"#, #""Paris""#)
    try check(Column("address").asJSON["city"], #""address" ->> 'city'"#, "Paris")
    try check(JSONColumn("packed")["city"], #""packed" ->> 'city'"#, "Paris")
  }

  @Test func `functions have their SQL names`() throws {
    try check(Database.json(" [1] "), "JSON(?)", "[1]")
    try check(Database.jsonArray([1, 2]), "JSON_ARRAY(?, ?)", "[1,2]")
    try check(Database.jsonArrayLength("[1,2]"), "JSON_ARRAY_LENGTH(?)", 2)
    try check(
      Database.jsonArrayLength(address, atPath: "$.tags"), #"JSON_ARRAY_LENGTH("address", ?)"#, 2)
    try check(Database.jsonErrorPosition("[1,"), "JSON_ERROR_POSITION(?)", 4)
    try check(Database.jsonExtract("[7]", atPath: "$[0]"), "JSON_EXTRACT(?, '$[0]')", 7)
    try check(
      Database.jsonInsert("[1]", ["$[#]": 2]), "JSON_INSERT(?, ?, ?)", "[1,2]")
    try check(
      Database.jsonReplace("[1]", ["$[0]": "x"]), "JSON_REPLACE(?, ?, ?)", #"["x"]"#)
    try check(Database.jsonSet("{}", ["$.a": 1.5]), "JSON_SET(?, ?, ?)", #"{"a":1.5}"#)
    try check(Database.jsonObject(["a": 1]), "JSON_OBJECT(?, ?)", #"{"a":1}"#)
    try check(
      Database.jsonPatch(#"{"a":1}"#, with: #"{"a":null}"#), "JSON_PATCH(?, ?)", "{}")
    try check(Database.jsonRemove("[1,2]", atPath: "$[0]"), "JSON_REMOVE(?, ?)", "[2]")
    try check(
      Database.jsonRemove("[1,2]", atPaths: ["$[0]", "$[0]"]), "JSON_REMOVE(?, ?, ?)", "[]")
    try check(Database.jsonType("1.5"), "JSON_TYPE(?)", "real")
    try check(Database.jsonType(address, atPath: "$.tags"), #"JSON_TYPE("address", ?)"#, "array")
    try check(Database.jsonIsValid("[1,]"), "JSON_VALID(?)", false)
    try check(Database.jsonIsValid("[1,]", options: [.json, .json5]), "JSON_VALID(?, ?)", true)
    try check(Database.jsonQuote("a"), "JSON_QUOTE(?)", #""a""#)
    try check(
      Database.jsonGroupArray(Column("name"), orderBy: Column("name").desc),
      #"JSON_GROUP_ARRAY("name" ORDER BY "name" DESC)"#, #"["Craig","Barbara","Arthur"]"#)
    try check(
      Database.jsonGroupObject(key: Column("name"), value: Column("id"), filter: Column("id") < 2),
      #"JSON_GROUP_OBJECT("name", "id") FILTER (WHERE "id" < ?)"#, #"{"Arthur":1}"#)
  }

  @Test func `twins give JSONB`() throws {
    try check(Database.json(SQL("jsonb('[1]')")), "JSON(jsonb('[1]'))", "[1]")
    for (expression, sql) in [
      (Database.jsonb("[1]"), "JSONB(?)"), (Database.jsonbArray([1]), "JSONB_ARRAY(?)"),
      (Database.jsonbExtract("[[1]]", atPath: "$[0]"), "JSONB_EXTRACT(?, '$[0]')"),
      (Database.jsonbExtract("[1]", atPaths: ["$[0]", "$[1]"]), "JSONB_EXTRACT(?, '$[0]', '$[1]')"),
      (Database.jsonbInsert("[]", ["$[#]": 1]), "JSONB_INSERT(?, ?, ?)"),
      (Database.jsonbReplace("[0]", ["$[0]": 1]), "JSONB_REPLACE(?, ?, ?)"),
      (Database.jsonbSet("[]", ["$[0]": 1]), "JSONB_SET(?, ?, ?)"),
      (Database.jsonbObject(["a": 1]), "JSONB_OBJECT(?, ?)"),
      (Database.jsonbPatch("{}", with: "{}"), "JSONB_PATCH(?, ?)"),
      (Database.jsonbRemove("[1]", atPath: "$[0]"), "JSONB_REMOVE(?, ?)"),
      (Database.jsonbRemove("[1]", atPaths: ["$[0]"]), "JSONB_REMOVE(?, ?)"),
      (Database.jsonbGroupArray(Column("id")), #"JSONB_GROUP_ARRAY("id")"#),
      (Database.jsonbGroupObject(key: Column("id"), value: 1), #"JSONB_GROUP_OBJECT("id", ?)"#),
    ] {
      let found = try values(expression)
      #expect(found.sql == sql)
      guard case .blob? = found.values.first?.storage else {
        Issue.record("\(sql) gave no blob")
        continue
      }
    }
  }

  @Test func `known JSON goes into other JSON as JSON, and texts as texts`() throws {
    try check(
      Database.jsonArray([address.jsonRepresentation(atPath: "tags"), Column("name").sqlExpression]),
      #"JSON_ARRAY("address" -> 'tags', "name")"#, #"[["a","b"],"Arthur"]"#)
    try check(
      Database.jsonObject(["x": address]), #"JSON_OBJECT(?, JSONB("address"))"#,
      #"{"x":{"street":"Rue de Belleville","city":"Paris","tags":["a","b"]}}"#)
    try check(
      Database.jsonArray([Database.jsonArray([1]).asJSON]), "JSON_ARRAY(JSON_ARRAY(?))", "[[1]]")
    try check(
      Database.jsonArray(["[1]".databaseValue.sqlExpression.asJSON]), "JSON_ARRAY(JSONB(?))", "[[1]]")
    try check(Database.jsonArray(["[1]"]), "JSON_ARRAY(?)", #"["[1]"]"#)
    try check(
      Database.jsonObject(["all": Database.jsonGroupArray(Column("id"))]),
      #"JSON_OBJECT(?, JSON_GROUP_ARRAY("id"))"#, #"{"all":[1,2,3]}"#)
  }

  @Test func `an index on a part is used`() throws {
    try queue.write { db throws in
      try db.create(index: "city", on: "player", expressions: [address["city"]])
      let request: SQLRequest<Row> =
        "EXPLAIN QUERY PLAN SELECT * FROM player WHERE \(address["city"] == "Berlin")"
      let plan = try request.fetchAll(db).map { $0["detail"] as String }
      #expect(plan == ["SEARCH player USING INDEX city (<expr>=?)"])
    }
  }
}
