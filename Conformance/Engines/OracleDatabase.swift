/// A connection of C SQLite.
package final class OracleDatabase: Database {
  package let library: OracleLibrary
  package let handle: OpaquePointer
  /// Where the progress handler finds it.
  private var deadline: UnsafeMutablePointer<ContinuousClock.Instant>?

  package init(_ library: OracleLibrary, path: String, readOnly: Bool) throws(EngineError) {
    self.library = library
    var handle: OpaquePointer?
    let flags =
      readOnly ? OracleCode.openReadOnly : OracleCode.openReadWrite | OracleCode.openCreate
    let code = library.open(path, &handle, flags | OracleCode.openURI, nil)
    guard code == OracleCode.ok, let handle else {
      let message = String(cString: library.errorMessage(handle))
      _ = library.close(handle)
      throw EngineError(code: code, message: message)
    }
    self.handle = handle
  }

  deinit {
    _ = library.close(handle)
    deadline?.deallocate()
  }

  package func interrupt(after limit: Duration) {
    let place = deadline ?? .allocate(capacity: 1)
    deadline = place
    place.initialize(to: .now + limit)
    library.progressHandler(
      handle, 100_000,
      { place in
        let deadline = place?.load(as: ContinuousClock.Instant.self)
        return deadline.map { ContinuousClock.now > $0 ? 1 : 0 } ?? 0
      }, place)
  }

  package var state: ConnectionState {
    ConnectionState(
      changes: library.changes(handle), totalChanges: library.totalChanges(handle),
      lastInsertRowID: library.lastInsertRowID(handle),
      isAutocommit: library.isAutocommit(handle) != 0)
  }

  package func prepare(
    _ sql: UnsafeBufferPointer<UInt8>
  ) throws(EngineError) -> (statement: (any PreparedStatement)?, consumed: Int) {
    var statement: OpaquePointer?
    var tail: UnsafePointer<UInt8>?
    let code = library.prepare(handle, sql.baseAddress, Int32(sql.count), &statement, &tail)
    guard code == OracleCode.ok else { throw currentError() }
    let consumed = tail.flatMap { tail in sql.baseAddress.map { tail - $0 } } ?? sql.count
    return (statement.map { OracleStatement(self, $0) }, consumed)
  }

  package func currentError() -> EngineError {
    EngineError(
      code: library.extendedErrorCode(handle),
      message: String(cString: library.errorMessage(handle)))
  }
}

package final class OracleStatement: PreparedStatement {
  private let database: OracleDatabase
  private let handle: OpaquePointer
  private var library: OracleLibrary { database.library }

  package init(_ database: OracleDatabase, _ handle: OpaquePointer) {
    self.database = database
    self.handle = handle
  }

  deinit { _ = library.finalize(handle) }

  package var columnCount: Int { Int(library.columnCount(handle)) }

  package func columnName(_ column: Int) -> String {
    library.columnName(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  package func step() throws(EngineError) -> Bool {
    switch library.step(handle) {
    case OracleCode.row: return true
    case OracleCode.done: return false
    default: throw database.currentError()
    }
  }

  package func reset() { _ = library.reset(handle) }

  package func kind(_ column: Int) -> ValueKind {
    switch library.columnType(handle, Int32(column)) {
    case 1: .integer
    case 2: .real
    case 3: .text
    case 4: .blob
    default: .null
    }
  }

  package func integer(_ column: Int) -> Int64 { library.columnInt64(handle, Int32(column)) }

  package func real(_ column: Int) -> Double { library.columnDouble(handle, Int32(column)) }

  package func bind(_ value: Int64, at index: Int) {
    _ = library.bindInt64(handle, Int32(index), value)
  }

  package func bind(_ value: Double, at index: Int) {
    _ = library.bindDouble(handle, Int32(index), value)
  }

  package func bind(text: [UInt8], at index: Int) {
    _ = library.bindText(handle, Int32(index), text, Int32(text.count), OracleCode.transient)
  }

  package func withBytes(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    let column = Int32(column)
    let start =
      library.columnType(handle, column) == 4
      ? library.columnBlob(handle, column)
      : UnsafeRawPointer(library.columnText(handle, column))
    let count = Int(library.columnBytes(handle, column))
    body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
