// What is done to a SELECT before its loops are planned (optoverview §§ 8, 13 and following):
//
//     EXISTS in WHERE                  a join that stops at the first match
//     LEFT JOIN whose NULLs fail       JOIN
//     ORDER BY of a subquery           left out where it orders nothing
//     subqueries in FROM               merged, `Flattener`
//     a = b AND b = 5                  a = 5 AND b = 5
//     count(*) over a UNION ALL        the sum of the counts of its parts
//     WHERE over a subquery            also inside it, where it drops rows earlier
//     HAVING on the groups' keys       WHERE

enum Rewriter {
  /// `isPartOfMerge`: the SELECT is a part of a compound and will be asked for an order.
  static func rewritten(
    _ select: BoundSelect, isPartOfMerge: Bool = false
  ) throws(SQLError) -> BoundSelect {
    var select = select
    if case .simple(let simple) = select.body, simple.sources.isEmpty {
      return joiningExists(select)
    }
    if select.hasSubqueryOrJoin { select = simplifyingFrom(select, isPartOfMerge) }
    guard case .simple = select.body else { return select }
    select = countingParts(propagatingConstants(joiningExists(select)))
    return movingHaving(pushingDown(select))
  }

  /// One source after the other: its join is made simpler, then the source is merged if it can be;
  /// after that all is looked at again.
  private static func simplifyingFrom(_ start: BoundSelect, _ isPartOfMerge: Bool) -> BoundSelect {
    var select = start
    var position = 0
    while case .simple(let simple) = select.body, position < simple.sources.count {
      select = simplifyingJoin(select, at: position)
      select = removingOrder(select, at: position, isPartOfMerge)
      if let next = Flattener.merging(select, at: position, isPartOfMerge: isPartOfMerge) {
        select = next
        position = 0
      } else {
        position += 1
      }
    }
    return select
  }

  // MARK: ORDER BY

  /// A subquery of a join, or of a SELECT with an order of its own, needs none, unless it has a
  /// LIMIT, or an aggregate or a window may show it; that of a recursive table is its queue's. As
  /// SQLite does not look at them, an aggregate and a MATERIALIZED common table keep theirs.
  private static func removingOrder(
    _ select: BoundSelect, at position: Int, _ isPartOfMerge: Bool
  ) -> BoundSelect {
    guard case .simple(let simple) = select.body,
      !select.orderBy.isEmpty || isPartOfMerge || simple.sources.count > 1, simple.window == nil,
      !select.showsOrderOfSources,
      case .subquery(let subquery) = simple.sources[position].kind,
      !subquery.orderBy.isEmpty, subquery.limit == nil, !subquery.isRecursive,
      !subquery.endsInAggregate,
      simple.sources[position].commonTable?.materialization != .materialized,
      simple.aggregates.allSatisfy(\.function.kind.ignoresOrder)
    else { return select }
    let plain = subquery.replacing(orderBy: [])
    var sources = Array(simple.sources)
    sources[position] = sources[position].replacing(
      kind: .subquery(plain), join: sources[position].join,
      on: sources[position].on)
    return select.replacing(body: .simple(simple.replacing(sources: sources)))
  }

  // MARK: HAVING

  /// Conditions of HAVING on constants and GROUP BY terms alone rule out rows as well as groups. One
  /// that is false whatever they are stays, as in SQLite: the rows are computed all the same.
  private static func movingHaving(_ select: BoundSelect) -> BoundSelect {
    guard case .simple(let simple) = select.body, let having = simple.having,
      !simple.groupBy.isEmpty
    else { return select }
    var kept: BoundExpression?, moved: BoundExpression?
    for condition in having.conjuncts {
      if !condition.isAlwaysFalse && condition.isConstantOrGroup(simple.groupBy) {
        moved = moved.map { $0.and(condition) } ?? condition
      } else {
        kept = kept.map { $0.and(condition) } ?? condition
      }
    }
    guard let moved else { return select }
    return select.replacing(body: .simple(simple.adding(moved, having: kept)))
  }
}

extension AggregateFunction.Kind {
  /// The order of the rows never shows in the result (SQLite's SQLITE_FUNC_ANYORDER).
  fileprivate var ignoresOrder: Bool { self == .count || self == .minimum || self == .maximum }
}

extension BoundSelect {
  func replacing(
    body: BoundSelectContent.Body? = nil, columns: TreeList<BoundResultColumn>? = nil,
    orderBy: TreeList<BoundOrderingTerm>? = nil,
    isDistinct: Bool? = nil
  ) -> BoundSelect {
    let copy = BoundSelect(
      id: self.id, body: body ?? self.body, columns: columns ?? self.columns,
      orderBy: orderBy ?? self.orderBy, limit: self.limit, offset: self.offset,
      isCorrelated: self.isCorrelated,
      isDistinct: isDistinct ?? self.isDistinct, in: self.memory)
    copy.number = self.number
    copy.isCoroutine = self.isCoroutine
    copy.typingRow = self.typingRow
    copy.showsOrderOfSources = self.showsOrderOfSources
    return copy
  }

  /// An aggregate, or a compound whose last part is one.
  fileprivate var endsInAggregate: Bool {
    switch self.body {
    case .simple(let simple): simple.isAggregate
    case .compound(let parts, _, _): parts.last?.endsInAggregate == true
    case .values, .recursive, .currentRow: false
    }
  }

  /// The rewrites of FROM have something to look at.
  fileprivate var hasSubqueryOrJoin: Bool {
    guard case .simple(let simple) = self.body else { return false }
    return simple.sources.count > 1 || simple.sources.contains(where: \.isSubquery)
  }
}

extension BoundSimpleSelect {
  func replacing(
    sources: some Collection<BoundSource>, whereClause: BoundExpression?? = .none
  ) -> BoundSimpleSelect {
    let condition: BoundExpression? = if let whereClause { whereClause } else { self.whereClause }
    let copy = BoundSimpleSelect(
      sources: sources, whereClause: condition, groupBy: self.groupBy, having: self.having,
      aggregates: self.aggregates, isAggregate: self.isAggregate,
      window: self.window, in: self.memory)
    copy.whereLevels = whereLevels
    return copy
  }

  /// With a condition behind WHERE and all ON clauses, where SQLite puts what it moves into WHERE.
  func adding(_ condition: BoundExpression, having: BoundExpression?) -> BoundSimpleSelect {
    var sources = Array(self.sources), levels = self.whereClause == nil ? [] : whereLevels
    let isOwnLevel = sources.contains { $0.on != nil }
    if isOwnLevel {
      sources = sources.map { source in
        let raised = source.replacing(join: source.join, on: source.on)
        raised.mergeLevel += 1
        return raised
      }
      levels = levels.map { $0 + 1 }
    }
    let copy = BoundSimpleSelect(
      sources: sources,
      whereClause: self.whereClause.map {
        $0.appending(condition, behind: levels.count, isOwnLevel ? .isMerge : [])
      } ?? condition,
      groupBy: self.groupBy, having: having, aggregates: self.aggregates,
      isAggregate: self.isAggregate,
      window: self.window, in: self.memory)
    copy.whereLevels = isOwnLevel || levels.isEmpty ? levels + [0] : levels
    return copy
  }

  /// A part of WHERE (`source` is -1), or the ON of a source.
  struct Condition {
    let expression: BoundExpression
    let source: Int
  }

  /// Subqueries were merged, and had conditions.
  var isMerged: Bool {
    self.mergedLevels.first ?? 0 > 0 || self.sources.contains { $0.mergeLevel > 0 }
  }

  /// WHERE and the ON clauses in SQLite's order: what was merged last first, and of each SELECT its
  /// WHERE first.
  var conditionLevels: [[Condition]] {
    var parts: [(level: Int32, expression: BoundExpression)] = []
    if let whereClause = self.whereClause {
      var rest = whereClause
      for level in whereLevels.dropLast() {
        guard case .and(let left, let right) = rest.kind, rest.traits.contains(.isMerge) else {
          break
        }
        parts.append((level, left))
        rest = right
      }
      parts.append((whereLevels.last ?? 0, rest))
    }
    var levels: [[Condition]] = []
    let highest = self.sources.reduce(parts.first?.level ?? 0) { max($0, $1.mergeLevel) }
    for level in stride(from: highest, through: 0, by: -1) {
      var conditions = parts.filter { $0.level == level }.map {
        Condition(expression: $0.expression, source: -1)
      }
      for (index, source) in self.sources.enumerated() where source.mergeLevel == level {
        if let on = source.on { conditions.append(Condition(expression: on, source: index)) }
      }
      if !conditions.isEmpty { levels.append(conditions) }
    }
    return levels
  }
}

extension BoundExpression {
  /// With `condition` behind the last of the parts that `isMerge` joins.
  fileprivate func appending(
    _ condition: BoundExpression, behind partCount: Int, _ traits: Traits
  ) -> BoundExpression {
    if partCount > 1, case .and(let first, let rest) = kind, self.traits.contains(.isMerge) {
      return first.and(rest.appending(condition, behind: partCount - 1, traits), .isMerge)
    }
    return and(condition, traits)
  }

  /// The conditions that AND joins, the leftmost first. A comparison of row values is one.
  var conjuncts: [BoundExpression] {
    var reversed: [BoundExpression] = []
    var rest = [self]
    while let next = rest.popLast() {
      if case .and(let left, let right) = next.kind, !next.traits.contains(.isRowComparison) {
        rest.append(left)
        rest.append(right)
      } else {
        reversed.append(next)
      }
    }
    return reversed.reversed()
  }

  /// The literal 0 or FALSE, a search in an empty list, or whether a literal is NULL (SQLite's
  /// ExprAlwaysFalse).
  var isAlwaysFalse: Bool {
    switch kind {
    case .integer(0): true
    case .inList(let list): list.items.isEmpty
    case .nullTest(let operand, isNegated: false):
      switch operand.kind {
      case .integer, .real, .text, .blob: true
      default: false
      }
    default: false
    }
  }

  func isConstantOrGroup(_ groupBy: TreeList<BoundExpression>) -> Bool {
    if !traits.isDisjoint(with: [
      .hasAggregate, .hasSubquery, .hasWindowFunction, .hasNondeterministicFunction,
    ]) {
      return false
    }
    var isMovable = true
    walk { node in
      for group in groupBy where group.isSame(as: node) {
        if (group.collation ?? .binary) === Collation.binary { return false }
      }
      if case .column = node.kind, !node.traits.contains(.isTriggerColumn) { isMovable = false }
      return isMovable
    }
    return isMovable
  }
}
