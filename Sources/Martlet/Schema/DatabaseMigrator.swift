import Foundation

/// Brings databases of any age to the schema that the application needs, step by step.
///
/// ```swift
/// var migrator = DatabaseMigrator()
/// migrator.registerMigration("v1") { db in
///   try db.create(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
///   }
/// }
/// try migrator.migrate(dbQueue)
/// ```
///
/// Each migration runs once, in a transaction of its own, also where several programs migrate one
/// database at the same time, as long as their connections wait for each other
/// (`Configuration.busyMode`). Which ones a database has seen is kept
/// in its table `grdb_migrations`, as GRDB keeps it, so that a program may move over.
public struct DatabaseMigrator: Sendable {
  /// When the foreign keys that a migration breaks are noticed.
  public enum ForeignKeyChecks: Sendable {
    /// Foreign keys are off while the migration runs, and all are checked at its end: tables can be
    /// built anew (lang_altertable §7).
    case deferred

    /// As in every other transaction.
    case immediate
  }

  /// A database whose schema is not the one that its migrations would make today is emptied and
  /// migrated from the beginning. That is for the time when migrations are still being written: it
  /// deletes all data.
  public var eraseDatabaseOnSchemaChange = false

  private var checksDeferredForeignKeys = true
  private var registered: [Migration] = []

  /// A migrator without migrations.
  public init() {}

  /// The same migrator, whose deferred checks of foreign keys are not made for the migrations that
  /// are registered from now on: they may take long in large databases.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.checksDeferredForeignKeys = false
    return migrator
  }

  // MARK: Registering

  /// Adds a migration, to be run after those that were added before.
  ///
  /// - Parameters:
  ///   - identifier: Its name, which must never change. One that is there already stops the
  ///     program.
  ///   - foreignKeyChecks: When broken foreign keys are noticed.
  ///   - migrate: What it does.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (_ db: Database) throws -> Void
  ) {
    registerMigration(identifier, foreignKeyChecks: foreignKeyChecks, merging: []) { db, _ in
      try migrate(db)
    }
  }

  /// Adds a migration that takes the place of earlier ones.
  ///
  /// - Parameters:
  ///   - identifier: Its name, which must never change. One that is there already stops the
  ///     program.
  ///   - foreignKeyChecks: When broken foreign keys are noticed.
  ///   - mergedIdentifiers: The migrations that it replaces.
  ///   - migrate: What it does; it is told which of these the database has seen.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    merging mergedIdentifiers: Set<String> = [],
    migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
  ) {
    precondition(
      !registered.contains { $0.identifier == identifier },
      "already registered migration: \(String(reflecting: identifier))")
    let checks: Migration.Checks =
      switch foreignKeyChecks {
      case .immediate: .immediate
      case .deferred: checksDeferredForeignKeys ? .deferred : .none
      }
    registered.append(
      Migration(
        identifier: identifier, merged: mergedIdentifiers.subtracting([identifier]),
        checks: checks, body: migrate))
  }

  // MARK: Migrating

  /// Runs the migrations that the database has not seen.
  ///
  /// - Throws: What a migration throws; it is taken back, and those before it stay.
  public func migrate(_ writer: any DatabaseWriter) throws {
    guard let last = registered.last else { return }
    try migrate(writer, upTo: last.identifier)
  }

  /// Runs the migrations that the database has not seen, up to a certain one.
  ///
  /// - Throws: What a migration throws; `SQLITE_MISUSE` for an identifier that was not registered,
  ///   or that is older than what the database has seen.
  public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
    try writer.barrierWriteWithoutTransaction { db in
      try migrate(db, upTo: targetIdentifier)
    }
  }

  /// Runs the migrations that the database has not seen, some time later.
  ///
  /// - Parameters:
  ///   - writer: The database that is migrated.
  ///   - completion: Called in the access that has run them, or with the error.
  public func asyncMigrate(
    _ writer: any DatabaseWriter,
    completion: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.asyncBarrierWriteWithoutTransaction { access in
      completion(
        Result {
          let db = try access.get()
          if let last = registered.last { try migrate(db, upTo: last.identifier) }
          return db
        })
    }
  }

  private func migrate(_ db: Database, upTo target: String) throws {
    if eraseDatabaseOnSchemaChange {
      var isOutdated = false
      try db.inTransaction(.deferred) {
        isOutdated = try hasSchemaChanges(db)
        return .commit
      }
      if isOutdated { try db.erase() }
    }
    try run(db, upTo: target)
  }

  private func migrations(
    upTo target: String, applied: Set<String>
  ) throws -> ArraySlice<Migration> {
    guard let end = registered.firstIndex(where: { $0.identifier == target }) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "undefined migration: \(String(reflecting: target))")
    }
    if registered[(end + 1)...].contains(where: { applied.contains($0.identifier) }) {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "database is already migrated beyond migration \(String(reflecting: target))")
    }
    return registered[...end]
  }

  private func run(_ db: Database, upTo target: String) throws {
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    let applied = try appliedIdentifiers(db)
    for migration in try migrations(upTo: target, applied: applied) {
      if !applied.contains(migration.identifier) {
        try migration.run(db)
      } else if !migration.merged.isDisjoint(with: applied) {
        try migration.forgetMerged(db)
      }
    }
  }

  // MARK: Asking

  /// The identifiers of all migrations, in their order.
  public var migrations: [String] { registered.map(\.identifier) }

  /// The migrations that the database has seen, in their order.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return migrations.filter { applied.contains($0) }
  }

  /// All identifiers that the database has seen, known or not.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    try db.appliedMigrationIdentifiers()
  }

  /// The migrations that the database has seen without a gap from the first on.
  public func completedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return Array(migrations.prefix { applied.contains($0) })
  }

  /// The database has seen all migrations.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    try completedMigrations(db).count == registered.count
  }

  /// The database has seen migrations that are not known: a newer version of the application has
  /// used it.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try !appliedIdentifiers(db).isSubset(of: migrations)
  }

  /// Whether the schema is another one than the migrations that the database has seen would make
  /// today. It runs them in a temporary database.
  public func hasSchemaChanges(_ db: Database) throws -> Bool {
    if try hasBeenSuperseded(db) { return true }
    guard let last = try appliedMigrations(db).last else { return false }
    return try userSchema(db) != freshSchema(upTo: last, like: db.configuration)
  }

  private func freshSchema(
    upTo target: String, like configuration: Configuration
  ) throws -> Set<[String?]> {
    var configuration = configuration
    configuration.readonly = false
    // The database that is compared may be holding these queues.
    configuration.targetQueue = nil
    configuration.writeTargetQueue = nil
    configuration.label = "Martlet.DatabaseMigrator.temporary"
    // A file and not a database in memory: migrations may move much data.
    let folder = FileManager.default.temporaryDirectory
    let path = folder.appendingPathComponent("martlet-\(UUID().uuidString).sqlite").path
    defer {
      for suffix in ["", "-journal", "-wal", "-shm"] {
        // Only some of these exist.
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let schema = try queue.writeWithoutTransaction { db in
      try run(db, upTo: target)
      return try userSchema(db)
    }
    try queue.close()
    return schema
  }

  /// Type, name, table and SQL of everything that the application has defined.
  private func userSchema(_ db: Database) throws -> Set<[String?]> {
    let rows = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM main.sqlite_master")
    let objects = rows.map { row in (0..<4).map { row[$0] as String? } }
    return Set(
      objects.filter { object in
        let name = object[1] ?? ""
        return !Database.isSQLiteInternalTable(name) && !Database.isGRDBInternalTable(name)
      })
  }
}
