import MartletEngine

/// Reads the arguments of CREATE VIRTUAL TABLE … USING fts5 (fts5 §4).
struct OptionText {
  let bytes: [UInt8]
  var offset = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { offset >= bytes.count }

  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Only blanks are white space here.
  mutating func skipBlanks() {
    while next == UInt8(ascii: " ") { offset += 1 }
  }

  /// Letters, digits, `_`, the substitute character, and all that is not ASCII (fts5 §3.1).
  static func isBareword(_ byte: UInt8) -> Bool {
    byte >= 0x80 || ASCIILetters.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == 0x1a
  }

  mutating func bareword() -> String? {
    let start = offset
    while let byte = next, OptionText.isBareword(byte) { offset += 1 }
    return start == offset ? nil : String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  static func closingQuote(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "["): UInt8(ascii: "]")
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): byte
    default: nil
    }
  }

  /// A word or a text in quotes of any kind; nil where there is neither.
  mutating func word() -> (text: String, isQuoted: Bool)? {
    guard let first = next else { return nil }
    guard let quote = OptionText.closingQuote(first) else { return bareword().map { ($0, false) } }
    offset += 1
    var text: [UInt8] = []
    while let byte = next {
      offset += 1
      if byte == quote {
        guard next == quote else { break }
        offset += 1
      }
      text.append(byte)
    }
    return (String(decoding: text, as: UTF8.self), true)
  }

  /// A text in single quotes, nil where it does not end.
  private mutating func literal() -> String? {
    var text: [UInt8] = []
    offset += 1
    while let byte = next {
      offset += 1
      if byte == UInt8(ascii: "'") {
        guard next == UInt8(ascii: "'") else { return String(decoding: text, as: UTF8.self) }
        offset += 1
      }
      text.append(byte)
    }
    return nil
  }

  /// The words of a `tokenize=` option: barewords, and texts in single quotes; nil for others.
  static func tokenizerWords(_ text: String) -> [String]? {
    var reader = OptionText(text), words: [String] = []
    while !reader.isAtEnd {
      reader.skipBlanks()
      let isLiteral = reader.next == UInt8(ascii: "'")
      guard let word = isLiteral ? reader.literal() : reader.bareword() else { return nil }
      words.append(word)
      reader.skipBlanks()
    }
    return words
  }
}
