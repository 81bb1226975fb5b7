import Dispatch
import Foundation
import Martlet
import Testing

/// What stops the program, as it does in GRDB: mistakes of the program, which no error can mend or
/// for which there is a throwing form too. Each runs in a process of its own.
@Suite struct StopTests {
  @Test func `an access within an access of the same connection`() async {
    await #expect(processExitsWith: .failure) {
      let queue = try DatabaseQueue()
      try queue.read { _ in try queue.read { _ in } }
    }
  }

  @Test func `an access that waits for its own end`() async throws {
    await #expect(processExitsWith: .failure) {
      let pool = try openPool()
      try pool.read { _ in try pool.close() }
    }
    await #expect(processExitsWith: .failure) {
      let pool = try openPool()
      pool.asyncRead { _ in try? pool.close() }
      sleep(20)
    }
    await #expect(processExitsWith: .failure) {
      let pool = try openPool()
      try pool.writeWithoutTransaction { _ in
        // It waits for the writer.
        pool.asyncBarrierWriteWithoutTransaction { _ in }
        try pool.close()
      }
    }
    await #expect(processExitsWith: .failure) {
      let pool = try openPool()
      try pool.writeWithoutTransaction { _ in
        pool.asyncBarrierWriteWithoutTransaction { _ in }
        try pool.barrierWriteWithoutTransaction { _ in }
      }
    }
    // Processes that were stopped leave their files.
    let folder = FileManager.default.temporaryDirectory
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasPrefix("martlet-stop-") {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }

  @Test func `a transaction that is open when its access ends`() async {
    await #expect(processExitsWith: .failure) {
      let queue = try DatabaseQueue()
      try queue.inDatabase { try $0.beginTransaction() }
    }
  }

  @Test func `a database outside its access`() async {
    await #expect(processExitsWith: .failure) {
      let queue = try DatabaseQueue()
      let db = queue.inDatabase { $0 }
      try db.execute(sql: "SELECT 1")
    }
  }

  @Test func `arguments that do not fit, set without try`() async {
    await #expect(processExitsWith: .failure) {
      try DatabaseQueue().inDatabase { db in
        let statement = try db.makeStatement(sql: "SELECT ?")
        statement.arguments = [1, 2]
      }
    }
  }

  @Test func `the sum of arguments that share a name`() async {
    await #expect(processExitsWith: .failure) {
      _ = (["a": 1] as StatementArguments) + ["a": 2]
    }
  }

  @Test func `an unsigned number beyond SQLite's integers`() async {
    await #expect(processExitsWith: .failure) { _ = UInt64.max.databaseValue }
  }

  @Test func `a subscript of a row with another type, NULL, or a missing column`() async {
    await #expect(processExitsWith: .failure) {
      let row: Row = ["name": "x"]
      _ = row["name"] as Int
    }
    await #expect(processExitsWith: .failure) {
      let row: Row = ["name": nil]
      _ = row["name"] as String
    }
    await #expect(processExitsWith: .failure) {
      let row: Row = ["name": nil]
      _ = row["missing"] as String
    }
  }

  @Test func `two migrations of one name`() async {
    await #expect(processExitsWith: .failure) {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("v1") { _ in }
      migrator.registerMigration("v1") { _ in }
    }
  }

  @Test func `a record whose coding has keys in keys`() async {
    struct Nested: Encodable, PersistableRecord {
      enum Keys: String, CodingKey { case outer, inner }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var nested = container.nestedContainer(keyedBy: Keys.self, forKey: .outer)
        try nested.encode(1, forKey: .inner)
      }
    }
    await #expect(processExitsWith: .failure) { _ = try Nested().databaseDictionary }
  }
}

/// A pool in a process that ends after ten seconds, and then as if nothing had stopped it.
private func openPool() throws -> DatabasePool {
  DispatchQueue.global().asyncAfter(deadline: .now() + 10) { exit(0) }
  let name = "martlet-stop-\(UUID().uuidString).sqlite"
  return try DatabasePool(path: FileManager.default.temporaryDirectory.path + "/" + name)
}
