/// DEFLATE as zlib wraps it (RFC 1950), and the sums that tell damage.
///
///     | 0x78 method and window | check | stream | Adler-32 of the content, u32 big-endian |
enum Zlib {
  static func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let sum = adler32(bytes)
    return [0x78, 0x9c] + Deflate.compress(bytes)
      + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
  }

  /// The content, which must have that size; nil where the bytes are no such stream.
  static func decompress(_ bytes: UnsafeRawBufferPointer, size: Int) -> [UInt8]? {
    let trailer = 4, header = 2
    guard bytes.count >= header + trailer, bytes[0] & 15 == 8, bytes[1] & 0x20 == 0,
      (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    else { return nil }
    let stream = UnsafeRawBufferPointer(rebasing: bytes[header..<bytes.count - trailer])
    guard let content = try? Inflate.decompress(stream, limit: size), content.count == size else {
      return nil
    }
    let sum = bytes.suffix(trailer).reduce(0) { $0 << 8 | UInt32($1) }
    return content.withUnsafeBytes(adler32) == sum ? content : nil
  }

  static func adler32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var low: UInt32 = 1, high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }

  static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in
      crcTable[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
  }

  private static let crcTable: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xedb8_8320 ^ crc >> 1 : crc >> 1 }
  }
}
