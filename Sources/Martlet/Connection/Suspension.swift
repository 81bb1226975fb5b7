import Foundation
import Synchronization

// Suspended databases give up their locks: an application that the system puts to sleep while it
// locks a file that it shares would be ended.

extension Database {
  /// Suspends the databases whose configuration has `observesSuspensionNotifications`.
  ///
  /// Statements that could lock the database throw `SQLITE_INTERRUPT` or `SQLITE_ABORT` from then
  /// on; COMMIT, ROLLBACK and RELEASE, which end locks, do not.
  public static let suspendNotification = Notification.Name("GRDB.Database.Suspend")

  /// Lets suspended databases go on.
  public static let resumeNotification = Notification.Name("GRDB.Database.Resume")

  /// Refuses statements of a suspended database, and gives up the locks of its transaction.
  func checkSuspension(_ statement: Statement) throws {
    guard suspension.isActive, !statement.releasesLocks, !transactionState.isRollingBack,
      try !isHarmless(statement)
    else { return }
    try? rollback()
    throw DatabaseError(
      resultCode: .SQLITE_ABORT, message: "Database is suspended", sql: statement.sql,
      arguments: statement.arguments,
      publicStatementArguments: configuration.publicStatementArguments)
  }
}

extension Database {
  /// In WAL mode a statement that reads keeps nobody else from the file.
  private func isHarmless(_ statement: Statement) throws -> Bool {
    try statement.isReadOnly && !statement.mayLock && isInWALMode()
  }
}

/// Whether a connection is suspended.
final class Suspension: Sendable {
  private let isSuspended = Atomic(false)

  var isActive: Bool { isSuspended.load(ordering: .relaxed) }

  /// Whether it was not suspended before.
  func begin() -> Bool { !isSuspended.exchange(true, ordering: .sequentiallyConsistent) }

  func end() { isSuspended.store(false, ordering: .sequentiallyConsistent) }
}

/// Suspends and resumes a connection when it is told to, as long as it lives.
final class SuspensionObserver: Sendable {
  private nonisolated(unsafe) let tokens: [any NSObjectProtocol]

  /// Observes for a connection; nil where its configuration does not want it.
  init?(_ db: Database) {
    guard db.configuration.observesSuspensionNotifications else { return nil }
    let center = NotificationCenter.default
    let suspension = db.suspension
    let connection = db.connection
    tokens = [
      center.addObserver(forName: Database.suspendNotification, object: nil, queue: nil) { _ in
        // What runs may hold a lock.
        if suspension.begin() { connection.interrupt() }
      },
      center.addObserver(forName: Database.resumeNotification, object: nil, queue: nil) { _ in
        suspension.end()
      },
    ]
  }

  deinit { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
}
