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
