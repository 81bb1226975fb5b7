// GROUP BY over rows whose equal keys come one after the other: the loops give them so, or they are
// sorted first, because aggregates with ORDER BY have sorters of their own for one group at a time.

extension Emitter {
  /// GROUP BY over loops that give equal keys one after the other.
  func emitOrderedGroups(
    _ parts: SelectParts, _ grouping: Grouping, _ plan: LoopPlan, _ output: GroupOutput
  ) throws(SQLError) {
    try emitGroups(parts, grouping, output) { step throws(SQLError) in
      try self.emitLoops(plan) { (_) throws(SQLError) in
        let keys = self.builder.newRegisters(parts.groupBy.count)
        try self.emit(parts.groupBy, into: keys)
        try step(keys)
      }
      self.emitExplain(
        of: parts.simple.aggregates, showsDistinct: plan.needsDistinct)
    }
  }

  ///     loops: keys, and the columns that are read later, into a sorter
  ///     for each row of the sorter: the columns are read from registers
  func emitSortedGroups(
    _ parts: SelectParts, _ grouping: Grouping, _ plan: LoopPlan, _ output: GroupOutput
  ) throws(SQLError) {
    let keyCount = parts.groupBy.count, columns = parts.columnsRead
    let sorter = builder.newCursor(), keyInfo = grouping.keyInfo(builder.encoding)
    let row = builder.newRegisters(keyCount + columns.count), end = newLabel()
    emit(
      .sorterOpen, sorter.rawValue, Int32(keyCount + columns.count),
      p4: builder.addKeyInfo(keyInfo))
    try emitGroups(parts, grouping, output) { step throws(SQLError) in
      try self.emitLoops(plan) { (_) throws(SQLError) in
        try self.emit(parts.groupBy, into: row)
        for (offset, column) in columns.enumerated() {
          try self.emitRead(column, parts, into: row + (keyCount + offset))
        }
        self.emit(.sorterInsert, sorter.rawValue, row.rawValue, row.rawValue)
        self.emitExplain("USE TEMP B-TREE FOR GROUP BY")
      }
      self.emitExplain(
        of: parts.simple.aggregates, showsDistinct: plan.needsDistinct)
      self.emit(.sorterSort, sorter.rawValue, end.operand)
      let again = self.builder.placeNewLabel()
      for position in 0..<(keyCount + columns.count) {
        self.emit(.rowColumn, sorter.rawValue, Int32(position), (row + position).rawValue)
      }
      let captures = self.capture(columns, at: row + keyCount)
      try self.behindLoops { () throws(SQLError) in try step(row) }
      self.restore(captures)
      self.emit(.sorterNext, sorter.rawValue, again.operand)
      self.place(end)
    }
  }

  /// - Parameter rows: makes the loop over the rows, and in it calls its argument with the
  ///   registers of the keys.
  private func emitGroups(
    _ parts: SelectParts, _ grouping: Grouping, _ output: GroupOutput,
    rows: ((RegisterIndex) throws(SQLError) -> Void) throws(SQLError) -> Void
  ) throws(SQLError) {
    let state = AggregateState(parts, builder)
    let keyCount = parts.groupBy.count
    let previous = builder.newRegisters(keyCount)
    let inGroup = newRegister(), reset = newRegister(), flush = newRegister()
    let resetEntry = newLabel(), flushEntry = newLabel(), behind = newLabel()
    emitInteger(0, into: inGroup)
    emit(.gosub, reset.rawValue, resetEntry.operand)
    try rows { keys throws(SQLError) in
      let keyInfo = grouping.keyInfo(self.builder.encoding)
      self.emitGroupKeys(keys, keyInfo, previous: previous, inGroup: inGroup) {
        self.emit(.gosub, flush.rawValue, flushEntry.operand)
        self.emit(.gosub, reset.rawValue, resetEntry.operand)
      }
      try self.emitSteps(state)
    }
    let finished = newLabel()
    emit(.ifFalse, inGroup.rawValue, finished.operand)
    emit(.gosub, flush.rawValue, flushEntry.operand)
    place(finished)
    emitGoto(behind)

    place(flushEntry)
    try withGroupKeys(parts, at: previous) { () throws(SQLError) in
      try emitFlush(state, parts, output, flush)
    }
    place(resetEntry)
    emitReset(state)
    emit(.return, reset.rawValue)
    place(behind)
  }

  /// Keeps the keys of a row that begins a group in `previous`, once what is to be done with the
  /// group before is done. `inGroup` is 0 at first.
  func emitGroupKeys(
    _ keys: RegisterIndex, _ keyInfo: KeyInfo, previous: RegisterIndex, inGroup: RegisterIndex,
    endGroup: () -> Void
  ) {
    let count = Int32(keyInfo.columns.count)
    let same = newLabel(), new = newLabel(), differs = newLabel()
    emit(.ifFalse, inGroup.rawValue, new.operand)
    emit(
      .compare, previous.rawValue, keys.rawValue, count, p4: builder.addKeyInfo(keyInfo))
    emit(.jump, differs.operand, same.operand, differs.operand)
    place(differs)
    endGroup()
    place(new)
    emit(.copy, keys.rawValue, previous.rawValue, count - 1)
    emitInteger(1, into: inGroup)
    place(same)
  }

  /// The subroutine that puts a group out.
  private func emitFlush(
    _ state: AggregateState, _ parts: SelectParts, _ output: GroupOutput,
    _ address: RegisterIndex
  ) throws(SQLError) {
    emitResults(state)
    aggregates[parts.select.id] = state.results
    let captures = capture(state.bare, at: state.bareRegisters)
    let next = newLabel()
    try behindLoops { () throws(SQLError) in try emitGroupRow(output, next: next) }
    restore(captures)
    place(next)
    emit(.return, address.rawValue)
  }
}

extension Emitter.SelectParts {
  /// An aggregate wants the rows of a group in an order, or it looks at subtypes: those that
  /// arguments have got by then count, those of columns are lost in the sorter.
  var needsSortedGroups: Bool {
    let hasPlainTables = self.simple.sources.allSatisfy { source in
      if case .table(let table) = source.kind { return !table.isVirtual }
      return false
    }
    return self.simple.aggregates.contains { aggregate in
      aggregate.isOrdered
        || aggregate.keepsSubtypes
          && (!hasPlainTables || aggregate.arguments.contains(where: \.containsSubtypes))
    }
  }
}
