import Testing

@testable import MartletEngine

@Suite struct VarintTests {
  /// The smallest and largest numbers of each length, and one with its highest bit set.
  static let numbers: [(UInt64, Int)] = [
    (0, 1), (0x7f, 1), (0x80, 2), (0x3fff, 2), (0x4000, 3), (0x1f_ffff, 3), (0x20_0000, 4),
    (0xfff_ffff, 4), (0x1000_0000, 5), (0x7_ffff_ffff, 5), (0x8_0000_0000, 6),
    (0x3ff_ffff_ffff, 6), (0x400_0000_0000, 7), (0x1_ffff_ffff_ffff, 7), (0x2_0000_0000_0000, 8),
    (0xff_ffff_ffff_ffff, 8), (0x100_0000_0000_0000, 9), (UInt64.max, 9), (1 << 63, 9),
  ]

  @Test(arguments: numbers)
  func `a varint is read as it was written`(number: UInt64, byteCount: Int) {
    var bytes = [UInt8](repeating: 0xff, count: 18)
    let written = bytes.withUnsafeMutableBufferPointer {
      Varint.write(number, to: $0.baseAddress!)
    }
    #expect(written == byteCount)
    #expect(Varint.byteCount(of: number) == byteCount)
    bytes.withUnsafeBufferPointer {
      let start = $0.baseAddress!
      let read = Varint.read(at: start)
      #expect(read == (number, byteCount))
      let checked = Varint.read(at: start, end: start + byteCount)
      #expect(checked?.value == number && checked?.byteCount == byteCount)
      #expect(Varint.read(at: start, end: start + byteCount - 1) == nil)
    }
  }
}
