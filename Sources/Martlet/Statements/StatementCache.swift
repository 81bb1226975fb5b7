import Synchronization

/// Compiled statements of a connection by their text.
struct StatementCache {
  private var statements: [String: Statement] = [:]
  private var order: [String] = []

  /// The most statements that are kept; the oldest goes first.
  private static let capacity = 500

  /// A statement that is not at work.
  func find(_ sql: String) -> Statement? {
    guard let statement = statements[sql], !statement.sqliteStatement.isBusy else { return nil }
    return statement
  }

  func contains(_ sql: String) -> Bool { statements[sql] != nil }

  mutating func keep(_ statement: Statement, sql: String) {
    if order.count >= StatementCache.capacity {
      statements[order.removeFirst()] = nil
    }
    statements[sql] = statement
    order.append(sql)
  }

  /// A statement that has failed is compiled again the next time.
  mutating func remove(_ statement: Statement) {
    guard let sql = statements.first(where: { $0.value === statement })?.key else { return }
    statements[sql] = nil
    order.removeAll { $0 == sql }
  }

  mutating func removeAll() {
    statements = [:]
    order = []
  }
}

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
