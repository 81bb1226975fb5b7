extension Emitter {
  /// Opens the virtual tables of all loops before the first of them begins: a table that cannot be
  /// opened fails its statement also where its loop is never reached.
  func openVirtualTables(_ state: LoopState) {
    for loop in state.plan.loops where !loop.flags.contains(.multiIndex) {
      guard case .table(let table) = state.plan.clause.sources[loop.source].kind,
        table.isVirtual
      else { continue }
      let cursor = state.rightJoins[loop.source]?.rows ?? builder.newCursor()
      state.virtualCursors[loop.source] = cursor
      let scan = VirtualScan(
        table: table, number: 0, text: nil, keptText: nil, argumentCount: 0, listArguments: 0)
      builder.tables.virtualScans.append(scan)
      emit(
        .virtualOpen, cursor.rawValue, p4: Int32(builder.tables.virtualScans.count - 1))
    }
  }

  /// The loop over the rows of a virtual table.
  ///
  ///     for each value of an IN
  ///       r[arguments] = values that the table wants
  ///       start the scan
  ///       for each row: tests that the table does not vouch for
  func emitVirtualLoop(_ level: Level, _ table: Table, _ state: LoopState) throws(SQLError) {
    guard let plan = level.loop.virtual else { throw SQLError(.internal, "scan without a plan") }
    let cursor =
      state.virtualCursors[level.loop.source] ?? level.sharedCursor ?? builder.newCursor()
    if table.virtual?.isEponymous == false { databases |= 1 << UInt64(table.databaseIndex) }
    if table.virtual?.settings.contains(.usesAllSchemas) == true { useAllDatabases() }
    setAccess(level.source.id, .virtual(cursor, table))
    level.setCursors(cursor)
    let count = level.loop.terms.count
    let arguments = builder.newRegisters(max(1, count))
    let values = builder.newRegisters(max(1, count))
    var keys: [(term: WhereTerm, value: RegisterIndex)] = []
    for (position, term) in level.loop.terms.enumerated() {
      guard let term else { continue }
      let argument = arguments + position
      if term.operators.contains(.in), plan.wholeLists & (1 << UInt64(position)) == 0 {
        let value = values + position
        if case .select(let select) = term.inOperand, select.operands.count > 1 {
          try emitRowIn(
            select, level, at: position, of: count, values, isReversed: false, behind: nil)
        } else {
          try emitEqualityValue(term, into: value, level, isReversed: false)
        }
        emit(.shallowCopy, value.rawValue, argument.rawValue)
        keys.append((term, value))
      } else {
        try emitScanArgument(term, into: argument, plan)
      }
    }
    let scan = VirtualScan(
      table: table, number: plan.number, text: plan.text, keptText: plan.keptText,
      argumentCount: count, listArguments: plan.wholeLists)
    if scan.callsApplication && count > 0 { emit(.own, arguments.rawValue, Int32(count)) }
    builder.tables.virtualScans.append(scan)
    emit(
      .virtualFilter, cursor.rawValue, level.next.operand, arguments.rawValue,
      p4: Int32(builder.tables.virtualScans.count - 1))
    let again = builder.placeNewLabel()
    level.step = Instruction(.virtualNext, cursor.rawValue, again.operand)
    for (position, term) in level.loop.terms.enumerated() {
      if let term, plan.omitted & (1 << UInt64(position)) != 0 { state.markDone(term, level) }
    }
    try emitKeyTests(keys, level, state)
  }

  /// An IN that has a scan for each of its values is that value's equality for its rows.
  private func emitKeyTests(
    _ keys: [(term: WhereTerm, value: RegisterIndex)], _ level: Level, _ state: LoopState
  ) throws(SQLError) {
    for (term, value) in keys where !term.isCoded {
      if let comparison = term.comparison, let left = term.left {
        let column = newRegister()
        try emit(left, into: column)
        emitCompareJump(comparison.inverted, column, value, to: level.continue, jumpIfNull: true)
      }
      state.markDone(term, level)
    }
  }

  private func emitScanArgument(
    _ term: WhereTerm, into argument: RegisterIndex, _ plan: VirtualLoop
  ) throws(SQLError) {
    if term.constraintOperator == .limit && scanLimit.limit == .none {
      emitInteger(1, into: argument)
    } else if term.constraintOperator == .limit {
      emit(.shallowCopy, scanLimit.limit.rawValue, argument.rawValue)
    } else if term.constraintOperator == .offset {
      emit(.shallowCopy, scanLimit.offset.rawValue, argument.rawValue)
      if plan.omitsOffset { emitInteger(0, into: scanLimit.offset) }
    } else if let operand = term.inOperand {
      let set =
        switch operand {
        case .list(let list): try emitListSet(list)
        case .select(let select): try emitSelectSet(select, drivesLoop: true)
        }
      emit(.virtualList, set.rawValue, argument.rawValue)
    } else if let right = term.right, !term.operators.contains(.isNull) {
      try emit(right, into: argument)
    } else {
      emitNull(argument)
    }
  }

  private func useAllDatabases() {
    for database in catalog.databases.indices { databases |= 1 << UInt64(database) }
  }
}
