// DELETE (lang_delete).

extension Emitter {
  func emitDelete(_ delete: BoundDelete) throws(SQLError) {
    builder.countsChanges = true
    let table = delete.target.table
    if delete.rows.whereClause == nil && delete.returning.isEmpty {
      return emitTruncation(table)
    }
    let hasSubquery = delete.rows.whereClause?.traits.contains(.hasSubquery) ?? false
    let (plan, pass) = try planChange(
      delete.rows, allowsMultiple: !hasSubquery && delete.returning.isEmpty)
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
    emit(.delete, rows.rawValue, p5: flags.rawValue)
    if keepsIndex, let scanned {
      emit(.delete, scanned.cursor.rawValue, p5: ChangeFlags.keepsPosition.rawValue)
    }
  }

  /// Collects the keys in their order, then deletes the rows.
  private func emitCollectedDelete(
    _ delete: BoundDelete, _ plan: LoopPlan, _ returning: ReturningRows?
  ) throws(SQLError) {
    let target = delete.target, table = target.table
    let width = keyWidth(table)
    let sorter = builder.newCursor()
    let key = builder.newRegisters(width)
    emit(
      .sorterOpen, sorter.rawValue, Int32(width), p4: builder.addKeyInfo(try rowKeyInfo(table)))
    var rows = CursorID.none
    try emitLoops(plan) { (exits) throws(SQLError) in
      if case .table(let cursor, _) = self.access(target.old.id).kind { rows = cursor }
      try self.emitRowKey(target.old, table, into: key)
      self.emit(.sorterInsert, sorter.rawValue, key.rawValue, key.rawValue)
    }
    indexedExpressions = []
    let (cursor, entries) = try openForWriting(table, rows: rows == .none ? nil : rows)
    readOldRow(target, at: cursor)
    let end = newLabel(), next = newLabel()
    emit(.sorterSort, sorter.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<width {
      emit(.rowColumn, sorter.rawValue, Int32(column), (key + column).rawValue)
    }
    emitSeek(table, cursor, key, orGoTo: next)
    try emitReturning(returning)
    try emitEntriesDelete(entries, target)
    emit(.delete, cursor.rawValue, p5: ChangeFlags.countsChange.rawValue)
    place(next)
    emit(.sorterNext, sorter.rawValue, again.operand)
    place(end)
  }

  /// The order of rowids, or of the primary key.
  private func rowKeyInfo(_ table: Table) throws(SQLError) -> KeyInfo {
    guard let primaryKey = table.primaryKeyIndex else { return keyInfo([.binary]) }
    let all = try catalog.keyInfo(of: primaryKey, collations: collations)
    return KeyInfo(
      columns: Array(all.columns.prefix(primaryKey.keyColumnCount)), encoding: all.encoding)
  }
}
