import Martlet
import Testing

private struct Player {
  var id: Int64
  var name: String
  var score: Int?
}

extension Player: Decodable, FetchableRecord, TableRecord {
  enum CodingKeys: String, CodingKey { case id, name, score }

  static func deleteAllWithoutScore(_ db: Database) throws {
    try db.execute(literal: "DELETE FROM \(self) WHERE \(CodingKeys.score) IS NULL")
  }

  static func filter(id: Int64) -> SQLRequest<Player> {
    "SELECT * FROM \(self) WHERE \(CodingKeys.id) = \(id)"
  }

  static func filter(ids: [Int64]) -> SQLRequest<Player> {
    "SELECT * FROM \(self) WHERE \(CodingKeys.id) IN \(ids) ORDER BY \(CodingKeys.id)"
  }

  static func filter(notIn ids: [Int64]) -> SQLRequest<Player> {
    "SELECT * FROM \(self) WHERE \(CodingKeys.id) NOT IN \(ids) ORDER BY \(CodingKeys.id)"
  }

  static func maximumScore() -> SQLRequest<Int> {
    "SELECT MAX(\(CodingKeys.score)) FROM \(self)"
  }

  static func leaders() -> SQLRequest<Player> {
    """
    SELECT * FROM \(self)
    WHERE \(CodingKeys.score) = \(maximumScore()) ORDER BY \(CodingKeys.id)
    """
  }

  static func complexRequest() -> SQLRequest<Player> {
    var query: SQLLiteral = "SELECT player.* FROM \(self) "
    query += "JOIN \(Team.self) ON team.leaderId = player.id "
    query += "GROUP BY player.id"
    return SQLRequest(literal: query)
  }
}

private struct Team: TableRecord {}

/// The document "SQL Interpolation", example by example. What must not compile is in
/// `CompilationTests`.
@Suite struct SQLInterpolationDocumentTests {
  private let name = "O'Brien"
  private let id = 42

  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER, createdAt TEXT);
          CREATE TABLE team(id INTEGER PRIMARY KEY, leaderId INTEGER);
          INSERT INTO player VALUES (1, 'Arthur', 100, '2020-01-23 10:00:00'),
            (2, 'Barbara', 300, '2020-01-24 10:00:00'), (3, 'Craig', NULL, NULL),
            (42, 'Diane', 300, NULL);
          INSERT INTO team VALUES (1, 42);
          """)
      try body(db)
    }
  }

  /// The texts of the statements that a request's fetch executes.
  private func expand(_ literal: SQL) throws -> [String] {
    var texts: [String] = []
    try inPlayers { db throws in
      texts = try executedSQL(db) { _ = try Row.fetchAll(db, SQLRequest<Row>(literal: literal)) }
    }
    return texts
  }

  // MARK: Introduction

  @Test func `plain SQL takes its values from left to right`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE student(id, firstName, lastName); INSERT INTO student(id) VALUES (1)")
      let firstName = "Ann", lastName = "Lee", id = 1
      try db.execute(
        sql: "UPDATE student SET firstName = ?, lastName = ? WHERE id = ?",
        arguments: [firstName, lastName, id])
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM student") == [
        "id": 1, "firstName": "Ann", "lastName": "Lee",
      ])
    }
  }

  @Test func `values are embedded without quotes and without injection`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { () throws in
        try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
      }
      #expect(texts == ["UPDATE player SET name = 'O''Brien' WHERE id = 42"])
      #expect(try Player.filter(id: 42).fetchOne(db)?.name == "O'Brien")
    }
  }

  @Test func `a literal runs as the plain SQL with its arguments`() throws {
    try inPlayers { db throws in
      let plain = try executedSQL(db) { () throws in
        try db.execute(
          sql: "UPDATE player SET name = ? WHERE id = ?", arguments: [name, id])
      }
      let literal = try executedSQL(db) { () throws in
        try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
      }
      #expect(plain == literal)
      let statement = try db.makeStatement(
        literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
      #expect(statement.sql == "UPDATE player SET name = ? WHERE id = ?")
      #expect(statement.arguments == [name, id])
    }
  }

  // MARK: SQLLiteral

  @Test func `a literal is a value`() throws {
    try inPlayers { db throws in
      let query: SQLLiteral = "UPDATE player SET name = \(name) WHERE id = \(id)"
      try db.execute(literal: query)
      #expect(db.changesCount == 1)
    }
  }

  @Test func `literals are built with operators and append`() {
    var query: SQLLiteral = "UPDATE player "
    query += "SET name = \(name) "
    query.append(literal: "WHERE id = \(id)")
    #expect(query.sql == "UPDATE player SET name = ? WHERE id = ?")
    #expect(query.arguments == [name, id])
    let sum: SQLLiteral = "a = \(1) " + SQLLiteral("AND b = \(2)")
    #expect(sum.sql == "a = ? AND b = ?")
  }

  @Test func `literals are joined`() {
    let components: [SQLLiteral] = ["UPDATE player", "SET name = \(name)", "WHERE id = \(id)"]
    let query = components.joined(separator: " ")
    #expect(query.sql == "UPDATE player SET name = ? WHERE id = ?")
    #expect(query.arguments == [name, id])
    #expect(["a = \(1)", " OR b"].map { $0 as SQLLiteral }.joined().sql == "a = ? OR b")
  }

  @Test func `SQL and arguments can be taken out of a literal`() {
    let query: SQLLiteral = "UPDATE player SET name = \(name) WHERE id = \(id)"
    #expect("\(query.sql)" == "UPDATE player SET name = ? WHERE id = ?")
    #expect("\(query.arguments)" == #"["O'Brien", 42]"#)
  }

  @Test func `a literal is made of plain SQL`() {
    let query = SQLLiteral(
      sql: "UPDATE player SET name = ? WHERE id = ?", arguments: [name, id])
    #expect(query.sql == "UPDATE player SET name = ? WHERE id = ?")
    #expect(query.arguments == [name, id])
  }

  // MARK: The query interface

  @Test func `a literal filters a request`() throws {
    try inPlayers { db throws in
      let request = Player.filter(literal: "name = \("O'Brien")")
      let texts = try executedSQL(db) { _ = try request.fetchAll(db) }
      #expect(texts == [#"SELECT * FROM "player" WHERE name = 'O''Brien'"#])
    }
  }

  @Test func `a literal is an expression over columns`() throws {
    try inPlayers { db throws in
      let createdAt = Column("createdAt")
      let creationDay = SQLLiteral("DATE(\(createdAt))").sqlExpression
      let request = Player.filter(creationDay == "2020-01-23")
      let texts = try executedSQL(db) { () throws in
        #expect(try request.fetchAll(db).map { $0.id } == [1])
      }
      #expect(texts == [#"SELECT * FROM "player" WHERE (DATE("createdAt")) = '2020-01-23'"#])
    }
  }

  @Test func `functions of Swift return literal expressions`() throws {
    func date(_ value: any SQLExpressible) -> SQLExpression {
      SQLLiteral("DATE(\(value))").sqlExpression
    }
    try inPlayers { db throws in
      let request = Player.filter(date(Column("createdAt")) == "2020-01-23")
      let texts = try executedSQL(db) { () throws in
        #expect(try request.fetchAll(db).map { $0.id } == [1])
      }
      #expect(texts == [#"SELECT * FROM "player" WHERE (DATE("createdAt")) = '2020-01-23'"#])
    }
  }

  // MARK: Record protocols

  @Test func `a type and its coding keys name the table and the columns`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { try Player.deleteAllWithoutScore(db) }
      #expect(texts == [#"DELETE FROM "player" WHERE "score" IS NULL"#])
      #expect(try Player.fetchCount(db) == 3)
    }
  }

  @Test func `a request is written as a literal`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Player.filter(id: 42).fetchOne(db)?.name == "Diane")
      }
      #expect(texts == [#"SELECT * FROM "player" WHERE "id" = 42"#])
    }
  }

  @Test func `sequences are lists, and empty ones work with IN and NOT IN`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Player.filter(ids: [1, 2, 3]).fetchAll(db).map { $0.id } == [1, 2, 3])
      }
      #expect(texts == [#"SELECT * FROM "player" WHERE "id" IN (1,2,3) ORDER BY "id""#])
      #expect(try Player.filter(ids: []).fetchAll(db).isEmpty)
      #expect(try Player.filter(notIn: []).fetchAll(db).count == 4)
      #expect(try Player.filter(notIn: [1, 2]).fetchAll(db).map { $0.id } == [3, 42])
    }
  }

  @Test func `a request may be of values`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { () throws in
        let maximumScore = try Player.maximumScore().fetchOne(db)
        #expect(maximumScore == 300)
      }
      #expect(texts == [#"SELECT MAX("score") FROM "player""#])
      let rows: SQLRequest<Row> = "SELECT id FROM player WHERE id < \(3) ORDER BY id"
      #expect(try rows.fetchAll(db) == [["id": 1], ["id": 2]])
    }
  }

  @Test func `a request embeds another one as a subquery`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Player.leaders().fetchAll(db).map { $0.id } == [2, 42])
      }
      #expect(
        texts == [
          """
          SELECT * FROM "player"
          WHERE "score" = (SELECT MAX("score") FROM "player") ORDER BY "id"
          """
        ])
    }
  }

  @Test func `a request is made of a literal that was built step by step`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { () throws in
        #expect(try Player.complexRequest().fetchAll(db).map { $0.id } == [42])
      }
      #expect(
        texts == [
          #"SELECT player.* FROM "player" JOIN "team" ON team.leaderId = player.id GROUP BY player.id"#
        ])
    }
  }

  // MARK: Reference

  @Test func `types and records name their tables`() throws {
    #expect(try expand("SELECT * FROM \(Player.self)") == [#"SELECT * FROM "player""#])
    let player = Player(id: 1, name: "a", score: nil)
    let insertion: SQL = "INSERT INTO \(tableOf: player) (name) VALUES (\(player.name))"
    #expect(insertion.sql == #"INSERT INTO "player" (name) VALUES (?)"#)
    let type: any TableRecord.Type = Player.self
    #expect(try expand("SELECT * FROM \(type)") == [#"SELECT * FROM "player""#])
  }

  @Test func `expressions and values are embedded`() throws {
    let bonus = 100
    #expect(
      try expand("SELECT \(Column("name")) FROM player") == [#"SELECT "name" FROM player"#])
    #expect(
      try expand("SELECT \(Column("score") + bonus) AS points FROM player")
        == [#"SELECT "score" + 100 AS points FROM player"#])
    #expect(
      try expand("SELECT (score + \(bonus)) AS points FROM player")
        == ["SELECT (score + 100) AS points FROM player"])
  }

  @Test func `coding keys are columns`() throws {
    #expect(
      try expand("SELECT \(Player.CodingKeys.name) FROM player")
        == [#"SELECT "name" FROM player"#])
  }

  @Test func `sequences are lists of values`() throws {
    let ids = [1, 2, 3]
    #expect(
      try expand("SELECT * FROM player WHERE id IN \(ids)")
        == ["SELECT * FROM player WHERE id IN (1,2,3)"])
  }

  @Test func `orderings are embedded`() throws {
    #expect(
      try expand("SELECT * FROM player ORDER BY \(Column("name").desc)")
        == [#"SELECT * FROM player ORDER BY "name" DESC"#])
  }

  @Test func `requests are subqueries in parentheses`() throws {
    let subQuery: SQLRequest<Int> = "SELECT MAX(score) FROM player"
    #expect(
      try expand("SELECT * FROM player WHERE score = \(subQuery)")
        == ["SELECT * FROM player WHERE score = (SELECT MAX(score) FROM player)"])
  }

  @Test func `literals are embedded in literals`() throws {
    let condition: SQLLiteral = "name = \("O'Brien")"
    let expected = ["SELECT * FROM player WHERE name = 'O''Brien'"]
    #expect(try expand("SELECT * FROM player WHERE \(literal: condition)") == expected)
    #expect(try expand("SELECT * FROM player WHERE \(condition)") == expected)
  }

  @Test func `plain SQL is embedded with its arguments`() throws {
    #expect(try expand("SELECT * FROM \(sql: "player")") == ["SELECT * FROM player"])
    #expect(
      try expand("SELECT * FROM player WHERE \(sql: "name = ?", arguments: ["O'Brien"])")
        == ["SELECT * FROM player WHERE name = 'O''Brien'"])
  }
}
