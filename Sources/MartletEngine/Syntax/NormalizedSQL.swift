/// SQL without what differs from use to use of one statement (`sqlite3_normalized_sql`,
/// c3ref/expanded_sql).
///
/// Literals and parameters become `?`, lists of them behind IN become `(?,?,?)`, keywords are in
/// upper case, names in lower, blanks and comments only where words would touch.
public struct NormalizedSQL {
  private let text: SQLText
  private var output: [UInt8] = []
  private var depth = 0
  /// Where the list behind an IN begins in the output, and how deep it is.
  private var list: (start: Int, depth: Int)?

  /// The bytes of the normalized text; it always ends with a semicolon.
  public static func bytes(
    of sql: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) -> [UInt8] {
    var normalizer = NormalizedSQL(text: try SQLText(copying: sql))
    normalizer.run()
    return normalizer.output
  }

  private init(text: SQLText) { self.text = text }

  private mutating func run() {
    var offset = 0
    var previous = TokenKind.semicolon
    while true {
      let token = Tokenizer.token(text.start, from: offset)
      guard token.kind != .endOfText, token.end > token.start else { break }
      write(token, behind: previous)
      previous = token.kind
      offset = token.end
    }
    if previous != .semicolon { output.append(UInt8(ascii: ";")) }
  }

  private mutating func write(_ token: Token, behind previous: TokenKind) {
    switch token.kind {
    case .null where previous == .is || previous == .not: append(" NULL")
    case .null, .string, .integer, .float, .blob, .variable: append("?")
    case .leftParenthesis:
      depth += 1
      if previous == .in { list = (output.count, depth) }
      append("(")
    case .rightParenthesis:
      if let list, list.depth == depth {
        output.removeSubrange((list.start + 1)...)
        append("?,?,?")
        self.list = nil
      }
      depth -= 1
      append(")")
    case .identifier:
      list = nil
      writeName(token)
    default:
      // A subquery is no list.
      if token.kind == .select { list = nil }
      if CharacterTraits(text.start[token.start]).continuesWord { separate() }
      for byte in bytes(token) {
        output.append(byte >= 0x61 && byte <= 0x7a ? byte & 0xdf : byte)
      }
    }
  }

  private mutating func writeName(_ token: Token) {
    let quote = text.start[token.start]
    guard !CharacterTraits(quote).startsWord else {
      separate()
      return appendLowered(bytes(token))
    }
    let end = quote == UInt8(ascii: "[") ? UInt8(ascii: "]") : quote
    var name: [UInt8] = []
    var offset = token.start + 1
    while offset < token.end - 1 {
      name.append(text.start[offset])
      offset += text.start[offset] == end ? 2 : 1
    }
    if isPlain(name) {
      separate()
      appendLowered(name)
    } else {
      append("\"")
      for byte in name {
        if byte == UInt8(ascii: "\"") { output.append(byte) }
        appendLowered(CollectionOfOne(byte))
      }
      append("\"")
    }
  }

  /// Whether a name needs no quotes.
  private func isPlain(_ name: [UInt8]) -> Bool {
    guard let first = name.first, CharacterTraits(first).startsWord,
      name.allSatisfy({ CharacterTraits($0).continuesWord })
    else { return false }
    return (name + [UInt8](repeating: 0, count: SQLText.padding)).withUnsafeBufferPointer {
      guard let start = $0.baseAddress else { return false }
      return Keyword.kind(of: start, name.count) == .identifier
    }
  }

  private func bytes(_ token: Token) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.start + token.start, count: token.end - token.start)
  }

  /// A blank where two words would touch.
  private mutating func separate() {
    if let last = output.last, CharacterTraits(last).continuesWord {
      output.append(UInt8(ascii: " "))
    }
  }

  private mutating func append(_ text: StaticString) {
    output.append(contentsOf: UnsafeBufferPointer(
      start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func appendLowered(_ bytes: some Sequence<UInt8>) {
    output.append(contentsOf: bytes.lazy.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 })
  }
}
