import MartletEngine
import MartletSearch
import MartletSpatial

/// A connection of Martlet, through its public API as any application uses it.
package final class MartletDatabase: Database {
  private let connection: Connection

  package init(path: String, readOnly: Bool) throws(EngineError) {
    do throws(SQLError) {
      let flags: OpenFlags = readOnly ? [.readOnly, .uri] : [.readWrite, .create, .uri]
      connection = try Connection(path: path, flags: flags)
      try connection.registerSearch()
      try connection.registerSpatial()
    } catch { throw EngineError(error) }
  }

  package func interrupt(after limit: Duration) {
    let deadline = ContinuousClock.now + limit
    connection.setProgressHandler(every: 100_000) { ContinuousClock.now > deadline }
  }

  package var state: ConnectionState {
    ConnectionState(
      changes: connection.changes, totalChanges: connection.totalChanges,
      lastInsertRowID: connection.lastInsertRowID, isAutocommit: connection.isAutocommit)
  }

  /// It keeps a lock on the main database.
  package var isInTransaction: Bool { connection.transactionState(of: "main") != .some(.none) }

  package func prepare(
    _ sql: UnsafeBufferPointer<UInt8>
  ) throws(EngineError) -> (statement: (any PreparedStatement)?, consumed: Int) {
    do throws(SQLError) {
      let (statement, consumed) = try connection.prepare(sql)
      return (statement.map { MartletStatement($0) }, consumed)
    } catch { throw EngineError(error) }
  }
}

extension EngineError {
  package init(_ error: SQLError) { self.init(code: error.code.rawValue, message: error.message) }
}

package final class MartletStatement: PreparedStatement {
  private let statement: Statement

  package init(_ statement: Statement) { self.statement = statement }

  package var columnCount: Int { statement.columnCount }

  package func columnName(_ column: Int) -> String { statement.columnName(column) }

  package func step() throws(EngineError) -> Bool {
    do throws(SQLError) { return try statement.step() } catch { throw EngineError(error) }
  }

  package func reset() { do throws(SQLError) { try statement.reset() } catch {} }

  package func kind(_ column: Int) -> ValueKind {
    switch statement.columnType(column) {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  package func integer(_ column: Int) -> Int64 { statement.columnInt64(column) }

  package func real(_ column: Int) -> Double { statement.columnDouble(column) }

  package func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    body(statement.columnBytes(column))
  }

  package func bind(_ value: Int64, at index: Int) { try? statement.bind(value, at: index) }

  package func bind(_ value: Double, at index: Int) { try? statement.bind(value, at: index) }

  package func bind(text: [UInt8], at index: Int) {
    text.withUnsafeBytes { try? statement.bind(text: $0, at: index) }
  }
}
