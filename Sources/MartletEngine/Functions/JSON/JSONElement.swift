// JSONB, the binary form of JSON (json1 §3.2.1).
//
//     element | type: low 4 bits, size: high 4 bits | more size bytes | payload |
//
//     size 0-11    the payload's byte count
//          12-15   the byte count follows in 1, 2, 4 or 8 bytes, big-endian
//
// An array's payload is its elements, an object's its labels and values by turns. Numbers and texts
// are kept as they were written; the type says what may be in them.
//
// Nothing in a blob is to be trusted: `JSONElements.header` compares every size with what is there.

/// The type of a JSONB element.
enum JSONType {
  static let null: UInt8 = 0
  static let `true`: UInt8 = 1
  static let `false`: UInt8 = 2
  /// Canonical integers and reals.
  static let integer: UInt8 = 3
  static let float: UInt8 = 5
  /// Hexadecimal integers, and reals that lack digits beside the point.
  static let integer5: UInt8 = 4
  static let float5: UInt8 = 6
  /// A text without escapes, which needs none.
  static let text: UInt8 = 7
  /// A text with escapes of canonical JSON.
  static let escapedText: UInt8 = 8
  /// A text with escapes that only JSON5 knows.
  static let text5: UInt8 = 9
  /// A text that has to be escaped where it becomes JSON.
  static let rawText: UInt8 = 10
  static let array: UInt8 = 11
  static let object: UInt8 = 12

  @inline(__always)
  static func isText(_ type: UInt8) -> Bool { type >= text && type <= rawText }

  @inline(__always)
  static func isContainer(_ type: UInt8) -> Bool { type >= array }

  /// What json_type() says.
  static func name(_ type: UInt8) -> StaticString {
    switch type {
    case null: "null"
    case `true`: "true"
    case `false`: "false"
    case integer, integer5: "integer"
    case float, float5: "real"
    case text...rawText: "text"
    case array: "array"
    case object: "object"
    default: ""
    }
  }
}

enum JSONLimits {
  /// Deeper nesting is refused (json1 §3.5).
  static let depth = 1_000
}

/// The elements of a JSONB blob, by their offsets.
struct JSONElements {
  let bytes: UnsafePointer<UInt8>
  let count: Int
  /// How much longer the containers around an edit still say they are.
  var excess = 0

  struct Header {
    /// 0 for a header that cannot be.
    let size: Int
    let payload: Int

    @inline(__always) var isValid: Bool { size > 0 }
    @inline(__always) var total: Int { size &+ payload }

    static let malformed = Header(size: 0, payload: 0)
  }

  @inline(__always)
  init(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    self.bytes = bytes
    self.count = count
  }

  /// The type of an element that is known to be there.
  @inline(__always)
  func type(at offset: Int) -> UInt8 { offset < count ? bytes[offset] & 15 : 15 }

  /// The header of an element, whose payload ends within the blob.
  @inline(__always)
  func header(at offset: Int) -> Header {
    guard offset < count else { return .malformed }
    let size = Int(bytes[offset] >> 4)
    guard size <= 11 else { return longHeader(at: offset) }
    return checked(Header(size: 1, payload: size), at: offset)
  }

  @inline(__always)
  private func checked(_ header: Header, at offset: Int) -> Header {
    let end = offset &+ header.total
    return end > count && end > count &+ excess ? .malformed : header
  }

  @inline(never)
  private func longHeader(at offset: Int) -> Header {
    let sizeBytes: Int
    switch bytes[offset] >> 4 {
    case 12: sizeBytes = 1
    case 13: sizeBytes = 2
    case 14: sizeBytes = 4
    default: sizeBytes = 8
    }
    guard offset + sizeBytes < count else { return .malformed }
    var payload = 0
    for index in 1...sizeBytes {
      if sizeBytes == 8, index <= 4, bytes[offset + index] != 0 { return .malformed }
      payload = payload << 8 | Int(bytes[offset + index])
    }
    return checked(Header(size: 1 + sizeBytes, payload: payload), at: offset)
  }

  /// How many elements an array has. A malformed one counts and is the last.
  func elementCount(ofArrayAt offset: Int) -> Int {
    let array = header(at: offset)
    guard array.isValid else { return 0 }
    let end = offset + array.total
    var position = offset + array.size, elementCount = 0
    while position < end {
      let element = header(at: position)
      elementCount += 1
      guard element.isValid else { break }
      position += element.total
    }
    return elementCount
  }

  func payload(at offset: Int, _ header: Header) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + offset + header.size, count: header.payload)
  }
}
