// What each term offers to an index (SQLite's exprAnalyze).

extension WhereClause {
  func analyze(_ index: Int) throws(SQLError) {
    let term = self.terms[index]
    switch term.expression.kind {
    case .comparison(let comparison, let left, let right):
      analyzeComparison(index, comparison, left, right)
    case .nullTest(let operand, isNegated: false):
      if let (source, column) = indexableReference(operand) {
        set(term, source, column, .isNull, left: operand)
      }
    case .nullTest(let operand, isNegated: true): analyzeNotNull(index, operand)
    case .inList(let list): analyzeInList(term, list)
    case .inSelect(let select): analyzeInSelect(index, select)
    case .between(let between) where !self.isDisjunction: analyzeBetween(index, between)
    case .or where term.expression.traits.contains(.isRowComparison):
      analyzeRowComparison(index)
    case .or where !self.isDisjunction: try analyzeOr(index)
    case .function(let call) where !self.isDisjunction && call.function.flags.contains(.like):
      analyzeLike(index, call)
    default: break
    }
    if self.hasVirtualTables && !self.isDisjunction { analyzeForVirtualTables(index) }
    if term.isOuterOn {
      // A term of an outer join's ON searches no source to the left of that join.
      let left = SourceMask.before(term.onSource)
      term.rightPrerequisites.formUnion(left)
    }
  }

  private func set(
    _ term: WhereTerm, _ source: Int, _ column: Int32, _ operators: WhereTerm.Operators,
    left: BoundExpression
  ) {
    term.source = source
    term.column = column
    term.operators = operators
    term.left = left
  }

  // MARK: Comparisons

  private func analyzeComparison(
    _ index: Int, _ comparison: BoundComparison, _ left: BoundExpression, _ right: BoundExpression
  ) {
    let operators = comparison.operator.termOperators
    guard !operators.isEmpty else { return }
    let term = self.terms[index]
    let leftMask = mask(of: left), rightMask = mask(of: right)
    // Where both sides need the same source, the term searches nothing, but may be an equivalence.
    let isSeparate = leftMask.isDisjoint(with: rightMask)
    term.rightPrerequisites = rightMask
    let leftColumn = indexableReference(left)
    if let (source, column) = leftColumn {
      set(term, source, column, isSeparate ? operators : [], left: left)
      term.comparison = comparison
      term.right = right
    }
    // A column whose value is known is only searched for where it stands on the left.
    if case .fixedColumn = right.kind { return }
    guard let (source, column) = indexableReference(right) else { return }
    let commuted = BoundComparison(
      operator: comparison.operator.commuted, affinity: comparison.affinity,
      collation: comparison.collation)
    var copy = term
    var extra: WhereTerm.Operators = []
    if leftColumn != nil {
      copy = addVirtual(term.expression, from: term)
      markChild(copy, of: index)
      term.isCopied = true
      if isEquivalence(comparison, left, right, term) {
        term.operators.insert(.equivalence)
        extra = .equivalence
      }
    }
    set(copy, source, column, isSeparate ? commuted.operator.termOperators : [], left: right)
    copy.operators.formUnion(extra)
    copy.comparison = commuted
    copy.right = left
    copy.rightPrerequisites = leftMask
    if term.isOuterOn { copy.rightPrerequisites.formUnion(.before(term.onSource)) }
  }

  /// `a = b` of two columns that compare alike: a constraint on the one is one on the other
  /// (SQLite's termIsEquivalence).
  private func isEquivalence(
    _ comparison: BoundComparison, _ left: BoundExpression, _ right: BoundExpression,
    _ term: WhereTerm
  ) -> Bool {
    guard comparison.operator == .equal || comparison.operator == .is, !term.isOuterOn,
      columnReference(left) != nil, columnReference(right) != nil,
      !left.hasExplicitCollation, !right.hasExplicitCollation
    else { return false }
    if comparison.operator == .is && self.sources.count >= 2 && !self.leftOfRightJoin.isEmpty {
      return false
    }
    if left.affinity != right.affinity && !(left.affinity.isNumeric && right.affinity.isNumeric) {
      return false
    }
    if comparison.collation === Collation.binary { return true }
    return (left.collation ?? .binary) === (right.collation ?? .binary)
  }

  /// `x NOT NULL` also is `x > NULL`, a range of an index; to SQLite that stands in no ON.
  private func analyzeNotNull(_ index: Int, _ operand: BoundExpression) {
    guard case .column = operand.kind, let (source, column) = columnReference(operand),
      column >= 0, !self.terms[index].isOuterOn
    else { return }
    if case .table(let table) = self.sources[source].kind, Int(column) == table.rowidColumn {
      return
    }
    let bound = addVirtual(self.terms[index].expression, from: self.terms[index], isOfWhere: true)
    set(bound, source, column, .greater, left: operand)
    bound.comparison = BoundComparison(
      operator: .greater, affinity: operand.affinity, collation: operand.collation ?? .binary)
    bound.right = BoundExpression(.null, affinity: .none, traits: [], in: operand.memory)
    bound.isNotNullBound = true
    markChild(bound, of: index)
    self.terms[index].isCopied = true
  }

  private func analyzeBetween(_ index: Int, _ between: BoundBetween) {
    let bounds = [
      (between.lowerComparison, between.lower), (between.upperComparison, between.upper),
    ]
    for (comparison, bound) in bounds {
      let traits = between.operand.traits.union(bound.traits).intersection(.inherited)
      let expression = BoundExpression(
        .comparison(comparison, between.operand, bound), affinity: .none, traits: traits,
        in: bound.memory)
      let position = self.terms.count
      let term = addVirtual(expression, from: self.terms[index])
      term.prerequisites = mask(of: expression)
      if term.isOuterOn { term.prerequisites.insert(SourceMask(index: term.onSource)) }
      analyzeComparison(position, comparison, between.operand, bound)
      if term.isOuterOn { term.rightPrerequisites.formUnion(.before(term.onSource)) }
      markChild(term, of: index)
    }
  }

  // MARK: IN

  private func analyzeInList(_ term: WhereTerm, _ list: BoundInList) {
    var right: SourceMask = []
    for item in list.items { right.formUnion(mask(of: item)) }
    term.rightPrerequisites = right
    guard let (source, column) = indexableReference(list.operand) else { return }
    // An empty list drives no loop: it is false.
    guard right.isDisjoint(with: mask(of: list.operand)) else { return }
    set(term, source, column, .in, left: list.operand)
    term.inOperand = .list(list)
    term.comparison = BoundComparison(
      operator: .equal, affinity: list.affinity, collation: list.collation)
  }

  private func analyzeInSelect(_ index: Int, _ select: BoundInSelect) {
    let right = mask(ofSelect: select.select)
    self.terms[index].rightPrerequisites = right
    if select.operands.count == 1 {
      return setField(self.terms[index], select, 0, right)
    }
    guard !self.isDisjunction else { return }
    if case .compound = select.select.body { return }
    for field in select.operands.indices {
      let term = addVirtual(self.terms[index].expression, from: self.terms[index])
      term.rightPrerequisites = right
      setField(term, select, field, right)
      if term.isOuterOn { term.rightPrerequisites.formUnion(.before(term.onSource)) }
      markChild(term, of: index)
    }
  }

  private func setField(
    _ term: WhereTerm, _ select: BoundInSelect, _ field: Int, _ right: SourceMask
  ) {
    let operand = select.operands[field]
    guard let (source, column) = indexableReference(operand),
      right.isDisjoint(with: mask(of: operand))
    else { return }
    set(term, source, column, .in, left: operand)
    term.inOperand = .select(select)
    term.inField = field
    term.comparison = BoundComparison(
      operator: .equal, affinity: select.affinities[field], collation: select.collations[field])
  }
}
