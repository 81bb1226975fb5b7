import Testing

@testable import MartletEngine

@Suite struct KeyComparisonTests {
  /// Values in the order of BINARY columns, each smaller than the next.
  static let ascending: [TestValue] = [
    .null, .real(-.infinity), .real(-1e300), .integer(.min), .integer(-5), .real(-4.5),
    .integer(0), .real(0.5), .integer(1), .integer(1 << 53), .integer((1 << 53) + 1),
    .real(9_007_199_254_740_994), .integer(.max), .real(9_223_372_036_854_775_808), .text(""),
    .text("A"), .text("a"), .text("a\0"), .text("abcdefgh"), .text("abcdefgh1"),
    .text("abcdefghi"), .text(String(repeating: "b", count: 100)), .text("é"), .blob([]),
    .blob([0]), .blob([1, 2]),
  ]

  private func compare(
    _ record: [TestValue], with key: [TestValue], _ columns: [KeyInfo.Column],
    defaultResult: Int = 0
  ) throws -> Int {
    let input = try TestRegisters(record), output = TestRegisters(count: 1)
    try RecordEncoder.encode(input.pointer, count: record.count, into: output.pointer)
    var bytes = Array(output.pointer[0].byteBuffer)
    let byteCount = bytes.count
    bytes += [UInt8](repeating: 0xaa, count: KeyComparison.slack)
    let fields = try TestRegisters(key)
    let keyInfo = KeyInfo(columns: columns, encoding: .utf8)
    var unpacked = UnpackedKey(
      fields.pointer, count: key.count, keyInfo: keyInfo, defaultResult: defaultResult)
    return try withExtendedLifetime((fields, keyInfo)) {
      try KeyComparison.compare(record: bytes, byteCount: byteCount, with: &unpacked).signum()
    }
  }

  private func column(
    _ collation: Collation = .binary, descending: Bool = false, bigNulls: Bool = false
  ) -> KeyInfo.Column {
    KeyInfo.Column(collation: collation, isDescending: descending, hasBigNulls: bigNulls)
  }

  @Test func `values of all classes have one order`() throws {
    for (left, value) in Self.ascending.enumerated() {
      for (right, other) in Self.ascending.enumerated() {
        let order = (left - right).signum()
        #expect(try compare([value], with: [other], [column()]) == order, "\(value) \(other)")
        let descending = try compare([value], with: [other], [column(descending: true)])
        #expect(descending == -order, "\(value) \(other)")
        // The same as second column, behind an equal first one.
        let second = try compare(
          [.integer(7), value], with: [.integer(7), other], [column(), column()])
        #expect(second == order, "\(value) \(other)")
      }
    }
  }

  @Test func `an integer and a real that are equal are equal`() throws {
    #expect(try compare([.integer(1 << 53)], with: [.real(9_007_199_254_740_992)], [column()]) == 0)
    #expect(try compare([.real(-3)], with: [.integer(-3)], [column()]) == 0)
  }

  @Test(arguments: [-1, 0, 1])
  func `a record that begins with the key gives the default result`(result: Int) throws {
    for first in [TestValue.integer(4), .text("x"), .null] {
      let order = try compare(
        [first, .integer(9)], with: [first], [column(), column()], defaultResult: result)
      #expect(order == result)
    }
  }

  @Test func `big nulls go to the other end and leave the rest`() throws {
    let ascending = column(bigNulls: true), descending = column(descending: true, bigNulls: true)
    #expect(try compare([.null], with: [.integer(1)], [ascending]) == 1)
    #expect(try compare([.null], with: [.integer(1)], [descending]) == -1)
    #expect(try compare([.integer(2)], with: [.integer(1)], [ascending]) == 1)
    #expect(try compare([.integer(2)], with: [.integer(1)], [descending]) == -1)
  }

  @Test func `text compares by its column's collation`() throws {
    #expect(try compare([.text("ABC")], with: [.text("abc")], [column(.noCase)]) == 0)
    #expect(try compare([.text("x  ")], with: [.text("x")], [column(.rightTrim)]) == 0)
    #expect(try compare([.blob([0x41])], with: [.blob([0x61])], [column(.noCase)]) == -1)
  }

  @Test func `a first column is read even where the header has none`() throws {
    let key = try TestRegisters([.integer(5)])
    let keyInfo = KeyInfo(columns: [column()], encoding: .utf8)
    var unpacked = UnpackedKey(key.pointer, count: 1, keyInfo: keyInfo)
    // A header of one byte: the type, 1, is the content too.
    let record: [UInt8] = [1, 1] + [UInt8](repeating: 0, count: KeyComparison.slack)
    let order = try withExtendedLifetime((key, keyInfo)) {
      try KeyComparison.compare(record: record, byteCount: 2, with: &unpacked)
    }
    #expect(order < 0)
  }

  @Test func `a record with fewer columns than the key is corrupt`() throws {
    let key: [TestValue] = [.integer(5), .integer(6)]
    do {
      _ = try compare([.integer(5)], with: key, [column(), column()])
      Issue.record("compared")
    } catch let error as SQLError {
      #expect(error.code == .corrupt)
    }
    // It is not looked at where the first column decides.
    #expect(try compare([.integer(4)], with: key, [column(), column()]) == -1)
  }

  @Test func `random bytes compare or are corrupt`() throws {
    var random = SystemRandomNumberGenerator()
    let keyInfo = KeyInfo(
      columns: [column(), column(.noCase), column(descending: true)], encoding: .utf8)
    let keys: [[TestValue]] = [
      [.integer(3), .text("a"), .null], [.text("abc"), .integer(1), .real(2)],
      [.null, .null, .blob([1])],
    ]
    for key in keys {
      let fields = try TestRegisters(key)
      for _ in 0..<20_000 {
        let byteCount = Int.random(in: 0..<24, using: &random)
        let memory = UnsafeMutablePointer<UInt8>.allocate(
          capacity: byteCount + KeyComparison.slack)
        defer { memory.deallocate() }
        for index in 0..<byteCount + KeyComparison.slack {
          memory[index] = UInt8.random(in: 0...255, using: &random)
        }
        if byteCount > 1, Bool.random() { memory[0] = UInt8.random(in: 0..<8, using: &random) }
        var unpacked = UnpackedKey(fields.pointer, count: 3, keyInfo: keyInfo)
        do {
          _ = try KeyComparison.compare(record: memory, byteCount: byteCount, with: &unpacked)
        } catch {
          #expect(error.code == .corrupt)
        }
      }
    }
  }
}
