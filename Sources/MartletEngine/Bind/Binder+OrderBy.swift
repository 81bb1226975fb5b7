// ORDER BY and GROUP BY (lang_select §4).
//
// A term of ORDER BY is the alias of a result column, or an integer that numbers one, or else an
// expression. Terms of GROUP BY prefer columns of FROM to aliases.

extension Binder {
  func bindOrderBy(
    _ terms: TreeList<OrderingTerm>, _ scope: Scope
  ) throws(SQLError) -> TreeList<BoundOrderingTerm> {
    if terms.count > environment.columnLimit { throw .sql("too many terms in ORDER BY clause") }
    var bound: TreeList<BoundOrderingTerm> = []
    var tooHigh = terms.count
    for (index, term) in terms.enumerated() {
      var position = Binder.aliasPosition(term.expression, scope)
      if position < 0 {
        position = try columnNumber(term.expression, "ORDER", index, scope.columns.count)
      }
      if position >= scope.columns.count { tooHigh = min(tooHigh, index) }
      bound.append(
        try bindOrderingTerm(term, position < scope.columns.count ? position : 0, scope),
        in: memory)
    }
    if tooHigh < terms.count && !isRenaming {
      throw Binder.outOfRange("ORDER", tooHigh, scope.columns.count)
    }
    return bound
  }

  private func bindOrderingTerm(
    _ term: OrderingTerm, _ position: Int, _ scope: Scope
  ) throws(SQLError) -> BoundOrderingTerm {
    if position >= 0 {
      return try orderingTerm(
        resultColumn(position, for: term.expression, scope), term, resultColumn: position)
    }
    let callCount = scope.windowCalls.count
    let expression = try bindEntire(term.expression, scope)
    for (index, column) in scope.columns.enumerated().reversed()
    where column.expression.isSame(as: expression) {
      scope.windowCalls.removeLast(scope.windowCalls.count - callCount)
      return try orderingTerm(column.expression, term, resultColumn: index)
    }
    return try orderingTerm(expression, term, resultColumn: -1)
  }

  func orderingTerm(
    _ expression: BoundExpression, _ term: OrderingTerm, resultColumn: Int
  ) throws(SQLError) -> BoundOrderingTerm {
    BoundOrderingTerm(
      expression: expression, isDescending: term.isDescending,
      hasBigNulls: term.nulls == (term.isDescending ? .first : .last),
      resultColumn: resultColumn, collation: try usable(expression.collation))
  }

  @inline(never)
  func bindGroupBy(
    _ terms: TreeList<Expression>, _ scope: Scope
  ) throws(SQLError) -> [BoundExpression] {
    if terms.count > environment.columnLimit { throw .sql("too many terms in GROUP BY clause") }
    var tooHigh = terms.count
    var bound: [BoundExpression] = []
    bound.reserveCapacity(terms.count)
    for (index, term) in terms.enumerated() {
      var position = try columnNumber(term, "GROUP", index, scope.columns.count)
      if position >= scope.columns.count {
        tooHigh = min(tooHigh, index)
        position = 0
      }
      let expression =
        position >= 0 && !isRenaming
        ? resultColumn(position, for: term, scope) : try bindEntire(term, scope)
      _ = try usable(expression.collation)
      bound.append(expression)
    }
    if tooHigh < terms.count && !isRenaming {
      throw Binder.outOfRange("GROUP", tooHigh, scope.columns.count)
    }
    for expression in bound where expression.traits.contains(.hasAggregate) {
      throw .sql("aggregate functions are not allowed in the GROUP BY clause")
    }
    return bound
  }

  /// The result column that a term means; COLLATE around the term stays.
  private func resultColumn(
    _ position: Int, for term: Expression, _ scope: Scope
  ) -> BoundExpression {
    let expression = scope.columns[position].expression
    if case .collate(_, let name) = term.kind {
      return makeCollate(expression, collation(named: name))
    }
    return expression
  }

  /// The position of the result column whose alias the term is, or -1.
  private static func aliasPosition(_ term: Expression, _ scope: Scope) -> Int {
    guard case .identifier(let name) = term.withoutCollate.kind else { return -1 }
    for (index, column) in scope.columns.enumerated() where column.isAlias && column.label == name {
      return index
    }
    return -1
  }

  /// The position that an integer gives, or -1 for what is no integer. A number that no SELECT has
  /// columns for is an error at once, one that this SELECT has none for only when all terms are
  /// bound.
  private func columnNumber(
    _ term: Expression, _ clause: String, _ index: Int, _ columnCount: Int
  ) throws(SQLError) -> Int {
    guard let number = term.withoutCollate.smallInteger else { return -1 }
    guard number >= 1, number <= 0xffff else {
      throw Binder.outOfRange(clause, index, columnCount, offset: literalOffset(term))
    }
    return Int(number) - 1
  }

  /// ALTER TABLE does not ask which column a number means.
  var isRenaming: Bool { uses?.text === text }

  private static func outOfRange(
    _ clause: String, _ index: Int, _ columnCount: Int, offset: Int32 = -1
  ) -> SQLError {
    .sql(
      """
      \(ordinal(index + 1)) \(clause) BY term out of range - \
      should be between 1 and \(columnCount)
      """, offset: offset)
  }

  /// Where the number behind its signs stands; -1 in a view.
  private func literalOffset(_ term: Expression) -> Int32 {
    guard text === arena else { return -1 }
    var literal = term.withoutCollate
    while case .unary(_, let operand) = literal.kind { literal = operand }
    guard case .number = literal.kind else { return -1 }
    return literal.range.start
  }

  static func ordinal(_ number: Int) -> String {
    let tens = number % 100
    if tens >= 11 && tens <= 13 { return "\(number)th" }
    switch number % 10 {
    case 1: return "\(number)st"
    case 2: return "\(number)nd"
    case 3: return "\(number)rd"
    default: return "\(number)th"
    }
  }

  // MARK: Compounds

  /// Every term of a compound's ORDER BY is a column: by number, by alias in any part, or by
  /// being written as in one of them; the first part that fits decides.
  func bindCompoundOrderBy(
    _ terms: TreeList<OrderingTerm>, _ parts: [Part], _ scopes: [Scope], _ collations: [Collation]
  ) throws(SQLError) -> TreeList<BoundOrderingTerm> {
    if terms.isEmpty { return [] }
    if terms.count > environment.columnLimit { throw .sql("too many terms in ORDER BY clause") }
    let columns = parts[0].columns
    var positions = [Int](repeating: -1, count: terms.count)
    for (part, scope) in zip(parts, scopes) {
      for (index, term) in terms.enumerated() where positions[index] < 0 {
        positions[index] = try columnNumber(term.expression, "ORDER", index, columns.count)
        if positions[index] >= columns.count {
          throw Binder.outOfRange(
            "ORDER", index, columns.count, offset: literalOffset(term.expression))
        }
        if positions[index] < 0 { positions[index] = Binder.aliasPosition(term.expression, scope) }
        if positions[index] < 0 { positions[index] = matchingColumn(term.expression, part, scope) }
      }
    }
    var bound: TreeList<BoundOrderingTerm> = []
    for (index, term) in terms.enumerated() {
      let position = positions[index]
      if position < 0 {
        throw .sql(
          """
          \(Binder.ordinal(index + 1)) ORDER BY term does not match any column in the result set
          """)
      }
      var expression = columns[position].expression
      var order = collations[position]
      if case .collate(_, let name) = term.expression.kind {
        order = try usable(collation(named: name))
        expression = makeCollate(expression, order)
      }
      bound.append(
        BoundOrderingTerm(
          expression: expression, isDescending: term.isDescending,
          hasBigNulls: term.nulls == (term.isDescending ? .first : .last),
          resultColumn: position, collation: order), in: memory)
    }
    return bound
  }

  /// The column of a part that is written as the term is, or -1.
  private func matchingColumn(_ term: Expression, _ part: Part, _ scope: Scope) -> Int {
    let own = Scope(outer: nil, selectID: scope.selectID)
    own.sources = scope.sources
    own.columns = scope.columns
    own.seesAliases = true
    own.allowsAggregates = true
    own.aggregates = scope.aggregates
    // An error only means that the term does not fit this part.
    guard let expression = try? bind(term.withoutCollate, own),
      !expression.traits.contains(.hasSubquery)
    else { return -1 }
    for (index, column) in part.columns.enumerated()
    where column.expression.isSame(as: expression, ignoringCollate: true) {
      return index
    }
    return -1
  }
}

extension Expression {
  /// The value of an integer literal of 32 bits, signs included; nil for what is none.
  var smallInteger: Int64? {
    switch kind {
    case .number(let digits):
      guard case .integer(let value) = NumberLiteral(digits), value >= 0,
        value <= Int64(Int32.max)
      else { return nil }
      return value
    case .unary(.plus, let operand): return operand.smallInteger
    case .unary(.minus, let operand): return operand.smallInteger.map { -$0 }
    default: return literalNullTest.map { $0 ? 1 : 0 }
    }
  }
}
