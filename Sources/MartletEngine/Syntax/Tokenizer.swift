/// Cuts SQL text into tokens, as SQLite does: bytes in, no copies, no errors.
///
/// Reads until the first zero byte; 8 more bytes must be readable behind it (`SQLText.padding`).
/// What is no token comes back as `illegal`, with the bytes that SQLite shows in its message.
enum Tokenizer {
  /// The next token at or behind `offset`, with blanks and comments skipped.
  static func token(_ text: UnsafePointer<UInt8>, from offset: Int) -> Token {
    var start = offset
    while true {
      let byte = text[start]
      let traits = CharacterTraits(byte)
      if traits.startsWord {
        if byte | 0x20 == UInt8(ascii: "x") && text[start &+ 1] == UInt8(ascii: "'") {
          return blob(text, start)
        }
        if byte == 0xef && text[start &+ 1] == 0xbb && text[start &+ 2] == 0xbf {
          start &+= 3
          continue
        }
        return word(text, start)
      }
      if traits.isBlank {
        start &+= 1
        // Once inside white space, SQLite takes a vertical tab for a blank too.
        while CharacterTraits(text[start]).isBlank || text[start] == 0x0b { start &+= 1 }
        continue
      }
      if traits.isDigit { return number(text, start) }
      if byte == UInt8(ascii: "-") && text[start &+ 1] == UInt8(ascii: "-") {
        start = endOfLine(text, start &+ 2)
        continue
      }
      if byte == UInt8(ascii: "/") && text[start &+ 1] == UInt8(ascii: "*")
        && text[start &+ 2] != 0
      {
        start = endOfComment(text, start &+ 2)
        continue
      }
      return symbol(text, start, byte)
    }
  }

  /// Where the last token ends that ends at or before `limit`; and where the token, the blanks or the
  /// comment begins that goes beyond it.
  static func crossing(
    _ limit: Int, of text: UnsafePointer<UInt8>
  ) -> (previousEnd: Int, start: Int) {
    var end = 0
    var next = token(text, from: 0)
    while next.end <= limit && next.kind != .endOfText {
      end = next.end
      next = token(text, from: end)
    }
    var start = end
    while let comment = firstComment(text, from: start, to: next.start) {
      if comment.upperBound > limit { return (end, comment.lowerBound) }
      start = comment.upperBound
    }
    return (end, next.start > limit ? start : next.start)
  }

  /// Where the first comment stands between the tokens of a part of the text.
  static func firstComment(
    _ text: UnsafePointer<UInt8>, from start: Int, to end: Int
  ) -> Range<Int>? {
    var offset = start
    while offset < end {
      while CharacterTraits(text[offset]).isBlank || text[offset] == 0x0b { offset += 1 }
      guard offset < end else { return nil }
      let next = text[offset + 1]
      if text[offset] == UInt8(ascii: "-") && next == UInt8(ascii: "-") {
        return offset..<endOfLine(text, offset + 2)
      }
      if text[offset] == UInt8(ascii: "/") && next == UInt8(ascii: "*") && text[offset + 2] != 0 {
        return offset..<endOfComment(text, offset + 2)
      }
      let token = token(text, from: offset)
      guard token.end > offset else { return nil }
      offset = token.end
    }
    return nil
  }

  @inline(__always)
  private static func word(_ text: UnsafePointer<UInt8>, _ start: Int) -> Token {
    let end = endOfWord(text, start &+ 1)
    return Token(kind: Keyword.kind(of: text + start, end &- start), start: start, end: end)
  }

  @inline(__always)
  private static func endOfWord(_ text: UnsafePointer<UInt8>, _ from: Int) -> Int {
    var end = from
    while CharacterTraits(text[end]).continuesWord { end &+= 1 }
    return end
  }

  private static func endOfLine(_ text: UnsafePointer<UInt8>, _ from: Int) -> Int {
    var end = from
    while text[end] != 0x0a && text[end] != 0 { end &+= 1 }
    return end
  }

  /// A comment that is not closed ends with the text.
  private static func endOfComment(_ text: UnsafePointer<UInt8>, _ from: Int) -> Int {
    var end = from
    while text[end] != 0 {
      if text[end] == UInt8(ascii: "*") && text[end &+ 1] == UInt8(ascii: "/") { return end &+ 2 }
      end &+= 1
    }
    return end
  }

  @inline(never)
  private static func symbol(_ text: UnsafePointer<UInt8>, _ start: Int, _ byte: UInt8) -> Token {
    let next = text[start &+ 1]
    func one(_ kind: TokenKind) -> Token { Token(kind: kind, start: start, end: start &+ 1) }
    func two(_ kind: TokenKind) -> Token { Token(kind: kind, start: start, end: start &+ 2) }
    switch byte {
    case 0: return Token(kind: .endOfText, start: start, end: start)
    case UInt8(ascii: "("): return one(.leftParenthesis)
    case UInt8(ascii: ")"): return one(.rightParenthesis)
    case UInt8(ascii: ","): return one(.comma)
    case UInt8(ascii: ";"): return one(.semicolon)
    case UInt8(ascii: "*"): return one(.star)
    case UInt8(ascii: "+"): return one(.plus)
    case UInt8(ascii: "/"): return one(.slash)
    case UInt8(ascii: "%"): return one(.percent)
    case UInt8(ascii: "&"): return one(.ampersand)
    case UInt8(ascii: "~"): return one(.tilde)
    case UInt8(ascii: "="): return next == UInt8(ascii: "=") ? two(.equal) : one(.equal)
    case UInt8(ascii: "|"): return next == UInt8(ascii: "|") ? two(.concat) : one(.bar)
    case UInt8(ascii: "!"): return next == UInt8(ascii: "=") ? two(.notEqual) : one(.illegal)
    case UInt8(ascii: "<"):
      if next == UInt8(ascii: "=") { return two(.lessOrEqual) }
      if next == UInt8(ascii: ">") { return two(.notEqual) }
      return next == UInt8(ascii: "<") ? two(.shiftLeft) : one(.less)
    case UInt8(ascii: ">"):
      if next == UInt8(ascii: "=") { return two(.greaterOrEqual) }
      return next == UInt8(ascii: ">") ? two(.shiftRight) : one(.greater)
    case UInt8(ascii: "-"):
      if next != UInt8(ascii: ">") { return one(.minus) }
      if text[start &+ 2] != UInt8(ascii: ">") { return two(.arrow) }
      return Token(kind: .longArrow, start: start, end: start &+ 3)
    case UInt8(ascii: "."):
      return CharacterTraits(next).isDigit ? number(text, start) : one(.dot)
    case UInt8(ascii: "'"): return quoted(text, start, byte, .string)
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return quoted(text, start, byte, .identifier)
    case UInt8(ascii: "["): return bracketed(text, start)
    case UInt8(ascii: "?"), UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: "#"),
      UInt8(ascii: ":"):
      return variable(text, start, byte)
    default: return one(.illegal)
    }
  }

  private static func quoted(
    _ text: UnsafePointer<UInt8>, _ start: Int, _ quote: UInt8, _ kind: TokenKind
  ) -> Token {
    var end = start &+ 1
    while true {
      let byte = text[end]
      if byte == 0 { return Token(kind: .illegal, start: start, end: end) }
      end &+= 1
      guard byte == quote else { continue }
      if text[end] != quote { return Token(kind: kind, start: start, end: end) }
      end &+= 1
    }
  }

  private static func bracketed(_ text: UnsafePointer<UInt8>, _ start: Int) -> Token {
    var end = start &+ 1
    while text[end] != 0 {
      end &+= 1
      if text[end &- 1] == UInt8(ascii: "]") {
        return Token(kind: .identifier, start: start, end: end)
      }
    }
    return Token(kind: .illegal, start: start, end: end)
  }

  @inline(never)
  private static func blob(_ text: UnsafePointer<UInt8>, _ start: Int) -> Token {
    var end = start &+ 2
    while CharacterTraits(text[end]).isHexDigit { end &+= 1 }
    if text[end] == UInt8(ascii: "'") && (end &- start) & 1 == 0 {
      return Token(kind: .blob, start: start, end: end &+ 1)
    }
    while text[end] != 0 && text[end] != UInt8(ascii: "'") { end &+= 1 }
    if text[end] != 0 { end &+= 1 }
    return Token(kind: .illegal, start: start, end: end)
  }

  /// `?`, `?NNN`, and names behind `:`, `@`, `#`, `$`; a name may have `::` and end with `(…)`.
  private static func variable(
    _ text: UnsafePointer<UInt8>, _ start: Int, _ mark: UInt8
  ) -> Token {
    var end = start &+ 1
    if mark == UInt8(ascii: "?") {
      while CharacterTraits(text[end]).isDigit { end &+= 1 }
      return Token(kind: .variable, start: start, end: end)
    }
    var nameLength = 0
    while true {
      let byte = text[end]
      if CharacterTraits(byte).continuesWord {
        nameLength &+= 1
        end &+= 1
      } else if byte == UInt8(ascii: "(") && nameLength > 0 {
        repeat { end &+= 1 } while !endsSuffix(text[end])
        guard text[end] == UInt8(ascii: ")") else {
          return Token(kind: .illegal, start: start, end: end)
        }
        return Token(kind: .variable, start: start, end: end &+ 1)
      } else if byte == UInt8(ascii: ":") && text[end &+ 1] == UInt8(ascii: ":") {
        end &+= 2
      } else {
        return Token(kind: nameLength == 0 ? .illegal : .variable, start: start, end: end)
      }
    }
  }

  private static func endsSuffix(_ byte: UInt8) -> Bool {
    byte == 0 || byte == UInt8(ascii: ")") || byte == 0x0b || CharacterTraits(byte).isBlank
  }
}

extension Tokenizer {
  @inline(never)
  private static func number(_ text: UnsafePointer<UInt8>, _ start: Int) -> Token {
    var end = start
    var kind = TokenKind.integer
    var isSeparated = false
    if text[end] == UInt8(ascii: "0") && text[end &+ 1] | 0x20 == UInt8(ascii: "x")
      && CharacterTraits(text[end &+ 2]).isHexDigit
    {
      end &+= 3
      while CharacterTraits(text[end]).isHexDigit || isSeparator(text, end, &isSeparated) {
        end &+= 1
      }
    } else {
      skipDigits(text, &end, &isSeparated)
      if text[end] == UInt8(ascii: ".") {
        kind = .float
        end &+= 1
        skipDigits(text, &end, &isSeparated)
      }
      if text[end] | 0x20 == UInt8(ascii: "e") && hasExponentDigits(text, end &+ 1) {
        kind = .float
        end &+= 2
        skipDigits(text, &end, &isSeparated)
      }
    }
    if CharacterTraits(text[end]).continuesWord {
      return Token(kind: .illegal, start: start, end: endOfWord(text, end))
    }
    return Token(kind: isSeparated ? .separatedNumber : kind, start: start, end: end)
  }

  private static func skipDigits(
    _ text: UnsafePointer<UInt8>, _ end: inout Int, _ isSeparated: inout Bool
  ) {
    while CharacterTraits(text[end]).isDigit || isSeparator(text, end, &isSeparated) { end &+= 1 }
  }

  /// Any `_` belongs to the number; the parser refuses one that is not between digits.
  @inline(__always)
  private static func isSeparator(
    _ text: UnsafePointer<UInt8>, _ end: Int, _ isSeparated: inout Bool
  ) -> Bool {
    guard text[end] == UInt8(ascii: "_") else { return false }
    isSeparated = true
    return true
  }

  private static func hasExponentDigits(_ text: UnsafePointer<UInt8>, _ offset: Int) -> Bool {
    let sign = text[offset]
    if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
      return CharacterTraits(text[offset &+ 1]).isDigit
    }
    return CharacterTraits(sign).isDigit
  }

  /// True if every `_` of the number stands between two digits.
  static func hasWellPlacedSeparators(_ text: UnsafePointer<UInt8>, _ token: Token) -> Bool {
    let isHexadecimal = text[token.start &+ 1] | 0x20 == UInt8(ascii: "x")
    for offset in token.start..<token.end where text[offset] == UInt8(ascii: "_") {
      guard offset > token.start else { return false }
      let before = CharacterTraits(text[offset &- 1]), after = CharacterTraits(text[offset &+ 1])
      let areDigits =
        isHexadecimal
        ? before.isHexDigit && after.isHexDigit : before.isDigit && after.isDigit
      if !areDigits { return false }
    }
    return true
  }
}

/// What a byte can be in a token, from a table.
struct CharacterTraits {
  private let bits: UInt8

  /// Bits of `table`: 1 continues a word, 2 starts one, 4 blank, 8 hexadecimal digit, 16 digit;
  /// the bit 64 only makes the table readable. Bytes above 127 are letters.
  private static let table: StaticString = """
    @@@@@@@@@DD@DD@@@@@@@@@@@@@@@@@@D@@@A@@@@@@@@@@@YYYYYYYYYY@@@@@@\
    @KKKKKKCCCCCCCCCCCCCCCCCCCC@@@@C@KKKKKKCCCCCCCCCCCCCCCCCCCC@@@@@
    """

  @inline(__always)
  init(_ byte: UInt8) {
    bits = byte < 0x80 ? CharacterTraits.table.utf8Start[Int(byte)] : 3
  }

  @inline(__always) var continuesWord: Bool { bits & 1 != 0 }
  @inline(__always) var startsWord: Bool { bits & 2 != 0 }
  @inline(__always) var isBlank: Bool { bits & 4 != 0 }
  @inline(__always) var isHexDigit: Bool { bits & 8 != 0 }
  @inline(__always) var isDigit: Bool { bits & 16 != 0 }
}
