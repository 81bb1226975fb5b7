// Estimates from the samples of sqlite_stat4, where values are known when a statement is planned
// (SQLite's whereEqualScanEst, whereInScanEst, whereRangeScanEst and whereRangeSkipScanEst).

extension LoopBuilder {
  // MARK: Equality and IN

  /// Rows for one run of a loop whose last term is an equality, IS NULL or an IN list; nil where
  /// the samples do not tell.
  func sampledRows(_ term: WhereTerm, _ loop: LoopCandidate, _ probe: borrowing Probe) -> UInt64? {
    guard let key = probeKey, key.index === probe.index,
      loop.equalityCount <= key.samples.columnCount
    else { return nil }
    guard term.operators.contains(.in) else { return sampledRows(term.right, loop, probe, key) }
    guard case .list(let list) = term.inOperand else { return nil }
    let all = probe.allRows.count, knownCount = key.knownCount
    var total: UInt64 = 0
    for item in list.items {
      guard let count = sampledRows(item, loop, probe, key) else { return nil }
      total &+= count
      key.knownCount = knownCount
    }
    return min(total, all)
  }

  private func sampledRows(
    _ value: BoundExpression?, _ loop: LoopCandidate, _ probe: borrowing Probe, _ key: ProbeKey
  ) -> UInt64? {
    let position = loop.equalityCount - 1
    // Without the values before it, a value says nothing.
    if key.knownCount < position { return nil }
    if loop.equalityCount >= key.index.columns.count { return 1 }
    guard isKnown(value, position, probe, key) else { return nil }
    key.knownCount = loop.equalityCount
    return key.place(count: loop.equalityCount, roundsUp: false).equal
  }

  private func isKnown(
    _ value: BoundExpression?, _ position: Int, _ probe: borrowing Probe, _ key: ProbeKey
  ) -> Bool {
    // What cannot be computed now is an error, or none, when the statement runs.
    (try? key.set(position, to: value, probe.affinity(position))) ?? false
  }

  /// A term on the first column that seems to hold for half of the rows or more rules out less than
  /// is taken for granted elsewhere.
  func markOftenTrue(_ term: WhereTerm, _ loop: LoopCandidate, _ probe: borrowing Probe) {
    guard loop.equalityCount == 1, loop.rowCount + 10 > probe.allRows else { return }
    term.isOftenTrue = true
    if term.wasTakenForSelective && partCosts == nil { needsSecondPass = true }
  }

  // MARK: Ranges

  /// What is left to be estimated of a range without samples.
  struct RangeRest {
    var rows: LogEst
    var lower: WhereTerm?
    var upper: WhereTerm?
    /// Nothing is left: `rows` is the estimate.
    var isDone = false
  }

  func sampledRange(_ loop: LoopCandidate, _ probe: borrowing Probe) -> RangeRest {
    var rest = RangeRest(rows: loop.rowCount, lower: loop.lowerBound, upper: loop.upperBound)
    guard let key = probeKey, key.index === probe.index,
      loop.equalityCount < key.samples.columnCount
    else { return rest }
    if loop.equalityCount == key.knownCount {
      estimateBetween(&rest, loop, probe, key)
    } else {
      estimateAcross(&rest, loop, probe, key)
    }
    return rest
  }

  /// Counts the entries from the lower to the upper bound.
  private func estimateBetween(
    _ rest: inout RangeRest, _ loop: LoopCandidate, _ probe: borrowing Probe, _ key: ProbeKey
  ) {
    let position = loop.equalityCount
    var lower: UInt64 = 0, upper = key.samples.entryCount
    if position > 0 {
      let place = key.place(count: position, roundsUp: false)
      lower = place.less
      upper = place.less &+ place.equal
    }
    var lowerSample = -2, upperSample = -1
    let isDescending = key.index.columns[position].isDescending
    var first = isDescending ? rest.upper : rest.lower
    var last = isDescending ? rest.lower : rest.upper
    if let term = first, isKnown(term.right, position, probe, key) {
      let place = key.place(count: position + 1, roundsUp: false)
      lowerSample = place.sample
      lower = max(lower, place.less &+ (term.startsBehindEqual ? place.equal : 0))
      rest.rows -= 1
      first = nil
    }
    if let term = last, isKnown(term.right, position, probe, key) {
      let place = key.place(count: position + 1, roundsUp: true)
      upperSample = place.sample
      upper = min(upper, place.less &+ (term.startsBehindEqual ? place.equal : 0))
      rest.rows -= 1
      last = nil
    }
    rest.lower = first
    rest.upper = last
    var estimate: LogEst = 10
    if upper > lower {
      estimate = LogEst(count: upper - lower)
      // Both bounds between the same two samples leave less than the gap between those.
      if lowerSample == upperSample { estimate -= 20 }
    }
    rest.rows = min(rest.rows, estimate)
  }

  /// A range behind columns without known values, as in a skip-scan: counts the samples within the
  /// bounds, whatever their columns before.
  private func estimateAcross(
    _ rest: inout RangeRest, _ loop: LoopCandidate, _ probe: borrowing Probe, _ key: ProbeKey
  ) {
    let position = loop.equalityCount, sampleCount = key.samples.samples.count
    let isBounded = rest.lower != nil && rest.upper != nil
    var lower = -1, upper = sampleCount + 1
    var hasValue = false
    func count(_ term: WhereTerm) -> Int? {
      guard let right = term.right else { return nil }
      do {
        guard
          var value = try key.constant.value(ofTerm: right, probe.affinity(position))
        else { return nil }
        defer { value.deinitialize() }
        return try key.countOfSamples(upTo: &value, column: position)
      } catch {
        return nil
      }
    }
    if let term = rest.lower {
      let samples = count(term)
      hasValue = samples != nil
      lower = samples ?? 0
    }
    if let term = rest.upper {
      let samples = count(term)
      if samples != nil { hasValue = true }
      upper = samples ?? sampleCount
    }
    guard hasValue else { return }
    let difference = max(1, upper - lower)
    // Bounds close to each other are better guessed at.
    if difference == 1 && isBounded { return }
    rest.rows -= LogEst(count: UInt64(sampleCount)) - LogEst(count: UInt64(difference))
    rest.isDone = true
  }
}

extension WhereTerm {
  /// Of the entries that are equal to the bound, the range begins or ends behind them.
  fileprivate var startsBehindEqual: Bool {
    !operators.isDisjoint(with: [.greater, .lessOrEqual])
  }
}

extension LoopBuilder.Probe {
  /// The affinity that a value is compared with at a position of the index.
  func affinity(_ position: Int) -> Affinity {
    let column = column(position)
    if column >= 0 { return table.columns[column].affinity }
    if column == -1 { return .integer }
    guard let expressions, position < expressions.columns.count else { return .none }
    return expressions.columns[position]?.affinity ?? .none
  }
}
