import Testing

@testable import MartletEngine

@Suite struct AffinityTests {
  @Test(arguments: [
    ("INT", Affinity.integer), ("UNSIGNED BIG INT", .integer), ("CHARINT", .integer),
    ("FLOATING POINT", .integer), ("VARCHAR(255)", .text), ("CLOB", .text), ("BLOB", .blob),
    ("", .blob), ("REAL", .real), ("DOUBLE PRECISION", .real), ("FLOAT", .real),
    ("STRING", .numeric), ("DECIMAL(10,5)", .numeric), ("text", .text), ("BLOBTEXT", .text),
  ])
  func `a declared type decides the affinity by its parts`(type: String, affinity: Affinity) {
    #expect(Affinity(declaredType: type) == affinity)
  }

  @Test(arguments: [TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian])
  func `numbers and their texts convert in every encoding`(encoding: TextEncoding) throws {
    var value = Register()
    defer { value.deinitialize() }
    value.setReal(-2.5)
    try Affinity.text.apply(to: &value, encoding: encoding)
    #expect(value.tag == .text)
    #expect(value.byteCount == (encoding == .utf8 ? 4 : 8))
    try Affinity.numeric.apply(to: &value, encoding: encoding)
    #expect(value.tag == .real && value.real == -2.5)
  }

  @Test func `text that is no number as a whole stays text`() throws {
    var value = Register()
    defer { value.deinitialize() }
    let bytes = Array("12 monkeys".utf8)
    try value.setOwned(.text, copying: bytes, bytes.count)
    try Affinity.integer.apply(to: &value, encoding: .utf8)
    #expect(value.tag == .text)
    try Cast.apply(.integer, to: &value, encoding: .utf8)
    #expect(value.tag == .integer && value.integer == 12)
  }

  @Test func `integers and reals compare exactly`() {
    #expect(Comparison.compare(9_007_199_254_740_993, 9_007_199_254_740_992.0) > 0)
    #expect(Comparison.compare(.max, 9_223_372_036_854_775_808.0) < 0)
    #expect(Comparison.compare(.min, -9_223_372_036_854_775_808.0) == 0)
    #expect(Comparison.compare(-3, -3.5) > 0)
  }
}
