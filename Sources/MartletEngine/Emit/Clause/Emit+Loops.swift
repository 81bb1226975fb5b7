extension Emitter {
  /// Where a nest of loops can be left or gone on with from its body.
  struct LoopExits {
    /// To the next row.
    let `continue`: Label
    /// Out of all loops.
    let `break`: Label
  }

  /// Emits the loops of `plan` around `body`.
  ///
  ///     for each loop, outermost first:
  ///       position the cursor, or go to the loop's end
  ///       top: tests that need nothing from loops further in
  ///     body
  ///     for each loop, innermost first:
  ///       continue: step the cursor, back to top
  func emitLoops(
    _ plan: LoopPlan, _ body: (LoopExits) throws(SQLError) -> Void
  ) throws(SQLError) {
    let state = LoopState(plan: plan)
    let end = newLabel()
    for term in plan.clause.terms
    where !term.isVirtual && term.prerequisites.isEmpty && term.outerJoinSource < 0 {
      try emitJump(unless: term.expression, to: end, jumpIfNull: true)
      state.markDone(term)
    }
    try emitLoop(0, state, end, body)
    place(end)
  }

  /// What is known while a nest is emitted: the terms that need no code any more.
  final class LoopState {
    let plan: LoopPlan
    @exclusivity(unchecked) var ready: SourceMask = []

    init(plan: LoopPlan) { self.plan = plan }

    func isDone(_ term: WhereTerm) -> Bool { term.isCoded }

    /// A term whose every part an index took needs no test of its own.
    func markDone(_ term: WhereTerm) {
      if term.isCoded { return }
      term.isCoded = true
      guard term.parent >= 0 else { return }
      let parent = plan.clause.terms[term.parent]
      parent.childCount -= 1
      if parent.childCount == 0 { markDone(parent) }
    }
  }

  private func emitLoop(
    _ position: Int, _ state: LoopState, _ outermostEnd: Label,
    _ body: (LoopExits) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard position < state.plan.loops.count else {
      // Only a SELECT without FROM has no loop at all.
      return try body(LoopExits(continue: outermostEnd, break: outermostEnd))
    }
    let loop = state.plan.loops[position]
    let source = state.plan.clause.sources[loop.source]
    let isReversed = state.plan.reversed & (1 << UInt64(position)) != 0
    let level = Level(
      loop: loop, source: source, isReversed: isReversed, continue: newLabel(), end: newLabel())
    if source.join.contains(.left) {
      level.matched = newRegister()
      emitInteger(0, into: level.matched)
    }
    try emitLoopStart(level, state)
    state.ready.insert(SourceMask(index: loop.source))
    try emitTests(level, state)
    if position + 1 < state.plan.loops.count {
      try emitLoop(position + 1, state, outermostEnd, body)
    } else {
      try body(LoopExits(continue: level.continue, break: outermostEnd))
    }
    place(level.continue)
    emitLoopEnd(level)
    place(level.end)
    if source.join.contains(.left) { emitUnmatchedRow(level) }
  }

  /// One loop while it is emitted.
  final class Level {
    let loop: LoopCandidate
    let source: BoundSource
    let isReversed: Bool
    let `continue`: Label
    /// Behind the loop.
    let end: Label
    /// For LEFT JOIN: 1 once a row matched.
    @exclusivity(unchecked) var matched = RegisterIndex.none
    /// Where the body starts for the row of NULLs.
    @exclusivity(unchecked) var afterMatch: Label?
    /// How the cursor steps, and where to.
    @exclusivity(unchecked) var step: Instruction?
    /// Loops inside this one's start that give it one key after the other, outermost first: how each
    /// goes on, and where.
    @exclusivity(unchecked) var keyLoops: [(step: Instruction, next: Label)] = []
    /// Where a search that found nothing goes: to the next key of the innermost key loop, or the end.
    @exclusivity(unchecked) var next: Label
    /// Cursors that become rows of NULLs.
    @exclusivity(unchecked) var cursors: [CursorID] = []
    /// For a co-routine's row of NULLs.
    @exclusivity(unchecked) var registers: (first: RegisterIndex, count: Int)?

    init(
      loop: LoopCandidate, source: BoundSource, isReversed: Bool, `continue`: Label, end: Label
    ) {
      self.loop = loop
      self.source = source
      self.isReversed = isReversed
      self.continue = `continue`
      self.end = end
      next = end
    }
  }

  private func emitLoopStart(_ level: Level, _ state: LoopState) throws(SQLError) {
    let loop = level.loop
    try emitSourceExplain(level, state.plan)
    if loop.flags.contains(.hashTable) {
      try emitHashLoop(level, state)
      return
    }
    switch level.source.kind {
    case .table(let table):
      setVirtualColumns(level.source)
      if loop.flags.contains(.rowid) {
        try emitRowidLoop(level, table, state)
      } else {
        try emitIndexLoop(level, table, state)
      }
    case .subquery(let select, _): try emitSubqueryLoop(level, select)
    case .tableFunction: throw .notSupported("table-valued functions")
    }
  }

  private func emitLoopEnd(_ level: Level) {
    if let step = level.step { builder.emit(step) }
    for keyLoop in level.keyLoops.reversed() {
      place(keyLoop.next)
      builder.emit(keyLoop.step)
    }
  }

  /// LEFT JOIN: if no row matched, the body runs once with a row of NULLs.
  private func emitUnmatchedRow(_ level: Level) {
    let skip = newLabel()
    emit(.ifPositive, level.matched.rawValue, skip.operand, 0)
    for cursor in level.cursors { emit(.nullRow, cursor.rawValue) }
    if let registers = level.registers { emitNull(registers.first, count: registers.count) }
    if let afterMatch = level.afterMatch { emitGoto(afterMatch) }
    place(skip)
  }

  // MARK: Tests

  /// Tests of the terms that can be evaluated here: without subqueries first.
  private func emitTests(_ level: Level, _ state: LoopState) throws(SQLError) {
    if level.source.join.contains(.left) {
      try emitTests(level, state, ofJoin: level.loop.source)
      level.afterMatch = builder.placeNewLabel()
      emitInteger(1, into: level.matched)
    }
    try emitTests(level, state, ofJoin: -1)
  }

  private func emitTests(
    _ level: Level, _ state: LoopState, ofJoin source: Int
  ) throws(SQLError) {
    for withSubqueries in [false, true] {
      for term in state.plan.clause.terms {
        guard !term.isVirtual, !state.isDone(term), term.outerJoinSource == source,
          term.prerequisites.isSubset(of: state.ready),
          term.expression.traits.contains(.hasSubquery) == withSubqueries
        else { continue }
        try emitJump(unless: term.expression, to: level.continue, jumpIfNull: true)
        state.markDone(term)
      }
    }
  }
}
