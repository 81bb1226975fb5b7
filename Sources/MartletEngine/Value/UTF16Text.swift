/// A borrowed UTF-16 text, read as code points: any unit from D800 to DFFF takes the next unit as
/// its second half, and an odd last byte is dropped.
struct UTF16Text {
  let bytes: UnsafePointer<UInt8>
  let byteCount: Int
  /// Index of a unit's high byte: 1 in little-endian texts, 0 in big-endian ones.
  private let highIndex: Int

  init(_ text: UnsafeBufferPointer<UInt8>, _ encoding: TextEncoding) {
    bytes = text.baseAddress ?? Register.emptyBytes
    byteCount = text.count & ~1
    highIndex = encoding == .utf16LittleEndian ? 1 : 0
  }

  /// Index of a unit's low byte.
  var lowIndex: Int { highIndex ^ 1 }

  private init(_ text: UTF16Text, byteCount: Int) {
    bytes = text.bytes
    self.byteCount = byteCount
    highIndex = text.highIndex
  }

  @inline(__always)
  private func unit(at offset: Int) -> UInt32 {
    UInt32(bytes[offset &+ highIndex]) &<< 8 | UInt32(bytes[offset &+ (highIndex ^ 1)])
  }

  /// The code point at `offset`, which moves behind it.
  @inline(__always)
  func next(_ offset: inout Int) -> UInt32 {
    let first = unit(at: offset)
    offset &+= 2
    guard first & 0xf800 == 0xd800, offset < byteCount else { return first }
    let second = unit(at: offset)
    offset &+= 2
    return ((first & 0x3ff) &+ 0x40) &<< 10 | (second & 0x3ff)
  }

  /// Bytes that the text takes in UTF-8.
  var utf8Count: Int {
    var offset = 0, count = 0
    while offset < byteCount {
      let point = next(&offset)
      count &+= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    }
    return count
  }

  var withoutTrailingSpaces: UTF16Text {
    var count = byteCount
    while count > 0, unit(at: count &- 2) == 0x20 { count &-= 2 }
    return UTF16Text(self, byteCount: count)
  }
}
