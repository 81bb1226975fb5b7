/// Whether SQL text ends with a complete statement, as `sqlite3_complete` tells (c3ref/complete).
///
/// Only tokens count: a semicolon outside of strings and comments ends a statement, but in a
/// CREATE TRIGGER only the one behind `; END` does.
public enum CompleteStatement {
  private enum State {
    /// No statement has begun; `complete` if one has ended.
    case blank, complete
    case statement
    case explain, create
    /// In the body of a trigger; behind its semicolon; behind its END.
    case trigger, triggerSemicolon, triggerEnd
  }

  private enum Word { case semicolon, blank, explain, create, temporary, trigger, end, other }

  public static func isComplete(_ sql: UnsafeBufferPointer<UInt8>) throws(SQLError) -> Bool {
    isComplete(try SQLText(copying: sql))
  }

  static func isComplete(_ text: SQLText) -> Bool {
    var state = State.blank
    var offset = 0
    while text.start[offset] != 0 {
      guard let (word, end) = nextWord(text.start, offset) else { return false }
      state = next(state, word)
      offset = end
    }
    return state == .complete
  }

  private static func next(_ state: State, _ word: Word) -> State {
    if word == .blank { return state }
    switch state {
    case .blank, .complete: return first(word, of: state)
    case .explain:
      // EXPLAIN may be followed by QUERY PLAN.
      return word == .other ? .explain : first(word, of: state)
    case .create:
      switch word {
      case .semicolon: return .complete
      case .temporary: return .create
      case .trigger: return .trigger
      default: return .statement
      }
    case .statement: return word == .semicolon ? .complete : .statement
    case .trigger: return word == .semicolon ? .triggerSemicolon : .trigger
    case .triggerSemicolon:
      if word == .semicolon { return .triggerSemicolon }
      return word == .end ? .triggerEnd : .trigger
    case .triggerEnd: return word == .semicolon ? .complete : .trigger
    }
  }

  private static func first(_ word: Word, of state: State) -> State {
    switch word {
    case .semicolon: .complete
    case .explain: state == .blank || state == .complete ? .explain : .statement
    case .create: .create
    default: .statement
    }
  }

  /// The word at `offset` and where it ends; nil if a string or comment is not closed.
  private static func nextWord(
    _ text: UnsafePointer<UInt8>, _ offset: Int
  ) -> (Word, end: Int)? {
    let byte = text[offset]
    switch byte {
    case UInt8(ascii: ";"): return (.semicolon, offset + 1)
    case UInt8(ascii: "/") where text[offset + 1] == UInt8(ascii: "*"):
      return endOfComment(text, offset + 2).map { (.blank, $0) }
    case UInt8(ascii: "-") where text[offset + 1] == UInt8(ascii: "-"):
      var end = offset
      while text[end] != 0 && text[end] != 0x0a { end += 1 }
      return (.blank, end)
    case UInt8(ascii: "["): return endOfQuoted(text, offset, UInt8(ascii: "]"))
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      return endOfQuoted(text, offset, byte)
    default: break
    }
    let traits = CharacterTraits(byte)
    if traits.isBlank { return (.blank, offset + 1) }
    guard traits.continuesWord else { return (.other, offset + 1) }
    var end = offset + 1
    while CharacterTraits(text[end]).continuesWord { end += 1 }
    return (word(Keyword.kind(of: text + offset, end - offset)), end)
  }

  private static func word(_ kind: TokenKind) -> Word {
    switch kind {
    case .create: .create
    case .trigger: .trigger
    case .temp, .temporary: .temporary
    case .end: .end
    case .explain: .explain
    default: .other
    }
  }

  private static func endOfComment(_ text: UnsafePointer<UInt8>, _ from: Int) -> Int? {
    var end = from
    while text[end] != 0 {
      if text[end] == UInt8(ascii: "*") && text[end + 1] == UInt8(ascii: "/") { return end + 2 }
      end += 1
    }
    return nil
  }

  private static func endOfQuoted(
    _ text: UnsafePointer<UInt8>, _ start: Int, _ quote: UInt8
  ) -> (Word, end: Int)? {
    var end = start + 1
    while text[end] != quote {
      if text[end] == 0 { return nil }
      end += 1
    }
    return (.other, end + 1)
  }
}
