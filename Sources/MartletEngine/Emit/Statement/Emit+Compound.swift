// Compound SELECTs. The parts associate to the left; rows of an operator come in an order unless it
// is UNION ALL without ORDER BY, whose parts run one after the other.
//
// What has an order is done in one of two ways. A merge (`Emit+Merge`) runs the two sides of each
// operator as co-routines that come in that order, and takes what it needs of them: it is for parts
// whose loops give the order, and for LIMIT. Otherwise all rows go through sets and a sorter
// (`Emit+CompoundSets`), which costs less than to sort each part. SQLite always merges, and EXPLAIN
// QUERY PLAN says so; the rows and their order are the same.

extension Emitter {
  func emitCompound(
    _ select: BoundSelect, _ parts: [BoundSelect], _ operators: [CompoundOperator],
    _ collations: [Collation], _ target: SelectTarget, _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    // In the part of a merge, which may be a compound once its subquery is merged, the order of
    // that merge counts.
    let outer = partOrder
    partOrder = nil
    let merged =
      select.orderBy.isEmpty && outer == nil
      ? operators.lastIndex { $0 != .unionAll } : operators.count - 1
    let ordering = outer?.terms ?? select.orderBy
    let compound = Compound(
      parts: parts, operators: operators, collations: collations,
      mergedCount: merged.map { $0 + 2 } ?? 0, ordering: ordering,
      fullOrdering: select.fullOrdering(ordering, collations))
    guard compound.mergedCount > 0 else {
      let sink = CompoundSink(target: target, limit: limit, done: done, sorter: nil)
      return try withExplain("COMPOUND QUERY") { () throws(SQLError) in
        try emitParts(compound, sink) { () throws(SQLError) in
          try withExplain("LEFT-MOST SUBQUERY") { () throws(SQLError) in
            try emitPart(parts[0], sink)
          }
        }
      }
    }
    let merges: Bool
    if let outer {
      merges = outer.isMerged
    } else {
      merges = try mergesParts(compound, target, limit)
    }
    let sorter = select.orderBy.isEmpty || merges ? nil : try openSorter(select, limit)
    let sink = CompoundSink(target: target, limit: limit, done: done, sorter: sorter)
    try emitParts(compound, sink) { () throws(SQLError) in
      if merges {
        let first = outer?.first ?? firstRows(target, limit)
        try emitMerge(compound, compound.merged, isFull: false, first: first, sink)
      } else {
        try emitSides(compound, compound.merged, isFull: false, sink)
      }
    }
    if let sorter { emitSorted(sorter, target, limit, done) }
  }

  struct Compound {
    let parts: [BoundSelect]
    let operators: [CompoundOperator]
    let collations: [Collation]
    /// So many parts, from the first, are to come in an order; the others run one after the other.
    let mergedCount: Int
    /// What the rows are asked to be ordered by, and this with the columns that it does not name:
    /// every operator but UNION ALL compares whole rows, and the operators of its sides are asked
    /// for the same.
    fileprivate let ordering, fullOrdering: TreeList<BoundOrderingTerm>

    var merged: Range<Int> { 0..<mergedCount }

    func ordering(isFull: Bool) -> TreeList<BoundOrderingTerm> {
      isFull ? fullOrdering : ordering
    }

    /// The operator between the sides of these parts.
    func operation(_ range: Range<Int>) -> CompoundOperator { operators[range.upperBound - 2] }

    /// The right side is the last part. Of more than three parts that are joined by the same UNION
    /// or UNION ALL it is half of them, so that no row goes through many merges.
    func sides(_ range: Range<Int>) -> (left: Range<Int>, right: Range<Int>) {
      let operation = operation(range)
      var start = range.upperBound - 1
      if operation == .union || operation == .unionAll {
        while start > range.lowerBound, operators[start - 1] == operation { start -= 1 }
      }
      let count = range.upperBound - start
      let middle = range.upperBound - (count > 3 ? (count + 1) / 2 : 1)
      return (range.lowerBound..<middle, middle..<range.upperBound)
    }
  }

  /// What happens to the rows of the whole.
  struct CompoundSink {
    let target: SelectTarget
    let limit: LimitRegisters
    let done: Label
    let sorter: RowSorter?
  }

  /// The order that the part of a compound SELECT that is emitted next should come in.
  struct PartOrder {
    /// They name result columns.
    let terms: TreeList<BoundOrderingTerm>
    /// The part has to come in the order: else it is only asked for it, as SQLite would.
    var isMerged = false
    /// For UNION ALL with a LIMIT, the register that has how many of the first rows are wanted at
    /// most (negative: all).
    var first = RegisterIndex.none
  }

  /// Emits the parts, of which `leading` emits those that are in an order, or the first.
  private func emitParts(
    _ compound: Compound, _ sink: CompoundSink, leading: () throws(SQLError) -> Void
  ) throws(SQLError) {
    let filter = filteredSet
    try leading()
    for part in compound.parts.dropFirst(max(1, compound.mergedCount)) {
      filteredSet = filter
      try withExplain("UNION ALL") { () throws(SQLError) in try emitPart(part, sink) }
    }
  }

  /// Emits the operator between the sides of some parts as a node of the query plan. SQLite fills a
  /// Bloom filter with the rows of a set each time it puts one out.
  func withMergeExplain(
    _ operation: CompoundOperator, _ sink: CompoundSink, _ body: () throws(SQLError) -> Void
  ) throws(SQLError) {
    let filter = filteredSet
    filteredSet = nil
    try withExplain("MERGE (\(operation.words))") { () throws(SQLError) in
      try body()
      guard let filter, case .set(filter, _) = sink.target else { return }
      emitExplain("CREATE BLOOM FILTER")
      if operation == .union || operation == .unionAll { emitExplain("CREATE BLOOM FILTER") }
    }
  }

  /// A part whose rows go straight on. Its rows pass through a co-routine where they must be
  /// counted or sorted with those of the other parts.
  func emitPart(_ part: BoundSelect, _ sink: CompoundSink) throws(SQLError) {
    if sink.sorter == nil && sink.limit.limit == .none && !sink.target.wantsOneRow {
      return try emitSelect(part, to: sink.target)
    }
    let routine = try emitRoutine(columnCount: part.columns.count) { target throws(SQLError) in
      try self.emitSelect(part, to: target)
    }
    let end = newLabel(), again = builder.placeNewLabel()
    emit(.yield, routine.yield.rawValue, end.operand)
    if let sorter = sink.sorter {
      try emitSort(routine.row, sorter)
    } else {
      emitRow(
        routine.row, count: part.columns.count, to: sink.target, sink.limit, next: again,
        end: sink.done)
    }
    emitGoto(again)
    place(end)
  }

  /// A co-routine that gives rows, and its registers.
  struct RowRoutine {
    let yield, row: RegisterIndex
  }

  func emitRoutine(
    columnCount: Int, _ body: (SelectTarget) throws(SQLError) -> Void
  ) throws(SQLError) -> RowRoutine {
    let routine = RowRoutine(yield: newRegister(), row: builder.newRegisters(columnCount))
    let entry = newLabel(), behind = newLabel()
    emit(.initCoroutine, routine.yield.rawValue, behind.operand, entry.operand)
    place(entry)
    try body(.coroutine(yield: routine.yield, row: routine.row))
    emit(.endCoroutine, routine.yield.rawValue)
    place(behind)
    return routine
  }
}

extension CompoundOperator {
  fileprivate var words: String {
    switch self {
    case .union: "UNION"
    case .unionAll: "UNION ALL"
    case .intersect: "INTERSECT"
    case .except: "EXCEPT"
    }
  }
}

extension BoundSelect {
  /// The order with the columns that it does not name.
  fileprivate func fullOrdering(
    _ ordering: TreeList<BoundOrderingTerm>, _ collations: [Collation]
  ) -> TreeList<BoundOrderingTerm> {
    let named = ordering.map(\.resultColumn)
    let rest = self.columns.indices.filter { !named.contains($0) }
    let others = rest.map { index in
      BoundOrderingTerm(
        expression: self.columns[index].expression, isDescending: false, hasBigNulls: false,
        resultColumn: index, collation: collations[index])
    }
    return TreeList(Array(ordering) + others, in: self.memory)
  }
}
