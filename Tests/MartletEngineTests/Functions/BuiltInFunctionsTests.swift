import Testing

@testable import MartletEngine

/// A value of SQL, as tests write it.
enum SampleValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
  case null, integer(Int64), real(Double), text(String), blob([UInt8])

  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(floatLiteral value: Double) { self = .real(value) }
  init(nilLiteral: ()) { self = .null }

  init(_ register: UnsafeMutablePointer<Register>) throws {
    try register.pointee.expandZeros()
    switch register.pointee.tag {
    case .null: self = .null
    case .integer: self = .integer(register.pointee.integer)
    case .real: self = .real(register.pointee.real)
    case .text: self = .text(String(decoding: register.pointee.byteBuffer, as: UTF8.self))
    case .blob: self = .blob(Array(register.pointee.byteBuffer))
    }
  }

  func load(_ register: UnsafeMutablePointer<Register>) throws {
    func set(_ tag: StorageClass, _ bytes: [UInt8]) throws {
      try bytes.withUnsafeBufferPointer {
        try register.pointee.setOwned(
          tag, copying: $0.baseAddress ?? Register.emptyBytes, $0.count)
      }
    }
    switch self {
    case .null: register.pointee.setNull()
    case .integer(let value): register.pointee.setInteger(value)
    case .real(let value): register.pointee.setReal(value)
    case .text(let value): try set(.text, Array(value.utf8))
    case .blob(let value): try set(.blob, value)
    }
  }
}

/// Calls built-in functions as the virtual machine does.
struct FunctionCaller {
  let host: FunctionHost
  let registry = FunctionRegistry()

  init() throws { host = try FunctionHost() }

  private func withRegisters<Result>(
    _ body: (UnsafeMutablePointer<Register>) throws -> Result
  ) rethrows -> Result {
    let registers = UnsafeMutablePointer<Register>.allocate(capacity: 16)
    registers.initialize(repeating: Register(), count: 16)
    defer {
      for index in 0..<16 { registers[index].deinitialize() }
      registers.deallocate()
    }
    return try body(registers)
  }

  func call(_ name: String, _ arguments: [SampleValue]) throws -> SampleValue {
    guard case .scalar(let function) = registry.find(name, argumentCount: arguments.count) else {
      throw SQLError.sql("no such function: \(name)")
    }
    return try withRegisters { registers in
      for (index, argument) in arguments.enumerated() { try argument.load(registers + index) }
      try function.body(
        FunctionContext(
          arguments: registers, count: arguments.count, result: registers + 15, host: host,
          collation: .binary))
      return try SampleValue(registers + 15)
    }
  }

  func aggregate(_ name: String, _ values: [SampleValue]) throws -> SampleValue {
    guard case .aggregate(let function) = registry.find(name, argumentCount: 1) else {
      throw SQLError.sql("no such function: \(name)")
    }
    return try withRegisters { registers in
      let call = FunctionContext(
        arguments: registers, count: 1, result: registers + 15, accumulator: registers + 8,
        host: host, collation: .binary)
      for value in values {
        try value.load(registers)
        try function.step(call)
      }
      try function.finalize(call)
      return try SampleValue(registers + 15)
    }
  }
}

@Suite struct BuiltInFunctionsTests {
  let caller: FunctionCaller

  init() throws { caller = try FunctionCaller() }

  @Test(arguments: [
    ("length", ["añb\0c"], 3), ("length", [.blob([0, 1, 2])], 3), ("length", [1.5], 3),
    ("substr", ["hello", -3, 2], "ll"), ("substr", ["hello", 3, -2], "he"),
    ("substr", ["hello", 0, 3], "he"), ("trim", ["xyaxy", "xy"], "a"),
    ("replace", ["abcabc", "bc", "Z"], "aZaZ"), ("instr", ["añb", "b"], 3),
    ("hex", ["AZ"], "415A"), ("unhex", ["41-5a", "-"], .blob([0x41, 0x5a])),
    ("unhex", ["4"], nil), ("quote", ["it's"], "'it''s'"), ("char", [65, 0x1f600], "A😀"),
    ("unistr", ["\\0041\\+01F600"], "A😀"), ("unistr_quote", ["a\n"], "unistr('a\\u000a')"),
    ("round", [0.285, 2], 0.28), ("round", [-2.5], -3.0), ("soundex", ["Tymczak"], "T522"),
    ("min", [3, "a", 1.5], 1.5), ("max", [nil, 1], nil), ("concat_ws", [",", 1, nil, "b"], "1,b"),
    ("sign", ["x"], nil), ("typeof", [.blob([])], "blob"), ("log", [2, 8], 3.0),
  ] as [(String, [SampleValue], SampleValue)])
  func `scalar functions give SQLite's results`(
    name: String, arguments: [SampleValue], result: SampleValue
  ) throws {
    #expect(try caller.call(name, arguments) == result)
  }

  @Test(arguments: [
    ("%d|%5d|%-5d|%05d", [1, 2, 3, 4], "1|    2|3    |00004"), ("%,d", [1_234_567], "1,234,567"),
    ("%.2f %e %g", [1.005, 1500, 0.0001], "1.00 1.500000e+03 0.0001"),
    ("%#x %o %X", [255, 8, 255], "0xff 10 FF"), ("%!.20f", [0.1], "0.1000000000000000056"),
    ("%Q %q %w", ["it's", "it's", "a\"b"], "'it''s' it''s a\"\"b"), ("%5.3c|", ["é"], "  ééé|"),
    ("%*.*f|%%", [8, 2, 3.14159], "    3.14|%"), ("%s", [nil], ""), ("%#.2f", [-0.004], "0.00"),
  ] as [(String, [SampleValue], SampleValue)])
  func `formats are carried out`(
    format: String, arguments: [SampleValue], result: SampleValue
  ) throws {
    #expect(try caller.call("format", [.text(format)] + arguments) == result)
  }

  @Test(arguments: [
    ("%a%", "bab", true), ("a_c", "aéc", true), ("A%", "abc", true), ("%b%c%", "aXcbc", true),
    ("%a%a%a%b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", false), ("É", "é", false), ("", "", true),
    ("a", "a\0b", true),
  ])
  func `LIKE ignores the case of ASCII`(pattern: String, text: String, matches: Bool) throws {
    let result = try caller.call("like", [.text(pattern), .text(text)])
    #expect(result == .integer(matches ? 1 : 0))
  }

  @Test(arguments: [
    ("*[a-c]?", "xbz", true), ("[^a]*", "abc", false), ("[]]", "]", true), ("A*", "abc", false),
    ("*[0-9]*[x]", "a1b2x", true), ("[a-", "a", false),
  ])
  func `GLOB has sets and minds case`(pattern: String, text: String, matches: Bool) throws {
    let result = try caller.call("glob", [.text(pattern), .text(text)])
    #expect(result == .integer(matches ? 1 : 0))
  }

  @Test func `errors have SQLite's words`() throws {
    #expect(throws: SQLError.sql("integer overflow")) {
      try caller.call("abs", [.integer(.min)])
    }
    #expect(throws: SQLError.sql("ESCAPE expression must be a single character")) {
      try caller.call("like", ["a", "a", "xx"])
    }
    #expect(throws: SQLError.sql("LIKE or GLOB pattern too complex")) {
      try caller.call("like", [.text(String(repeating: "a", count: 50_001)), "a"])
    }
    #expect(throws: SQLError.tooBig) { try caller.call("zeroblob", [1_000_000_001]) }
    #expect(throws: SQLError.sql("invalid Unicode escape")) {
      try caller.call("unistr", ["\\00"])
    }
  }

  @Test func `sums are exact for integers and compensated for reals`() throws {
    #expect(try caller.aggregate("sum", [1, 2, nil, "3"]) == 6)
    #expect(try caller.aggregate("sum", [1e100, 1.0, -1e100]) == 1.0)
    #expect(try caller.aggregate("sum", []) == nil)
    #expect(try caller.aggregate("total", []) == 0.0)
    #expect(try caller.aggregate("avg", [1, 2]) == 1.5)
    #expect(throws: SQLError.sql("integer overflow")) {
      try caller.aggregate("sum", [.integer(.max), 1])
    }
    #expect(try caller.aggregate("group_concat", ["a", nil, 1, ""]) == "a,1,")
  }

  @Test func `lookup tells a wrong argument count from an unknown name`() {
    if case .scalar(let function) = caller.registry.find("SubStr", argumentCount: 2) {
      #expect(function.name == "substr")
    } else {
      Issue.record("substr is not found whatever its case")
    }
    #expect(isWrongCount(caller.registry.find("substr", argumentCount: 1)))
    #expect(!isWrongCount(caller.registry.find("nothing", argumentCount: 1)))
    if case .aggregate = caller.registry.find("max", argumentCount: 1) {
    } else {
      Issue.record("max of one argument is an aggregate")
    }
  }

  private func isWrongCount(_ lookup: FunctionRegistry.Lookup) -> Bool {
    if case .wrongArgumentCount = lookup { true } else { false }
  }
}
