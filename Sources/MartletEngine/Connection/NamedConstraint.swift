/// A constraint that CREATE TABLE names, as ALTER TABLE looks for it: in the text (lang_altertable §6).
/// There are names that nothing follows, and some that stand in front of a default or a collation.
struct NamedConstraint {
  /// What to take out of the text, with the blanks and comments on both sides.
  let range: Range<Int>
  /// What to put in its place, so that its neighbours stay apart.
  let rest: String
  /// Keys are not dropped. Of a default or a collation, only the name is.
  let mayBeDropped: Bool

  /// The first one of that name.
  static func find(_ name: Name, in text: SQLText) throws(SQLError) -> NamedConstraint? {
    var depth = 0
    var last = Tokenizer.token(text.start, from: 0)
    while last.end < text.count {
      var token = Tokenizer.token(text.start, from: last.end)
      switch token.kind {
      case .leftParenthesis: depth += 1
      case .rightParenthesis: depth -= 1
      case .constraint where depth == 1:
        token = Tokenizer.token(text.start, from: token.end)
        if try NamedConstraint.name(token, text) == name {
          return NamedConstraint(text, behind: last, token)
        }
      default: break
      }
      last = token
    }
    return nil
  }

  private init(_ text: SQLText, behind last: Token, _ word: Token) {
    let first = Tokenizer.token(text.start, from: word.end)
    var next = first
    if first.kind == .check || first.kind == .not {
      var depth = 0
      repeat {
        if next.kind == .leftParenthesis { depth += 1 }
        if next.kind == .rightParenthesis { depth -= 1 }
        next = Tokenizer.token(text.start, from: next.end)
      } while next.start < text.count && (depth > 0 || !NamedConstraint.isBoundary(next.kind))
      mayBeDropped = true
    } else {
      mayBeDropped = NamedConstraint.isBoundary(first.kind)
        && ![.unique, .primary, .foreign, .references].contains(first.kind)
    }
    let isLast = next.kind == .comma || next.kind == .rightParenthesis
    rest = isLast ? "" : " "
    range = (isLast && last.kind == .comma ? last.start : last.end)..<next.start
  }

  private static func name(_ word: Token, _ text: SQLText) throws(SQLError) -> Name? {
    if CharacterTraits(text.start[word.start]).startsWord {
      return Name(start: text.start + word.start, count: word.end - word.start)
    }
    guard word.end - word.start >= 2 else { return nil }
    let content = try text.unquoted(word)
    return Name(start: content.start, count: content.count)
  }

  /// Whether a word begins a constraint, or ends the last one.
  private static func isBoundary(_ kind: TokenKind) -> Bool {
    switch kind {
    case .constraint, .check, .not, .unique, .primary, .foreign, .references, .collate, .default,
      .generated, .as, .comma, .rightParenthesis: true
    default: false
    }
  }
}
