// INSERT, UPDATE and DELETE of virtual tables: rows are given to the table, which does the rest
// (vtab §2.13).
//
//     the table joins the transaction
//     INSERT: for each row: NULL, rowid, columns: change
//     UPDATE: for each row: rowid, new rowid, columns into a store
//             for each row of the store: change
//     DELETE: for each row: rowid into a sorter
//             for each key of the sorter: change
//
// A scan of one row at most needs neither store nor sorter.

extension Emitter {
  /// Registers of a change: those of the row, with that of the old rowid before them.
  private struct ChangeRegisters {
    let old: RegisterIndex
    let row: RowRegisters

    var count: Int { row.table.columns.count + 2 }
  }

  private func beginVirtualChange(_ table: Table) -> ChangeRegisters {
    willChangeVirtual(table)
    emit(.virtualBegin, p4: changedTable(table))
    let old = newRegister()
    let row = newRow(table)
    assert(row.rowid == old + 1, "registers are given out in order")
    return ChangeRegisters(old: old, row: row)
  }

  private func willChangeVirtual(_ table: Table) {
    if table.virtual?.settings.contains(.usesAllSchemas) == true {
      for database in catalog.databases.indices { willWrite(database) }
    } else {
      willWrite(table.databaseIndex)
    }
    builder.mayAbort = true
  }

  private func emitChange(
    _ change: ChangeRegisters, _ policy: ConflictPolicy?, setsRowid: Bool = false
  ) {
    emit(
      .virtualUpdate, setsRowid ? 1 : 0, Int32(change.count), change.old.rawValue,
      p4: changedTable(change.row.table), p5: (policy ?? .abort).rawValue)
  }

  // MARK: INSERT

  func emitVirtualInsert(_ insert: BoundInsert) throws(SQLError) {
    // RETURNING is a trigger to SQLite, so that the statement has a savepoint.
    if !insert.returning.isEmpty { builder.isMultiWrite = true }
    let end = newLabel()
    let change = beginVirtualChange(insert.target.table), row = change.row
    let source = try emitInsertSource(insert)
    let returning = openReturning(insert.returning, insert.target)
    let next = emitSourceLoop(source, end)
    emitNull(change.old)
    if insert.rowidPosition >= 0 && !row.table.isWithoutRowid {
      try emitValue(at: insert.rowidPosition, source, into: row.rowid)
      let isNull = newLabel()
      emit(.isNull, row.rowid.rawValue, isNull.operand)
      emit(.mustBeInteger, row.rowid.rawValue)
      place(isNull)
    } else {
      emitNull(row.rowid)
    }
    try emitColumnValues(insert, source, into: row)
    if returning != nil { try emitVirtualReturning(insert.target, row, returning) }
    emitChange(change, insert.policy, setsRowid: true)
    emitCount()
    if let next { builder.emit(next) }
    place(end)
    try emitEnd(of: returning)
  }

  /// RETURNING sees the row before the table gets it: a rowid that is not given is -1.
  private func emitVirtualReturning(
    _ target: BoundTarget, _ row: RowRegisters, _ returning: ReturningRows?
  ) throws(SQLError) {
    let shown = newRow(row.table), isKnown = newLabel()
    emit(
      .copy, row.rowid.rawValue, shown.rowid.rawValue, Int32(max(1, row.table.columns.count)))
    emit(.notNull, shown.rowid.rawValue, isKnown.operand)
    emitInteger(-1, into: shown.rowid)
    place(isKnown)
    readNewRow(target, in: shown)
    try emitReturning(returning)
  }

  // MARK: UPDATE

  func emitVirtualUpdate(_ update: BoundUpdate) throws(SQLError) {
    let table = update.target.table
    let change = beginVirtualChange(table)
    // The row is read as a whole, if only to learn what stays as it is.
    update.target.old.usedColumns = .max
    if let from = update.from { return try emitVirtualUpdate(update, from, change) }
    let (plan, pass) = try planChange(update.rows, allowsMultiple: false)
    if pass == .single {
      return try emitLoops(plan) { (exits) throws(SQLError) in
        let cursor = try self.emitVirtualValues(update, change)
        self.emit(.own, change.old.rawValue, Int32(change.count))
        self.emit(.close, cursor.rawValue)
        self.emitChange(change, update.policy)
        self.emitGoto(exits.break)
      }
    }
    builder.isMultiWrite = true
    let store = builder.newCursor()
    emit(.rowsOpen, store.rawValue, Int32(change.count))
    try emitLoops(plan) { (exits) throws(SQLError) in
      _ = try self.emitVirtualValues(update, change)
      self.emit(.rowsInsert, store.rawValue, change.old.rawValue, Int32(change.count))
    }
    let end = newLabel()
    emit(.rowsRewind, store.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<change.count {
      emit(.rowColumn, store.rawValue, Int32(column), (change.old + column).rawValue)
    }
    emitChange(change, update.policy)
    emit(.rowsNext, store.rawValue, again.operand)
    place(end)
  }

  /// UPDATE … FROM: every row of FROM that matches is a change, though it be of a row that was
  /// changed before.
  private func emitVirtualUpdate(
    _ update: BoundUpdate, _ from: BoundUpdateFrom, _ change: ChangeRegisters
  ) throws(SQLError) {
    builder.isMultiWrite = true
    let table = change.row.table, count = from.select.columns.count
    let store = builder.newCursor(), pending = builder.newRegisters(count)
    emit(.rowsOpen, store.rawValue, Int32(count))
    statementID = from.select.id
    selectCount = from.select.highestNumber
    try emitSelect(from.select, to: .rows(store))
    setAccess(from.values.id, .registers(pending + from.keyCount))
    let end = newLabel()
    emit(.rowsRewind, store.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<count {
      emit(.rowColumn, store.rawValue, Int32(column), (pending + column).rawValue)
    }
    emit(.shallowCopy, pending.rawValue, change.old.rawValue)
    for (index, value) in update.assignments.values.enumerated() {
      if let value { try emit(value, into: change.row.register(ofColumn: index)) }
    }
    let key = table.primaryKeyIndex?.columns.first.map {
      change.row.register(ofColumn: $0.tableColumn)
    }
    if let rowid = update.assignments.rowid {
      try emit(rowid, into: change.row.rowid)
    } else {
      emit(.shallowCopy, (key ?? change.old).rawValue, change.row.rowid.rawValue)
    }
    emitChange(change, update.policy)
    emit(.rowsNext, store.rawValue, again.operand)
    place(end)
  }

  /// The old rowid, the new one, and the new row, of the row that the loop is at.
  private func emitVirtualValues(
    _ update: BoundUpdate, _ change: ChangeRegisters
  ) throws(SQLError) -> CursorID {
    let target = update.target, table = target.table, row = change.row
    guard case .virtual(let cursor, _) = access(target.old.id).kind else {
      throw SQLError(.internal, "loop without a table")
    }
    let assignments = update.assignments
    try withRowSubqueries(of: assignments) { () throws(SQLError) in
      for (index, value) in assignments.values.enumerated() {
        let register = row.register(ofColumn: index)
        if let value {
          try self.emit(value, into: register)
        } else if index != table.rowidColumn || assignments.rowid == nil {
          self.emit(
            .virtualColumn, cursor.rawValue, Int32(index), register.rawValue,
            p5: ColumnFlags.isUnchanged.rawValue)
        }
      }
      if let key = table.primaryKeyIndex?.columns.first {
        try self.emitColumn(target.old.id, Int32(key.tableColumn), change.old)
        self.emit(
          .shallowCopy, row.register(ofColumn: key.tableColumn).rawValue, row.rowid.rawValue)
        return
      }
      try self.emitColumn(target.old.id, -1, change.old)
      guard let rowid = assignments.rowid else {
        self.emit(.shallowCopy, change.old.rawValue, row.rowid.rawValue)
        return
      }
      try self.emit(rowid, into: row.rowid)
      if table.rowidColumn >= 0 {
        self.emit(
          .shallowCopy, row.rowid.rawValue,
          row.register(ofColumn: table.rowidColumn).rawValue)
      }
    }
    return cursor
  }

  // MARK: DELETE

  func emitVirtualDelete(_ delete: BoundDelete) throws(SQLError) {
    let target = delete.target, table = target.table
    willChangeVirtual(table)
    emit(.virtualBegin, p4: changedTable(table))
    let key = newRegister()
    let column = table.primaryKeyIndex?.columns.first.map { Int32($0.tableColumn) } ?? -1
    let (plan, pass) = try planChange(delete.rows, allowsMultiple: false)
    func emitDeletion() {
      emit(
        .virtualUpdate, 0, 1, key.rawValue, p4: changedTable(table),
        p5: ConflictPolicy.abort.rawValue)
      emitCount()
    }
    if pass == .single {
      try emitLoops(plan) { (exits) throws(SQLError) in
        try self.emitColumn(target.old.id, column, key)
        self.emit(.own, key.rawValue, 1)
        if case .virtual(let cursor, _) = self.access(target.old.id).kind {
          self.emit(.close, cursor.rawValue)
        }
        emitDeletion()
        self.emitGoto(exits.break)
      }
      return emitCountRow()
    }
    builder.isMultiWrite = true
    let sorter = builder.newCursor()
    emit(
      .sorterOpen, sorter.rawValue, 1, p4: builder.addKeyInfo(keyInfo([.binary])))
    try emitLoops(plan) { (exits) throws(SQLError) in
      try self.emitColumn(target.old.id, column, key)
      self.emit(.sorterInsert, sorter.rawValue, key.rawValue, key.rawValue)
    }
    let end = newLabel()
    emit(.sorterSort, sorter.rawValue, end.operand)
    let again = builder.placeNewLabel()
    emit(.rowColumn, sorter.rawValue, 0, key.rawValue)
    emitDeletion()
    emit(.sorterNext, sorter.rawValue, again.operand)
    place(end)
    emitCountRow()
  }
}
