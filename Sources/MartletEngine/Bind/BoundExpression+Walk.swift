// Walking and comparing bound trees. Chains that lean left are walked in loops.

extension BoundExpression {
  /// Calls `body` for the operands, from left to right. Subqueries are left out.
  @inline(never)
  func forEachOperand(_ body: (BoundExpression) -> Void) {
    switch kind {
    case .null, .integer, .real, .text, .blob, .parameter, .column, .exists, .scalarSubquery,
      .subqueryColumn, .window:
      break
    case .negate(let operand), .plus(let operand), .bitNot(let operand), .not(let operand),
      .nullTest(let operand, _), .truthTest(let operand, _, _), .collate(let operand),
      .cast(let operand, _), .fixedColumn(_, _, let operand):
      body(operand)
    case .and(let left, let right), .or(let left, let right), .comparison(_, let left, let right),
      .arithmetic(_, let left, let right):
      body(left)
      body(right)
    default: forEachOfMany(body)
    }
  }

  @inline(never)
  private func forEachOfMany(_ body: (BoundExpression) -> Void) {
    switch kind {
    case .between(let between):
      body(between.operand)
      body(between.lower)
      body(between.upper)
    case .inList(let list):
      body(list.operand)
      for item in list.items { body(item) }
    case .inSelect(let select): for operand in select.operands { body(operand) }
    case .caseWhen(let branches):
      if let operand = branches.operand { body(operand) }
      for branch in branches.branches {
        body(branch.when)
        body(branch.then)
      }
      if let otherwise = branches.otherwise { body(otherwise) }
    case .function(let call): for argument in call.arguments { body(argument) }
    case .aggregate(let call):
      for argument in call.arguments { body(argument) }
      if let filter = call.filter { body(filter) }
      for term in call.orderBy { body(term.expression) }
    case .row(let items): for item in items { body(item) }
    case .raise(_, let message?): body(message)
    default: break
    }
  }

  /// The subquery that the expression itself is or has, not those of its operands.
  var ownSubquery: BoundSelect? {
    switch kind {
    case .exists(let subquery), .scalarSubquery(let subquery), .subqueryColumn(let subquery, _):
      subquery
    case .inSelect(let bound): bound.select
    default: nil
    }
  }

  /// Calls `body` for this expression and all inside it, subqueries left out, outer ones first.
  /// `body` says whether to go on into the operands.
  func walk(_ body: (BoundExpression) -> Bool) {
    var node = self
    while true {
      guard body(node) else { return }
      switch node.kind {
      case .and(let left, let right), .or(let left, let right),
        .comparison(_, let left, let right), .arithmetic(_, let left, let right):
        right.walkLeaf(body)
        node = left
      default:
        node.forEachOperand { $0.walk(body) }
        return
      }
    }
  }

  /// Spares the recursion for operands without operands.
  @inline(__always)
  private func walkLeaf(_ body: (BoundExpression) -> Bool) {
    if case .column = kind {
      _ = body(self)
    } else {
      walk(body)
    }
  }

  /// True or false as it is written (SQLite's EP_IsTrue and EP_IsFalse): a literal that fits into
  /// 32 bits.
  var literalTruth: Bool? {
    guard case .integer(let value) = kind, value >= 0, value <= Int32.max else { return nil }
    return value != 0
  }

  /// Of AND and OR, only what decides: operands beside a literal that decides, or that says nothing,
  /// are not computed (SQLite's sqlite3ExprSimplifiedAndOr).
  var withoutIdleOperands: BoundExpression {
    guard traits.contains(.hasLiteralTruth) else { return self }
    switch kind {
    case .and(let left, let right):
      return BoundExpression.decisive(left, right, isAnd: true) ?? self
    case .or(let left, let right):
      return BoundExpression.decisive(left, right, isAnd: false) ?? self
    default: return self
    }
  }

  private static func decisive(
    _ left: BoundExpression, _ right: BoundExpression, isAnd: Bool
  ) -> BoundExpression? {
    let right = right.withoutIdleOperands, left = left.withoutIdleOperands
    if left.literalTruth == true || right.literalTruth == false { return isAnd ? right : left }
    if right.literalTruth == true || left.literalTruth == false { return isAnd ? left : right }
    return nil
  }

  /// A subquery in it, but not inside of another one, looks at something outside of itself.
  var hasCorrelatedSubquery: Bool {
    guard traits.contains(.hasSubquery) else { return false }
    var isFound = false
    walk { node in
      if let subquery = node.ownSubquery, subquery.isCorrelated { isFound = true }
      return !isFound && node.traits.contains(.hasSubquery)
    }
    return isFound
  }

  /// A subquery in it has the table or view in FROM.
  func subqueriesRead(_ table: Table) -> Bool {
    guard traits.contains(.hasSubquery) else { return false }
    var isFound = false
    walk { node in
      if let subquery = node.ownSubquery, subquery.reads(table) { isFound = true }
      return !isFound && node.traits.contains(.hasSubquery)
    }
    return isFound
  }

  /// Reads such a column of the source outside of subqueries.
  func readsColumn(of id: SourceID, where isWanted: (Int32) -> Bool) -> Bool {
    var isFound = false
    walk { node in
      if case .column(id, let column) = node.kind, isWanted(column) { isFound = true }
      return !isFound && node.traits.contains(.hasColumn)
    }
    return isFound
  }

  /// Calls `body` for every column reference, those in subqueries included.
  func forEachColumn(_ body: (SourceID, Int32) -> Void) {
    if case .column(let source, let column) = kind { return body(source, column) }
    guard !traits.isDisjoint(with: [.hasColumn, .hasSubquery]) else { return }
    walk { node in
      if case .column(let source, let column) = node.kind {
        body(source, column)
        return false
      }
      node.ownSubquery?.forEachColumn(body)
      return !node.traits.isDisjoint(with: [.hasColumn, .hasSubquery])
    }
  }

  /// Calls `body` for the source of every column reference, those in subqueries included.
  func forEachSource(_ body: (SourceID) -> Void) {
    forEachColumn { source, _ in body(source) }
  }

  /// Calls `body` for every aggregate outside subqueries.
  func forEachAggregate(_ body: (BoundAggregate) -> Void) {
    guard traits.contains(.hasAggregate) else { return }
    walk { node in
      if case .aggregate(let aggregate) = node.kind { body(aggregate) }
      return node.traits.contains(.hasAggregate)
    }
  }

  /// Without COLLATE around it.
  var withoutCollate: BoundExpression {
    var node = self
    while case .collate(let inner) = node.kind { node = inner }
    return node
  }

  /// Without the signs in front of it.
  var withoutSigns: BoundExpression {
    var node = self
    while true {
      switch node.kind {
      case .plus(let inner), .negate(let inner): node = inner
      default: return node
      }
    }
  }
}

extension BoundSelect {
  /// Calls `body` for every expression of the SELECT and of its parts and sources, and `seeSource`
  /// for every source.
  func forEachExpression(
    _ body: (BoundExpression) -> Void, seeSource: (BoundSource) -> Void = { _ in }
  ) {
    switch self.body {
    case .simple(let simple):
      for column in self.columns { body(column.expression) }
      simple.forEachExpression(body, seeSource: seeSource)
    case .values(let rows): for row in rows { for item in row { body(item) } }
    case .compound(let parts, _, _):
      for part in parts { part.forEachExpression(body, seeSource: seeSource) }
    case .recursive(let recursion):
      recursion.setup.forEachExpression(body, seeSource: seeSource)
      recursion.step.forEachExpression(body, seeSource: seeSource)
    case .currentRow: break
    }
    for term in self.orderBy { body(term.expression) }
    if let limit = self.limit { body(limit) }
    if let offset = self.offset { body(offset) }
  }

  func forEachColumn(_ body: (SourceID, Int32) -> Void) {
    forEachExpression { $0.forEachColumn(body) }
  }

  func forEachSource(_ body: (SourceID) -> Void) {
    forEachColumn { source, _ in body(source) }
  }

  /// Has the table or view in FROM, or in that of a subquery.
  fileprivate func reads(_ table: Table) -> Bool {
    var isFound = false
    forEachExpression {
      if !isFound { isFound = $0.subqueriesRead(table) }
    } seeSource: { source in
      switch source.kind {
      case .table(let other): if other === table { isFound = true }
      case .subquery:
        if source.viewName == table.name && source.databaseIndex == table.databaseIndex {
          isFound = true
        }
      }
    }
    return isFound
  }
}

extension BoundSimpleSelect {
  /// All expressions but the result columns, sources included.
  func forEachExpression(
    _ body: (BoundExpression) -> Void, seeSource: (BoundSource) -> Void = { _ in }
  ) {
    for source in self.sources {
      seeSource(source)
      if case .subquery(let select) = source.kind {
        select.forEachExpression(body, seeSource: seeSource)
      }
      if let on = source.on { body(on) }
    }
    if let whereClause = self.whereClause { body(whereClause) }
    for term in self.groupBy { body(term) }
    if let having = self.having { body(having) }
    for aggregate in self.aggregates {
      for argument in aggregate.arguments { body(argument) }
      if let filter = aggregate.filter { body(filter) }
      for term in aggregate.orderBy { body(term.expression) }
    }
  }
}

extension BoundExpression.Kind {
  /// The traits of an operator of two operands.
  func traits(of left: BoundExpression, _ right: BoundExpression) -> BoundExpression.Traits {
    let traits = left.traits.union(right.traits)
    switch self {
    case .and, .or:
      let isLiteral = left.literalTruth != nil || right.literalTruth != nil
      return traits.intersection([.inherited, .hasLiteralTruth])
        .union(isLiteral ? .hasLiteralTruth : [])
    default: return traits.intersection(.inherited)
    }
  }
}
