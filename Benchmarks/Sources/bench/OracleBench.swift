import Foundation

/// C SQLite through its C interface.
struct OracleBench: BenchEngine, @unchecked Sendable {
  /// Loaded once, before any workload runs.
  nonisolated(unsafe) static var library: OracleLibrary?

  /// Loads the library in the folder of MARTLET_ORACLE, or the system's. Ends the program where there
  /// is none, or one that does not answer the queries that it `needs`.
  @discardableResult
  static func load(for program: String, _ needs: [String] = []) -> OracleLibrary {
    let found = OracleLibrary(folder: OracleLibrary.configuredFolder) ?? OracleLibrary(folder: nil)
    guard let found else {
      print("\(program): \(OracleLibrary.requirement)")
      exit(2)
    }
    if let unanswered = found.firstUnanswered(needs) {
      print("\(program): \(OracleLibrary.requirement)")
      print("\(found.path) is version \(found.version), and fails at: \(unanswered)")
      exit(2)
    }
    library = found
    return found
  }

  private let connection: OracleConnection

  init(path: String) throws(BenchError) {
    connection = try OracleConnection(path: path)
    try connection.defineExtensions()
  }

  func prepare(_ sql: String) throws(BenchError) -> OracleBenchStatement {
    try OracleBenchStatement(connection, sql)
  }
}

final class OracleConnection {
  let library: OracleLibrary
  let handle: OpaquePointer

  init(path: String) throws(BenchError) {
    guard let library = OracleBench.library else {
      throw BenchError(engine: "C SQLite", message: "no library was loaded")
    }
    self.library = library
    var handle: OpaquePointer?
    let flags = OracleCode.openReadWrite | OracleCode.openCreate
    guard library.open(path, &handle, flags, nil) == OracleCode.ok, let handle else {
      throw BenchError(engine: "C SQLite", message: "cannot open \(path)")
    }
    self.handle = handle
  }

  deinit { _ = library.close(handle) }

  var lastError: BenchError {
    BenchError(engine: "C SQLite", message: String(cString: library.errorMessage(handle)))
  }

  /// Runs statements that give no rows of interest.
  func execute(_ sql: String) throws(BenchError) {
    let statement = try OracleBenchStatement(self, sql)
    while try statement.step() {}
  }
}

final class OracleBenchStatement: BenchStatement {
  private let connection: OracleConnection
  private let library: OracleLibrary
  let handle: OpaquePointer

  init(_ connection: OracleConnection, _ sql: String) throws(BenchError) {
    self.connection = connection
    library = connection.library
    var sql = sql
    var handle: OpaquePointer?
    let code = sql.withUTF8 { text in
      connection.library.prepare(
        connection.handle, text.baseAddress, Int32(text.count), &handle, nil)
    }
    guard code == OracleCode.ok, let handle else { throw connection.lastError }
    self.handle = handle
  }

  deinit { _ = library.finalize(handle) }

  @inline(__always) func bind(_ value: Int64, at index: Int32) throws(BenchError) {
    guard library.bindInt64(handle, index, value) == OracleCode.ok else {
      throw connection.lastError
    }
  }

  @inline(__always)
  func bind(text: UnsafeRawBufferPointer, at index: Int32) throws(BenchError) {
    let bytes = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let code = library.bindText(
      handle, index, bytes, Int32(text.count), OracleCode.transient)
    guard code == OracleCode.ok else { throw connection.lastError }
  }

  @inline(__always) func step() throws(BenchError) -> Bool {
    switch library.step(handle) {
    case OracleCode.row: return true
    case OracleCode.done: return false
    default: throw connection.lastError
    }
  }

  @inline(__always) func reset() { _ = library.reset(handle) }

  @inline(__always) func read(into checksum: inout Checksum) {
    for column in 0..<library.columnCount(handle) {
      switch library.columnType(handle, column) {
      case 1: checksum.add(UInt64(bitPattern: library.columnInt64(handle, column)))
      case 2: checksum.add(library.columnDouble(handle, column).bitPattern)
      case 3:
        let text = library.columnText(handle, column)
        let count = Int(library.columnBytes(handle, column))
        checksum.add(UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : count))
      case 4:
        let blob = library.columnBlob(handle, column)
        let count = Int(library.columnBytes(handle, column))
        checksum.add(UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : count))
      default: checksum.add(0)
      }
    }
  }
}
