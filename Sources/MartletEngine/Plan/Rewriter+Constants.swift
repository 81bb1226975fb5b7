// Constants that are known of columns take their place (optoverview §15, SQLite's
// propagateConstants).

extension Rewriter {
  fileprivate struct Known {
    let source: SourceID
    let column: Int32
    let value: BoundExpression
    /// The comparison that says so, which keeps its column.
    let term: BoundExpression
  }

  static func propagatingConstants(_ select: BoundSelect) -> BoundSelect {
    guard case .simple(let simple) = select.body, simple.sources.count > 0 else { return select }
    let isAnd: Bool =
      if case .and = simple.whereClause?.kind { true } else { simple.sources.count > 1 }
    guard isAnd else { return select }
    // Under a RIGHT JOIN, only WHERE says something of all rows.
    let usesOn = !simple.sources.contains { $0.join.contains(.right) }
    var known: [Known] = []
    if let condition = simple.whereClause { find(in: condition, &known) }
    for source in simple.sources where usesOn && !source.join.contains(.left) {
      if let condition = source.on { find(in: condition, &known) }
    }
    if known.isEmpty { return select }
    var changed = false
    let whereClause = simple.whereClause.map { rewrite($0, known, &changed) }
    let sources = simple.sources.map { source -> BoundSource in
      guard usesOn, !source.join.contains(.left), let condition = source.on else { return source }
      let rewritten = rewrite(condition, known, &changed)
      return rewritten === condition ? source : source.replacing(join: source.join, on: rewritten)
    }
    guard changed else { return select }
    return select.replacing(
      body: .simple(simple.replacing(sources: sources, whereClause: whereClause)))
  }

  private static func find(in condition: BoundExpression, _ known: inout [Known]) {
    if case .and = condition.kind, !condition.traits.contains(.isRowComparison) {
      for term in condition.conjuncts { find(in: term, &known) }
      return
    }
    guard case .comparison(let comparison, let left, let right) = condition.kind,
      comparison.operator == .equal, comparison.collation === Collation.binary
    else { return }
    for (column, value) in [(right, left), (left, right)] {
      guard case .column(let source, let number) = column.kind,
        value.isFixed || value.traits.contains(.isTriggerColumn), value.affinity == .none,
        !known.contains(where: { $0.source == source && $0.column == number })
      else { continue }
      let fixed = BoundExpression(
        .fixedColumn(source, number, value), affinity: column.affinity,
        collation: column.collation,
        traits: value.traits.intersection(.inherited).union(.hasFixedColumn),
        in: value.memory)
      known.append(Known(source: source, column: number, value: fixed, term: condition))
    }
  }

  private static func rewrite(
    _ condition: BoundExpression, _ known: [Known], _ changed: inout Bool
  ) -> BoundExpression {
    var result: BoundExpression?
    for term in condition.conjuncts {
      var new = term
      if !known.contains(where: { $0.term === term }) { new = term.replacingFixed(known) }
      if new !== term { changed = true }
      result = result.map { $0.and(new) } ?? new
    }
    return changed ? result ?? condition : condition
  }
}

extension BoundExpression {
  /// With the values of columns that are known. A column without affinity may hold another value
  /// that compares as equal: it is replaced only where it is compared itself.
  fileprivate func replacingFixed(_ known: [Rewriter.Known]) -> BoundExpression {
    let new = mapColumns { source, column in
      known.first {
        $0.source == source && $0.column == column && $0.value.affinity.converts
      }?.value
    }
    return new.fixingComparisons(known)
  }

  /// As SQLite's propagateConstantExprRewrite, which knows nothing of <> and IS NOT.
  private func fixingComparisons(_ known: [Rewriter.Known]) -> BoundExpression {
    switch kind {
    case .not(let operand):
      let new = operand.fixingComparisons(known)
      return new === operand ? self : copy(.not(new), [new])
    case .and(let left, let right):
      let newLeft = left.fixingComparisons(known), newRight = right.fixingComparisons(known)
      if newLeft === left && newRight === right { return self }
      return copy(.and(newLeft, newRight), [newLeft, newRight])
    case .or(let left, let right):
      let newLeft = left.fixingComparisons(known), newRight = right.fixingComparisons(known)
      if newLeft === left && newRight === right { return self }
      return copy(.or(newLeft, newRight), [newLeft, newRight])
    case .comparison(let comparison, let left, let right)
    where comparison.operator != .notEqual && comparison.operator != .isNot:
      let newLeft = left.fixed(by: known)
      let newRight = left.affinity == .text ? right : right.fixed(by: known)
      if newLeft === left && newRight === right { return self }
      return copy(.comparison(comparison, newLeft, newRight), [newLeft, newRight])
    default: return self
    }
  }

  private func fixed(by known: [Rewriter.Known]) -> BoundExpression {
    guard case .column(let source, let column) = kind else { return self }
    return known.first { $0.source == source && $0.column == column }?.value ?? self
  }
}
