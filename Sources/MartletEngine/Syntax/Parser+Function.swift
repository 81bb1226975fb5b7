// Calls, windows, CASE, CAST and RAISE.

extension Parser {
  /// Arguments and clauses of the function `name`; the token is its parenthesis.
  @inline(never)
  mutating func parseCall(_ name: Token) throws(SQLError) -> Expression {
    advance()
    // What is kept while arguments are parsed is on the stack for each call that nests.
    let isStar = accept(.star)
    let isDistinct = !isStar && parseDistinct()
    var arguments: ExpressionList?
    var height: Int32 = 0
    if !isStar, token.kind != .rightParenthesis, token.kind != .order {
      try open(3)
      arguments = try parseExpressions(&height)
      close(3)
    }
    return try finishCall(
      name, arguments, height: height, isStar: isStar, isDistinct: isDistinct)
  }

  /// What stands behind the arguments.
  @inline(never)
  private mutating func finishCall(
    _ name: Token, _ arguments: ExpressionList?, height: Int32, isStar: Bool, isDistinct: Bool
  ) throws(SQLError) -> Expression {
    var call = CallParts(
      arguments: arguments?.pointee ?? [], height: height, isStar: isStar, isDistinct: isDistinct)
    if !isStar, token.kind == .order { call.orderBy = try parseCallOrder() }
    try expect(.rightParenthesis)
    if token.kind == .filter { call.filter = try parseFilter() }
    if token.kind == .over { call.over = try parseOver() }
    return try makeCall(name, call)
  }

  private struct CallParts {
    var arguments: TreeList<Expression> = []
    var orderBy: TreeList<OrderingTerm> = []
    var filter: Expression?
    var over: WindowReference?
    var height: Int32 = 0
    var isStar = false
    var isDistinct = false
  }

  @inline(never)
  private mutating func makeCall(
    _ token: Token, _ parts: CallParts
  ) throws(SQLError) -> Expression {
    let name = try makeName(token)
    if parts.arguments.count > limits.functionArguments { report(Parser.tooManyArguments(name)) }
    if parts.isDistinct && parts.over != nil {
      report(.sql("DISTINCT is not supported for window functions"))
    }
    if parts.over != nil, !parts.orderBy.isEmpty, !parts.arguments.isEmpty {
      report(
        .sql(
          "ORDER BY may not be used with non-aggregate \(name.string)()", offset: name.offset))
    }
    let call = FunctionCall(
      name: name, arguments: parts.arguments, isStar: parts.isStar,
      isDistinct: parts.isDistinct, orderBy: parts.orderBy, filter: parts.filter,
      over: parts.over)
    return try make(.function(Kept(call, in: memory)), from: token.start, above: parts.height)
  }

  @inline(never)
  private static func tooManyArguments(_ name: Name) -> SQLError {
    .sql("too many arguments on function \(name.string)", offset: name.offset)
  }

  /// DISTINCT or ALL.
  @inline(__always)
  mutating func parseDistinct() -> Bool {
    if token.kind == .distinct {
      advance()
      return true
    }
    if token.kind == .all { advance() }
    return false
  }

  @inline(never)
  private mutating func parseCallOrder() throws(SQLError) -> TreeList<OrderingTerm> {
    try open(6)
    let terms = try parseOrderBy()
    close(6)
    return terms
  }

  @inline(never)
  private mutating func parseFilter() throws(SQLError) -> Expression {
    advance()
    try expect(.leftParenthesis)
    try expect(.where)
    try open(8)
    let condition = try parseExpression()
    close(8)
    try expect(.rightParenthesis)
    return condition
  }

  @inline(never)
  private mutating func parseOver() throws(SQLError) -> WindowReference {
    advance()
    if token.kind == .leftParenthesis { return .definition(try parseWindowDefinition()) }
    return .named(try parseName())
  }

  /// A window between parentheses (windowfunctions §2).
  mutating func parseWindowDefinition() throws(SQLError) -> WindowDefinition {
    try expect(.leftParenthesis)
    try open(9)
    var base: Name?
    switch token.kind {
    case .partition, .order, .rows, .range, .groups, .rightParenthesis: break
    default: base = try parseName()
    }
    var partition: TreeList<Expression> = []
    if accept(.partition) {
      try expect(.by)
      var height: Int32 = 0
      partition = try parseExpressions(&height).pointee
    }
    let orderBy = token.kind == .order ? try parseOrderBy() : []
    close(1)
    let frame = try parseFrame()
    close(8)
    try expect(.rightParenthesis)
    return WindowDefinition(base: base, partitionBy: partition, orderBy: orderBy, frame: frame)
  }

  private mutating func parseFrame() throws(SQLError) -> WindowFrame? {
    let unit: WindowFrame.Unit
    switch token.kind {
    case .rows: unit = .rows
    case .range: unit = .range
    case .groups: unit = .groups
    default: return nil
    }
    advance()
    let start: WindowFrame.Bound
    var end = WindowFrame.Bound.currentRow
    if accept(.between) {
      start = try parseBound(unbounded: .preceding)
      try expect(.and)
      end = try parseBound(unbounded: .following)
    } else {
      start = try parseBound(unbounded: .preceding)
    }
    let exclusion = try parseExclusion()
    guard Parser.isOrdered(start, end) else {
      report(.sql("unsupported frame specification"))
      return nil
    }
    return WindowFrame(unit: unit, start: start, end: end, exclusion: exclusion)
  }

  /// A start must not lie behind its end.
  private static func isOrdered(_ start: WindowFrame.Bound, _ end: WindowFrame.Bound) -> Bool {
    switch (start, end) {
    case (.currentRow, .preceding), (.following, .preceding), (.following, .currentRow): false
    default: true
    }
  }

  private mutating func parseBound(
    unbounded direction: TokenKind
  ) throws(SQLError) -> WindowFrame.Bound {
    if accept(.unbounded) {
      try expect(direction)
      return direction == .preceding ? .unboundedPreceding : .unboundedFollowing
    }
    if accept(.current) {
      try expect(.row)
      return .currentRow
    }
    let offset = try parseExpression()
    if accept(.preceding) { return .preceding(offset) }
    try expect(.following)
    return .following(offset)
  }

  private mutating func parseExclusion() throws(SQLError) -> WindowFrame.Exclusion {
    guard accept(.exclude) else { return .none }
    switch token.kind {
    case .no:
      advance()
      try expect(.others)
      return .noOthers
    case .current:
      advance()
      try expect(.row)
      return .currentRow
    case .group:
      advance()
      return .group
    default:
      try expect(.ties)
      return .ties
    }
  }
}

extension Parser {
  @inline(never)
  mutating func parseCase() throws(SQLError) -> Expression {
    let start = token.start
    advance()
    var height: Int32 = 0
    var operand: Expression?
    if token.kind != .when { operand = try parseCaseItem(weight: 1, &height) }
    var branches: [(when: Expression, then: Expression)] = []
    repeat {
      try expect(.when)
      let condition = try parseCaseItem(weight: branches.isEmpty ? 3 : 4, &height)
      try expect(.then)
      let result = try parseCaseItem(weight: branches.isEmpty ? 5 : 6, &height)
      branches.append((condition, result))
    } while token.kind == .when
    var otherwise: Expression?
    if accept(.else) { otherwise = try parseCaseItem(weight: 4, &height) }
    return try finishCase(operand, branches, otherwise, start, height)
  }

  @inline(__always)
  private mutating func parseCaseItem(
    weight: Int32, _ height: inout Int32
  ) throws(SQLError) -> Expression {
    try open(weight)
    let item = try parseExpression()
    close(weight)
    height = max(height, item.height)
    return item
  }

  @inline(never)
  private mutating func finishCase(
    _ operand: Expression?, _ branches: [(when: Expression, then: Expression)],
    _ otherwise: Expression?, _ start: Int, _ height: Int32
  ) throws(SQLError) -> Expression {
    try expect(.end)
    let node = Case(operand: operand, branches: branches, otherwise: otherwise)
    return try make(.caseWhen(Kept(node, in: memory)), from: start, above: height)
  }

  @inline(never)
  mutating func parseCast() throws(SQLError) -> Expression {
    let start = token.start
    advance()
    try expect(.leftParenthesis)
    try open(2)
    let operand = try parseExpression()
    close(2)
    return try finishCast(operand, start)
  }

  @inline(never)
  private mutating func finishCast(
    _ operand: Expression, _ start: Int
  ) throws(SQLError) -> Expression {
    try expect(.as)
    let type = try parseTypeName() ?? slice(token.start, token.start)
    try expect(.rightParenthesis)
    return try make(.cast(operand, type: type), from: start, above: operand.height)
  }

  /// Words of a type and up to two numbers in parentheses, as written; nil where there is none.
  mutating func parseTypeName() throws(SQLError) -> ByteSlice? {
    guard token.kind.isPlainNameOrString else { return nil }
    let start = token.start
    repeat { advance() } while token.kind.isPlainNameOrString
    if accept(.leftParenthesis) {
      try parseSignedNumber()
      if accept(.comma) { try parseSignedNumber() }
      try expect(.rightParenthesis)
    }
    return slice(start, previousEnd)
  }

  /// A number with or without sign.
  mutating func parseSignedNumber() throws(SQLError) {
    if token.kind == .plus || token.kind == .minus { advance() }
    guard token.kind == .integer || token.kind == .float else { throw syntaxError() }
    advance()
  }

  @inline(never)
  mutating func parseRaise() throws(SQLError) -> Expression {
    let start = token.start
    let kind = try parseRaiseKind()
    guard kind != .ignore else { return try finishRaise(kind, nil, start) }
    try expect(.comma)
    try open(4)
    let message = try parseExpression()
    close(4)
    return try finishRaise(kind, message, start)
  }

  @inline(never)
  private mutating func parseRaiseKind() throws(SQLError) -> RaiseKind {
    advance()
    try expect(.leftParenthesis)
    let kind: RaiseKind
    switch token.kind {
    case .ignore: kind = .ignore
    case .rollback: kind = .rollback
    case .abort: kind = .abort
    case .fail: kind = .fail
    default: throw syntaxError()
    }
    advance()
    return kind
  }

  @inline(never)
  private mutating func finishRaise(
    _ kind: RaiseKind, _ message: Expression?, _ start: Int
  ) throws(SQLError) -> Expression {
    try expect(.rightParenthesis)
    return try make(.raise(kind, message: message), from: start, above: message?.height ?? 0)
  }
}
