/// Conversion between UTF-8 and UTF-16, with SQLite's treatment of what is not valid (invalidutf).
///
/// Reading UTF-8, a lead byte takes all continuation bytes that follow it; overlong forms,
/// surrogates and U+FFFE/U+FFFF become U+FFFD; stray continuation bytes stand for themselves.
/// Reading UTF-16, a surrogate of either half takes the next unit, whatever it is.
enum TextConversion {
  /// How many bytes `convert` may write at most.
  static func maximumByteCount(
    _ byteCount: Int, from source: TextEncoding, to target: TextEncoding
  ) -> Int {
    if source == target { return byteCount }
    if source == .utf8 { return 2 * byteCount }
    return target == .utf8 ? byteCount / 2 * 3 : byteCount
  }

  /// Writes the text in the other encoding; gives the byte count. The memory must not overlap.
  static func convert(
    _ bytes: UnsafePointer<UInt8>, _ byteCount: Int, from source: TextEncoding,
    to targetEncoding: TextEncoding, into target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    if source == targetEncoding {
      Memory.copy(from: bytes, to: target, byteCount)
      return byteCount
    }
    if source == .utf8 {
      return widen(bytes, byteCount, target, low: targetEncoding == .utf16LittleEndian ? 0 : 1)
    }
    if targetEncoding == .utf8 {
      return narrow(
        UTF16Text(UnsafeBufferPointer(start: bytes, count: byteCount), source), target)
    }
    let evenCount = byteCount & ~1
    var index = 0
    while index < evenCount {
      target[index] = bytes[index + 1]
      target[index + 1] = bytes[index]
      index += 2
    }
    return evenCount
  }

  private static func widen(
    _ bytes: UnsafePointer<UInt8>, _ byteCount: Int, _ target: UnsafeMutablePointer<UInt8>,
    low: Int
  ) -> Int {
    var position = bytes, end = target
    let limit = bytes + byteCount
    func write(_ unit: UInt32) {
      end[low] = UInt8(truncatingIfNeeded: unit)
      end[1 - low] = UInt8(truncatingIfNeeded: unit >> 8)
      end += 2
    }
    // Behind two ASCII characters there are more of them; one may be a blank.
    var asciiCount = 2
    while position < limit {
      if asciiCount >= 2 {
        while limit - position >= 8, let units = ASCIIUnits(utf8: position) {
          units.write(to: end, low: low)
          position += 8
          end += 16
        }
        if position == limit { break }
      }
      let scalar = readUTF8(&position, limit)
      asciiCount = scalar < 0x80 ? asciiCount &+ 1 : 0
      if scalar <= 0xffff {
        write(scalar)
      } else {
        let offset = scalar &- 0x10000
        let highBits = (scalar >> 10) & 0x3f | (offset >> 10) & 0xc0
        write(0xd800 | ((offset >> 18) & 3) << 8 | highBits)
        write(0xdc00 | scalar & 0x3ff)
      }
    }
    return end - target
  }

  private static func narrow(
    _ text: UTF16Text, _ target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var offset = 0, end = target, asciiCount = 2
    while offset < text.byteCount {
      if asciiCount >= 2 {
        while text.byteCount - offset >= 16,
          let units = ASCIIUnits(utf16: text.bytes + offset, low: text.lowIndex)
        {
          units.write(to: end)
          offset += 16
          end += 8
        }
        if offset == text.byteCount { break }
      }
      let scalar = text.next(&offset)
      asciiCount = scalar < 0x80 ? asciiCount &+ 1 : 0
      end += writeUTF8(scalar, to: end)
    }
    return end - target
  }

  /// Reads one character; `position` must be below `limit`.
  @inline(__always)
  static func readUTF8(
    _ position: inout UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>
  ) -> UInt32 {
    let first = UInt32(position.pointee)
    position += 1
    if first < 0xc0 { return first }
    return readMultibyte(first, &position, limit)
  }

  @inline(never)
  private static func readMultibyte(
    _ first: UInt32, _ position: inout UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>
  ) -> UInt32 {
    var scalar: UInt32
    switch first {
    case ..<0xe0: scalar = first & 0x1f
    case ..<0xf0: scalar = first & 0x0f
    case ..<0xf8: scalar = first & 0x07
    case ..<0xfc: scalar = first & 0x03
    case ..<0xfe: scalar = first & 0x01
    default: scalar = 0
    }
    while position < limit && position.pointee & 0xc0 == 0x80 {
      scalar = scalar << 6 &+ UInt32(position.pointee & 0x3f)
      position += 1
    }
    let isInvalid = scalar < 0x80 || scalar & 0xffff_f800 == 0xd800
      || scalar & 0xffff_fffe == 0xfffe
    return isInvalid ? 0xfffd : scalar
  }

  /// Writes one character as one to four bytes; gives their count.
  @inline(__always)
  static func writeUTF8(_ scalar: UInt32, to target: UnsafeMutablePointer<UInt8>) -> Int {
    @inline(__always) func tail(_ shift: UInt32) -> UInt8 {
      0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3f
    }
    if scalar < 0x80 {
      target[0] = UInt8(truncatingIfNeeded: scalar)
      return 1
    }
    if scalar < 0x800 {
      target[0] = 0xc0 | UInt8(truncatingIfNeeded: scalar >> 6) & 0x1f
      target[1] = tail(0)
      return 2
    }
    if scalar < 0x10000 {
      target[0] = 0xe0 | UInt8(truncatingIfNeeded: scalar >> 12) & 0x0f
      target[1] = tail(6)
      target[2] = tail(0)
      return 3
    }
    target[0] = 0xf0 | UInt8(truncatingIfNeeded: scalar >> 18) & 0x07
    target[1] = tail(12)
    target[2] = tail(6)
    target[3] = tail(0)
    return 4
  }
}

/// Eight ASCII characters on their way from one encoding to the other: most texts have no others.
private struct ASCIIUnits {
  private let units: SIMD8<UInt16>

  /// Where the low byte of the machine's own units is.
  private static var nativeLow: Int { 1.littleEndian == 1 ? 0 : 1 }

  /// nil where one of the eight bytes is not ASCII.
  @inline(__always)
  init?(utf8 bytes: UnsafePointer<UInt8>) {
    let loaded = UnsafeRawPointer(bytes).loadUnaligned(as: SIMD8<UInt8>.self)
    guard unsafeBitCast(loaded, to: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { return nil }
    units = SIMD8(truncatingIfNeeded: loaded)
  }

  /// nil where one of the eight units is not ASCII. `low` is the index of a unit's low byte.
  @inline(__always)
  init?(utf16 bytes: UnsafePointer<UInt8>, low: Int) {
    let loaded = UnsafeRawPointer(bytes).loadUnaligned(as: SIMD8<UInt16>.self)
    let words = unsafeBitCast(loaded, to: SIMD2<UInt64>.self)
    let isNative = low == ASCIIUnits.nativeLow
    let wrong: UInt64 = isNative ? 0xff80_ff80_ff80_ff80 : 0x80ff_80ff_80ff_80ff
    guard (words.x | words.y) & wrong == 0 else { return nil }
    units = isNative ? loaded : loaded &>> 8
  }

  @inline(__always)
  func write(to utf8: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(utf8).storeBytes(
      of: SIMD8<UInt8>(truncatingIfNeeded: units), as: SIMD8<UInt8>.self)
  }

  @inline(__always)
  func write(to utf16: UnsafeMutablePointer<UInt8>, low: Int) {
    UnsafeMutableRawPointer(utf16).storeBytes(
      of: low == ASCIIUnits.nativeLow ? units : units &<< 8, as: SIMD8<UInt16>.self)
  }
}

/// A copy of a text in another encoding.
struct TranscodedText {
  let bytes: UnsafeRawBufferPointer

  init(
    _ text: UnsafeBufferPointer<UInt8>, from source: TextEncoding, to target: TextEncoding
  ) throws(SQLError) {
    let memory = try Memory.allocate(
      TextConversion.maximumByteCount(text.count, from: source, to: target))
    let byteCount = TextConversion.convert(
      text.baseAddress ?? Register.emptyBytes, text.count, from: source, to: target,
      into: memory.assumingMemoryBound(to: UInt8.self))
    bytes = UnsafeRawBufferPointer(start: memory, count: byteCount)
  }

  func deallocate() { Memory.free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
}

extension Register {
  /// Makes a register that nobody else knows yet a text. What it owns is freed where that fails.
  mutating func setOwnedText(
    _ text: UnsafeBufferPointer<UInt8>, in encoding: TextEncoding
  ) throws(SQLError) {
    try freeingOnError { (register) throws(SQLError) in
      let start = text.baseAddress ?? Register.emptyBytes
      try register.set(text: start, text.count, from: .utf8, to: encoding)
    }
  }

  /// Copies a text and makes it one in another encoding. Where that fails, the register is NULL.
  mutating func set(
    text start: UnsafePointer<UInt8>, _ byteCount: Int, from source: TextEncoding,
    to target: TextEncoding
  ) throws(SQLError) {
    do throws(SQLError) {
      try setOwned(.text, copying: start, byteCount)
      try changeEncoding(from: source, to: target)
    } catch {
      setNull()
      throw error
    }
  }

  /// Puts a text into another encoding; other values stay.
  mutating func changeEncoding(
    from source: TextEncoding, to target: TextEncoding
  ) throws(SQLError) {
    guard tag == .text && source != target else { return }
    var converted = Register()
    try converted.setText(of: self, from: source, to: target)
    Memory.free(buffer)
    self = converted
  }

  /// Makes this the text of another register, in another encoding; the buffer is used again.
  mutating func setText(
    of other: borrowing Register, from source: TextEncoding, to target: TextEncoding
  ) throws(SQLError) {
    let maximum = TextConversion.maximumByteCount(Int(other.byteCount), from: source, to: target)
    let memory = try reserveBuffer(maximum)
    let count = TextConversion.convert(
      other.bytes.unsafelyUnwrapped, Int(other.byteCount), from: source, to: target, into: memory)
    adoptBuffer(.text, count)
    flags = other.flags.subtracting(.loan)
    subtype = other.subtype
  }
}
