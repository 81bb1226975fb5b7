extension Emitter {
  /// The loop over the rows of a table-valued function.
  ///
  ///     for each value of an IN
  ///       r[arguments] = values of the hidden columns, or NULL
  ///       rows = function(r[arguments])
  ///       for each row
  func emitFunctionLoop(
    _ level: Level, _ function: TableFunction, _ state: LoopState
  ) throws(SQLError) {
    if level.rightJoin != nil {
      throw .notSupported("RIGHT JOIN of a table-valued function")
    }
    let cursor = builder.newCursor(), count = function.hiddenColumns.count
    let makesRowsAtOnce = function.kind == .pragma
    setAccess(
      level.source.id,
      makesRowsAtOnce
        ? .function(cursor, rowid: Int32(function.columnCount)) : .streamingFunction(cursor))
    level.cursors = [cursor]
    let arguments = builder.newRegisters(max(1, count))
    emitNull(arguments, count: max(1, count))
    for (position, term) in level.loop.terms.enumerated() {
      guard let term else { continue }
      try emitEqualityValue(term, into: arguments + position, level, isReversed: false)
      state.markDone(term, level)
    }
    builder.tables.tableFunctions.append(function)
    emit(
      makesRowsAtOnce ? .tableFunction : .functionFilter, cursor.rawValue, level.next.operand,
      arguments.rawValue, p4: Int32(builder.tables.tableFunctions.count - 1),
      p5: UInt8(truncatingIfNeeded: level.loop.functionPlan))
    let again = builder.placeNewLabel()
    level.step = Instruction(
      makesRowsAtOnce ? .rowsNext : .functionNext, cursor.rawValue, again.operand)
  }
}
