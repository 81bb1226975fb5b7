import MartletEngine

/// A token of the query language (fts5 §3).
struct QueryWord {
  enum Kind {
    case end, string, and, or, not, leftParenthesis, rightParenthesis, leftBrace, rightBrace
    case colon, comma, plus, star, minus, caret
  }

  let kind: Kind
  /// As it is written.
  let text: ArraySlice<UInt8>

  /// A string without its quotes.
  var unquoted: [UInt8] {
    guard text.first == UInt8(ascii: "\"") else { return Array(text) }
    var result: [UInt8] = []
    var index = text.startIndex + 1
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "\"") {
        guard index + 1 < text.endIndex, text[index + 1] == text[index] else { break }
        index += 1
      }
      result.append(text[index])
      index += 1
    }
    return result
  }

  var string: String { String(decoding: text, as: UTF8.self) }
}

/// Cuts a query into tokens.
struct QueryLexer {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() throws(SQLError) -> QueryWord {
    while offset < bytes.count, QueryLexer.isSpace(bytes[offset]) { offset += 1 }
    guard offset < bytes.count, bytes[offset] != 0 else { return token(.end, 0) }
    switch bytes[offset] {
    case UInt8(ascii: "("): return token(.leftParenthesis, 1)
    case UInt8(ascii: ")"): return token(.rightParenthesis, 1)
    case UInt8(ascii: "{"): return token(.leftBrace, 1)
    case UInt8(ascii: "}"): return token(.rightBrace, 1)
    case UInt8(ascii: ":"): return token(.colon, 1)
    case UInt8(ascii: ","): return token(.comma, 1)
    case UInt8(ascii: "+"): return token(.plus, 1)
    case UInt8(ascii: "*"): return token(.star, 1)
    case UInt8(ascii: "-"): return token(.minus, 1)
    case UInt8(ascii: "^"): return token(.caret, 1)
    case UInt8(ascii: "\""): return try quoted()
    default: return try bareword()
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }

  private mutating func token(_ kind: QueryWord.Kind, _ count: Int) -> QueryWord {
    let text = bytes[offset..<offset + count]
    offset += count
    return QueryWord(kind: kind, text: text)
  }

  private mutating func quoted() throws(SQLError) -> QueryWord {
    var end = offset + 1
    while true {
      guard end < bytes.count, bytes[end] != 0 else {
        throw SQLError(.error, "unterminated string")
      }
      if bytes[end] == UInt8(ascii: "\"") {
        guard end + 1 < bytes.count, bytes[end + 1] == bytes[end] else { break }
        end += 1
      }
      end += 1
    }
    return token(.string, end + 1 - offset)
  }

  private mutating func bareword() throws(SQLError) -> QueryWord {
    var end = offset
    while end < bytes.count, OptionText.isBareword(bytes[end]) { end += 1 }
    guard end > offset else {
      let text = String(decoding: bytes[offset...offset], as: UTF8.self)
      throw SQLError(.error, "fts5: syntax error near \"\(text)\"")
    }
    let word = bytes[offset..<end]
    var kind = QueryWord.Kind.string
    if word.elementsEqual("OR".utf8) { kind = .or }
    if word.elementsEqual("AND".utf8) { kind = .and }
    if word.elementsEqual("NOT".utf8) { kind = .not }
    return token(kind, end - offset)
  }
}
