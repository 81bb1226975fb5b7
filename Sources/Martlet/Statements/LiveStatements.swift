import Synchronization

/// The texts of the statements that exist. They may go on any thread.
final class LiveStatements: Sendable {
  private let known = Mutex<[ObjectIdentifier: String]>([:])

  func insert(_ statement: Statement) {
    let sql = statement.sql
    known.withLock { $0[ObjectIdentifier(statement)] = sql }
  }

  func remove(_ statement: Statement) {
    known.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(statement)) }
  }

  var texts: [String] { known.withLock { $0.values.sorted() } }
}
