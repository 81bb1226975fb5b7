// Makes the candidates for each source's loop and their costs.
//
// The costs are SQLite's, because its choices show: in the order of rows and in EXPLAIN QUERY PLAN.
// All are LogEst. A full scan costs its rows and 3 times as much each as a step; a seek costs the
// logarithm of the rows; an entry of an index costs in proportion to its size; a row that is looked
// up through an index costs 3 steps more (queryplanner-ng §4).

final class LoopBuilder {
  let clause: WhereClause
  let goal: LoopGoal
  let sources: TreeList<BoundSource>
  /// The candidates of all sources, in the order in which they were found.
  @exclusivity(unchecked) private(set) var candidates = TreeList<LoopCandidate>()
  /// What is estimated of each source that is a subquery.
  let subqueries: TreeList<SubqueryEstimate>
  /// The clause whose terms are tried: a part of an OR while one is costed.
  @exclusivity(unchecked) var active: WhereClause
  /// Costs of the part of an OR that is being costed.
  @exclusivity(unchecked) var partCosts: PartCosts?
  @exclusivity(unchecked) var allowsHashTables = true
  /// Of the index that is being tried, a term was taken on a column before the last of a unique key
  /// (or of a key that is not unique); on the last of a unique key.
  @exclusivity(unchecked) var takesPrefix = false
  @exclusivity(unchecked) var takesUniqueKey = false
  /// What the statement reads of the source that was looked at last.
  @exclusivity(unchecked) var readColumns: (source: Int, columns: UInt64)?
  /// The values of the terms taken, where the index has samples.
  @exclusivity(unchecked) var probeKey: ProbeKey?
  /// For a virtual table: sources whose values it cannot have.
  @exclusivity(unchecked) var unusable: SourceMask = []
  /// Estimates were made before samples said that they rest on a term that rules out little.
  @exclusivity(unchecked) var needsSecondPass = false
  /// How many more candidates are looked at. Terms on the columns of one index may be combined in
  /// exponentially many ways; SQLite stops as early (compile.html, SQLITE_QUERY_PLANNER_LIMIT).
  @exclusivity(unchecked) private var rest = 0
  /// A candidate of the source that is looked at was one too many: it gets no other.
  @exclusivity(unchecked) private(set) var isExhausted = false

  private static let candidateLimit = 20_000
  /// What each source adds to the limit, so that the last one has candidates, too.
  private static let candidatesPerSource = 1000

  struct SubqueryEstimate: BitwiseCopyable {
    /// LogEst of the rows.
    var rows: LogEst = 200
    var ordering: TreeList<BoundOrderingTerm> = []
  }

  init(clause: WhereClause, goal: LoopGoal, subqueries: TreeList<SubqueryEstimate>) {
    self.clause = clause
    self.goal = goal
    self.subqueries = subqueries
    active = clause
    sources = clause.sources
  }

  /// Makes all candidates. A source right of an outer or CROSS JOIN stays behind all to its left,
  /// and behind a CROSS JOIN so do all that follow.
  func build() throws(SQLError) {
    try addAllLoops()
    guard needsSecondPass else { return }
    candidates.truncate(to: 0)
    try addAllLoops()
  }

  private func addAllLoops() throws(SQLError) {
    var before: SourceMask = []
    var required: SourceMask = []
    var isPastRightJoin = false, keepsOrder = false
    rest = LoopBuilder.candidateLimit
    for index in sources.indices {
      rest += LoopBuilder.candidatesPerSource
      isExhausted = false
      let join = sources[index].join
      let selfMask = SourceMask(index: index)
      let isLeftOfRight = clause.leftOfRightJoin.contains(selfMask)
      if isPastRightJoin || isLeftOfRight || !join.isDisjoint(with: [.left, .right, .cross]) {
        if isLeftOfRight || join.contains(.cross) { keepsOrder = true }
        required.formUnion(before)
        isPastRightJoin = join.contains(.right)
      } else if sources[index].isExists {
        required.formUnion(dependencies(of: index))
      } else if !keepsOrder {
        required = []
      }
      unusable = isVirtual(index) ? laterOuterSources(than: index) : []
      try addLoops(index, prerequisites: required)
      if clause.hasIndexableOr && !isExhausted {
        try addMultiIndexLoops(index, prerequisites: required)
      }
      before.insert(selfMask)
    }
  }

  /// The sources behind the first outer or CROSS JOIN to the right of a source: values of theirs
  /// are not known when it is scanned.
  private func laterOuterSources(than index: Int) -> SourceMask {
    var mask: SourceMask = []
    for later in sources.indices.dropFirst(index + 1)
    where !mask.isEmpty || !sources[later].join.isDisjoint(with: [.left, .right, .cross]) {
      mask.insert(SourceMask(index: later))
    }
    return mask
  }

  /// What the terms of a source that came from EXISTS need of the sources to its left.
  private func dependencies(of source: Int) -> SourceMask {
    var mask: SourceMask = []
    for term in clause.terms.prefix(clause.writtenCount)
    where term.prerequisites.contains(SourceMask(index: source)) {
      mask.formUnion(term.prerequisites.intersection(.before(source)))
    }
    return mask
  }

  func addLoops(_ source: Int, prerequisites: SourceMask) throws(SQLError) {
    switch sources[source].kind {
    case .table(let table): try addTableLoops(source, table, prerequisites)
    case .subquery(let select): addSubqueryLoops(source, select, prerequisites)
    }
  }

  // MARK: Keeping candidates

  /// Keeps a candidate unless another is at least as good in everything, and drops those that it
  /// makes useless. The candidate may be changed by its maker afterwards.
  func insert(_ candidate: LoopCandidate) {
    if rest == 0 {
      isExhausted = true
      partCosts?.costs.removeAll()
      return
    }
    rest -= 1
    if let partCosts {
      if !candidate.terms.isEmpty {
        partCosts.insert(candidate.prerequisites, candidate.runCost, candidate.rowCount)
      }
      return
    }
    adjustToSubsets(candidate)
    guard let position = place(of: candidate, from: 0) else { return }
    let copy = LoopCandidate(copying: candidate)
    if position == candidates.count {
      candidates.append(copy, in: sources[candidate.source].memory)
      return
    }
    candidates.replace(at: position, with: copy)
    var later = position + 1
    while let other = place(of: candidate, from: later), other < candidates.count {
      candidates.remove(at: other)
      later = other
    }
  }

  /// Position of the first candidate that `candidate` replaces, the end of the list where there is
  /// none, or nil if one is as good (SQLite's whereLoopFindLesser).
  private func place(of candidate: LoopCandidate, from start: Int) -> Int? {
    var position = start
    while position < candidates.count {
      let other = candidates[position]
      if other.source == candidate.source && other.sortIndex == candidate.sortIndex {
        // A real index with an equality is better than a hash table built for the query.
        if other.flags.contains(.hashTable) && candidate.skipCount == 0
          && candidate.flags.contains([.indexed, .equality])
          && candidate.prerequisites.isSubset(of: other.prerequisites)
        {
          return position
        }
        if other.prerequisites.isSubset(of: candidate.prerequisites)
          && other.setupCost <= candidate.setupCost && other.runCost <= candidate.runCost
          && other.rowCount <= candidate.rowCount
        {
          return nil
        }
        if candidate.prerequisites.isSubset(of: other.prerequisites)
          && other.runCost >= candidate.runCost && other.rowCount >= candidate.rowCount
        {
          return position
        }
      }
      position += 1
    }
    return position
  }

  /// A loop that uses more terms of the same kind must not look costlier than one that uses fewer.
  private func adjustToSubsets(_ candidate: LoopCandidate) {
    guard candidate.flags.contains(.indexed) else { return }
    for other in candidates
    where other.source == candidate.source && other.flags.contains(.indexed) {
      if other.isCheaperProperSubset(of: candidate) {
        candidate.runCost = min(other.runCost, candidate.runCost)
        candidate.rowCount = min(other.rowCount - 1, candidate.rowCount)
      } else if candidate.isCheaperProperSubset(of: other) {
        candidate.runCost = max(other.runCost, candidate.runCost)
        candidate.rowCount = max(other.rowCount + 1, candidate.rowCount)
      }
    }
  }

  // MARK: Estimates

  /// Lowers the number of rows by the terms that are checked on each row but not used to search.
  func adjustOutput(_ loop: LoopCandidate, rows: LogEst) {
    let selfMask = SourceMask(index: loop.source)
    let available = loop.prerequisites.union(selfMask)
    var reduction: LogEst = 0
    for position in 0..<active.writtenCount {
      let term = active.terms[position]
      guard term.prerequisites.isSubset(of: available), term.prerequisites.contains(selfMask),
        !term.isVirtual, !isTaken(term, loop)
      else { continue }
      if term.prerequisites == selfMask
        && (!term.operators.isDisjoint(with: .rejectsNull)
          || (!sources[loop.source].join.contains(.left)
            && !clause.leftOfRightJoin.contains(selfMask)))
      {
        loop.flags.insert(.selfCulling)
      }
      if term.truthProbability <= 0 {
        loop.rowCount += term.truthProbability
        continue
      }
      loop.rowCount -= 1
      lowerByPattern(of: term, loop)
      guard !term.operators.isDisjoint(with: .anyEquality), !term.isOftenTrue else { continue }
      let factor: LogEst = term.right?.isCommonInteger == true ? 10 : 20
      if reduction < factor {
        term.wasTakenForSelective = true
        reduction = factor
      }
    }
    if loop.rowCount > rows - reduction { loop.rowCount = rows - reduction }
  }

  /// The more a pattern asks for, the fewer rows match it. There is an end, for the sake of sums.
  private func lowerByPattern(of term: WhereTerm, _ loop: LoopCandidate) {
    let fewestRows: LogEst = -400
    guard loop.rowCount > fewestRows,
      case .function(let call) = term.expression.withoutCollate.kind,
      let `operator` = call.patternOperator
    else { return }
    let length = call.arguments[0].patternLength(folding: `operator` == .like)
    loop.rowCount = max(fewestRows, loop.rowCount.lowered(byPatternOf: length))
  }

  private func isTaken(_ term: WhereTerm, _ loop: LoopCandidate) -> Bool {
    for case let taken? in loop.terms {
      if taken === term { return true }
      if taken.parent >= 0, taken.parent < active.terms.count,
        active.terms[taken.parent] === term
      {
        return true
      }
    }
    return false
  }
}

extension BoundExpression {
  /// -1, 0 and 1 are common values: an equality with them rules out less. TRUE and FALSE are not
  /// seen as such.
  fileprivate var isCommonInteger: Bool {
    switch kind {
    case .integer(let value):
      return value >= -1 && value <= 1 && !traits.contains(.isTruthWord)
    case .plus(let inner): return inner.isCommonInteger
    case .negate(let inner):
      if case .integer(let value) = inner.kind { return value >= -1 && value <= 1 }
      return false
    default: return false
    }
  }
}
