// UPDATE … FROM (lang_update §2.2).
//
//     the SELECT's rows into a sorter, by key
//     for each row of the sorter:
//       unless the next one has the same key: change the row

extension Emitter {
  func emitUpdateFrom(
    _ update: BoundUpdate, _ from: BoundUpdateFrom, _ change: RowChange,
    _ returning: ReturningRows?
  ) throws(SQLError) {
    let table = change.table, count = from.select.columns.count
    builder.isMultiWrite = true
    let sorter = builder.newCursor(), pending = builder.newRegisters(count)
    emit(
      .sorterOpen, sorter.rawValue, Int32(count),
      p4: builder.addKeyInfo(try rowKeyInfo(table)))
    statementID = from.select.id
    selectCount = from.select.highestNumber
    try emitSelect(from.select, to: .sorter(sorter, keys: Array(0..<keyWidth(table))))
    let rows = try openTable(table)
    setAccess(from.values.id, .registers(pending + from.keyCount))
    let end = newLabel(), process = newLabel(), next = newLabel(), same = newLabel()
    let hasMore = newRegister()
    emit(.sorterSort, sorter.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<count {
      emit(.rowColumn, sorter.rawValue, Int32(column), (pending + column).rawValue)
    }
    emit(.own, pending.rawValue, Int32(count))
    emitInteger(0, into: hasMore)
    emit(.sorterNext, sorter.rawValue, same.operand)
    emitGoto(process)
    place(same)
    emitInteger(1, into: hasMore)
    try emitKeyComparison(sorter, pending, table, orGoTo: process)
    emitGoto(again)
    place(process)
    emitSeek(table, rows, pending, orGoTo: next)
    readOldRow(update.target, at: rows)
    try emitRowUpdate(
      update, change, rows: rows, key: pending, returning, keepsPosition: false, skip: next)
    place(next)
    emit(.ifTrue, hasMore.rawValue, again.operand)
    place(end)
  }

  /// Jumps unless the sorter's row has the same key.
  private func emitKeyComparison(
    _ sorter: CursorID, _ key: RegisterIndex, _ table: Table, orGoTo differs: Label
  ) throws(SQLError) {
    let width = keyWidth(table), other = builder.newRegisters(width)
    for column in 0..<width {
      emit(.rowColumn, sorter.rawValue, Int32(column), (other + column).rawValue)
    }
    let isEqual = newLabel()
    emit(
      .compare, other.rawValue, key.rawValue, Int32(width),
      p4: builder.addKeyInfo(try rowKeyInfo(table)))
    emit(.jump, differs.operand, isEqual.operand, differs.operand)
    place(isEqual)
  }
}
