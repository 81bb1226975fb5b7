import MartletEngine

/// Values as UTF-8, where they are if they may, else in memory that is used again for the next one.
final class ValueBytes {
  private var text = TerminatedText()
  private var localeText = TerminatedText()

  deinit {
    text.deallocate()
    localeText.deallocate()
  }

  /// The bytes of a text or blob, or of a number as text; nothing for NULL. They are valid as long
  /// as the value is, and until the next call.
  func bytes(_ value: ValueReference) throws(SQLError) -> UnsafeRawBufferPointer {
    try ValueBytes.bytes(value, &text)
  }

  private static func bytes(
    _ value: ValueReference, _ text: inout TerminatedText
  ) throws(SQLError) -> UnsafeRawBufferPointer {
    switch value.type {
    case .null: return UnsafeRawBufferPointer(start: nil, count: 0)
    case .blob: return try value.bytes()
    case .text where value.encoding == .utf8: return try value.bytes()
    default:
      try text.set(value, encoding: .utf8)
      return UnsafeRawBufferPointer(start: text.bytes, count: text.byteCount)
    }
  }

  /// The text of a value and its locale, which may be in a value of its own or part of this one.
  func parts(
    _ value: ValueReference, _ locale: ValueReference?, _ configuration: FTS5Configuration
  ) throws(SQLError) -> (locale: UnsafeRawBufferPointer?, text: UnsafeRawBufferPointer) {
    if configuration.hasLocales, let (locale, text) = try LocaleValue.parts(value) {
      return (locale, text)
    }
    guard let locale, locale.type != .null else { return (nil, try bytes(value)) }
    return (try ValueBytes.bytes(locale, &localeText), try bytes(value))
  }
}

/// What `fts5_locale()` gives: a blob of a mark, the locale, a zero byte, and the text (fts5 §4.8).
/// The mark alone decides: a row that waits in a store, as that of an UPDATE does, has no subtypes.
enum LocaleValue {
  /// The subtype of the value that the function gives.
  static let subtype: UInt8 = 0x4c
  /// Of this process: a blob that only looks like one does not begin with it.
  static let mark: [UInt8] = {
    var generator = SystemRandomNumberGenerator()
    return (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }()

  /// Locale and text of such a value; nil for others.
  static func parts(
    _ value: ValueReference
  ) throws(SQLError) -> (locale: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer)? {
    guard value.type == .blob else { return nil }
    let bytes = try value.bytes()
    guard bytes.count > mark.count, bytes.starts(with: mark) else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[mark.count...])
    guard let end = rest.firstIndex(of: 0) else { return nil }
    return (
      UnsafeRawBufferPointer(rebasing: rest[..<end]),
      UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
    )
  }
}
