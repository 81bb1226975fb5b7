import Foundation

/// Brings databases to the present schema of an application, step by step.
///
/// ```swift
/// var migrator = DatabaseMigrator()
/// migrator.registerMigration("createPlayer") { db in
///   try db.create(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
///   }
/// }
/// try migrator.migrate(dbQueue)
/// ```
///
/// Each migration runs once in the life of a database, in a transaction of its own; which have run is
/// noted in the table `grdb_migrations`.
public struct DatabaseMigrator: Sendable {
  /// When a migration's foreign keys are checked.
  public enum ForeignKeyChecks: Sendable {
    /// When it has run: in between, tables can be made anew.
    case deferred
    /// At each statement.
    case immediate
  }

  struct Migration: Sendable {
    let identifier: String
    let checks: ForeignKeyChecks
    let merged: Set<String>
    let run: @Sendable (Database, Set<String>) throws -> Void
  }

  /// A database whose migrations would make another schema now is emptied and migrated from the
  /// start. For development only.
  public var eraseDatabaseOnSchemaChange = false

  private var registered: [Migration] = []
  private var checksDeferredKeys = true

  /// A migrator without migrations.
  public init() {}

  /// A migrator that does not look for broken foreign keys when a migration has run: faster, and
  /// dangerous.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.checksDeferredKeys = false
    return migrator
  }

  /// Adds a migration. Two of one name stop the program.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(Migration(identifier: identifier, checks: foreignKeyChecks, merged: []) { db, _ in
      try migrate(db)
    })
  }

  /// Adds a migration that stands for several older ones.
  ///
  /// - Parameter migrate: Is told which of the older ones have run.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    merging mergedIdentifiers: Set<String>,
    migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
  ) {
    register(
      Migration(
        identifier: identifier, checks: foreignKeyChecks, merged: mergedIdentifiers, run: migrate))
  }

  private mutating func register(_ migration: Migration) {
    precondition(
      !migrations.contains(migration.identifier),
      "already registered migration: \(migration.identifier)")
    registered.append(migration)
  }

  // MARK: State

  /// The names of the migrations, in their order.
  public var migrations: [String] { registered.map { $0.identifier } }

  /// The names of the migrator's migrations that have run, in their order.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return migrations.filter { applied.contains($0) }
  }

  /// The names of all migrations that have run, also of those that the migrator does not know.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    guard try db.tableExists("grdb_migrations", in: "main") else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM main.grdb_migrations")
  }

  /// The names of the migrations that have run, up to the first that has not.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return Array(migrations.prefix { applied.contains($0) })
  }

  /// Whether all migrations have run.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    try completedMigrations(db).last == migrations.last
  }

  /// Whether migrations have run that the migrator does not know: the database is of a later version
  /// of the application.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    let known = registered.reduce(into: Set(migrations)) { $0.formUnion($1.merged) }
    return try !appliedIdentifiers(db).isSubset(of: known)
  }

  /// Whether the migrations that have run would make another schema now.
  public func hasSchemaChanges(_ db: Database) throws -> Bool {
    let applied = try appliedIdentifiers(db)
    guard let last = registered.last(where: { applied.contains($0.identifier) }) else {
      return !applied.isEmpty
    }
    if try hasBeenSuperseded(db) { return true }
    var configuration = db.configuration
    configuration.readonly = false
    configuration.label = "DatabaseMigrator.temporary"
    let fresh = try DatabaseQueue(path: "", configuration: configuration)
    var migrator = self
    migrator.eraseDatabaseOnSchemaChange = false
    try migrator.migrate(fresh, upTo: last.identifier)
    let expected = try fresh.read { try $0.userSchema() }
    return try expected != db.userSchema()
  }

  // MARK: Migration

  /// Runs all migrations that have not run.
  public func migrate(_ writer: any DatabaseWriter) throws {
    guard let last = migrations.last else { return }
    try migrate(writer, upTo: last)
  }

  /// Runs the migrations that have not run, up to a certain one.
  ///
  /// - Throws: `SQLITE_MISUSE` if there is no such migration, or if a later one has run; and what
  ///   migrations throw. Those that ran before stay.
  public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
  }

  /// Runs all migrations that have not run, some time later.
  public func asyncMigrate(
    _ writer: any DatabaseWriter,
    completion: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.asyncBarrierWriteWithoutTransaction { result in
      completion(
        Result {
          let db = try result.get()
          if let last = migrations.last { try migrate(db, upTo: last) }
          return db
        })
    }
  }

  private func migrate(_ db: Database, upTo target: String) throws {
    if eraseDatabaseOnSchemaChange, try hasSchemaChanges(db) { try db.erase() }
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    let applied = try appliedIdentifiers(db)
    guard let end = registered.firstIndex(where: { $0.identifier == target }) else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "undefined migration: \(target)")
    }
    if registered[(end + 1)...].contains(where: { applied.contains($0.identifier) }) {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "database is already migrated beyond \(target)")
    }
    for migration in registered[...end] where !applied.contains(migration.identifier) {
      try run(migration, on: db, applied: applied)
    }
  }

  private func run(_ migration: Migration, on db: Database, applied: Set<String>) throws {
    let enforcesKeys = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") ?? false
    let isDeferred = enforcesKeys && migration.checks == .deferred
    if isDeferred { try db.execute(sql: "PRAGMA foreign_keys = OFF") }
    let result = Result {
      try db.inTransaction(.immediate) {
        try migration.run(db, applied.intersection(migration.merged))
        try note(migration, in: db)
        if isDeferred && checksDeferredKeys { try db.checkForeignKeys() }
        return .commit
      }
    }
    // Foreign keys are enforced again, whatever has happened.
    if isDeferred { try db.execute(sql: "PRAGMA foreign_keys = ON") }
    try result.get()
  }

  private func note(_ migration: Migration, in db: Database) throws {
    for identifier in migration.merged {
      try db.execute(
        sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [identifier])
    }
    try db.execute(
      sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)",
      arguments: [migration.identifier])
  }
}

extension Database {
  /// The definitions of the application's tables, indexes, views and triggers.
  fileprivate func userSchema() throws -> [Row] {
    try Row.fetchAll(
      self, sql: "SELECT type, name, tbl_name, sql FROM main.sqlite_master ORDER BY type, name"
    ).filter {
      let table: String = $0["tbl_name"]
      return !Database.isSQLiteInternalTable(table) && !Database.isGRDBInternalTable(table)
        && !Database.isSQLiteInternalTable($0["name"])
    }
  }
}
