// Numbers of variable length in the index of FTS3 and FTS4 (fts3 §9.1): seven bits a byte, the
// lowest first; a byte of the second half is followed by another.
import MartletEngine

extension [UInt8] {
  /// Adds a number of 1 to 10 bytes.
  @inline(__always)
  mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  mutating func append(number: Int) { append(number: UInt64(bitPattern: Int64(number))) }
}

enum FTS4Number {
  /// Bytes that a number takes.
  static func length(_ number: UInt64) -> Int {
    number < 0x80 ? 1 : (70 - (number | 1).leadingZeroBitCount) / 7
  }

  static func length(_ number: Int) -> Int { length(UInt64(bitPattern: Int64(number))) }

  /// As many numbers as there are; zeros where the bytes end, and all of them where the last byte
  /// promises another.
  static func decode(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt32] {
    var numbers = [UInt32](repeating: 0, count: count)
    guard let last = bytes.last, last < 0x80 else { return numbers }
    var reader = ByteReader(bytes)
    var index = 0
    while index < count, !reader.isAtEnd {
      numbers[index] = UInt32(truncatingIfNeeded: reader.number())
      index += 1
    }
    return numbers
  }

  static func encode(_ numbers: some Sequence<UInt32>) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { bytes.append(number: UInt64(number)) }
    return bytes
  }
}

/// Reads numbers of bytes that somebody else keeps. Behind the end there are zeros.
struct ByteReader {
  private let start: UnsafePointer<UInt8>?
  let count: Int
  var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    count = bytes.count
  }

  var isAtEnd: Bool {
    @inline(__always) get { offset >= count }
  }

  /// The next byte, which stays.
  @inline(__always)
  var byte: UInt8 {
    guard offset < count, let start else { return 0 }
    return start[offset]
  }

  @inline(__always)
  mutating func number() -> UInt64 {
    let first = byte
    if first < 0x80 {
      offset &+= 1
      return UInt64(first)
    }
    return longNumber()
  }

  private mutating func longNumber() -> UInt64 {
    var number: UInt64 = 0, shift: UInt64 = 0
    while shift <= 63 {
      let byte = self.byte
      offset &+= 1
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return number
  }

  /// A number of at most 31 bits; others lose what is above.
  @inline(__always)
  mutating func smallNumber() -> Int { Int(number() & 0x7fff_ffff) }

  /// Goes behind the rest of a position list: to a zero byte, or, in a list of one column, to a
  /// byte of one, that is no part of a longer number. Returns where that byte is.
  @inline(__always)
  mutating func skipPositions(ofColumn isColumn: Bool) -> Int {
    guard let start else { return offset }
    let mask: UInt8 = isColumn ? 0xfe : 0xff
    var isInside: UInt8 = 0
    while offset < count, (start[offset] & mask) | isInside != 0 {
      isInside = start[offset] & 0x80
      offset &+= 1
    }
    return offset
  }
}

extension SQLError {
  static func search(_ message: String) -> SQLError { SQLError(.error, message) }

  /// A shadow table has what the index never has.
  static var searchCorrupt: SQLError { SQLError(.corruptVirtualTable) }
}

extension [UInt8] {
  /// Calls `body` with the bytes; typed errors pass.
  @inline(__always)
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let outcome = withUnsafeBytes { bytes in
      Swift.Result { () throws(SQLError) in try body(bytes) }
    }
    return try outcome.get()
  }

  /// Bytes in order; of two that begin the same the shorter comes first.
  static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        let shared = Swift.min(left.count, right.count)
        var index = 0
        while index < shared {
          if left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
          index &+= 1
        }
        return left.count - right.count
      }
    }
  }
}
