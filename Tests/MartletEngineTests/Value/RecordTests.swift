import Testing

@testable import MartletEngine

@Suite struct RecordTests {
  static let rows: [[TestValue]] = [
    [.null],
    [.integer(0), .integer(1), .integer(2), .integer(-1)],
    [127, 128, -128, -129, 32767, 32768, -32768, -32769, 8_388_607, 8_388_608, -8_388_609].map {
      .integer($0)
    },
    [1 << 31, (1 << 31) - 1, 1 << 47, (1 << 47) - 1, -(1 << 47), Int64.max, Int64.min].map {
      .integer($0)
    },
    [.real(1.5), .real(-0.0), .real(.infinity), .text(""), .blob([])],
    [.text("short"), .blob([1, 2, 3]), .text(String(repeating: "long ", count: 300)), .null],
    // 200 columns of text make a header whose size takes two bytes.
    (0..<200).map { .text(String(repeating: "x", count: $0)) },
  ]

  @Test(arguments: rows)
  func `a record gives back the values it was made of`(row: [TestValue]) throws {
    let input = try TestRegisters(row), output = TestRegisters(count: 2)
    try RecordEncoder.encode(input.pointer, count: row.count, into: output.pointer)
    try expect(output.pointer[0].byteBuffer, toHold: row, reading: Array(row.indices))
    try expect(output.pointer[0].byteBuffer, toHold: row, reading: row.indices.reversed())
  }

  private func expect(
    _ record: UnsafeBufferPointer<UInt8>, toHold row: [TestValue], reading order: [Int]
  ) throws {
    var decoder = RecordDecoder()
    defer { decoder.deinitialize() }
    let register = TestRegisters(count: 1)
    try decoder.begin(record: record.baseAddress!, byteCount: record.count)
    for index in order {
      #expect(try decoder.column(index, into: register.pointer))
      #expect(register[0] == row[index])
    }
    #expect(try !decoder.column(row.count, into: register.pointer), "a column too many")
    #expect(try decoder.serialType(row.count + 5) == nil)
  }

  @Test func `a record whose header ends behind its size has no columns to be read`() throws {
    var decoder = RecordDecoder()
    defer { decoder.deinitialize() }
    let register = TestRegisters(count: 1)
    // Not even a default may stand for what is missing (SQLite's OP_Column).
    try [1, 7, 7].withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) in
      try decoder.begin(record: bytes.baseAddress!, byteCount: bytes.count)
      #expect(throws: SQLError.self) { try decoder.column(0, into: register.pointer) }
    }
  }

  @Test func `integers take the fewest bytes and 0 and 1 take none`() throws {
    let input = try TestRegisters([.integer(0), .integer(1), .integer(-1), .integer(1 << 40)])
    let output = TestRegisters(count: 1)
    try RecordEncoder.encode(input.pointer, count: 4, into: output.pointer)
    #expect(output[0] == .blob([5, 8, 9, 1, 5, 0xff, 1, 0, 0, 0, 0, 0]))
  }

  @Test func `an integer that stands for a real is stored as real when it needs 8 bytes`() throws {
    let input = try TestRegisters([.integer(3), .integer(1 << 60)])
    input.pointer[0].flags = .integerAsReal
    input.pointer[1].flags = .integerAsReal
    let output = TestRegisters(count: 1)
    try RecordEncoder.encode(input.pointer, count: 2, into: output.pointer)
    #expect(output[0] == .blob([3, 1, 7, 3, 0x43, 0xb0, 0, 0, 0, 0, 0, 0]))
  }

  @Test func `the zeros of a zeroblob are written out`() throws {
    let input = try TestRegisters([.blob([7])])
    input.pointer[0].zeroCount = 3
    let output = TestRegisters(count: 1)
    try RecordEncoder.encode(input.pointer, count: 1, into: output.pointer)
    #expect(output[0] == .blob([2, 20, 7, 0, 0, 0]))
  }

  @Test(arguments: [
    [], [0x80], [5, 1, 1], [3, 1, 1, 0], [2, 1], [2, 1, 0, 0], [3, 0xff, 0xff, 0],
    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [2, 0x81], [3, 0x81, 0x81, 1],
  ] as [[UInt8]])
  func `a record whose header does not fit it is corrupt`(bytes: [UInt8]) {
    var decoder = RecordDecoder()
    defer { decoder.deinitialize() }
    let register = TestRegisters(count: 1)
    // The copy has exactly the record's bytes, so that AddressSanitizer sees a read behind them.
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    defer { copy.deallocate() }
    let error = #expect(throws: SQLError.self) {
      try decoder.begin(record: copy, byteCount: bytes.count)
      for index in 0..<3 { _ = try decoder.column(index, into: register.pointer) }
    }
    #expect(error?.code == .corrupt)
  }
}
