// Joins that can be simpler than they are written.

extension BoundSource {
  /// ON decides about rows of NULLs, not about rows.
  var hasOuterOn: Bool { self.hasOuterCondition || !self.join.isDisjoint(with: [.left, .right]) }
}

extension Rewriter {
  // MARK: EXISTS

  /// `WHERE EXISTS (SELECT … FROM t WHERE …)` of one table is a join with it that stops at the
  /// first match (SQLite's existsToJoin).
  static func joiningExists(_ select: BoundSelect) -> BoundSelect {
    guard case .simple(let simple) = select.body, let condition = simple.whereClause,
      condition.traits.contains(.hasSubquery), select.offset == nil, simple.sources.count < 60
    else { return select }
    var sources = Array(simple.sources)
    var terms: [BoundExpression] = [], added: [BoundExpression] = []
    for term in condition.conjuncts {
      guard case .exists(let subquery) = term.kind, let source = joinable(subquery),
        sources.count < 64
      else {
        terms.append(term)
        continue
      }
      let joined = source.replacing(join: .inner, on: nil)
      joined.isExists = true
      sources.append(joined)
      terms.append(
        BoundExpression(.integer(1), affinity: .none, traits: [], in: term.memory))
      // The arguments of a table-valued function.
      if let arguments = source.on { added.append(arguments) }
      if case .simple(let inner) = subquery.body, let condition = inner.whereClause {
        added.append(condition)
      }
    }
    if sources.count == simple.sources.count { return select }
    var whereClause: BoundExpression?
    for term in terms + added { whereClause = whereClause?.and(term) ?? term }
    return select.replacing(
      body: .simple(simple.replacing(sources: sources, whereClause: whereClause)))
  }

  private static func joinable(_ subquery: BoundSelect) -> BoundSource? {
    guard case .simple(let inner) = subquery.body, inner.sources.count == 1, !inner.isAggregate,
      subquery.limit == nil, case .table = inner.sources[0].kind
    else { return nil }
    return inner.sources[0]
  }

  // MARK: Outer joins

  /// Where WHERE drops the rows of NULLs of the source at `position`, the outer joins that make
  /// them are plain joins.
  static func simplifyingJoin(_ select: BoundSelect, at position: Int) -> BoundSelect {
    guard case .simple(let simple) = select.body else { return select }
    let isLeftOfRight = isLeftOfRight(position, simple.sources)
    guard simple.sources[position].join.contains(.left) || isLeftOfRight,
      implies(rowOf: position, simple, simple.sources, isRight: isLeftOfRight)
    else { return select }
    var sources = Array(simple.sources)
    sources[position] = sources[position].replacing(
      join: sources[position].join.subtracting(.left), on: sources[position].on)
    for later in sources.indices.dropFirst(position + 1)
    where sources[later].join.contains(.right) {
      sources[later] = sources[later].replacing(
        join: sources[later].join.subtracting(.right), on: sources[later].on)
    }
    return select.replacing(body: .simple(simple.replacing(sources: sources)))
  }

  static func isLeftOfRight(_ position: Int, _ sources: TreeList<BoundSource>) -> Bool {
    sources.dropFirst(position + 1).contains { $0.join.contains(.right) }
  }

  /// WHERE, and the ON of plain joins, drop a row of NULLs of the source.
  private static func implies(
    rowOf position: Int, _ simple: BoundSimpleSelect, _ sources: TreeList<BoundSource>,
    isRight: Bool
  ) -> Bool {
    let id = sources[position].id, levels = simple.conditionLevels
    for (depth, conditions) in levels.enumerated() {
      // SQLite does not see NOT NULL in the last of several conditions.
      let isAlone = conditions.count == 1 && depth == levels.count - 1 && depth > 0
      for (index, condition) in conditions.enumerated() {
        if condition.source >= 0, isRight || sources[condition.source].hasOuterOn { continue }
        let isLast = index > 0 || isAlone
        if condition.expression.impliesRow(of: id, in: sources, isLast: isLast) { return true }
      }
    }
    return false
  }
}
