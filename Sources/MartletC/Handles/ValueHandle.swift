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
  /// It was asked for as a blob: a question for its bytes makes no other text of it any more.
  var isBlob = false
  /// Made by `sqlite3_value_dup`.
  var isCopy = false
  var text = TerminatedText()
  /// Of a NULL that stands for all values of an IN.
  var list: UnsafeMutablePointer<ListState>?
  /// Set where there was no memory for what was asked: it must not pass for NULL. The call that an
  /// argument was given to fails, and the statement that a column is of.
  var loss: UnsafeMutablePointer<Bool>?

  enum Content: UInt8 {
    case nothing
    case utf8
    case utf16LittleEndian
    case utf16BigEndian
  }

  init(_ source: ValueReference, loss: UnsafeMutablePointer<Bool>? = nil) {
    self.source = source
    self.loss = loss
  }

  @inline(__always)
  mutating func renew(_ source: ValueReference, generation: UInt32) {
    self.source = source
    self.generation = generation
    content = .nothing
    isBlob = false
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
      pointee.content = .nothing
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
      pointee.loss?.pointee = true
      return nil
    }
    pointee.content = wanted
    return pointee.text.bytes
  }

  /// The bytes of a blob or text as they are, or those of the text that it was made last; nil where
  /// there are none.
  func blob() -> UnsafeMutableRawPointer? {
    let type = pointee.source.type
    guard type != .null else { return nil }
    // What the value was made is what it is: its byte count may have been given out already.
    if pointee.content != .nothing {
      pointee.isBlob = true
      return pointee.text.byteCount > 0 ? pointee.text.bytes : nil
    }
    guard type == .text || type == .blob else { return text(.utf8) }
    pointee.isBlob = true
    guard pointee.source.byteCount > 0 else { return nil }
    return pointee.source.ownedBytes ?? text(pointee.source.encoding)
  }

  /// Bytes of the value as text, or of the blob.
  func byteCount(_ encoding: TextEncoding) -> Int {
    if pointee.content == ValueState.Content(encoding) { return pointee.text.byteCount }
    let type = pointee.source.type
    if type == .null { return 0 }
    // A text in one of the encodings of 16 bits has as many bytes in the other, and stays as it is.
    let isWide = encoding != .utf8
    if pointee.content == .nothing {
      let own = pointee.source.encoding
      let isText = type == .text && (pointee.isBlob || own == encoding || isWide && own != .utf8)
      if isText || type == .blob { return pointee.source.byteCount }
    } else if pointee.isBlob || type == .blob || isWide && pointee.content != .utf8 {
      return pointee.text.byteCount
    }
    guard text(encoding) != nil else { return 0 }
    return pointee.content == .nothing ? pointee.source.byteCount : pointee.text.byteCount
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
