/// Bytes, which are stored as BLOB.
public struct Blob: Sendable, Hashable, CustomStringConvertible {
  /// The bytes.
  public let bytes: [UInt8]

  /// Wraps bytes.
  @inlinable
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Copies bytes; none where the length is below 0.
  public init(bytes: UnsafeRawPointer, length: Int) {
    self.init(bytes: Array(UnsafeRawBufferPointer(start: bytes, count: max(0, length))))
  }

  /// So many bytes are there.
  public var length: Int { bytes.count }

  /// The bytes in lower case hexadecimal digits.
  public func toHex() -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      let digits: StaticString = "0123456789abcdef"
      for (index, byte) in bytes.enumerated() {
        text[index * 2] = digits.utf8Start[Int(byte >> 4)]
        text[index * 2 + 1] = digits.utf8Start[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }

  /// The bytes as a literal of SQL: `x'c0ffee'`.
  public var description: String { "x'\(toHex())'" }
}
