// Recursive common tables (lang_with §3).
//
//            rows of the setup into the queue
//     next:  take the oldest row, or the first of the order, or go to end
//            the row is one of the result
//            rows of the step into the queue
//            goto next
//     end:

/// Where the rows of a recursive common table wait for their turn.
struct RecursionQueue {
  let cursor: CursorID
  /// The set of the rows that have been in the queue, if none may come twice.
  let known: CursorID?
  /// Empty: the oldest row comes next.
  let orderBy: TreeList<BoundOrderingTerm>
}

extension Emitter {
  func emitRecursive(
    _ select: BoundSelect, _ recursion: BoundRecursion, _ target: SelectTarget,
    _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    try recursion.step.refuseAggregates()
    let count = select.columns.count
    let queue = openQueue(select, recursion)
    try withExplain("SETUP") { () throws(SQLError) in
      try emitSelect(recursion.setup, to: .queue(queue))
    }
    let current = builder.newRegisters(count), end = newLabel(), skip = newLabel()
    let outer = recursions[recursion.id]
    recursions[recursion.id] = current
    defer { recursions[recursion.id] = outer }
    let next = builder.placeNewLabel()
    emit(
      queue.orderBy.isEmpty ? .rowsTake : .queueTake, queue.cursor.rawValue, current.rawValue,
      end.operand)
    emitRow(current, count: count, to: target, limit, next: skip, end: done)
    place(skip)
    try withExplain("RECURSIVE STEP") { () throws(SQLError) in
      try emitSelect(recursion.step, to: .queue(queue))
    }
    emitGoto(next)
    place(end)
  }

  private func openQueue(_ select: BoundSelect, _ recursion: BoundRecursion) -> RecursionQueue {
    let cursor = builder.newCursor()
    let count = Int32(select.columns.count)
    if select.orderBy.isEmpty {
      emit(.rowsOpen, cursor.rawValue, count)
    } else {
      emit(
        .queueOpen, cursor.rawValue, count, p4: builder.addKeyInfo(keyInfo(of: select.orderBy)))
    }
    var known: CursorID?
    if recursion.isDistinct {
      let set = builder.newCursor()
      emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo(recursion.collations)))
      known = set
    }
    return RecursionQueue(cursor: cursor, known: known, orderBy: select.orderBy)
  }

  /// Puts a row into the queue, or goes to `seen` if it has been there and may not come twice.
  func emitEnqueue(
    _ row: RegisterIndex, count: Int, _ queue: RecursionQueue, seen: Label
  ) {
    if let known = queue.known { emit(.setInsert, known.rawValue, seen.operand, row.rawValue) }
    guard !queue.orderBy.isEmpty else {
      emit(.rowsInsert, queue.cursor.rawValue, row.rawValue, Int32(count))
      return
    }
    let keys = builder.newRegisters(queue.orderBy.count)
    for (offset, term) in queue.orderBy.enumerated() {
      emit(.shallowCopy, (row + term.resultColumn).rawValue, (keys + offset).rawValue)
    }
    emit(.queueInsert, queue.cursor.rawValue, keys.rawValue, row.rawValue)
  }

  /// The loop over the current row, which has a copy of it: an outer join may make it NULLs.
  func emitCurrentRow(
    _ level: Level, _ select: BoundSelect, _ recursion: Int
  ) throws(SQLError) {
    guard let current = recursions[recursion] else { throw SQLError(.internal) }
    let count = select.columns.count
    let row = builder.newRegisters(count)
    emit(.copy, current.rawValue, row.rawValue, Int32(count - 1))
    setAccess(level.source.id, .registers(row))
    noteRealColumns(level.source.id, select)
    emitRealColumns(level.source.id, row)
    level.registers = LoopLevel.Registers(first: row, count: count)
  }
}

extension BoundSelect {
  /// SQLite computes no aggregates and no windows in the step of a recursion.
  fileprivate func refuseAggregates() throws(SQLError) {
    switch self.body {
    case .simple(let simple) where simple.window != nil:
      throw .sql("cannot use window functions in recursive queries")
    case .simple(let simple) where simple.isAggregate:
      throw .sql("recursive aggregate queries not supported")
    case .compound(let parts, _, _): for part in parts { try part.refuseAggregates() }
    default: break
    }
  }
}
