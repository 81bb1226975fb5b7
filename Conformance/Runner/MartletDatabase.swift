import MartletEngine

/// A connection of Martlet, through its public API as any application uses it.
final class MartletDatabase: Database {
  private let connection: Connection

  init(path: String, readOnly: Bool) throws(EngineError) {
    do throws(SQLError) {
      let flags: OpenFlags = readOnly ? [.readOnly, .uri] : [.readWrite, .create, .uri]
      connection = try Connection(path: path, flags: flags)
    } catch { throw EngineError(error) }
  }

  func prepare(
    _ sql: UnsafeBufferPointer<UInt8>
  ) throws(EngineError) -> (statement: (any PreparedStatement)?, consumed: Int) {
    do throws(SQLError) {
      let (statement, consumed) = try connection.prepare(sql)
      return (statement.map { MartletStatement($0) }, consumed)
    } catch { throw EngineError(error) }
  }
}

extension EngineError {
  init(_ error: SQLError) { self.init(code: error.code.rawValue, message: error.message) }
}

final class MartletStatement: PreparedStatement {
  private let statement: Statement

  init(_ statement: Statement) { self.statement = statement }

  var columnCount: Int { statement.columnCount }

  func columnName(_ column: Int) -> String { statement.columnName(column) }

  func step() throws(EngineError) -> Bool {
    do throws(SQLError) { return try statement.step() } catch { throw EngineError(error) }
  }

  func kind(_ column: Int) -> ValueKind {
    switch statement.columnType(column) {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  func integer(_ column: Int) -> Int64 { statement.columnInt64(column) }

  func real(_ column: Int) -> Double { statement.columnDouble(column) }

  func bytes(_ column: Int) -> [UInt8] { Array(statement.columnBytes(column)) }
}
