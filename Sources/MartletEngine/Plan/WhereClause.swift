/// The terms of a SELECT's WHERE and ON clauses, analysed for index use (optoverview §1).
final class WhereClause {
  @exclusivity(unchecked) private(set) var terms: [WhereTerm] = []
  let sources: [BoundSource]
  /// Terms before this one were written; the others follow from them.
  @exclusivity(unchecked) private(set) var writtenCount = 0

  init(select: BoundSimpleSelect) throws(SQLError) {
    sources = select.sources
    terms.reserveCapacity(8)
    if let condition = select.whereClause { split(condition, outerJoinSource: -1) }
    for (index, source) in sources.enumerated() {
      guard let condition = source.on else { continue }
      let isOuter = !source.join.isDisjoint(with: [.left, .right])
      split(condition, outerJoinSource: isOuter ? index : -1)
    }
    writtenCount = terms.count
    // Analysis appends virtual terms, which need none themselves.
    for index in 0..<writtenCount { try analyze(index) }
  }

  /// The sources of this FROM that an expression needs. Sources of outer queries do not count.
  func mask(of expression: BoundExpression) -> SourceMask {
    guard !expression.traits.isDisjoint(with: [.hasColumn, .hasSubquery]) else { return [] }
    var mask: SourceMask = []
    expression.forEachSource { id in
      if let index = sources.firstIndex(where: { $0.id == id }) {
        mask.insert(SourceMask(index: index))
      }
    }
    return mask
  }

  /// The expression looks at no source of an outer query.
  func isLocal(_ expression: BoundExpression) -> Bool {
    var isLocal = true
    expression.forEachSource { id in
      if !sources.contains(where: { $0.id == id }) { isLocal = false }
    }
    return isLocal
  }

  /// Adds the conjuncts of `condition`, the leftmost first. AND chains lean left and can be long.
  private func split(_ condition: BoundExpression, outerJoinSource: Int) {
    var rest = condition
    var reversed: [BoundExpression] = []
    while case .and(let left, let right) = rest.kind {
      reversed.append(right)
      rest = left
    }
    addTerm(rest, outerJoinSource)
    for expression in reversed.reversed() {
      if case .and = expression.kind {
        split(expression, outerJoinSource: outerJoinSource)
      } else {
        addTerm(expression, outerJoinSource)
      }
    }
  }

  private func addTerm(_ expression: BoundExpression, _ outerJoinSource: Int) {
    var prerequisites = mask(of: expression)
    if outerJoinSource >= 0 { prerequisites.insert(SourceMask(index: outerJoinSource)) }
    let term = WhereTerm(
      expression: expression, isVirtual: false, parent: -1, outerJoinSource: outerJoinSource,
      prerequisites: prerequisites)
    if case .function(let call) = expression.kind, let estimate = call.likelihoodEstimate {
      term.truthProbability = estimate
    }
    terms.append(term)
  }

  private func addVirtual(_ expression: BoundExpression, from parent: Int) -> WhereTerm {
    let original = terms[parent]
    let term = WhereTerm(
      expression: expression, isVirtual: true, parent: parent,
      outerJoinSource: original.outerJoinSource, prerequisites: original.prerequisites)
    term.truthProbability = original.truthProbability
    terms.append(term)
    return term
  }

  private func analyze(_ index: Int) throws(SQLError) {
    let term = terms[index]
    switch term.expression.kind {
    case .comparison(let comparison, let left, let right):
      analyzeComparison(index, comparison, left, right)
    case .nullTest(let operand, isNegated: false):
      if let (source, column) = columnReference(operand) {
        setColumn(term, source, column, .isNull)
      }
    case .nullTest(let operand, isNegated: true):
      analyzeNotNull(index, operand)
    case .inList(let list):
      if let (source, column) = columnReference(list.operand) {
        setIn(term, source, column, .list(list), items: list.items)
      }
    case .inSelect(let select) where select.operands.count == 1:
      if let (source, column) = columnReference(select.operands[0]) {
        setColumn(term, source, column, .in)
        term.inOperand = .select(select)
        term.comparison = BoundComparison(
          operator: .equal, affinity: select.affinities[0], collation: select.collations[0])
        term.rightPrerequisites = mask(ofSelect: select.select)
      }
    case .between(let between):
      analyzeBetween(index, between)
    case .or:
      analyzeOr(index)
    default: break
    }
  }

  private func mask(ofSelect select: BoundSelect) -> SourceMask {
    var mask: SourceMask = []
    select.forEachSource { id in
      if let index = sources.firstIndex(where: { $0.id == id }) {
        mask.insert(SourceMask(index: index))
      }
    }
    return mask
  }

  /// The column that an expression is, if it is a bare column of this FROM.
  func columnReference(_ expression: BoundExpression) -> (source: Int, column: Int32)? {
    var bare = expression
    while case .collate(let inner, _) = bare.kind { bare = inner }
    guard case .column(let id, let column) = bare.kind,
      let index = sources.firstIndex(where: { $0.id == id })
    else { return nil }
    return (index, column)
  }

  private func setColumn(
    _ term: WhereTerm, _ source: Int, _ column: Int32, _ operators: WhereTerm.Operators
  ) {
    term.source = source
    term.column = column
    term.operators = operators
  }

  private func setIn(
    _ term: WhereTerm, _ source: Int, _ column: Int32, _ operand: WhereTerm.InOperand,
    items: [BoundExpression]
  ) {
    setColumn(term, source, column, .in)
    term.inOperand = operand
    for item in items { term.rightPrerequisites.formUnion(mask(of: item)) }
    if case .list(let list) = operand {
      term.comparison = BoundComparison(
        operator: .equal, affinity: list.affinity, collation: list.collation)
    }
  }

  private func analyzeComparison(
    _ index: Int, _ comparison: BoundComparison, _ left: BoundExpression, _ right: BoundExpression
  ) {
    let operators = comparison.operator.termOperators
    guard !operators.isEmpty else { return }
    let term = terms[index]
    let leftColumn = columnReference(left)
    if let (source, column) = leftColumn {
      setComparison(term, source, column, comparison, value: right)
    }
    guard let (source, column) = columnReference(right) else { return }
    let commuted = BoundComparison(
      operator: comparison.operator.commuted, affinity: comparison.affinity,
      collation: comparison.collation)
    if leftColumn == nil {
      setComparison(term, source, column, commuted, value: left)
    } else {
      let copy = addVirtual(term.expression, from: index)
      term.childCount = 1
      setComparison(copy, source, column, commuted, value: left)
    }
  }

  private func setComparison(
    _ term: WhereTerm, _ source: Int, _ column: Int32, _ comparison: BoundComparison,
    value: BoundExpression
  ) {
    setColumn(term, source, column, comparison.operator.termOperators)
    term.comparison = comparison
    term.right = value
    term.rightPrerequisites = mask(of: value)
  }

  /// `x NOT NULL` also is `x > NULL`, a range of an index.
  private func analyzeNotNull(_ index: Int, _ operand: BoundExpression) {
    guard case .column = operand.kind, let (source, column) = columnReference(operand),
      column >= 0, terms[index].outerJoinSource < 0
    else { return }
    let bound = addVirtual(terms[index].expression, from: index)
    terms[index].childCount = 1
    setComparison(
      bound, source, column,
      BoundComparison(operator: .greater, affinity: .none, collation: .binary),
      value: BoundExpression(.null, affinity: .none, traits: []))
    bound.isNotNullBound = true
  }

  private func analyzeBetween(_ index: Int, _ between: BoundBetween) {
    let comparisons = [
      (between.lowerComparison, between.lower), (between.upperComparison, between.upper),
    ]
    guard let (source, column) = columnReference(between.operand) else { return }
    for (comparison, bound) in comparisons {
      let expression = BoundExpression(
        .comparison(comparison, between.operand, bound), affinity: .none,
        traits: terms[index].expression.traits)
      let term = addVirtual(expression, from: index)
      setComparison(term, source, column, comparison, value: bound)
    }
    terms[index].childCount = 2
  }

  /// `x = a OR x = b OR …` also is `x IN (a, b, …)` (optoverview §4).
  private func analyzeOr(_ index: Int) {
    var disjuncts: [BoundExpression] = []
    collectDisjuncts(terms[index].expression, into: &disjuncts)
    var column: (source: Int, column: Int32)?
    var items: [BoundExpression] = []
    var first: (BoundComparison, BoundExpression)?
    for disjunct in disjuncts {
      guard case .comparison(let comparison, let left, let right) = disjunct.kind,
        comparison.operator == .equal
      else { return }
      var operand = left, value = right
      var reference = columnReference(left)
      if reference == nil || (column != nil && reference! != column!) {
        reference = columnReference(right)
        operand = right
        value = left
      }
      guard let reference, column == nil || reference == column! else { return }
      // The list compares with the column's affinity, so each item must ask for the same.
      guard value.affinity == .none || value.affinity == operand.affinity,
        first == nil || first!.0.collation === comparison.collation
      else { return }
      if first == nil { first = (comparison, operand) }
      column = reference
      items.append(value)
    }
    guard let column, let (comparison, operand) = first, items.count > 1 else { return }
    let list = BoundInList(
      operand: operand, items: items, affinity: operand.affinity,
      collation: comparison.collation)
    let expression = BoundExpression(
      .inList(list), affinity: .none, traits: terms[index].expression.traits)
    let term = addVirtual(expression, from: index)
    terms[index].childCount = 1
    setIn(term, column.source, column.column, .list(list), items: items)
  }

  private func collectDisjuncts(_ expression: BoundExpression, into list: inout [BoundExpression]) {
    var rest = expression
    var reversed: [BoundExpression] = []
    while case .or(let left, let right) = rest.kind {
      reversed.append(right)
      rest = left
    }
    list.append(rest)
    list.append(contentsOf: reversed.reversed())
  }
}
