// Compound SELECTs whose rows go through sets:
//
//     UNION ALL    rows of the left side, then of the right
//     UNION        both into one set; its keys, sorted
//     EXCEPT       the left side into a set, the right side out of it; its keys, sorted
//     INTERSECT    both into sets; the keys of the left one that are in the right one, sorted
//
// The right side of the last two is not run where the left one has no rows: it might fail.
//
// With ORDER BY the rows go through a sorter, which keeps the order of equal ones. Of equal rows of
// a UNION SQLite shows the right side's, so the right side fills the set first.

extension Emitter {
  /// Emits the parts of `range`. `isFull`: an operator around them asks for whole rows in order.
  func emitSides(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool, _ sink: CompoundSink
  ) throws(SQLError) {
    guard range.count > 1 else {
      partOrder = PartOrder(terms: compound.ordering(isFull: isFull))
      return try emitPart(compound.parts[range.lowerBound], sink)
    }
    try attend()
    let operation = compound.operation(range)
    try withMergeExplain(operation, sink) { () throws(SQLError) in
      switch operation {
      case .unionAll:
        let sides = compound.sides(range)
        try withExplain("LEFT") { () throws(SQLError) in
          try emitSides(compound, sides.left, isFull: isFull, sink)
        }
        try withExplain("RIGHT") { () throws(SQLError) in
          try emitSides(compound, sides.right, isFull: isFull, sink)
        }
      case .union:
        let set = openSet(compound, .union)
        try emitUnion(compound, range, set)
        try emitSet(set, compound, sink)
      case .except, .intersect: try emitDifference(operation, compound, range, sink)
      }
    }
  }

  private func emitDifference(
    _ operation: CompoundOperator, _ compound: Compound, _ range: Range<Int>,
    _ sink: CompoundSink
  ) throws(SQLError) {
    let set = openSet(compound, operation == .except ? .except : .intersect), end = newLabel()
    let sides = compound.sides(range)
    try emitSide("LEFT", compound, sides.left, to: .set(set, []))
    emit(.setIsEmpty, set.rawValue, end.operand)
    try emitSide("RIGHT", compound, sides.right, to: .setMarks(set))
    try emitSet(set, compound, sink)
    place(end)
  }

  /// Fills a set with both sides of a UNION, the right side first, though it comes second in the
  /// program: EXPLAIN QUERY PLAN shows it there.
  private func emitUnion(
    _ compound: Compound, _ range: Range<Int>, _ set: CursorID
  ) throws(SQLError) {
    let left = newLabel(), right = newLabel(), end = newLabel(), sides = compound.sides(range)
    emitGoto(right)
    place(left)
    try emitSide("LEFT", compound, sides.left, to: .set(set, []))
    emitGoto(end)
    place(right)
    try emitSide("RIGHT", compound, sides.right, to: .set(set, []))
    emitGoto(left)
    place(end)
  }

  /// A side of an operator that works on sets: a UNION there puts its rows into the same set.
  private func emitSide(
    _ title: String, _ compound: Compound, _ range: Range<Int>, to target: SelectTarget
  ) throws(SQLError) {
    try withExplain(title) { () throws(SQLError) in
      let end = newLabel()
      let sink = CompoundSink(target: target, limit: .none, done: end, sorter: nil)
      if range.count > 1, compound.operation(range) == .union, case .set(let set, _) = target {
        try withMergeExplain(.union, sink) { () throws(SQLError) in
          try emitUnion(compound, range, set)
        }
      } else {
        try emitSides(compound, range, isFull: true, sink)
      }
      place(end)
    }
  }

  private func openSet(_ compound: Compound, _ use: SetUse) -> CursorID {
    let set = builder.newCursor()
    emit(
      .setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo(compound.collations)),
      p5: use.rawValue)
    return set
  }

  /// Walks a set in order.
  private func emitSet(
    _ set: CursorID, _ compound: Compound, _ sink: CompoundSink
  ) throws(SQLError) {
    let count = compound.collations.count
    let end = newLabel(), next = newLabel()
    emit(.setRewind, set.rawValue, end.operand)
    let again = builder.placeNewLabel()
    let row = builder.newRegisters(count)
    for column in 0..<count {
      emit(.rowColumn, set.rawValue, Int32(column), (row + column).rawValue)
    }
    if let sorter = sink.sorter {
      try emitSort(row, sorter)
    } else {
      emitRow(row, count: count, to: sink.target, sink.limit, next: next, end: sink.done)
    }
    place(next)
    emit(.setNext, set.rawValue, again.operand)
    place(end)
  }
}
