import Martlet
import Testing

private final class Log {
  var events: [String] = []
  func take() -> [String] {
    defer { events = [] }
    return events
  }
}

private struct Watched: MutablePersistableRecord {
  static let databaseTableName = "t"
  var id: Int64?
  let log: Log
  var swallows = false

  func encode(to container: inout PersistenceContainer) { container["id"] = id }
  mutating func willInsert(_ db: Database) { log.events.append("willInsert") }
  func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    log.events.append("insert {")
    if swallows { _ = try? insert() } else { _ = try insert() }
    log.events.append("}")
  }
  mutating func didInsert(_ inserted: InsertionSuccess) {
    id = inserted.rowID
    log.events.append("didInsert \(inserted.rowID) \(inserted.rowIDColumn ?? "-")")
  }
  func willUpdate(_ db: Database, columns: Set<String>) { log.events.append("willUpdate \(columns)") }
  func aroundUpdate(
    _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
  ) throws {
    log.events.append("update {")
    _ = try update()
    log.events.append("}")
  }
  func didUpdate(_ updated: PersistenceSuccess) { log.events.append("didUpdate") }
  func willSave(_ db: Database) { log.events.append("willSave") }
  func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
    log.events.append("save {")
    _ = try save()
    log.events.append("}")
  }
  func didSave(_ saved: PersistenceSuccess) { log.events.append("didSave") }
  func willDelete(_ db: Database) { log.events.append("willDelete") }
  func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
    log.events.append("delete {")
    _ = try delete()
    log.events.append("}")
  }
  func didDelete(deleted: Bool) { log.events.append("didDelete \(deleted)") }
}

private final class Thing: PersistableRecord {
  static let databaseTableName = "t"
  var id: Int64?
  func encode(to container: inout PersistenceContainer) { container["id"] = id }
  func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

@Suite struct CallbackTests {
  @Test func `callbacks run in their order`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
      let log = Log()
      var record = Watched(log: log)
      let insertion = ["willInsert", "insert {", "}", "didInsert 1 id"]
      try record.insert(db)
      #expect(log.take() == ["willSave", "save {"] + insertion + ["}", "didSave"])
      let update = ["willUpdate [\"id\"]", "update {", "}", "didUpdate"]
      try record.update(db)
      #expect(log.take() == ["willSave", "save {"] + update + ["}", "didSave"])
      try record.save(db)
      #expect(log.take() == ["willSave", "save {"] + update + ["}", "didSave"])
      #expect(try record.delete(db))
      #expect(log.take() == ["willDelete", "delete {", "}", "didDelete true"])
      try record.save(db)
      #expect(
        log.take() == ["willSave", "save {", "willUpdate [\"id\"]", "update {"] + insertion
          + ["}", "didSave"])
      try record.upsert(db)
      #expect(log.take() == ["willSave", "save {"] + insertion + ["}", "didSave"])
    }
  }

  @Test func `a callback that swallows the error is misuse`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
      var record = Watched(id: 1, log: Log(), swallows: true)
      let failure = databaseError { try record.insert(db) }
      #expect(failure?.resultCode == .SQLITE_MISUSE)
    }
  }

  @Test func `classes are inserted as they are`() throws {
    try inEmptyDatabase { db throws in
      try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
      let thing = Thing()
      try thing.insert(db)
      #expect(thing.id == 1)
      try thing.save(db)
      try thing.upsert(db)
      #expect(try thing.exists(db))
    }
  }
}
