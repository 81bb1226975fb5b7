import Foundation
import MartletTyped
import Testing

/// A file that is removed at the end of a test.
final class TemporaryFile {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("martlet-typed-\(UUID().uuidString)").path

  deinit {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}

@Suite struct ConnectionTests {
  @Test func `databases are opened in memory, in files and by URIs`() throws {
    #expect(try Connection().description == "")
    #expect(try Connection(.temporary).scalar("SELECT 1") as? Int64 == 1)
    #expect(try Connection(.inMemory).readonly == false)
    let file = TemporaryFile()
    let db = try Connection(file.path)
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    #expect(db.description == file.path)
    let again = try Connection(.uri(file.path, parameters: [.mode(.readOnly), .cache(.private)]))
    #expect(try again.scalar("SELECT a FROM t") as? Int64 == 1)
    #expect(again.readonly)
    let readonly = try Connection(file.path, readonly: true)
    #expect(throws: Result.self) { try readonly.run("INSERT INTO t VALUES (2)") }
    #expect(throws: Result.self) { try Connection("/nowhere/at/all", readonly: true) }
  }

  @Test func `parameters of URIs are escaped`() {
    let location = Connection.Location.uri(
      "a?b#c.db",
      parameters: [
        .immutable(true), .noLock(false), .powerSafeOverwrite(true), .vfs("a&b"), .modeOf("x y"),
        .cache(.shared), .mode(.readWriteCreate),
      ])
    #expect(
      location.description
        == "file:a%3Fb%23c.db?immutable=1&nolock=0&psow=1&vfs=a%26b&modeof=x%20y"
        + "&cache=shared&mode=rwc"
    )
    #expect(
      Connection.Location.uri("file:x?a=b", parameters: [.mode(.memory)]).description
        == "file:x?a=b&mode=memory")
  }

  @Test func `a file whose name needs escapes is that file`() throws {
    let file = TemporaryFile(), path = file.path + "-?#%25 é"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Connection(.uri(path, parameters: [.mode(.readWriteCreate)])).execute("CREATE TABLE t (a)")
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `a closed connection throws`() throws {
    let db = try Connection()
    let statement = try db.prepare("SELECT 1")
    #expect(throws: Result.self) { try db.close() }
    _ = consume statement
    try db.run("CREATE TABLE t (a)")
    try db.run(Table("t").insert())
    try db.close()
    #expect(throws: Result.self) { try db.run("SELECT 1") }
    #expect(throws: Result.self) { try db.pluck(Table("t")) }
  }

  @Test func `changes are counted`() throws {
    let world = try UsersDatabase(), db = world.db
    #expect(try world.insert("alice") == 1)
    #expect(db.lastInsertRowid == 1 && db.changes == 1)
    try world.insert("betty")
    try db.run(world.users.delete())
    #expect(db.changes == 2 && db.totalChanges == 4)
  }

  @Test func `a transaction is committed, or rolled back by an error`() throws {
    let world = try UsersDatabase(), db = world.db
    struct Stop: Error {}
    for mode in [Connection.TransactionMode.deferred, .immediate, .exclusive] {
      #expect(throws: Stop.self) {
        try db.transaction(mode) {
          try world.insert("alice")
          throw Stop()
        }
      }
    }
    #expect(try db.scalar(world.users.count) == 0)
    let rowid = try db.transaction { try world.insert("alice") }
    #expect(rowid == 1)
    #expect(throws: Result.self) { try db.transaction { try db.transaction {} } }
    #expect(try db.scalar(world.users.count) == 1)
  }

  @Test func `a savepoint leaves nothing behind, whatever its name`() throws {
    let world = try UsersDatabase(), db = world.db
    struct Stop: Error {}
    let log = LogOfStatements()
    db.trace(log.add)
    for name in ["a", "it's; \"x\"", nil] {
      try? db.savepoint(name) {
        try world.insert("alice")
        try db.savepoint { try world.insert("betty") }
        throw Stop()
      }
    }
    #expect(try db.scalar(world.users.count) == 0)
    try db.savepoint("1") {
      try world.insert("alice")
      #expect(throws: Stop.self) {
        try db.savepoint("1") {
          try world.insert("betty")
          throw Stop()
        }
      }
    }
    #expect(try db.scalar(world.users.count) == 1)
    // Nothing is open any more: a transaction can begin.
    try db.transaction {}
    #expect(log.statements.contains("SAVEPOINT \"it's; \"\"x\"\"\""))
  }

  @Test func `a transaction keeps other threads out`() async throws {
    let world = try UsersDatabase(), db = world.db
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for turn in 0..<25 {
            try? db.transaction {
              let before = try db.scalar(world.users.count)
              try world.insert("user\(task)-\(turn)")
              #expect(try db.scalar(world.users.count) == before + 1)
            }
          }
        }
      }
    }
    #expect(try db.scalar(world.users.count) == 200)
  }

  @Test func `hooks are told of changes`() throws {
    let world = try UsersDatabase(), db = world.db
    struct Stop: Error {}
    var updates: [String] = [], commits = 0, rollbacks = 0, refuses = false
    db.updateHook { operation, database, table, rowid in
      updates.append("\(operation) \(database) \(table) \(rowid)")
    }
    db.commitHook {
      commits += 1
      if refuses { throw Stop() }
    }
    db.rollbackHook { rollbacks += 1 }
    try world.insert("alice")
    try db.run(world.users.filter(world.id == 1).update(world.age <- 5))
    try db.run(world.users.filter(world.id == 1).delete())
    #expect(updates == ["insert main users 1", "update main users 1", "delete main users 1"])
    #expect(commits == 3)
    refuses = true
    #expect(throws: Result.self) { try world.insert("betty") }
    #expect(rollbacks == 1)
    db.updateHook(nil)
    db.commitHook(nil)
    db.rollbackHook(nil)
    try world.insert("cathy")
    #expect(updates.count == 4 && commits == 4)
  }

  @Test func `statements are traced with their values`() throws {
    let world = try UsersDatabase(), log = LogOfStatements()
    world.db.trace(log.add)
    try world.insert("alice", age: 3)
    world.db.trace(nil)
    try world.insert("betty")
    #expect(
      log.statements == [
        "INSERT INTO \"users\" (\"email\", \"age\", \"admin\") VALUES ('alice@example.com', 3, 0)"
      ])
  }

  @Test func `locks of others are waited for, or not`() throws {
    let file = TemporaryFile()
    let one = try Connection(file.path), other = try Connection(file.path)
    try one.execute("CREATE TABLE t (a); BEGIN EXCLUSIVE")
    var tries = 0
    other.busyHandler { attempt in
      tries = attempt
      return attempt < 2
    }
    #expect(throws: Result.self) { try other.run("INSERT INTO t VALUES (1)") }
    #expect(tries == 2)
    other.busyTimeout = 0.05
    #expect(other.busyTimeout == 0.05)
    do {
      try other.run("INSERT INTO t VALUES (1)")
      Issue.record("no error")
    } catch Result.error(let message, let code, _) {
      #expect(message == "database is locked" && code == 5)
    }
  }

  @Test func `extended codes are given where they are asked for`() throws {
    let world = try UsersDatabase()
    try world.insert("alice")
    do {
      try world.insert("alice")
      Issue.record("no error")
    } catch let Result.error(message, code, statement) where code == SQLITE_CONSTRAINT {
      #expect(message == "UNIQUE constraint failed: users.email")
      #expect(statement?.description.hasPrefix("INSERT INTO \"users\"") == true)
    }
    world.db.usesExtendedErrorCodes = true
    do {
      try world.insert("alice")
      Issue.record("no error")
    } catch let error as Result {
      guard case .extendedError(_, let code, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(code == 2067)
      #expect(error.description.hasSuffix("(extended code: 2067)"))
    }
  }

  @Test func `another database is attached`() throws {
    let file = TemporaryFile(), world = try UsersDatabase(), db = world.db
    let name = "it's \"other\"", table = Table("t", database: name), a = Expression<Int>("a")
    try db.attach(.uri(file.path), as: name)
    try db.run(table.create { $0.column(a) })
    try db.run(table.createIndex(a))
    try db.run(table.insert(a <- 7))
    #expect(try db.pluck(table.filter(table[a] == 7))?.get(a) == 7)
    try db.detach(name)
    #expect(throws: Result.self) { try db.pluck(table) }
    try db.attach(.inMemory, as: "memory")
    try db.detach("memory")
  }

  @Test func `a database is copied page by page`() throws {
    let world = try UsersDatabase(), target = try Connection()
    for index in 0..<200 { try world.insert("user\(index)") }
    let backup = try world.db.backup(usingConnection: target)
    try backup.step(pagesToCopy: .limited(number: 1))
    #expect(backup.pageCount > 1 && backup.remainingPages == backup.pageCount - 1)
    try backup.step()
    backup.finish()
    #expect(backup.remainingPages == 0)
    #expect(try target.scalar(world.users.count) == 200)
    #expect(throws: Result.self) {
      try world.db.backup(databaseName: .attached(name: "no"), usingConnection: target)
    }
  }

  @Test func `pragmas are properties`() throws {
    let file = TemporaryFile(), db = try Connection(file.path, journalMode: .wal)
    #expect(db.journalMode == .wal)
    #expect(db.userVersion == 0)
    db.userVersion = 7
    #expect(db.userVersion == 7)
    #expect(db.sqliteVersion >= SQLiteVersion(major: 3, minor: 50))
    #expect(!db.foreignKeys)
    db.foreignKeys = true
    #expect(db.foreignKeys && !db.defer_foreign_keys)
    db.synchronous = .normal
    #expect(db.synchronous == .normal)
    db.walAutoCheckpoint = 10
    #expect(db.walAutoCheckpoint == 10)
    try db.execute("CREATE TABLE t (a)")
    #expect(try db.walCheckpoint(mode: .truncate, schema: "main").isBusy == false)
    #expect(try db.integrityCheck() == [])
    try db.setJournalMode(.delete)
    #expect(db.journalMode == .delete)
    try db.enableWAL()
    #expect(throws: Result.self) { try Connection().setJournalMode(.wal) }
    try db.vacuum()
  }

  @Test func `broken foreign keys are found`() throws {
    let db = try Connection()
    try db.execute(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY);
      CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a);
      INSERT INTO b VALUES (1, 5);
      """)
    let errors = try db.foreignKeyCheck()
    #expect(errors.map(\.description) == ["b [1] => a"])
    #expect(try db.foreignKeyCheck(table: "a").isEmpty)
  }

  @Test func `interrupting ends what runs`() async throws {
    let db = try Connection()
    // It comes from inside of the statement, so that it never comes too early.
    db.createFunction("stop", argumentCount: 1) { _ in
      db.interrupt()
      return nil
    }
    do {
      _ = try db.scalar(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
          + "SELECT count(stop(i)) FROM n")
      Issue.record("no error")
    } catch Result.error(_, let code, _) {
      #expect(code == 9)
    }
  }
}

/// What was traced.
final class LogOfStatements {
  private(set) var statements: [String] = []
  func add(_ statement: String) { statements.append(statement) }
}
