import MartletEngine

/// How far a backup is.
public struct DatabaseBackupProgress: Sendable {
  /// Pages that are still to be copied.
  public let remainingPageCount: Int

  /// Pages of the source.
  public let totalPageCount: Int

  /// Pages that were copied.
  public var completedPageCount: Int { totalPageCount - remainingPageCount }

  /// Everything is copied.
  public let isCompleted: Bool
}

extension Database {
  /// Copies the database over another one.
  ///
  /// - Parameters:
  ///   - destDb: A connection to the database that is overwritten.
  ///   - pagesPerStep: How many pages are copied at once; all if it is negative.
  ///   - progress: Called after each step. What it throws gives the backup up, unless it is
  ///     complete.
  public func backup(
    to destDb: Database, pagesPerStep: CInt = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    try checkAccess()
    try destDb.checkAccess()
    let backup = try translatingErrors { () throws(SQLError) in
      try Backup(from: connection, to: destDb.connection)
    }
    defer { backup.finish() }
    var isCompleted = false
    while !isCompleted {
      isCompleted = try translatingErrors { () throws(SQLError) in
        try backup.step(pageCount: Int(pagesPerStep))
      }
      do {
        try progress?(
          DatabaseBackupProgress(
            remainingPageCount: Swift.max(0, backup.remainingPageCount),
            totalPageCount: backup.pageCount, isCompleted: isCompleted))
      } catch {
        if !isCompleted { throw error }
      }
    }
    destDb.releaseMemory()
  }
}

extension Database {
  /// Writes the write-ahead log back into the database.
  ///
  /// - Parameters:
  ///   - kind: How much is written back, and who is waited for.
  ///   - dbName: The database that is meant; nil means all of them.
  /// - Returns: How many frames the log has, and how many of them were written back; -1 for
  ///   databases without one.
  @discardableResult
  public func checkpoint(
    _ kind: CheckpointMode = .passive, on dbName: String? = "main"
  ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
    let schema = dbName.map { $0.quotedIdentifier + "." } ?? ""
    let row = try Row.fetchOne(self, sql: "PRAGMA \(schema)wal_checkpoint(\(kind))")
    guard let row else { return (-1, -1) }
    if row[0] as Bool { throw DatabaseError(resultCode: .SQLITE_BUSY) }
    return (row[1], row[2])
  }
}

extension DatabaseReader {
  /// Copies the database over another one.
  ///
  /// - Parameters:
  ///   - writer: The database that is overwritten.
  ///   - pagesPerStep: How many pages are copied at once; all if it is negative.
  ///   - progress: Called after each step. What it throws gives the backup up, unless it is
  ///     complete.
  public func backup(
    to writer: any DatabaseWriter, pagesPerStep: CInt = -1,
    progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    try unsafeRead { source in
      try writer.writeWithoutTransaction { target in
        try source.backup(to: target, pagesPerStep: pagesPerStep, progress: progress)
      }
    }
  }
}
