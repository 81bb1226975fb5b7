// INSERT, UPDATE and DELETE of views: for each row INSTEAD OF triggers run, and nothing else
// happens (lang_createtrigger §3). As for a table, a write transaction is begun.
//
//     rows of the view into a row store
//     for each row: OLD and NEW into registers, triggers, RETURNING

extension Emitter {
  func emitViewInsert(_ insert: BoundInsert) throws(SQLError) {
    let skip = newLabel(), end = newLabel()
    willWrite(insert.target.table.databaseIndex)
    builder.isMultiWrite = true
    let source = try emitInsertSource(insert)
    let returning = openReturning(insert.returning, insert.target)
    let row = newRow(insert.target.table)
    let next = emitSourceLoop(source, end)
    try emitColumnValues(insert, source, into: row)
    emitInteger(-1, into: row.rowid)
    try emitPrograms(
      of: insert.target.triggers(firedBy: .insert).before, insert.target, rows: row.rowid,
      insert.policy, ignored: skip)
    readRow(insert.target.new, in: row)
    try emitReturning(returning)
    place(skip)
    if let next { builder.emit(next) }
    place(end)
    try emitEnd(of: returning)
  }

  func emitViewUpdate(_ update: BoundUpdate, _ rows: BoundSelect) throws(SQLError) {
    let target = update.target, table = target.table
    willWrite(table.databaseIndex)
    let returning = openReturning(update.returning, update.target)
    try emitViewRows(target, update.from?.select ?? rows, update.from) {
      (old, next) throws(SQLError) in
      let new = self.newRow(table)
      self.emitNull(new.rowid)
      let assignments = update.assignments
      try self.withRowSubqueries(of: assignments) { () throws(SQLError) in
        for index in table.columns.indices {
          let register = new.register(ofColumn: index)
          if let value = assignments.values[index] {
            try self.emit(value, into: register)
          } else {
            self.emit(
              .shallowCopy, old.register(ofColumn: index).rawValue, register.rawValue)
          }
        }
      }
      self.emitAffinities(of: new)
      let triggers = target.triggers(firedBy: .update, setting: assignments.names)
      try self.emitPrograms(
        of: triggers.before, target, rows: old.rowid, update.policy, ignored: next)
      self.readRow(target.new, in: new)
      try self.emitReturning(returning)
    }
    try emitEnd(of: returning)
  }

  func emitViewDelete(_ delete: BoundDelete, _ rows: BoundSelect) throws(SQLError) {
    let target = delete.target
    willWrite(target.table.databaseIndex)
    let returning = openReturning(delete.returning, delete.target)
    try emitViewRows(target, rows) { (old, next) throws(SQLError) in
      try self.emitPrograms(
        of: target.triggers(firedBy: .delete).before, target, rows: old.rowid, nil,
        ignored: next)
      try self.emitReturning(returning)
    }
    try emitEnd(of: returning)
  }

  /// The new values of UPDATE … FROM stand behind the view's columns.
  private func readNewValues(_ from: BoundUpdateFrom, in store: CursorID) {
    let count = from.select.columns.count - from.keyCount
    let values = builder.newRegisters(max(1, count))
    for index in 0..<count {
      emit(
        .rowColumn, store.rawValue, Int32(from.keyCount + index), (values + index).rawValue)
    }
    setAccess(from.values.id, .registers(values))
  }

  /// Collects the rows of a view, then runs `body` for each: it is in the registers, and in the
  /// target's `old`.
  private func emitViewRows(
    _ target: BoundTarget, _ rows: BoundSelect, _ from: BoundUpdateFrom? = nil,
    _ body: (RowRegisters, Label) throws(SQLError) -> Void
  ) throws(SQLError) {
    builder.isMultiWrite = true
    let table = target.table, count = table.columns.count
    let store = builder.newCursor()
    emit(.rowsOpen, store.rawValue, Int32(rows.columns.count))
    statementID = rows.id
    selectCount = rows.highestNumber
    try emitSelect(rows, to: .rows(store))
    if from == nil { emitExplain("SCAN \(target.old.explainName)") }
    let end = newLabel(), next = newLabel()
    emit(.rowsRewind, store.rawValue, end.operand)
    let again = builder.placeNewLabel()
    if let from { readNewValues(from, in: store) }
    let old = newRow(table)
    emitNull(old.rowid)
    for index in 0..<count {
      emit(
        .rowColumn, store.rawValue, Int32(index), old.register(ofColumn: index).rawValue)
    }
    setAccess(target.old.id, .rows(store))
    try body(old, next)
    place(next)
    emit(.rowsNext, store.rawValue, again.operand)
    place(end)
  }
}
