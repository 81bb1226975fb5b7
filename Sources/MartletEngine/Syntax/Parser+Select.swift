// SELECT and VALUES with everything that belongs to them (lang_select), and WITH (lang_with).

extension Parser {
  /// A SELECT, its WITH included.
  mutating func parseSelect() throws(SQLError) -> SelectStatement {
    let start = token.start
    let with = token.kind == .with ? try parseWith() : nil
    return try parseSelect(with: with, start)
  }

  /// A SELECT behind its WITH; `start` is where that begins.
  mutating func parseSelect(
    with: WithClause?, _ start: Int
  ) throws(SQLError) -> SelectStatement {
    var height: Int32 = 0
    var tail = SelectTail()
    let first = try parseCore(&height, &tail)
    var cores = TreeList<SelectCore>()
    cores.append(first, in: memory)
    var operators = TreeList<CompoundOperator>()
    var misplaced: SQLError?
    while let compound = token.kind.compoundOperator {
      let words = token
      advance()
      let isAll = compound == .union && accept(.all)
      if operators.isEmpty { try open(2) }
      misplaced = misplaced ?? misplacedClause(tail, before: words, isAll)
      tail = SelectTail()
      cores.append(try parseCore(&height, &tail), in: memory)
      operators.append(isAll ? .unionAll : compound, in: memory)
    }
    if !operators.isEmpty {
      close(2)
      if let misplaced { report(misplaced) }
      checkTermCount(cores)
    }
    return SelectStatement(
      with: with, cores: cores, operators: operators, orderBy: tail.orderBy, limit: tail.limit,
      offset: tail.offset, range: range(from: start), height: height,
      number: selectCount, in: memory)
  }

  /// ORDER BY and LIMIT belong to the last part of a compound only.
  private mutating func misplacedClause(
    _ tail: SelectTail, before words: Token, _ isAll: Bool
  ) -> SQLError? {
    guard !tail.orderBy.isEmpty || tail.limit != nil else { return nil }
    let clause = tail.orderBy.isEmpty ? "LIMIT" : "ORDER BY"
    let name =
      switch words.kind {
      case .intersect: "INTERSECT"
      case .except: "EXCEPT"
      default: isAll ? "UNION ALL" : "UNION"
      }
    return .sql("\(clause) clause should come after \(name) not before")
  }

  /// Rows of one VALUES count as one term (limits §6).
  private mutating func checkTermCount(_ cores: TreeList<SelectCore>) {
    if limits.compoundSelect > 0 && cores.count > limits.compoundSelect {
      report(.sql("too many terms in compound SELECT"))
    }
  }

  @inline(never)
  private mutating func parseCore(
    _ height: inout Int32, _ tail: inout SelectTail
  ) throws(SQLError) -> SelectCore {
    if token.kind == .select {
      let select = try parseSimpleSelect(&height, &tail)
      selectCount &+= 1
      return .select(select)
    }
    guard token.kind == .values else { throw syntaxError() }
    let rows = try parseValues(&height)
    selectCount &+= rows.count > 1 ? 2 : 1
    return .values(rows)
  }

  /// From SELECT to LIMIT.
  private mutating func parseSimpleSelect(
    _ height: inout Int32, _ tail: inout SelectTail
  ) throws(SQLError) -> SimpleSelect {
    advance()
    let isDistinct = parseDistinct()
    try open(4)
    let columns = try parseResultColumns(&height)
    let from = token.kind == .from ? try parseFrom() : []
    try open(2)
    let whereClause = token.kind == .where ? try parseClause(&height) : nil
    let groupBy = token.kind == .group ? try parseGroupBy(&height) : []
    let having = token.kind == .having ? try parseClause(&height) : nil
    let windows = token.kind == .window ? try parseWindows() : []
    if token.kind == .order {
      tail.orderBy = try parseOrderBy()
      for term in tail.orderBy { height = max(height, term.expression.height) }
    }
    if token.kind == .limit { (tail.limit, tail.offset) = try parseLimit(&height) }
    close(6)
    return SimpleSelect(
      isDistinct: isDistinct, columns: columns, from: from, whereClause: whereClause,
      groupBy: groupBy, having: having, windows: windows, in: memory)
  }

  /// One word and the expression behind it: WHERE, HAVING.
  @inline(__always)
  private mutating func parseClause(_ height: inout Int32) throws(SQLError) -> Expression {
    advance()
    let condition = try parseExpression()
    height = max(height, condition.height)
    return condition
  }

  private mutating func parseGroupBy(
    _ height: inout Int32
  ) throws(SQLError) -> TreeList<Expression> {
    advance()
    try expect(.by)
    return try parseExpressions(&height).pointee
  }

  private mutating func parseWindows() throws(SQLError) -> TreeList<NamedWindow> {
    advance()
    var windows = TreeList<NamedWindow>()
    repeat {
      let name = try parseName()
      try expect(.as)
      let window = NamedWindow(name, try parseWindowDefinition(), in: memory)
      windows.append(window, in: memory)
    } while accept(.comma)
    return windows
  }

  /// VALUES and its rows.
  private mutating func parseValues(
    _ height: inout Int32
  ) throws(SQLError) -> TreeList<TreeList<Expression>> {
    advance()
    var rows = TreeList<TreeList<Expression>>()
    repeat {
      try expect(.leftParenthesis)
      // Heavier than in SQLite, which refuses so many nested VALUES a little later anyway.
      try open(4)
      let row = try parseExpressions(&height).pointee
      close(4)
      try expect(.rightParenthesis)
      if let first = rows.first, first.count != row.count {
        reportAtEnd(.sql("all VALUES must have the same number of terms"))
      }
      rows.append(row, in: memory)
    } while accept(.comma)
    return rows
  }
}

/// ORDER BY and LIMIT of one part of a compound.
struct SelectTail {
  var orderBy: TreeList<OrderingTerm> = []
  var limit: Expression?
  var offset: Expression?
}

extension Parser {
  /// The result columns of SELECT or RETURNING.
  mutating func parseResultColumns(
    _ height: inout Int32
  ) throws(SQLError) -> TreeList<ResultColumn> {
    var columns = TreeList<ResultColumn>()
    while true {
      columns.append(try parseResultColumn(&height), in: memory)
      if token.kind != .comma { return columns }
      advance()
    }
  }

  private mutating func parseResultColumn(
    _ height: inout Int32
  ) throws(SQLError) -> ResultColumn {
    if accept(.star) { return .star }
    if token.kind.isName, let table = try parseTableStar() { return .tableStar(table) }
    let start = token.start
    let expression = try parseExpression()
    height = max(height, expression.height)
    let written = textRange(from: start)
    return .expression(expression, alias: try parseAlias(), textRange: written)
  }

  /// `table.*`; takes nothing if something else follows.
  @inline(__always)
  private mutating func parseTableStar() throws(SQLError) -> Name? {
    let next = text.start[token.end]
    // Most names are followed by a comma or a blank and a word: no second look is needed.
    guard next == UInt8(ascii: ".") || !CharacterTraits(next).continuesWord else { return nil }
    if next == UInt8(ascii: ",") { return nil }
    // These begin expressions of their own, so none of them is a table here.
    switch token.kind {
    case .cast, .raise, .currentDate, .currentTime, .currentTimestamp: return nil
    default: return try parseTableStarSlowly()
    }
  }

  @inline(never)
  private mutating func parseTableStarSlowly() throws(SQLError) -> Name? {
    let dot = peek()
    guard dot.kind == .dot else { return nil }
    guard Tokenizer.token(text.start, from: dot.end).kind == .star else { return nil }
    let table = try parseName()
    advance()
    advance()
    return table
  }

  /// `AS name`, or a name that is not a keyword of the grammar here.
  @inline(__always)
  mutating func parseAlias() throws(SQLError) -> Name? {
    if accept(.as) { return try parseName() }
    guard token.kind.isPlainNameOrString else { return nil }
    return try parsePlainNameOrString()
  }

  /// ORDER BY and its terms.
  mutating func parseOrderBy() throws(SQLError) -> TreeList<OrderingTerm> {
    try expect(.order)
    try expect(.by)
    return try parseOrderingTerms()
  }

  mutating func parseOrderingTerms() throws(SQLError) -> TreeList<OrderingTerm> {
    var terms = TreeList<OrderingTerm>()
    repeat { terms.append(try parseOrderingTerm(), in: memory) } while accept(.comma)
    return terms
  }

  private mutating func parseOrderingTerm() throws(SQLError) -> OrderingTerm {
    let expression = try parseExpression()
    let direction = parseDirection()
    var nulls: OrderingTerm.Nulls?
    if accept(.nulls) {
      if accept(.first) {
        nulls = .first
      } else {
        try expect(.last)
        nulls = .last
      }
    }
    return OrderingTerm(expression: expression, direction: direction, nulls: nulls)
  }

  /// ASC, DESC or nothing.
  mutating func parseDirection() -> OrderingTerm.Direction? {
    if accept(.asc) { return .ascending }
    if accept(.desc) { return .descending }
    return nil
  }

  /// LIMIT count, LIMIT count OFFSET offset, LIMIT offset, count.
  mutating func parseLimit(
    _ height: inout Int32
  ) throws(SQLError) -> (limit: Expression, offset: Expression?) {
    try expect(.limit)
    let first = try parseLimitExpression(&height)
    guard token.kind == .offset || token.kind == .comma else { return (first, nil) }
    let isOffset = token.kind == .offset
    advance()
    let second = try parseLimitExpression(&height)
    return isOffset ? (first, second) : (second, first)
  }
}

extension Parser {
  /// In SQLite, LIMIT is a node above its expressions.
  private mutating func parseLimitExpression(
    _ height: inout Int32
  ) throws(SQLError) -> Expression {
    let expression = try parseExpression()
    guard expression.height < limits.expressionDepth else {
      throw tooDeep()
    }
    height = max(height, expression.height &+ 1)
    return expression
  }
}

// WITH
extension Parser {
  @inline(never)
  mutating func parseWith() throws(SQLError) -> WithClause {
    try expect(.with)
    let isRecursive = accept(.recursive)
    try open(4)
    var tables: [CommonTable] = []
    repeat {
      let table = try parseCommonTable()
      if tables.contains(where: { $0.name == table.name }) {
        report(.sql("duplicate WITH table name: \(table.name.string)"))
      }
      tables.append(table)
    } while accept(.comma)
    close(4)
    return WithClause(isRecursive: isRecursive, tables: tables)
  }

  private mutating func parseCommonTable() throws(SQLError) -> CommonTable {
    let name = try parseName()
    let columns = token.kind == .leftParenthesis ? try parseColumnNames() : []
    try expect(.as)
    var materialization = CommonTable.Materialization.any
    if accept(.materialized) {
      materialization = .materialized
    } else if accept(.not) {
      try expect(.materialized)
      materialization = .notMaterialized
    }
    let select = try parseParenthesizedSelect()
    return CommonTable(
      name: name, columns: columns, materialization: materialization, select: select)
  }

  /// Names between parentheses where SQLite's grammar also takes COLLATE, ASC and DESC, only to
  /// refuse them unless they stand in an old stored definition.
  mutating func parseColumnNames() throws(SQLError) -> [Name] {
    try expect(.leftParenthesis)
    var names: [Name] = []
    repeat {
      let written = token
      let name = try parseName()
      let hasCollation = accept(.collate)
      if hasCollation { _ = try parsePlainNameOrString() }
      if parseDirection() != nil || hasCollation, !isLoadingSchema {
        let shown = text.string(range(written.start, written.end))
        report(.sql("syntax error after column name \"\(shown)\""))
      }
      names.append(name)
    } while accept(.comma)
    try expect(.rightParenthesis)
    return names
  }
}

extension TokenKind {
  @inline(__always)
  fileprivate var compoundOperator: CompoundOperator? {
    switch self {
    case .union: .union
    case .intersect: .intersect
    case .except: .except
    default: nil
    }
  }
}
