import MartletEngine

extension Connection {
  /// When a transaction takes its locks (lang_transaction §2.2).
  public enum TransactionMode: String, Sendable {
    /// As they are needed.
    case deferred = "DEFERRED"
    /// For writing, at once.
    case immediate = "IMMEDIATE"
    /// For writing, and against readers where there is no write-ahead log.
    case exclusive = "EXCLUSIVE"
  }

  /// Runs a block in a transaction. It is committed at the end of the block, and rolled back if the
  /// block throws.
  ///
  /// ```swift
  /// try db.transaction {
  ///   try db.run(users.insert(email <- "betty@icloud.com"))
  ///   try db.run(users.insert(email <- "cathy@icloud.com"))
  /// }
  /// ```
  @discardableResult
  public func transaction<Content>(
    _ mode: TransactionMode = .deferred, block: () throws -> Content
  ) throws -> Content {
    try sync {
      try execute("BEGIN \(mode.rawValue) TRANSACTION")
      return try finishing(block, "COMMIT TRANSACTION", or: "ROLLBACK TRANSACTION")
    }
  }

  /// Runs a block in a savepoint, which may be inside of a transaction or of other savepoints. What
  /// the block has changed is taken back if it throws.
  @discardableResult
  public func savepoint<Content>(
    _ name: String? = nil, block: () throws -> Content
  ) throws -> Content {
    try sync {
      let name = (name ?? makeSavepointName()).quotedIdentifier
      try execute("SAVEPOINT \(name)")
      return try finishing(
        block, "RELEASE SAVEPOINT \(name)",
        or: "ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
    }
  }

  private func finishing<Content>(
    _ block: () throws -> Content, _ commit: String, or rollback: String
  ) throws -> Content {
    do {
      let content = try block()
      try execute(commit)
      return content
    } catch {
      // SQLite may have rolled back already; the first error is the one to be told.
      if !core.isAutocommit { _ = try? core.execute(rollback) }
      throw error
    }
  }
}
