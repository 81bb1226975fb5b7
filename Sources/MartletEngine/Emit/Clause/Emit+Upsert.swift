// ON CONFLICT DO UPDATE (lang_upsert).

extension Emitter {
  /// Updates the row that is in the way, in place of inserting `writer`'s.
  ///
  /// - Parameter isAtRow: The cursor of the rows has found it.
  func emitUpsert(
    _ upsert: BoundUpsert, _ writer: RowWriter, conflictingKey key: RegisterIndex, isAtRow: Bool
  ) throws(SQLError) {
    guard let assignments = upsert.assignments else { throw SQLError(.internal) }
    let target = writer.target, table = writer.table
    setAccess(upsert.excluded.id, .row(writer.row))
    if !isAtRow {
      let isThere = newLabel(), isGone = newLabel()
      emitSeek(table, writer.rows, key, orGoTo: isGone)
      emitGoto(isThere)
      place(isGone)
      emit(.halt, ResultCode.corrupt.rawValue, Int32(ConflictPolicy.abort.rawValue))
      place(isThere)
    }
    readOldRow(target, at: writer.rows)
    if let condition = upsert.condition {
      try emitJump(unless: condition, to: writer.skip, jumpIfNull: true)
    }
    let change = RowChange(target, assignments, .abort)
    let entries = writer.entries.map { entry in
      RowWriter.Entry(
        index: entry.index, cursor: entry.cursor,
        key: builder.newRegisters(entry.index.columns.count), record: newRegister(),
        isWritten: change.changes(entry.index))
    }
    let (oldRow, row) = try newRows(of: change)
    if oldRow != nil { builder.isMultiWrite = true }
    let update = RowWriter(
      target: target, row: row, rows: writer.rows, entries: entries,
      record: newRegister(), policy: .abort, defaults: writer.defaults, skip: writer.skip)
    update.oldRow = oldRow
    update.returning = writer.returning
    try withoutCounting { () throws(SQLError) in try self.emitChange(change, update, key: key) }
    emitGoto(writer.skip)
    readNewRow(target, in: writer.row)
  }
}
