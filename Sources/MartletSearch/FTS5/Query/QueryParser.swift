// The query language (fts5 §3):
//
//     query    := or
//     or       := and { OR and }
//     and      := not { AND not }
//     not      := primary { NOT primary }
//     primary  := ( or ) | columns : ( or ) | group { group }       groups: an implicit AND
//     group    := [columns :] ( [^] phrase | NEAR ( phrase … [, N] ) )
//     phrase   := string [*] { + string [*] }
//     columns  := [-] string | [-] { string … }
//
// What is wrong is found at the same token as in C, whose parser is one of LALR(1): the error is
// that of the first token that cannot follow, unless something before it was wrong by its meaning.
import MartletEngine

struct QueryParser {
  private let configuration: FTS5Configuration
  private let locale: UnsafeRawBufferPointer?
  /// Phrases of several tokens are tokens that all have to be there: detail is not full, and the
  /// query comes from a pattern.
  private let splitsPhrases: Bool
  private var lexer: QueryLexer
  private var token: QueryWord
  /// All phrases, in the order in which they are written.
  private(set) var phrases: [QueryPhrase] = []
  private var depth = 0

  private static let mostDepth = 256
  private static let deepestNesting = 2_000

  init(
    _ text: [UInt8], _ configuration: FTS5Configuration, locale: UnsafeRawBufferPointer?,
    splitsPhrases: Bool = false
  ) throws(SQLError) {
    self.configuration = configuration
    self.locale = locale
    self.splitsPhrases = splitsPhrases
    lexer = QueryLexer(text)
    token = try lexer.next()
  }

  /// Reads the whole query.
  ///
  /// - Parameter column: Where all of it has to match; nil for all columns.
  mutating func parse(column: Int?) throws(SQLError) -> QueryTree {
    let tree = try parseOr()
    guard token.kind == .end else { throw syntaxError() }
    if let column { try restrict(tree, to: [column]) }
    return tree
  }

  private func syntaxError(_ token: QueryWord? = nil) -> SQLError {
    SQLError(.error, "fts5: syntax error near \"\((token ?? self.token).string)\"")
  }

  private mutating func advance() throws(SQLError) -> QueryWord {
    let taken = token
    token = try lexer.next()
    return taken
  }

  private mutating func take(_ kind: QueryWord.Kind) throws(SQLError) {
    guard token.kind == kind else { throw syntaxError() }
    token = try lexer.next()
  }

  // MARK: Operators

  private mutating func parseOr() throws(SQLError) -> QueryTree {
    depth += 1
    defer { depth -= 1 }
    guard depth < QueryParser.deepestNesting else {
      throw SQLError(.error, "fts5: parser stack overflow")
    }
    var left = try parseAnd()
    while token.kind == .or {
      try take(.or)
      left = try join(left, try parseAnd(), isAnd: false)
    }
    return left
  }

  private mutating func parseAnd() throws(SQLError) -> QueryTree {
    var left = try parseNot()
    while token.kind == .and {
      try take(.and)
      left = try join(left, try parseNot(), isAnd: true)
    }
    return left
  }

  private mutating func parseNot() throws(SQLError) -> QueryTree {
    var left = try parsePrimary()
    while token.kind == .not {
      try take(.not)
      left = .not(left, try parsePrimary())
      try checkHeight(left)
    }
    return left
  }

  private func join(
    _ left: QueryTree, _ right: QueryTree, isAnd: Bool
  ) throws(SQLError) -> QueryTree {
    var children: [QueryTree] = []
    for side in [left, right] {
      switch side {
      case .and(let own) where isAnd: children += own
      case .or(let own) where !isAnd: children += own
      default: children.append(side)
      }
    }
    let joined: QueryTree = isAnd ? .and(children) : .or(children)
    try checkHeight(joined)
    return joined
  }

  private func checkHeight(_ tree: QueryTree) throws(SQLError) {
    guard tree.height > QueryParser.mostDepth else { return }
    throw SQLError(
      .error, "fts5 expression tree is too large (maximum depth \(QueryParser.mostDepth))")
  }

  // MARK: Primaries

  private mutating func parsePrimary() throws(SQLError) -> QueryTree {
    if token.kind == .leftParenthesis { return try parseParenthesis() }
    var first = try parseFiltered(mayBeParenthesis: true)
    guard !first.isParenthesis else { return first.tree }
    while let next = try parseFollowing() { first.tree = try joinImplicitly(first.tree, next) }
    return first.tree
  }

  private mutating func parseParenthesis() throws(SQLError) -> QueryTree {
    try take(.leftParenthesis)
    let tree = try parseOr()
    try take(.rightParenthesis)
    return tree
  }

  private mutating func parseFollowing() throws(SQLError) -> QueryTree? {
    switch token.kind {
    case .string, .caret, .minus, .leftBrace: try parseFiltered(mayBeParenthesis: false).tree
    default: nil
    }
  }

  /// A group, or something in parentheses, perhaps behind a list of columns.
  private mutating func parseFiltered(
    mayBeParenthesis: Bool
  ) throws(SQLError) -> (tree: QueryTree, isParenthesis: Bool) {
    switch token.kind {
    case .minus, .leftBrace:
      let columns = try parseColumns(first: nil)
      return try parseRestricted(to: columns, mayBeParenthesis)
    case .caret:
      try take(.caret)
      guard token.kind == .string else { throw syntaxError() }
      let phrase = try parsePhrase(first: try advance())
      if !phrase.terms.isEmpty { phrase.terms[0].isFirst = true }
      return (try makeGroup(QueryGroup([phrase])), false)
    case .string:
      let first = try advance()
      if token.kind == .colon {
        return try parseRestricted(to: try parseColumns(first: first), mayBeParenthesis)
      }
      return (try parseGroup(first: first), false)
    default: throw syntaxError()
    }
  }

  private mutating func parseRestricted(
    to columns: [Int], _ mayBeParenthesis: Bool
  ) throws(SQLError) -> (tree: QueryTree, isParenthesis: Bool) {
    try take(.colon)
    let tree: QueryTree, isParenthesis = token.kind == .leftParenthesis && mayBeParenthesis
    if isParenthesis {
      tree = try parseParenthesis()
    } else if token.kind == .caret {
      tree = try parseFiltered(mayBeParenthesis: false).tree
    } else {
      guard token.kind == .string else { throw syntaxError() }
      tree = try parseGroup(first: try advance())
    }
    try restrict(tree, to: columns)
    return (tree, isParenthesis)
  }

  // MARK: Columns

  private mutating func parseColumns(first: QueryWord?) throws(SQLError) -> [Int] {
    if let first { return [try column(first)] }
    let isInverted = token.kind == .minus
    if isInverted { try take(.minus) }
    var columns: [Int] = []
    if token.kind == .leftBrace {
      try take(.leftBrace)
      guard token.kind == .string else { throw syntaxError() }
      while token.kind == .string { columns.append(try column(try advance())) }
      try take(.rightBrace)
    } else {
      guard token.kind == .string else { throw syntaxError() }
      columns = [try column(try advance())]
    }
    guard token.kind == .colon else { throw syntaxError() }
    let all = configuration.columns.indices
    return all.filter { columns.contains($0) != isInverted }
  }

  private func column(_ token: QueryWord) throws(SQLError) -> Int {
    // As the columns' own names are made of their bytes.
    let name = token.unquoted.withUnsafeBytes { String(fileNameBytes: $0) }
    guard let column = configuration.column(named: name) else {
      throw SQLError(.error, "no such column: \(name)")
    }
    return column
  }

  private func restrict(_ tree: QueryTree, to columns: [Int]) throws(SQLError) {
    guard configuration.detail != .none else {
      throw SQLError(.error, "fts5: column queries are not supported (detail=none)")
    }
    QueryParser.restrict(tree, columns)
  }

  private static func restrict(_ tree: QueryTree, _ columns: [Int]) {
    switch tree {
    case .group(let group):
      guard let own = group.columns else { return group.columns = columns }
      let common = own.filter { columns.contains($0) }
      group.columns = common
      if common.isEmpty { group.isEmpty = true }
    case .and(let children), .or(let children):
      for child in children { restrict(child, columns) }
    case .not(let left, let right):
      restrict(left, columns)
      restrict(right, columns)
    }
  }

  // MARK: Groups and phrases

  /// A phrase, or NEAR and what follows, whose first token is taken.
  private mutating func parseGroup(first: QueryWord) throws(SQLError) -> QueryTree {
    guard token.kind == .leftParenthesis else {
      return try makeGroup(QueryGroup([try parsePhrase(first: first)]))
    }
    try take(.leftParenthesis)
    guard token.kind == .string else { throw syntaxError() }
    let group = QueryGroup([])
    while token.kind == .string { add(try parsePhrase(first: try advance()), to: group) }
    var distance: QueryWord?
    if token.kind == .comma {
      try take(.comma)
      guard token.kind == .string else { throw syntaxError() }
      distance = try advance()
    }
    guard token.kind == .rightParenthesis else { throw syntaxError() }
    guard first.text.elementsEqual("NEAR".utf8) else { throw syntaxError(first) }
    if let distance { group.distance = try QueryParser.number(distance) }
    try take(.rightParenthesis)
    return try makeGroup(group)
  }

  /// Phrases without tokens do not count, unless there is no other.
  private mutating func add(_ phrase: QueryPhrase, to group: QueryGroup) {
    if let last = group.phrases.last {
      if phrase.terms.isEmpty {
        phrases.removeLast()
        return
      }
      if last.terms.isEmpty {
        phrases.remove(at: phrases.count - 2)
        group.phrases.removeLast()
      }
    }
    group.phrases.append(phrase)
  }

  private static func number(_ token: QueryWord) throws(SQLError) -> Int {
    var number = 0
    for byte in token.text {
      guard byte &- 0x30 < 10 else {
        throw SQLError(.error, "expected integer, got \"\(token.string)\"")
      }
      if number < 214_748_363 { number = number * 10 + Int(byte &- 0x30) }
    }
    return number
  }

  private mutating func parsePhrase(first: QueryWord) throws(SQLError) -> QueryPhrase {
    let phrase = QueryPhrase()
    phrases.append(phrase)
    try addString(first, to: phrase)
    while token.kind == .plus {
      try take(.plus)
      guard token.kind == .string else { throw syntaxError() }
      try addString(try advance(), to: phrase)
    }
    return phrase
  }

  private mutating func addString(
    _ string: QueryWord, to phrase: QueryPhrase
  ) throws(SQLError) {
    let isPrefix = token.kind == .star
    if isPrefix { try take(.star) }
    let text = string.unquoted
    let reason: TokenizeReason = isPrefix ? [.query, .prefix] : .query
    try text.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in
        try configuration.tokenize(bytes, reason, locale: locale) {
          token, isColocated, _, _ throws(SQLError) in
          let end = configuration.hasTokenData ? token.firstIndex(of: 0) : nil
          let wanted = Array(token[..<(end ?? token.count)])
          if isColocated && !phrase.terms.isEmpty {
            phrase.terms[phrase.terms.count - 1].synonyms.append(wanted)
          } else {
            phrase.terms.append(QueryTerm(token: wanted, data: Array(token[wanted.count...])))
          }
        }
      }
    }.get()
    if !phrase.terms.isEmpty { phrase.terms[phrase.terms.count - 1].isPrefix = isPrefix }
  }

  private mutating func makeGroup(_ group: QueryGroup) throws(SQLError) -> QueryTree {
    if splitsPhrases, let phrase = group.phrases.first, phrase.terms.count > 1 {
      return split(phrase)
    }
    if group.phrases.contains(where: \.terms.isEmpty) { group.isEmpty = true }
    if configuration.detail != .full, let phrase = group.phrases.first {
      let isSimple =
        group.phrases.count == 1 && phrase.terms.count <= 1
        && !(phrase.terms.first?.isFirst ?? false)
      if !isSimple {
        let kind = group.phrases.count == 1 ? "phrase" : "NEAR"
        throw SQLError(.error, "fts5: \(kind) queries are not supported (detail!=full)")
      }
    }
    return .group(group)
  }

  private mutating func split(_ phrase: QueryPhrase) -> QueryTree {
    phrases.removeLast()
    var parts: [QueryTree] = []
    for term in phrase.terms {
      let part = QueryPhrase()
      part.terms = [term]
      phrases.append(part)
      parts.append(.group(QueryGroup([part])))
    }
    return .and(parts)
  }

  /// Groups that follow each other. One without tokens does not count beside one with some.
  private mutating func joinImplicitly(
    _ left: QueryTree, _ right: QueryTree
  ) throws(SQLError) -> QueryTree {
    if right.isEmpty {
      phrases.removeLast()
      return left
    }
    var previous = left
    if case .and(let children) = left, let last = children.last { previous = last }
    guard previous.isEmpty else { return try join(left, right, isAnd: true) }
    if case .group(let group) = right {
      phrases.remove(at: phrases.count - 1 - group.phrases.count)
    }
    guard case .and(var children) = left else { return right }
    children[children.count - 1] = right
    return .and(children)
  }
}
