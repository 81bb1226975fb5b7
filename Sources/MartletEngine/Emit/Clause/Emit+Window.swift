// Window functions (windowfunctions). The rows come from the only source, sorted; when rows are put
// out, and in which order they enter and leave the frame, is as in sqlite3WindowCodeStep.
//
//     loop:
//       if the partition is new: gosub flush
//       insert the row
//       if it is the partition's first: offsets of the frame
//       else: move the places of the frame, gosub deliver for the rows whose frames are complete
//     gosub flush, goto behind
//     flush:    the rest of the partition; return
//     deliver:  the result's row; return
//     behind:

extension Emitter {
  /// The subquery that gives a window its rows has a number above those of the text.
  func numberWindowRows(_ simple: BoundSimpleSelect) {
    guard simple.window != nil, case .subquery(let rows) = simple.sources[0].kind,
      rows.number == 0
    else { return }
    copiedSelectCount += 1
    rows.number = selectCount + copiedSelectCount
  }

  func emitWindow(
    _ step: BoundWindowStep, _ parts: SelectParts,
    _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>,
    _ target: SelectTarget, _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    let goal = newGoal(in: parts.select.memory)
    goal.limit = limit.estimate
    goal.outerRowCount = outerRowCount
    goal.select = parts.select
    let plan = try Planner.planLoops(parts.simple, goal: goal, subqueries: subqueries)
    let sorter =
      parts.orderBy.isEmpty
      ? nil : openSorter(parts.orderBy, columnCount: parts.columns.count, limit)
    let distinct = parts.isDistinct ? openGroupDistinct(parts) : nil
    let output = GroupOutput(
      parts: parts, target: target, limit: limit, done: done, sorter: sorter, distinct: distinct)
    let window = makeWindow(step, parts)
    emit(
      .windowOpen, window.cursor.rawValue, p4: Int32(builder.tables.windowPlans.count - 1))
    if !window.partition.isEmpty { emitNull(window.previous, count: window.partition.count) }
    if step.needsNoRows {
      try emitLoops(plan) { (exits) throws(SQLError) in
        try self.emitStream(window, parts, output, exits.continue)
      }
    } else {
      try emitBuffered(window, plan, parts, output)
    }
    rowEstimate = min(plan.rowCount, Emitter.mostRows)
    if distinct != nil { emitExplain("USE TEMP B-TREE FOR DISTINCT") }
    if sorter == nil, !parts.mergeOrdering.isEmpty, !step.isOrdered(by: parts.mergeOrdering) {
      emitSortExplain(0, parts.mergeOrdering.count)
    }
    guard let sorter else { return }
    emitSortExplain(0, parts.orderBy.count)
    emitSorted(sorter, target, limit, done)
  }

  private func emitBuffered(
    _ window: WindowState, _ plan: LoopPlan, _ parts: SelectParts, _ output: GroupOutput
  ) throws(SQLError) {
    let behind = newLabel()
    try emitLoops(plan) { (exits) throws(SQLError) in
      try self.emitInput(window, exits.continue)
    }
    emit(.gosub, window.flush.rawValue, window.flushEntry.operand)
    emitGoto(behind)
    place(window.flushEntry)
    emitFlush(window)
    emit(.return, window.flush.rawValue)
    place(window.deliverEntry)
    setAccess(window.source, .registers(window.output))
    windows[parts.select.id] = window.output + window.columnCount
    let next = newLabel()
    try behindLoops { () throws(SQLError) in try emitGroupRow(output, next: next) }
    place(next)
    emit(.return, window.deliver.rawValue)
    place(behind)
  }

  /// Frames from the partition's first row to the current one need no row again: each goes out as
  /// it comes.
  private func emitStream(
    _ window: WindowState, _ parts: SelectParts, _ output: GroupOutput, _ next: Label
  ) throws(SQLError) {
    let row = try emitInputRow(window)
    emitPartitionTest(window, row) {
      self.emit(.windowReset, window.cursor.rawValue)
    }
    let results = window.output + window.columnCount
    emit(.windowStep, window.cursor.rawValue, results.rawValue, row.rawValue)
    setAccess(window.source, .registers(row))
    windows[parts.select.id] = results
    try emitGroupRow(output, next: next)
  }

  // MARK: State

  /// Registers and entries of a window.
  private struct WindowState {
    let cursor: CursorID
    let source: SourceID
    let columnCount: Int
    let frame: BoundFrame
    /// Columns of PARTITION BY and the collations by which they compare.
    let partition: [Int]
    let partitionKey: KeyInfo
    /// The values of the partition's rows.
    let previous: RegisterIndex
    /// The offsets of the frame's bounds; as rows come, those of ROWS and GROUPS frames count down.
    let startOffset: RegisterIndex?
    let endOffset: RegisterIndex?
    /// The current row and its results.
    let output: RegisterIndex
    let flush: RegisterIndex
    let flushEntry: Label
    let deliver: RegisterIndex
    let deliverEntry: Label

    var isRange: Bool { frame.unit == .range }
    var movesByPeers: Bool { frame.unit != .rows }
  }

  private func makeWindow(_ step: BoundWindowStep, _ parts: SelectParts) -> WindowState {
    guard case .subquery(let rows) = parts.simple.sources[0].kind else {
      preconditionFailure("a window's rows come from a subquery")
    }
    let frame = step.window.frame
    builder.tables.windowPlans.append(
      WindowPlan(
        columnCount: rows.columns.count,
        calls: step.calls.map { call in
          WindowPlan.Call(
            function: call.call.function, collation: call.call.collation,
            arguments: call.arguments, subtypes: call.subtypes, filter: call.filter ?? -1)
        },
        orderColumns: step.orderColumns, order: keyInfo(of: step.window.orderBy),
        unit: frame.unit, start: frame.start.planned, end: frame.end.planned,
        exclusion: frame.exclusion))
    return WindowState(
      cursor: builder.newCursor(), source: parts.simple.sources[0].id,
      columnCount: rows.columns.count, frame: frame, partition: step.partitionColumns,
      partitionKey: keyInfo(step.window.partitionBy.map { $0.collation ?? .binary }),
      previous: builder.newRegisters(max(1, step.partitionColumns.count)),
      startOffset: frame.start.offset.map { _ in newRegister() },
      endOffset: frame.end.offset.map { _ in newRegister() },
      output: builder.newRegisters(rows.columns.count + step.calls.count), flush: newRegister(),
      flushEntry: newLabel(), deliver: newRegister(), deliverEntry: newLabel())
  }

  // MARK: Input

  private func emitInput(_ window: WindowState, _ next: Label) throws(SQLError) {
    let row = try emitInputRow(window)
    emitPartitionTest(window, row) {
      self.emit(.gosub, window.flush.rawValue, window.flushEntry.operand)
    }
    let later = newLabel()
    emit(.windowInsert, window.cursor.rawValue, later.operand, row.rawValue)
    try emitOffsets(window, next)
    emitGoto(next)
    place(later)
    if window.movesByPeers { emit(.windowPeer, window.cursor.rawValue, next.operand) }
    emitMoves(window)
  }

  /// The row of the source in consecutive registers: those of its co-routine.
  private func emitInputRow(_ window: WindowState) throws(SQLError) -> RegisterIndex {
    if case .registers(let row) = access(window.source).kind { return row }
    let row = builder.newRegisters(window.columnCount)
    for column in 0..<window.columnCount {
      try emitColumn(window.source, Int32(column), row + column)
    }
    return row
  }

  private func emitPartitionTest(
    _ window: WindowState, _ row: RegisterIndex, isNew: () -> Void
  ) {
    let count = window.partition.count
    guard count > 0 else { return }
    let keys = builder.newRegisters(count), new = newLabel(), same = newLabel()
    for (offset, column) in window.partition.enumerated() {
      emit(.shallowCopy, (row + column).rawValue, (keys + offset).rawValue)
    }
    emit(
      .compare, window.previous.rawValue, keys.rawValue, Int32(count),
      p4: builder.addKeyInfo(window.partitionKey))
    emit(.jump, new.operand, same.operand, new.operand)
    place(new)
    isNew()
    emit(.copy, keys.rawValue, window.previous.rawValue, Int32(count - 1))
    place(same)
  }

  /// The offsets of the frame's bounds, as each partition begins.
  private func emitOffsets(_ window: WindowState, _ next: Label) throws(SQLError) {
    let isNumber: Int32 = window.isRange ? 1 : 0
    if let register = window.startOffset, let offset = window.frame.start.offset {
      try emit(offset, into: register)
      emit(.windowOffset, register.rawValue, 0, isNumber)
    }
    if let register = window.endOffset, let offset = window.frame.end.offset {
      try emit(offset, into: register)
      emit(.windowOffset, register.rawValue, 1, isNumber)
    }
    guard !window.isRange, let start = window.startOffset, let end = window.endOffset,
      window.frame.start.isFollowing == window.frame.end.isFollowing
    else { return }
    // Frames that end before they begin are empty: each row goes out at once.
    let isFollowing = window.frame.start.isFollowing, hasRows = newLabel()
    emit(
      isFollowing ? .greaterOrEqual : .lessOrEqual, end.rawValue, hasRows.operand, start.rawValue)
    emit(.windowValues, window.cursor.rawValue)
    emit(.windowRow, window.cursor.rawValue, window.output.rawValue)
    emit(.gosub, window.deliver.rawValue, window.deliverEntry.operand)
    emit(.windowReset, window.cursor.rawValue)
    emitGoto(next)
    place(hasRows)
    if isFollowing { emit(.subtract, end.rawValue, start.rawValue, start.rawValue) }
  }

  // MARK: Moves

  /// What the arrival of a row, or of a row that is no peer of the one before it, sets off.
  private func emitMoves(_ window: WindowState) {
    if window.frame.start.isFollowing { return emitMovesOfFollowing(window) }
    if window.frame.end.isPreceding {
      emitEnd(window, window.endOffset)
      let startsBefore = window.isRange && window.frame.start.isPreceding
      if startsBefore { emitStart(window, window.startOffset) }
      emitRows(window)
      if !startsBefore { emitStart(window, window.startOffset) }
      return
    }
    emitEnd(window, nil)
    if window.frame.end.isUnbounded { return }
    let incomplete = newLabel(), again = builder.placeNewLabel()
    if let offset = window.endOffset {
      if window.isRange {
        emit(
          .windowNeedsRows, window.cursor.rawValue, incomplete.operand, offset.rawValue)
      } else {
        emit(.ifPositive, offset.rawValue, incomplete.operand, 1)
      }
    }
    emitRows(window)
    emitStart(window, window.startOffset)
    if window.isRange && window.endOffset != nil { emitGoto(again) }
    place(incomplete)
  }

  private func emitMovesOfFollowing(_ window: WindowState) {
    emitEnd(window, nil)
    guard let endOffset = window.endOffset else { return }
    guard window.isRange else {
      emitRows(window, countdown: endOffset)
      return emitStart(window, window.startOffset)
    }
    let incomplete = newLabel(), again = builder.placeNewLabel()
    emit(.windowNeedsRows, window.cursor.rawValue, incomplete.operand, endOffset.rawValue)
    emitStart(window, window.startOffset)
    emitRows(window)
    emitGoto(again)
    place(incomplete)
  }

  /// Puts out the rows of the partition that are left.
  private func emitFlush(_ window: WindowState) {
    let empty = newLabel()
    emit(.windowIfEmpty, window.cursor.rawValue, empty.operand)
    if window.frame.end.isPreceding {
      emitEnd(window, window.endOffset, isFlushing: true)
      if window.isRange && window.frame.start.isPreceding {
        emitStart(window, window.startOffset)
      }
      emitRows(window)
    } else if window.frame.start.isFollowing {
      emitFlushOfFollowing(window)
    } else {
      let end = newLabel()
      emitEnd(window, nil, isFlushing: true)
      let again = builder.placeNewLabel()
      emitRows(window, end: end)
      emitStart(window, window.startOffset)
      emitGoto(again)
      place(end)
    }
    place(empty)
    emit(.windowReset, window.cursor.rawValue)
  }

  private func emitFlushOfFollowing(_ window: WindowState) {
    let noMoreFrames = newLabel(), end = newLabel()
    emitEnd(window, nil, isFlushing: true)
    let again = builder.placeNewLabel()
    if window.isRange {
      emitStart(window, window.startOffset, end: noMoreFrames)
      emitRows(window, end: end)
    } else if window.frame.end.isUnbounded {
      emitRows(window, countdown: window.startOffset, end: end)
      emitStart(window, nil, end: noMoreFrames)
    } else {
      emitRows(window, countdown: window.endOffset, end: end)
      emitStart(window, window.startOffset, end: noMoreFrames)
    }
    emitGoto(again)
    place(noMoreFrames)
    let rest = builder.placeNewLabel()
    emitRows(window, end: end)
    emitGoto(rest)
    place(end)
  }

  /// The frame's end moves one row or group on, once the countdown of a ROWS or GROUPS frame is
  /// over.
  private func emitEnd(
    _ window: WindowState, _ offset: RegisterIndex?, isFlushing: Bool = false
  ) {
    let done = newLabel()
    if let offset, !window.isRange { emit(.ifPositive, offset.rawValue, done.operand, 1) }
    emit(
      .windowEnd, window.cursor.rawValue, 0, window.isRange ? offset?.rawValue ?? 0 : 0,
      p5: isFlushing ? 1 : 0)
    place(done)
  }

  /// The same of its start.
  private func emitStart(_ window: WindowState, _ offset: RegisterIndex?, end: Label? = nil) {
    if window.frame.start.isUnbounded { return }
    let done = newLabel()
    if let offset, !window.isRange { emit(.ifPositive, offset.rawValue, done.operand, 1) }
    emit(
      .windowStart, window.cursor.rawValue, (end ?? done).operand,
      window.isRange ? offset?.rawValue ?? 0 : 0)
    place(done)
  }

  /// Puts out the current row, and in RANGE and GROUPS frames its peers; `end` is where to go
  /// behind the last row.
  private func emitRows(
    _ window: WindowState, countdown: RegisterIndex? = nil, end: Label? = nil
  ) {
    let done = newLabel()
    if let countdown { emit(.ifPositive, countdown.rawValue, done.operand, 1) }
    emit(.windowValues, window.cursor.rawValue)
    let again = builder.placeNewLabel()
    emit(.windowRow, window.cursor.rawValue, window.output.rawValue)
    emit(.gosub, window.deliver.rawValue, window.deliverEntry.operand)
    emit(
      .windowNext, window.cursor.rawValue, (end ?? done).operand,
      window.movesByPeers ? again.operand : 0)
    place(done)
  }
}

extension BoundFrame.Bound {
  fileprivate var planned: WindowPlan.Bound {
    switch self {
    case .unbounded: .unbounded
    case .currentRow: .currentRow
    case .preceding: .preceding
    case .following: .following
    }
  }
}

extension BoundWindowStep {
  /// The frame grows with each row, and no function looks other rows up.
  fileprivate var needsNoRows: Bool {
    let frame = window.frame
    guard frame.unit == .rows, frame.start.isUnbounded, frame.end.isCurrentRow,
      frame.exclusion == .none
    else { return false }
    return calls.allSatisfy {
      switch $0.call.function.kind {
      case .firstValue, .nthValue, .lead, .lag: false
      default: $0.subtypes.isEmpty
      }
    }
  }

  /// The rows come in the order of these terms.
  fileprivate func isOrdered(by terms: TreeList<BoundOrderingTerm>) -> Bool {
    let columns = partitionColumns + orderColumns
    guard terms.count <= columns.count else { return false }
    for (position, term) in terms.enumerated() {
      guard case .column(_, let column) = term.expression.kind,
        Int(column) == columns[position]
      else { return false }
      let isDescending =
        position < partitionColumns.count
        ? false : window.orderBy[position - partitionColumns.count].isDescending
      if term.isDescending != isDescending { return false }
    }
    return true
  }
}
