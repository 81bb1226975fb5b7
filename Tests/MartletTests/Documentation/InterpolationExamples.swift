import Martlet
import Testing

/// The code of the article "SQL interpolation".
@Suite struct InterpolationExamples {
  struct Player: Decodable, FetchableRecord, TableRecord {
    var id: Int64
    var name: String
    var score: Int?

    enum CodingKeys: String, CodingKey { case id, name, score }

    static func named(_ name: String) -> SQLRequest<Player> {
      "SELECT * FROM \(self) WHERE \(CodingKeys.name) = \(name)"
    }

    static func withIds(_ ids: [Int64]) -> SQLRequest<Player> {
      "SELECT * FROM \(self) WHERE \(CodingKeys.id) IN \(ids)"
    }

    static func maximumScore() -> SQLRequest<Int> {
      "SELECT MAX(\(CodingKeys.score)) FROM \(self)"
    }

    static func leaders() -> SQLRequest<Player> {
      "SELECT * FROM \(self) WHERE \(CodingKeys.score) = \(maximumScore())"
    }
  }

  @Test func `values are arguments`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INTEGER, birthday TEXT);
          INSERT INTO player VALUES (1, 'Arthur', 10, '2001-02-03'), (2, 'Barbara', 20, NULL)
          """)
      let id = 1
      let name = "O'Brien"
      try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
      #expect(try Player.named("O'Brien").fetchOne(db)?.id == 1)
      #expect(try Player.withIds([]).fetchAll(db).isEmpty)
      #expect(try Player.leaders().fetchAll(db).map { $0.id } == [2])

      var query: SQL = "SELECT * FROM \(Player.self)"
      query += " WHERE id > \(id)"
      query.append(literal: " ORDER BY \(Column("name").desc)")
      let players = try Player.fetchAll(db, SQLRequest<Player>(literal: query))
      #expect(players.map { $0.id } == [2])

      let year = SQL("CAST(STRFTIME('%Y', \(Column("birthday"))) AS INTEGER)").sqlExpression
      let adults = try Player.filter(year < 2008).fetchAll(db)
      #expect(adults.map { $0.id } == [1])

      let (sql, arguments) = try query.build(db)
      #expect(sql == #"SELECT * FROM "player" WHERE id > ? ORDER BY "name" DESC"#)
      #expect(arguments == [1])
    }
  }
}
