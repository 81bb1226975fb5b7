import Foundation
import Martlet
import Testing

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord, Identifiable {
  var id: Int64?
  var name: String
  var score: Int?

  enum Columns {
    static let id = Column("id")
    static let name = Column("name")
    static let score = Column("score")
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// What the persistence methods promise beyond the document on them.
@Suite struct PersistenceRuleTests {
  private func inPlayers(_ body: (Database) throws -> Void) throws {
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER DEFAULT 5)")
      try body(db)
    }
  }

  @Test func `a conflict is resolved as the call says`() throws {
    try inPlayers { db throws in
      _ = try Player(name: "A", score: 1).inserted(db)
      let texts = try executedSQL(db) { () throws in
        var other = Player(name: "A", score: 2)
        #expect(
          databaseError { try other.insert(db) }?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        try other.insert(db, onConflict: .replace)
        #expect(try Player.fetchAll(db).map { $0.score } == [2])
        try other.update(db, onConflict: .rollback)
        _ = try other.updateChanges(db, onConflict: .fail) { $0.score = 3 }
        try other.save(db, onConflict: .ignore)
      }
      #expect(
        texts.filter { !$0.hasPrefix("SELECT") } == [
          #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'A',2)"#,
          #"INSERT OR REPLACE INTO "player" ("id", "name", "score") VALUES (NULL,'A',2)"#,
          #"UPDATE OR ROLLBACK "player" SET "name"='A', "score"=2 WHERE "id"=2"#,
          #"UPDATE OR FAIL "player" SET "score"=3 WHERE "id"=2"#,
          #"UPDATE OR IGNORE "player" SET "name"='A', "score"=3 WHERE "id"=2"#,
        ])
    }
  }

  @Test func `a conflict is resolved as the type says, but not in upserts`() throws {
    struct Careless: Codable, FetchableRecord, PersistableRecord {
      static let databaseTableName = "player"
      static let persistenceConflictPolicy = PersistenceConflictPolicy(
        insert: .ignore, update: .replace)
      var id: Int64
      var name: String
    }
    try inPlayers { db throws in
      let careless = Careless(id: 1, name: "A")
      let texts = try executedSQL(db) { () throws in
        try careless.insert(db)
        try careless.insert(db)
        try careless.update(db)
        try careless.upsert(db)
        // The row was ignored, so there is nothing to return.
        #expect(error { try careless.insertAndFetch(db) } is RecordError)
      }
      #expect(
        texts == [
          #"INSERT OR IGNORE INTO "player" ("id", "name") VALUES (1,'A')"#,
          #"INSERT OR IGNORE INTO "player" ("id", "name") VALUES (1,'A')"#,
          #"UPDATE OR REPLACE "player" SET "name"='A' WHERE "id"=1"#,
          #"""
            INSERT INTO "player" ("id", "name") VALUES (1,'A') ON CONFLICT DO UPDATE SET \#
            "name" = "excluded"."name" RETURNING "rowid"
            """#,
          #"INSERT OR IGNORE INTO "player" ("id", "name") VALUES (1,'A') RETURNING *"#,
        ])
    }
  }

  @Test func `what a statement returns can be chosen and fetched`() throws {
    try inPlayers { db throws in
      var player = Player(name: "A")
      let texts = try executedSQL(db) { () throws in
        let row = try player.insertAndFetch(db) { try Row.fetchOne($0) } select: { [$0.score] }
        #expect(row == ["score": nil])
        let name = try player.updateAndFetch(db, selection: [Column("name")]) { try String.fetchOne($0) }
        #expect(name == "A")
        let id = try player.saveAndFetch(db, selection: [Column("id")]) { try Int.fetchOne($0) }
        #expect(id == 1)
        player.score = 9
        let score = try player.updateAndFetch(db, columns: ["score"], selection: [Column("score")]) {
          try Int.fetchOne($0)
        }
        #expect(score == 9)
      }
      #expect(
        texts == [
          #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL,'A',NULL) RETURNING "score""#,
          #"UPDATE "player" SET "name"='A', "score"=NULL WHERE "id"=1 RETURNING "name""#,
          #"UPDATE "player" SET "name"='A', "score"=NULL WHERE "id"=1 RETURNING "id""#,
          #"UPDATE "player" SET "score"=9 WHERE "id"=1 RETURNING "score""#,
        ])
    }
  }

  @Test func `an upsert that updates nothing still gives the row`() throws {
    struct Key: Codable, FetchableRecord, PersistableRecord {
      static let databaseTableName = "player"
      var id: Int64
    }
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)")
      let texts = try executedSQL(db) { () throws in
        #expect(try Key(id: 1).upsertAndFetch(db).id == 1)
        #expect(try Key(id: 1).upsertAndFetch(db).id == 1)
      }
      let text =
        #"""
          INSERT INTO "player" ("id") VALUES (1) ON CONFLICT DO UPDATE SET "id" = "id" \#
          RETURNING *, "rowid"
          """#
      #expect(texts == [text, text])
    }
  }

  @Test func `records can be inserted, saved and upserted as copies`() throws {
    try inPlayers { db throws in
      let player = try Player(name: "A").inserted(db)
      #expect(player.id == 1)
      #expect(try Player(id: 3, name: "C").saved(db).id == 3)
      #expect(try Player(name: "D").insertAndFetch(db) == Player(id: 4, name: "D"))
      #expect(try Player(id: 4, name: "E").saveAndFetch(db) == Player(id: 4, name: "E"))
    }
  }

  @Test func `an around callback that does not call its action is misuse`() throws {
    struct Lazy: Encodable, MutablePersistableRecord {
      static let databaseTableName = "player"
      var id: Int64?
      var name: String
      var skips: String
      enum CodingKeys: String, CodingKey { case id, name }
      func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        if skips != "insert" { _ = try insert() }
      }
      func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
      ) throws {
        if skips != "update" { _ = try update() }
      }
      func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        if skips != "save" { _ = try save() }
      }
      func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        if skips != "delete" { _ = try delete() }
      }
    }
    try inPlayers { db throws in
      var lazy = Lazy(id: 1, name: "A", skips: "insert")
      #expect(databaseError { try lazy.insert(db) }?.resultCode == .SQLITE_MISUSE)
      lazy.skips = "save"
      #expect(databaseError { try lazy.insert(db) }?.resultCode == .SQLITE_MISUSE)
      #expect(try Player.fetchCount(db) == 0)
      lazy.skips = ""
      try lazy.insert(db)
      lazy.skips = "update"
      #expect(databaseError { try lazy.update(db) }?.resultCode == .SQLITE_MISUSE)
      lazy.skips = "delete"
      #expect(databaseError { try lazy.delete(db) }?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `a callback that throws ends the operation`() throws {
    struct Invalid: Error {}
    struct Validated: Encodable, PersistableRecord {
      static let databaseTableName = "player"
      var name: String
      func willSave(_ db: Database) throws { if name.isEmpty { throw Invalid() } }
    }
    try inPlayers { db throws in
      #expect(error { try Validated(name: "").insert(db) } is Invalid)
      #expect(try Player.fetchCount(db) == 0)
      try Validated(name: "x").insert(db)
    }
  }

  @Test func `callbacks are not run by methods on many rows`() throws {
    struct Guarded: Codable, FetchableRecord, PersistableRecord {
      static let databaseTableName = "player"
      var id: Int64
      var name: String
      func willDelete(_ db: Database) throws { Issue.record("a row was deleted by its record") }
      func willUpdate(_ db: Database, columns: Set<String>) throws {
        Issue.record("a row was updated by its record")
      }
    }
    try inPlayers { db throws in
      try Guarded(id: 1, name: "A").insert(db)
      #expect(try Guarded.updateAll(db, Column("score").set(to: 1)) == 1)
      #expect(try Guarded.deleteOne(db, key: 1))
      #expect(try Guarded.deleteAll(db) == 0)
    }
  }

  @Test func `a container finds its columns in any case and keeps their order`() throws {
    var container = PersistenceContainer()
    container["b"] = 1
    container["A"] = "x"
    container["a"] = "y"
    container[Column("c")] = nil
    #expect(container.map { $0.0 } == ["b", "A", "c"])
    #expect(container["B"]?.databaseValue == 1.databaseValue)
    #expect(container["a"]?.databaseValue == "y".databaseValue)
    #expect(container.count == 3 && container[2].1 == .null)
  }

  @Test func `a column that the table does not have is SQLite's error`() throws {
    struct Wrong: Encodable, PersistableRecord {
      static let databaseTableName = "player"
      var name = "A"
      var shoeSize = 42
    }
    try inPlayers { db throws in
      let failure = databaseError { try Wrong().insert(db) }
      #expect(failure?.message == "table player has no column named shoeSize")
    }
  }

  @Test func `records on views are updated by triggers and keys that the application names`() throws {
    struct Source: DatabaseSchemaSource {
      func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        view.name == "best" ? ["id"] : nil
      }
    }
    struct Best: Codable, FetchableRecord, PersistableRecord {
      var id: Int64
      var name: String
    }
    try inPlayers { db throws in
      _ = try Player(name: "A").inserted(db)
      try db.execute(
        sql: """
          CREATE VIEW best AS SELECT id, name FROM player;
          CREATE TRIGGER t INSTEAD OF UPDATE ON best BEGIN
            UPDATE player SET name = new.name WHERE id = old.id;
          END
          """)
      #expect(databaseError { try db.primaryKey("best") } != nil)
      try db.withSchemaSource(Source()) { () throws in
        #expect(try db.primaryKey("best").columns == ["id"])
        #expect(try Best.find(db, key: 1).name == "A")
        let texts = try executedSQL(db) { try Best(id: 1, name: "B").update(db) }
        #expect(texts.first == #"UPDATE "best" SET "name"='B' WHERE "id"=1"#)
      }
      #expect(try Player.find(db, id: 1).name == "B")
      let other = Source().then(Source())
      #expect(
        try db.withSchemaSource(other) { try db.primaryKey("best").columns } == ["id"])
      #expect(databaseError { try db.primaryKey("best") } != nil)
    }
  }

  // MARK: Static methods

  @Test func `rows are found by one key, by several and by composite ones`() throws {
    struct Citizenship: Codable, Equatable, FetchableRecord, PersistableRecord {
      var citizen: Int
      var country: String
    }
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE citizenship(citizen INTEGER, country TEXT, PRIMARY KEY(citizen, country))")
      let all = [
        Citizenship(citizen: 1, country: "DE"), Citizenship(citizen: 1, country: "FR"),
        Citizenship(citizen: 2, country: "FR"),
      ]
      for record in all { try record.insert(db) }
      #expect(try Citizenship.fetchOne(db, key: ["citizen": 1, "country": "FR"]) == all[1])
      #expect(try Citizenship.find(db, key: ["country": "FR", "CITIZEN": 2]) == all[2])
      let keys: [[String: (any DatabaseValueConvertible)?]] = [
        ["citizen": 1, "country": "DE"], ["citizen": 2, "country": "FR"],
      ]
      #expect(try Citizenship.fetchAll(db, keys: keys) == [all[0], all[2]])
      #expect(try Citizenship.filter(keys: keys).fetchCount(db) == 2)
      #expect(try Citizenship.exists(db, key: ["citizen": 1, "country": "DE"]))
      #expect(try !Citizenship.exists(db, key: ["citizen": 3, "country": "DE"]))
      #expect(error { try Citizenship.fetchOne(db, key: ["citizen": 1]) } is DatabaseError)
      #expect(error { try Citizenship.fetchOne(db, key: 1) } is DatabaseError)
      #expect(try Citizenship.deleteAll(db, keys: keys) == 2)
      #expect(try Citizenship.deleteOne(db, key: ["citizen": 1, "country": "FR"]))
      let none: [String: (any DatabaseValueConvertible)?]? = nil
      #expect(try Citizenship.fetchOne(db, key: none) == nil)
    }
  }

  @Test func `rows of tables without a key are found by their rowid`() throws {
    struct Note: Codable, FetchableRecord, PersistableRecord { var text: String }
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE note(text)")
      try Note(text: "a").insert(db)
      let texts = try executedSQL(db) { () throws in
        #expect(try Note.fetchOne(db, key: 1)?.text == "a")
        #expect(try Note.exists(db, key: 1))
        #expect(try Note.deleteOne(db, key: 1))
      }
      #expect(
        texts == [
          #"SELECT * FROM "note" WHERE "rowid" = 1"#,
          #"SELECT EXISTS (SELECT * FROM "note" WHERE "rowid" = 1)"#,
          #"DELETE FROM "note" WHERE "rowid" = 1"#,
        ])
    }
  }

  @Test func `tables and record types have the same static methods`() throws {
    try inPlayers { db throws in
      for name in ["A", "B", "C"] { _ = try Player(name: name).inserted(db) }
      let table = Table<Player>("player")
      #expect(try table.fetchOne(db, key: 1) == Player.fetchOne(db, key: 1))
      #expect(try table.fetchAll(db, keys: [1, 2]) == Player.fetchAll(db, keys: [1, 2]))
      #expect(try table.find(db, key: ["name": "C"]).id == 3)
      #expect(error { try table.find(db, key: 9) } is RecordError)
      #expect(try table.exists(db, id: 1) && !table.exists(db, key: 9))
      #expect(try table.fetchCount(db) == 3)
      #expect(try table.updateAll(db, Column("score").set(to: 1)) == 3)
      #expect(try table.filter(ids: [1, 2]).fetchCount(db) == 2)
      #expect(try table.deleteOne(db, id: 1) && table.deleteAll(db, ids: [2]) == 1)
      #expect(try table.deleteAll(db) == 1)
    }
  }

  @Test func `a type selects what it says`() throws {
    struct Short: TableRecord, FetchableRecord, Decodable {
      static let databaseTableName = "player"
      static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
      var id: Int64
      var name: String
    }
    try inPlayers { db throws in
      #expect(try Short.numberOfSelectedColumns(db) == 2)
      #expect(try Player.numberOfSelectedColumns(db) == 3)
      let texts = try executedSQL(db) { () throws in
        _ = try Short.fetchAll(db)
        _ = try Short.fetchOne(db, key: 1)
      }
      #expect(
        texts == [
          #"SELECT "id", "name" FROM "player""#, #"SELECT "id", "name" FROM "player" WHERE "id" = 1"#,
        ])
    }
  }

  @Test func `an insertion tells the rowid among the columns`() throws {
    struct Named: MutablePersistableRecord {
      static let databaseTableName = "named"
      var id: Int64?
      let told: LockedList
      func encode(to container: inout PersistenceContainer) {
        container["Id"] = id
        container["name"] = "x"
      }
      func didInsert(_ inserted: InsertionSuccess) {
        let values = inserted.persistenceContainer.map { "\($0.0)=\($0.1)" }
        told.append("\(inserted.rowID) \(values.joined(separator: " "))")
      }
    }
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE named(id INTEGER PRIMARY KEY, name TEXT)")
      let told = LockedList()
      var new = Named(id: nil, told: told)
      try new.insert(db)
      var known = Named(id: 7, told: told)
      try known.insert(db)
      try new.upsert(db)
      #expect(
        told.take() == [#"1 Id=1 name="x""#, #"7 Id=7 name="x""#, #"8 Id=8 name="x""#])
    }
  }
}
