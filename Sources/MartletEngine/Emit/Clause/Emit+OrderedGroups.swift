extension Emitter {
  /// GROUP BY over loops that give equal keys one after the other.
  func emitOrderedGroups(
    _ parts: SelectParts, _ grouping: Grouping, _ plan: LoopPlan, _ output: GroupOutput
  ) throws(SQLError) {
    let state = AggregateState(parts, builder)
    let keyCount = parts.groupBy.count
    let previous = builder.newRegisters(keyCount)
    let inGroup = newRegister(), reset = newRegister(), flush = newRegister()
    let resetEntry = newLabel(), flushEntry = newLabel(), behind = newLabel()
    let sets = try distinctSets(parts.simple.aggregates)
    emitInteger(0, into: inGroup)
    emit(.gosub, reset.rawValue, resetEntry.operand)
    try emitLoops(plan) { (_) throws(SQLError) in
      let keys = self.builder.newRegisters(keyCount)
      try self.emit(parts.groupBy, into: keys)
      let same = self.newLabel(), new = self.newLabel()
      self.emit(.ifFalse, inGroup.rawValue, new.operand)
      self.emit(
        .compare, previous.rawValue, keys.rawValue, Int32(keyCount),
        p4: self.builder.addKeyInfo(grouping.keyInfo(self.builder.encoding)))
      let differs = self.newLabel()
      self.emit(.jump, differs.operand, same.operand, differs.operand)
      self.place(differs)
      self.emit(.gosub, flush.rawValue, flushEntry.operand)
      self.emit(.gosub, reset.rawValue, resetEntry.operand)
      self.place(new)
      self.emit(.copy, keys.rawValue, previous.rawValue, Int32(keyCount - 1))
      self.emitInteger(1, into: inGroup)
      self.place(same)
      try self.emitSteps(state, sets)
    }
    emitDistinctExplain(parts.simple.aggregates)
    let finished = newLabel()
    emit(.ifFalse, inGroup.rawValue, finished.operand)
    emit(.gosub, flush.rawValue, flushEntry.operand)
    place(finished)
    emitGoto(behind)

    place(flushEntry)
    try emitFlush(state, parts, output, flush)
    place(resetEntry)
    emitReset(state, sets)
    emit(.return, reset.rawValue)
    place(behind)
  }

  /// The subroutine that puts a group out.
  private func emitFlush(
    _ state: AggregateState, _ parts: SelectParts, _ output: GroupOutput,
    _ address: RegisterIndex
  ) throws(SQLError) {
    for (index, aggregate) in parts.simple.aggregates.enumerated() {
      emit(
        .aggregateFinal, state.accumulators[index].rawValue,
        (state.results + index).rawValue, p4: addCall(aggregate))
    }
    aggregates[parts.select.id] = state.results
    let captures = capture(state.bare, at: state.bareRegisters)
    let next = newLabel()
    try emitGroupRow(output, next: next)
    restore(captures)
    place(next)
    emit(.return, address.rawValue)
  }
}
