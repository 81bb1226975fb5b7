// DELETE (lang_delete).

extension Emitter {
  func emitDelete(_ delete: BoundDelete) throws(SQLError) {
    builder.countsChanges = true
    beginCounting("rows deleted", delete.returning)
    let table = delete.target.table
    if let rows = delete.viewRows { return try emitViewDelete(delete, rows) }
    if table.isVirtual { return try emitVirtualDelete(delete) }
    let triggers = delete.target.triggers(firedBy: .delete)
    if delete.rows.whereClause == nil && delete.returning.isEmpty && !announcesChanges
      && !deletesRowByRow && count == nil && !delete.isIgnored && triggers.isEmpty
      && !delete.target.hasForeignKeys
    {
      return emitTruncation(table)
    }
    let hasSubquery = delete.rows.whereClause?.traits.contains(.hasSubquery) ?? false
    let (plan, pass) = try planChange(
      delete.rows, allowsMultiple: !hasSubquery && delete.returning.isEmpty && !delete.firesAnything
    )
    if pass != .single || delete.firesAnything { builder.isMultiWrite = true }
    let returning = openReturning(delete.returning, delete.target)
    if pass == .collected {
      try emitCollectedDelete(delete, plan, returning)
    } else {
      readRowsThemselves(plan, table)
      try emitLoops(plan) { (exits) throws(SQLError) in
        try self.emitFoundDelete(delete, plan, pass, returning, next: exits.continue)
      }
    }
    try emitEnd(of: returning)
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
    _ delete: BoundDelete, _ plan: LoopPlan, _ pass: Pass, _ returning: ReturningRows?,
    next: Label
  ) throws(SQLError) {
    let target = delete.target
    let rows = try rowCursor(of: target.old)
    let triggers = target.triggers(firedBy: .delete)
    if delete.looksBehind {
      let (_, entries) = try openForWriting(target.table, rows: rows)
      let key = builder.newRegisters(keyWidth(target.table))
      try emitRowKey(target.old, target.table, into: key)
      return try emitFiringDelete(
        FiringDelete(
          target: target, rows: rows, entries: entries, key: key, triggers: triggers,
          policy: nil, flags: .countsChange, returning: returning),
        gone: next)
    }
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

  /// What is needed to delete the row at a cursor where triggers fire.
  struct FiringDelete {
    let target: BoundTarget
    let rows: CursorID
    let entries: [RowWriter.Entry]
    /// The row's rowid or primary key.
    let key: RegisterIndex
    let triggers: FiredTriggers
    let policy: ConflictPolicy?
    let flags: ChangeFlags
    var returning: ReturningRows?
  }

  /// Deletes the row at the cursor, and fires the triggers (SQLite's GenerateRowDelete). Goes to
  /// `gone` if one of them does it first, or by RAISE(IGNORE).
  func emitFiringDelete(_ delete: FiringDelete, gone: Label) throws(SQLError) {
    let target = delete.target, table = target.table, triggers = delete.triggers
    let row = newRow(table)
    readOldRow(target, at: delete.rows)
    var columns = try preferringForeignKeys(target, old: row, new: nil) { () throws(SQLError) in
      try self.columnsRead(by: triggers.all, target, delete.policy, of: \.oldColumns)
    }
    columns |= try foreignKeyColumns(target)
    if delete.returning != nil { columns = .max }
    try emitOldRow(target, key: delete.key, into: row, columns: columns)
    emit(.own, row.rowid.rawValue, Int32(table.columns.count) + 1)
    if table.isWithoutRowid { emit(.own, delete.key.rawValue, Int32(keyWidth(table))) }
    if !triggers.before.isEmpty {
      try emitPrograms(
        of: triggers.before, target, rows: row.rowid, delete.policy, ignored: gone)
      emitSeek(table, delete.rows, delete.key, orGoTo: gone)
      readOldRow(target, at: delete.rows)
    }
    try emitForeignKeyCheck(target, old: row, new: nil)
    readOldRow(target, at: delete.rows)
    try emitEntriesDelete(delete.entries, target)
    emitAnnouncement(.delete, table, delete.rows)
    emit(.delete, delete.rows.rawValue, p4: hookedTable(table), p5: delete.flags.rawValue)
    try emitForeignKeyActions(target, old: row)
    let (temporary, own) = triggers.after.split(on: table)
    try emitPrograms(
      of: temporary, target, rows: row.rowid, delete.policy, ignored: gone)
    if delete.returning != nil { readRow(target.old, in: row) }
    // A row that REPLACE takes away is not one that the statement is about.
    if delete.flags.contains(.countsChange) { try emitReturning(delete.returning) }
    try emitPrograms(of: own, target, rows: row.rowid, delete.policy, ignored: gone)
    readOldRow(target, at: delete.rows)
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
    let triggers = target.triggers(firedBy: .delete)
    try emitLoop(over: keys, target.table) { (next) throws(SQLError) in
      if delete.looksBehind {
        return try self.emitFiringDelete(
          FiringDelete(
            target: target, rows: rows, entries: entries, key: keys.key, triggers: triggers,
            policy: nil, flags: .countsChange, returning: returning),
          gone: next)
      }
      try self.emitReturning(returning)
      try self.emitEntriesDelete(entries, target)
      self.emitAnnouncement(.delete, target.table, rows)
      self.emit(
        .delete, rows.rawValue, p4: self.hookedTable(target.table),
        p5: ChangeFlags.countsChange.rawValue)
    }
  }
}

extension BoundDelete {
  /// Triggers fire, or foreign keys are looked at.
  var firesAnything: Bool {
    target.hasForeignKeys || !target.triggers(firedBy: .delete).isEmpty
  }

  /// Something looks at the row when it is gone, so that it must be kept. A subquery in RETURNING must
  /// not find it any more.
  var looksBehind: Bool {
    firesAnything || returning.contains { $0.expression.traits.contains(.hasSubquery) }
  }
}
