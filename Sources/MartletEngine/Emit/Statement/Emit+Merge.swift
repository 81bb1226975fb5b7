// The merge of the two sides of a compound operator, which are co-routines in the same order:
//
//              next row of each side
//     compare: less     the left row comes first
//              equal    UNION ALL and INTERSECT give the left row, UNION the right one
//              greater  the right row comes first, of EXCEPT and INTERSECT it is passed over
//              next row of that side, or what is left of the other one
//
// Repeated rows are neighbours: all but UNION ALL keep the row that was given last. What is not
// asked for is not computed, so LIMIT ends the loops of the parts, too.

extension Emitter {
  // MARK: Choice

  /// Whether a merge is worth it. All rows of parts that would have to be sorted first are faster
  /// found by way of sets, where many repeat, and sorted at once; but with a limit the set would have
  /// rows that nobody asks for. Where operators compare rows in other collations than those of the
  /// order, which rows repeat shows in a merge only.
  func mergesParts(
    _ compound: Compound, _ target: SelectTarget, _ limit: LimitRegisters
  ) throws(SQLError) -> Bool {
    if compound.comparesDifferently { return true }
    let isLimited = limit.limit != .none || target.wantsOneRow
    if isLimited { return true }
    return try isInOrder(compound, compound.merged, isFull: false)
  }

  /// Whether all parts come in their order.
  private func isInOrder(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool
  ) throws(SQLError) -> Bool {
    guard range.count > 1 else {
      let terms = compound.ordering(isFull: isFull)
      return try orderedCount(compound.parts[range.lowerBound], terms) == terms.count
    }
    let isFull = isFull || compound.operation(range) != .unionAll, sides = compound.sides(range)
    guard try isInOrder(compound, sides.left, isFull: isFull) else { return false }
    return try isInOrder(compound, sides.right, isFull: isFull)
  }

  /// How many of the terms are given by the part's loops, or because it has no more than one row.
  private func orderedCount(
    _ part: BoundSelect, _ terms: TreeList<BoundOrderingTerm>
  ) throws(SQLError) -> Int {
    guard part.mayComeInOrder(terms) else { return 0 }
    let select = try Rewriter.rewritten(part, isPartOfMerge: true)
    switch select.body {
    case .simple(let simple):
      guard !select.hasOneRow else { return terms.count }
      let parts = SelectParts(simple, select)
      guard !simple.sources.contains(where: \.isSubquery), parts.takeOrder(terms) else { return 0 }
      return try Planner.planLoops(simple, goal: plainGoal(parts), subqueries: []).orderedCount
    case .compound(let inner, let operators, _):
      guard operators.allSatisfy({ $0 == .unionAll }) else { return 0 }
      var count = terms.count
      for part in inner where count > 0 { count = min(count, try orderedCount(part, terms)) }
      return count
    case .values: return select.hasOneRow ? terms.count : 0
    case .recursive, .currentRow: return 0
    }
  }

  /// The register of how many first rows are wanted of a merge, if that is limited.
  func firstRows(_ target: SelectTarget, _ limit: LimitRegisters) -> RegisterIndex {
    guard limit.limit == .none, target.wantsOneRow else { return limit.total }
    let one = newRegister()
    emitInteger(1, into: one)
    return one
  }

  // MARK: Merge

  /// A side of a merge: its co-routine, and where the values that it is ordered by are.
  private struct MergeSide {
    let routine: RowRoutine
    let key: RegisterIndex
  }

  /// A merge whose left side is being emitted.
  private struct OpenMerge {
    let range: Range<Int>
    /// Whole rows have to come in order.
    let isFull: Bool
    /// The register of how many first rows are wanted of each side, if that is limited.
    let first: RegisterIndex
    let sink: CompoundSink
    let left: RowRoutine
    let node: MergeExplain
    let leftNode: Int32
  }

  /// Emits the merge of the parts of `range`. `isFull`: an operator around them asks for whole rows
  /// in order. `first`: the register of how many first rows are wanted, if any.
  ///
  /// The left side may be as deep as there are parts: it is no recursion.
  func emitMerge(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool, first: RegisterIndex,
    _ sink: CompoundSink
  ) throws(SQLError) {
    var open = [beginMerge(compound, range, isFull: isFull, first: first, sink)]
    while let merge = open.last {
      try attend()
      let left = compound.sides(merge.range).left
      guard left.count > 1 else {
        try emitMerged(compound.parts[left.lowerBound], compound, merge, to: merge.left.target)
        break
      }
      let inner = CompoundSink(
        target: merge.left.target, limit: .none, done: merge.left.end, sorter: nil)
      open.append(
        beginMerge(compound, left, isFull: merge.isFull, first: merge.first, inner))
    }
    while let merge = open.popLast() { try finishMerge(compound, merge) }
  }

  private func beginMerge(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool, first: RegisterIndex,
    _ sink: CompoundSink
  ) -> OpenMerge {
    let operation = compound.operation(range)
    let node = openMergeExplain(operation)
    let left = openRoutine(columnCount: compound.collations.count)
    // The first rows of a UNION ALL are among the first of each side.
    return OpenMerge(
      range: range, isFull: isFull || operation != .unionAll,
      first: operation == .unionAll ? first : .none, sink: sink, left: left, node: node,
      leftNode: openExplain("LEFT"))
  }

  private func finishMerge(_ compound: Compound, _ merge: OpenMerge) throws(SQLError) {
    closeRoutine(merge.left)
    closeExplain(merge.leftNode)
    let range = compound.sides(merge.range).right
    let right = openRoutine(columnCount: compound.collations.count)
    let rightNode = openExplain("RIGHT")
    if range.count > 1 {
      try emitMerge(
        compound, range, isFull: merge.isFull, first: merge.first,
        CompoundSink(target: right.target, limit: .none, done: right.end, sorter: nil))
    } else {
      try emitMerged(compound.parts[range.lowerBound], compound, merge, to: right.target)
    }
    closeRoutine(right)
    closeExplain(rightNode)
    let operation = compound.operation(merge.range)
    let terms = compound.ordering(isFull: merge.isFull)
    let rows = Merge(
      left: side(merge.left, terms), right: side(right, terms), terms: terms,
      repeats: operation == .unionAll
        ? nil : openRepeats(compound.collations(merge.range), merge.sink),
      columnCount: compound.collations.count, sink: merge.sink)
    emitRows(of: rows, operation)
    closeMergeExplain(merge.node, operation, merge.sink)
  }

  private func emitMerged(
    _ part: BoundSelect, _ compound: Compound, _ merge: OpenMerge, to target: SelectTarget
  ) throws(SQLError) {
    partOrder = PartOrder(
      terms: compound.ordering(isFull: merge.isFull), isMerged: true, first: merge.first)
    try emitSelect(part, to: target)
  }

  private func side(
    _ routine: RowRoutine, _ terms: TreeList<BoundOrderingTerm>
  ) -> MergeSide {
    let key = terms.firstKeyColumn.map { routine.row + $0 } ?? builder.newRegisters(terms.count)
    return MergeSide(routine: routine, key: key)
  }

  /// What the rows of a merge go through.
  private struct Merge {
    let left, right: MergeSide
    let terms: TreeList<BoundOrderingTerm>
    /// Where the row is kept that was given last, if none may come twice.
    let repeats: (row: RegisterIndex, filter: DistinctFilter)?
    let columnCount: Int
    let sink: CompoundSink
  }

  /// The registers of a co-routine's row keep it anyway.
  private func openRepeats(
    _ collations: [Collation], _ sink: CompoundSink
  ) -> (row: RegisterIndex, filter: DistinctFilter) {
    let isFirst = newRegister(), row: RegisterIndex
    if case .coroutine(_, let result) = sink.target {
      row = result
    } else {
      row = builder.newRegisters(collations.count)
    }
    emitInteger(1, into: isFirst)
    return (row, .previous(row, isFirst: isFirst, keyInfo(collations)))
  }

  private func emitRows(of merge: Merge, _ operation: CompoundOperator) {
    let givesRight = operation == .union || operation == .unionAll
    let end = newLabel(), compare = newLabel(), onlyLeft = newLabel(), onlyRight = newLabel()
    let less = newLabel(), equal = newLabel(), greater = newLabel(), noLeft = newLabel()
    emitNext(merge.left, merge, end: givesRight ? noLeft : end)
    emitNext(merge.right, merge, end: operation == .intersect ? end : onlyLeft)
    emitGoto(compare)

    place(greater)
    if givesRight { emitRow(of: merge.right, merge) }
    emitNext(merge.right, merge, end: operation == .intersect ? end : onlyLeft)
    emitGoto(compare)

    let givesEqual = operation == .unionAll || operation == .intersect
    place(givesEqual ? equal : less)
    if operation == .unionAll { place(less) }
    emitRow(of: merge.left, merge)
    if operation != .unionAll { place(givesEqual ? less : equal) }
    emitNext(merge.left, merge, end: givesRight ? onlyRight : end)
    place(compare)
    emit(
      .compare, merge.left.key.rawValue, merge.right.key.rawValue, Int32(merge.terms.count),
      p4: builder.addKeyInfo(keyInfo(of: merge.terms)))
    emit(.jump, less.operand, equal.operand, greater.operand)

    if givesRight { emitRest(of: merge.right, merge, entry: onlyRight, noLeft, end: end) }
    if operation != .intersect {
      emitRest(of: merge.left, merge, entry: onlyLeft, newLabel(), end: end)
    }
    place(end)
  }

  /// Gives the rows of a side from the current one, or at `next` from the one behind it.
  private func emitRest(
    of side: MergeSide, _ merge: Merge, entry: Label, _ next: Label, end: Label
  ) {
    place(entry)
    emitRow(of: side, merge)
    place(next)
    emit(.yield, side.routine.yield.rawValue, end.operand)
    emitGoto(entry)
  }

  private func emitNext(_ side: MergeSide, _ merge: Merge, end: Label) {
    emit(.yield, side.routine.yield.rawValue, end.operand)
    guard merge.terms.firstKeyColumn == nil else { return }
    for (offset, term) in merge.terms.enumerated() {
      emit(
        .shallowCopy, (side.routine.row + term.resultColumn).rawValue,
        (side.key + offset).rawValue)
    }
  }

  private func emitRow(of side: MergeSide, _ merge: Merge) {
    let next = newLabel(), sink = merge.sink
    var row = side.routine.row
    if let repeats = merge.repeats {
      emitDistinctTest(repeats.filter, row, count: merge.columnCount, next)
      row = repeats.row
    }
    emitRow(row, count: merge.columnCount, to: sink.target, sink.limit, next: next, end: sink.done)
    place(next)
  }
}

extension BoundSelect {
  /// A look at the part before it is planned, which costs more: there is something that could give
  /// the order.
  fileprivate func mayComeInOrder(_ terms: TreeList<BoundOrderingTerm>) -> Bool {
    guard case .simple(let simple) = self.body, !simple.isAggregate, let term = terms.first else {
      return true
    }
    if simple.window != nil { return false }
    guard case .column(let id, let column) = self.columns[term.resultColumn].expression
      .withoutCollate.kind
    else { return true }
    guard let source = simple.sources.first(where: { $0.id == id }),
      case .table(let table) = source.kind
    else { return true }
    return column < 0
      || table.indexes.contains { $0.columns.contains { $0.tableColumn == Int(column) } }
  }
}
