import Martlet
import Testing

/// The statements that a migration is wrapped in.
@Suite struct MigrationSQLTests {
  private func statements(_ checks: DatabaseMigrator.ForeignKeyChecks) throws -> [String] {
    let texts = LockedList()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m", foreignKeyChecks: checks) { db in
      try db.execute(sql: "CREATE TABLE t(a)")
    }
    let queue = try emptyDatabase()
    queue.inDatabase { db in db.trace { texts.append($0.expandedDescription) } }
    try migrator.migrate(queue)
    let wrapping = ["BEGIN", "COMMIT", "CREATE", "INSERT", "PRAGMA foreign_keys ="]
    return texts.take().filter { text in wrapping.contains { text.hasPrefix($0) } }
  }

  @Test func `with deferred checks foreign keys are off while the migration runs`() throws {
    let found = try statements(.deferred)
    #expect(
      found == [
        "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "PRAGMA foreign_keys = OFF", "BEGIN IMMEDIATE TRANSACTION", "CREATE TABLE t(a)",
        "INSERT INTO grdb_migrations (identifier) VALUES ('m')",
        "COMMIT TRANSACTION", "PRAGMA foreign_keys = ON",
      ])
  }

  @Test func `immediate checks leave foreign keys as they are`() throws {
    let found = try statements(.immediate)
    #expect(
      found == [
        "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
        "BEGIN IMMEDIATE TRANSACTION", "CREATE TABLE t(a)",
        "INSERT INTO grdb_migrations (identifier) VALUES ('m')", "COMMIT TRANSACTION",
      ])
  }
}
