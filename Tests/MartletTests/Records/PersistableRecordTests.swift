import Foundation
import Martlet
import Synchronization
import Testing

private struct Player: MutablePersistableRecord, FetchableRecord, Equatable {
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

extension Player: Identifiable {}

private struct PartialPlayer: MutablePersistableRecord {
  static let databaseTableName = "player"
  var name: String
  func encode(to container: inout PersistenceContainer) { container["name"] = name }
}

private struct FullPlayer: FetchableRecord, TableRecord, Decodable {
  static let databaseTableName = "player"
  var id: Int64
  var name: String
  var score: Int
  var upperName: String
}

private struct CodablePlayer: Codable, Equatable {
  var id: Int64?
  var name: String
  var score: Int
}

extension CodablePlayer: MutablePersistableRecord, FetchableRecord {
  static let databaseTableName = "player"
  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// How records are written and found, beyond the examples of `PersistableRecordsDocumentTests`.
@Suite struct PersistableRecordTests {
  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player(
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL DEFAULT 7,
            upperName TEXT GENERATED ALWAYS AS (UPPER(name)))
          """)
      try body(db)
    }
  }

  @Test func `insert captures the new rowid`() throws {
    try inPlayers { db throws in
      var player = Player(id: nil, name: "Arthur", score: 100)
      let texts = try executedSQL(db) { try player.insert(db) }
      #expect(
        texts == ["INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (NULL,'Arthur',100)"])
      #expect(player.id == 1)
      #expect(try Player(id: nil, name: "B", score: 1).inserted(db).id == 2)
    }
  }

  @Test func `insert and fetch as another type shows defaults and generated columns`() throws {
    try inPlayers { db throws in
      var partial = PartialPlayer(name: "Arthur")
      let texts = try executedSQL(db) { () throws in
        let full = try partial.insertAndFetch(db, as: FullPlayer.self)
        #expect(full.score == 7 && full.upperName == "ARTHUR" && full.id == 1)
      }
      #expect(texts == ["INSERT INTO \"player\" (\"name\") VALUES ('Arthur') RETURNING *"])
      let score = try partial.insertAndFetch(
        db, onConflict: .replace, selection: [Column("score")]
      ) { try Int.fetchOne($0) }
      #expect(score == 7)
      let ignored = error {
        try partial.insertAndFetch(db, onConflict: .ignore, as: FullPlayer.self)
      }
      #expect(ignored is RecordError)
    }
  }

  @Test func `changes alone are updated`() throws {
    try inPlayers { db throws in
      var player = Player(id: nil, name: "Arthur", score: 100)
      try player.insert(db)
      let texts = try executedSQL(db) { () throws in
        #expect(try player.updateChanges(db) { $0.score += 10 })
        #expect(try !player.updateChanges(db) { $0.score = 110 })
        var other = player
        other.name = "Barbara"
        #expect(try other.updateChanges(db, from: player))
        #expect(try !other.updateChanges(db, from: other))
        let fetched = try other.updateChangesAndFetch(db) { $0.score = 1 }
        #expect(fetched == other)
        #expect(try other.updateChangesAndFetch(db) { $0.score = 1 } == nil)
      }
      #expect(
        texts == [
          "UPDATE \"player\" SET \"score\"=110 WHERE \"id\"=1",
          "UPDATE \"player\" SET \"name\"='Barbara' WHERE \"id\"=1",
          "UPDATE \"player\" SET \"score\"=1 WHERE \"id\"=1 RETURNING *",
        ])
    }
  }

  @Test func `update writes the row of the key, and nothing else`() throws {
    try inPlayers { db throws in
      var player = Player(id: nil, name: "Arthur", score: 100)
      try player.insert(db)
      player.score = 200
      let updated = try player.updateAndFetch(db)
      #expect(updated == player)
      #expect(try player.updateAndFetch(db, as: FullPlayer.self).upperName == "ARTHUR")
      let texts = try executedSQL(db) { () throws in
        try player.update(db)
        try player.update(db, columns: ["SCORE", "missing"])
        try player.update(db, columns: [Column("id")])
      }
      #expect(
        texts == [
          "UPDATE \"player\" SET \"name\"='Arthur', \"score\"=200 WHERE \"id\"=1",
          "UPDATE \"player\" SET \"score\"=200 WHERE \"id\"=1",
          "UPDATE \"player\" SET \"id\"=1 WHERE \"id\"=1",
        ])
      player.id = 9
      guard case .recordNotFound(let table, let key) = error(of: { try player.update(db) }) as? RecordError
      else {
        Issue.record("an update of nothing must throw")
        return
      }
      #expect(table == "player" && key == ["id": 9.databaseValue])
      player.id = nil
      #expect(error { try player.update(db) } is RecordError)
    }
  }

  @Test func `save inserts or updates`() throws {
    try inPlayers { db throws in
      var player = Player(id: nil, name: "Arthur", score: 100)
      let texts = try executedSQL(db) { () throws in
        try player.save(db)
        player.score = 200
        try player.save(db)
        player.id = 12
        player.name = "B"
        try player.save(db)
        #expect(try player.saved(db).id == 12)
        #expect(try player.saveAndFetch(db) == player)
      }
      #expect(
        texts.prefix(4) == [
          "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (NULL,'Arthur',100)",
          "UPDATE \"player\" SET \"name\"='Arthur', \"score\"=200 WHERE \"id\"=1",
          "UPDATE \"player\" SET \"name\"='B', \"score\"=200 WHERE \"id\"=12",
          "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (12,'B',200)",
        ])
      #expect(texts.last == "UPDATE \"player\" SET \"name\"='B', \"score\"=200 WHERE \"id\"=12 RETURNING *")
    }
  }

  @Test func `upsert inserts or updates with one statement`() throws {
    try inPlayers { db throws in
      var player = Player(id: 5, name: "Arthur", score: 100)
      var texts = try executedSQL(db) { try player.upsert(db) }
      #expect(
        texts == [
          "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (5,'Arthur',100) "
            + "ON CONFLICT DO UPDATE SET \"name\" = \"excluded\".\"name\", "
            + "\"score\" = \"excluded\".\"score\" RETURNING \"rowid\""
        ])
      var other = Player(id: nil, name: "Arthur", score: 50)
      texts = try executedSQL(db) { () throws in
        let fetched = try other.upsertAndFetch(
          db, onConflict: ["name"],
          doUpdate: { excluded in [Column("score") += excluded["score"]] })
        #expect(fetched == Player(id: 5, name: "Arthur", score: 150))
      }
      #expect(
        texts == [
          "INSERT INTO \"player\" (\"id\", \"name\", \"score\") VALUES (NULL,'Arthur',50) "
            + "ON CONFLICT(\"name\") DO UPDATE SET \"score\" = \"score\" + \"excluded\".\"score\" "
            + "RETURNING *, \"rowid\""
        ])
      #expect(other.id == 5)
      let kept = try other.upsertAndFetch(
        db, onConflict: ["name"], updating: .noColumnUnlessSpecified)
      #expect(kept.score == 150)
      let noScore = try Player(id: 5, name: "C", score: 0).upsertedWithoutScore(db)
      #expect(noScore == Player(id: 5, name: "C", score: 150))
    }
  }

  @Test func `delete says whether the row was there`() throws {
    try inPlayers { db throws in
      var player = Player(id: nil, name: "Arthur", score: 100)
      #expect(try !player.delete(db))
      try player.insert(db)
      #expect(try player.exists(db))
      let texts = try executedSQL(db) { () throws in
        #expect(try player.delete(db))
        #expect(try !player.delete(db))
        #expect(try !player.exists(db))
      }
      #expect(
        texts == [
          "DELETE FROM \"player\" WHERE \"id\"=1", "DELETE FROM \"player\" WHERE \"id\"=1",
          "SELECT EXISTS (SELECT 1 FROM \"player\" WHERE \"id\"=1)",
        ])
    }
  }

  @Test func `encodable records need no encode`() throws {
    try inPlayers { db throws in
      var player = CodablePlayer(id: nil, name: "Arthur", score: 100)
      try player.insert(db)
      #expect(player.id == 1)
      #expect(try CodablePlayer.fetchOne(db, sql: "SELECT * FROM player") == player)
      #expect(try CodablePlayer.find(db, key: 1) == player)
    }
  }

  @Test func `records are found by key, id and unique key`() throws {
    try inPlayers { db throws in
      for name in ["A", "B", "C"] { _ = try Player(id: nil, name: name, score: 1).inserted(db) }
      let texts = try executedSQL(db) { () throws in
        #expect(try Player.fetchOne(db, key: 1)?.name == "A")
        #expect(try Player.fetchOne(db, id: 2)?.name == "B")
        #expect(try Player.fetchOne(db, key: ["name": "C"])?.id == 3)
        #expect(try Player.fetchAll(db, ids: [1, 3]).count == 2)
        #expect(try Player.fetchAll(db, keys: [Int]()).isEmpty)
      }
      #expect(
        texts == [
          "SELECT * FROM \"player\" WHERE \"id\" = 1", "SELECT * FROM \"player\" WHERE \"id\" = 2",
          "SELECT * FROM \"player\" WHERE \"name\" = 'C'",
          "SELECT * FROM \"player\" WHERE \"id\" IN (1, 3)",
        ])
      #expect(try Player.find(db, id: 3).name == "C")
      #expect("\(try #require(error { try Player.find(db, id: 9) }))" == "Key not found in table player: [id:9]")
      let wrong = databaseError { try Player.fetchOne(db, key: ["score": 1]) }
      #expect(wrong?.message == "table player has no unique key on column(s) score")
      #expect(try Player.exists(db, id: 1) && !Player.exists(db, key: ["name": "Z"]))
      #expect(try Player.deleteOne(db, id: 1) && !Player.deleteOne(db, id: 1))
      #expect(try Player.deleteAll(db, ids: [2, 9]) == 1)
      #expect(try Player.deleteAll(db) == 1)
    }
  }

  @Test func `records are compared by what they write`() throws {
    let player = Player(id: 1, name: "A", score: 2)
    var other = player
    #expect(player.databaseEquals(other))
    other.score = 3
    #expect(try other.databaseChanges(from: player) == ["score": 2.databaseValue])
    #expect(try other.databaseChanges { $0.name = "B" } == ["name": "A".databaseValue])
    #expect(try player.databaseDictionary["name"] == "A".databaseValue)
    #expect(try Row(player) == ["id": 1, "name": "A", "score": 2])
  }
}

extension Player {
  fileprivate func upsertedWithoutScore(_ db: Database) throws -> Player {
    var copy = self
    return try copy.upsertAndFetch(db, onConflict: ["id"]) { _ in [Column("score").noOverwrite] }
  }
}

@Suite struct RecordNameTests {
  /// A type whose table is another one from time to time.
  private struct Moving: Codable, FetchableRecord, PersistableRecord {
    static let table = Mutex("")
    static var databaseTableName: String { table.withLock { $0 } }
    var id: Int64
  }

  /// Two columns whose names Unicode takes as equal.
  private struct Twins: PersistableRecord {
    static var databaseTableName: String { Moving.databaseTableName }
    func encode(to container: inout PersistenceContainer) {
      container["\u{e9}"] = 1
      container["e\u{301}"] = 2
    }
  }

  private struct Three: PersistableRecord {
    static let databaseTableName = "three"
    func encode(to container: inout PersistenceContainer) {
      for (index, name) in ["id", "\u{e9}", "e\u{301}", "\u{c9}"].enumerated() {
        container[name] = index + 1
      }
    }
  }

  @Test func `names that Unicode takes as equal are two, and a type's table may change`() throws {
    let names = ["t\u{e9}", "te\u{301}", "t\u{212b}", "tA\u{30a}", "other"]
    try inEmptyDatabase { db throws in
      for (index, name) in names.enumerated() {
        try db.execute(sql: "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, a)")
        Moving.table.withLock { $0 = name }
        try Moving(id: Int64(index)).insert(db)
      }
      for (index, name) in names.enumerated() {
        Moving.table.withLock { $0 = name }
        #expect(try Moving.fetchAll(db).map(\.id) == [Int64(index)])
        #expect(try Moving.fetchOne(db, key: index)?.id == Int64(index))
        let text = try String.fetchOne(db, sql: "SELECT '\(name)'")
        #expect(text.map { Array($0.utf8) } == Array(name.utf8))
      }
      // Columns, few and many.
      for count in [0, 20] {
        let extra = (0..<count).map { ", x\($0)" }.joined()
        try db.execute(sql: "CREATE TABLE w\(count) (\u{e9}, e\u{301}\(extra))")
        Moving.table.withLock { $0 = "w\(count)" }
        try Twins().insert(db)
        let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM w\(count)"))
        #expect(row["\u{e9}"] == 1)
        #expect(row["e\u{301}"] == 2)
      }
      // Columns that an update takes, with the capital beyond ASCII that is another letter for SQL.
      try db.execute(
        sql: "CREATE TABLE three (id INTEGER PRIMARY KEY, \u{e9}, e\u{301}, \u{c9}); "
          + "INSERT INTO three (id) VALUES (1)")
      try Three().update(db)
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM three").map { Array($0.databaseValues) }
        == [1.databaseValue, 2.databaseValue, 3.databaseValue, 4.databaseValue])
      try db.execute(sql: "UPDATE three SET \u{e9} = 0, e\u{301} = 0, \u{c9} = 0")
      try Three().upsert(db)
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM three").map { Array($0.databaseValues) }
        == [1.databaseValue, 2.databaseValue, 3.databaseValue, 4.databaseValue])
      // One that is there for Unicode only.
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 3 AS e\u{301}"))
      #expect(row["\u{e9}"] == 3)
    }
  }
}
