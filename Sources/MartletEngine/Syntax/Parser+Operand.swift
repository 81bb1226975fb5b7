// The operands of expressions: literals, names, parameters, calls, CASE, CAST, subqueries.

extension Parser {
  @inline(__always)
  mutating func parseOperand() throws(SQLError) -> Expression {
    if token.kind == .identifier { return try parseNamed() }
    return try parseOtherOperand()
  }

  @inline(never)
  private mutating func parseOtherOperand() throws(SQLError) -> Expression {
    switch token.kind {
    case .leftParenthesis: return try parseSubquery()
    case .case: return try parseCase()
    case .cast: return try parseCast()
    case .exists: return try parseExists()
    case .raise: return try parseRaise()
    case .currentTime, .currentDate, .currentTimestamp: break
    case .string where peek().kind == .dot: return try parseNamed()
    default:
      if token.kind.isIdentifier { return try parseNamed() }
    }
    return try parseLiteral()
  }

  /// Literals and parameters.
  @inline(never)
  private mutating func parseLiteral() throws(SQLError) -> Expression {
    switch token.kind {
    case .integer, .float: return leaf(.number(slice(token.start, token.end)))
    case .variable: return parseParameter()
    case .string: return leaf(.string(try unquoted(token)))
    case .null: return leaf(.null)
    case .separatedNumber: return parseSeparatedNumber()
    case .blob: return leaf(.blob(slice(token.start &+ 2, token.end &- 1)))
    case .currentTime: return leaf(.current(.time))
    case .currentDate: return leaf(.current(.date))
    case .currentTimestamp: return leaf(.current(.timestamp))
    default: throw syntaxError()
    }
  }

  /// A node for the token that is looked at, which is taken.
  @inline(never)
  private mutating func leaf(_ kind: Expression.Kind) -> Expression {
    let node = Expression(kind, range: range(token.start, token.end), height: 1, in: memory)
    advance()
    return node
  }

  private mutating func parseSeparatedNumber() -> Expression {
    guard Tokenizer.hasWellPlacedSeparators(text.start, token) else {
      let shown = text.string(range(token.start, token.end))
      let number = leaf(.number(slice(token.start, token.end)))
      report(.sql("unrecognized token: \"\(shown)\""))
      return number
    }
    return leaf(.number(slice(token.start, token.end)))
  }

  /// A column, or a call of a function.
  @inline(never)
  private mutating func parseNamed() throws(SQLError) -> Expression {
    let first = token
    advance()
    if token.kind == .leftParenthesis && first.kind != .string { return try parseCall(first) }
    return try makeColumn(first)
  }

  @inline(never)
  private mutating func makeColumn(_ token: Token) throws(SQLError) -> Expression {
    let first = try makeName(token)
    guard accept(.dot) else {
      return Expression(
        .identifier(first), range: range(token.start, token.end), height: 1, in: memory)
    }
    let second = try parseName()
    guard accept(.dot) else {
      return try make(.column(table: first, column: second), from: token.start, above: 1)
    }
    let third = try parseName()
    let column = QualifiedColumn(schema: first, table: second, column: third)
    return try make(.qualifiedColumn(Kept(column, in: memory)), from: token.start, above: 2)
  }

  /// `(SELECT …)`.
  @inline(never)
  private mutating func parseSubquery() throws(SQLError) -> Expression {
    let start = token.start
    let select = try parseParenthesizedSelect()
    return try makeSubquery(select, start, isExists: false)
  }

  /// A SELECT between parentheses.
  @inline(never)
  mutating func parseParenthesizedSelect() throws(SQLError) -> SelectStatement {
    try expect(.leftParenthesis)
    try open(1)
    let select = try parseSelect()
    close(1)
    try expect(.rightParenthesis)
    return select
  }

  @inline(never)
  private mutating func parseExists() throws(SQLError) -> Expression {
    let start = token.start
    advance()
    try open(1)
    let select = try parseParenthesizedSelect()
    close(1)
    return try makeSubquery(select, start, isExists: true)
  }

  @inline(never)
  private mutating func makeSubquery(
    _ select: SelectStatement, _ start: Int, isExists: Bool
  ) throws(SQLError) -> Expression {
    try make(isExists ? .exists(select) : .subquery(select), from: start, above: select.height)
  }
}

// IN
extension Parser {
  /// IN and what follows it; `operand` begins at `start`.
  @inline(never)
  mutating func parseIn(
    _ operand: Expression, _ start: Int, isNegated: Bool
  ) throws(SQLError) -> Expression {
    advance()
    guard token.kind == .leftParenthesis else {
      return try parseInTable(operand, start, isNegated: isNegated)
    }
    if peek().kind.startsSelect {
      return try parseInSelect(operand, start, isNegated: isNegated)
    }
    advance()
    var height = operand.height
    try open(3)
    let items = try parseExpressions(until: .rightParenthesis, &height)
    close(3)
    return try finishInList(operand, items, start, height, isNegated: isNegated)
  }

  @inline(never)
  private mutating func finishInList(
    _ operand: Expression, _ items: ExpressionList?, _ start: Int, _ height: Int32,
    isNegated: Bool
  ) throws(SQLError) -> Expression {
    try expect(.rightParenthesis)
    return try make(
      .inList(operand, memory.list(items?.pointee ?? []), isNegated: isNegated), from: start,
      above: height)
  }

  @inline(never)
  private mutating func parseInSelect(
    _ operand: Expression, _ start: Int, isNegated: Bool
  ) throws(SQLError) -> Expression {
    try open(2)
    let select = try parseParenthesizedSelect()
    close(2)
    return try makeInSelect(operand, select, start, isNegated: isNegated)
  }

  @inline(never)
  private mutating func makeInSelect(
    _ operand: Expression, _ select: SelectStatement, _ start: Int, isNegated: Bool
  ) throws(SQLError) -> Expression {
    try make(
      .inSelect(operand, select, isNegated: isNegated), from: start,
      above: max(operand.height, select.height))
  }

  @inline(never)
  private mutating func parseInTable(
    _ operand: Expression, _ start: Int, isNegated: Bool
  ) throws(SQLError) -> Expression {
    let table = try parseQualifiedName()
    var height = operand.height
    var arguments: TreeList<Expression>?
    if accept(.leftParenthesis) {
      try open(5)
      arguments = try parseExpressions(until: .rightParenthesis, &height)?.pointee ?? []
      close(5)
      try expect(.rightParenthesis)
    }
    return try makeInTable(
      InTable(
        operand, schema: table.schema, table: table.name, arguments: arguments,
        isNegated: isNegated),
      start, height)
  }

  @inline(never)
  private mutating func makeInTable(
    _ test: InTable, _ start: Int, _ height: Int32
  ) throws(SQLError) -> Expression {
    try make(.inTable(Kept(test, in: memory)), from: start, above: height)
  }
}

// Lists
extension Parser {
  /// Expressions between commas; none where `end` is looked at. Raises `height` to theirs.
  @inline(__always)
  mutating func parseExpressions(
    until end: TokenKind, _ height: inout Int32
  ) throws(SQLError) -> ExpressionList? {
    if token.kind == end { return nil }
    return try parseExpressions(&height)
  }

  /// A list in the tree's memory, of which the frames of lists that nest have one word.
  typealias ExpressionList = UnsafeMutablePointer<TreeList<Expression>>

  @inline(never)
  mutating func parseExpressions(_ height: inout Int32) throws(SQLError) -> ExpressionList {
    let items = memory.room(for: TreeList<Expression>.self, count: 1)
    items.initialize(to: [])
    append(try parseExpression(), to: &items.pointee, &height)
    guard token.kind == .comma else { return items }
    try open(2)
    while accept(.comma) { append(try parseExpression(), to: &items.pointee, &height) }
    close(2)
    return items
  }

  /// `mutating` like `tooDeep`.
  @inline(never)
  mutating func append(
    _ item: Expression, to items: inout TreeList<Expression>, _ height: inout Int32
  ) {
    height = max(height, item.height)
    items.append(item, in: memory)
  }
}

// Parameters
extension Parser {
  @inline(never)
  private mutating func parseParameter() -> Expression {
    let variable = token
    let mark = text.start[variable.start]
    advance()
    let number: Int32
    if mark == UInt8(ascii: "?") {
      number =
        variable.end == variable.start &+ 1
        ? nextParameter(variable) : numberedParameter(variable)
    } else if mark == UInt8(ascii: "#"),
      CharacterTraits(text.start[variable.start &+ 1]).isDigit
    {
      // `#123` are registers, for SQLite's own statements only.
      report(syntaxError(at: variable))
      number = 0
    } else {
      number = namedParameter(variable)
    }
    return Expression(
      .parameter(number), range: range(variable.start, variable.end), height: 1, in: memory)
  }

  private mutating func nextParameter(_ token: Token) -> Int32 {
    guard parameterCount < limits.variableNumber else {
      report(.sql("too many SQL variables", offset: Int32(token.start)))
      return parameterCount
    }
    parameterCount &+= 1
    return parameterCount
  }

  private mutating func numberedParameter(_ token: Token) -> Int32 {
    var number: Int64 = 0
    for offset in (token.start &+ 1)..<token.end {
      number = number * 10 + Int64(text.start[offset] &- 48)
      if number > Int64(limits.variableNumber) { break }
    }
    guard number >= 1 && number <= Int64(limits.variableNumber) else {
      report(
        .sql(
          "variable number must be between ?1 and ?\(limits.variableNumber)",
          offset: Int32(token.start)))
      return 0
    }
    let parameter = Int32(number)
    parameterCount = max(parameterCount, parameter)
    noteName(slice(token.start, token.end), of: parameter)
    return parameter
  }

  /// A parameter has the name by which it is met first.
  private mutating func noteName(_ name: ByteSlice, of parameter: Int32) {
    let word = Int(parameter >> 6), bit: UInt64 = 1 << UInt64(parameter & 63)
    while namedParameters.count <= word { namedParameters.append(0) }
    guard namedParameters[word] & bit == 0 else { return }
    namedParameters[word] |= bit
    parameterNames.append((parameter, name))
  }

  private mutating func namedParameter(_ token: Token) -> Int32 {
    let name = slice(token.start, token.end)
    for known in parameterNames where known.name.count == name.count {
      if Memory.compare(known.name.start, name.start, name.count) == 0 { return known.number }
    }
    let number = nextParameter(token)
    noteName(name, of: number)
    return number
  }
}
