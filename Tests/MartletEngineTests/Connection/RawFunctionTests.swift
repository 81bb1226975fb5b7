import Synchronization
import Testing

@testable import MartletEngine

/// Functions that take values as they are, which C's functions are made of.
@Suite struct RawFunctionTests {
  private let connection: Connection

  init() throws { connection = try Connection(path: ":memory:") }

  private final class Scalar: RawFunction, @unchecked Sendable {
    typealias Body = (RawInvocation) throws(SQLError) -> Void
    private let body: Body

    init(_ body: @escaping Body) { self.body = body }

    override func call(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
      try body(invocation.pointee)
    }
  }

  private func define(_ name: String, _ body: @escaping Scalar.Body) throws {
    try connection.createRawFunction(
      name, argumentCount: -1, encoding: .utf8, options: [], Scalar(body))
  }

  @Test func `texts come and go in the database's encoding`() throws {
    try connection.execute("PRAGMA encoding = 'UTF-16be'")
    try define("bytes") { call throws(SQLError) in
      call.result.set(Int64(call.argument(0).byteCount))
    }
    try define("little") { call throws(SQLError) in
      let bytes: [UInt8] = [0x61, 0, 0xac, 0x20]
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(SQLError) in
          try call.result.set(text: bytes, encoding: .utf16LittleEndian)
        }
      }
      try result.get()
    }
    #expect(try connection.rows("SELECT bytes('abc'), little()") == ["6|a€"])
  }

  @Test func `a byte order mark is left out and says the encoding`() throws {
    try define("marked") { call throws(SQLError) in
      let bytes: [UInt8] = [0xfe, 0xff, 0, 0x62]
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(SQLError) in
          try call.result.set(text: bytes, encoding: .utf16LittleEndian)
        }
      }
      try result.get()
    }
    #expect(try connection.rows("SELECT marked()") == ["b"])
  }

  /// Adds up its argument; notes each sum that it gives, -1 for a group without memory.
  private final class Total: RawAggregate, @unchecked Sendable {
    let ends = Mutex<[Int64]>([])

    override func step(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
      let memory = try RawInvocation.groupMemory(of: invocation, byteCount: 8)
      memory?.assumingMemoryBound(to: Int64.self).pointee += invocation.pointee.argument(0).int64
    }

    override func result(_ invocation: UnsafePointer<RawInvocation>) throws(SQLError) {
      let memory = try RawInvocation.groupMemory(of: invocation, byteCount: 0)
      let total = memory?.assumingMemoryBound(to: Int64.self).pointee ?? -1
      ends.withLock { $0.append(total) }
      invocation.pointee.result.set(total * 100 + Int64(invocation.pointee.stepCount))
    }
  }

  @Test func `a group has its own memory, and a group that is not finished is ended`() throws {
    let aggregate = Total()
    try connection.createRawAggregate(
      "total", argumentCount: 1, encoding: .utf8, options: [], aggregate)
    try define("failing") { call throws(SQLError) in
      if call.argument(0).int64 == 3 { throw SQLError(.error, "three") }
    }
    try connection.execute("CREATE TABLE t(g, v); INSERT INTO t VALUES(1, 5), (2, 6), (1, 7)")
    #expect(try connection.rows("SELECT total(v) FROM t GROUP BY g") == ["1202", "601"])
    #expect(try connection.rows("SELECT total(v) FROM t WHERE 0") == ["-100"])
    aggregate.ends.withLock { $0.removeAll() }
    #expect(connection.failure("SELECT total(v), max(failing(v - 3)) FROM t")?.message == "three")
    #expect(aggregate.ends.withLock { $0.count } == 1)
  }

  @Test func `texts that a function is given have a zero byte behind them`() throws {
    try define("zero") { call throws(SQLError) in
      let text = call.argument(0)
      let bytes = text.terminatedBytes?.assumingMemoryBound(to: UInt8.self)
      call.result.set(Int64(bytes?[text.byteCount] ?? 1))
    }
    try connection.execute("CREATE TABLE t(v); INSERT INTO t VALUES('one'), (x'02'), (''), (3)")
    #expect(try connection.rows("SELECT zero(v) FROM t") == ["0", "0", "0", "1"])
  }

  @Test func `auxiliary data of a constant stays, that of a column goes after the call`() throws {
    try define("aux") { call throws(SQLError) in
      var known: Int64 = 0
      for index in 0..<call.count {
        if call.auxiliaryPointer(index) != nil { known += 1 << Int64(index) }
        call.setAuxiliaryPointer(UnsafeMutableRawPointer(bitPattern: 8), at: index, nil)
      }
      call.result.set(known)
    }
    try connection.execute("CREATE TABLE t(v); INSERT INTO t VALUES(1), (2), (3)")
    #expect(try connection.rows("SELECT aux(v, 'constant') FROM t") == ["0", "2", "2"])
    #expect(try connection.rows("SELECT aux(v, 'constant') FROM t") == ["0", "2", "2"])
  }

  @Test func `NOCASE can be replaced, and is built in again when that is taken back`() throws {
    try connection.execute("CREATE TABLE n(a COLLATE nocase); INSERT INTO n VALUES('a'), ('B')")
    try connection.createCollation("nocase") { left, right in left < right ? 1 : -1 }
    #expect(try connection.rows("SELECT a FROM n ORDER BY a") == ["a", "B"])
    try connection.execute("CREATE INDEX i ON n(a)")
    #expect(try connection.rows("SELECT a FROM n ORDER BY a") == ["a", "B"])
    try connection.execute("DROP INDEX i")
    try connection.removeCollation("nocase")
    #expect(try connection.rows("SELECT a FROM n ORDER BY a DESC") == ["B", "a"])
  }
}
