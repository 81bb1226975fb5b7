import Testing

@testable import MartletEngine

@Suite struct TextConversionTests {
  private func convert(_ bytes: [UInt8], _ source: TextEncoding, _ target: TextEncoding) -> [UInt8]
  {
    let maximum = TextConversion.maximumByteCount(bytes.count, from: source, to: target)
    var result = [UInt8](repeating: 0, count: max(1, maximum))
    let count = TextConversion.convert(
      bytes, bytes.count, from: source, to: target, into: &result)
    return Array(result[..<count])
  }

  @Test(arguments: ["", "abc", "Ünïcödé", "日本語", "a😀b"])
  func `valid text survives the way to UTF-16 and back`(text: String) {
    for wide in [TextEncoding.utf16LittleEndian, .utf16BigEndian] {
      let units = convert(Array(text.utf8), .utf8, wide)
      #expect(units.count == 2 * text.utf16.count)
      #expect(convert(units, wide, .utf8) == Array(text.utf8))
    }
    let little = convert(Array(text.utf8), .utf8, .utf16LittleEndian)
    #expect(little == text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
  }

  @Test(arguments: [
    ([0xc0, 0x80], 0xfffd), ([0xed, 0xa0, 0x80], 0xfffd),
    ([0x80], 0x80), ([0xef, 0xbf, 0xbe], 0xfffd), ([0xe2, 0x82], 0x82), ([0xff], 0xfffd),
  ] as [([UInt8], UInt16)])
  func `invalid UTF-8 becomes what SQLite makes of it`(bytes: [UInt8], unit: UInt16) {
    let units = convert(bytes, .utf8, .utf16BigEndian)
    #expect(units == [UInt8(unit >> 8), UInt8(unit & 255)])
  }

  @Test func `half a UTF-16 character is dropped and a lone surrogate kept`() {
    #expect(convert([0x61, 0, 0x62], .utf16LittleEndian, .utf8) == [0x61])
    #expect(convert([0x00, 0xd8], .utf16LittleEndian, .utf8) == [0xed, 0xa0, 0x80])
  }
}
