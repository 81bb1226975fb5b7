import CSQLite3
import MartletEngine

/// What `sqlite3_value *` points to: a value of the engine, and the text that was made of it.
///
/// Text and blobs are copied when they are asked for, as C SQLite does when it reads a row: what
/// the engine has may lie in a page, which another statement may change, and has no zero byte
/// behind it. The memory is kept for the next row. Arguments of functions belong to the call, with
/// zero bytes behind them, and are given out as they are.
struct ValueState {
  var source: ValueReference
  /// That of the statement when the value was read; 0 for values that are no columns.
  var generation: UInt32 = 0
  /// What `text` has of the value.
  var content = Content.nothing
  /// Made by `sqlite3_value_dup`.
  var isCopy = false
  var text = TerminatedText()
  /// Of a NULL that stands for all values of an IN.
  var list: UnsafeMutablePointer<ListState>?

  enum Content: UInt8 {
    case nothing
    case utf8
    case utf16LittleEndian
    case utf16BigEndian
  }

  init(_ source: ValueReference) { self.source = source }

  @inline(__always)
  mutating func renew(_ source: ValueReference, generation: UInt32) {
    self.source = source
    self.generation = generation
    content = .nothing
  }
}

typealias ValueHandle = UnsafeMutablePointer<ValueState>

extension ValueHandle {
  init?(_ value: OpaquePointer?) {
    guard let value else { return nil }
    self.init(value)
  }

  /// The value as text with a zero behind it; nil for NULL and where there is no memory.
  @inline(__always)
  func text(_ encoding: TextEncoding) -> UnsafeMutableRawPointer? {
    let wanted = ValueState.Content(encoding)
    if pointee.content == wanted { return pointee.text.bytes }
    if pointee.source.encoding == encoding, let bytes = pointee.source.terminatedBytes {
      return bytes
    }
    return makeText(encoding, wanted)
  }

  @inline(never)
  private func makeText(
    _ encoding: TextEncoding, _ wanted: ValueState.Content
  ) -> UnsafeMutableRawPointer? {
    pointee.content = .nothing
    guard pointee.source.type != .null else { return nil }
    do throws(SQLError) {
      try pointee.text.set(pointee.source, encoding: encoding)
    } catch {
      return nil
    }
    pointee.content = wanted
    return pointee.text.bytes
  }

  /// The bytes of a blob or text as they are, those of the text of a number; nil where there are
  /// none.
  func blob() -> UnsafeMutableRawPointer? {
    switch pointee.source.type {
    case .null: return nil
    case .integer, .real: return text(.utf8)
    case .text, .blob:
      guard pointee.source.byteCount > 0 else { return nil }
      if pointee.content == .nothing, let bytes = pointee.source.ownedBytes { return bytes }
      // As text in the same encoding it is the same bytes, which may have been given out already.
      return text(pointee.source.encoding)
    }
  }

  /// Bytes of the value as text, or of the blob.
  func byteCount(_ encoding: TextEncoding) -> Int {
    if pointee.content == ValueState.Content(encoding) { return pointee.text.byteCount }
    switch pointee.source.type {
    case .null: return 0
    case .blob: return pointee.source.byteCount
    case .text where pointee.source.encoding == encoding: return pointee.source.byteCount
    case .integer, .real, .text:
      return text(encoding) == nil ? 0 : pointee.text.byteCount
    }
  }

  var opaque: OpaquePointer { OpaquePointer(self) }
}

extension ValueState.Content {
  @inline(__always)
  init(_ encoding: TextEncoding) {
    self =
      switch encoding {
      case .utf8: .utf8
      case .utf16LittleEndian: .utf16LittleEndian
      case .utf16BigEndian: .utf16BigEndian
      }
  }
}

extension TextEncoding {
  /// UTF-16 in the byte order of the machine.
  static var native16: TextEncoding {
    UInt16(1).littleEndian == 1 ? .utf16LittleEndian : .utf16BigEndian
  }

  /// SQLITE_UTF8 and its kin; nil for a number that is none of them.
  init?(_ code: Int32) {
    switch code {
    case SQLITE_UTF8: self = .utf8
    case SQLITE_UTF16LE: self = .utf16LittleEndian
    case SQLITE_UTF16BE: self = .utf16BigEndian
    case SQLITE_UTF16, SQLITE_UTF16_ALIGNED: self = .native16
    default: return nil
    }
  }
}

/// SQLITE_INTEGER and its kin.
@inline(__always)
func code(of type: StorageClass) -> Int32 {
  switch type {
  case .integer: SQLITE_INTEGER
  case .real: SQLITE_FLOAT
  case .text: SQLITE_TEXT
  case .blob: SQLITE_BLOB
  case .null: SQLITE_NULL
  }
}
