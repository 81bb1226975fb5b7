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

  /// Runs the migration and notes that it was run, in one transaction: unless another connection
  /// has done so since the application has asked which ones were.
  ///
  /// It sees the plain schema: what a schema source says may change from version to version.
  func run(_ db: Database) throws {
    try db.withSchemaSource(nil) {
      let enforces = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
      guard enforces, checks != .immediate else {
        return try runInTransaction(db, checksAtEnd: false)
      }
      // Cannot be switched inside the transaction (pragma, foreign_keys).
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      do {
        try runInTransaction(db, checksAtEnd: checks == .deferred)
      } catch {
        // The first error is the one that counts.
        try? db.execute(sql: "PRAGMA foreign_keys = ON")
        throw error
      }
      try db.execute(sql: "PRAGMA foreign_keys = ON")
    }
  }

  private func runInTransaction(_ db: Database, checksAtEnd: Bool) throws {
    try db.inTransaction(.immediate) {
      // From here on nobody else writes.
      let applied = try db.appliedMigrationIdentifiers()
      if applied.contains(identifier) {
        db.clearSchemaCache()
        return .commit
      }
      try body(db, merged.intersection(applied))
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

extension Database {
  /// The identifiers of the migrations that the database has seen.
  func appliedMigrationIdentifiers() throws -> Set<String> {
    guard try tableExists("grdb_migrations") else { return [] }
    return try String.fetchSet(self, sql: "SELECT identifier FROM grdb_migrations")
  }
}
