#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif

// Normalized sort keys: rows as bytes whose memcmp order is the order of the rows.
//
//     key      := column*
//     column   := null | number | text | blob      (every byte inverted if descending)
//     null     := 05, or F0 where NULLs are big
//     number   := 10 <real, 8 bytes> <rest, 2 bytes, only from 2^53 on>
//     text     := 20 <bytes of the collation's form, 00 as 00 FF> 00 00
//     blob     := 30 <bytes, 00 as 00 FF> 00 00
//
// A real is its bits, sign flipped, negative ones inverted. An integer is the real nearest to it
// and how much it exceeds that: so integers and reals of one value give the same bytes (datatype3
// §4.1). The form of NOCASE is lower case; after a NUL, where that collation stops reading, only
// the length follows. RTRIM's form ends before the trailing spaces. Custom collations have no form.

/// A buffer in which one sort key after the other is put together.
struct SortKey {
  private(set) var bytes: UnsafeMutablePointer<UInt8>? = nil
  private(set) var count = 0
  private var capacity = 0

  private enum Tag {
    static let null: UInt8 = 0x05
    static let number: UInt8 = 0x10
    static let text: UInt8 = 0x20
    static let blob: UInt8 = 0x30
    static let bigNull: UInt8 = 0xf0
  }

  /// Whether the columns have normalized keys at all.
  static func isAvailable(for keyInfo: KeyInfo) -> Bool {
    keyInfo.columns.prefix(keyInfo.keyColumnCount).allSatisfy { $0.collation.kind != .custom }
  }

  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

  /// Empties the key; its memory stays for the next one.
  @inline(__always)
  mutating func removeAll() { count = 0 }

  mutating func deallocate() {
    Memory.free(bytes)
    self = SortKey()
  }

  /// Makes room for more bytes and gives the place where they go.
  @inline(__always)
  private mutating func reserve(
    _ byteCount: Int
  ) throws(SQLError) -> UnsafeMutablePointer<UInt8> {
    if capacity &- count < byteCount { try grow(byteCount) }
    return bytes.unsafelyUnwrapped + count
  }

  @inline(never)
  private mutating func grow(_ byteCount: Int) throws(SQLError) {
    let newCapacity = max(64, count &+ byteCount, 2 &* capacity)
    bytes = try Memory.reallocate(bytes, newCapacity).assumingMemoryBound(to: UInt8.self)
    capacity = newCapacity
  }

  /// Appends a value as the key's next column.
  @inline(__always)
  mutating func append(
    _ value: UnsafePointer<Register>, _ order: ColumnOrder, encoding: TextEncoding
  ) throws(SQLError) {
    let start = count
    switch value.pointee.tag {
    case .null:
      let end = try reserve(1)
      end[0] = order.hasBigNulls ? Tag.bigNull : Tag.null
      count &+= 1
    case .integer: try append(value.pointee.integer)
    case .real: try append(value.pointee.real)
    case .text: try append(text: value, order.collationKind, encoding)
    case .blob: try append(blob: value)
    }
    if order.isDescending { invert(from: start) }
  }

  /// The first 8 bytes of a key that begins with this value, where they are at hand: those of a
  /// number, and of a BINARY text of 8 bytes or more without NUL in front.
  @inline(__always)
  static func prefix(ofColumn value: UnsafePointer<Register>, _ order: ColumnOrder) -> UInt64? {
    let prefix: UInt64
    switch value.pointee.tag {
    case .integer: prefix = SortKey.prefix(of: Double(value.pointee.integer))
    case .real: prefix = SortKey.prefix(of: value.pointee.real)
    case .text:
      guard order.collationKind == .binary, value.pointee.byteCount >= 8,
        let bytes = value.pointee.bytes
      else { return nil }
      let start = UnsafeRawPointer(bytes).bigEndianUInt64() >> 8
      let lowest: UInt64 = 0x01_0101_0101_0101
      guard (start &- lowest) & ~start & lowest << 7 == 0 else { return nil }
      prefix = UInt64(Tag.text) << 56 | start
    case .null, .blob: return nil
    }
    return order.isDescending ? ~prefix : prefix
  }

  @inline(__always)
  private static func prefix(of real: Double) -> UInt64 {
    UInt64(Tag.number) << 56 | orderedBits(real) >> 8
  }

  /// The bits of a real, in the order of the reals.
  @inline(__always)
  private static func orderedBits(_ real: Double) -> UInt64 {
    let bits = (real == 0 ? 0.0 : real).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  /// Appends a number that makes keys of equal values differ, in the order of the numbers.
  mutating func append(sequenceNumber: UInt64) throws(SQLError) {
    let end = try reserve(8)
    UnsafeMutableRawPointer(end).storeBytes(of: sequenceNumber.bigEndian, as: UInt64.self)
    count &+= 8
  }

  private mutating func invert(from start: Int) {
    guard let bytes else { return }
    for index in start..<count { bytes[index] = ~bytes[index] }
  }

  @inline(__always)
  private mutating func append(_ integer: Int64) throws(SQLError) {
    let nearest = Double(integer)
    // 2^63 is the one real here that is not itself an integer of 64 bits; the difference wraps
    // right.
    let rounded = nearest >= 9_223_372_036_854_775_808.0 ? Int64.min : Int64(nearest)
    try append(nearest, rest: Int16(truncatingIfNeeded: integer &- rounded))
  }

  @inline(__always)
  private mutating func append(_ real: Double) throws(SQLError) { try append(real, rest: 0) }

  @inline(__always)
  private mutating func append(_ real: Double, rest: Int16) throws(SQLError) {
    let end = UnsafeMutableRawPointer(try reserve(11))
    end.storeBytes(of: Tag.number, as: UInt8.self)
    end.storeBytes(of: SortKey.orderedBits(real).bigEndian, toByteOffset: 1, as: UInt64.self)
    count &+= 9
    if real.magnitude >= 9_007_199_254_740_992.0 {
      let biased = UInt16(bitPattern: rest) ^ 0x8000
      end.storeBytes(of: biased.bigEndian, toByteOffset: 9, as: UInt16.self)
      count &+= 2
    }
  }

  private mutating func append(blob value: UnsafePointer<Register>) throws(SQLError) {
    let byteCount = Int(value.pointee.byteCount), zeroCount = Int(value.pointee.zeroCount)
    let end = try reserve(1)
    end[0] = Tag.blob
    count &+= 1
    try appendEscaped(value.pointee.bytes ?? Register.emptyBytes, byteCount)
    if zeroCount > 0 {
      let zeros = try reserve(2 &* zeroCount)
      for index in 0..<zeroCount {
        zeros[2 &* index] = 0
        zeros[2 &* index &+ 1] = 0xff
      }
      count &+= 2 &* zeroCount
    }
    try terminate()
  }

  private mutating func terminate() throws(SQLError) {
    let end = try reserve(2)
    end[0] = 0
    end[1] = 0
    count &+= 2
  }

  /// Appends bytes with each NUL doubled to 00 FF.
  private mutating func appendEscaped(
    _ source: UnsafePointer<UInt8>, _ byteCount: Int
  ) throws(SQLError) {
    var source = source, left = byteCount
    while left > 0 {
      let run = Memory.firstZero(in: UnsafeBufferPointer(start: source, count: left)) ?? left
      Memory.copy(from: source, to: try reserve(run), run)
      count &+= run
      if run == left { return }
      source += run
      left &-= run
      // Where one is, others are: in numbers, and in texts of UTF-16.
      let some = min(left, 256), end = try reserve(2 &* some)
      var written = 0
      for index in 0..<some {
        let byte = source[index]
        end[written] = byte
        end[written &+ 1] = 0xff
        written &+= byte == 0 ? 2 : 1
      }
      count &+= written
      source += some
      left &-= some
    }
  }
}

extension SortKey {
  private mutating func append(
    text value: UnsafePointer<Register>, _ kind: Collation.Kind, _ encoding: TextEncoding
  ) throws(SQLError) {
    assert(kind != .custom, "the caller asks isAvailable first")
    let end = try reserve(1)
    end[0] = Tag.text
    count &+= 1
    let bytes = value.pointee.bytes ?? Register.emptyBytes
    let byteCount = Int(value.pointee.byteCount)
    if kind == .binary {
      try appendEscaped(bytes, byteCount)
      return try terminate()
    }
    if encoding == .utf8 { return try append(folded: bytes, byteCount, kind) }
    // NOCASE and RTRIM are defined on UTF-8.
    var narrow = Register()
    defer { narrow.deinitialize() }
    narrow.setBorrowed(.text, bytes, byteCount)
    try narrow.changeEncoding(from: encoding, to: .utf8)
    try append(folded: narrow.bytes ?? Register.emptyBytes, Int(narrow.byteCount), kind)
  }

  private mutating func append(
    folded bytes: UnsafePointer<UInt8>, _ byteCount: Int, _ kind: Collation.Kind
  ) throws(SQLError) {
    if kind == .rightTrim {
      var trimmed = byteCount
      while trimmed > 0 && bytes[trimmed &- 1] == 0x20 { trimmed &-= 1 }
      try appendEscaped(bytes, trimmed)
      return try terminate()
    }
    let end = try reserve(byteCount &+ 6)
    for index in 0..<byteCount {
      let byte = bytes[index]
      if byte == 0 {
        // Smaller than any further character, larger than the end of the text.
        end[index] = 0
        end[index &+ 1] = 1
        let length = UInt32(truncatingIfNeeded: byteCount).bigEndian
        UnsafeMutableRawPointer(end + index + 2).storeBytes(of: length, as: UInt32.self)
        count &+= index &+ 6
        return
      }
      end[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
    count &+= byteCount
    try terminate()
  }
}
