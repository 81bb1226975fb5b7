// Constants that are known of columns take their place (optoverview §15, SQLite's
// propagateConstants).

extension Rewriter {
  private struct Known {
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
    guard isAnd, !simple.sources.contains(where: { $0.join.contains(.right) }) else {
      return select
    }
    var known: [Known] = []
    if let condition = simple.whereClause { find(in: condition, &known) }
    for source in simple.sources where !source.join.contains(.left) {
      if let condition = source.on { find(in: condition, &known) }
    }
    if known.isEmpty { return select }
    var changed = false
    let whereClause = simple.whereClause.map { rewrite($0, known, &changed) }
    let sources = simple.sources.map { source -> BoundSource in
      guard !source.join.contains(.left), let condition = source.on else { return source }
      let rewritten = rewrite(condition, known, &changed)
      return rewritten === condition ? source : source.replacing(join: source.join, on: rewritten)
    }
    guard changed else { return select }
    return select.replacing(
      body: .simple(simple.replacing(sources: sources, whereClause: whereClause)))
  }

  private static func find(in condition: BoundExpression, _ known: inout [Known]) {
    guard condition.traits.contains(.hasColumn) else { return }
    if case .and = condition.kind {
      for term in condition.conjuncts { find(in: term, &known) }
      return
    }
    guard case .comparison(let comparison, let left, let right) = condition.kind,
      comparison.operator == .equal, comparison.collation === Collation.binary
    else { return }
    for (column, value) in [(left, right), (right, left)] {
      guard case .column(let source, let number) = column.kind,
        let value = value.asStored(with: column.affinity),
        !known.contains(where: { $0.source == source && $0.column == number })
      else { continue }
      known.append(Known(source: source, column: number, value: value, term: condition))
    }
  }

  private static func rewrite(
    _ condition: BoundExpression, _ known: [Known], _ changed: inout Bool
  ) -> BoundExpression {
    var result: BoundExpression?
    for term in condition.conjuncts {
      var new = term
      if !term.traits.contains(.hasSubquery), !known.contains(where: { $0.term === term }) {
        new = term.mapColumns { source, column in
          known.first { $0.source == source && $0.column == column }?.value
        }
      }
      if new !== term { changed = true }
      result = result.map { $0.and(new) } ?? new
    }
    return changed ? result ?? condition : condition
  }
}

extension BoundExpression {
  /// A literal that a column of `affinity` holds as it is, as that column's value; else nil.
  fileprivate func asStored(with affinity: Affinity) -> BoundExpression? {
    switch (kind, affinity) {
    case (.text, .text), (.integer, .integer), (.integer, .numeric):
      BoundExpression(kind, affinity: affinity, collation: .binary, traits: [])
    default: nil
    }
  }
}
