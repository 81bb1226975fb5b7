/// Whether text ends a statement, as `sqlite3_complete` decides it: a semicolon outside quotes and
/// comments, and inside CREATE TRIGGER only the one after END.
func isCompleteStatement(_ sql: [UInt8]) -> Bool {
  var scanner = CompletenessScanner(sql)
  return scanner.isComplete()
}

/// Whether text is nothing but blanks and whole comments.
func isBlankSQL(_ sql: [UInt8]) -> Bool {
  var scanner = CompletenessScanner(sql)
  return scanner.isBlank()
}

private struct CompletenessScanner {
  /// Where in a statement the scan is.
  private enum State {
    case start, statement, explain, create, trigger, triggerSemicolon, triggerEnd
  }

  private enum Token { case semicolon, explain, create, temporary, trigger, end, other }

  private let sql: [UInt8]
  private var index = 0
  private var state = State.start

  init(_ sql: [UInt8]) { self.sql = sql }

  mutating func isComplete() -> Bool {
    var sawSemicolon = false
    while index < sql.count {
      guard let skipped = skipBlank() else { return false }
      if skipped { continue }
      guard let token = nextToken() else { return false }
      state = Self.next(state, token)
      sawSemicolon = token == .semicolon && state == .start
    }
    return sawSemicolon && state == .start
  }

  mutating func isBlank() -> Bool {
    while index < sql.count {
      guard let skipped = skipBlank(), skipped else { return false }
    }
    return true
  }

  private static func next(_ state: State, _ token: Token) -> State {
    switch state {
    case .start: startState(token)
    case .explain: startState(token)
    case .create:
      switch token {
      case .temporary: .create
      case .trigger: .trigger
      case .semicolon: .start
      default: .statement
      }
    case .statement: token == .semicolon ? .start : .statement
    case .trigger: token == .semicolon ? .triggerSemicolon : .trigger
    case .triggerSemicolon:
      switch token {
      case .semicolon: .triggerSemicolon
      case .end: .triggerEnd
      default: .trigger
      }
    case .triggerEnd: token == .semicolon ? .start : .trigger
    }
  }

  private static func startState(_ token: Token) -> State {
    switch token {
    case .semicolon: .start
    case .explain: .explain
    case .create: .create
    default: .statement
    }
  }

  /// Skips one blank or comment; nil where a comment does not end.
  private mutating func skipBlank() -> Bool? {
    let byte = sql[index]
    if isSpace(byte) {
      index += 1
      return true
    }
    let following = index + 1 < sql.count ? sql[index + 1] : 0
    if byte == UInt8(ascii: "-"), following == byte {
      index = sql[index...].firstIndex(of: UInt8(ascii: "\n")) ?? sql.count
      return true
    }
    guard byte == UInt8(ascii: "/"), following == UInt8(ascii: "*") else { return false }
    index += 2
    while index + 1 < sql.count {
      if sql[index] == UInt8(ascii: "*"), sql[index + 1] == UInt8(ascii: "/") {
        index += 2
        return true
      }
      index += 1
    }
    return nil
  }

  /// Takes one token; nil where a quote does not end.
  private mutating func nextToken() -> Token? {
    let byte = sql[index]
    switch byte {
    case UInt8(ascii: ";"):
      index += 1
      return .semicolon
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
      let close = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
      guard let end = sql[(index + 1)...].firstIndex(of: close) else { return nil }
      index = end + 1
      return .other
    default:
      let word = sql[index...].prefix {
        isLetter($0) || isDigit($0) || $0 >= 0x80 || $0 == UInt8(ascii: "_")
      }
      index += max(word.count, 1)
      return Self.keyword(String(decoding: word, as: UTF8.self).uppercased())
    }
  }

  private static func keyword(_ word: String) -> Token {
    switch word {
    case "EXPLAIN": .explain
    case "CREATE": .create
    case "TEMP", "TEMPORARY": .temporary
    case "TRIGGER": .trigger
    case "END": .end
    default: .other
    }
  }
}
