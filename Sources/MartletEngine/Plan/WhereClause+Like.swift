// LIKE and GLOB with a pattern that does not begin with a wildcard (optoverview §5).
//
//     x LIKE 'abc%'     x >= 'ABC' COLLATE NOCASE AND x < 'abd' COLLATE NOCASE
//     x GLOB 'abc*'     x >= 'abc' AND x < 'abd'

extension WhereClause {
  func analyzeLike(_ index: Int, _ call: BoundFunction) {
    guard let prefix = call.likePrefix, call.arguments.count >= 2 else { return }
    let operand = call.arguments[1]
    guard let (source, column) = indexableReference(operand) else { return }
    // A number that is stored as such is not where its text would be.
    var isText = false
    if case .column = operand.kind { isText = operand.affinity == .text }
    if !isText && prefix.looksNumeric { return }
    let term = terms[index]
    if prefix.foldsCase { term.mustTestLike = true }
    let bounds: [(BoundComparison.Operator, ByteSlice)] = [
      (.greaterOrEqual, prefix.lower), (.less, prefix.upper),
    ]
    for (operation, text) in bounds {
      let comparison = BoundComparison(
        operator: operation, affinity: Binder.comparisonAffinity(operand.affinity, .none),
        collation: prefix.foldsCase ? .noCase : .binary)
      let value = BoundExpression(.text(text), affinity: .none, traits: [], in: operand.memory)
      let expression = BoundExpression(
        .comparison(comparison, operand, value), affinity: .none, traits: operand.traits,
        in: operand.memory)
      let bound = addVirtual(expression, from: term)
      bound.source = source
      bound.column = column
      bound.left = operand
      bound.right = value
      bound.comparison = comparison
      bound.operators = operation.termOperators
      bound.isLikeBound = true
      if term.isOuterOn { bound.rightPrerequisites.formUnion(.before(term.onSource)) }
      if prefix.isComplete { markChild(bound, of: index) }
    }
  }
}
