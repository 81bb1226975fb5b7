import Martlet
import Testing

@Suite struct MigrationTests {
  private func migrator(_ count: Int = 3) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for number in 1...count {
      migrator.registerMigration("m\(number)") { try $0.execute(sql: "CREATE TABLE t\(number)(a)") }
    }
    return migrator
  }

  @Test func `each migration runs once, in order`() throws {
    let queue = try emptyDatabase()
    try migrator(2).migrate(queue)
    try queue.read { db throws in
      #expect(try migrator().appliedMigrations(db) == ["m1", "m2"])
      #expect(try migrator().completedMigrations(db) == ["m1", "m2"])
      #expect(try !migrator().hasCompletedMigrations(db))
      #expect(try migrator(1).hasBeenSuperseded(db) && !migrator().hasBeenSuperseded(db))
    }
    try migrator().migrate(queue)
    try migrator().migrate(queue)
    #expect(try queue.read { try migrator().hasCompletedMigrations($0) })
    #expect(try queue.read { try $0.tableExists("t3") })
  }

  @Test func `migrations run up to a target`() throws {
    let queue = try emptyDatabase()
    try migrator().migrate(queue, upTo: "m2")
    #expect(try queue.read { try !$0.tableExists("t3") })
    #expect(databaseError { try migrator().migrate(queue, upTo: "x") }?.message == #"undefined migration: "x""#)
    let beyond = databaseError { try migrator().migrate(queue, upTo: "m1") }
    #expect(beyond?.message == #"database is already migrated beyond migration "m1""#)
  }

  @Test func `a migration that fails leaves nothing, and those before it stay`() throws {
    let queue = try emptyDatabase()
    var failing = migrator(1)
    failing.registerMigration("bad") { try $0.execute(sql: "CREATE TABLE x(a); SELECT nothing") }
    #expect(error { try failing.migrate(queue) } != nil)
    #expect(try queue.read { try $0.tableExists("t1") && !$0.tableExists("x") })
    #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 1)
  }

  @Test func `foreign keys are checked when a migration has run`() throws {
    let queue = try emptyDatabase()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("m") { db in
      try db.execute(
        sql: """
          CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(p REFERENCES parent);
          INSERT INTO child VALUES (1); INSERT INTO parent VALUES (1)
          """)
    }
    try migrator.migrate(queue)
    migrator.registerMigration("bad") { try $0.execute(sql: "INSERT INTO child VALUES (2)") }
    #expect(
      databaseError { try migrator.migrate(queue) }?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    migrator = DatabaseMigrator()
    migrator.registerMigration("now", foreignKeyChecks: .immediate) { db in
      try db.execute(sql: "INSERT INTO child VALUES (3); INSERT INTO parent VALUES (3)")
    }
    #expect(databaseError { try migrator.migrate(queue) }?.message == "FOREIGN KEY constraint failed")
  }

  @Test func `a migration stands for older ones`() throws {
    let queue = try emptyDatabase()
    try migrator(2).migrate(queue)
    let applied = LockedList()
    var merged = DatabaseMigrator()
    merged.registerMigration("all", merging: ["m1", "m2", "m9"]) { _, identifiers in
      applied.append("\(identifiers.sorted())")
    }
    try merged.migrate(queue)
    #expect(applied.take() == ["[\"m1\", \"m2\"]"])
    #expect(try queue.read { try merged.appliedIdentifiers($0) } == ["all"])
  }

  @Test func `a database is emptied where its migrations have changed`() throws {
    let queue = try emptyDatabase()
    try migrator(2).migrate(queue)
    var changed = DatabaseMigrator()
    changed.registerMigration("m1") { try $0.execute(sql: "CREATE TABLE other(a)") }
    changed.registerMigration("m2") { _ in }
    #expect(try queue.read { try !migrator(2).hasSchemaChanges($0) })
    #expect(try queue.read { try changed.hasSchemaChanges($0) })
    changed.eraseDatabaseOnSchemaChange = true
    try changed.migrate(queue)
    #expect(try queue.read { try $0.tableExists("other") && !$0.tableExists("t1") })
  }
}
