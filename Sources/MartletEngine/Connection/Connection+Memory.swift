// Memory of a connection that can be had back or made clean.

extension Connection {
  /// Frees the pages that are cached of databases that are not being read, and what the process keeps
  /// of the memory that sorts and hash tables had
  /// (`sqlite3_db_release_memory`, `PRAGMA shrink_memory`).
  public func releaseMemory() {
    locked {
      for (index, database) in databases.enumerated()
      where readingDatabases & (1 << UInt64(index)) == 0 {
        database.tree?.pager.cache.shrink(to: 0)
      }
      Memory.releaseLarge()
    }
  }

  /// Writes the changed pages of open transactions to their files, but for those that statements
  /// are using (`sqlite3_db_cacheflush`).
  ///
  /// - Throws: `busy` where readers of a file are in the way; other databases are written.
  public func flushCaches() throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    var failure: SQLError?
    for database in databases {
      guard let pager = database.tree?.pager else { continue }
      do throws(SQLError) {
        try pager.flush()
      } catch {
        guard error.code.primary == .busy else { throw error }
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
