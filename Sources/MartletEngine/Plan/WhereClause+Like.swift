// LIKE and GLOB with a pattern that does not begin with a wildcard (optoverview §5).
//
//     x LIKE 'abc%'     x >= 'ABC' COLLATE NOCASE AND x < 'abd' COLLATE NOCASE
//     x GLOB 'abc*'     x >= 'abc' AND x < 'abd'

extension WhereClause {
  func analyzeLike(_ index: Int, _ call: BoundFunction) {
    guard let prefix = call.likePrefix, call.arguments.count >= 2 else { return }
    let operand = call.arguments[1]
    guard let (source, column) = indexableReference(operand) else { return }
    // A number that is stored as such is not where its text would be. A virtual table may have some
    // in any column.
    var isText = false
    if case .column = operand.kind {
      isText = operand.affinity == .text && !operand.isVirtualColumn(of: self.sources)
    }
    if !isText && prefix.looksNumeric { return }
    let term = self.terms[index]
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

extension BoundExpression {
  /// Bytes besides wildcards in the longest literal of a pattern: of LIKE, or of GLOB and any other
  /// operator (SQLite's estLikePatternLength).
  func patternLength(folding isLike: Bool) -> Int {
    var longest = 0
    walk { node in
      if case .text(let text) = node.kind {
        longest = max(longest, BoundExpression.patternLength(of: text, isLike))
      }
      return true
    }
    return longest
  }

  private static func patternLength(of text: ByteSlice, _ isLike: Bool) -> Int {
    let any = UInt8(ascii: isLike ? "%" : "*"), one = UInt8(ascii: isLike ? "_" : "?")
    var length = 0, position = 0
    while position < text.count {
      let byte = text.start[position]
      position += 1
      if byte == UInt8(ascii: "[") && !isLike {
        // The bracket that closes a class counts.
        position += 1
        while position < text.count && text.start[position] != UInt8(ascii: "]") { position += 1 }
      } else if byte != any && byte != one {
        length += 1
      }
    }
    return length
  }
}
