// A loop that several indexes feed: one search for each part of an OR (optoverview §4.2).
//
//     seen = empty set
//     for each part:
//       for each row that its index finds: unless it is in seen, add it and run the body
//     goto end
//   body:
//     …
//   continue: return
//   end:

extension Emitter {
  func emitMultiIndexLoop(
    _ level: Level, _ state: LoopState, _ line: Int32
  ) throws(SQLError) {
    guard case .table(let table) = level.source.kind, let term = level.loop.terms.first,
      let term, let parts = term.disjunction?.clause.terms
    else { throw SQLError(.internal, "OR without parts") }
    setVirtualColumns(level.source)
    let cursor =
      table.isVirtual ? level.sharedCursor ?? builder.newCursor() : try rowCursor(level, table)
    let keyCount = table.primaryKeyIndex?.keyColumnCount ?? 1
    let seen = openKeySet(keyCount)
    let returnAddress = newRegister(), body = newLabel()
    let others = otherConditions(level, state, besides: term)
    var isComplete = true
    let outerParent = explainParent
    if showsPlan { explainParent = line }
    let isSearched: (WhereTerm) -> Bool = {
      $0.source == level.loop.source || $0.conjunction != nil
    }
    let last = parts.lastIndex(where: isSearched)
    for (number, part) in parts.enumerated() where isSearched(part) {
      var condition = condition(of: part, level, state, &isComplete)
      if let others { condition = condition?.and(others) ?? others }
      try withExplain("INDEX \(number + 1)") { () throws(SQLError) in
        try self.emitPart(condition, level, cursor) { (next) throws(SQLError) in
          let key = try self.emitRowKey(level.source, cursor, count: keyCount)
          // Nobody asks for the rows of the last one.
          self.emit(
            number == last ? .setFound : .setInsert, seen.rawValue, next.operand, key.rawValue)
          self.emit(.gosub, returnAddress.rawValue, body.operand)
        }
      }
    }
    explainParent = outerParent
    emitGoto(level.end)
    place(body)
    level.step = Instruction(.return, returnAddress.rawValue)
    level.setCursors(cursor)
    setAccess(
      level.source.id, table.isVirtual ? .virtual(cursor, table) : .table(cursor, table))
    if isComplete { state.markDone(term, level) }
  }

  private func emitPart(
    _ condition: BoundExpression?, _ level: Level, _ cursor: CursorID,
    _ body: (Label) throws(SQLError) -> Void
  ) throws(SQLError) {
    let goal = newGoal(in: level.source.memory)
    let plan = try Planner.planPart(level.source, condition, goal)
    let loops = LoopState(plan: plan)
    let part = Level(
      loop: plan.loops[0], source: plan.clause.sources[0], isReversed: false,
      continue: newLabel(), end: newLabel())
    part.sharedCursor = cursor
    for term in plan.clause.terms where term.isAskedOnce {
      try emitJump(unless: term.expression, to: part.end, jumpIfNull: true)
      term.isCoded = true
    }
    // The line of the search comes behind those of the subqueries that it needs.
    let isNested = part.loop.flags.contains(.multiIndex)
    let line = isNested ? try emitSourceExplain(part, plan) : 0
    beginScan(part, line: 0)
    try emitLoopStart(part, loops, line)
    emitScanRow(part)
    for term in plan.clause.terms where !term.isVirtual && !term.isCoded {
      try emitJump(unless: term.expression, to: part.continue, jumpIfNull: true)
    }
    if !isNested {
      let line = try emitSourceExplain(part, plan)
      if part.scan >= 0 { builder.tables.scanLoops[Int(part.scan)].line = line }
    }
    try body(part.continue)
    emitLoopEnd(part)
    place(part.end)
    endScan(part)
  }

  /// The part, less what needs loops further in: the whole OR is tested there.
  private func condition(
    of part: WhereTerm, _ level: Level, _ state: LoopState, _ isComplete: inout Bool
  ) -> BoundExpression? {
    let ready = state.ready.union(SourceMask(index: level.loop.source))
    guard let conjunction = part.conjunction else {
      if part.prerequisites.isSubset(of: ready) { return part.expression }
      isComplete = false
      return nil
    }
    var condition: BoundExpression?
    for term in conjunction.terms.prefix(conjunction.writtenCount) {
      if term.prerequisites.isSubset(of: ready) {
        condition = condition.map { $0.and(term.expression) } ?? term.expression
      } else {
        isComplete = false
      }
    }
    return condition
  }

  /// The other terms that an index could take together with a part.
  private func otherConditions(
    _ level: Level, _ state: LoopState, besides term: WhereTerm
  ) -> BoundExpression? {
    let clause = state.plan.clause
    let ready = state.ready.union(SourceMask(index: level.loop.source))
    let isOuter = !level.source.join.isDisjoint(with: [.left, .right])
    var condition: BoundExpression?
    for other in clause.terms.prefix(clause.writtenCount)
    where other !== term && !other.isCoded && !other.operators.isEmpty
      && !other.expression.traits.contains(.hasSubquery)
      && other.prerequisites.isSubset(of: ready)
      && (isOuter ? other.isOuterOn && other.onSource == level.loop.source : !other.isOuterOn)
      && !clause.leftOfRightJoin.contains(SourceMask(index: level.loop.source))
    {
      condition = condition.map { $0.and(other.expression) } ?? other.expression
    }
    return condition
  }
}
