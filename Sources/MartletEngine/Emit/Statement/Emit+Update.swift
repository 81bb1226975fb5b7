// UPDATE (lang_update).

extension Emitter {
  func emitUpdate(_ update: BoundUpdate) throws(SQLError) {
    builder.countsChanges = true
    let change = UpdateChange(update)
    let (plan, pass) = try planUpdate(change)
    if pass != .single { builder.isMultiWrite = true }
    let returning = openReturning(update.returning)
    if pass == .collected {
      try emitCollectedUpdate(change, plan, returning)
    } else {
      readRowsThemselves(plan, change.table)
      try emitLoops(plan) { (exits) throws(SQLError) in
        let rows = try self.rowCursor(of: update.target.old)
        let key = self.builder.newRegisters(self.keyWidth(change.table))
        try self.emitRowKey(update.target.old, change.table, into: key)
        try self.emitRowUpdate(
          change, rows: rows, key: key, returning, keepsPosition: pass == .multiple,
          skip: exits.continue)
      }
    }
    emitReturnedRows(returning)
  }

  /// An UPDATE with what follows from it.
  final class UpdateChange {
    let update: BoundUpdate
    /// For each column, whether it may get another value.
    let changedColumns: [Bool]
    let changesKey: Bool

    var table: Table { update.target.table }

    init(_ update: BoundUpdate) {
      self.update = update
      let table = update.target.table
      var changed = update.assignments.values.map { $0 != nil }
      var changesKey = update.assignments.rowid != nil
      if let primaryKey = table.primaryKeyIndex {
        for column in primaryKey.columns.prefix(primaryKey.keyColumnCount)
        where changed[column.tableColumn] {
          changesKey = true
        }
      }
      for generated in update.target.generated {
        generated.expression.forEachColumn { _, column in
          let isKey = column < 0 || Int(column) == table.rowidColumn
          if isKey ? changesKey : changed[Int(column)] { changed[generated.column] = true }
        }
      }
      changedColumns = changed
      self.changesKey = changesKey
    }

    /// Whether entries of the index change.
    func changes(_ index: Index) -> Bool {
      if changesKey || index === table.primaryKeyIndex { return true }
      for column in index.columns where column.tableColumn >= 0 {
        if changedColumns[column.tableColumn] { return true }
      }
      guard let bound = update.target.new.expressions(of: index) else { return false }
      var isChanged = false
      for case let expression? in bound.columns + [bound.condition] {
        expression.forEachColumn { _, column in
          if column >= 0 && changedColumns[Int(column)] { isChanged = true }
        }
      }
      return isChanged
    }

    /// A conflict may delete other rows.
    var mayReplace: Bool {
      if let policy = update.policy { return policy == .replace }
      if table.primaryKeyConflict == .replace && changesKey { return true }
      return table.indexes.contains { $0.onConflict == .replace && changes($0) }
    }
  }

  private func planUpdate(
    _ change: UpdateChange
  ) throws(SQLError) -> (plan: LoopPlan, pass: Pass) {
    let rows = change.update.rows
    let hasSubquery = rows.whereClause?.traits.contains(.hasSubquery) ?? false
    let allowsMultiple =
      !change.changesKey && !change.mayReplace && !hasSubquery && change.update.returning.isEmpty
    var (plan, pass) = try planChange(rows, allowsMultiple: allowsMultiple)
    // The walk must not meet the entries that it makes.
    if pass == .multiple, let index = plan.loops.first?.index, change.changes(index),
      index !== change.table.primaryKeyIndex
    {
      pass = .collected
    }
    return (plan, pass)
  }

  private func emitCollectedUpdate(
    _ change: UpdateChange, _ plan: LoopPlan, _ returning: ReturningRows?
  ) throws(SQLError) {
    let table = change.table, old = change.update.target.old
    let width = keyWidth(table)
    let store = builder.newCursor()
    let key = builder.newRegisters(width)
    emit(.rowsOpen, store.rawValue, Int32(width))
    var rows = CursorID.none
    try emitLoops(plan) { (exits) throws(SQLError) in
      if case .table(let cursor, _) = self.access(old.id).kind { rows = cursor }
      try self.emitRowKey(old, table, into: key)
      self.emit(.rowsInsert, store.rawValue, key.rawValue, Int32(width))
    }
    indexedExpressions = []
    if rows == .none { rows = try openTable(table) }
    let end = newLabel(), next = newLabel()
    emit(.rowsRewind, store.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<width {
      emit(.rowColumn, store.rawValue, Int32(column), (key + column).rawValue)
    }
    emitSeek(table, rows, key, orGoTo: next)
    try emitRowUpdate(change, rows: rows, key: key, returning, keepsPosition: false, skip: next)
    place(next)
    emit(.rowsNext, store.rawValue, again.operand)
    place(end)
  }

  /// Changes the row at the cursor.
  private func emitRowUpdate(
    _ change: UpdateChange, rows: CursorID, key: RegisterIndex, _ returning: ReturningRows?,
    keepsPosition: Bool, skip: Label
  ) throws(SQLError) {
    let update = change.update, target = update.target
    let (_, entries) = try openForWriting(change.table, rows: rows) { change.changes($0) }
    let writer = RowWriter(
      target: target, row: newRow(change.table), rows: rows, entries: entries,
      record: newRegister(), policy: update.policy, defaults: update.defaults, skip: skip)
    writer.oldKey = key
    writer.changedColumns = change.changedColumns
    writer.changesKey = change.changesKey
    readOldRow(target, at: rows)
    try emitNewValues(update.assignments, writer, rowidOf: key)
    if change.changesKey || returning != nil || change.table.isWithoutRowid {
      // The row is deleted, or overwritten, before the last of its values is used.
      emit(.own, writer.row.first.rawValue, Int32(change.table.columns.count))
      if change.table.isWithoutRowid {
        emit(.own, key.rawValue, Int32(keyWidth(change.table)))
      }
    }
    try emitChange(writer, keepsPosition: keepsPosition)
    try emitReturning(returning)
  }

  /// Puts the new values in the place of the row at the cursor.
  func emitChange(_ writer: RowWriter, keepsPosition: Bool) throws(SQLError) {
    guard let key = writer.oldKey else { return }
    try emitConstraints(writer)
    readOldRow(writer.target, at: writer.rows)
    if writer.mayReplace || writer.changesKey {
      emitSeek(writer.table, writer.rows, key, orGoTo: writer.skip)
    }
    try emitEntriesDelete(writer.entries, writer.target)
    if writer.changesKey { emit(.delete, writer.rows.rawValue) }
    emitWrite(writer, keepsPosition: keepsPosition)
  }

  /// The row with its new values.
  func emitNewValues(
    _ assignments: BoundAssignments, _ writer: RowWriter, rowidOf key: RegisterIndex
  ) throws(SQLError) {
    let table = writer.table, row = writer.row
    for select in assignments.rowSubqueries {
      let first = builder.newRegisters(select.columns.count)
      try emitScalarSubquery(select, first)
      rowSubqueries[select.id] = first
    }
    defer { for select in assignments.rowSubqueries { rowSubqueries[select.id] = nil } }
    if !table.isWithoutRowid {
      if let value = assignments.rowid {
        try emit(value, into: row.rowid)
        emit(.mustBeInteger, row.rowid.rawValue)
      } else {
        emit(.shallowCopy, key.rawValue, row.rowid.rawValue)
      }
    }
    for (index, column) in table.columns.enumerated() where column.generated == nil {
      let register = row.register(ofColumn: index)
      if index == table.rowidColumn {
        emitNull(register)
      } else if let value = assignments.values[index] {
        try emit(value, into: register)
      } else {
        try emitColumn(writer.target.old.id, Int32(index), register)
      }
    }
  }
}
