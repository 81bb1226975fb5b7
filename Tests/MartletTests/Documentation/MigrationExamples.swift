import Martlet
import Testing

/// The code of the article "Migrations".
@Suite struct MigrationExamples {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("players") { db in
      try db.create(table: "team") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
      }
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.belongsTo("team", onDelete: .cascade)
      }
    }
    migrator.registerMigration("scores") { db in
      try db.alter(table: "player") { t in
        t.add(column: "score", .integer).notNull().defaults(to: 0)
      }
    }
    return migrator
  }

  @Test func `a database is brought up to date`() throws {
    let dbQueue = try DatabaseQueue()
    let migrator = Self.migrator
    try migrator.migrate(dbQueue)
    let isUpToDate = try dbQueue.read { db in
      try migrator.hasCompletedMigrations(db)
    }
    #expect(isUpToDate)
    let isTooNew = try dbQueue.read { db in
      try migrator.hasBeenSuperseded(db)
    }
    #expect(!isTooNew)
  }

  @Test func `a table is built anew`() throws {
    let dbQueue = try DatabaseQueue()
    var migrator = Self.migrator
    migrator.registerMigration("names are unique") { db in
      try db.create(table: "newPlayer") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
        t.belongsTo("team", onDelete: .cascade)
        t.column("score", .integer).notNull().defaults(to: 0)
      }
      try db.execute(sql: "INSERT INTO newPlayer SELECT id, name, teamId, score FROM player")
      try db.drop(table: "player")
      try db.rename(table: "newPlayer", to: "player")
    }
    try migrator.migrate(dbQueue)
    #expect(try dbQueue.read { try $0.table("player", hasUniqueKey: ["name"]) })
  }
}
