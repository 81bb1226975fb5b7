// Compound SELECTs. The parts associate to the left.
//
//     UNION ALL    rows of the left side, then of the right
//     UNION        both into one set; its keys, sorted
//     EXCEPT       the left side into a set, the right side out of it; its keys, sorted
//     INTERSECT    both into sets; the keys of the left one that are in the right one, sorted
//
// With ORDER BY the rows go through a sorter, which keeps the order of equal ones.

extension Emitter {
  func emitCompound(
    _ select: BoundSelect, _ parts: [BoundSelect], _ operators: [CompoundOperator],
    _ collations: [Collation], _ target: SelectTarget, _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    let compound = Compound(
      parts: parts, operators: operators, collations: collations,
      columnCount: select.columns.count)
    let sorter = select.orderBy.isEmpty ? nil : try openSorter(select, limit)
    let sink = CompoundSink(target: target, limit: limit, done: done, sorter: sorter)
    try withExplain("COMPOUND QUERY") { () throws(SQLError) in
      try emitParts(compound, count: parts.count, sink)
    }
    guard let sorter else { return }
    emitSortExplain(0, select.orderBy.count)
    emitSorted(sorter, select, target, limit, done)
  }

  private struct Compound {
    let parts: [BoundSelect]
    let operators: [CompoundOperator]
    let collations: [Collation]
    let columnCount: Int
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
    guard count > 1 else {
      return try emitPart(compound.parts[0], title: "LEFT-MOST SUBQUERY", sink)
    }
    let operation = compound.operators[count - 2]
    let right = compound.parts[count - 1]
    switch operation {
    case .unionAll:
      try emitParts(compound, count: count - 1, sink)
      try emitPart(right, title: "UNION ALL", sink)
    case .union:
      let set = openSet(compound)
      try emitIntoSet(compound, count: count - 1, set)
      try withExplain("UNION USING TEMP B-TREE") { () throws(SQLError) in
        try emitSelect(right, to: .set(set, []))
      }
      try emitSet(set, compound, sink, except: nil)
    case .except:
      let set = openSet(compound)
      try emitIntoSet(compound, count: count - 1, set)
      try withExplain("EXCEPT USING TEMP B-TREE") { () throws(SQLError) in
        try emitSelect(right, to: .setRemoval(set))
      }
      try emitSet(set, compound, sink, except: nil)
    case .intersect:
      let left = openSet(compound), other = openSet(compound)
      try emitIntoSet(compound, count: count - 1, left)
      try withExplain("INTERSECT USING TEMP B-TREE") { () throws(SQLError) in
        try emitSelect(right, to: .set(other, []))
      }
      try emitSet(left, compound, sink, except: other)
    }
  }

  private func openSet(_ compound: Compound) -> CursorID {
    let set = builder.newCursor()
    emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo(compound.collations)))
    return set
  }

  /// The first `count` parts as the left side of an operator that works on sets: a UNION there puts
  /// its rows into the same set.
  private func emitIntoSet(
    _ compound: Compound, count: Int, _ set: CursorID
  ) throws(SQLError) {
    let end = newLabel()
    let sink = CompoundSink(
      target: .set(set, []), limit: .none, done: end, sorter: nil)
    if count > 1, compound.operators[count - 2] == .union {
      try emitIntoSet(compound, count: count - 1, set)
      try withExplain("UNION USING TEMP B-TREE") { () throws(SQLError) in
        try emitSelect(compound.parts[count - 1], to: .set(set, []))
      }
    } else {
      try emitParts(compound, count: count, sink)
    }
    place(end)
  }

  /// A part whose rows go straight on. Its rows pass through a co-routine where they must be counted
  /// or sorted with those of the other parts.
  private func emitPart(
    _ part: BoundSelect, title: String, _ sink: CompoundSink
  ) throws(SQLError) {
    if sink.sorter == nil && sink.limit.limit == .none && !sink.target.wantsOneRow {
      return try withExplain(title) { () throws(SQLError) in
        try emitSelect(part, to: sink.target)
      }
    }
    let yield = newRegister()
    let row = builder.newRegisters(part.columns.count)
    let entry = newLabel(), behind = newLabel(), end = newLabel()
    emit(.initCoroutine, yield.rawValue, behind.operand, entry.operand)
    place(entry)
    try withExplain(title) { () throws(SQLError) in
      try emitSelect(part, to: .coroutine(yield: yield, row: row))
    }
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
    _ set: CursorID, _ compound: Compound, _ sink: CompoundSink, except other: CursorID?
  ) throws(SQLError) {
    let end = newLabel(), next = newLabel()
    emit(.setRewind, set.rawValue, end.operand)
    let again = builder.placeNewLabel()
    let row = builder.newRegisters(compound.columnCount)
    for column in 0..<compound.columnCount {
      emit(.rowColumn, set.rawValue, Int32(column), (row + column).rawValue)
    }
    if let other { emit(.setNotFound, other.rawValue, next.operand, row.rawValue) }
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
