/// What has happened in a script that explains a later difference.
struct Circumstances {
  /// There have been virtual tables.
  private(set) var hasVirtualTables = false
  /// An ALTER TABLE has failed in the transaction that is still open; it may have begun to write in
  /// SQLite.
  private(set) var hasFailedAlterInTransaction = false
  /// A transaction in which an ALTER TABLE had failed was undone.
  private(set) var hasUndoneFailedAlter = false
  /// A table was renamed in the transaction that is still open.
  private(set) var hasRenamedInTransaction = false
  /// A transaction or a savepoint was rolled back.
  private(set) var hasRolledBack = false
  /// FTS5 has met damage in an ORDER BY rank, which SQLite's tables remember.
  private(set) var hasMetDamageByRank = false

  /// Takes note of what C SQLite made of a statement.
  mutating func take(_ sql: String, _ outcome: Outcome) {
    if sql.hasPrefix("CREATE VIRTUAL TABLE") { hasVirtualTables = true }
    if outcome.error != nil, sql.hasPrefix("ALTER") { hasFailedAlterInTransaction = true }
    if outcome.error == nil, sql.hasPrefix("ALTER"), sql.contains(" RENAME TO ") {
      hasRenamedInTransaction = true
    }
    if sql.hasPrefix("ROLLBACK") { hasRolledBack = true }
    if outcome.error?.code == 11, sql.contains("rank") { hasMetDamageByRank = true }
    if outcome.state?.isAutocommit ?? true {
      let isUndone = outcome.error != nil || sql.hasPrefix("ROLLBACK")
      if hasFailedAlterInTransaction, isUndone, !sql.hasPrefix("ALTER") {
        hasUndoneFailedAlter = true
      }
      hasFailedAlterInTransaction = false
      hasRenamedInTransaction = false
    }
  }
}
