// DELETE (lang_delete).

extension Emitter {
  func emitDelete(_ delete: BoundDelete) throws(SQLError) {
    builder.countsChanges = true
    let table = delete.target.table
    if delete.rows.whereClause == nil && delete.returning.isEmpty && !announcesChanges {
      return emitTruncation(table)
    }
    let hasSubquery = delete.rows.whereClause?.traits.contains(.hasSubquery) ?? false
    let (plan, pass) = try planChange(
      delete.rows, allowsMultiple: !hasSubquery && delete.returning.isEmpty)
    if pass != .single { builder.isMultiWrite = true }
    let returning = openReturning(delete.returning)
    if pass == .collected {
      try emitCollectedDelete(delete, plan, returning)
    } else {
      readRowsThemselves(plan, table)
      try emitLoops(plan) { (exits) throws(SQLError) in
        try self.emitFoundDelete(delete, plan, pass, returning)
      }
    }
    emitReturnedRows(returning)
  }

  /// Without WHERE the trees are emptied as a whole (lang_delete §3).
  private func emitTruncation(_ table: Table) {
    writtenDatabases |= 1 << UInt64(table.databaseIndex)
    databases |= 1 << UInt64(table.databaseIndex)
    let database = Int32(table.databaseIndex)
    emit(.clearTree, Int32(bitPattern: table.rootPage.rawValue), database, 1)
    for index in table.indexes where index !== table.primaryKeyIndex {
      emit(.clearTree, Int32(bitPattern: index.rootPage.rawValue), database)
    }
  }

  /// Deletes the row that the loop is on, and leaves the loop's cursors between its neighbours.
  private func emitFoundDelete(
    _ delete: BoundDelete, _ plan: LoopPlan, _ pass: Pass, _ returning: ReturningRows?
  ) throws(SQLError) {
    let target = delete.target
    let rows = try rowCursor(of: target.old)
    let scanned = scannedIndex(plan, target.table)
    let (_, entries) = try openForWriting(target.table, rows: rows, scanned: scanned)
    try emitReturning(returning)
    let keepsIndex = pass == .multiple && scanned != nil
    try emitEntriesDelete(entries, target, except: keepsIndex ? scanned?.cursor : nil)
    var flags: ChangeFlags = .countsChange
    if pass == .multiple && scanned == nil { flags.insert(.keepsPosition) }
    emitAnnouncement(.delete, target.table, rows)
    emit(
      .delete, rows.rawValue, p4: hookedTable(target.table), p5: flags.rawValue)
    if keepsIndex, let scanned {
      emit(.delete, scanned.cursor.rawValue, p5: ChangeFlags.keepsPosition.rawValue)
    }
  }

  /// The update hook is told of rows with rowids only.
  private func hookedTable(_ table: Table) -> Int32 {
    table.isWithoutRowid ? -1 : changedTable(table)
  }

  /// Collects the keys, then deletes the rows.
  private func emitCollectedDelete(
    _ delete: BoundDelete, _ plan: LoopPlan, _ returning: ReturningRows?
  ) throws(SQLError) {
    let target = delete.target
    let keys = try emitKeys(of: target, plan)
    let (rows, entries) = try openForWriting(target.table, rows: keys.rows)
    readOldRow(target, at: rows)
    try emitLoop(over: keys, target.table) { (next) throws(SQLError) in
      try self.emitReturning(returning)
      try self.emitEntriesDelete(entries, target)
      self.emitAnnouncement(.delete, target.table, rows)
      self.emit(
        .delete, rows.rawValue, p4: self.hookedTable(target.table),
        p5: ChangeFlags.countsChange.rawValue)
    }
  }
}
