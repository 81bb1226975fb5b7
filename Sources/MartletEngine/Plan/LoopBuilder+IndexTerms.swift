// Extends a loop over an index by the terms on its columns, one column after the other (SQLite's
// whereLoopAddBtreeIndex).

extension LoopBuilder {
  /// What is asked of the index, or of the rowid as an index of one column.
  struct Probe: ~Copyable {
    let source: Int
    let table: Table
    let index: Index?
    let allRows: LogEst
    let keyColumnCount: Int
    /// Columns that terms may bind: what follows the key in the records too.
    let columnCount: Int
    let entryCost: LogEst
    let logRows: LogEst
    let expressions: BoundSourceContent.IndexExpressions?

    /// Column of the table at a position of the index: -1 for the rowid, -2 for an expression.
    func column(_ position: Int) -> Int {
      guard let index else { return -1 }
      let column = index.columns[position].tableColumn
      return column >= 0 && column == table.rowidColumn ? -1 : column
    }

    /// Rows that equalities on so many columns leave. Behind the key come the columns that make it
    /// unique: with any of them it is one row.
    func rows(boundBy count: Int) -> LogEst {
      if count == 0 { return allRows }
      guard let index, count < index.rowEstimates.count else { return 0 }
      return index.rowEstimates[count]
    }

    /// As the index's definition has it: an INTEGER PRIMARY KEY stays a column.
    func definedColumn(_ position: Int) -> Int { index?.columns[position].tableColumn ?? -1 }

    func isNotNull(_ position: Int) -> Bool {
      let column = definedColumn(position)
      return column == -1 || (column >= 0 && table.columns[column].isNotNull)
    }

    var hasNoNullKeys: Bool {
      for position in 0..<keyColumnCount where !isNotNull(position) { return false }
      return true
    }
  }

  /// Tries each term on the next column, alone and with all that can follow.
  func addIndexTerms(_ loop: LoopCandidate, _ probe: borrowing Probe, inMultiplier: LogEst) {
    let position = loop.equalityCount
    let wanted: WhereTerm.Operators
    if loop.flags.contains(.lowerBound) {
      wanted = .upperBounds
    } else if probe.index?.isUnordered == true {
      wanted = [.equal, .in, .is, .isNull]
    } else {
      wanted = .single
    }
    var scan = TermScan(active, probe, position, wanted)
    guard var term = scan.next() else {
      return trySkipScan(loop, probe, inMultiplier)
    }
    let saved = LoopCandidate(copying: loop)
    while true {
      if mayTake(term, saved, probe, position) {
        restore(loop, from: saved)
        take(term, loop, saved, probe, inMultiplier, isTransitive: scan.isTransitive)
      }
      guard !isExhausted, let following = scan.next() else { break }
      term = following
    }
    restore(loop, from: saved)
    if !isExhausted { trySkipScan(loop, probe, inMultiplier) }
  }

  private func restore(_ loop: LoopCandidate, from saved: LoopCandidate) {
    loop.prerequisites = saved.prerequisites
    loop.flags = saved.flags
    loop.truncateTerms(to: saved.terms.count)
    loop.equalityCount = saved.equalityCount
    loop.skipCount = saved.skipCount
    loop.rowCount = saved.rowCount
    loop.setupCost = 0
  }

  private func mayTake(
    _ term: WhereTerm, _ saved: LoopCandidate, _ probe: borrowing Probe, _ position: Int
  ) -> Bool {
    if (term.operators == .isNull || term.isNotNullBound) && probe.isNotNull(position) {
      return false
    }
    // The upper bound of a LIKE comes with its lower bound, and with no other.
    if term.isLikeBound && !term.operators.isDisjoint(with: .upperBounds) { return false }
    return term.rightPrerequisites.isDisjoint(with: SourceMask(index: probe.source))
      && clause.isCompatible(term, withJoinOf: probe.source)
  }

  private func take(
    _ term: WhereTerm, _ loop: LoopCandidate, _ saved: LoopCandidate, _ probe: borrowing Probe,
    _ inMultiplier: LogEst, isTransitive: Bool
  ) {
    let position = saved.equalityCount, knownCount = probeKey?.knownCount ?? 0
    defer { probeKey?.knownCount = knownCount }
    if probe.index?.isUnique == true && position == probe.keyColumnCount - 1 {
      takesUniqueKey = true
    } else {
      takesPrefix = true
    }
    loop.append(term)
    loop.prerequisites.formUnion(term.rightPrerequisites)
    loop.prerequisites.remove(SourceMask(index: probe.source))
    var inCount: LogEst = 0
    if term.operators.contains(.in) {
      guard let count = inEstimate(term, loop, probe, position, inMultiplier) else { return }
      inCount = count
      loop.flags.insert(.inOperator)
    } else if !term.operators.isDisjoint(with: .anyEquality) {
      loop.flags.insert(.equality)
      markUnique(term, loop, probe, position, inMultiplier)
      if isTransitive { loop.flags.insert(.transitive) }
    } else if term.operators.contains(.isNull) {
      loop.flags.insert(.nullTest)
    } else {
      takeBound(term, loop)
    }
    if loop.flags.contains(.range) {
      estimateRange(loop, probe)
    } else {
      loop.equalityCount += 1
      estimateEquality(term, loop, probe, position, inMultiplier, inCount)
    }
    loop.runCost = .sum(probe.logRows, loop.rowCount + probe.entryCost)
    if loop.flags.isDisjoint(with: .withoutLookup) {
      loop.runCost = .sum(loop.runCost, loop.rowCount + 16)
    }
    let rowsOfOne = loop.rowCount
    loop.runCost += inMultiplier + inCount
    loop.rowCount += inMultiplier + inCount
    adjustOutput(loop, rows: probe.allRows)
    if sources[probe.source].isExists { loop.rowCount = 0 }
    insert(loop)
    loop.rowCount = loop.flags.contains(.range) ? saved.rowCount : rowsOfOne
    if !isExhausted, !loop.flags.contains(.upperBound), loop.equalityCount < probe.columnCount {
      addIndexTerms(loop, probe, inMultiplier: inMultiplier + inCount)
    }
  }

  private func takeBound(_ term: WhereTerm, _ loop: LoopCandidate) {
    loop.flags.insert(.range)
    if term.operators.isDisjoint(with: .lowerBounds) {
      loop.flags.insert(.upperBound)
      return
    }
    loop.flags.insert(.lowerBound)
    guard term.isLikeBound, let upper = upperBound(ofLike: term) else { return }
    loop.flags.insert(.upperBound)
    loop.append(upper)
  }

  /// The bounds of a LIKE are neighbours.
  private func upperBound(ofLike lower: WhereTerm) -> WhereTerm? {
    var level: WhereClause? = active
    while let clause = level {
      if let position = clause.terms.firstIndex(where: { $0 === lower }),
        position + 1 < clause.terms.count
      {
        return clause.terms[position + 1]
      }
      level = clause.outer
    }
    return nil
  }

  // MARK: Estimates

  /// Values that an IN gives (LogEst), or nil where walking the index is better than seeking.
  private func inEstimate(
    _ term: WhereTerm, _ loop: LoopCandidate, _ probe: borrowing Probe, _ position: Int,
    _ inMultiplier: LogEst
  ) -> LogEst? {
    var count: LogEst = 0
    switch term.inOperand {
    case .list(let list): count = LogEst(count: UInt64(list.items.count))
    case .select(let select):
      // SQLite takes it that a subquery gives 25 values; its columns together, not each.
      count = 46
      for case let other? in loop.terms.dropLast() {
        if case .select(let taken) = other.inOperand, taken === select { count = 0 }
      }
    case nil: break
    }
    if let index = probe.index, index.hasStatistics, probe.logRows >= 10 {
      let entries = probe.rows(boundBy: position)
      let advantage =
        entries + count.logarithm + 10 - (count + probe.logRows)
      // An IN behind at most one other value may walk the index and look each entry up in the set.
      if advantage < 0 && inMultiplier >= 2 { return nil }
    }
    return count
  }

  private func markUnique(
    _ term: WhereTerm, _ loop: LoopCandidate, _ probe: borrowing Probe, _ position: Int,
    _ inMultiplier: LogEst
  ) {
    let column = probe.definedColumn(position)
    if column == -1 {
      loop.flags.insert(.oneRow)
      return
    }
    guard column >= 0, inMultiplier == 0, position == probe.keyColumnCount - 1,
      let index = probe.index
    else { return }
    let isOneRow =
      index.isUnique
      && (probe.hasNoNullKeys
        || (probe.keyColumnCount == 1 && term.operators.contains(.equal)))
    loop.flags.insert(isOneRow ? .oneRow : .uniqueWanted)
  }

  /// Each bound leaves a quarter of the rows, both a sixty-fourth.
  private func estimateRange(_ loop: LoopCandidate, _ probe: borrowing Probe) {
    let rest = sampledRange(loop, probe)
    if rest.isDone {
      loop.rowCount = rest.rows
      return
    }
    var estimate = rest.rows, unbounded = rest.rows
    var hasBoth = true
    for bound in [rest.lower, rest.upper] {
      guard let bound else {
        hasBoth = false
        continue
      }
      unbounded -= 1
      if bound.truthProbability <= 0 {
        estimate += bound.truthProbability
        hasBoth = false
      } else if !bound.isNotNullBound {
        estimate -= 20
      }
    }
    if hasBoth { estimate -= 20 }
    loop.rowCount = min(max(10, estimate), unbounded)
  }

  private func estimateEquality(
    _ term: WhereTerm, _ loop: LoopCandidate, _ probe: borrowing Probe, _ position: Int,
    _ inMultiplier: LogEst, _ inCount: LogEst
  ) {
    if term.truthProbability <= 0 && probe.definedColumn(position) >= 0 {
      loop.rowCount += term.truthProbability - inCount
      return
    }
    if inMultiplier == 0, let count = sampledRows(term, loop, probe), count > 0 {
      let before = loop.rowCount
      loop.rowCount = LogEst(count: count)
      markOftenTrue(term, loop, probe)
      loop.rowCount = min(loop.rowCount, before) - inCount
      return
    }
    loop.rowCount += probe.rows(boundBy: position + 1) - probe.rows(boundBy: position)
    // `IS NULL` is taken to match twice as many rows as an equality.
    if term.operators.contains(.isNull) { loop.rowCount += 10 }
  }

  /// With statistics that show many repeats in the leading column, seek each of its values.
  private func trySkipScan(_ loop: LoopCandidate, _ probe: borrowing Probe, _ inMultiplier: LogEst)
  {
    guard let index = probe.index, loop.equalityCount == loop.skipCount,
      loop.equalityCount + 1 < probe.keyColumnCount, loop.equalityCount == loop.terms.count,
      index.allowsSkipScan, index.hasStatistics, probe.rows(boundBy: loop.equalityCount + 1) >= 42,
      !sources[probe.source].isExists
    else { return }
    let saved = LoopCandidate(copying: loop)
    let position = loop.equalityCount
    var iterations = probe.rows(boundBy: position) - probe.rows(boundBy: position + 1)
    loop.equalityCount += 1
    loop.skipCount += 1
    loop.append(nil)
    loop.flags.insert(.skipScan)
    loop.rowCount -= iterations
    // Skipping costs a seek where a step would do.
    iterations += 5
    addIndexTerms(loop, probe, inMultiplier: iterations + inMultiplier)
    restore(loop, from: saved)
  }
}
