// Code points of texts that may be any bytes, as full-text search reads and writes them.

/// Reads code points. What is no UTF-8 becomes some code point, the same as in SQLite: a byte of
/// the second half without a first one stands for itself, and a first byte takes as many bytes of
/// the second half as follow.
struct ScalarReader {
  private static let replacement: UInt32 = 0xfffd

  let start: UnsafePointer<UInt8>
  let count: Int
  var offset = 0

  init(_ text: UnsafeRawBufferPointer) {
    let start = text.baseAddress ?? ScalarReader.nowhere
    self.start = start.assumingMemoryBound(to: UInt8.self)
    count = text.count
  }

  /// For texts without bytes; nothing is read there.
  private static var nowhere: UnsafeRawPointer {
    UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
  }

  var isAtEnd: Bool {
    @inline(__always) get { offset >= count }
  }

  /// The next code point; the caller knows that there is one.
  @inline(__always)
  mutating func next() -> UInt32 {
    let first = start[offset]
    offset &+= 1
    if first < 0xc0 { return UInt32(first) }
    return rest(of: first)
  }

  private mutating func rest(of first: UInt8) -> UInt32 {
    var scalar: UInt32 =
      switch first {
      case ..<0xe0: UInt32(first & 0x1f)
      case ..<0xf0: UInt32(first & 0x0f)
      case ..<0xf8: UInt32(first & 0x07)
      case ..<0xfc: UInt32(first & 0x03)
      case ..<0xfe: UInt32(first & 0x01)
      default: 0
      }
    while offset < count, start[offset] & 0xc0 == 0x80 {
      scalar = scalar << 6 &+ UInt32(start[offset] & 0x3f)
      offset &+= 1
    }
    let isNone = scalar < 0x80 || scalar & 0xffff_f800 == 0xd800 || scalar & 0xffff_fffe == 0xfffe
    return isNone ? ScalarReader.replacement : scalar
  }
}

/// A token that is being written, in memory that the next token uses again.
struct TokenBuffer: ~Copyable {
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 64
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(byte: UInt8) {
    if count == capacity { grow() }
    bytes[count] = byte
    count &+= 1
  }

  @inline(__always)
  mutating func append(_ scalar: UInt32) {
    if scalar < 0x80 { return append(byte: UInt8(truncatingIfNeeded: scalar)) }
    appendWide(scalar)
  }

  private mutating func appendWide(_ scalar: UInt32) {
    func tail(_ shift: UInt32) -> UInt8 {
      0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3f
    }
    if scalar < 0x800 {
      append(byte: 0xc0 | UInt8(truncatingIfNeeded: scalar >> 6) & 0x1f)
    } else {
      if scalar < 0x10000 {
        append(byte: 0xe0 | UInt8(truncatingIfNeeded: scalar >> 12) & 0x0f)
      } else {
        append(byte: 0xf0 | UInt8(truncatingIfNeeded: scalar >> 18) & 0x07)
        append(byte: tail(12))
      }
      append(byte: tail(6))
    }
    append(byte: tail(0))
  }

  /// Takes bytes away at the front.
  mutating func removeFirst(_ removed: Int) {
    count -= removed
    for index in 0..<count { bytes[index] = bytes[index + removed] }
  }

  /// Takes bytes away in the middle.
  mutating func removeMiddle(keeping kept: Int) {
    for index in 0..<kept { bytes[kept + index] = bytes[count - kept + index] }
    count = 2 * kept
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
    capacity *= 2
  }

  var contents: UnsafeRawBufferPointer {
    @inline(__always) get { UnsafeRawBufferPointer(start: bytes, count: count) }
  }
}
