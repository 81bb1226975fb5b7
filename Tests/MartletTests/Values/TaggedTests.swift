import Martlet
import Tagged
import Testing

// An application adds `@retroactive` to each, as the library is another package then.
extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: StatementColumnConvertible
where RawValue: StatementColumnConvertible {}
extension Tagged: DatabaseValueConvertible
where RawValue: DatabaseValueConvertible {}

private struct Player: Identifiable, Codable, Equatable, FetchableRecord, PersistableRecord {
  typealias ID = Tagged<Player, String>
  var id: ID
  var name: String
  var score: Int
}

/// The recipe of the document "DatabaseValueConvertible" for the Tagged library.
@Suite struct TaggedTests {
  @Test func `a tagged id is stored as its raw value, and records are found by it`() throws {
    try inEmptyDatabase { db in
      try db.execute(sql: "CREATE TABLE player(id TEXT PRIMARY KEY, name, score)")
      let player = Player(id: "arthur", name: "Arthur", score: 1)
      try player.insert(db)
      let id: Player.ID = "arthur"
      #expect(try Player.find(db, id: id) == player)
      #expect(try Player.filter(id: id).fetchCount(db) == 1)
      #expect(try Player.filter(Column("id") == id).fetchOne(db) == player)
      #expect(try Player.ID.fetchAll(db, sql: "SELECT id FROM player") == [id])
      #expect(try String.fetchOne(db, sql: "SELECT ?", arguments: [id]) == "arthur")
      #expect(error { try Player.find(db, id: "nobody") } is RecordError)
      try db.execute(literal: "DELETE FROM player WHERE id = \(id)")
      #expect(try Player.fetchCount(db) == 0)
    }
  }
}
