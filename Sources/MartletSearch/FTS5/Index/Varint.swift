/// Variable-length integers as SQLite's records have them: big-endian groups of seven bits, and all
/// eight of a ninth byte (fts5 §9.1).
enum Varint {
  static let maximumSize = 9

  @inline(__always)
  static func put(_ value: UInt64, _ target: UnsafeMutablePointer<UInt8>) -> Int {
    if value <= 0x7f {
      target[0] = UInt8(truncatingIfNeeded: value)
      return 1
    }
    if value <= 0x3fff {
      target[0] = UInt8(truncatingIfNeeded: value >> 7) | 0x80
      target[1] = UInt8(truncatingIfNeeded: value) & 0x7f
      return 2
    }
    return putLong(value, target)
  }

  @inline(never)
  private static func putLong(_ value: UInt64, _ target: UnsafeMutablePointer<UInt8>) -> Int {
    if value >> 56 != 0 {
      var rest = value >> 8
      target[8] = UInt8(truncatingIfNeeded: value)
      for index in stride(from: 7, through: 0, by: -1) {
        target[index] = UInt8(truncatingIfNeeded: rest) | 0x80
        rest >>= 7
      }
      return 9
    }
    let count = size(of: value)
    var rest = value
    for index in stride(from: count - 1, through: 0, by: -1) {
      target[index] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    target[count - 1] &= 0x7f
    return count
  }

  static func size(of value: UInt64) -> Int {
    if value >> 56 != 0 { return 9 }
    var count = 1, rest = value >> 7
    while rest != 0 {
      count += 1
      rest >>= 7
    }
    return count
  }

  /// Reads a varint. Nine bytes must be readable, whatever they are.
  @inline(__always)
  static func read(_ source: UnsafePointer<UInt8>, _ value: inout UInt64) -> Int {
    let first = source[0]
    if first < 0x80 {
      value = UInt64(first)
      return 1
    }
    let second = source[1]
    if second < 0x80 {
      value = UInt64(first & 0x7f) << 7 | UInt64(second)
      return 2
    }
    return readLong(source, &value)
  }

  @inline(never)
  private static func readLong(_ source: UnsafePointer<UInt8>, _ value: inout UInt64) -> Int {
    var result: UInt64 = 0
    for index in 0..<8 {
      let byte = source[index]
      result = result << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 {
        value = result
        return index + 1
      }
    }
    value = result << 8 | UInt64(source[8])
    return 9
  }

  /// Reads a number that fits 31 bits in every sound index; what others have above is dropped.
  @inline(__always)
  static func readSmall(_ source: UnsafePointer<UInt8>, _ value: inout Int) -> Int {
    var wide: UInt64 = 0
    let count = read(source, &wide)
    value = Int(truncatingIfNeeded: wide & 0x7fff_ffff)
    return count
  }
}
