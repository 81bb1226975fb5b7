import MartletEngine

/// Martlet through its public API.
struct MartletBench: BenchEngine {
  private let connection: Connection

  init(path: String) throws(BenchError) {
    do throws(SQLError) {
      connection = try Connection(path: path, flags: [.readWrite])
    } catch { throw BenchError(error) }
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

  @inline(__always) func reset() { statement.reset() }

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
