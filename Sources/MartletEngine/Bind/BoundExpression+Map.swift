// Rewriting: the same tree with other expressions in the place of columns.
//
// What a comparison decided of its operands, its affinity and collation, stays: it is what the
// statement says, whatever takes the place of the column.

extension BoundExpression {
  /// Gives what takes the place of a column, an aggregate or a window function, or nil.
  typealias LeafReplacement = (BoundExpression) -> BoundExpression?

  /// The expression with every column for which `replacement` gives one replaced, those in
  /// subqueries included. The same object where nothing changes.
  func mapColumns(
    _ replacement: (SourceID, Int32) -> BoundExpression?
  ) -> BoundExpression {
    mapLeaves { leaf in
      guard case .column(let source, let column) = leaf.kind else { return nil }
      return replacement(source, column)
    }
  }

  /// The same with aggregates and window functions, which stay what they are where `replacement`
  /// gives nil; the operands of aggregates are looked at then.
  func mapLeaves(_ replacement: LeafReplacement) -> BoundExpression {
    let traitsOfLeaves: Traits = [.hasColumn, .hasSubquery, .hasAggregate, .hasWindowFunction]
    guard !traits.isDisjoint(with: traitsOfLeaves) else { return self }
    switch kind {
    case .column, .window: return replacement(self) ?? self
    case .aggregate: if let new = replacement(self) { return new }
    default: if case .some = leftOperand { return mapChain(replacement) }
    }
    return mapParts(replacement)
  }

  /// The left operand of an operator that makes chains.
  private var leftOperand: BoundExpression? {
    switch kind {
    case .and(let left, _), .or(let left, _), .comparison(_, let left, _),
      .arithmetic(_, let left, _):
      left
    default: nil
    }
  }

  /// Chains that lean left are walked in a loop.
  @inline(never)
  private func mapChain(_ replacement: LeafReplacement) -> BoundExpression {
    var chain: [BoundExpression] = []
    var bottom = self
    while let left = bottom.leftOperand {
      chain.append(bottom)
      bottom = left
    }
    var left = bottom.mapLeaves(replacement)
    for node in chain.reversed() { left = node.replacingLeft(left, replacement) }
    return left
  }

  @inline(never)
  private func replacingLeft(
    _ newLeft: BoundExpression, _ replacement: LeafReplacement
  ) -> BoundExpression {
    func made(
      _ left: BoundExpression, _ right: BoundExpression,
      _ make: (BoundExpression) -> Kind
    ) -> BoundExpression {
      let newRight = right.mapLeaves(replacement)
      if newLeft === left && newRight === right { return self }
      return copy(make(newRight), [newLeft, newRight])
    }
    switch kind {
    case .and(let left, let right): return made(left, right) { .and(newLeft, $0) }
    case .or(let left, let right): return made(left, right) { .or(newLeft, $0) }
    case .comparison(let comparison, let left, let right):
      return made(left, right) { .comparison(comparison, newLeft, $0) }
    case .arithmetic(let operation, let left, let right):
      return made(left, right) { .arithmetic(operation, newLeft, $0) }
    default: return self
    }
  }

  /// This node with other operands. That it has columns is asked of these; functions in them are as
  /// if they were not there, as in SQLite, which computes it once before all else if it is constant.
  func copy(_ kind: Kind, _ operands: [BoundExpression]) -> BoundExpression {
    var traits = traits
    traits.remove(.hasColumn)
    let inherited = Traits.inherited.subtracting(.hasFunction).union(.hasFixedColumn)
    for operand in operands { traits.formUnion(operand.traits.intersection(inherited)) }
    if case .and(let left, let right) = kind { traits.formUnion(kind.traits(of: left, right)) }
    if case .or(let left, let right) = kind { traits.formUnion(kind.traits(of: left, right)) }
    return BoundExpression(
      kind, affinity: affinity, collation: collation,
      hasExplicitCollation: hasExplicitCollation, traits: traits, in: memory)
  }

  @inline(never)
  private func mapParts(_ replacement: LeafReplacement) -> BoundExpression {
    func one(_ operand: BoundExpression, _ make: (BoundExpression) -> Kind) -> BoundExpression {
      let mapped = operand.mapLeaves(replacement)
      return mapped === operand ? self : copy(make(mapped), [mapped])
    }
    switch kind {
    case .negate(let operand): return one(operand) { negated($0) }
    case .plus(let operand): return one(operand) { .plus($0) }
    case .bitNot(let operand): return one(operand) { .bitNot($0) }
    case .not(let operand): return one(operand) { .not($0) }
    case .nullTest(let operand, let isNegated):
      return one(operand) { .nullTest($0, isNegated: isNegated) }
    case .truthTest(let operand, let isTrue, let isNegated):
      return one(operand) { .truthTest($0, isTrue: isTrue, isNegated: isNegated) }
    case .collate(let operand): return one(operand) { .collate($0) }
    case .cast(let operand, let affinity): return one(operand) { .cast($0, affinity) }
    case .exists, .scalarSubquery, .subqueryColumn, .inSelect:
      return mapSubquery(replacement)
    default: return mapLists(replacement)
    }
  }

  /// The minus of what took the place of a column is taken from 0: only that of a literal as it is
  /// written gives -0.0.
  private func negated(_ operand: BoundExpression) -> Kind {
    guard case .real = operand.kind else { return .negate(operand) }
    let zero = BoundExpression(.integer(0), affinity: .none, traits: [], in: memory)
    return .arithmetic(.subtract, zero, operand)
  }

  @inline(never)
  private func mapLists(_ replacement: LeafReplacement) -> BoundExpression {
    switch kind {
    case .between(let old):
      let new = BoundBetween(
        operand: old.operand.mapLeaves(replacement), lower: old.lower.mapLeaves(replacement),
        upper: old.upper.mapLeaves(replacement), lowerComparison: old.lowerComparison,
        upperComparison: old.upperComparison)
      return copy(.between(new), [new.operand, new.lower, new.upper])
    case .inList(let old):
      let new = BoundInList(
        operand: old.operand.mapLeaves(replacement),
        items: old.items.map { $0.mapLeaves(replacement) }, affinity: old.affinity,
        collation: old.collation)
      return copy(.inList(new), [new.operand] + Array(new.items))
    case .raise(let kind, let message?):
      let mapped = message.mapLeaves(replacement)
      return copy(.raise(kind, mapped), [mapped])
    case .caseWhen(let old): return mapCase(old, replacement)
    case .function(let old):
      let new = BoundFunction(
        function: old.function, arguments: old.arguments.map { $0.mapLeaves(replacement) },
        collation: old.collation, in: memory)
      new.likelihoodEstimate = old.likelihoodEstimate
      new.likePrefix = old.likePrefix
      new.patternOperator = old.patternOperator
      new.storedPlace = old.storedPlace
      new.isUnsafe = old.isUnsafe
      return copy(.function(new), Array(new.arguments))
    case .aggregate(let old):
      let new = old.mapLeaves(replacement)
      return copy(.aggregate(new), new.operands)
    case .row(let items):
      let mapped = items.map { $0.mapLeaves(replacement) }
      return copy(.row(memory.list(mapped)), mapped)
    default: return self
    }
  }

  @inline(never)
  private func mapCase(
    _ old: BoundCase, _ replacement: LeafReplacement
  ) -> BoundExpression {
    let new = BoundCase(
      operand: old.operand?.mapLeaves(replacement),
      branches: old.branches.map {
        BoundCase.Branch(
          when: $0.when.mapLeaves(replacement), then: $0.then.mapLeaves(replacement))
      },
      comparisons: Array(old.comparisons), otherwise: old.otherwise?.mapLeaves(replacement),
      in: memory)
    var operands: [BoundExpression] = []
    if let operand = new.operand { operands.append(operand) }
    for branch in new.branches {
      operands.append(branch.when)
      operands.append(branch.then)
    }
    if let otherwise = new.otherwise { operands.append(otherwise) }
    return copy(.caseWhen(new), operands)
  }

  @inline(never)
  private func mapSubquery(_ replacement: LeafReplacement) -> BoundExpression {
    guard let select = ownSubquery else { return self }
    let mapped = select.isCorrelated ? select.mapLeaves(replacement) : select
    let isSame = mapped === select
    func copied(_ kind: Kind) -> BoundExpression {
      BoundExpression(
        kind, affinity: affinity, collation: collation,
        hasExplicitCollation: hasExplicitCollation, traits: traits, in: memory)
    }
    switch kind {
    case .exists: return isSame ? self : copied(.exists(mapped))
    case .scalarSubquery:
      return isSame ? self : copied(.scalarSubquery(mapped))
    case .subqueryColumn(_, let column):
      return isSame ? self : copied(.subqueryColumn(mapped, column))
    case .inSelect(let old):
      let new = BoundInSelect(
        operands: old.operands.map { $0.mapLeaves(replacement) }, select: mapped,
        affinities: old.affinities, collations: old.collations, in: memory)
      return copied(.inSelect(new))
    default: return self
    }
  }
}

extension BoundAggregate {
  /// Everything that is computed for a row before it is aggregated.
  var operands: [BoundExpression] {
    var operands = Array(arguments)
    if let filter { operands.append(filter) }
    for term in orderBy { operands.append(term.expression) }
    return operands
  }

  func mapLeaves(_ replacement: BoundExpression.LeafReplacement) -> BoundAggregate {
    BoundAggregate(
      function: function, arguments: arguments.map { $0.mapLeaves(replacement) },
      isDistinct: isDistinct, filter: filter?.mapLeaves(replacement),
      orderBy: TreeList(orderBy.map { $0.mapLeaves(replacement) }, in: memory),
      collation: collation,
      selectID: selectID, index: index, in: memory)
  }
}

extension BoundOrderingTerm {
  func mapLeaves(_ replacement: BoundExpression.LeafReplacement) -> BoundOrderingTerm {
    BoundOrderingTerm(
      expression: expression.mapLeaves(replacement), isDescending: isDescending,
      hasBigNulls: hasBigNulls, resultColumn: resultColumn, collation: collation)
  }
}

extension BoundResultColumn {
  /// The same column with another expression.
  func replacing(_ expression: BoundExpression) -> BoundResultColumn {
    BoundResultColumn(
      expression: expression, label: label, affinity: affinity, collation: collation,
      originTable: originTable, originColumn: originColumn,
      isAlias: isAlias)
  }
}

extension BoundSource {
  /// The same source, joined in another way.
  func replacing(
    kind: BoundSourceContent.Kind? = nil, join: JoinType, on: BoundExpression?
  ) -> BoundSource {
    let copy = BoundSource(
      id: self.id, kind: kind ?? self.kind, label: self.label, hasAlias: self.hasAlias,
      schemaLabel: self.schemaLabel, databaseIndex: self.databaseIndex, join: join,
      indexedBy: self.indexedBy, in: self.memory)
    copy.on = on
    copy.arguments = self.arguments
    copy.using = self.using.closed
    copy.nested = self.nested.closed
    copy.commonTable = self.commonTable
    copy.commonTableUse = self.commonTableUse
    copy.usedColumns = self.usedColumns
    copy.usesRowid = self.usesRowid
    copy.virtualColumns = self.virtualColumns.closed
    copy.indexExpressions = self.indexExpressions.closed
    copy.isExists = self.isExists
    copy.mergeLevel = self.mergeLevel
    copy.hasOuterCondition = self.hasOuterCondition
    copy.viewName = self.viewName
    copy.written = self.written
    copy.isChanged = self.isChanged
    return copy
  }

  func mapLeaves(_ replacement: BoundExpression.LeafReplacement) -> BoundSource {
    let condition = self.on?.mapLeaves(replacement)
    guard case .subquery(let select) = self.kind, select.isCorrelated else {
      if condition === self.on { return self }
      let copy = replacing(join: self.join, on: condition)
      copy.arguments = self.arguments?.mapLeaves(replacement)
      return copy
    }
    let mapped = select.mapLeaves(replacement)
    if mapped === select && condition === self.on { return self }
    return replacing(kind: .subquery(mapped), join: self.join, on: condition)
  }
}

extension BoundSelect {
  /// The SELECT with columns of SELECTs around it replaced.
  func mapLeaves(_ replacement: BoundExpression.LeafReplacement) -> BoundSelect {
    let newBody: BoundSelectContent.Body
    switch self.body {
    case .simple(let simple): newBody = .simple(simple.mapLeaves(replacement))
    case .values(let rows):
      newBody = .values(rows.map { row in row.map { $0.mapLeaves(replacement) } })
    case .compound(let parts, let operators, let collations):
      newBody = .compound(
        parts.map { $0.mapLeaves(replacement) }, operators, collations: collations)
    case .recursive(let recursion):
      newBody = .recursive(
        BoundRecursion(
          id: recursion.id, setup: recursion.setup.mapLeaves(replacement),
          step: recursion.step.mapLeaves(replacement), isDistinct: recursion.isDistinct,
          collations: recursion.collations))
    case .currentRow: newBody = self.body
    }
    let copy = BoundSelect(
      id: self.id, body: newBody,
      columns: self.columns.map { $0.replacing($0.expression.mapLeaves(replacement)) },
      orderBy: self.orderBy.map { $0.mapLeaves(replacement) },
      limit: self.limit?.mapLeaves(replacement), offset: self.offset?.mapLeaves(replacement),
      isCorrelated: self.isCorrelated, isDistinct: self.isDistinct, in: self.memory)
    copy.number = self.number
    copy.isCoroutine = self.isCoroutine
    copy.typingRow = self.typingRow
    copy.showsOrderOfSources = self.showsOrderOfSources
    return copy
  }
}

extension BoundSimpleSelect {
  func mapLeaves(_ replacement: BoundExpression.LeafReplacement) -> BoundSimpleSelect {
    let copy = BoundSimpleSelect(
      sources: self.sources.map { $0.mapLeaves(replacement) },
      whereClause: self.whereClause?.mapLeaves(replacement),
      groupBy: self.groupBy.map { $0.mapLeaves(replacement) },
      having: self.having?.mapLeaves(replacement),
      aggregates: self.aggregates.map { $0.mapLeaves(replacement) }, isAggregate: self.isAggregate,
      window: self.window, in: self.memory)
    copy.whereLevels = whereLevels
    return copy
  }
}
