import Foundation
import Martlet
import Testing

@Suite struct DatabaseMigratorTests {
  private let queue: DatabaseQueue

  init() throws { queue = try DatabaseQueue() }

  private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("persons") { db in
      try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)")
    }
    migrator.registerMigration("pets") { db in
      try db.execute(
        sql: "CREATE TABLE pet(id INTEGER PRIMARY KEY, masterId INTEGER REFERENCES person(id))")
    }
    return migrator
  }

  private func applied(_ migrator: DatabaseMigrator) throws -> [String] {
    try queue.read { try migrator.appliedMigrations($0) }
  }

  @Test func `each migration runs once, in order`() throws {
    #expect(try queue.read { try migrator.appliedIdentifiers($0) }.isEmpty)
    try migrator.migrate(queue, upTo: "persons")
    #expect(try applied(migrator) == ["persons"])
    #expect(try queue.read { try $0.tableExists("person") && !$0.tableExists("pet") })
    #expect(try queue.read { try !migrator.hasCompletedMigrations($0) })
    try migrator.migrate(queue)
    try migrator.migrate(queue)
    #expect(try applied(migrator) == ["persons", "pets"])
    #expect(try queue.read { try migrator.hasCompletedMigrations($0) })
    #expect(migrator.migrations == ["persons", "pets"])
    let sql = try queue.read { db throws in
      try String.fetchOne(db, sql: "SELECT sql FROM sqlite_master WHERE name = 'grdb_migrations'")
    }
    #expect(sql == "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
  }

  @Test func `a migration that fails is taken back, and those before it stay`() throws {
    var migrator = migrator
    migrator.registerMigration("broken") { db in
      try db.execute(sql: "INSERT INTO person(name) VALUES('Arthur')")
      try db.execute(sql: "CREATE TABLE person(a)")
    }
    migrator.registerMigration("never") { _ in Issue.record("ran after a failure") }
    #expect(throws: DatabaseError.self) { try migrator.migrate(queue) }
    #expect(try applied(migrator) == ["persons", "pets"])
    try queue.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM person") == 0)
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true)
    }
  }

  @Test func `deferred checks find what a migration has broken`() throws {
    var migrator = migrator
    migrator.registerMigration("rebuild") { db in
      try db.execute(
        sql: """
          INSERT INTO person VALUES(1, 'Arthur');
          INSERT INTO pet VALUES(1, 1);
          DROP TABLE person;
          CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
          INSERT INTO person VALUES(1, 'Arthur');
          """)
    }
    try migrator.migrate(queue)
    migrator.registerMigration("orphan") { try $0.execute(sql: "DELETE FROM person") }
    #expect {
      try migrator.migrate(queue)
    } throws: { error in
      (error as? DatabaseError)?.message
        == "FOREIGN KEY constraint violation - from pet(masterId) to person(id), "
        + "in [id:1 masterId:1]"
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM person") } == 1)
  }

  @Test func `immediate checks are those of every transaction, and checks can be left out`() throws {
    try migrator.migrate(queue)
    try queue.write {
      try $0.execute(sql: "INSERT INTO person VALUES(1, 'a'); INSERT INTO pet VALUES(1, 1)")
    }
    var immediate = migrator
    immediate.registerMigration("orphan", foreignKeyChecks: .immediate) { db in
      #expect {
        try db.execute(sql: "DELETE FROM person")
      } throws: {
        ($0 as? DatabaseError)?.message == "FOREIGN KEY constraint failed"
      }
    }
    try immediate.migrate(queue)
    var unchecked = immediate.disablingDeferredForeignKeyChecks()
    unchecked.registerMigration("unchecked") { try $0.execute(sql: "DELETE FROM person") }
    try unchecked.migrate(queue)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM pet") } == 1)
  }

  @Test func `a migration may take the place of earlier ones`() throws {
    try migrator.migrate(queue, upTo: "persons")
    var merged = DatabaseMigrator()
    merged.registerMigration("all", merging: ["persons", "pets"]) { db, applied in
      #expect(applied == ["persons"])
      if !applied.contains("persons") { try db.execute(sql: "CREATE TABLE person(id)") }
      try db.execute(sql: "CREATE TABLE pet(id)")
    }
    try merged.migrate(queue)
    #expect(try queue.read { try merged.appliedIdentifiers($0) } == ["all"])
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES('pets')") }
    try merged.migrate(queue)
    #expect(try queue.read { try merged.appliedIdentifiers($0) } == ["all"])
  }

  @Test func `unknown migrations show that a newer program has used the database`() throws {
    try migrator.migrate(queue)
    var older = DatabaseMigrator()
    older.registerMigration("persons") { _ in }
    #expect(try queue.read { try older.hasBeenSuperseded($0) })
    #expect(try queue.read { try !migrator.hasBeenSuperseded($0) })
    for (target, message) in [
      ("persons", #"database is already migrated beyond migration "persons""#),
      ("nowhere", #"undefined migration: "nowhere""#),
    ] {
      #expect(databaseError { try migrator.migrate(queue, upTo: target) }?.message == message)
    }
    try migrator.migrate(queue, upTo: "pets")
  }

  @Test func `gaps end the completed migrations`() throws {
    try migrator.migrate(queue)
    try queue.write { try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'persons'") }
    #expect(try queue.read { try migrator.completedMigrations($0) }.isEmpty)
    #expect(try applied(migrator) == ["pets"])
  }

  @Test func `a database whose schema has changed can be erased and begun again`() throws {
    try migrator.migrate(queue)
    try queue.write { try $0.execute(sql: "INSERT INTO person(name) VALUES('Arthur')") }
    #expect(try queue.read { try !migrator.hasSchemaChanges($0) })
    var changed = DatabaseMigrator()
    changed.eraseDatabaseOnSchemaChange = true
    changed.registerMigration("persons") { db in
      try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
    }
    changed.registerMigration("pets") { db in
      try db.execute(
        sql: "CREATE TABLE pet(id INTEGER PRIMARY KEY, masterId INTEGER REFERENCES person(id))")
    }
    #expect(try queue.read { try changed.hasSchemaChanges($0) })
    try changed.migrate(queue)
    try queue.read { db throws in
      #expect(try db.columns(in: "person").map(\.name) == ["id", "name", "score"])
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM person") == 0)
    }
    try queue.write { try $0.execute(sql: "INSERT INTO person(name) VALUES('Arthur')") }
    try changed.migrate(queue)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM person") } == 1)
  }

  @Test func `migrations can run later`() async throws {
    let migrator = migrator, queue = queue
    let identifiers = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<[String], any Error>) in
      migrator.asyncMigrate(queue) { access in
        continuation.resume(with: Result { try migrator.appliedMigrations(access.get()) })
      }
    }
    #expect(identifiers == ["persons", "pets"])
  }

  @Test(arguments: [false, true], [DatabaseMigrator.ForeignKeyChecks.deferred, .immediate])
  func `migrations run once where several connections migrate one database`(
    isPool: Bool, checks: DatabaseMigrator.ForeignKeyChecks
  ) throws {
    try withTemporaryPath { path throws in
      var configuration = Configuration()
      configuration.busyMode = .timeout(30)
      func open() throws -> any DatabaseWriter {
        isPool
          ? try DatabasePool(path: path, configuration: configuration)
          : try DatabaseQueue(path: path, configuration: configuration)
      }
      let writers = [try open(), try open(), try open()]
      var old = DatabaseMigrator()
      old.registerMigration("old") { try $0.execute(sql: "CREATE TABLE old (a)") }
      // All know the table of identifiers, and do not wait to create it.
      for writer in writers { try old.migrate(writer) }
      let isFirst = DispatchSemaphore(value: 0), log = LockedList()
      var migrator = DatabaseMigrator()
      migrator.registerMigration("one", foreignKeyChecks: checks, merging: ["old"]) { db, merged in
        log.append("one, \(merged)")
        isFirst.signal()
        // The others ask which migrations were run, and wait for this one.
        Thread.sleep(forTimeInterval: 0.2)
        try db.execute(sql: "CREATE TABLE one (a)")
      }
      migrator.registerMigration("two", foreignKeyChecks: checks) { db in
        log.append("two")
        try db.execute(sql: "CREATE TABLE two (a)")
      }
      let finished = migrator, isDone = DispatchSemaphore(value: 0)
      for number in 1...2 {
        // Threads of their own: those of the global queue are busy with tests.
        Thread.detachNewThread {
          isFirst.wait()
          isFirst.signal()
          do { try finished.migrate(writers[number]) } catch { log.append("\(error)") }
          isDone.signal()
        }
      }
      try finished.migrate(writers[0])
      isDone.wait()
      isDone.wait()
      #expect(log.take() == ["one, [\"old\"]", "two"])
      for writer in writers {
        #expect(try writer.read { try finished.appliedIdentifiers($0) } == ["one", "two"])
        #expect(try writer.read { try $0.columns(in: "one").count } == 1)
      }
    }
  }

  @Test func `schemas are compared while the database holds the queue of writers`() throws {
    var configuration = Configuration()
    configuration.writeTargetQueue = DispatchQueue(label: "writers")
    let queue = try DatabaseQueue(configuration: configuration)
    try migrator.migrate(queue)
    #expect(try queue.read { try !migrator.hasSchemaChanges($0) })
  }
}
