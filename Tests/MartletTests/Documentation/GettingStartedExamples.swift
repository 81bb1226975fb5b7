import Martlet
import Testing

/// The code of the article "Getting started".
@Suite struct GettingStartedExamples {
  struct Player: Codable, FetchableRecord, MutablePersistableRecord, Identifiable {
    var id: Int64?
    var name: String
    var score: Int

    enum Columns {
      static let name = Column("name")
      static let score = Column("score")
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  @Test func `players are stored and fetched`() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("score", .integer).notNull()
      }
    }
    let arthur = try dbQueue.write { db in
      var player = Player(id: nil, name: "Arthur", score: 100)
      try player.insert(db)
      return player
    }
    #expect(arthur.id == 1)
    let best = try dbQueue.read { db in
      try Player.filter { $0.score >= 100 }.order { $0.name }.fetchAll(db)
    }
    #expect(best.map { $0.name } == ["Arthur"])
    try dbQueue.write { db in
      var player = try Player.find(db, id: 1)
      player.score += 10
      try player.update(db)
    }
    let names = try dbQueue.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM player WHERE score > ?", arguments: [50])
    }
    #expect(names == ["Arthur"])
  }

  @Test func `errors have codes`() throws {
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE player(name UNIQUE)") }
    var isTaken = false
    for _ in 0..<2 {
      do {
        try dbQueue.write { db in
          try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
        }
      } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
        isTaken = true
      }
    }
    #expect(isTaken)
  }
}
