/// The limits that parsing enforces (limits.md).
struct ParserLimits {
  var expressionDepth: Int32 = 1_000
  var compoundSelect = 500
  var functionArguments = 1_000
  var variableNumber: Int32 = 32_766
  /// SQLITE_LIMIT_PARSER_DEPTH: how much may be open at once, see `Parser.open`.
  var parserDepth: Int32 = 2_501
}

/// Recursive descent over the whole grammar of SQLite 3.53; expressions by operator precedence.
///
/// Errors are SQLite's: the first token that cannot follow is named, and what SQLite refuses while
/// it parses (join words, frames, names given twice) is refused in the same order.
struct Parser: ~Copyable {
  let text: SQLText
  /// Where the statement's tree lies.
  let memory: TreeMemory
  private let trees: TreeStore
  let limits: ParserLimits
  /// True while the stored definitions are read: SQLite then forgives some old mistakes.
  let isLoadingSchema: Bool
  /// ALTER TABLE looks for names: also in what is false as it is written (PARSE_MODE_RENAME).
  let isRenaming: Bool

  /// The token that is looked at.
  var token: Token
  /// The kind of the token before it, and the byte behind that one.
  var previousKind = TokenKind.semicolon
  var previousEnd: Int

  /// Operators that wait for their right operand, of all expressions that are being parsed.
  var pending = TreeList<PendingOperator>()
  /// How many symbols SQLite's parser would hold on its stack now, nearly.
  var depth: Int32 = 4
  /// How many expressions are being parsed, each within the one before.
  var nesting: Int32 = 0

  var parameterCount: Int32 = 0
  /// SELECTs that have ended so far.
  var selectCount: Int32 = 0
  var parameterNames: [(number: Int32, name: ByteSlice)] = []
  /// Bits of the parameters that are among these.
  var namedParameters: [UInt64] = []
  /// A mistake that is no syntax error, and the token that was looked at when SQLite would have
  /// found it: a syntax error up to that token comes first.
  private var mistake: SQLError?
  private var mistakeOffset = Int.max
  private var mistakeEnd = 0
  /// The clause that DEFERRABLE changes.
  var lastForeignKey: ForeignKeyClause?

  init(
    _ text: SQLText, from offset: Int, limits: ParserLimits, isLoadingSchema: Bool,
    isRenaming: Bool
  ) {
    self.text = text
    trees = TreeStore(isSmall: isLoadingSchema)
    memory = trees.memory
    self.limits = limits
    self.isLoadingSchema = isLoadingSchema
    self.isRenaming = isRenaming
    token = Tokenizer.token(text.start, from: offset)
    previousEnd = offset
  }

  /// Parses the first statement at or behind `offset`.
  ///
  /// - Returns: nil where only blanks, comments and semicolons are left.
  static func parse(
    _ text: SQLText, from offset: Int = 0, limits: ParserLimits = ParserLimits(),
    isLoadingSchema: Bool = false, isRenaming: Bool = false
  ) throws(SQLError) -> ParsedStatement? {
    if !isLoadingSchema { try requireRoom(text, from: offset) }
    var parser = Parser(
      text, from: max(0, min(offset, text.count)), limits: limits,
      isLoadingSchema: isLoadingSchema, isRenaming: isRenaming)
    return try parser.parseStatementWithEnd()
  }

  /// The same from the text's beginning.
  ///
  /// - Parameter rest: where it fails, what SQLite would have looked at no more begins there.
  static func parse(
    _ text: SQLText, limits: ParserLimits, rest: inout Int
  ) throws(SQLError) -> ParsedStatement? {
    try requireRoom(text, from: 0)
    var parser = Parser(
      text, from: 0, limits: limits, isLoadingSchema: false, isRenaming: false)
    do {
      return try parser.parseStatementWithEnd()
    } catch {
      rest = parser.end(of: error)
      throw error
    }
  }

  /// Asks for the memory of a long statement before it is made anything of: most of it goes to
  /// Swift's arrays. Short ones need little.
  @inline(__always)
  private static func requireRoom(_ text: SQLText, from offset: Int) throws(SQLError) {
    let longText = 8_192
    if text.count - offset > longText { try requireRoom(longText: text, from: offset) }
  }

  @inline(never)
  private static func requireRoom(longText text: SQLText, from start: Int) throws(SQLError) {
    let start = max(0, start)
    var tokenCount = 0, token = Tokenizer.token(text.start, from: start)
    // What is no token ends the statement with an error; it may be empty.
    while token.kind != .semicolon && token.kind != .endOfText && token.kind != .illegal {
      tokenCount += 1
      token = Tokenizer.token(text.start, from: token.end)
    }
    try Memory.requireRoom(toCompileTokens: tokenCount, bytes: token.start - start)
  }

  private func end(of error: SQLError) -> Int {
    if error == mistake && mistakeOffset != Int.max { return mistakeEnd }
    return token.kind == .illegal ? token.start : token.end
  }

  private mutating func parseStatementWithEnd() throws(SQLError) -> ParsedStatement? {
    while token.kind == .semicolon { advance() }
    if token.kind == .endOfText { return nil }
    let start = token.start
    let explain = try parseExplain()
    let statement = try parseStatement()
    let end = previousEnd
    var refusal: SQLError?
    if token.kind != .semicolon && token.kind != .endOfText {
      let error = syntaxError()
      guard statement.actsWhenParsed, token.kind != .illegal else { throw error }
      refusal = error
    }
    if let mistake { throw mistake }
    if isLoadingSchema && !trees.isEmpty { text.keep(trees) }
    return ParsedStatement(
      text: text, statement: statement, explain: explain, range: range(start, end),
      endOffset: token.end, parameterCount: parameterCount, parameterNames: parameterNames,
      trees: trees, refusal: refusal)
  }

  private mutating func parseExplain() throws(SQLError) -> ExplainMode {
    guard accept(.explain) else { return .none }
    guard accept(.query) else { return .program }
    try expect(.plan)
    return .queryPlan
  }
}

// Tokens
extension Parser {
  /// Takes the token. Never inlined: it holds the tokenizer, and frames must stay small.
  @inline(never)
  mutating func advance() {
    previousKind = token.kind
    previousEnd = token.end
    token = Tokenizer.token(text.start, from: token.end)
    if token.kind >= .filter && token.kind <= .window { resolveContextualKeyword() }
  }

  @inline(__always)
  mutating func accept(_ kind: TokenKind) -> Bool {
    guard token.kind == kind else { return false }
    advance()
    return true
  }

  @inline(never)
  mutating func expect(_ kind: TokenKind) throws(SQLError) {
    guard token.kind == kind else { throw syntaxError() }
    advance()
  }

  /// The token behind the one that is looked at.
  @inline(never)
  mutating func peek() -> Token { Tokenizer.token(text.start, from: token.end) }

  /// FILTER, OVER and WINDOW are keywords only between certain tokens (lang_keywords).
  @inline(never)
  private mutating func resolveContextualKeyword() {
    let next = peek()
    let isKeyword =
      switch token.kind {
      case .filter: previousKind == .rightParenthesis && next.kind == .leftParenthesis
      case .over:
        previousKind == .rightParenthesis
          && (next.kind == .leftParenthesis || isWindowName(next.kind))
      default:
        isWindowName(next.kind) && Tokenizer.token(text.start, from: next.end).kind == .as
      }
    if !isKeyword { token = Token(kind: .identifier, start: token.start, end: token.end) }
  }

  @inline(__always)
  private func isWindowName(_ kind: TokenKind) -> Bool {
    (kind.isName && kind != .indexed) || kind == .window || kind == .over
  }
}

// Errors
extension Parser {
  /// The token that is looked at cannot stand here.
  @inline(never)
  mutating func syntaxError() -> SQLError {
    if let mistake, mistakeOffset < token.start { return mistake }
    return syntaxError(at: token)
  }

  @inline(never)
  mutating func syntaxError(at token: Token) -> SQLError {
    let shown = text.string(range(token.start, token.end))
    switch token.kind {
    case .endOfText: return .sql("incomplete input")
    case .illegal: return .sql("unrecognized token: \"\(shown)\"", offset: Int32(token.start))
    default: return .sql("near \"\(shown)\": syntax error", offset: Int32(token.start))
    }
  }

  /// Reports a mistake that SQLite finds while it looks at the present token.
  @inline(never)
  mutating func report(_ error: SQLError) {
    if mistakeOffset < token.start { return }
    mistake = error
    mistakeOffset = token.start
    mistakeEnd = token.end
  }

  /// Takes the semicolon behind a statement of a trigger. SQLite takes the end of the text for one
  /// too and finds only then that more is missing, so mistakes in that statement come first.
  mutating func expectSemicolon() throws(SQLError) {
    if token.kind == .endOfText, mistakeOffset == token.start, let mistake { throw mistake }
    try expect(.semicolon)
  }

  /// Reports a mistake that SQLite finds only when it has read the whole statement.
  @inline(never)
  mutating func reportAtEnd(_ error: SQLError) {
    if mistake == nil { mistake = error }
  }

  /// Counts symbols that stay open while something nested is parsed; `close` takes them back.
  ///
  /// SQLite's parser keeps a stack of symbols whose height is limited; the weights are the symbols
  /// that each construct leaves on it. This also bounds our own recursion.
  @inline(__always)
  mutating func open(_ weight: Int32) throws(SQLError) {
    depth &+= weight
    if depth > limits.parserDepth { throw .recursionLimit }
  }

  @inline(__always)
  mutating func close(_ weight: Int32) { depth &-= weight }

  /// An expression is higher than the limit. `mutating`, as what only borrows the parser gets a copy of
  /// it in the frame of the caller, which nests.
  @inline(never)
  mutating func tooDeep() -> SQLError {
    if let mistake, mistakeOffset <= token.start { return mistake }
    return Parser.tooDeep(limits.expressionDepth)
  }

  @inline(never)
  static func tooDeep(_ limit: Int32) -> SQLError {
    .sql("Expression tree is too large (maximum depth \(limit))")
  }
}

// Names and ranges
extension Parser {
  @inline(__always)
  func range(_ start: Int, _ end: Int) -> ByteRange {
    ByteRange(start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: end))
  }

  /// From `start` to the end of the last token taken.
  @inline(__always)
  func range(from start: Int) -> ByteRange { range(start, previousEnd) }

  /// From `start` to the token that is looked at, without blanks at the end. Comments before that
  /// token are part of it, as they are in SQLite's column names.
  mutating func textRange(from start: Int) -> ByteRange {
    var end = token.start
    while end > start && isSpace(text.start[end &- 1]) { end &-= 1 }
    return range(start, end)
  }

  @inline(__always)
  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

  @inline(__always)
  func slice(_ start: Int, _ end: Int) -> ByteSlice {
    ByteSlice(start: text.start + start, count: end &- start)
  }

  /// Any name ("nm" in SQLite's grammar).
  @inline(never)
  mutating func parseName() throws(SQLError) -> Name {
    guard token.kind.isName else { throw syntaxError() }
    let name = try makeName(token)
    advance()
    return name
  }

  /// A name that may stand without AS, a type word, a collation ("ids").
  @inline(never)
  mutating func parsePlainNameOrString() throws(SQLError) -> Name {
    guard token.kind.isPlainNameOrString else { throw syntaxError() }
    let name = try makeName(token)
    advance()
    return name
  }

  /// `name` or `schema.name`.
  @inline(never)
  mutating func parseQualifiedName() throws(SQLError) -> QualifiedName {
    let first = try parseName()
    guard accept(.dot) else { return QualifiedName(schema: nil, name: first) }
    return QualifiedName(schema: first, name: try parseName())
  }

  /// One or more names between parentheses.
  mutating func parseNameList() throws(SQLError) -> [Name] {
    try expect(.leftParenthesis)
    var names = [try parseName()]
    while accept(.comma) { names.append(try parseName()) }
    try expect(.rightParenthesis)
    return names
  }

  @inline(never)
  mutating func makeName(_ token: Token) throws(SQLError) -> Name {
    let first = text.start[token.start]
    if CharacterTraits(first).startsWord {
      return Name(
        start: text.start + token.start, count: token.end &- token.start,
        offset: Int32(truncatingIfNeeded: token.start))
    }
    return try makeQuotedName(token, first)
  }

  @inline(never)
  private mutating func makeQuotedName(_ token: Token, _ quote: UInt8) throws(SQLError) -> Name {
    let content = try unquoted(token)
    return Name(
      start: content.start, count: content.count, offset: Int32(truncatingIfNeeded: token.start),
      quote: quote)
  }

  @inline(__always)
  func unquoted(_ token: Token) throws(SQLError) -> ByteSlice { try text.unquoted(token) }
}
