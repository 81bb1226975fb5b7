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
      return try emitInTurn(compound, sink)
    }
    let merges: Bool
    if let outer {
      merges = outer.isMerged
    } else {
      merges = try mergesParts(compound, target, limit)
    }
    let sorter = select.orderBy.isEmpty || merges ? nil : try openSorter(select, limit)
    let sink = CompoundSink(target: target, limit: limit, done: done, sorter: sorter)
    let filter = filteredSet
    if merges {
      let first = outer?.first ?? firstRows(target, limit)
      try emitMerge(compound, compound.merged, isFull: false, first: first, sink)
    } else {
      try emitSides(compound, compound.merged, isFull: false, sink, fillsSet: false)
    }
    try emitParts(compound, from: compound.mergedCount, sink, filter)
    if let sorter { emitSorted(sorter, target, limit, done) }
  }

  /// A UNION ALL without ORDER BY.
  private func emitInTurn(_ compound: Compound, _ sink: CompoundSink) throws(SQLError) {
    let node = openExplain("COMPOUND QUERY"), filter = filteredSet
    let first = openExplain("LEFT-MOST SUBQUERY")
    try emitPart(compound.parts[0], sink)
    closeExplain(first)
    try emitParts(compound, from: 1, sink, filter)
    closeExplain(node)
  }

  /// Parts that are in no order with what is before them.
  private func emitParts(
    _ compound: Compound, from start: Int, _ sink: CompoundSink, _ filter: CursorID?
  ) throws(SQLError) {
    for part in compound.parts[start...] {
      filteredSet = filter
      let node = openExplain("UNION ALL")
      try emitPart(part, sink)
      closeExplain(node)
    }
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

    /// Those in which the columns of some of the parts compare, to tell whether rows repeat: of
    /// each column that of the first of these parts that has one.
    func collations(_ range: Range<Int>) -> [Collation] {
      collations.indices.map { column in
        for part in parts[range] {
          if let collation = part.collation(ofColumn: column) { return collation }
        }
        return .binary
      }
    }

    /// An operator that compares whole rows does so in other collations than the whole.
    var comparesDifferently: Bool {
      if ordersDifferently { return true }
      let isUniform = parts.allSatisfy { part in
        collations.indices.allSatisfy {
          (part.collation(ofColumn: $0) ?? .binary) === collations[$0]
        }
      }
      return !isUniform && comparesDifferently(merged)
    }

    /// Rows that the ORDER BY takes as equal and the columns do not are met at the same time by the
    /// sides of a merge: which of them is left shows in a merge only.
    private var ordersDifferently: Bool {
      operators.contains { $0 != .unionAll }
        && ordering.contains { $0.collation !== collations[$0.resultColumn] }
    }

    private func comparesDifferently(_ range: Range<Int>) -> Bool {
      guard range.count > 1 else { return false }
      if operation(range) != .unionAll, !zip(collations(range), collations).allSatisfy(===) {
        return true
      }
      let sides = sides(range)
      return comparesDifferently(sides.left) || comparesDifferently(sides.right)
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

  /// The node of an operator in the query plan, while what is below it is emitted.
  struct MergeExplain {
    fileprivate let outer: Int32
    fileprivate let filter: CursorID?
  }

  func openMergeExplain(_ operation: CompoundOperator) -> MergeExplain {
    let filter = filteredSet
    filteredSet = nil
    return MergeExplain(outer: openExplain("MERGE (\(operation.words))"), filter: filter)
  }

  /// SQLite fills a Bloom filter with the rows of a set at each place that puts one into it.
  func closeMergeExplain(
    _ node: MergeExplain, _ operation: CompoundOperator, _ sink: CompoundSink
  ) {
    if let filter = node.filter, case .set(filter, _) = sink.target {
      emitExplain("CREATE BLOOM FILTER")
      if operation == .union || operation == .unionAll { emitExplain("CREATE BLOOM FILTER") }
    }
    closeExplain(node.outer)
  }

  /// A part whose rows go straight on. Its rows pass through a co-routine where they must be
  /// counted or sorted with those of the other parts.
  func emitPart(_ part: BoundSelect, _ sink: CompoundSink) throws(SQLError) {
    var limit = sink.limit
    let skipsItself = sink.sorter == nil && part.limit == nil && part.hasTablesOnly
    if skipsItself { limit.offset = .none }
    let offset = skipsItself ? sink.limit.offset : .none
    if sink.sorter == nil && limit.limit == .none && limit.offset == .none
      && !sink.target.wantsOneRow
    {
      return try emitSelect(part, to: sink.target, skipping: offset)
    }
    let routine = openRoutine(columnCount: part.columns.count)
    try emitSelect(part, to: routine.target, skipping: offset)
    closeRoutine(routine)
    let end = newLabel(), again = builder.placeNewLabel()
    emit(.yield, routine.yield.rawValue, end.operand)
    if let sorter = sink.sorter {
      try emitSort(routine.row, sorter)
    } else {
      emitRow(
        routine.row, count: part.columns.count, to: sink.target, limit, next: again,
        end: sink.done)
    }
    emitGoto(again)
    place(end)
  }

  /// A co-routine that gives rows.
  struct RowRoutine {
    let yield, row: RegisterIndex
    /// Where it ends, and what comes behind it.
    let end: Label
    fileprivate let behind: Label

    var target: SelectTarget { .coroutine(yield: yield, row: row) }
  }

  func openRoutine(columnCount: Int) -> RowRoutine {
    let routine = RowRoutine(
      yield: newRegister(), row: builder.newRegisters(columnCount), end: newLabel(),
      behind: newLabel())
    let entry = newLabel()
    emit(.initCoroutine, routine.yield.rawValue, routine.behind.operand, entry.operand)
    place(entry)
    return routine
  }

  func closeRoutine(_ routine: RowRoutine) {
    place(routine.end)
    emit(.endCoroutine, routine.yield.rawValue)
    place(routine.behind)
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
  /// That of the part of a compound, if it has one. What a co-routine gives compares as bytes.
  fileprivate func collation(ofColumn column: Int) -> Collation? {
    self.columns[column].expression.collation ?? (self.isCoroutine ? .binary : nil)
  }

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

extension BoundSelect {
  /// Nothing is merged into it, which could bring a LIMIT of its own.
  fileprivate var hasTablesOnly: Bool {
    switch self.body {
    case .simple(let simple):
      simple.sources.allSatisfy { if case .table = $0.kind { true } else { false } }
    case .values: true
    default: false
    }
  }
}
