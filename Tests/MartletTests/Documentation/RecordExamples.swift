import Martlet
import Testing

/// The code of the article "Records".
@Suite struct RecordExamples {
  struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord, Identifiable {
    var id: Int64?
    var name: String
    var score: Int
    var tags: [String]

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  struct Team: FetchableRecord, PersistableRecord {
    var code: String
    var city: String?

    enum Columns {
      static let code = Column("code")
      static let city = Column("city")
    }

    init(row: Row) {
      code = row[Columns.code]
      city = row[Columns.city]
    }

    func encode(to container: inout PersistenceContainer) {
      container[Columns.code] = code
      container[Columns.city] = city
    }
  }

  struct NewPlayer: Encodable, PersistableRecord {
    static let databaseTableName = "player"
    var name: String
    var tags: [String] = []

    func willSave(_ db: Database) throws {
      if name.isEmpty { throw NameIsMissing() }
    }
  }

  struct NameIsMissing: Error {}

  @Test func `records are written, fetched and deleted`() throws {
    try inEmptyDatabase { db throws in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
        t.column("score", .integer).notNull().defaults(to: 10)
        t.column("tags", .jsonText).notNull()
      }
      var player = Player(id: nil, name: "Arthur", score: 100, tags: ["new"])
      try player.insert(db)
      player.score = 200
      try player.update(db)
      try player.save(db)
      #expect(player.id == 1)

      let hasChanged = try player.updateChanges(db) {
        $0.score = 300
      }
      #expect(hasChanged)

      let complete = try NewPlayer(name: "Barbara").insertAndFetch(db, as: Player.self)
      #expect(complete.score == 10)

      var stranger = Player(id: nil, name: "Arthur", score: 5, tags: [])
      try stranger.upsert(db)
      #expect(try Player.fetchCount(db) == 2)

      let first = try Player.find(db, id: 1)
      let both = try Player.fetchAll(db, ids: [1, 2])
      let barbara = try Player.fetchOne(db, key: ["name": "Barbara"])
      #expect(first.name == "Arthur" && both.count == 2 && barbara?.id == 2)

      let wasThere = try player.delete(db)
      let count = try Player.deleteAll(db)
      #expect(wasThere && count == 1)
      #expect(error { try NewPlayer(name: "").insert(db) } is NameIsMissing)
    }
  }

  @Test func `records encode themselves`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE team(code TEXT PRIMARY KEY, city TEXT)")
      try Team(row: ["code": "R", "city": "Rome"]).insert(db)
      #expect(try Team.find(db, key: "R").city == "Rome")
    }
  }
}
