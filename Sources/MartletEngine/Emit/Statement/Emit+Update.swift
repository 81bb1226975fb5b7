// UPDATE (lang_update).

extension Emitter {
  func emitUpdate(_ update: BoundUpdate) throws(SQLError) {
    builder.countsChanges = true
    // Of virtual tables SQLite counts none.
    if update.target.table.isVirtual { return try emitVirtualUpdate(update) }
    beginCounting("rows updated", update.returning)
    if let rows = update.viewRows { return try emitViewUpdate(update, rows) }
    let change = RowChange(update.target, update.assignments, update.policy)
    if needsRows(change) { builder.isMultiWrite = true }
    if let mistake = update.target.searchMistake {
      let (old, _) = newRows(change.table)
      try preferringForeignKeys(update.target, old: old, new: nil, change) {
        () throws(SQLError) -> Void in throw mistake
      }
    }
    if let from = update.from {
      let returning = openReturning(update.returning, update.target)
      try emitUpdateFrom(update, from, change, returning)
      return try emitEnd(of: returning)
    }
    let (plan, pass) = try planUpdate(update, change)
    if pass != .single { builder.isMultiWrite = true }
    let returning = openReturning(update.returning, update.target)
    if pass == .collected {
      try emitCollectedUpdate(update, change, plan, returning)
    } else {
      readRowsThemselves(plan, change.table)
      try emitLoops(plan) { (exits) throws(SQLError) in
        let rows = try self.rowCursor(of: update.target.old)
        let key = self.builder.newRegisters(self.keyWidth(change.table))
        try self.emitRowKey(update.target.old, change.table, into: key)
        try self.emitRowUpdate(
          update, change, rows: rows, key: key, returning, keepsPosition: pass == .multiple,
          skip: exits.continue)
      }
    }
    try emitEnd(of: returning)
  }

  private func planUpdate(
    _ update: BoundUpdate, _ change: RowChange
  ) throws(SQLError) -> (plan: LoopPlan, pass: Pass) {
    let rows = update.rows
    let hasSubquery = rows.whereClause?.traits.contains(.hasSubquery) ?? false
    let allowsMultiple =
      !change.changesKey && !change.mayReplace && !hasSubquery && update.returning.isEmpty
      && !needsRows(change)
    var (plan, pass) = try planChange(rows, allowsMultiple: allowsMultiple)
    // The walk must not meet the entries that it makes. It was planned to find the rows themselves.
    if pass == .multiple, let index = plan.loops.first?.index, change.changes(index),
      index !== change.table.primaryKeyIndex
    {
      readRowsThemselves(plan, change.table)
      pass = .collected
    }
    return (plan, pass)
  }

  private func emitCollectedUpdate(
    _ update: BoundUpdate, _ change: RowChange, _ plan: LoopPlan, _ returning: ReturningRows?
  ) throws(SQLError) {
    let keys = try emitKeys(of: update.target, plan)
    try emitLoop(over: keys, change.table) { (next) throws(SQLError) in
      try self.emitRowUpdate(
        update, change, rows: keys.rows, key: keys.key, returning, keepsPosition: false,
        skip: next)
    }
  }

  /// Changes the row at the cursor.
  func emitRowUpdate(
    _ update: BoundUpdate, _ change: RowChange, rows: CursorID, key: RegisterIndex,
    _ returning: ReturningRows?, keepsPosition: Bool, skip: Label
  ) throws(SQLError) {
    let (_, entries) = try openForWriting(change.table, rows: rows) { change.changes($0) }
    let (oldRow, row) = try newRows(of: change)
    let writer = RowWriter(
      target: update.target, row: row, rows: rows, entries: entries, record: newRegister(),
      policy: update.policy, defaults: update.defaults, skip: skip)
    writer.oldRow = oldRow
    writer.returning = returning
    try emitChange(change, writer, key: key, keepsPosition: keepsPosition)
  }

  /// Puts new values in the place of the row at the cursor, whose rowid or primary key is `key`.
  func emitChange(
    _ change: RowChange, _ writer: RowWriter, key: RegisterIndex, keepsPosition: Bool = false
  ) throws(SQLError) {
    let target = writer.target, table = writer.table
    writer.oldKey = key
    writer.changedColumns = change.changedColumns
    writer.changesKey = change.changesKey
    writer.triggers = change.triggers
    readOldRow(target, at: writer.rows)
    if let oldRow = writer.oldRow {
      let effect = foreignKeyEffect(target, change)
      let keyColumns = effect == .none ? 0 : try foreignKeyColumns(target, change)
      let columns = try preferringForeignKeys(target, old: oldRow, new: nil, change) {
        () throws(SQLError) in
        try self.columnsRead(
          by: change.triggers.all, target, writer.policy, of: \.oldColumns)
      }
      try emitOldRow(target, key: key, into: oldRow, columns: columns | keyColumns)
    }
    try emitNewValues(change.assignments, writer, rowidOf: key)
    if !change.triggers.before.isEmpty { try emitBeforeUpdate(change, writer, key) }
    if change.changesKey || writer.returning != nil || table.isWithoutRowid
      || writer.oldRow != nil
    {
      // The row is deleted, or overwritten, before the last of its values is used.
      emit(.own, writer.row.first.rawValue, Int32(table.columns.count))
      if let oldRow = writer.oldRow {
        emit(.own, oldRow.first.rawValue, Int32(table.columns.count))
      }
      if table.isWithoutRowid { emit(.own, key.rawValue, Int32(keyWidth(table))) }
    }
    try emitConstraints(writer)
    readOldRow(target, at: writer.rows)
    if writer.mayReplace || change.changesKey {
      emitSeek(table, writer.rows, key, orGoTo: writer.skip)
    }
    let effect = foreignKeyEffect(target, change)
    if effect != .none {
      try emitForeignKeyCheck(target, old: writer.oldRow, new: nil, change)
      readOldRow(target, at: writer.rows)
    }
    emitAnnouncement(.update, table, writer.rows, new: writer.row)
    try emitEntriesDelete(writer.entries, target)
    if change.changesKey || effect == .deletesRow { emit(.delete, writer.rows.rawValue) }
    if effect != .none { try emitForeignKeyCheck(target, old: nil, new: writer.row, change) }
    emitWrite(writer, keepsPosition: keepsPosition)
    if effect != .none, let oldRow = writer.oldRow {
      try emitForeignKeyActions(target, old: oldRow, change)
    }
    let (temporary, own) = change.triggers.after.split(on: table)
    if let oldRow = writer.oldRow {
      try emitPrograms(
        of: temporary, target, rows: oldRow.rowid, writer.policy, ignored: writer.skip)
    }
    try emitReturning(writer.returning)
    if let oldRow = writer.oldRow {
      try emitPrograms(of: own, target, rows: oldRow.rowid, writer.policy, ignored: writer.skip)
    }
  }

  /// The registers of a changed row; those of the row as it was only where triggers read them.
  func newRows(of change: RowChange) throws(SQLError) -> (old: RowRegisters?, new: RowRegisters) {
    if !needsRows(change) { return (nil, newRow(change.table)) }
    return newRows(change.table)
  }

  /// Triggers or foreign keys look at the row as it was.
  private func needsRows(_ change: RowChange) -> Bool {
    !change.triggers.isEmpty || foreignKeyEffect(change.target, change) != .none
  }

  /// BEFORE UPDATE. The triggers may delete the row, then it is left alone, or change columns that
  /// the statement does not set.
  private func emitBeforeUpdate(
    _ change: RowChange, _ writer: RowWriter, _ key: RegisterIndex
  ) throws(SQLError) {
    guard let oldRow = writer.oldRow else { return }
    let target = writer.target, table = writer.table
    try emitSettledRow(target, writer.row)
    try emitPrograms(
      of: change.triggers.before, target, rows: oldRow.rowid, writer.policy,
      ignored: writer.skip)
    emitSeek(table, writer.rows, key, orGoTo: writer.skip)
    readOldRow(target, at: writer.rows)
    for (index, column) in table.columns.enumerated()
    where column.generated == nil && index != table.rowidColumn
      && change.assignments.values[index] == nil
    {
      try emitColumn(target.old.id, Int32(index), writer.row.register(ofColumn: index))
    }
  }

  /// The row with its new values.
  private func emitNewValues(
    _ assignments: BoundAssignments, _ writer: RowWriter, rowidOf key: RegisterIndex
  ) throws(SQLError) {
    try withRowSubqueries(of: assignments) { () throws(SQLError) in
      try self.emitAssignedValues(assignments, writer, rowidOf: key)
    }
  }

  /// Runs the subqueries that give several columns at once, then `body`.
  func withRowSubqueries(
    of assignments: BoundAssignments, _ body: () throws(SQLError) -> Void
  ) throws(SQLError) {
    for select in assignments.rowSubqueries {
      let first = builder.newRegisters(select.columns.count)
      try emitScalarSubquery(select, first)
      rowSubqueries[select.id] = first
    }
    defer { for select in assignments.rowSubqueries { rowSubqueries[select.id] = nil } }
    try body()
  }

  private func emitAssignedValues(
    _ assignments: BoundAssignments, _ writer: RowWriter, rowidOf key: RegisterIndex
  ) throws(SQLError) {
    let table = writer.table, row = writer.row
    if !table.isWithoutRowid {
      if let value = assignments.rowid {
        try emit(value, into: row.rowid)
        emit(.mustBeInteger, row.rowid.rawValue)
      } else {
        emit(.shallowCopy, key.rawValue, row.rowid.rawValue)
      }
    }
    for index in table.columns.indices where table.columns[index].generated == nil {
      let register = row.register(ofColumn: index)
      if index == table.rowidColumn {
        emitNull(register)
      } else if let value = assignments.values[index] {
        try emit(value, into: register)
      } else if try isRead(index, beforeUpdate: writer) {
        try emitColumn(writer.target.old.id, Int32(index), register)
      } else {
        emitNull(register)
      }
    }
  }

  /// Whether BEFORE triggers see the value of a column that stays: if one reads it itself.
  /// Generated columns are computed from NULL otherwise; behind the triggers they are computed
  /// anew.
  private func isRead(_ column: Int, beforeUpdate writer: RowWriter) throws(SQLError) -> Bool {
    let triggers = writer.triggers.before
    if triggers.isEmpty || column > 31 { return true }
    let read = try columnsRead(by: triggers, writer.target, writer.policy, of: \.newColumns)
    return read & (1 << UInt64(column)) != 0 || read >> 32 != 0
  }
}
