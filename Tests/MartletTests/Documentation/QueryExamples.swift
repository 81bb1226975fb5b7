import Martlet
import Testing

/// The code of the article "Queries".
@Suite struct QueryExamples {
  struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String
    var team: String?
    var score: Int

    enum Columns {
      static let id = Column("id")
      static let name = Column("name")
      static let team = Column("team")
      static let score = Column("score")
    }
  }

  struct TeamScore: Decodable, FetchableRecord {
    var team: String
    var best: Int
  }

  @Test func `requests are built step by step`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, team TEXT, score INTEGER);
          INSERT INTO player VALUES
            (1, 'Arthur', 'Red', 100), (2, 'Barbara', 'Blue', 300), (3, 'Craig', NULL, 50)
          """)
      let request = Player
        .filter { $0.team != nil && $0.score > 50 }
        .order { [$0.score.desc, $0.name] }
        .limit(10)
      let players = try request.fetchAll(db)
      let best = try request.fetchOne(db)
      let count = try request.fetchCount(db)
      #expect(players.count == 2 && best?.id == 2 && count == 2)

      let names = try Player.select({ $0.name }, as: String.self).fetchSet(db)
      let highest = try Player.select({ max($0.score) }, as: Int.self).fetchOne(db)
      #expect(names.count == 3 && highest == 300)

      let scores = try Player
        .filter { $0.team != nil }
        .select { [$0.team, max($0.score).forKey("best")] }
        .group { $0.team }
        .having { max($0.score) > 200 }
        .asRequest(of: TeamScore.self)
        .fetchAll(db)
      #expect(scores.map { $0.team } == ["Blue"])

      let mean = Player.select { average($0.score) }
      let aboveAverage = try Player.filter { $0.score > mean }.fetchAll(db)
      #expect(aboveAverage.map { $0.id } == [2])

      try Player.filter { $0.team == "Red" }.updateAll(db) {
        [$0.score += 10, $0.team.set(to: "Green")]
      }
      let deleted = try Player.filter { $0.score < 100 }.deleteAndFetchAll(db)
      #expect(deleted.map { $0.name } == ["Craig"])

      let winners = CommonTableExpression<Player>(
        named: "winners", request: Player.filter { $0.score > 200 })
      let fetched = try winners.all().with(winners).fetchAll(db)
      #expect(fetched.map { $0.id } == [2])

      let rows = try Table("player").filter(Column("score") > 200).fetchAll(db)
      #expect(rows.count == 1)
    }
  }
}
