/// Bytes as ASCII characters. Case and class of other bytes do not matter to SQL.
enum ASCII {
  @inline(__always) static func isUpper(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
  @inline(__always) static func isLower(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
  @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  static func lower(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }

  @inline(__always)
  static func upper(_ byte: UInt8) -> UInt8 { isLower(byte) ? byte & 0xdf : byte }

  /// The value of a hexadecimal digit; nil for other bytes.
  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 0x30 }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }

  /// The hexadecimal digit of a value below 16.
  @inline(__always)
  static func hexDigit(_ value: UInt8, upper: Bool) -> UInt8 {
    value < 10 ? 0x30 &+ value : (upper ? 0x37 : 0x57) &+ value
  }
}

extension String {
  /// Whether two names are the same: the case of ASCII letters does not matter.
  package func isSameName(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    // Iterators over the bytes of two strings take a hundred times as long as the bytes themselves.
    let isSame = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { otherBytes in
        bytes.indices.allSatisfy { ASCII.lower(bytes[$0]) == ASCII.lower(otherBytes[$0]) }
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8) { ASCII.lower($0) == ASCII.lower($1) }
  }
}
