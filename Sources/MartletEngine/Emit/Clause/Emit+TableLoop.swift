extension Emitter {
  /// Opens the cursor of a table, or of the primary key that holds a WITHOUT ROWID table's rows.
  func openTable(_ table: Table) throws(SQLError) -> CursorID {
    let keyInfo = try table.primaryKeyIndex.map { (index) throws(SQLError) in
      try catalog.keyInfo(of: index, collations: collations)
    }
    return openCursor(
      rootPage: table.rootPage, databaseIndex: table.databaseIndex, keyInfo: keyInfo)
  }

  func openIndex(_ index: Index) throws(SQLError) -> CursorID {
    openCursor(
      rootPage: index.rootPage, databaseIndex: index.table.databaseIndex,
      keyInfo: try catalog.keyInfo(of: index, collations: collations))
  }

  /// The cursor of the rows of a loop's table.
  func rowCursor(_ level: Level, _ table: Table) throws(SQLError) -> CursorID {
    if let shared = level.sharedCursor { return shared }
    return try openTable(table)
  }

  // MARK: By rowid

  func emitRowidLoop(
    _ level: Level, _ table: Table, _ state: LoopState
  ) throws(SQLError) {
    let cursor = try rowCursor(level, table)
    level.setCursors(cursor)
    setAccess(level.source.id, .table(cursor, table))
    let loop = level.loop
    if loop.equalityCount == 1, let term = loop.terms[0] {
      let value = newRegister()
      try emitEqualityValue(term, into: value, level, isReversed: level.isReversed)
      if level.filter != nil {
        emit(.affinity, value.rawValue, 1, p4: builder.addAffinities([.integer]))
        emitFilterTest(level, value)
      }
      emit(.seekRowid, cursor.rawValue, level.next.operand, value.rawValue)
      if !loop.isOnlyImplied(term) { state.markDone(term, level) }
      return
    }
    if loop.flags.contains(.range) {
      try emitRowidRange(level, cursor, state)
      return
    }
    emit(
      level.isReversed ? .last : .rewind, cursor.rawValue, state.exit(ifEmpty: level).operand)
    let again = builder.placeNewLabel()
    level.step = Instruction(
      level.isReversed ? .previous : .next, cursor.rawValue, again.operand,
      p5: StepCounts.fullScan)
  }

  /// A range of rowids. The start seeks; the end is a test on each row.
  private func emitRowidRange(
    _ level: Level, _ cursor: CursorID, _ state: LoopState
  ) throws(SQLError) {
    let loop = level.loop
    let start = level.isReversed ? loop.upperBound : loop.lowerBound
    let stop = level.isReversed ? loop.lowerBound : loop.upperBound
    var stopValue: RegisterIndex?
    if let stop, let right = stop.right { stopValue = try register(for: right) }
    if let start, let right = start.right, let comparison = start.comparison {
      let value = newRegister()
      try emit(right, into: value)
      emit(.isNull, value.rawValue, level.end.operand)
      let opcode: Opcode =
        switch comparison.operator {
        case .less: .seekLess
        case .lessOrEqual: .seekLessOrEqual
        case .greater: .seekGreater
        default: .seekGreaterOrEqual
        }
      emit(opcode, cursor.rawValue, level.end.operand, value.rawValue, p4: 1)
      state.markDone(start, level)
    } else {
      emit(
        level.isReversed ? .last : .rewind, cursor.rawValue, state.exit(ifEmpty: level).operand)
    }
    let again = builder.placeNewLabel()
    if let stop, let stopValue, let comparison = stop.comparison {
      let rowid = newRegister()
      emit(.rowid, cursor.rawValue, rowid.rawValue)
      let test = BoundComparison(
        operator: comparison.operator, affinity: .numeric, collation: .binary)
      emitCompareJump(test.inverted, rowid, stopValue, to: level.end, jumpIfNull: true)
      state.markDone(stop, level)
    }
    level.step = Instruction(
      level.isReversed ? .previous : .next, cursor.rawValue, again.operand)
  }

  // MARK: Subqueries

  /// Integers in the co-routine's columns of REAL affinity become reals.
  func emitRealColumns(_ id: SourceID, _ first: RegisterIndex) {
    let mask = access(id).realColumns
    for column in 0..<64 where mask & (1 << UInt64(column)) != 0 {
      emit(.realAffinity, (first + column).rawValue)
    }
    for column in access(id).furtherRealColumns {
      emit(.realAffinity, (first + Int(column)).rawValue)
    }
  }

  /// Rows of a co-routine, or of a store that was filled before.
  func emitSubqueryLoop(
    _ level: Level, _ select: BoundSelect, _ state: LoopState
  ) throws(SQLError) {
    if case .currentRow(let recursion) = select.body {
      return try emitCurrentRow(level, select, recursion)
    }
    switch access(level.source.id).kind {
    case .registers(let first):
      guard let coroutine = coroutines[level.source.id] else {
        throw SQLError(.internal, "co-routine is missing")
      }
      emit(.initCoroutine, coroutine.register.rawValue, 0, coroutine.entry.operand)
      let again = builder.placeNewLabel()
      emit(.yield, coroutine.register.rawValue, level.end.operand)
      emitRealColumns(level.source.id, first)
      level.step = Instruction(.goto, 0, again.operand)
      level.registers = LoopLevel.Registers(first: first, count: select.columns.count)
    case .rows(let cursor):
      emit(.rowsRewind, cursor.rawValue, state.exit(ifEmpty: level).operand)
      let again = builder.placeNewLabel()
      level.step = Instruction(.rowsNext, cursor.rawValue, again.operand)
      level.setCursors(cursor)
    default:
      throw SQLError(.internal, "subquery has no rows")
    }
  }
}
