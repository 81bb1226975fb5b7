extension Emitter {
  /// What loops are to be planned for, so far as the statement says it.
  func newGoal(in memory: TreeMemory) -> LoopGoal {
    LoopGoal(LoopGoalContent(planOptions, functionHost, planParameters), in: memory)
  }

  /// Where a nest of loops can be left or gone on with from its body.
  struct LoopExits {
    /// To the next row.
    let `continue`: Label
    /// Out of all loops.
    let `break`: Label
    /// To the next value of the innermost IN, or out of all loops: the order of the rows holds for
    /// one value of an IN only.
    let nextKey: Label
    /// To the next key of the innermost loop, or behind that loop: of its rows none is wanted more.
    let nextOuter: Label
  }

  /// Emits the loops of `plan` around `body`.
  ///
  ///     for each loop, outermost first:
  ///       position the cursor, or go to the loop's end
  ///       top: tests that need nothing from loops further in
  ///     body
  ///     for each loop, innermost first:
  ///       continue: step the cursor, back to top
  ///     for each RIGHT JOIN: the rows that never matched, with NULLs on the left
  func emitLoops(
    _ plan: LoopPlan, _ body: (LoopExits) throws(SQLError) -> Void
  ) throws(SQLError) {
    let state = LoopState(plan: plan)
    let end = newLabel()
    outerRowCount += plan.rowCount
    for term in plan.clause.terms
    where (term.isAskedOnce || plan.loops.isEmpty && !term.isVirtual) && !term.isOuterOn
      && (term.onSource < 0 || plan.clause.leftOfRightJoin.isEmpty)
    {
      term.isCoded = true
      if case .integer(1) = term.expression.kind { continue }
      try emitJump(unless: term.expression, to: end, jumpIfNull: true)
    }
    try openRightJoins(state)
    openVirtualTables(state)
    try emitTestsForRows(plan, end)
    try emitLoop(0, state, end, body)
    for position in state.levels.indices where state.levels[position].rightJoin != nil {
      try emitUnmatchedRightRows(position, state)
    }
    place(end)
  }

  /// Where the third table of a join or one behind it has no row, nothing is looked at, as in SQLite:
  /// errors of the loops further out do not show.
  private func emitTestsForRows(_ plan: LoopPlan, _ end: Label) throws(SQLError) {
    for (position, loop) in plan.loops.enumerated() {
      let source = plan.clause.sources[loop.source]
      if source.join.contains(.left) { return }
      if position >= 2, case .table(let table) = source.kind, !table.isVirtual,
        !table.isWithoutRowid, !loop.flags.contains(.covering),
        !plan.clause.leftOfRightJoin.contains(SourceMask(index: loop.source))
      {
        emit(.rewind, try openTable(table).rawValue, end.operand)
      }
      if source.join.contains(.right) { return }
    }
  }

  /// What is known while a nest is emitted.
  final class LoopState {
    let plan: LoopPlan
    /// Sources whose loops are open.
    @exclusivity(unchecked) var ready: SourceMask = []
    /// Outermost first.
    @exclusivity(unchecked) var levels = TreeList<Level>()
    /// By number of the source.
    @exclusivity(unchecked) var rightJoins: [Int: RightJoin] = [:]
    /// Of virtual tables that are open, by number of the source.
    @exclusivity(unchecked) var virtualCursors: [Int: CursorID] = [:]
    /// Loops whose filters are shown already.
    @exclusivity(unchecked) var filtered: Set<Int> = []

    init(plan: LoopPlan) {
      self.plan = plan
      ready = plan.omitted
    }

    /// Where a loop goes whose table has no row at all: out of all loops that can have no rows then.
    /// What is inside of a RIGHT JOIN is a subroutine, and not left in this way.
    func exit(ifEmpty level: Level) -> Label {
      guard let last = levels.last, level === last else { return level.end }
      var position = levels.count - 1
      while position > 0, !levels[position].source.join.contains(.left),
        levels[position].rightJoin == nil, levels[position - 1].rightJoin == nil
      {
        position -= 1
      }
      return levels[position].end
    }

    /// No test of the term is needed any more.
    func markDone(_ term: WhereTerm, _ level: Level) {
      plan.clause.markDone(
        term, ready: ready.union(SourceMask(index: level.loop.source)),
        inOuterJoin: level.source.join.contains(.left))
    }
  }

  private func emitLoop(
    _ position: Int, _ state: LoopState, _ outermostEnd: Label,
    _ body: (LoopExits) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard position < state.plan.loops.count else {
      // Only a SELECT without FROM has no loop at all.
      return try body(
        LoopExits(
          continue: outermostEnd, break: outermostEnd, nextKey: outermostEnd,
          nextOuter: outermostEnd))
    }
    let loop = state.plan.loops[position]
    let source = state.plan.clause.sources[loop.source]
    let isReversed = state.plan.reversed & (1 << UInt64(position)) != 0
    let level = Level(
      loop: loop, source: source, isReversed: isReversed, continue: newLabel(), end: newLabel())
    state.levels.append(level, in: source.memory)
    let start = builder.nextAddress
    try emitStart(level, state)
    if position + 1 < state.plan.loops.count {
      try emitLoop(position + 1, state, outermostEnd, body)
    } else {
      emitScanBody()
      let inLevel = state.levels.last { $0.loop.flags.contains(.inOperator) }
      let bodyEnd = level.rightJoin?.bodyEnd
      try body(
        LoopExits(
          continue: bodyEnd ?? level.continue, break: outermostEnd,
          nextKey: inLevel?.next ?? outermostEnd, nextOuter: bodyEnd ?? level.next))
    }
    if source.isExists { leaveExists(position, state) }
    dropUnreadKeys(level)
    emitLoopEnd(level)
    settleExpressionIndex(level, state.plan, from: start)
    place(level.end)
    endScan(level)
    if source.join.contains(.left) { emitUnmatchedRow(level) }
  }

  private func emitStart(_ level: Level, _ state: LoopState) throws(SQLError) {
    if level.source.join.contains(.left) {
      level.matched = newRegister()
      emitInteger(0, into: level.matched)
    }
    level.rightJoin = state.rightJoins[level.loop.source]
    level.sharedCursor = level.rightJoin?.rows
    emitFilterExplains(state.levels.count - 1, state)
    level.line = try emitSourceExplain(level, state.plan, ready: state.ready)
    beginScan(level, line: level.line)
    try emitLoopStart(level, state, level.line)
    if !level.source.virtualColumns.isEmpty {
      sources[Int(level.source.id.rawValue)].mayBeNullRow =
        level.source.join.contains(.left)
        || state.plan.clause.sources.contains { $0.join.contains(.right) }
    }
    state.ready.insert(SourceMask(index: level.loop.source))
    emitScanRow(level)
    try emitTests(level, state)
  }

  /// One match is enough, whatever the loops inside have come to: another row would mean the same to
  /// them. On to the next row of what is outside, or of the first of several such loops.
  private func leaveExists(_ position: Int, _ state: LoopState) {
    var first = position
    while first > 0 && state.levels[first - 1].source.isExists { first -= 1 }
    emitGoto(state.levels[first].end)
  }

  /// One loop while it is emitted.
  typealias Level = TreeNode<LoopLevel>

  func emitLoopStart(
    _ level: Level, _ state: LoopState, _ line: Int32 = 0
  ) throws(SQLError) {
    let loop = level.loop
    emitFill(of: level.source)
    if loop.flags.contains(.hashTable) {
      try emitHashLoop(level, state)
    } else if loop.flags.contains(.multiIndex) {
      try emitMultiIndexLoop(level, state, line)
    } else {
      switch level.source.kind {
      case .table(let table):
        level.filter = try emitKeyFilter(level, state)
        setVirtualColumns(level.source)
        if table.isVirtual {
          try emitVirtualLoop(level, table, state)
        } else if loop.flags.contains(.rowid) {
          try emitRowidLoop(level, table, state)
        } else {
          try emitIndexLoop(level, table, state)
        }
      case .subquery(let select): try emitSubqueryLoop(level, select, state)
      }
    }
  }

  func emitLoopEnd(_ level: Level) {
    if let rightJoin = level.rightJoin {
      // Falls through while the loop itself runs; returns to the loop over unmatched rows.
      place(rightJoin.bodyEnd)
      emit(.return, rightJoin.returnAddress.rawValue, 0, 1)
    }
    place(level.continue)
    emitScanStep(level)
    if let step = level.step { builder.emit(step) }
    for keyLoop in level.keyLoops.reversed() {
      place(keyLoop.next)
      if let hope = keyLoop.hope { builder.emit(hope) }
      builder.emit(keyLoop.step)
    }
  }

  /// LEFT JOIN: if no row matched, the body runs once with a row of NULLs.
  private func emitUnmatchedRow(_ level: Level) {
    let skip = newLabel()
    emit(.ifPositive, level.matched.rawValue, skip.operand, 0)
    emitNullRows(level)
    // Nothing follows that row: neither keys that are left, nor those of a set that was not filled.
    for keyLoop in level.keyLoops {
      switch keyLoop.step.opcode {
      case .setNext, .next, .previous: emit(.nullRow, keyLoop.step.p1)
      default: break
      }
    }
    if let afterMatch = level.afterMatch {
      if let step = level.step, step.opcode == .return {
        emit(.gosub, step.p1, afterMatch.operand)
      } else {
        emitGoto(afterMatch)
      }
    }
    place(skip)
  }

  func emitNullRows(_ level: Level) {
    for cursor in level.cursors { emit(.nullRow, cursor.rawValue) }
    if let registers = level.registers { emitNull(registers.first, count: registers.count) }
  }

  // MARK: Tests

  /// Tests of the terms that can be evaluated here. What WHERE says of a row that an outer join can
  /// change to NULLs, or add, is asked behind that join.
  private func emitTests(_ level: Level, _ state: LoopState) throws(SQLError) {
    let source = level.loop.source, clause = state.plan.clause
    let isLeft = level.source.join.contains(.left)
    let isRight = level.source.join.contains(.right)
    let isLeftOfRight = clause.leftOfRightJoin.contains(SourceMask(index: source))
    if isLeft || isRight || isLeftOfRight {
      try emitTestsInRounds(level, state, to: level.continue) { term in
        term.onSource >= 0 && (!isLeft || term.isOuterOn)
          && state.ready.contains(SourceMask(index: term.onSource))
      }
    }
    if let rightJoin = level.rightJoin { try emitMatch(level, rightJoin) }
    if isLeft {
      level.afterMatch = builder.placeNewLabel()
      emitInteger(1, into: level.matched)
    }
    var exit = level.continue
    if let rightJoin = level.rightJoin { exit = beginBody(of: rightJoin) }
    if isLeftOfRight { return }
    let isDue = { (term: WhereTerm) in
      !term.isOuterOn || state.ready.contains(SourceMask(index: term.onSource))
    }
    if isLeft || isRight {
      try emitTests(level, state, to: exit, where: isDue)
    } else {
      try emitTestsInRounds(level, state, to: exit, where: isDue)
      try emitImpliedTests(level, state, to: exit)
    }
  }

  /// Where `a = b` waits for the table of b and `b = 7` is known, `a = 7` is asked at once: rows that
  /// find nothing are not looked up. The test of b is then one of both (SQLite's implied
  /// constraints).
  private func emitImpliedTests(
    _ level: Level, _ state: LoopState, to exit: Label
  ) throws(SQLError) {
    let clause = state.plan.clause
    guard state.levels.count < state.plan.loops.count else { return }
    for term in clause.terms {
      guard term.source == level.loop.source, term.operators.contains(.equivalence),
        !term.operators.isDisjoint(with: .anyEquality), !term.isCoded,
        !term.prerequisites.isSubset(of: state.ready), let column = term.left,
        let known = knownTerm(term, state), !known.isCoded,
        let test = known.asked(of: column)
      else { continue }
      try emitJump(unless: test, to: exit, jumpIfNull: true)
      known.isCoded = true
    }
  }

  /// What is known of a column that an equivalence waits for: best an equality with a constant.
  private func knownTerm(_ term: WhereTerm, _ state: LoopState) -> WhereTerm? {
    var scan = TermScan(
      state.plan.clause, source: term.source, column: term.column, [.equal, .is, .in])
    return scan.best(ready: state.ready.subtracting(SourceMask(index: term.source)))
  }

  /// First what the loop's index answers without the table's row, at last what needs a correlated
  /// subquery.
  private func emitTestsInRounds(
    _ level: Level, _ state: LoopState, to exit: Label, where isDue: (WhereTerm) -> Bool
  ) throws(SQLError) {
    if let index = level.loop.index,
      level.loop.flags.isDisjoint(with: [.hashTable, .multiIndex, .covering])
    {
      try emitTests(level, state, to: exit) { term in
        isDue(term) && !term.expression.hasCorrelatedSubquery
          && !term.expression.readsColumn(of: level.source.id) { column in
            column >= 0 && Int(column) != index.table.rowidColumn
              && index.position(ofColumn: Int(column)) == nil
          }
      }
    }
    try emitTests(level, state, to: exit) {
      isDue($0) && !$0.expression.hasCorrelatedSubquery
    }
    try emitTests(level, state, to: exit, where: isDue)
  }

  private func emitTests(
    _ level: Level, _ state: LoopState, to exit: Label, where isDue: (WhereTerm) -> Bool
  ) throws(SQLError) {
    try inRowComparison { () throws(SQLError) in
      try self.emitTerms(level, state, to: exit, where: isDue)
    }
  }

  private func emitTerms(
    _ level: Level, _ state: LoopState, to exit: Label, where isDue: (WhereTerm) -> Bool
  ) throws(SQLError) {
    for position in 0..<state.plan.clause.writtenCount {
      let term = state.plan.clause.terms[position]
      guard !term.isCoded, term.prerequisites.isSubset(of: state.ready), isDue(term) else {
        continue
      }
      isInRowComparison = term.expression.isRowItem
      let isCertain = emitLikeSkip(level, term, state.plan.clause)
      try emitJump(unless: term.expression, to: exit, jumpIfNull: true)
      if let isCertain { place(isCertain) }
      term.isCoded = true
    }
  }
}

extension WhereTerm {
  /// The term of another column; nil where it is about several at once.
  fileprivate func asked(of column: BoundExpression) -> BoundExpression? {
    if let comparison, let right, !operators.isDisjoint(with: .anyEquality) {
      return expression.copy(.comparison(comparison, column, right), [column, right])
    }
    switch inOperand {
    case .list(let list)?:
      let items = Array(list.items)
      return expression.copy(
        .inList(
          BoundInList(
            operand: column, items: items, affinity: list.affinity, collation: list.collation)),
        [column] + items)
    case .select(let subquery)? where subquery.operands.count == 1:
      return expression.copy(
        .inSelect(
          BoundInSelect(
            operands: [column], select: subquery.select, affinities: subquery.affinities,
            collations: subquery.collations, in: expression.memory)), [column])
    case .select?, nil: return nil
    }
  }
}

/// One loop while it is emitted.
struct LoopLevel: BitwiseCopyable {
  /// A loop that gives one key after the other: how it goes on, and where; and whether there is
  /// hope, where it can be in vain.
  struct KeyLoop: BitwiseCopyable {
    let step: Instruction
    let next: Label
    let hope: Instruction?
  }

  /// Where a hash table is opened and its rows get the columns that are keys, from a position on.
  struct HashKeys: BitwiseCopyable {
    let open: Int32
    let first: Int32
    let end: Int32
    let cursor: CursorID
    let position: Int32
  }

  /// Registers that become NULLs.
  struct Registers: BitwiseCopyable {
    let first: RegisterIndex
    let count: Int
  }

  let loop: LoopCandidate
  let source: BoundSource
  let isReversed: Bool
  /// Counts the passes of a LIKE that folds case: over texts, and over BLOBs.
  var likePass: RegisterIndex?
  /// Where a row goes that a test of this loop turns down.
  let `continue`: Label
  /// Behind the loop.
  let end: Label
  /// For LEFT JOIN: 1 once a row matched.
  var matched = RegisterIndex.none
  /// Where the body starts for the row of NULLs.
  var afterMatch: Label?
  /// How the cursor steps, and where to.
  var step: Instruction?
  /// Loops inside this one's start, outermost first.
  fileprivate(set) var keyLoops = TreeList<KeyLoop>()
  /// Where a search that found nothing goes: to the next key of the innermost key loop, or the end.
  var next: Label
  /// Cursors that become rows of NULLs.
  fileprivate(set) var cursors = TreeList<CursorID>()
  /// For a co-routine's row of NULLs.
  var registers: Registers?
  /// The cursor of the rows, where several loops feed one body.
  var sharedCursor: CursorID?
  var rightJoin: Emitter.RightJoin?
  var hashKeys: HashKeys?
  /// Tells of keys that no row of the loop has.
  var filter: CursorID?
  /// The loop's line of EXPLAIN QUERY PLAN.
  var line: Int32 = 0
  /// Its number if it is measured, or -1.
  var scan: Int32 = -1
}

extension Emitter.Level {
  init(
    loop: LoopCandidate, source: BoundSource, isReversed: Bool, `continue`: Label, end: Label
  ) {
    self.init(
      LoopLevel(
        loop: loop, source: source, isReversed: isReversed, continue: `continue`, end: end,
        next: end),
      in: source.memory)
  }

  func add(_ keyLoop: LoopLevel.KeyLoop) {
    self.keyLoops.append(keyLoop, in: self.source.memory)
  }

  /// The cursors of its rows.
  func setCursors(_ cursor: CursorID, _ other: CursorID? = nil) {
    self.cursors = []
    self.cursors.append(cursor, in: self.source.memory)
    if let other { self.cursors.append(other, in: self.source.memory) }
  }
}
