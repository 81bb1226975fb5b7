import Testing

@testable import MartletEngine

private func text(_ value: Double) -> String {
  var buffer = [UInt8](repeating: 0, count: NumberText.bufferSize)
  let count = NumberText.write(value, to: &buffer)
  return String(decoding: buffer[..<count], as: UTF8.self)
}

private func number(_ text: String) -> NumericText {
  let bytes = Array(text.utf8)
  return bytes.withUnsafeBufferPointer {
    NumericText($0.baseAddress ?? Register.emptyBytes, $0.count)
  }
}

@Suite struct NumberTextTests {
  @Test(arguments: [
    (47.49, "47.49"), (1.23 * 2.34, "2.8781999999999997"), (0.1 + 0.2, "0.30000000000000004"),
    (100, "100.0"), (1e16, "10000000000000000.0"), (1e17, "1.0e+17"), (1e-4, "0.0001"),
    (1e-5, "1.0e-05"), (-0.0, "0.0"), (Double.leastNonzeroMagnitude, "4.9406564584124654e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"), (-Double.infinity, "-Inf"),
    (12345678901234568, "12345678901234568.0"), (1e100, "1.0e+100"),
  ])
  func `reals are shown with 17 digits unless fewer identify them`(value: Double, shown: String) {
    #expect(text(value) == shown)
  }

  @Test(arguments: [
    ("9007199254740993", 9_007_199_254_740_992), ("1e23", 1e23), ("2.4703282292062327e-324", 0),
    ("2.4703282292062328e-324", Double.leastNonzeroMagnitude),
    ("1.7976931348623158e308", 1.7976931348623157e308),
    ("1.7976931348623159e308", .infinity), ("8.5e-324", 2 * Double.leastNonzeroMagnitude), ("1e-400", 0),
  ])
  func `decimal text is rounded to the nearest double`(source: String, value: Double) {
    #expect(number(source).real == value)
  }

  @Test(arguments: [
    ("2577984551429631682e-326", 0x12_89a6_bdc2_7c82), ("5155969102859263364e-326", 0x22_89a6_bdc2_7c82),
    ("11666794261634900681e-325", 0x6a_3776_0ae9_5d3a),
  ] as [(String, UInt64)])
  func `as near to a tie as this, 96 bits of the power decide as SQLite's do`(
    source: String, bits: UInt64
  ) {
    // The nearest doubles are the neighbours.
    #expect(number(source).real.bitPattern == bits)
  }

  @Test func `digits beyond nineteen are dropped, not rounded`() {
    // The nearest double is 3.716491892343989e+20.
    #expect(number("371649189234398887944").real == 3.7164918923439886e+20)
  }

  @Test(arguments: [
    ("12", true, true), (" 12\t", true, true), ("12x", true, false), ("1e", true, false),
    ("1.e", false, false), ("1.", false, true), ("1e5", false, true), ("", true, false),
    (".", true, false), ("+-5", true, false), ("0x10", true, false), (".5", false, true),
  ])
  func `a prefix is an integer or a real, and complete or not`(
    source: String, isInteger: Bool, isComplete: Bool
  ) {
    let parsed = number(source)
    #expect((parsed.form == .integer) == isInteger)
    #expect(parsed.isComplete == isComplete)
  }

  @Test func `integers beyond 64 bits are limited and say so`() {
    #expect(number("9223372036854775807").isInteger)
    #expect(number("-9223372036854775808").integer == .min)
    #expect(number("-9223372036854775808").isInteger)
    #expect(number("9223372036854775808").integer == .max)
    #expect(!number("9223372036854775808").isInteger)
  }

  @Test func `what is shown reads back as the same double`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(number(text(value)).real == value, "\(value)")
    }
  }
}
