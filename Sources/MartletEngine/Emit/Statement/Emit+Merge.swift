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
  /// found by way of sets, and sorted at once.
  func mergesParts(
    _ compound: Compound, _ target: SelectTarget, _ limit: LimitRegisters
  ) throws(SQLError) -> Bool {
    let isLimited = limit.limit != .none || target.wantsOneRow
    if isLimited && compound.operators.allSatisfy({ $0 == .unionAll }) { return true }
    // One part that does not come in the order decides, or with LIMIT one that does.
    return try isAnyPart(compound, compound.merged, isFull: false, inOrder: isLimited) == isLimited
  }

  /// Whether there is a part in the order, or one that is not.
  private func isAnyPart(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool, inOrder: Bool
  ) throws(SQLError) -> Bool {
    guard range.count > 1 else {
      let terms = compound.ordering(isFull: isFull)
      return try comesInOrder(compound.parts[range.lowerBound], terms) == inOrder
    }
    let isFull = isFull || compound.operation(range) != .unionAll, sides = compound.sides(range)
    if try isAnyPart(compound, sides.left, isFull: isFull, inOrder: inOrder) { return true }
    return try isAnyPart(compound, sides.right, isFull: isFull, inOrder: inOrder)
  }

  /// The part's loops give the order, or it has no more than one row.
  private func comesInOrder(
    _ part: BoundSelect, _ terms: TreeList<BoundOrderingTerm>
  ) throws(SQLError) -> Bool {
    guard part.mayComeInOrder(terms) else { return false }
    let select = try Rewriter.rewritten(part, isPartOfMerge: true)
    switch select.body {
    case .simple(let simple):
      guard !simple.isAggregate else { return simple.groupBy.isEmpty }
      guard simple.window == nil, !simple.sources.contains(where: \.isSubquery) else {
        return false
      }
      let parts = SelectParts(simple, select)
      guard parts.takeOrder(terms) else { return false }
      let goal = plainGoal(parts)
      let plan = try Planner.planLoops(simple, goal: goal, subqueries: [])
      return plan.orderedCount == terms.count
    case .compound(let inner, let operators, _):
      guard operators.allSatisfy({ $0 == .unionAll }) else { return false }
      for part in inner where try !comesInOrder(part, terms) { return false }
      return true
    case .values(let rows): return rows.count == 1
    case .recursive, .currentRow: return false
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

  /// Emits the merge of the parts of `range`. `isFull`: an operator around them asks for whole rows
  /// in order. `first`: the register of how many first rows are wanted, if any.
  func emitMerge(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool, first: RegisterIndex,
    _ sink: CompoundSink
  ) throws(SQLError) {
    try attend()
    let operation = compound.operation(range), sides = compound.sides(range)
    let isFull = isFull || operation != .unionAll
    // The first rows of a UNION ALL are among the first of each side.
    let first = operation == .unionAll ? first : .none
    try withMergeExplain(operation, sink) { () throws(SQLError) in
      let left = try emitSide("LEFT", compound, sides.left, isFull: isFull, first: first)
      let right = try emitSide("RIGHT", compound, sides.right, isFull: isFull, first: first)
      let merge = Merge(
        left: left, right: right, terms: compound.ordering(isFull: isFull),
        repeats: operation == .unionAll ? nil : openRepeats(compound, sink),
        columnCount: compound.collations.count, sink: sink)
      emitRows(of: merge, operation)
    }
  }

  private func emitSide(
    _ title: String, _ compound: Compound, _ range: Range<Int>, isFull: Bool,
    first: RegisterIndex
  ) throws(SQLError) -> MergeSide {
    let terms = compound.ordering(isFull: isFull)
    let routine = try emitRoutine(columnCount: compound.collations.count) {
      target throws(SQLError) in
      try withExplain(title) { () throws(SQLError) in
        guard range.count > 1 else {
          partOrder = PartOrder(terms: terms, isMerged: true, first: first)
          return try emitSelect(compound.parts[range.lowerBound], to: target)
        }
        let end = newLabel()
        try emitMerge(
          compound, range, isFull: isFull, first: first,
          CompoundSink(target: target, limit: .none, done: end, sorter: nil))
        place(end)
      }
    }
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
    _ compound: Compound, _ sink: CompoundSink
  ) -> (row: RegisterIndex, filter: DistinctFilter) {
    let isFirst = newRegister(), row: RegisterIndex
    if case .coroutine(_, let result) = sink.target {
      row = result
    } else {
      row = builder.newRegisters(compound.collations.count)
    }
    emitInteger(1, into: isFirst)
    return (row, .previous(row, isFirst: isFirst, keyInfo(compound.collations)))
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
