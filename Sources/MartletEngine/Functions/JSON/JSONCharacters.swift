/// Classes of the characters of JSON text.
enum JSONCharacters {
  /// Space, tab, line feed and carriage return.
  @inline(__always)
  static func isSpace(_ byte: UInt8) -> Bool {
    byte <= 0x20 && (1 &<< UInt64(byte)) & 0x1_0000_2600 != 0
  }

  /// What may stand in any text literal as it is.
  @inline(__always)
  static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "'")
      && byte != UInt8(ascii: "\\")
  }

  /// Begins a name without quotes. Any character that is not ASCII does (json1 §3.6).
  @inline(__always)
  static func beginsName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  @inline(__always)
  static func continuesName(_ byte: UInt8) -> Bool { beginsName(byte) || ASCII.isDigit(byte) }

  @inline(__always)
  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte)
  }

  @inline(__always)
  static func isHex(_ byte: UInt8) -> Bool { ASCII.hexValue(byte) != nil }

  static func areHex(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    for index in 0..<count where !isHex(text[index]) { return false }
    return true
  }

  /// Whether a text that ends with a NUL begins with a word, in lower case, whatever its own case.
  static func begins(_ text: UnsafePointer<UInt8>, with word: StaticString) -> Bool {
    for index in 0..<word.utf8CodeUnitCount
    where ASCII.lower(text[index]) != word.utf8Start[index] { return false }
    return true
  }

  /// How long the white space and comments are that the text begins with. It ends with a NUL.
  static func whitespaceCount(_ text: UnsafePointer<UInt8>) -> Int {
    var count = 0
    while true {
      let width: Int
      switch text[count] {
      case 0x09...0x0d, 0x20: width = 1
      case UInt8(ascii: "/"): width = commentCount(text + count)
      case 0xc2...0xef: width = spaceWidth(text + count)
      default: width = 0
      }
      if width == 0 { return count }
      count += width
    }
  }

  /// The spaces beyond ASCII that JSON5 knows.
  private static func spaceWidth(_ text: UnsafePointer<UInt8>) -> Int {
    switch (text[0], text[1]) {
    case (0xc2, 0xa0): return 2
    case (0xe1, 0x9a): return text[2] == 0x80 ? 3 : 0
    case (0xe2, 0x80):
      let last = text[2]
      let isSpace = (0x80...0x8a).contains(last) || last == 0xa8 || last == 0xa9 || last == 0xaf
      return isSpace ? 3 : 0
    case (0xe2, 0x81): return text[2] == 0x9f ? 3 : 0
    case (0xe3, 0x80): return text[2] == 0x80 ? 3 : 0
    case (0xef, 0xbb): return text[2] == 0xbf ? 3 : 0
    default: return 0
    }
  }

  private static func commentCount(_ text: UnsafePointer<UInt8>) -> Int {
    if text[1] == UInt8(ascii: "*") && text[2] != 0 {
      var end = 3
      while text[end] != UInt8(ascii: "/") || text[end - 1] != UInt8(ascii: "*") {
        if text[end] == 0 { return 0 }
        end += 1
      }
      return end + 1
    }
    guard text[1] == UInt8(ascii: "/") else { return 0 }
    var end = 2
    while text[end] != 0 && text[end] != 0x0a && text[end] != 0x0d {
      if isLineSeparator(text + end) {
        end += 2
        break
      }
      end += 1
    }
    return text[end] == 0 ? end : end + 1
  }

  /// U+2028 and U+2029.
  @inline(__always)
  static func isLineSeparator(_ text: UnsafePointer<UInt8>) -> Bool {
    text[0] == 0xe2 && text[1] == 0x80 && (text[2] == 0xa8 || text[2] == 0xa9)
  }
}
