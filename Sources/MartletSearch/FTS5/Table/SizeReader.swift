/// Reads the sizes of a row's columns, varints that follow each other.
struct SizeReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  /// All that was read was there.
  private(set) var isSound = true

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func next() -> Int {
    var value: UInt64 = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return Int(truncatingIfNeeded: value & 0x7fff_ffff) }
    }
    isSound = false
    return 0
  }
}
