// OR terms (optoverview §4, SQLite's exprAnalyzeOrTerm).
//
//     x = 1 OR x = 2 OR x = 3      x IN (1, 2, 3)
//     x = 5 OR x > 5               x >= 5
//     x = 1 OR y = 2               an index for each part, where each part has one

extension WhereClause {
  func analyzeOr(_ index: Int) throws(SQLError) {
    let term = self.terms[index]
    let parts = try WhereClause(
      parts: term.expression, of: self, isDisjunction: true, onSource: term.onSource,
      isOuterOn: term.isOuterOn)
    var indexable = SourceMask.all, forList = SourceMask.all
    for part in parts.terms where !indexable.isEmpty {
      if part.operators.isDisjoint(with: .single) {
        forList = []
        indexable.formIntersection(try analyzeConjunction(part))
      } else if !part.isCopied {
        // A term with a copy is met again as the copy.
        var mask = SourceMask(index: part.source)
        if part.isVirtual, part.parent >= 0 {
          let other = parts.terms[part.parent]
          if other.source >= 0 { mask.insert(SourceMask(index: other.source)) }
        }
        indexable.formIntersection(mask)
        if part.operators.contains(.equal) {
          forList.formIntersection(mask)
        } else {
          forList = []
        }
      }
    }
    term.operators = .or
    term.disjunction = WhereTerm.Disjunction(clause: parts, indexable: indexable)
    if !indexable.isEmpty {
      self.hasIndexableOr = true
      if parts.terms.count == 2 { try combineParts(term, parts) }
    }
    if !indexable.isEmpty && !forList.isEmpty { makeList(index, parts, forList) }
  }

  /// A part that is no single comparison: a conjunction, maybe of one term. Gives the sources that
  /// some of its terms can search.
  private func analyzeConjunction(_ part: WhereTerm) throws(SQLError) -> SourceMask {
    // An order of rows, which searches nothing.
    if case .or = part.expression.kind { return [] }
    let clause = try WhereClause(
      parts: part.expression, of: self, isDisjunction: false, onSource: part.onSource,
      isOuterOn: part.isOuterOn)
    clause.outer = self
    part.operators = .and
    part.conjunction = clause
    part.source = -1
    var mask: SourceMask = []
    for term in clause.terms where term.source >= 0 && !term.operators.isEmpty {
      mask.insert(SourceMask(index: term.source))
    }
    return mask
  }

  /// `(a, b) > (c, d)`, which is bound as `a > c OR (a = c AND b > d)`: also `a >= c`, a range.
  func analyzeRowComparison(_ index: Int) {
    let term = self.terms[index]
    guard case .or(let decided, let rest) = term.expression.kind,
      case .comparison(let comparison, let left, let right) = decided.kind,
      comparison.operator == .less || comparison.operator == .greater,
      case .and(let equal, _) = rest.kind,
      case .comparison(let other, let otherLeft, let otherRight) = equal.kind,
      other.operator == .equal, left === otherLeft, right === otherRight
    else { return }
    // All of the other row is needed, not only its first item.
    let leftMask = mask(ofRow: term.expression, isLeft: true)
    let rightMask = mask(ofRow: term.expression, isLeft: false)
    let bound = BoundComparison(
      operator: comparison.operator == .less ? .lessOrEqual : .greaterOrEqual,
      affinity: comparison.affinity, collation: comparison.collation)
    guard leftMask.isDisjoint(with: rightMask) else { return }
    for (isLeft, column, value) in [(true, left, right), (false, right, left)] {
      let needed = isLeft ? rightMask : leftMask
      guard let (source, number) = indexableReference(column) else { continue }
      let expression = BoundExpression(
        .comparison(bound, left, right), affinity: .none, traits: decided.traits, in: left.memory)
      // A part of an OR is only looked at; what it finds is planned on its own.
      let virtual = self.isDisjunction ? term : addVirtual(expression, from: term)
      virtual.source = source
      virtual.column = number
      virtual.left = column
      virtual.right = value
      virtual.comparison = BoundComparison(
        operator: isLeft ? bound.operator : bound.operator.commuted, affinity: bound.affinity,
        collation: bound.collation)
      virtual.operators = virtual.comparison?.operator.termOperators ?? []
      virtual.rightPrerequisites = needed
      if virtual.isOuterOn { virtual.rightPrerequisites.formUnion(.before(virtual.onSource)) }
      if self.isDisjunction { return }
      virtual.row = (term.expression, isLeft)
      markChild(virtual, of: index)
    }
    // The bound alone does not say it all: the term is tested whatever a loop takes.
    self.terms[index].childCount += 1
  }

  /// The sources of one side of a comparison of rows, as makeRowComparison wrote it out.
  private func mask(ofRow expression: BoundExpression, isLeft: Bool) -> SourceMask {
    var mask: SourceMask = []
    var rest = expression
    while true {
      switch rest.kind {
      case .or(let decided, let next):
        mask.formUnion(self.mask(ofRow: decided, isLeft: isLeft))
        rest = next
      case .and(_, let next): rest = next
      case .comparison(_, let left, let right):
        return mask.union(self.mask(of: isLeft ? left : right))
      default: return mask
      }
    }
  }

  // MARK: One list

  private func makeList(_ index: Int, _ parts: WhereClause, _ forList: SourceMask) {
    var triedSource = -1
    for _ in 0..<2 {
      guard
        let first = parts.terms.first(where: {
          $0.source != triedSource && $0.source >= 0
            && forList.contains(SourceMask(index: $0.source)) && $0.operators.contains(.equal)
        }), let left = first.left, let comparison = first.comparison
      else { return }
      triedSource = first.source
      guard let items = listItems(of: parts, like: first) else { continue }
      let affinity: Affinity =
        switch left.affinity {
        case .none: .blob
        case .real: .numeric
        default: left.affinity
        }
      let list = BoundInList(
        operand: left, items: items, affinity: affinity, collation: comparison.collation)
      let expression = BoundExpression(
        .inList(list), affinity: .none, traits: self.terms[index].expression.traits, in: left.memory
      )
      let term = addVirtual(expression, from: self.terms[index])
      term.source = first.source
      term.column = first.column
      term.left = left
      term.operators = .in
      term.inOperand = .list(list)
      term.comparison = BoundComparison(
        operator: .equal, affinity: affinity, collation: comparison.collation)
      for item in items { term.rightPrerequisites.formUnion(mask(of: item)) }
      if term.isOuterOn { term.rightPrerequisites.formUnion(.before(term.onSource)) }
      markChild(term, of: index)
      return
    }
  }

  /// The values that the column of `first` is compared with, or nil if not every part compares it.
  private func listItems(of parts: WhereClause, like first: WhereTerm) -> [BoundExpression]? {
    guard let left = first.left, let collation = first.comparison?.collation else { return nil }
    var items: [BoundExpression] = []
    for part in parts.terms {
      guard part.source == first.source else {
        // Its copy with the sides exchanged must be the one that fits.
        if part.isCopied || part.isVirtual { continue }
        return nil
      }
      guard part.column == first.column, let right = part.right, let own = part.left,
        part.column != -2 || own.isSame(as: left, ignoringCollate: true),
        right.affinity == .none || right.affinity == left.affinity,
        part.comparison?.collation === collation
      else { return nil }
      items.append(right)
    }
    return items.isEmpty ? nil : items
  }

  // MARK: One comparison

  /// What one of the two parts says and what the other says may be one comparison together.
  private func combineParts(_ term: WhereTerm, _ parts: WhereClause) throws(SQLError) {
    for one in parts.terms[0].conjuncts {
      for two in parts.terms[1].conjuncts { try combine(one, two, of: term) }
    }
  }

  /// Two comparisons of the same things, one of them an equality or both in one direction.
  private func combine(
    _ one: WhereTerm, _ two: WhereTerm, of term: WhereTerm
  ) throws(SQLError) {
    let both = one.operators.union(two.operators)
    let low: WhereTerm.Operators = [.equal, .less, .lessOrEqual]
    let high: WhereTerm.Operators = [.equal, .greater, .greaterOrEqual]
    let usable: WhereTerm.Operators = [.equal, .range]
    guard !one.isNotNullBound, !two.isNotNullBound,
      !one.expression.traits.union(two.expression.traits).contains(.isRowComparison),
      !one.operators.isDisjoint(with: usable),
      !two.operators.isDisjoint(with: usable), both.isSubset(of: low) || both.isSubset(of: high),
      let left = one.left, let right = one.right, let comparison = one.comparison,
      let otherLeft = two.left, let otherRight = two.right,
      left.isSame(as: otherLeft), right.isSame(as: otherRight),
      comparison.collation === two.comparison?.collation
    else { return }
    var operation = comparison.operator
    if both != one.operators {
      operation = both.isDisjoint(with: .upperBounds) ? .greaterOrEqual : .lessOrEqual
    }
    let combined = BoundComparison(
      operator: operation, affinity: comparison.affinity, collation: comparison.collation)
    let expression = BoundExpression(
      .comparison(combined, left, right), affinity: .none, traits: one.expression.traits,
      in: left.memory)
    let virtual = addVirtual(expression, from: term)
    virtual.truthProbability = 1
    virtual.prerequisites = mask(of: expression)
    if virtual.isOuterOn { virtual.prerequisites.insert(SourceMask(index: virtual.onSource)) }
    try analyze(self.terms.count - 1)
  }
}

extension WhereTerm {
  /// The terms of a part of an OR that is a conjunction, or the part itself.
  fileprivate var conjuncts: [WhereTerm] {
    operators == .and ? conjunction.map { Array($0.terms) } ?? [] : [self]
  }
}
