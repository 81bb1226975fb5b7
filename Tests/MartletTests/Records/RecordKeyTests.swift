import Foundation
import Martlet
import Testing

/// Records whose keys are stored in other ways than the types of the keys say.
@Suite struct RecordKeyTests {
  private struct TextKeyed: Codable, Identifiable, FetchableRecord, PersistableRecord, Equatable {
    static let databaseTableName = "keyed"
    var id: UUID
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
      .uppercaseString
    }
  }

  private struct DateKeyed: Codable, Identifiable, FetchableRecord, PersistableRecord, Equatable {
    static let databaseTableName = "keyed"
    var id: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      .timeIntervalSince1970
    }
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      .timeIntervalSince1970
    }
  }

  private struct DataKeyed: Codable, Identifiable, FetchableRecord, PersistableRecord, Equatable {
    static let databaseTableName = "keyed"
    var id: Data
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
      .text
    }
  }

  private func check<Keyed>(
    _ type: Keyed.Type, _ first: Keyed, _ second: Keyed, stored: String
  ) throws
  where
    Keyed: FetchableRecord & PersistableRecord & Identifiable & Equatable,
    Keyed.ID: DatabaseValueConvertible
  {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE keyed(id PRIMARY KEY NOT NULL)")
      try first.insert(db)
      try second.insert(db)
      #expect(try String.fetchOne(db, sql: "SELECT typeof(id) FROM keyed") == stored)
      #expect(try Keyed.fetchOne(db, id: first.id) == first)
      #expect(try Keyed.fetchOne(db, key: first.id) == first)
      #expect(try Keyed.fetchOne(db, key: Optional(first.id)) == first)
      #expect(try Keyed.find(db, id: second.id) == second)
      #expect(try Keyed.filter(id: first.id).fetchAll(db) == [first])
      #expect(try Keyed.filter(ids: [first.id, second.id]).fetchCount(db) == 2)
      #expect(try Keyed.fetchAll(db, keys: [first.id]) == [first])
      #expect(try Table<Keyed>("keyed").fetchOne(db, id: second.id) == second)
      #expect(try Keyed.exists(db, id: first.id))
      #expect(try Keyed.deleteOne(db, id: first.id))
      #expect(try Keyed.deleteAll(db, ids: [first.id, second.id]) == 1)
    }
  }

  @Test func `keys are looked for as records store them`() throws {
    try check(
      TextKeyed.self, TextKeyed(id: UUID()), TextKeyed(id: UUID()), stored: "text")
    try check(
      DateKeyed.self, DateKeyed(id: Date(timeIntervalSince1970: 1)),
      DateKeyed(id: Date(timeIntervalSince1970: 2)), stored: "real")
    try check(
      DataKeyed.self, DataKeyed(id: Data("a".utf8)), DataKeyed(id: Data("b".utf8)), stored: "text")
  }

  @Test func `a key that is nil is no row's`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE keyed(id PRIMARY KEY); INSERT INTO keyed VALUES (NULL)")
      #expect(try TextKeyed.fetchOne(db, key: UUID?.none) == nil)
      #expect(try TextKeyed.filter(key: UUID?.none).fetchCount(db) == 0)
    }
  }

  @Test func `columns around a unique key are a unique key`() throws {
    struct Player: TableRecord {}
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE)")
      try db.execute(sql: "INSERT INTO player VALUES (1, 'a', 'x')")
      #expect(try db.table("player", hasUniqueKey: ["id", "name"]))
      #expect(try db.table("player", hasUniqueKey: ["NAME", "EMAIL"]))
      #expect(try db.table("player", hasUniqueKey: ["rowid", "name"]))
      #expect(try !db.table("player", hasUniqueKey: ["name"]))
      #expect(try Player.exists(db, key: ["id": 1, "name": "a"]))
      #expect(try !Player.exists(db, key: ["id": 1, "name": "b"]))
      #expect(databaseError { try Player.exists(db, key: ["name": "a"]) } != nil)
    }
  }

  @Test func `a view has the key that somebody knows, or none`() throws {
    struct Source: DatabaseSchemaSource {
      func columnsForPrimaryKey(
        _ db: Database, inView view: DatabaseObjectID
      ) throws -> [String]? {
        ["id"]
      }
    }
    struct Captain: Codable, FetchableRecord, PersistableRecord {
      var id: Int
      var name: String
    }
    try inEmptyDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
          CREATE VIEW captain AS SELECT * FROM player;
          CREATE TRIGGER d INSTEAD OF DELETE ON captain
          BEGIN DELETE FROM player WHERE id = OLD.id; END;
          INSERT INTO player VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
          """)
      #expect(
        databaseError { try db.primaryKey("captain") }?.message
          == "database view captain has no primary key")
      #expect(try Captain.fetchAll(db).count == 4)
      #expect(try Captain.filter { _ in Column("id") == 1 }.fetchOne(db)?.name == "a")
      try db.withSchemaSource(Source()) { () throws in
        #expect(try db.primaryKey("captain").columns == ["id"])
        #expect(try Captain.deleteOne(db, key: 1))
        #expect(try !Captain.deleteOne(db, key: 1))
        #expect(try Captain.deleteAll(db, keys: [1, 2, 3]) == 2)
        #expect(try Captain.deleteAll(db) == 1)
      }
    }
  }

  @Test func `groups are deleted by their keys`() throws {
    struct Player: TableRecord {}
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, team INTEGER)")
      try db.execute(sql: "INSERT INTO player VALUES (1, 1), (2, 1), (3, 2)")
      #expect(databaseError { try Player.all().group(Column("team")).deleteAll(db) } != nil)
      let late = Player.filter(Column("id") > 2).group(-Column("id"))
      #expect(try late.deleteAll(db) == 1)
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM player") == [1, 2])
    }
  }

  @Test func `NULL is the key of no row, and no statement asks for it`() throws {
    struct Optional: TableRecord, Identifiable {
      static let databaseTableName = "player"
      var id: Int64?
    }
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)")
      let table = Table<Optional>("player")
      let texts = try executedSQL(db) { () throws in
        #expect(try !Optional.exists(db, id: nil) && !table.exists(db, id: nil))
        #expect(try !Optional.deleteOne(db, id: nil) && !table.deleteOne(db, id: nil))
        #expect(try !Optional.deleteOne(db, key: Int64?.none))
      }
      #expect(texts.isEmpty)
    }
  }
}
