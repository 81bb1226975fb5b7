// FROM: tables, subqueries, joins (lang_select §2.1).

extension Parser {
  /// FROM and its items.
  mutating func parseFrom() throws(SQLError) -> TreeList<FromItem> {
    advance()
    try open(1)
    let items = try parseFromItems()
    close(1)
    return items
  }

  /// Items and the joins between them, at the top or between parentheses.
  private mutating func parseFromItems() throws(SQLError) -> TreeList<FromItem> {
    var items = TreeList<FromItem>()
    var join = JoinType.inner
    repeat {
      if token.kind == .leftParenthesis {
        try parseParenthesized(join, &items)
      } else {
        items.append(try parseTable(join, isFirst: items.isEmpty), in: memory)
      }
    } while try parseJoin(&join)
    if items.count > Parser.fromTermLimit {
      throw .sql("too many FROM clause terms, max: \(Parser.fromTermLimit)")
    }
    return items
  }

  /// SQLITE_MAX_SRCLIST.
  private static let fromTermLimit = 200

  /// A table or a table-valued function.
  private mutating func parseTable(_ join: JoinType, isFirst: Bool) throws(SQLError) -> FromItem {
    let start = token.start
    let table = try parseQualifiedName()
    var source: FromContent.Source
    if token.kind == .leftParenthesis {
      advance()
      var height: Int32 = 0
      try open(3)
      let arguments = try parseExpressions(until: .rightParenthesis, &height)?.pointee ?? []
      close(3)
      try expect(.rightParenthesis)
      source = .function(schema: table.schema, name: table.name, arguments: arguments)
    } else {
      source = .table(schema: table.schema, name: table.name, indexed: nil)
    }
    let alias = try parseAlias()
    if case .table = source, let indexed = try parseIndexed() {
      source = .table(schema: table.schema, name: table.name, indexed: indexed)
    }
    return try finish(source, alias, join, start, isFirst: isFirst)
  }

  /// INDEXED BY name, NOT INDEXED, or nothing.
  @inline(__always)
  mutating func parseIndexed() throws(SQLError) -> FromContent.IndexedBy? {
    if accept(.indexed) {
      try expect(.by)
      return .indexedBy(try parseName())
    }
    guard token.kind == .not else { return nil }
    advance()
    try expect(.indexed)
    return .notIndexed
  }

  /// A subquery or a join between parentheses.
  @inline(never)
  private mutating func parseParenthesized(
    _ join: JoinType, _ items: inout TreeList<FromItem>
  ) throws(SQLError) {
    let start = token.start
    if peek().kind.startsSelect {
      let select = try parseParenthesizedSelect()
      return try finishSubquery(select, join, start, &items)
    }
    advance()
    try open(2)
    let inner = try parseFromItems()
    close(2)
    try finishParenthesized(inner, join, start, &items)
  }

  @inline(never)
  private mutating func finishSubquery(
    _ select: SelectStatement, _ join: JoinType, _ start: Int, _ items: inout TreeList<FromItem>
  ) throws(SQLError) {
    let alias = try parseAlias()
    let isFirst = items.isEmpty
    items.append(
      try finish(.select(select), alias, join, start, isFirst: isFirst), in: memory)
  }

  @inline(never)
  private mutating func finishParenthesized(
    _ inner: TreeList<FromItem>, _ join: JoinType, _ start: Int, _ items: inout TreeList<FromItem>
  ) throws(SQLError) {
    try expect(.rightParenthesis)
    let alias = try parseAlias()
    // Parentheses that change nothing leave no trace, as in SQLite.
    if items.isEmpty && alias == nil && token.kind != .on && token.kind != .using {
      items = inner
      return
    }
    let source = inner.count == 1 ? Parser.withoutIndex(inner[0].source) : .join(inner)
    let isFirst = items.isEmpty
    items.append(try finish(source, alias, join, start, isFirst: isFirst), in: memory)
  }

  /// SQLite forgets INDEXED BY of a table that stands alone in parentheses.
  private static func withoutIndex(_ source: FromContent.Source) -> FromContent.Source {
    guard case .table(let schema, let name, _) = source else { return source }
    return .table(schema: schema, name: name, indexed: nil)
  }

  /// Adds ON or USING.
  private mutating func finish(
    _ source: FromContent.Source, _ alias: Name?, _ join: JoinType, _ start: Int, isFirst: Bool
  ) throws(SQLError) -> FromItem {
    var condition: Expression?
    var columns: [Name] = []
    let word = token.kind
    if word == .on {
      advance()
      try open(4)
      condition = try parseExpression()
      close(4)
    } else if word == .using {
      advance()
      columns = try parseNameList()
    }
    if isFirst && (word == .on || word == .using) {
      let clause = word == .on ? "ON" : "USING"
      report(.sql("a JOIN clause is required before \(clause)"))
    }
    return FromItem(
      source: source, alias: alias, join: join, on: condition, using: columns,
      range: range(from: start), in: memory)
  }

  /// A comma or the words of a join. False if neither follows.
  @inline(__always)
  private mutating func parseJoin(_ join: inout JoinType) throws(SQLError) -> Bool {
    if token.kind == .comma {
      advance()
      join = .comma
      return true
    }
    if token.kind == .join {
      advance()
      join = .inner
      return true
    }
    guard token.kind >= .cross && token.kind <= .right else { return false }
    join = try parseJoinWords()
    return true
  }

  /// Up to three words before JOIN, in any order that means something.
  @inline(never)
  private mutating func parseJoinWords() throws(SQLError) -> JoinType {
    let first = token
    var words = [token.kind]
    advance()
    while token.kind != .join {
      guard token.kind.isName && words.count < 3 else { throw syntaxError() }
      words.append(token.kind)
      advance()
    }
    advance()
    if let join = JoinType(words: words) { return join }
    let shown = joinText(first, words.count)
    report(.sql("unknown join type: \(shown)", offset: Int32(first.start)))
    return .inner
  }

  /// Words from `first` on, one space between them.
  private mutating func joinText(_ first: Token, _ count: Int) -> String {
    var word = first
    var shown = text.string(range(word.start, word.end))
    for _ in 1..<count {
      word = Tokenizer.token(text.start, from: word.end)
      shown += " " + text.string(range(word.start, word.end))
    }
    return shown
  }
}

extension JoinType {
  /// nil if the words contradict each other or are no join words.
  fileprivate init?(words: [TokenKind]) {
    var join = JoinType.inner
    var isInner = false, isOuter = false
    for word in words {
      switch word {
      case .natural: join.insert(.natural)
      case .left: join.insert(.left)
      case .right: join.insert(.right)
      case .full: join.formUnion([.left, .right])
      case .cross:
        join.insert(.cross)
        isInner = true
      case .inner: isInner = true
      case .outer: isOuter = true
      default: return nil
      }
    }
    let isOneSided = !join.isDisjoint(with: [.left, .right])
    if isInner && (isOuter || isOneSided) { return nil }
    if isOuter && !isOneSided { return nil }
    self = join
  }
}
