/// How far a nest of loops gives rows in a wanted order (SQLite's wherePathSatisfiesOrderBy).
struct LoopOrder {
  let clause: WhereClause
  let ordering: TreeList<BoundOrderingTerm>
  let kind: LoopGoalContent.OrderingKind
  let subqueries: TreeList<LoopBuilder.SubqueryEstimate>
  /// Only one value of an IN is looked at a time: within it, it is an equality.
  var treatsInAsEqual = false
  /// The ordering is what virtual tables were asked for.
  var isGoal = true
  /// Only the innermost loop is asked.
  var isInnermostOnly = false

  /// What `satisfaction` found.
  struct Result {
    /// Leading terms that are satisfied; all of them when it equals their number. -1: not known
    /// before more loops are added.
    let termCount: Int
    /// Loops (bits by position in the nest) that must run backwards.
    let reversed: UInt64
  }

  private struct State {
    var satisfied: UInt64 = 0
    /// Rows of the loops so far are distinct in the satisfied terms.
    var isDistinct = true
    var reversed: UInt64 = 0
    var distinctSources: SourceMask = []

    func isSatisfied(_ term: Int) -> Bool { satisfied & (1 << UInt64(term)) != 0 }
  }

  /// For the first `count` of `loops` and then `last`, which is the innermost.
  func satisfaction(
    of loops: TreeList<LoopCandidate>, _ count: Int, _ last: LoopCandidate
  ) -> Result {
    guard ordering.count < 64 else { return Result(termCount: 0, reversed: 0) }
    var state = State()
    let all: UInt64 = (1 << UInt64(ordering.count)) - 1
    var ready: SourceMask = []
    for position in 0...count where state.isDistinct && state.satisfied < all {
      let loop = position < count ? loops[position] : last
      defer { ready.insert(SourceMask(index: loop.source)) }
      if position < count && isInnermostOnly { continue }
      if loop.flags.contains(.virtual) {
        guard isGoal, loop.flags.contains(.ordered) else {
          // No later loop can give more of the order.
          state.isDistinct = false
          break
        }
        return Result(termCount: ordering.count, reversed: 0)
      }
      markFixedTerms(loop, ready, &state)
      if !loop.flags.contains(.oneRow) {
        if !loop.flags.contains(.rowid), loop.index == nil || loop.index?.isUnordered == true {
          return Result(termCount: 0, reversed: 0)
        }
        matchColumns(of: loop, at: position, &state)
      }
      if state.isDistinct { markTermsOfDistinctSources(loop, &state) }
    }
    if state.satisfied == all {
      return Result(termCount: ordering.count, reversed: state.reversed)
    }
    guard !state.isDistinct else { return Result(termCount: -1, reversed: state.reversed) }
    var count = ordering.count - 1
    while count > 0 {
      let mask: UInt64 = (1 << UInt64(count)) - 1
      if state.satisfied & mask == mask { break }
      count -= 1
    }
    return Result(termCount: max(0, count), reversed: state.reversed)
  }

  private var equalityOperators: WhereTerm.Operators {
    treatsInAsEqual ? [.equal, .is, .isNull, .in] : [.equal, .is, .isNull]
  }

  /// A column that an equality with outer loops fixes is in any order.
  private func markFixedTerms(_ loop: LoopCandidate, _ ready: SourceMask, _ state: inout State) {
    for (index, term) in ordering.enumerated() where !state.isSatisfied(index) {
      guard let (source, column) = clause.columnReference(term.expression), source == loop.source
      else { continue }
      var scan = TermScan(clause, source: source, column: column, equalityOperators)
      guard let found = scan.best(ready: ready) else { continue }
      if found.operators == .in && !loop.terms.contains(where: { $0 === found }) { continue }
      if !found.operators.isDisjoint(with: .anyEquality), column >= 0,
        found.comparison?.collation !== term.collation
      {
        continue
      }
      state.satisfied |= 1 << UInt64(index)
    }
  }

  private func matchColumns(of loop: LoopCandidate, at position: Int, _ state: inout State) {
    let index = loop.index
    let keyColumnCount = index?.keyColumnCount ?? 0
    if let index {
      state.isDistinct = index.isUnique && !loop.flags.contains(.skipScan)
    } else if loop.flags.contains(.subquery), matchSubquery(loop, &state) {
      state.isDistinct = false
      return
    }
    let expressions =
      index?.hasExpressions == true
      ? clause.sources[loop.source].expressions(of: index!)?.columns : nil
    var direction: Bool?
    var endsInRowid = false
    for columnIndex in 0..<(index?.columns.count ?? 1) {
      var mayMatch = true
      if columnIndex < loop.equalityCount && columnIndex >= loop.skipCount,
        let term = loop.terms[columnIndex]
      {
        if !term.operators.isDisjoint(with: equalityOperators) {
          if !term.operators.isDisjoint(with: [.is, .isNull]) { state.isDistinct = false }
          continue
        }
        mayMatch = !isRowIn(term, loop, after: columnIndex)
      }
      var column = index?.columns[columnIndex].tableColumn ?? -1
      if let index, column >= 0, column == index.table.rowidColumn { column = -1 }
      if state.isDistinct, let index {
        let mayBeNull =
          column == -2
          || (column >= 0 && columnIndex >= loop.equalityCount
            && !index.table.columns[column].isNotNull)
        if mayBeNull { state.isDistinct = false }
      }
      let key = IndexKey(
        column: column, key: index?.columns[columnIndex],
        expression: columnIndex < expressions?.count ?? 0 ? expressions?[columnIndex] : nil,
        isFirstFree: columnIndex == loop.equalityCount)
      guard mayMatch, let matched = match(loop, position, key, &direction, &state) else {
        if columnIndex == 0 || columnIndex < keyColumnCount { state.isDistinct = false }
        break
      }
      if column == -1 { endsInRowid = true }
      state.satisfied |= 1 << UInt64(matched)
    }
    if endsInRowid { state.isDistinct = true }
  }

  /// The term is a column of `(a, b) IN (SELECT …)` of which the loop takes a later column too.
  private func isRowIn(_ term: WhereTerm, _ loop: LoopCandidate, after position: Int) -> Bool {
    guard case .select(let select) = term.inOperand else { return false }
    for next in (position + 1)..<max(position + 1, loop.equalityCount) {
      if case .select(let other)? = loop.terms[next]?.inOperand, other === select { return true }
    }
    return false
  }

  private struct IndexKey {
    let column: Int
    let key: Index.Column?
    let expression: BoundExpression?
    /// No equality binds the column, but all before it.
    let isFirstFree: Bool
  }

  /// The unsatisfied term that the index's column gives, in a compatible direction.
  private func match(
    _ loop: LoopCandidate, _ position: Int, _ key: IndexKey, _ direction: inout Bool?,
    _ state: inout State
  ) -> Int? {
    for (index, term) in ordering.enumerated() where !state.isSatisfied(index) {
      if isColumn(term, key, loop) {
        if kind == .groupBy { return index }
        let isReversed = (key.key?.isDescending ?? false) != term.isDescending
        if let direction, direction != isReversed { return nil }
        if direction == nil && isReversed { state.reversed |= 1 << UInt64(position) }
        direction = isReversed
        if term.hasBigNulls {
          guard key.isFirstFree else { return nil }
          loop.flags.insert(.nullPasses)
        }
        return index
      }
      // ORDER BY terms must be met one after the other.
      if kind == .orderBy { return nil }
    }
    return nil
  }

  private func isColumn(
    _ term: BoundOrderingTerm, _ key: IndexKey, _ loop: LoopCandidate
  ) -> Bool {
    if key.column == -2 {
      guard let expression = key.expression,
        expression.isSame(as: term.expression, ignoringCollate: true)
      else { return false }
    } else {
      guard let (source, column) = clause.columnReference(term.expression),
        source == loop.source, Int(column) == key.column
      else { return false }
      if key.column == -1 { return true }
    }
    return term.collation.isNamed(key.key?.collation)
  }

  /// The subquery's own ORDER BY gives a part of the order.
  private func matchSubquery(_ loop: LoopCandidate, _ state: inout State) -> Bool {
    let own = subqueries[loop.source].ordering
    var matchedCount = 0
    for inner in own {
      guard let index = ordering.indices.first(where: { !state.isSatisfied($0) }) else { break }
      let term = ordering[index]
      guard let (source, column) = clause.columnReference(term.expression),
        source == loop.source, inner.resultColumn >= 0, Int(column) == inner.resultColumn,
        term.collation === inner.collation
      else { break }
      if kind != .groupBy {
        guard inner.hasBigNulls == term.hasBigNulls, inner.isDescending == term.isDescending
        else { break }
      }
      state.satisfied |= 1 << UInt64(index)
      matchedCount += 1
    }
    return matchedCount > 0
  }

  private func markTermsOfDistinctSources(_ loop: LoopCandidate, _ state: inout State) {
    state.distinctSources.insert(SourceMask(index: loop.source))
    for (index, term) in ordering.enumerated() where !state.isSatisfied(index) {
      let mask = clause.mask(of: term.expression)
      if mask.isEmpty && !term.expression.isFixed { continue }
      if mask.isSubset(of: state.distinctSources) { state.satisfied |= 1 << UInt64(index) }
    }
  }
}
