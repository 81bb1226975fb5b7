// Values of a changeset, byte by byte (session, changeset format).
//
//     field   | type u8 |                      undefined (0), NULL (5)
//             | type u8 | u64 big-endian |     INTEGER (1), FLOAT (2): the bits of an IEEE double
//             | type u8 | varint n | n bytes | TEXT (3, in UTF-8), BLOB (4)
//     record  one field a column
//
// Invariant: no byte is read before `Field.byteCount` has found that the whole field is there.
import MartletEngine

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

/// What stands in front of a value. The raw values are those of the format.
enum FieldType: UInt8 {
  case undefined = 0
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
  /// Only in the records of a rebaser: the local change loses this column.
  case replaced = 0xff
}

enum Field {
  /// Bytes of the field that begins at an offset; nil where it does not end before `end`, or where
  /// its type is none.
  static func byteCount(_ bytes: [UInt8], at offset: Int, end: Int) -> Int? {
    guard offset < end, let type = FieldType(rawValue: bytes[offset]) else { return nil }
    switch type {
    case .undefined, .null, .replaced: return 1
    case .integer, .real: return end - offset >= 9 ? 9 : nil
    case .text, .blob:
      guard let size = Varint.read(bytes, at: offset + 1, end: end) else { return nil }
      let count = 1 + size.byteCount + size.value
      return count <= end - offset ? count : nil
    }
  }

  /// Bytes of a field that is known to be whole.
  static func byteCount(_ bytes: [UInt8], at offset: Int) -> Int {
    byteCount(bytes, at: offset, end: bytes.count) ?? 1
  }

  /// Bytes of the field that other bytes begin with, which is known to be whole.
  static func byteCount(_ bytes: UnsafeRawBufferPointer) -> Int {
    switch FieldType(rawValue: bytes[0]) {
    case .integer, .real: return 9
    case .text, .blob:
      var size = 0, index = 1
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        size = size << 7 | Int(byte & 0x7f)
        if byte < 0x80 || index > 5 { break }
      }
      return index + size
    case .undefined, .null, .replaced, nil: return 1
    }
  }

  static func isDefined(_ bytes: [UInt8], at offset: Int) -> Bool { bytes[offset] != 0 }

  /// The eight bytes of an integer or real.
  static func bits(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self))
    }
  }

  /// Where the bytes of a text or blob lie.
  static func content(_ bytes: [UInt8], at offset: Int) -> Range<Int> {
    guard let size = Varint.read(bytes, at: offset + 1, end: bytes.count) else {
      return offset..<offset
    }
    let start = offset + 1 + size.byteCount
    return start..<min(bytes.count, start + size.value)
  }

  /// A field as a value; nil where it is undefined.
  static func value(_ bytes: [UInt8], at offset: Int) -> Value? {
    switch FieldType(rawValue: bytes[offset]) {
    case .integer: .integer(Int64(bitPattern: bits(bytes, at: offset)))
    case .real: .real(Double(bitPattern: bits(bytes, at: offset)))
    case .text: .text(String(decoding: bytes[content(bytes, at: offset)], as: UTF8.self))
    case .blob: .blob(Array(bytes[content(bytes, at: offset)]))
    case .null: .null
    case .undefined, .replaced, nil: nil
    }
  }

  /// Binds a field; an undefined one is NULL.
  static func bind(
    _ bytes: [UInt8], at offset: Int, to statement: Statement, _ index: Int
  ) throws(SQLError) {
    switch FieldType(rawValue: bytes[offset]) {
    case .integer: try statement.bind(Int64(bitPattern: bits(bytes, at: offset)), at: index)
    case .real: try statement.bind(Double(bitPattern: bits(bytes, at: offset)), at: index)
    case .text, .blob:
      let isText = bytes[offset] == FieldType.text.rawValue
      try lend(bytes, content(bytes, at: offset)) { (content) throws(SQLError) in
        if isText {
          try statement.bind(text: content, at: index)
        } else {
          try statement.bind(blob: content, at: index)
        }
      }
    case .null, .undefined, .replaced, nil: try statement.bindNull(at: index)
    }
  }

  /// `withUnsafeBytes` with typed errors.
  private static func lend(
    _ bytes: [UInt8], _ range: Range<Int>,
    _ body: (UnsafeRawBufferPointer) throws(SQLError) -> Void
  ) throws(SQLError) {
    let result = bytes.withUnsafeBytes { all in
      Result { () throws(SQLError) in try body(UnsafeRawBufferPointer(rebasing: all[range])) }
    }
    try result.get()
  }

  /// The field is what a column has, type and bytes (`sqlite3session_changeset`: what is unchanged
  /// is left out).
  static func isEqual(
    _ bytes: [UInt8], at offset: Int, to value: ValueReference
  ) throws(SQLError) -> Bool {
    guard bytes[offset] == FieldType(value).rawValue else { return false }
    switch value.type {
    case .null: return true
    case .integer: return Int64(bitPattern: bits(bytes, at: offset)) == value.int64
    case .real: return Double(bitPattern: bits(bytes, at: offset)) == value.double
    case .text, .blob:
      let range = content(bytes, at: offset)
      return try withBytes(of: value) { other in
        bytes.withUnsafeBytes { areEqual(UnsafeRawBufferPointer(rebasing: $0[range]), other) }
      }
    }
  }

  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let start = left.baseAddress, let other = right.baseAddress else { return true }
    return memcmp(start, other, left.count) == 0
  }

  /// Lends the bytes of a blob, or of a text in UTF-8.
  static func withBytes<Result>(
    of value: ValueReference, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(SQLError) -> Result {
    if value.type == .blob || value.encoding == .utf8 { return body(try value.bytes()) }
    var text = TerminatedText()
    defer { text.deallocate() }
    try text.set(value, encoding: .utf8)
    return body(UnsafeRawBufferPointer(start: text.bytes, count: text.byteCount))
  }

  /// Bytes that a value takes as a field.
  static func byteCount(of value: ValueReference) throws(SQLError) -> Int {
    switch value.type {
    case .null: return 1
    case .integer, .real: return 9
    case .text, .blob:
      let count = try withBytes(of: value) { $0.count }
      return 1 + Varint.byteCount(count) + count
    }
  }
}

extension FieldType {
  init(_ value: ValueReference) {
    self =
      switch value.type {
      case .null: .null
      case .integer: .integer
      case .real: .real
      case .text: .text
      case .blob: .blob
      }
  }
}

extension [UInt8] {
  mutating func append(_ type: FieldType) { append(type.rawValue) }

  mutating func appendBits(_ bits: UInt64) {
    Swift.withUnsafeBytes(of: bits.bigEndian) { append(contentsOf: $0) }
  }

  mutating func appendInteger(_ value: Int64) {
    append(.integer)
    appendBits(UInt64(bitPattern: value))
  }

  mutating func appendContent(_ type: FieldType, _ content: UnsafeRawBufferPointer) {
    append(type)
    appendVarint(content.count)
    append(contentsOf: content)
  }

  /// A value as a field.
  mutating func appendField(_ value: ValueReference) throws(SQLError) {
    try makeRoom(for: 16)
    switch value.type {
    case .null: append(.null)
    case .integer: appendInteger(value.int64)
    case .real:
      append(.real)
      appendBits(value.double.bitPattern)
    case .text, .blob:
      let type = FieldType(value)
      if type == .blob || value.encoding == .utf8 {
        let content = try value.bytes()
        try makeRoom(for: content.count + 16)
        appendContent(type, content)
      } else {
        var text = TerminatedText()
        defer { text.deallocate() }
        try text.set(value, encoding: .utf8)
        try makeRoom(for: text.byteCount + 16)
        appendContent(type, UnsafeRawBufferPointer(start: text.bytes, count: text.byteCount))
      }
    }
  }

  /// A value as a field; nil is undefined.
  mutating func appendField(_ value: Value?) {
    switch value {
    case nil: append(.undefined)
    case .null: append(.null)
    case .integer(let number): appendInteger(number)
    case .real(let number):
      append(.real)
      appendBits(number.bitPattern)
    case .text(var text):
      text.withUTF8 { appendContent(.text, UnsafeRawBufferPointer($0)) }
    case .blob(let bytes): bytes.withUnsafeBytes { appendContent(.blob, $0) }
    }
  }

  /// A number of SQLite's varints; those of a changeset have at most 32 bits.
  mutating func appendVarint(_ value: Int) {
    let value = UInt64(truncatingIfNeeded: value)
    var shift = 0
    while shift < 56 && value >> UInt64(shift + 7) != 0 { shift += 7 }
    while shift > 0 {
      append(UInt8(truncatingIfNeeded: value >> UInt64(shift)) | 0x80)
      shift -= 7
    }
    append(UInt8(truncatingIfNeeded: value) & 0x7f)
  }
}

enum Varint {
  /// The number at an offset and its bytes; nil where it does not end, or is no size of a value.
  static func read(_ bytes: [UInt8], at offset: Int, end: Int) -> (value: Int, byteCount: Int)? {
    if offset < end, bytes[offset] < 0x80 { return (Int(bytes[offset]), 1) }
    var value: UInt64 = 0
    var index = offset
    while index < end && index - offset < 9 {
      let byte = bytes[index]
      index += 1
      if index - offset == 9 {
        value = value << 8 | UInt64(byte)
      } else {
        value = value << 7 | UInt64(byte & 0x7f)
        if byte & 0x80 != 0 { continue }
      }
      guard value <= UInt64(Int32.max) else { return nil }
      return (Int(value), index - offset)
    }
    return nil
  }

  static func byteCount(_ value: Int) -> Int {
    var count = 1, rest = value >> 7
    while rest > 0 {
      count += 1
      rest >>= 7
    }
    return count
  }
}
