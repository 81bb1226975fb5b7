/// What has happened in a script that explains a later difference.
struct Circumstances {
  /// There have been virtual tables.
  private(set) var hasVirtualTables = false
  /// An ALTER TABLE has failed in the transaction that is still open; it may have begun to write in
  /// SQLite.
  private(set) var hasFailedAlterInTransaction = false

  /// Takes note of what C SQLite made of a statement.
  mutating func take(_ sql: String, _ outcome: Outcome) {
    if sql.hasPrefix("CREATE VIRTUAL TABLE") { hasVirtualTables = true }
    if outcome.error != nil, sql.hasPrefix("ALTER") { hasFailedAlterInTransaction = true }
    if outcome.state?.isAutocommit ?? true { hasFailedAlterInTransaction = false }
  }
}
