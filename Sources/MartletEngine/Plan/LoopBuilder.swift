// Makes the candidates for each source's loop and their costs.
//
// The costs are SQLite's, because its choices show: in the order of rows and in EXPLAIN QUERY PLAN.
// All are LogEst. A full scan costs its rows and 3 times as much each as a step; a seek costs the
// logarithm of the rows; an entry of an index costs in proportion to its size; a row that is looked
// up through an index costs 3 steps more (queryplanner-ng §4).

/// What the loops are planned for.
struct LoopGoal {
  /// ORDER BY, GROUP BY or DISTINCT columns that the loops should satisfy.
  var ordering: [BoundOrderingTerm] = []
  /// The ordering is a set (GROUP BY, DISTINCT): any permutation and direction serves.
  var isGrouping = false
  /// The ordering is that of DISTINCT.
  var isDistinct = false
  /// DISTINCT is wanted of the result columns while `ordering` is for ORDER BY.
  var distinctColumns: [BoundExpression] = []
  /// Rows that a constant LIMIT asks for (LogEst).
  var limit: LogEst?
  /// min() or max() alone: only the first row is wanted.
  var isMinMax = false
  var resultColumnCount = 1
  /// Rows of the loops around this SELECT (LogEst).
  var outerRowCount: LogEst = 0
}

final class LoopBuilder {
  let clause: WhereClause
  let goal: LoopGoal
  private(set) var candidates: [[LoopCandidate]]
  private let sources: [BoundSource]
  /// Estimates of the sources that are subqueries (LogEst of rows).
  private let subqueryRows: [LogEst]

  init(clause: WhereClause, goal: LoopGoal, subqueryRows: [LogEst]) {
    self.clause = clause
    self.goal = goal
    self.subqueryRows = subqueryRows
    sources = clause.sources
    candidates = Array(repeating: [], count: clause.sources.count)
  }

  /// Makes all candidates. A source right of LEFT or CROSS JOIN stays behind all to its left.
  func build() throws(SQLError) {
    var before: SourceMask = []
    var required: SourceMask = []
    for index in sources.indices {
      if sources[index].join.isDisjoint(with: [.left, .right, .cross]) {
        required = []
      } else {
        required.formUnion(before)
      }
      try addLoops(index, prerequisites: required)
      before.insert(SourceMask(index: index))
    }
  }

  private func addLoops(_ source: Int, prerequisites: SourceMask) throws(SQLError) {
    switch sources[source].kind {
    case .table(let table):
      addTableLoops(source, table, prerequisites)
    case .subquery:
      addSubqueryLoops(source, prerequisites)
    case .tableFunction:
      throw .notSupported("table-valued functions")
    }
  }

  // MARK: Tables

  private func addTableLoops(_ source: Int, _ table: Table, _ prerequisites: SourceMask) {
    var forced: Index?
    var allowsIndexes = true
    switch sources[source].indexedBy {
    case .any: break
    case .none: allowsIndexes = false
    case .index(let index): forced = index
    }
    if forced == nil && allowsIndexes && !table.isWithoutRowid {
      addHashTableLoops(source, rows: table.rowEstimate, prerequisites, table: table)
    }
    if forced == nil && !table.isWithoutRowid {
      addRowidLoops(source, table, prerequisites)
    }
    var sortIndex = 1
    for index in table.indexes {
      defer { sortIndex += 1 }
      if let forced, index !== forced { continue }
      if !allowsIndexes && index !== table.primaryKeyIndex { continue }
      if index.partialWhere != nil { continue }
      addIndexLoops(source, table, index, prerequisites, sortIndex, isForced: forced != nil)
    }
  }

  private func addRowidLoops(_ source: Int, _ table: Table, _ prerequisites: SourceMask) {
    let template = LoopCandidate(source: source)
    template.prerequisites = prerequisites
    template.flags = .rowid
    template.rowCount = table.rowEstimate
    template.sortIndex = mayHelpOrdering(source, rowid: true, index: nil, table) ? 100 : 0
    template.runCost = table.rowEstimate + 16 - (table.hasStatistics ? 2 : 0)
    adjustOutput(template, rows: table.rowEstimate)
    insert(template)
    let seek = LoopCandidate(copying: template)
    seek.rowCount = table.rowEstimate
    let probe = Probe(
      table: table, index: nil, rows: [table.rowEstimate, 0], keyColumnCount: 1, columnCount: 1,
      entryCost: 16, isUnique: true, logRows: estimateOfLog(table.rowEstimate))
    addIndexTerms(seek, probe, inMultiplier: 0)
  }

  private func addIndexLoops(
    _ source: Int, _ table: Table, _ index: Index, _ prerequisites: SourceMask, _ sortIndex: Int,
    isForced: Bool
  ) {
    let rows = index.rowEstimates[0]
    let template = LoopCandidate(source: source)
    template.prerequisites = prerequisites
    template.index = index
    template.rowCount = rows
    let isCovering = covers(index, source, table)
    template.flags = isCovering ? [.indexed, .covering] : .indexed
    let helpsOrdering = mayHelpOrdering(source, rowid: false, index: index, table)
    let isSmaller = index.rowSizeEstimate < table.rowSizeEstimate
    if helpsOrdering || table.isWithoutRowid || isForced
      || (isCovering && !index.isUnordered && isSmaller)
    {
      template.sortIndex = helpsOrdering ? sortIndex : 0
      template.runCost = rows + 1 + entryCost(index, table)
      if !isCovering {
        template.runCost = .sum(template.runCost, lookupCost(source, table, index, rows))
      }
      adjustOutput(template, rows: rows)
      insert(template)
      template.rowCount = rows
    }
    let seek = LoopCandidate(copying: template)
    seek.sortIndex = helpsOrdering ? sortIndex : 0
    seek.rowCount = rows
    let probe = Probe(
      table: table, index: index, rows: index.rowEstimates,
      keyColumnCount: index.keyColumnCount,
      columnCount: index === table.primaryKeyIndex ? index.keyColumnCount : index.columns.count,
      entryCost: 1 + entryCost(index, table), isUnique: index.isUnique,
      logRows: estimateOfLog(rows))
    addIndexTerms(seek, probe, inMultiplier: 0)
  }

  private func entryCost(_ index: Index, _ table: Table) -> LogEst {
    (15 * index.rowSizeEstimate) / max(1, table.rowSizeEstimate)
  }

  /// Cost of looking rows up in the table, less what terms on the index's columns rule out first.
  private func lookupCost(
    _ source: Int, _ table: Table, _ index: Index, _ rows: LogEst
  ) -> LogEst {
    var lookups = rows + 16
    for term in clause.terms {
      guard term.prerequisites == SourceMask(index: source),
        isCovered(term.expression, by: index, source, table)
      else { break }
      if term.truthProbability <= 0 {
        lookups += term.truthProbability
      } else {
        lookups -= 1
        if !term.operators.isDisjoint(with: .anyEquality) { lookups -= 19 }
      }
    }
    return lookups
  }

  private func isCovered(
    _ expression: BoundExpression, by index: Index, _ source: Int, _ table: Table
  ) -> Bool {
    if expression.traits.contains(.hasSubquery) { return false }
    var covered = true
    expression.forEachColumn { id, column in
      if id == sources[source].id, column >= 0, !contains(index, Int(column)) { covered = false }
    }
    return covered
  }

  private func contains(_ index: Index, _ column: Int) -> Bool {
    index.columns.contains { $0.tableColumn == column }
  }

  /// Every column that the statement reads is in the index.
  private func covers(_ index: Index, _ source: Int, _ table: Table) -> Bool {
    if index === table.primaryKeyIndex { return true }
    var missing = sources[source].usedColumns
    for column in index.columns where column.tableColumn >= 0 && column.tableColumn < 63 {
      missing &= ~(1 << UInt64(column.tableColumn))
    }
    return missing == 0
  }

  /// A first look whether an index could give the wanted order (SQLite's indexMightHelpWithOrderBy).
  private func mayHelpOrdering(_ source: Int, rowid: Bool, index: Index?, _ table: Table) -> Bool {
    if let index, index.isUnordered { return false }
    for term in goal.ordering {
      guard let (termSource, column) = clause.columnReference(term.expression),
        termSource == source
      else { continue }
      if column < 0 { return true }
      if let index {
        for key in index.columns.prefix(index.keyColumnCount) where key.tableColumn == Int(column) {
          return true
        }
      }
    }
    return false
  }

  // MARK: Hash tables and subqueries

  /// A hash table over an equality takes the place of SQLite's automatic index, at its costs.
  private func addHashTableLoops(
    _ source: Int, rows: LogEst, _ prerequisites: SourceMask, table: Table?
  ) {
    let selfMask = SourceMask(index: source)
    for term in clause.terms {
      guard term.source == source, !term.operators.isDisjoint(with: .anyEquality),
        term.rightPrerequisites.isDisjoint(with: selfMask), isCompatible(term, source),
        let right = term.right, clause.sources.count > 1 || !right.traits.contains(.hasColumn),
        isGoodForHashing(term, table)
      else { continue }
      let loop = LoopCandidate(source: source)
      loop.terms = [term]
      loop.equalityCount = 1
      let logRows = estimateOfLog(rows)
      loop.setupCost = max(0, logRows + rows + (table != nil ? 28 : -25))
      // SQLite takes it that each lookup gives 20 rows.
      loop.rowCount = 43
      loop.runCost = .sum(logRows, loop.rowCount)
      loop.flags = .hashTable
      loop.prerequisites = prerequisites.union(term.rightPrerequisites)
      insert(loop)
    }
  }

  private func isGoodForHashing(_ term: WhereTerm, _ table: Table?) -> Bool {
    guard term.column >= 0 else { return false }
    guard let table else { return true }
    let column = table.columns[Int(term.column)]
    guard let comparison = term.comparison, allowsIndex(comparison, column.affinity) else {
      return false
    }
    for index in table.indexes {
      for (position, key) in index.columns.prefix(index.keyColumnCount).enumerated()
      where key.tableColumn == Int(term.column) {
        if position == 0 { return false }
        if index.hasStatistics && index.rowEstimates[position + 1] > 20 { return false }
      }
    }
    return true
  }

  private func addSubqueryLoops(_ source: Int, _ prerequisites: SourceMask) {
    let rows = subqueryRows[source]
    if case .subquery(let select, _) = sources[source].kind, !select.isCorrelated {
      addHashTableLoops(source, rows: rows, prerequisites, table: nil)
    }
    let loop = LoopCandidate(source: source)
    loop.prerequisites = prerequisites
    loop.flags = .subquery
    loop.rowCount = rows
    loop.runCost = rows + 16
    adjustOutput(loop, rows: rows)
    insert(loop)
  }

  // MARK: Index terms

  /// What `addIndexTerms` needs of the index, or of the rowid as an index of one column.
  struct Probe {
    let table: Table
    let index: Index?
    let rows: [LogEst]
    let keyColumnCount: Int
    let columnCount: Int
    let entryCost: LogEst
    let isUnique: Bool
    let logRows: LogEst

    /// Column of the table at a position of the index, with the rowid's alias as -1.
    func column(_ position: Int) -> Int {
      guard let index else { return -1 }
      let column = index.columns[position].tableColumn
      return column == table.rowidColumn && column >= 0 ? -1 : column
    }
  }

  /// Extends `loop` by one more term of the index, and by all that can follow.
  private func addIndexTerms(_ loop: LoopCandidate, _ probe: Probe, inMultiplier: LogEst) {
    let saved = LoopCandidate(copying: loop)
    let position = saved.equalityCount
    var wanted: WhereTerm.Operators
    if saved.flags.contains(.lowerBound) {
      wanted = .upperBounds
    } else {
      wanted = [.equal, .in, .is, .isNull, .less, .lessOrEqual, .greater, .greaterOrEqual]
      if probe.index?.isUnordered == true { wanted.subtract(.range) }
    }
    if position < probe.columnCount {
      for term in clause.terms
      where !term.operators.isDisjoint(with: wanted) && matches(term, probe, position, loop.source) {
        tryTerm(term, loop, saved, probe, inMultiplier)
      }
    }
    restore(loop, from: saved)
    trySkipScan(loop, saved, probe, inMultiplier)
    restore(loop, from: saved)
  }

  private func restore(_ loop: LoopCandidate, from saved: LoopCandidate) {
    loop.prerequisites = saved.prerequisites
    loop.flags = saved.flags
    loop.terms = saved.terms
    loop.equalityCount = saved.equalityCount
    loop.skipCount = saved.skipCount
    loop.rowCount = saved.rowCount
  }

  /// The term is on the index's column at `position`, and compares as the index does.
  private func matches(_ term: WhereTerm, _ probe: Probe, _ position: Int, _ source: Int) -> Bool {
    guard term.source == source, Int(term.column) == probe.column(position),
      term.rightPrerequisites.isDisjoint(with: SourceMask(index: source)),
      isCompatible(term, source)
    else { return false }
    if term.operators == .isNull {
      return !isNotNull(probe, position)
    }
    if term.isNotNullBound && isNotNull(probe, position) { return false }
    guard let comparison = term.comparison, term.column >= 0 else {
      return term.comparison.map { allowsIndex($0, .integer) } ?? true
    }
    let column = probe.table.columns[Int(term.column)]
    guard allowsIndex(comparison, column.affinity) else { return false }
    let collation = probe.index?.columns[position].collation ?? Name("BINARY")
    return comparison.collation.name.matches(collation)
  }

  private func isNotNull(_ probe: Probe, _ position: Int) -> Bool {
    let column = probe.column(position)
    return column < 0 || probe.table.columns[column].isNotNull
  }

  /// The entries of an index on a column of `affinity` are in the order of the comparison
  /// (SQLite's sqlite3IndexAffinityOk).
  private func allowsIndex(_ comparison: BoundComparison, _ affinity: Affinity) -> Bool {
    switch comparison.affinity {
    case .none, .blob: true
    case .text: affinity == .text
    default: affinity != .text && affinity != .blob && affinity != .none
    }
  }

  /// The inner side of an outer join is searched by terms of its own ON alone, and such terms
  /// search nothing else.
  private func isCompatible(_ term: WhereTerm, _ source: Int) -> Bool {
    let join = sources[source].join
    if join.isDisjoint(with: [.left, .right]) {
      return term.outerJoinSource < 0 || term.outerJoinSource == source
    }
    if term.outerJoinSource == source { return true }
    // Without statistics of the left side, WHERE terms cannot search the right side of LEFT JOIN:
    // they would drop the rows of NULLs before they are made.
    return false
  }

  private func tryTerm(
    _ term: WhereTerm, _ loop: LoopCandidate, _ saved: LoopCandidate, _ probe: Probe,
    _ inMultiplier: LogEst
  ) {
    restore(loop, from: saved)
    let position = saved.equalityCount
    loop.terms.append(term)
    loop.prerequisites = saved.prerequisites.union(term.rightPrerequisites)
    var inCount: LogEst = 0
    if term.operators.contains(.in) {
      guard let count = inEstimate(term, loop, probe, position) else { return }
      inCount = count
      loop.flags.insert(.inOperator)
    } else if !term.operators.isDisjoint(with: .anyEquality) {
      loop.flags.insert(.equality)
      markUnique(term, loop, probe, position, inMultiplier)
    } else if term.operators == .isNull {
      loop.flags.insert(.nullTest)
    } else {
      loop.flags.insert(.range)
      loop.flags.insert(
        term.operators.isDisjoint(with: .lowerBounds) ? .upperBound : .lowerBound)
    }
    if loop.flags.contains(.range) {
      estimateRange(loop)
    } else {
      loop.equalityCount += 1
      estimateEquality(term, loop, probe, position, inCount)
    }
    let entries = loop.rowCount + probe.entryCost
    loop.runCost = .sum(probe.logRows, entries)
    if loop.flags.isDisjoint(with: [.covering, .rowid]) {
      loop.runCost = .sum(loop.runCost, loop.rowCount + 16)
    }
    let rowsOfOne = loop.rowCount
    loop.runCost += inMultiplier + inCount
    loop.rowCount += inMultiplier + inCount
    adjustOutput(loop, rows: probe.rows[0])
    insert(LoopCandidate(copying: loop))
    loop.rowCount = loop.flags.contains(.range) ? saved.rowCount : rowsOfOne
    if !loop.flags.contains(.upperBound) && loop.equalityCount < probe.columnCount {
      addIndexTerms(loop, probe, inMultiplier: inMultiplier + inCount)
    }
  }

  /// Values that an IN gives (LogEst), or nil where walking the index is better than seeking.
  private func inEstimate(
    _ term: WhereTerm, _ loop: LoopCandidate, _ probe: Probe, _ position: Int
  ) -> LogEst? {
    var count: LogEst
    switch term.inOperand {
    case .list(let list): count = .of(UInt64(list.items.count))
    // SQLite takes it that a subquery gives 25 values.
    default: count = 46
    }
    if let index = probe.index, index.hasStatistics, probe.logRows >= 10 {
      let entries = probe.rows[position]
      let advantage = entries + estimateOfLog(count) + 10 - (count + probe.logRows)
      if advantage < 0 && position > 0 { return nil }
    }
    if count < 0 { count = 0 }
    return count
  }

  private func markUnique(
    _ term: WhereTerm, _ loop: LoopCandidate, _ probe: Probe, _ position: Int,
    _ inMultiplier: LogEst
  ) {
    let column = probe.column(position)
    guard column == -1 || (inMultiplier == 0 && position == probe.keyColumnCount - 1) else {
      return
    }
    if column == -1 {
      loop.flags.insert(.oneRow)
    } else if probe.isUnique {
      let allNotNull = (0..<probe.keyColumnCount).allSatisfy { isNotNull(probe, $0) }
      if allNotNull || (probe.keyColumnCount == 1 && term.operators.contains(.equal)) {
        loop.flags.insert(.oneRow)
      } else {
        loop.flags.insert(.uniqueWanted)
      }
    } else {
      loop.flags.insert(.uniqueWanted)
    }
  }

  /// Each bound leaves a quarter of the rows, both a sixty-fourth.
  private func estimateRange(_ loop: LoopCandidate) {
    var estimate = loop.rowCount
    let bounds = [loop.lowerBound, loop.upperBound].compactMap { $0 }
    for bound in bounds {
      if bound.truthProbability <= 0 {
        estimate += bound.truthProbability
      } else if !bound.isNotNullBound {
        estimate -= 20
      }
    }
    if bounds.count == 2 && bounds.allSatisfy({ $0.truthProbability > 0 }) { estimate -= 20 }
    estimate = max(10, estimate)
    let unbounded = loop.rowCount - LogEst(bounds.count)
    loop.rowCount = min(estimate, unbounded)
  }

  private func estimateEquality(
    _ term: WhereTerm, _ loop: LoopCandidate, _ probe: Probe, _ position: Int, _ inCount: LogEst
  ) {
    if term.truthProbability <= 0 && probe.column(position) >= 0 {
      loop.rowCount += term.truthProbability - inCount
      return
    }
    let next = min(position + 1, probe.rows.count - 1)
    loop.rowCount += probe.rows[next] - probe.rows[min(position, probe.rows.count - 1)]
    // `IS NULL` is taken to match twice as many rows as an equality.
    if term.operators == .isNull { loop.rowCount += 10 }
  }

  /// With statistics that show many repeats in the leading column, seek each of its values.
  private func trySkipScan(
    _ loop: LoopCandidate, _ saved: LoopCandidate, _ probe: Probe, _ inMultiplier: LogEst
  ) {
    guard let index = probe.index, saved.equalityCount == saved.skipCount,
      saved.equalityCount + 1 < probe.keyColumnCount, saved.equalityCount == saved.terms.count,
      index.allowsSkipScan, index.hasStatistics,
      probe.rows[saved.equalityCount + 1] >= 42
    else { return }
    var iterations = probe.rows[saved.equalityCount] - probe.rows[saved.equalityCount + 1]
    loop.equalityCount += 1
    loop.skipCount += 1
    loop.terms.append(nil)
    loop.flags.insert(.skipScan)
    loop.rowCount -= iterations
    // Skipping costs a seek where a step would do.
    iterations += 5
    addIndexTerms(loop, probe, inMultiplier: iterations + inMultiplier)
  }

  // MARK: Estimates and the list of candidates

  /// Lowers the number of rows by the terms that are checked on each row but not used to search.
  private func adjustOutput(_ loop: LoopCandidate, rows: LogEst) {
    let selfMask = SourceMask(index: loop.source)
    let available = loop.prerequisites.union(selfMask)
    var reduction: LogEst = 0
    for term in clause.terms {
      if term.isVirtual || !term.prerequisites.isSubset(of: available)
        || !term.prerequisites.contains(selfMask)
      {
        continue
      }
      let isTaken = loop.terms.contains { taken in
        guard let taken else { return false }
        return taken === term || (taken.parent >= 0 && clause.terms[taken.parent] === term)
      }
      if isTaken { continue }
      if term.truthProbability <= 0 {
        loop.rowCount += term.truthProbability
        continue
      }
      loop.rowCount -= 1
      if !term.operators.isDisjoint(with: .anyEquality) {
        reduction = max(reduction, isSmallInteger(term.right) ? 10 : 20)
      }
    }
    if loop.rowCount > rows - reduction { loop.rowCount = rows - reduction }
  }

  /// -1, 0 and 1 are common values: an equality with them rules out less.
  private func isSmallInteger(_ expression: BoundExpression?) -> Bool {
    guard let expression else { return false }
    switch expression.kind {
    case .integer(let value): return value >= -1 && value <= 1
    case .negate(let inner):
      if case .integer(1) = inner.kind { return true }
      return false
    default: return false
    }
  }

  /// Keeps a candidate unless another is at least as good in everything, and drops those that it
  /// makes useless.
  private func insert(_ candidate: LoopCandidate) {
    let source = candidate.source
    adjustToSubsets(candidate)
    var position: Int?
    for (index, other) in candidates[source].enumerated()
    where other.sortIndex == candidate.sortIndex {
      if isOverruled(other, by: candidate) && !isSurelyBetter(other, than: candidate) {
        position = index
        break
      }
      if isSurelyBetter(other, than: candidate) { return }
    }
    let copy = LoopCandidate(copying: candidate)
    guard let position else { return candidates[source].append(copy) }
    candidates[source][position] = copy
    var later = position + 1
    while later < candidates[source].count {
      let other = candidates[source][later]
      if other.sortIndex == candidate.sortIndex && isOverruled(other, by: candidate) {
        candidates[source].remove(at: later)
      } else {
        later += 1
      }
    }
  }

  private func isSurelyBetter(_ other: LoopCandidate, than candidate: LoopCandidate) -> Bool {
    other.prerequisites.isSubset(of: candidate.prerequisites)
      && other.setupCost <= candidate.setupCost && other.runCost <= candidate.runCost
      && other.rowCount <= candidate.rowCount
  }

  private func isOverruled(_ other: LoopCandidate, by candidate: LoopCandidate) -> Bool {
    guard candidate.prerequisites.isSubset(of: other.prerequisites) else { return false }
    // A real index with an equality is better than a hash table built for the query.
    if other.flags.contains(.hashTable) && candidate.skipCount == 0
      && candidate.flags.contains(.indexed) && candidate.flags.contains(.equality)
    {
      return true
    }
    return other.runCost >= candidate.runCost && other.rowCount >= candidate.rowCount
  }

  /// A loop that uses more terms of the same kind must not look costlier than one that uses fewer.
  private func adjustToSubsets(_ candidate: LoopCandidate) {
    guard candidate.flags.contains(.indexed) else { return }
    for other in candidates[candidate.source] where other.flags.contains(.indexed) {
      if other.isCheaperProperSubset(of: candidate) {
        candidate.runCost = min(other.runCost, candidate.runCost)
        candidate.rowCount = min(other.rowCount - 1, candidate.rowCount)
      } else if candidate.isCheaperProperSubset(of: other) {
        candidate.runCost = max(other.runCost, candidate.runCost)
        candidate.rowCount = max(other.rowCount + 1, candidate.rowCount)
      }
    }
  }

  /// LogEst of the logarithm of an estimated number.
  private func estimateOfLog(_ estimate: LogEst) -> LogEst {
    estimate <= 10 ? 0 : .of(UInt64(max(0, estimate))) - 33
  }
}

extension String {
  /// Compares as names do, ASCII case-insensitively.
  func matches(_ name: Name) -> Bool {
    let bytes = utf8
    guard bytes.count == Int(name.count) else { return false }
    return zip(bytes, name.buffer).allSatisfy { Name.fold($0) == Name.fold($1) }
  }
}
