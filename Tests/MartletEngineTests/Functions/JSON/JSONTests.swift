import Testing

@testable import MartletEngine

@Suite struct JSONTests {
  private func parse(_ text: String) throws -> [UInt8]? {
    var memory = try JSONMemory()
    defer { memory.deallocate() }
    var text = text
    return try text.withUTF8 { bytes in
      try memory.document(bytes).map { Array($0.pointee.blob.bytes) }
    }
  }

  @Test(arguments: [
    ("[]", [0x0b]), ("{}", [0x0c]), ("null", [0x00]), ("\"a\"", [0x17, 0x61]),
    ("[1,-2]", [0x5b, 0x13, 0x31, 0x23, 0x2d, 0x32]),
    ("{a:.5}", [0x5c, 0x17, 0x61, 0x26, 0x2e, 0x35]),
    ("'\\x41'", [0x49, 0x5c, 0x78, 0x34, 0x31]),
  ] as [(String, [UInt8])])
  func `a text becomes the shortest JSONB`(text: String, blob: [UInt8]) throws {
    #expect(try parse(text) == blob)
  }

  @Test(arguments: [0, 10, 11, 12, 250, 252, 253, 254, 255, 256, 65_530, 65_533, 65_536, 70_000])
  func `a container's header has the size of its content`(count: Int) throws {
    let blob = try #require(try parse("[\"" + String(repeating: "x", count: count) + "\"]"))
    let elements = blob.withUnsafeBufferPointer { bytes in
      let elements = JSONElements(bytes.baseAddress.unsafelyUnwrapped, bytes.count)
      return (elements.header(at: 0).total, elements.errorPosition)
    }
    #expect(elements.0 == blob.count)
    #expect(elements.1 == 0)
  }

  @Test func `the first special byte of a word is found wherever it stands`() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<8 {
        var bytes = [UInt8](repeating: 0x80, count: 8)
        bytes[place] = byte
        for later in place + 1..<max(place + 1, 8) { bytes[later] = UInt8(later) }
        let word = bytes.withUnsafeBytes { UInt64(littleEndian: $0.load(as: UInt64.self)) }
        let found = JSONParser.special(in: word).trailingZeroBitCount / 8
        let first = bytes.firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5c } ?? 8
        if found != first { Issue.record("byte \(byte) at \(place)") }
      }
    }
  }

  @Test func `documents are found again while four others are read in turn`() throws {
    var memory = try JSONMemory()
    defer { memory.deallocate() }
    for round in 0..<40 {
      var text = "[\(round % 6)]"
      let blob = try text.withUTF8 { try memory.document($0).map { Array($0.pointee.blob.bytes) } }
      #expect(blob == [0x2b, 0x13, UInt8(0x30 + round % 6)])
    }
  }

  @Test func `a broken text takes the place of none that was read before`() throws {
    var memory = try JSONMemory()
    defer { memory.deallocate() }
    for text in ["[1]", "[", "[1]", "[", "{}", "[1]"] {
      var text = text
      let isDocument = try text.withUTF8 { try memory.document($0) != nil }
      #expect(isDocument == (text != "["))
    }
  }

  @Test func `no short blob stops any function`() throws {
    let connection = try Connection(path: ":memory:")
    let calls = [
      "json(b)", "hex(jsonb(b))", "b ->> '$[0]'", "b ->> 'a'", "json_pretty(b)", "json_valid(b, 8)",
      "json_set(b, '$.a', 1, '$[0]', 2)", "json_remove(b, '$.a', '$[0]')", "json_patch(b, b)",
      "json_array_insert(b, '$[1]', 1)", "json_type(b)", "json_array_length(b)", "json_array(b)",
      "(SELECT group_concat(fullkey) FROM json_tree(b))", "json_error_position(b)",
    ]
    // Types and sizes of two headers that reach everywhere.
    let bytes = ["00", "13", "2b", "2c", "4c", "cb"]
    for first in bytes {
      for second in bytes {
        for third in bytes {
          let from = "FROM (SELECT x'\(first)\(second)\(third)1331' AS b)"
          for call in calls { _ = try? connection.rows("SELECT \(call) \(from)") }
        }
      }
    }
  }

  @Test func `inverse steps of json_group_array take the oldest item out`() throws {
    let host = try FunctionHost()
    let registers = try RegisterBlock(count: 3)
    defer { registers.deallocate() }
    guard case .aggregate(let function) = FunctionRegistry.builtIn.find(
      "json_group_array", argumentCount: 1)
    else { return #expect(Bool(false), "no such aggregate") }
    let context = FunctionContext(
      arguments: registers.base, count: 1, result: registers.base + 2,
      accumulator: registers.base + 1, host: host, collation: .binary)
    let inverse = try #require(function.inverse)
    for text in ["a,\"[", "b", "c"] {
      var text = text
      try text.withUTF8 {
        try registers.base[0].setOwned(.text, copying: $0.baseAddress.unsafelyUnwrapped, $0.count)
      }
      try function.step(context)
    }
    var shown: [String] = []
    for _ in 0..<4 {
      try function.value(context)
      shown.append(String(decoding: registers.base[2].byteBuffer, as: UTF8.self))
      try inverse(context)
    }
    #expect(shown == ["[\"a,\\\"[\",\"b\",\"c\"]", "[\"b\",\"c\"]", "[\"c\"]", "[]"])
  }
}
