import MartletEngine
import MartletSearch
import MartletSpatial

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Martlet through its public API.
struct MartletBench: BenchEngine, @unchecked Sendable {
  private let connection: Connection

  init(path: String) throws(BenchError) {
    do throws(SQLError) {
      connection = try Connection(path: path, flags: [.readWrite])
      try MartletBench.defineExtensions(connection)
      try connection.registerSearch()
      try connection.registerSpatial()
    } catch { throw BenchError(error) }
  }

  /// The same function and collation as `OracleConnection.defineExtensions` makes.
  private static func defineExtensions(_ connection: Connection) throws(SQLError) {
    try connection.createFunction("bench_score", argumentCount: 2, options: .deterministic) {
      call throws(SQLError) in
      let byteCount = try call.bytes(1).count
      call.setResult(call.int64(0) &* 3 &+ Int64(byteCount))
    }
    try connection.createCollation("bench_bytes", comparingBytes: { left, right in
      let common = min(left.count, right.count)
      if let leftStart = left.baseAddress, let rightStart = right.baseAddress {
        let order = memcmp(leftStart, rightStart, common)
        if order != 0 { return Int(order) }
      }
      return left.count - right.count
    })
  }

  func prepare(_ sql: String) throws(BenchError) -> MartletBenchStatement {
    do throws(SQLError) {
      return MartletBenchStatement(statement: try connection.prepare(sql))
    } catch { throw BenchError(error) }
  }
}

extension BenchError {
  fileprivate init(_ error: SQLError) { self.init(engine: "Martlet", message: error.message) }
}

struct MartletBenchStatement: BenchStatement {
  let statement: Statement

  @inline(__always) func bind(_ value: Int64, at index: Int32) throws(BenchError) {
    do throws(SQLError) {
      try statement.bind(value, at: Int(index))
    } catch { throw BenchError(error) }
  }

  @inline(__always)
  func bind(text: UnsafeRawBufferPointer, at index: Int32) throws(BenchError) {
    do throws(SQLError) {
      try statement.bind(text: text, at: Int(index))
    } catch { throw BenchError(error) }
  }

  @inline(__always) func step() throws(BenchError) -> Bool {
    do throws(SQLError) { return try statement.step() } catch { throw BenchError(error) }
  }

  /// What a statement that was read to its end could fail with, it has failed with before.
  @inline(__always) func reset() { do throws(SQLError) { try statement.reset() } catch {} }

  @inline(__always) func read(into checksum: inout Checksum) {
    for column in 0..<statement.columnCount {
      switch statement.columnType(column) {
      case .null: checksum.add(0)
      case .integer: checksum.add(UInt64(bitPattern: statement.columnInt64(column)))
      case .real: checksum.add(statement.columnDouble(column).bitPattern)
      case .text, .blob: checksum.add(statement.columnBytes(column))
      }
    }
  }
}
