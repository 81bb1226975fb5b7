extension Emitter {
  /// `target` = 1 if the subquery has a row, else 0.
  @inline(never)
  func emitExists(_ select: BoundSelect, _ target: RegisterIndex) throws(SQLError) {
    try emitOnce(select, "SCALAR SUBQUERY", result: target, count: 1) {
      (result) throws(SQLError) in
      self.emitInteger(0, into: result)
      try self.emitSelect(select, to: .exists(result))
    }
  }

  /// `target` = the first column of the first row, or NULL.
  @inline(never)
  func emitScalarSubquery(
    _ select: BoundSelect, _ target: RegisterIndex
  ) throws(SQLError) {
    try emitOnce(select, "SCALAR SUBQUERY", result: target, count: select.columns.count) {
      (result) throws(SQLError) in
      self.emitNull(result, count: select.columns.count)
      try self.emitSelect(select, to: .registers(result))
    }
  }

  /// A column of a subquery that stands for a row value: the subquery runs once for all of them.
  @inline(never)
  func emitSubqueryColumn(
    _ select: BoundSelect, _ column: Int, _ target: RegisterIndex
  ) throws(SQLError) {
    if let known = rowSubqueries[select.id] {
      emit(.copy, (known + column).rawValue, target.rawValue)
      return
    }
    let first = select.isCorrelated ? try emitCorrelatedRow(select) : try emitRowOnce(select)
    emit(.copy, (first + column).rawValue, target.rawValue)
  }

  /// The comparison has the columns side by side, and the first of them is always computed first.
  private func emitCorrelatedRow(_ select: BoundSelect) throws(SQLError) -> RegisterIndex {
    // To SQLite the comparison of a row is one expression, which has the subquery once.
    let isHidden = hidesPlan
    defer { hidesPlan = isHidden }
    if showsPlan {
      if shownScalars.contains(where: { $0 === select }) {
        hidesPlan = true
      } else {
        shownScalars.append(select)
      }
    }
    let first = builder.newRegisters(select.columns.count)
    try emitScalarSubquery(select, first)
    if isInRowComparison {
      rowSubqueries[select.id] = first
      comparedRows.append(select.id)
    }
    return first
  }

  /// Emits a comparison of rows, or conditions or values one behind the other. What the subqueries
  /// of the comparison, or of those that are a column of a row (`isRowItem`), have found is known to
  /// the end: whatever else asks for it is reached only behind them.
  ///
  /// A subquery that is asked for only in a branch may be copied into another one, where it has not
  /// run: within a list, each comparison has a scope of its own.
  @inline(never)
  func inRowComparison(_ body: () throws(SQLError) -> Void) throws(SQLError) {
    let outerCount = comparedRows.count, isInOuter = isInRowComparison
    isInRowComparison = true
    defer {
      isInRowComparison = isInOuter
      while comparedRows.count > outerCount { rowSubqueries[comparedRows.removeLast()] = nil }
    }
    try body()
  }

  /// A row that needs nothing from around it is looked for once, whoever asks for a column first.
  private func emitRowOnce(_ select: BoundSelect) throws(SQLError) -> RegisterIndex {
    let count = select.columns.count
    return try emitKept(select, "SCALAR SUBQUERY", count, saysReuse: false) {
      (result) throws(SQLError) in
      self.emitNull(result, count: count)
      try self.emitSelect(select, to: .registers(result))
    }
  }

  /// Runs `body` where the result is needed, or, for a subquery that needs nothing from around it,
  /// the first time only.
  private func emitOnce(
    _ select: BoundSelect, _ title: String, result: RegisterIndex, count: Int,
    _ body: (RegisterIndex) throws(SQLError) -> Void
  ) throws(SQLError) {
    if select.isCorrelated {
      let own = builder.newRegisters(count)
      try withExplain("CORRELATED \(title) \(select.number)") { () throws(SQLError) in
        try body(own)
      }
      emit(.copy, own.rawValue, result.rawValue, Int32(count - 1))
      return
    }
    let own = try emitKept(select, title, count, saysReuse: true, body)
    emit(.shallowCopy, own.rawValue, result.rawValue)
    for offset in 1..<max(1, count) {
      emit(.shallowCopy, (own + offset).rawValue, (result + offset).rawValue)
    }
  }

  /// Emits what stands at several places and is computed at each: a subquery that has run at one of
  /// them runs at the next, too.
  func withOwnSubqueries(_ body: () throws(SQLError) -> Void) throws(SQLError) {
    let outer = (keptSubqueries, keptSets)
    (keptSubqueries, keptSets) = ([], [])
    defer { (keptSubqueries, keptSets) = outer }
    try body()
  }

  /// The registers in which a subquery has its result for good. What asks for it first at run time
  /// may stand behind something else that asks for it, so it is a subroutine.
  private func emitKept(
    _ select: BoundSelect, _ title: String, _ count: Int, saysReuse: Bool,
    _ body: (RegisterIndex) throws(SQLError) -> Void
  ) throws(SQLError) -> RegisterIndex {
    let isKnown = newLabel()
    emit(.once, 0, isKnown.operand)
    if let known = keptSubqueries.last(where: { $0.select === select }) {
      if saysReuse { emitExplain("REUSE SUBQUERY \(select.number)") }
      emit(.gosub, known.returnAddress.rawValue, known.entry.operand)
      place(isKnown)
      return known.first
    }
    let kept = KeptSubquery(
      select: select, first: builder.newRegisters(count), returnAddress: newRegister(),
      entry: newLabel())
    let done = newLabel()
    emit(.gosub, kept.returnAddress.rawValue, kept.entry.operand)
    emitGoto(isKnown)
    place(kept.entry)
    emit(.once, 0, done.operand)
    try withExplain("\(title) \(select.number)") { () throws(SQLError) in try body(kept.first) }
    place(done)
    emit(.return, kept.returnAddress.rawValue)
    place(isKnown)
    keptSubqueries.append(kept)
    return kept.first
  }
}

extension BoundExpression {
  /// A column of a row value, or the comparison of one.
  var isRowItem: Bool {
    switch kind {
    case .subqueryColumn: true
    case .comparison(_, let left, let right):
      left.isSubqueryColumn || right.isSubqueryColumn
    default: false
    }
  }

  private var isSubqueryColumn: Bool {
    if case .subqueryColumn = kind { return true }
    return false
  }
}

/// Where a subquery runs, and where its result is then.
struct KeptSubquery {
  let select: BoundSelect
  let first: RegisterIndex
  let returnAddress: RegisterIndex
  let entry: Label
}
