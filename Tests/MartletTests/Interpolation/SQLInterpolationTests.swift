import Foundation
import Martlet
import Testing

private struct Player: Decodable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String
  var score: Int?

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

  static func maximumScore() -> SQLRequest<Int> {
    "SELECT MAX(\(CodingKeys.score)) FROM \(self)"
  }

  static func leaders() -> SQLRequest<Player> {
    """
    SELECT * FROM \(self)
    WHERE \(CodingKeys.score) = \(maximumScore())
    """
  }

  static func complexRequest() -> SQLRequest<Player> {
    var query: SQLLiteral = "SELECT player.* FROM \(self) "
    query += "JOIN \(Team.self) ON team.id = player.score "
    query += "GROUP BY player.id"
    return SQLRequest(literal: query)
  }
}

private struct Team: TableRecord {}

/// Interpolation in one piece; example by example it is in `SQLInterpolationDocumentTests`.
@Suite struct SQLInterpolationTests {
  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
          CREATE TABLE team(id INTEGER PRIMARY KEY);
          INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'Barbara', 300), (3, 'Craig', NULL),
            (42, 'Diane', 300);
          INSERT INTO team VALUES (100);
          """)
      try body(db)
    }
  }

  private func expand(_ literal: SQL) throws -> String {
    try inEmptyDatabase { db throws in
      let (sql, arguments) = try literal.build(db)
      return arguments.isEmpty ? sql : "\(sql) \(arguments)"
    }
  }

  @Test func `values become arguments`() throws {
    try inPlayers { db throws in
      let name = "O'Brien"
      let id = 42
      let texts = try executedSQL(db) { () throws in
        try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
      }
      #expect(texts == ["UPDATE player SET name = 'O''Brien' WHERE id = 42"])
      let query: SQLLiteral = "UPDATE player SET name = \(name) WHERE id = \(id)"
      #expect(query.sql == "UPDATE player SET name = ? WHERE id = ?")
      #expect("\(query.arguments)" == #"["O'Brien", 42]"#)
      #expect(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 42") == name)
    }
  }

  @Test func `literals are built step by step`() throws {
    let name = "a"
    let id = 1
    var query: SQLLiteral = "UPDATE player "
    query += "SET name = \(name) "
    query.append(literal: "WHERE id = \(id)")
    #expect(query.sql == "UPDATE player SET name = ? WHERE id = ?")
    let components: [SQLLiteral] = ["UPDATE player", "SET name = \(name)", "WHERE id = \(id)"]
    #expect(components.joined(separator: " ").sql == query.sql)
    #expect(components.joined().sql == "UPDATE playerSET name = ?WHERE id = ?")
    query.append(sql: " AND score > ?", arguments: [5])
    #expect(query.arguments == [name, id, 5])
    #expect(("a" as SQL + "b").sql == "ab")
    #expect(("" as SQL).isEmpty && !("x" as SQL).isEmpty)
    let plain = SQLLiteral(sql: "UPDATE player SET name = ? WHERE id = ?", arguments: [name, id])
    #expect(plain.sql == "UPDATE player SET name = ? WHERE id = ?")
  }

  @Test func `literals are conditions and expressions of requests`() throws {
    try inPlayers { db throws in
      let texts = try executedSQL(db) { () throws in
        _ = try Player.filter(literal: "name = \("O'Brien")").fetchAll(db)
        let createdAt = Column("createdAt")
        let day = SQLLiteral("DATE(\(createdAt))").sqlExpression
        _ = try? Player.filter(day == "2020-01-23").fetchAll(db)
      }
      #expect(texts == ["SELECT * FROM \"player\" WHERE name = 'O''Brien'"])
      let day = SQL("DATE(\(Column("name")))").sqlExpression
      let more = try executedSQL(db) { () throws in
        _ = try Player.filter(day == "2020-01-23").fetchAll(db)
      }
      #expect(more == ["SELECT * FROM \"player\" WHERE (DATE(\"name\")) = '2020-01-23'"])
    }
  }

  @Test func `requests of a record type are literals`() throws {
    try inPlayers { db throws in
      #expect(try Player.filter(id: 42).fetchOne(db)?.name == "Diane")
      #expect(try Player.filter(ids: [1, 2]).fetchAll(db).map { $0.id } == [1, 2])
      #expect(try Player.filter(ids: []).fetchAll(db).isEmpty)
      #expect(try Player.maximumScore().fetchOne(db) == 300)
      #expect(try Player.leaders().fetchAll(db).count == 2)
      #expect(try Player.complexRequest().fetchAll(db).map { $0.id } == [1])
      try Player.deleteAllWithoutScore(db)
      #expect(try Player.fetchCount(db) == 3)
      #expect(try Player.leaders().fetchCount(db) == 2)
    }
  }

  @Test func `everything of the reference can be interpolated`() throws {
    let player = Player(id: 1, name: "a", score: nil)
    let bonus = 100
    #expect(try expand("SELECT * FROM \(Player.self)") == #"SELECT * FROM "player""#)
    #expect(try expand("INSERT INTO \(tableOf: player)") == #"INSERT INTO "player""#)
    #expect(try expand("SELECT \(Column("name")) FROM player") == #"SELECT "name" FROM player"#)
    let sum = try expand("SELECT \(Column("score") + bonus) AS points")
    #expect(sum == #"SELECT "score" + ? AS points [100]"#)
    #expect(try expand("SELECT (score + \(bonus))") == "SELECT (score + ?) [100]")
    #expect(try expand("SELECT \(Player.CodingKeys.name)") == #"SELECT "name""#)
    #expect(try expand("x IN \([1, 2, 3])") == "x IN (?,?,?) [1, 2, 3]")
    #expect(try expand("x IN \(Set([1]))") == "x IN (?) [1]")
    #expect(try expand("x IN \([Int]())") == "x IN (SELECT NULL WHERE NULL)")
    #expect(try expand("ORDER BY \(Column("name").desc)") == #"ORDER BY "name" DESC"#)
    let subquery: SQLRequest<Int> = "SELECT MAX(score) FROM player WHERE id > \(3)"
    #expect(
      try expand("score = \(subquery)") == "score = (SELECT MAX(score) FROM player WHERE id > ?) [3]")
    let condition: SQLLiteral = "name = \("O'Brien")"
    #expect(try expand("WHERE \(literal: condition)") == #"WHERE name = ? ["O'Brien"]"#)
    #expect(try expand("WHERE \(condition)") == #"WHERE name = ? ["O'Brien"]"#)
    #expect(try expand("FROM \(sql: "player")") == "FROM player")
    #expect(
      try expand("WHERE \(sql: "name = ?", arguments: ["O'Brien"])") == #"WHERE name = ? ["O'Brien"]"#)
    #expect(try expand("\(nil as Int?)") == "NULL")
    #expect(try expand("\(Data([1]))") == "? [Data(1 bytes)]")
    #expect(try expand("\(identifier: "a\"b")") == #""a""b""#)
    #expect(try expand("\(Database.CollationName.nocase)") == "NOCASE")
    #expect(try expand("\(columnsOf: Player.self, tableAlias: "p")") == #""p".*"#)
    #expect(try expand("\(Table<Row>("t"))") == #""t""#)
    #expect(
      try expand("IN \(Player.filter(Column("id") == 1))")
        == #"IN (SELECT * FROM "player" WHERE "id" = ?) [1]"#)
  }

  @Test func `common table expressions are named and defined`() throws {
    let cte = CommonTableExpression<Row>(named: "c", columns: ["n"], literal: "VALUES (\(1))")
    #expect(
      try expand("WITH \(definitionFor: cte) SELECT * FROM \(cte)")
        == #"WITH "c"("n") AS (VALUES (?)) SELECT * FROM "c" [1]"#)
  }

  @Test func `a literal that asks for the schema is built with a connection`() throws {
    try inPlayers { db throws in
      let literal: SQL = "SELECT \(AllColumns()) FROM \(Player.filter(key: 1))"
      let (sql, arguments) = try literal.build(db)
      #expect(sql == #"SELECT * FROM (SELECT * FROM "player" WHERE "id" = ?)"#)
      #expect(arguments == [1])
    }
  }
}
