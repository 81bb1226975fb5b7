import Foundation
import Martlet
import Testing

private struct Player: MutablePersistableRecord, FetchableRecord, Identifiable {
  static let databaseTableName = "player"
  var id: Int64?
  var name: String
  var score: Int

  init(id: Int64?, name: String, score: Int) {
    self.id = id
    self.name = name
    self.score = score
  }

  init(row: Row) {
    id = row["id"]
    name = row["name"]
    score = row["score"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["score"] = score
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The document on record persistence, example by example.
@Suite struct PersistableRecordsDocumentTests {
  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("score", .integer).notNull().defaults(to: 10)
        t.column("createdAt", .datetime).notNull().defaults(sql: "CURRENT_TIMESTAMP")
      }
      try body(db)
    }
  }

  /// The player of the document's later examples.
  private func arthur(_ db: Database) throws -> Player {
    var player = Player(id: nil, name: "Arthur", score: 100)
    try player.insert(db)
    return player
  }

  @Test func `inserting captures the auto-incremented id`() throws {
    try inPlayers { db throws in
      var player = Player(id: nil, name: "Arthur", score: 100)
      let texts = try executedSQL(db) { try player.insert(db) }
      #expect(player.id == 1)
      #expect(
        texts == [#"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',100)"#])
    }
  }

  @Test func `insertAndFetch gives defaults and what triggers have changed`() throws {
    struct PartialPlayer: MutablePersistableRecord {
      static let databaseTableName = "player"
      var name: String
      func encode(to container: inout PersistenceContainer) { container["name"] = name }
    }
    struct FullPlayer: FetchableRecord, TableRecord, Decodable {
      static let databaseTableName = "player"
      var id: Int64
      var name: String
      var score: Int
      var createdAt: Date
    }
    try inPlayers { db throws in
      var partial = PartialPlayer(name: "Arthur")
      let texts = try executedSQL(db) { () throws in
        let full = try partial.insertAndFetch(db, as: FullPlayer.self)
        #expect(full.score == 10)
        #expect(abs(full.createdAt.timeIntervalSinceNow) < 60)
      }
      #expect(texts == [#"INSERT INTO "player" ("name") VALUES ('Arthur') RETURNING *"#])
      // What a trigger does to the row before it is written is fetched too; what is done after it
      // is not (lang_returning §3).
      try db.execute(
        sql: """
          CREATE VIEW newPlayer AS SELECT * FROM player;
          CREATE TRIGGER greet INSTEAD OF INSERT ON newPlayer BEGIN
            INSERT INTO player(name) VALUES (UPPER(new.name));
          END;
          INSERT INTO newPlayer(name) VALUES ('barbara');
          """)
      #expect(try FullPlayer.fetchOne(db, key: 2)?.name == "BARBARA")
    }
  }

  @Test func `updateChanges writes the modified columns only`() throws {
    try inPlayers { db throws in
      _ = try arthur(db)
      var player = try #require(try Player.fetchOne(db, id: 1))
      let texts = try executedSQL(db) { () throws in
        let modified = try player.updateChanges(db) { record in
          record.score += 10
          record.name = record.name.uppercased()
        }
        #expect(modified)
        #expect(try !player.updateChanges(db) { $0.score = 110 })
      }
      #expect(texts == [#"UPDATE "player" SET "name"='ARTHUR', "score"=110 WHERE "id"=1"#])
    }
  }

  @Test func `updateAndFetch includes what the database has changed`() throws {
    try inPlayers { db throws in
      _ = try arthur(db)
      var player = try #require(try Player.fetchOne(db, id: 1))
      player.score = 200
      let texts = try executedSQL(db) { () throws in
        let updated = try player.updateAndFetch(db)
        #expect(updated.score == 200)
      }
      #expect(
        texts == [#"UPDATE "player" SET "name"='Arthur', "score"=200 WHERE "id"=1 RETURNING *"#])
    }
  }

  @Test func `save inserts first and updates then`() throws {
    try inPlayers { db throws in
      var player = Player(id: nil, name: "Arthur", score: 100)
      let texts = try executedSQL(db) { () throws in
        try player.save(db)
        #expect(player.id == 1)
        player.score = 200
        try player.save(db)
        var other = Player(id: 7, name: "Barbara", score: 1)
        try other.save(db)
        #expect(other.id == 7)
      }
      #expect(
        texts == [
          #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',100)"#,
          #"UPDATE "player" SET "name"='Arthur', "score"=200 WHERE "id"=1"#,
          #"UPDATE "player" SET "name"='Barbara', "score"=1 WHERE "id"=7"#,
          #"INSERT INTO "player" ("id", "name", "score") VALUES (7,'Barbara',1)"#,
        ])
      #expect(try Player.fetchCount(db) == 2)
    }
  }

  @Test func `delete tells whether the row was there`() throws {
    try inPlayers { db throws in
      _ = try arthur(db)
      let player = try #require(try Player.fetchOne(db, id: 1))
      let texts = try executedSQL(db) { () throws in
        #expect(try player.delete(db))
        #expect(try !player.delete(db))
      }
      #expect(Set(texts) == [#"DELETE FROM "player" WHERE "id"=1"#])
    }
  }

  private struct EncodedPlayer: Encodable, MutablePersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var name: String
    var score: Int

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  @Test func `an Encodable record needs no encode`() throws {
    try inPlayers { db throws in
      var player = EncodedPlayer(id: nil, name: "Arthur", score: 100)
      let texts = try executedSQL(db) { try player.insert(db) }
      #expect(player.id == 1)
      #expect(
        texts == [#"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'Arthur',100)"#])
    }
  }

  @Test func `updating and deleting need a primary key`() throws {
    try inPlayers { db throws in
      let player = Player(id: nil, name: "Arthur", score: 100)
      #expect(error { try player.update(db) } is RecordError)
      #expect(try !player.delete(db))
      #expect(try Player.fetchCount(db) == 0)
    }
  }

  @Test func `updateChanges compares with another record`() throws {
    try inPlayers { db throws in
      let old = try arthur(db)
      var new = old
      new.score = 300
      let texts = try executedSQL(db) { () throws in
        #expect(try new.updateChanges(db, from: old))
        #expect(try !new.updateChanges(db, from: new))
      }
      #expect(texts == [#"UPDATE "player" SET "score"=300 WHERE "id"=1"#])
    }
  }
}
