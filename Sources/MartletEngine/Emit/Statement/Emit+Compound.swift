// Compound SELECTs. The parts associate to the left.
//
//     UNION ALL    rows of the left side, then of the right
//     UNION        both into one set; its keys, sorted
//     EXCEPT       the left side into a set, the right side out of it; its keys, sorted
//     INTERSECT    both into sets; the keys of the left one that are in the right one, sorted
//
// The right side of the last two is not run where the left one has no rows: it might fail.
//
// With ORDER BY the rows go through a sorter, which keeps the order of equal ones. SQLite merges
// sorted parts instead, and EXPLAIN QUERY PLAN says so; the rows and their order are the same. Of
// equal rows of a UNION it shows the right side's, so the right side fills the set first.

extension Emitter {
  func emitCompound(
    _ select: BoundSelect, _ parts: [BoundSelect], _ operators: [CompoundOperator],
    _ collations: [Collation], _ target: SelectTarget, _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    // In the part of a merge, which may be a compound once its subquery is merged, the order of
    // that merge counts.
    let outerOrdering = partOrdering
    partOrdering = nil
    let merged =
      select.orderBy.isEmpty && outerOrdering == nil
      ? operators.lastIndex { $0 != .unionAll } : operators.count - 1
    let compound = Compound(
      parts: parts, operators: operators, collations: collations,
      columnCount: select.columns.count, mergedCount: merged.map { $0 + 2 } ?? 0,
      ordering: outerOrdering ?? select.orderBy,
      fullOrdering: select.fullOrdering(outerOrdering ?? select.orderBy, collations))
    let sorter = select.orderBy.isEmpty ? nil : try openSorter(select, limit)
    let sink = CompoundSink(target: target, limit: limit, done: done, sorter: sorter)
    if merged != nil {
      try emitParts(compound, count: parts.count, sink)
    } else {
      try withExplain("COMPOUND QUERY") { () throws(SQLError) in
        try emitParts(compound, count: parts.count, sink)
      }
    }
    if let sorter { emitSorted(sorter, target, limit, done) }
  }

  private struct Compound {
    let parts: [BoundSelect]
    let operators: [CompoundOperator]
    let collations: [Collation]
    let columnCount: Int
    /// So many parts, from the first, would SQLite merge; it runs the others one after the other.
    let mergedCount: Int
    /// What the merge is asked to order by, and this with the columns that it does not name.
    let ordering, fullOrdering: TreeList<BoundOrderingTerm>

    /// The order in which the operator behind part `count - 1` wants its sides: every operator but
    /// UNION ALL compares whole rows, and its left side's operators are asked for the same.
    func partOrdering(count: Int) -> TreeList<BoundOrderingTerm> {
      operators[(count - 2)..<(mergedCount - 1)].allSatisfy { $0 == .unionAll }
        ? ordering : fullOrdering
    }
  }

  /// What happens to the rows of the whole.
  private struct CompoundSink {
    let target: SelectTarget
    let limit: LimitRegisters
    let done: Label
    let sorter: RowSorter?
  }

  /// Emits the first `count` parts.
  private func emitParts(
    _ compound: Compound, count: Int, _ sink: CompoundSink
  ) throws(SQLError) {
    let right = compound.parts[count - 1]
    guard count > 1 else {
      if compound.mergedCount > 0 {
        partOrdering = compound.partOrdering(count: 2)
        return try emitPart(right, sink)
      }
      return try withExplain("LEFT-MOST SUBQUERY") { () throws(SQLError) in
        try emitPart(right, sink)
      }
    }
    let operation = compound.operators[count - 2]
    let filter = filteredSet
    guard count <= compound.mergedCount else {
      try emitParts(compound, count: count - 1, sink)
      filteredSet = filter
      return try withExplain("UNION ALL") { () throws(SQLError) in
        try emitPart(right, sink)
      }
    }
    try withExplain("MERGE (\(operation.words))") { () throws(SQLError) in
      filteredSet = nil
      try emitMerge(operation, compound, count: count, sink)
      guard let filter, case .set(filter, _) = sink.target else { return }
      emitExplain("CREATE BLOOM FILTER")
      if operation == .union || operation == .unionAll { emitExplain("CREATE BLOOM FILTER") }
    }
  }

  private func emitMerge(
    _ operation: CompoundOperator, _ compound: Compound, count: Int, _ sink: CompoundSink
  ) throws(SQLError) {
    let right = compound.parts[count - 1]
    switch operation {
    case .unionAll:
      try withExplain("LEFT") { () throws(SQLError) in
        try emitParts(compound, count: count - 1, sink)
      }
      try withExplain("RIGHT") { () throws(SQLError) in
        partOrdering = compound.partOrdering(count: count)
        try emitPart(right, sink)
      }
    case .union:
      let set = openSet(compound, .union)
      try emitUnion(compound, count: count, set)
      try emitSet(set, compound, sink)
    case .except, .intersect:
      let set = openSet(compound, operation == .except ? .except : .intersect), end = newLabel()
      try emitLeft(compound, count: count - 1, set)
      emit(.setIsEmpty, set.rawValue, end.operand)
      try emitRight(compound, count: count, to: .setMarks(set))
      try emitSet(set, compound, sink)
      place(end)
    }
  }

  /// Fills a set with both sides of a UNION, the right side first, though it comes second in the
  /// program: EXPLAIN QUERY PLAN shows it there.
  private func emitUnion(_ compound: Compound, count: Int, _ set: CursorID) throws(SQLError) {
    let left = newLabel(), right = newLabel(), end = newLabel()
    emitGoto(right)
    place(left)
    try emitLeft(compound, count: count - 1, set)
    emitGoto(end)
    place(right)
    try emitRight(compound, count: count, to: .set(set, []))
    emitGoto(left)
    place(end)
  }

  private func emitRight(
    _ compound: Compound, count: Int, to target: SelectTarget
  ) throws(SQLError) {
    try withExplain("RIGHT") { () throws(SQLError) in
      partOrdering = compound.partOrdering(count: count)
      try emitSelect(compound.parts[count - 1], to: target)
    }
  }

  private func openSet(_ compound: Compound, _ use: SetUse) -> CursorID {
    let set = builder.newCursor()
    emit(
      .setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo(compound.collations)),
      p5: use.rawValue)
    return set
  }

  /// The first `count` parts as the left side of an operator that works on sets: a UNION there puts
  /// its rows into the same set.
  private func emitLeft(
    _ compound: Compound, count: Int, _ set: CursorID
  ) throws(SQLError) {
    try withExplain("LEFT") { () throws(SQLError) in
      if count > 1, compound.operators[count - 2] == .union {
        try withExplain("MERGE (UNION)") { () throws(SQLError) in
          try emitUnion(compound, count: count, set)
        }
        return
      }
      let end = newLabel()
      let sink = CompoundSink(target: .set(set, []), limit: .none, done: end, sorter: nil)
      try emitParts(compound, count: count, sink)
      place(end)
    }
  }

  /// A part whose rows go straight on. Its rows pass through a co-routine where they must be
  /// counted or sorted with those of the other parts.
  private func emitPart(_ part: BoundSelect, _ sink: CompoundSink) throws(SQLError) {
    if sink.sorter == nil && sink.limit.limit == .none && !sink.target.wantsOneRow {
      return try emitSelect(part, to: sink.target)
    }
    let yield = newRegister()
    let row = builder.newRegisters(part.columns.count)
    let entry = newLabel(), behind = newLabel(), end = newLabel()
    emit(.initCoroutine, yield.rawValue, behind.operand, entry.operand)
    place(entry)
    var first: RegisterIndex?
    if let sorter = sink.sorter, sink.limit.total != .none,
      partOrdering?.count == sorter.terms.count
    {
      // The first rows of the whole are among the first of each part.
      first = sink.limit.total
    }
    try emitSelect(part, to: .coroutine(yield: yield, row: row), first: first)
    emit(.endCoroutine, yield.rawValue)
    place(behind)
    let again = builder.placeNewLabel()
    emit(.yield, yield.rawValue, end.operand)
    if let sorter = sink.sorter {
      try emitSort(row, sorter)
    } else {
      emitRow(
        row, count: part.columns.count, to: sink.target, sink.limit, next: again,
        end: sink.done)
    }
    emitGoto(again)
    place(end)
  }

  /// Walks a set in order.
  private func emitSet(
    _ set: CursorID, _ compound: Compound, _ sink: CompoundSink
  ) throws(SQLError) {
    let end = newLabel(), next = newLabel()
    emit(.setRewind, set.rawValue, end.operand)
    let again = builder.placeNewLabel()
    let row = builder.newRegisters(compound.columnCount)
    for column in 0..<compound.columnCount {
      emit(.rowColumn, set.rawValue, Int32(column), (row + column).rawValue)
    }
    if let sorter = sink.sorter {
      try emitSort(row, sorter)
    } else {
      emitRow(
        row, count: compound.columnCount, to: sink.target, sink.limit, next: next,
        end: sink.done)
    }
    place(next)
    emit(.setNext, set.rawValue, again.operand)
    place(end)
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
