/// Writing names and strings into SQL text.
enum Quoting {
  /// `name` in double quotes, as `%w` between them.
  static func identifier(_ name: String) -> String {
    "\"" + doubling(UInt8(ascii: "\""), in: name) + "\""
  }

  /// `text` as a string literal, as `%Q`.
  static func string(_ text: String) -> String {
    "'" + doubling(UInt8(ascii: "'"), in: text) + "'"
  }

  /// A name or string as it is written, without the quotes around it.
  static func unquoted(_ text: String) -> String {
    let bytes = text.textBytes
    guard bytes.count >= 2, let quote = bytes.first else { return text }
    let closing = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
    guard "'\"`[".utf8.contains(quote), bytes.last == closing else { return text }
    var inner: [UInt8] = [], isDoubled = false
    for byte in bytes.dropFirst().dropLast() {
      if byte == quote && !isDoubled {
        isDoubled = true
        continue
      }
      isDoubled = false
      inner.append(byte)
    }
    return inner.withUnsafeBufferPointer { String(text: $0) }
  }

  /// `name` as it is where it can be read back as a name, else in double quotes.
  static func identifierIfNeeded(_ name: String) -> String {
    needsQuotes(name) ? identifier(name) : name
  }

  /// True unless `name` is a plain word and no keyword at all.
  static func needsQuotes(_ name: String) -> Bool {
    let bytes = name.textBytes
    guard let first = bytes.first, CharacterTraits(first).startsWord else { return true }
    guard bytes.allSatisfy({ CharacterTraits($0).continuesWord }) else { return true }
    let padded = bytes + Array(repeating: 0, count: SQLText.padding)
    return padded.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return true }
      return Keyword.kind(of: start, bytes.count) != .identifier
    }
  }

  private static func doubling(_ quote: UInt8, in text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
