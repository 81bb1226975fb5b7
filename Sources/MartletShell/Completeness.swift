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
      while index < sql.count, sql[index] != UInt8(ascii: "\n") { index += 1 }
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
      var end = index + 1
      while end < sql.count, sql[end] != close { end += 1 }
      if end == sql.count { return nil }
      index = end + 1
      return .other
    default:
      let start = index
      while index < sql.count, Self.isWordByte(sql[index]) { index += 1 }
      if index == start { index += 1 }
      return keyword(start..<index)
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte >= 0x80 || byte == UInt8(ascii: "_")
  }

  /// Dumps are mostly words and numbers of other lengths, which are told from keywords by that.
  private func keyword(_ range: Range<Int>) -> Token {
    switch range.count {
    case 3: isWord("end", range) ? .end : .other
    case 4: isWord("temp", range) ? .temporary : .other
    case 6: isWord("create", range) ? .create : .other
    case 7: isWord("explain", range) ? .explain : isWord("trigger", range) ? .trigger : .other
    case 9: isWord("temporary", range) ? .temporary : .other
    default: .other
    }
  }

  private func isWord(_ word: StaticString, _ range: Range<Int>) -> Bool {
    for offset in 0..<word.utf8CodeUnitCount
    where sql[range.lowerBound + offset] | 0x20 != word.utf8Start[offset] {
      return false
    }
    return true
  }
}
