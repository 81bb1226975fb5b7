/// A step that every database takes once.
struct Migration: Sendable {
  enum Checks: Sendable {
    case deferred, immediate, none
  }

  let identifier: String
  /// The earlier migrations that it has taken the place of.
  let merged: Set<String>
  let checks: Checks
  let body: @Sendable (Database, Set<String>) throws -> Void

  /// Runs the migration and notes that it was run, in one transaction.
  ///
  /// It sees the plain schema: what a schema source says may change from version to version.
  func run(_ db: Database, _ applied: Set<String>) throws {
    try db.withSchemaSource(nil) {
      let enforces = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
      guard enforces, checks != .immediate else {
        return try runInTransaction(db, applied, checksAtEnd: false)
      }
      // Cannot be switched inside the transaction (pragma, foreign_keys).
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      do {
        try runInTransaction(db, applied, checksAtEnd: checks == .deferred)
      } catch {
        // The first error is the one that counts.
        try? db.execute(sql: "PRAGMA foreign_keys = ON")
        throw error
      }
      try db.execute(sql: "PRAGMA foreign_keys = ON")
    }
  }

  private func runInTransaction(
    _ db: Database, _ applied: Set<String>, checksAtEnd: Bool
  ) throws {
    try db.inTransaction(.immediate) {
      try body(db, applied)
      try forgetMerged(db)
      try db.execute(
        sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [identifier])
      if checksAtEnd { try db.checkForeignKeys() }
      return .commit
    }
  }

  /// Removes the identifiers of the migrations that this one has taken the place of.
  func forgetMerged(_ db: Database) throws {
    guard !merged.isEmpty else { return }
    try db.execute(
      literal: "DELETE FROM grdb_migrations WHERE identifier IN \(merged.sorted())")
  }
}
