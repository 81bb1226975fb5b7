import Martlet
import Testing

/// The code of the article "JSON".
@Suite struct JSONExamples {
  struct Address: Codable, Equatable, DatabaseValueConvertible {
    var city: String
    var country: String
  }

  struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var address: Address
    var tags: [String]

    enum Columns {
      static let id = Column("id")
      static let name = Column("name")
      static let address = JSONColumn("address")
      static let tags = JSONColumn("tags")
    }
  }

  @Test func `columns contain JSON`() throws {
    try inEmptyDatabase { db throws in
      try db.create(table: "player") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text).notNull()
        t.column("address", .jsonText).notNull()
        t.column("tags", .jsonText).notNull()
      }
      try db.create(
        index: "player_on_country", on: "player", expressions: [JSONColumn("address")["country"]])

      let berlin = Address(city: "Berlin", country: "DE")
      try Player(id: 1, name: "Anna", address: berlin, tags: ["new", "fast"]).insert(db)

      let germans = try Player.filter { $0.address["country"] == "DE" }.fetchAll(db)
      let berliners = try Player.filter { $0.address == berlin }.fetchAll(db)
      #expect(germans.count == 1 && berliners.count == 1)

      let second = try Player.select { $0.tags["$[1]"] }.asRequest(of: String.self).fetchOne(db)
      #expect(second == "fast")

      let summary = try String.fetchOne(
        db,
        Player.select {
          Database.jsonObject(["tags": $0.tags])
        })
      #expect(summary == #"{"tags":["new","fast"]}"#)

      try Player.updateAll(db) {
        $0.address.set(to: Database.jsonSet($0.address, ["$.city": "Hamburg"]))
      }
      #expect(try Player.fetchOne(db)?.address.city == "Hamburg")

      let player = TableAlias<Player>(name: "player")
      let newcomers = try Player.aliased(player)
        .filter(Database.jsonEach(player.tags).filter { $0.value == "new" }.exists())
        .fetchAll(db)
      #expect(newcomers.count == 1)
    }
  }
}
