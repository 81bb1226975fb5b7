import MartletEngine
import MartletSession

extension Database {
  /// Records what a block changes, as a changeset that can be applied to other databases
  /// (`import MartletSession` has its type).
  ///
  /// ```swift
  /// let changeset = try dbQueue.write { db in
  ///   try db.changeset(of: ["player"]) { try player.update(db) }
  /// }
  /// try otherQueue.write { db in try db.apply(changeset) }
  /// ```
  ///
  /// Rows of tables with a primary key are recorded, also those that triggers and foreign-key actions
  /// change; see `Session`.
  ///
  /// - Parameters:
  ///   - tables: Those that are recorded; nil records all of the main database.
  ///   - updates: Makes the changes that are recorded.
  /// - Throws: What the block throws, and errors of reading the database.
  public func changeset(
    of tables: [String]? = nil, _ updates: () throws -> Void
  ) throws -> Changeset {
    stopOutsideAccess()
    let session = Session(connection)
    if let tables {
      for table in tables { session.attach(table) }
    } else {
      session.attach(nil)
    }
    try updates()
    return try translatingErrors { () throws(SQLError) in try session.changeset() }
  }

  /// Applies a changeset to the main database.
  ///
  /// - Parameters:
  ///   - changeset: The changes.
  ///   - options: How they are applied.
  ///   - onConflict: Decides what becomes of a change that cannot be applied; by default all is
  ///     taken back, and the error is `SQLITE_ABORT`.
  /// - Returns: What conflicts have led to, for a `Rebaser`.
  /// - Throws: `DatabaseError`, see `Changeset.apply`.
  @discardableResult
  public func apply(
    _ changeset: Changeset, _ options: ApplyOptions = [],
    onConflict: @escaping ConflictHandler = { _ in .abort }
  ) throws -> RebaseInformation? {
    stopOutsideAccess()
    return try translatingErrors { () throws(SQLError) in
      try changeset.apply(to: connection, options, onConflict: onConflict)
    }
  }

  /// The row of a change before and after it, from which records are made. Of an UPDATE the rows have
  /// the columns that the change knows: those of the key, and those that changed.
  ///
  /// ```swift
  /// for change in changeset where change.table == Player.databaseTableName {
  ///   if let row = try db.rows(of: change).new { print(try Player(row: row)) }
  /// }
  /// ```
  ///
  /// - Returns: No old row for an INSERT, no new one for a DELETE.
  /// - Throws: An error where this database has no such table, or one with fewer columns.
  public func rows(of change: Change) throws -> (old: Row?, new: Row?) {
    let names = try columns(in: change.table).map(\.name)
    guard names.count >= change.primaryKey.count else {
      throw DatabaseError(
        resultCode: .SQLITE_SCHEMA,
        message: "table \(change.table) has \(names.count) columns, "
          + "expected \(change.primaryKey.count) or more")
    }
    func row(_ values: [MartletEngine.Value?], orElse others: [MartletEngine.Value?]) -> Row? {
      guard !values.isEmpty else { return nil }
      var pairs: [(String, DatabaseValue)] = []
      for (index, value) in values.enumerated() {
        let isKey = change.primaryKey[index]
        guard let value = value ?? (isKey && index < others.count ? others[index] : nil) else {
          continue
        }
        pairs.append((names[index], DatabaseValue(value)))
      }
      return Row(pairs: pairs)
    }
    return (row(change.old, orElse: []), row(change.new, orElse: change.old))
  }
}
