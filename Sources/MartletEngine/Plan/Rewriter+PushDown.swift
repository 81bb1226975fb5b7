// Conditions on a subquery's columns alone, also inside the subquery (optoverview §16, SQLite's
// pushDownWhereTerms). The condition stays where it is, too.

extension Rewriter {
  static func pushingDown(_ select: BoundSelect) -> BoundSelect {
    guard case .simple(let simple) = select.body,
      simple.sources.contains(where: \.isSubquery)
    else { return select }
    var sources = Array(simple.sources)
    var changed = false
    for (position, source) in sources.enumerated() {
      guard case .subquery(let subquery) = source.kind else { continue }
      var inner = subquery
      if mayPush(into: subquery, at: position, simple.sources) {
        let terms = conditions(on: position, simple)
        if !terms.isEmpty && terms.count <= Flattener.maximumConditionCount {
          inner = pushing(terms, into: subquery, as: source.id)
        }
      }
      if source.commonTable == nil && !subquery.isCorrelated {
        inner = droppingColumns(of: inner, used: source.usedColumns)
      }
      if inner === subquery { continue }
      sources[position] = source.replacing(
        kind: .subquery(inner), join: source.join, on: source.on)
      sources[position].isChanged = true
      changed = true
    }
    return changed ? select.replacing(body: .simple(simple.replacing(sources: sources))) : select
  }

  /// Columns that nothing reads are NULL: what they would need may not be needed at all (SQLite's
  /// disableUnusedSubqueryResultColumns).
  private static func droppingColumns(of subquery: BoundSelect, used: UInt64) -> BoundSelect {
    var used = used
    for term in subquery.orderBy where term.resultColumn >= 0 {
      used |= 1 << UInt64(min(term.resultColumn, 63))
    }
    func isPlain(_ select: BoundSelect) -> Bool {
      guard case .simple(let simple) = select.body else { return false }
      return !select.isDistinct && !simple.isAggregate && simple.window == nil
    }
    func dropping(_ select: BoundSelect) -> BoundSelect {
      var columns = Array(select.columns)
      var changed = false
      for position in columns.indices where used & (1 << UInt64(min(position, 63))) == 0 {
        if case .null = columns[position].expression.kind { continue }
        columns[position] = columns[position].replacing(
          BoundExpression(
            .null, affinity: .none, traits: [], in: columns[position].expression.memory))
        changed = true
      }
      return changed ? select.replacing(columns: TreeList(columns, in: select.memory)) : select
    }
    switch subquery.body {
    case .simple: return isPlain(subquery) ? dropping(subquery) : subquery
    case .compound(let parts, let operators, let collations):
      guard operators.allSatisfy({ $0 == .unionAll }), parts.allSatisfy(isPlain),
        subquery.orderBy.isEmpty
      else { return subquery }
      let plain = parts.map(dropping)
      if zip(plain, parts).allSatisfy({ $0 === $1 }) { return subquery }
      return subquery.replacing(body: .compound(plain, operators, collations: collations))
    case .values, .recursive, .currentRow: return subquery
    }
  }

  private static func mayPush(
    into subquery: BoundSelect, at position: Int, _ sources: TreeList<BoundSource>
  ) -> Bool {
    let source = sources[position]
    if source.join.contains(.right) || isLeftOfRight(position, sources) || subquery.limit != nil {
      return false
    }
    if let table = source.commonTable {
      if table.materialization == .materialized { return false }
      if source.isNamedTwice { return false }
    }
    switch subquery.body {
    case .values, .recursive, .currentRow: return false
    case .simple(let simple):
      if let window = simple.window { return !window.partitionColumns.isEmpty }
      return !simple.sources.isEmpty || simple.isAggregate
    case .compound(let parts, let operators, let collations):
      // What is equal to another row in one part's collation stands for it, and may not match.
      if operators.contains(where: { $0 != .unionAll }),
        collations.contains(where: { $0 !== Collation.binary })
          || parts.contains(where: { $0.columns.contains { !$0.comparesBytes } })
      {
        return false
      }
      return parts.allSatisfy { part in
        if case .simple(let simple) = part.body { return simple.window == nil }
        return false
      }
    }
  }

  /// Terms of WHERE, or for a LEFT JOIN of its ON, that look at the source alone. An ON to the left
  /// of a RIGHT JOIN says nothing of the rows that this one adds.
  private static func conditions(
    on position: Int, _ simple: BoundSimpleSelect
  ) -> [BoundExpression] {
    let source = simple.sources[position]
    var conditions: [BoundExpression] = []
    if source.join.contains(.left) {
      if let on = source.on { conditions = on.conjuncts }
    } else {
      if let condition = simple.whereClause { conditions = condition.conjuncts }
      for (index, other) in simple.sources.enumerated()
      where other.join.isDisjoint(with: [.left, .right])
        && (index >= position || !isLeftOfRight(index, simple.sources))
      {
        if let on = other.on { conditions += on.conjuncts }
      }
    }
    return conditions.filter { $0.isTableConstant(source.id) }.reversed()
  }

  private static func pushing(
    _ terms: [BoundExpression], into subquery: BoundSelect, as id: SourceID
  ) -> BoundSelect {
    switch subquery.body {
    case .values, .recursive, .currentRow: return subquery
    case .compound(let parts, let operators, let collations):
      return subquery.replacing(
        body: .compound(
          parts.map { pushing(terms, into: $0, as: id) }, operators, collations: collations))
    case .simple(let simple) where simple.window != nil:
      return pushing(terms, intoWindow: subquery, simple, as: id) ?? subquery
    case .simple(let simple):
      let substitution = Substitution(
        source: id, expressions: subquery.columns.map(\.expression))
      var condition = simple.isAggregate ? simple.having : nil
      for term in terms {
        let inner = substitution.apply(term).withOwnAffinities
        condition = condition.map { $0.and(inner) } ?? inner
      }
      guard let condition else { return subquery }
      guard simple.isAggregate else {
        return subquery.replacing(body: .simple(simple.adding(condition, having: nil)))
      }
      let filtered = BoundSimpleSelect(
        sources: simple.sources, whereClause: simple.whereClause, groupBy: simple.groupBy,
        having: condition, aggregates: simple.aggregates, isAggregate: true, in: simple.memory)
      filtered.whereLevels = simple.whereLevels
      return subquery.replacing(body: .simple(filtered))
    }
  }
}

extension Rewriter {
  /// Conditions on what all windows partition by drop whole partitions: they can be asked of the
  /// rows. nil where there is none.
  private static func pushing(
    _ terms: [BoundExpression], intoWindow subquery: BoundSelect, _ simple: BoundSimpleSelect,
    as id: SourceID
  ) -> BoundSelect? {
    let source = simple.sources[0]
    guard let window = simple.window, case .subquery(let rows) = source.kind else {
      return nil
    }
    let outer = Substitution(source: id, expressions: subquery.columns.map(\.expression))
    let inner = Substitution(source: source.id, expressions: rows.columns.map(\.expression))
    let mapped = terms.map(outer.apply)
    let partition = TreeList(
      window.partitionColumns.map { rows.columns[$0].expression }, in: rows.memory)
    let movable = mapped.filter { inner.apply($0).isConstantOrGroup(partition) }
    guard !movable.isEmpty, case .simple(let nested) = rows.body else { return nil }
    let new: BoundSelect
    if nested.window == nil {
      new = pushing(movable, into: rows, as: source.id)
    } else if let deeper = pushing(movable, intoWindow: rows, nested, as: source.id) {
      new = deeper
    } else {
      return nil
    }
    let replaced = source.replacing(
      kind: .subquery(new), join: source.join, on: source.on)
    return subquery.replacing(body: .simple(simple.replacing(sources: [replaced])))
  }
}

extension BoundExpression {
  /// With the affinities that its comparisons would have if it had been written here: a part of a
  /// compound can have columns of other affinities than the whole.
  fileprivate var withOwnAffinities: BoundExpression {
    func copy(_ kind: Kind) -> BoundExpression {
      BoundExpression(
        kind, affinity: affinity, collation: collation,
        hasExplicitCollation: hasExplicitCollation, traits: traits, in: memory)
    }
    func adapted(
      _ comparison: BoundComparison, _ left: BoundExpression, _ right: BoundExpression
    ) -> BoundComparison {
      BoundComparison(
        operator: comparison.operator,
        affinity: Binder.comparisonAffinity(left.affinity, right.affinity),
        collation: comparison.collation)
    }
    switch kind {
    case .and(let left, let right):
      return copy(.and(left.withOwnAffinities, right.withOwnAffinities))
    case .or(let left, let right):
      return copy(.or(left.withOwnAffinities, right.withOwnAffinities))
    case .not(let operand): return copy(.not(operand.withOwnAffinities))
    case .comparison(let comparison, let left, let right):
      return copy(.comparison(adapted(comparison, left, right), left, right))
    case .between(let old):
      return copy(
        .between(
          BoundBetween(
            operand: old.operand, lower: old.lower, upper: old.upper,
            lowerComparison: adapted(old.lowerComparison, old.operand, old.lower),
            upperComparison: adapted(old.upperComparison, old.operand, old.upper))))
    case .inSelect(let old):
      let columns = old.select.typingColumns
      return copy(
        .inSelect(
          BoundInSelect(
            operands: Array(old.operands), select: old.select,
            affinities: zip(old.operands, columns).map {
              Binder.comparisonAffinity($0.affinity, $1.affinity)
            }, collations: old.collations, in: memory)))
    case .inList(let old):
      let affinity = Binder.listAffinity(old.operand.affinity)
      return copy(
        .inList(
          BoundInList(
            operand: old.operand, items: Array(old.items), affinity: affinity,
            collation: old.collation)))
    case .caseWhen(let old):
      guard let operand = old.operand else { return self }
      let comparisons = zip(old.comparisons, old.branches).map { adapted($0, operand, $1.when) }
      return copy(
        .caseWhen(
          BoundCase(
            operand: operand, branches: Array(old.branches), comparisons: comparisons,
            otherwise: old.otherwise, in: memory)))
    default: return self
    }
  }

  /// Columns of this source and constants are all that it needs.
  fileprivate func isTableConstant(_ id: SourceID) -> Bool {
    if !traits.isDisjoint(with: [
      .hasNondeterministicFunction, .hasAggregate, .hasWindowFunction, .hasRaise,
    ]) {
      return false
    }
    guard traits.contains(.hasColumn) || traits.contains(.hasSubquery) else { return true }
    var isConstant = true
    walk { node in
      if case .column(let source, let column) = node.kind, source != id || column < 0,
        !node.traits.contains(.isTriggerColumn)
      {
        isConstant = false
      }
      if let subquery = node.ownSubquery, subquery.isCorrelated { isConstant = false }
      return isConstant
    }
    return isConstant
  }
}

extension BoundResultColumn {
  fileprivate var comparesBytes: Bool { collation.map { $0 === Collation.binary } ?? true }
}
