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
  /// An operator whose left side is being emitted.
  private struct OpenSides {
    let range: Range<Int>
    /// Whole rows have to come in order.
    let isFull: Bool
    let sink: CompoundSink
    /// That of the left side.
    let left: CompoundSink
    /// What the rows of the sides go into; UNION ALL has none.
    let set: CursorID?
    /// It is that of the operator around this one, which walks it.
    let isShared: Bool
    let leftEntry, rightEntry, end: Label
    let node: MergeExplain
    let leftNode: Int32
  }

  /// Emits the parts of `range`. `isFull`: an operator around them asks for whole rows in order.
  /// `fillsSet`: the rows go into the set of that operator, which a UNION shares.
  ///
  /// The left side may be as deep as there are parts: it is no recursion.
  func emitSides(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool, _ sink: CompoundSink,
    fillsSet: Bool
  ) throws(SQLError) {
    var open: [OpenSides] = []
    var range = range, isFull = isFull, sink = sink, fillsSet = fillsSet
    while range.count > 1 {
      try attend()
      let sides = beginSides(compound, range, isFull: isFull, sink, fillsSet: fillsSet)
      open.append(sides)
      (range, isFull, sink) = (compound.sides(range).left, sides.isFull, sides.left)
      fillsSet = sides.set != nil
    }
    partOrder = PartOrder(terms: compound.ordering(isFull: isFull))
    try emitPart(compound.parts[range.lowerBound], sink)
    while let sides = open.popLast() { try finishSides(compound, sides) }
  }

  private func beginSides(
    _ compound: Compound, _ range: Range<Int>, isFull: Bool, _ sink: CompoundSink,
    fillsSet: Bool
  ) -> OpenSides {
    let operation = compound.operation(range), node = openMergeExplain(operation)
    var set: CursorID?, isShared = false
    let left = newLabel(), right = newLabel()
    switch operation {
    case .unionAll: break
    case .union:
      if fillsSet, case .set(let shared, _) = sink.target {
        (set, isShared) = (shared, true)
      } else {
        set = openSet(compound, .union)
      }
      emitGoto(right)
      place(left)
    case .except: set = openSet(compound, .except)
    case .intersect: set = openSet(compound, .intersect)
    }
    return OpenSides(
      range: range, isFull: isFull || operation != .unionAll, sink: sink,
      left: set.map { setSink(.set($0, [])) } ?? sink, set: set, isShared: isShared,
      leftEntry: left, rightEntry: right, end: newLabel(), node: node,
      leftNode: openExplain("LEFT"))
  }

  private func setSink(_ target: SelectTarget) -> CompoundSink {
    CompoundSink(target: target, limit: .none, done: newLabel(), sorter: nil)
  }

  /// A UNION has its right side first, though it comes second in the program: EXPLAIN QUERY PLAN
  /// shows it there.
  private func finishSides(_ compound: Compound, _ sides: OpenSides) throws(SQLError) {
    let operation = compound.operation(sides.range)
    closeExplain(sides.leftNode)
    if let set = sides.set {
      place(sides.left.done)
      if operation == .union {
        emitGoto(sides.end)
        place(sides.rightEntry)
        try emitRight(compound, sides, setSink(.set(set, [])))
        emitGoto(sides.leftEntry)
        place(sides.end)
        if !sides.isShared { try emitSet(set, compound, sides.sink) }
      } else {
        emit(.setIsEmpty, set.rawValue, sides.end.operand)
        try emitRight(compound, sides, setSink(.setMarks(set)))
        try emitSet(set, compound, sides.sink)
        place(sides.end)
      }
    } else {
      try emitRight(compound, sides, sides.sink)
    }
    closeMergeExplain(sides.node, operation, sides.sink)
  }

  private func emitRight(
    _ compound: Compound, _ sides: OpenSides, _ sink: CompoundSink
  ) throws(SQLError) {
    let node = openExplain("RIGHT")
    try emitSides(
      compound, compound.sides(sides.range).right, isFull: sides.isFull, sink,
      fillsSet: sides.set != nil)
    if sides.set != nil { place(sink.done) }
    closeExplain(node)
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
