// Variable-length integers (fileformat2 §1.6).
//
//     1 to 8 bytes of 7 bits, the most significant first, all but the last with the high bit set;
//     or 9 bytes, of which the last gives 8 bits.
//
// `read(at:)` may look at 9 bytes whatever the length is: page frames have slack for that. Bytes
// whose end is near go through `read(at:end:)`.

enum Varint {
  static let maximumByteCount = 9

  /// Reads the varint at `bytes`, of which 9 must be readable.
  @inline(__always)
  static func read(at bytes: UnsafePointer<UInt8>) -> (value: UInt64, byteCount: Int) {
    let first = UInt64(bytes[0])
    if first < 0x80 { return (first, 1) }
    let second = UInt64(bytes[1])
    if second < 0x80 { return ((first & 0x7f) &<< 7 | second, 2) }
    let third = UInt64(bytes[2])
    if third < 0x80 { return ((first & 0x7f) &<< 14 | (second & 0x7f) &<< 7 | third, 3) }
    return readLong(at: bytes)
  }

  /// How many bytes the varint at `bytes` has, of which 9 must be readable.
  @inline(__always)
  static func byteCount(at bytes: UnsafePointer<UInt8>) -> Int {
    if bytes[0] < 0x80 { return 1 }
    if bytes[1] < 0x80 { return 2 }
    return bytes[2] < 0x80 ? 3 : readLong(at: bytes).byteCount
  }

  /// A varint of several bytes: drops the high bits of up to 8 bytes at once.
  @inline(never)
  static func readLong(at bytes: UnsafePointer<UInt8>) -> (value: UInt64, byteCount: Int) {
    let word = bytes.bigEndianUInt64()
    let lastBytes = ~word & 0x8080_8080_8080_8080
    if lastBytes == 0 { return (compact(word) &<< 8 | UInt64(bytes[8]), 9) }
    let byteCount = lastBytes.leadingZeroBitCount &>> 3 &+ 1
    return (compact(word &>> UInt64(truncatingIfNeeded: 64 &- 8 &* byteCount)), byteCount)
  }

  /// Joins the low 7 bits of 8 bytes to a number of 56 bits.
  @inline(__always)
  private static func compact(_ word: UInt64) -> UInt64 {
    var joined = (word & 0x007f_007f_007f_007f) | (word & 0x7f00_7f00_7f00_7f00) &>> 1
    joined = (joined & 0x0000_3fff_0000_3fff) | (joined & 0x3fff_0000_3fff_0000) &>> 2
    return (joined & 0x0000_0000_0fff_ffff) | (joined & 0x0fff_ffff_0000_0000) &>> 4
  }

  /// Reads the varint at `bytes` without touching `end` or what follows; nil if it is cut off.
  static func read(
    at bytes: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
  ) -> (value: UInt64, byteCount: Int)? {
    var value: UInt64 = 0
    var position = bytes
    while position < end {
      let byte = UInt64(position.pointee)
      position += 1
      if position - bytes == maximumByteCount { return (value &<< 8 | byte, maximumByteCount) }
      value = value &<< 7 | (byte & 0x7f)
      if byte < 0x80 { return (value, position - bytes) }
    }
    return nil
  }

  /// How many bytes `write` takes for `value`.
  @inline(__always)
  static func byteCount(of value: UInt64) -> Int {
    if value < 0x80 { return 1 }
    let bitCount = 64 &- value.leadingZeroBitCount
    return bitCount > 56 ? maximumByteCount : (bitCount &+ 6) / 7
  }

  /// Writes `value` and returns the number of bytes written, at most 9.
  @inline(__always)
  @discardableResult
  static func write(_ value: UInt64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
    if value < 0x80 {
      bytes[0] = UInt8(truncatingIfNeeded: value)
      return 1
    }
    if value < 0x4000 {
      bytes[0] = UInt8(truncatingIfNeeded: value &>> 7) | 0x80
      bytes[1] = UInt8(truncatingIfNeeded: value) & 0x7f
      return 2
    }
    return writeLong(value, to: bytes)
  }

  @inline(never)
  private static func writeLong(_ value: UInt64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
    let count = byteCount(of: value)
    var rest = value
    var position = count - 1
    if count == maximumByteCount {
      bytes[position] = UInt8(truncatingIfNeeded: rest)
      rest &>>= 8
    } else {
      bytes[position] = UInt8(truncatingIfNeeded: rest) & 0x7f
      rest &>>= 7
    }
    while position > 0 {
      position -= 1
      bytes[position] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest &>>= 7
    }
    return count
  }
}
