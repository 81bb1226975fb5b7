/// How far a nest of loops gives rows in a wanted order (SQLite's wherePathSatisfiesOrderBy).
struct LoopOrder {
  let clause: WhereClause
  let ordering: [BoundOrderingTerm]
  /// The ordering is that of GROUP BY or DISTINCT: directions and permutations do not matter.
  let isGrouping: Bool

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
  }

  func satisfaction(of loops: [LoopCandidate]) -> Result {
    guard ordering.count < 64 else { return Result(termCount: 0, reversed: 0) }
    var state = State()
    let all: UInt64 = (1 << UInt64(ordering.count)) - 1
    var ready: SourceMask = []
    for (position, loop) in loops.enumerated() {
      guard state.isDistinct && state.satisfied != all else { break }
      markFixedTerms(loop, ready, &state)
      if !loop.flags.contains(.oneRow) {
        if loop.flags.contains(.hashTable) || loop.index?.isUnordered == true {
          return Result(termCount: 0, reversed: 0)
        }
        matchColumns(of: loop, at: position, &state)
      }
      if state.isDistinct { markTermsOfDistinctSources(loop, &state) }
      ready.insert(SourceMask(index: loop.source))
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
    return Result(termCount: count, reversed: state.reversed)
  }

  /// A column that an equality with outer loops fixes is in any order.
  private func markFixedTerms(_ loop: LoopCandidate, _ ready: SourceMask, _ state: inout State) {
    for (index, term) in ordering.enumerated() where state.satisfied & (1 << UInt64(index)) == 0 {
      guard let (source, column) = clause.columnReference(term.expression), source == loop.source
      else { continue }
      let fixes = clause.terms.contains { candidate in
        guard candidate.source == source, candidate.column == column,
          !candidate.operators.isDisjoint(with: [.equal, .is, .isNull]),
          candidate.rightPrerequisites.isSubset(of: ready),
          candidate.outerJoinSource < 0 || candidate.outerJoinSource == source
        else { return false }
        if candidate.operators == .isNull || column < 0 { return true }
        return candidate.comparison.map { $0.collation === term.collation } ?? true
      }
      if fixes { state.satisfied |= 1 << UInt64(index) }
    }
  }

  private func matchColumns(of loop: LoopCandidate, at position: Int, _ state: inout State) {
    let index = loop.index
    let keyColumnCount = index?.keyColumnCount ?? 0
    if let index {
      state.isDistinct = index.isUnique && !loop.flags.contains(.skipScan)
    }
    var direction: Bool?
    var endsInRowid = false
    let columnCount = index?.columns.count ?? 1
    for columnIndex in 0..<columnCount {
      var mayMatch = true
      if columnIndex < loop.equalityCount && columnIndex >= loop.skipCount,
        let term = loop.terms[columnIndex]
      {
        if !term.operators.isDisjoint(with: [.equal, .is, .isNull]) {
          if !term.operators.isDisjoint(with: [.is, .isNull]) { state.isDistinct = false }
          continue
        }
        mayMatch = term.operators.contains(.in)
      }
      var tableColumn = index?.columns[columnIndex].tableColumn ?? -1
      if let index, tableColumn == index.table.rowidColumn, tableColumn >= 0 { tableColumn = -1 }
      if state.isDistinct, let index, tableColumn >= 0, columnIndex >= loop.equalityCount,
        !index.table.columns[tableColumn].isNotNull
      {
        state.isDistinct = false
      }
      let key = index?.columns[columnIndex]
      guard mayMatch,
        let matched = match(loop, position, tableColumn, key, &direction, &state)
      else {
        if columnIndex == 0 || columnIndex < keyColumnCount { state.isDistinct = false }
        break
      }
      if tableColumn == -1 { endsInRowid = true }
      state.satisfied |= 1 << UInt64(matched)
    }
    if endsInRowid { state.isDistinct = true }
  }

  /// The unsatisfied term that the index's column gives, in a compatible direction.
  private func match(
    _ loop: LoopCandidate, _ position: Int, _ tableColumn: Int, _ key: Index.Column?,
    _ direction: inout Bool?, _ state: inout State
  ) -> Int? {
    for (index, term) in ordering.enumerated() where state.satisfied & (1 << UInt64(index)) == 0 {
      if let (source, column) = clause.columnReference(term.expression), source == loop.source,
        Int(column) == tableColumn, hasCollation(term, of: key, tableColumn)
      {
        if isGrouping { return index }
        if term.hasBigNulls { return nil }
        let isReversed = (key?.isDescending ?? false) != term.isDescending
        if let direction {
          return direction == isReversed ? index : nil
        }
        direction = isReversed
        if isReversed { state.reversed |= 1 << UInt64(position) }
        return index
      }
      // ORDER BY terms must be met one after the other.
      if !isGrouping { return nil }
    }
    return nil
  }

  private func hasCollation(
    _ term: BoundOrderingTerm, of key: Index.Column?, _ tableColumn: Int
  ) -> Bool {
    guard tableColumn >= 0, let key else { return true }
    return term.collation.name.matches(key.collation ?? Name("BINARY"))
  }

  private func markTermsOfDistinctSources(_ loop: LoopCandidate, _ state: inout State) {
    state.distinctSources.insert(SourceMask(index: loop.source))
    for (index, term) in ordering.enumerated() where state.satisfied & (1 << UInt64(index)) == 0 {
      let mask = clause.mask(of: term.expression)
      if mask.isEmpty && !term.expression.isConstant { continue }
      if mask.isSubset(of: state.distinctSources) { state.satisfied |= 1 << UInt64(index) }
    }
  }
}
