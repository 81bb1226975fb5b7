// RETURNING (lang_returning): the rows are kept until all changes are made, then delivered.

/// The rows that RETURNING has collected.
struct ReturningRows {
  let store: CursorID
  let row: RegisterIndex
  let columns: TreeList<BoundResultColumn>
  let target: BoundTarget
}

extension Emitter {
  func openReturning(
    _ columns: TreeList<BoundResultColumn>, _ target: BoundTarget
  ) -> ReturningRows? {
    if columns.isEmpty { return nil }
    let rows = ReturningRows(
      store: builder.newCursor(), row: builder.newRegisters(columns.count), columns: columns,
      target: target)
    emit(.rowsOpen, rows.store.rawValue, Int32(columns.count))
    return rows
  }

  /// Keeps the values of the row that the source stands for now.
  func emitReturning(_ rows: ReturningRows?) throws(SQLError) {
    guard let rows else { return emitCount() }
    let columns = try rows.target.returningAsked?() ?? rows.columns
    if let mistake = rows.target.returningMistake { throw mistake }
    for (offset, column) in columns.enumerated() {
      // A subquery over the table sees it as it is now, also where it names no column of the row.
      let end = newLabel()
      if column.expression.subqueriesRead(rows.target.table) { emit(.forgetOnce, 0, end.operand) }
      try withOwnSubqueries { () throws(SQLError) in
        try self.emitFresh(column.expression, into: rows.row + offset)
      }
      place(end)
    }
    emit(.rowsInsert, rows.store.rawValue, rows.row.rawValue, Int32(rows.columns.count))
  }

  /// What is done when all rows are changed.
  func emitEnd(of returning: ReturningRows?) throws(SQLError) {
    if !builder.isSubprogram {
      try subprograms?.finish()
      emitSequenceEnds()
      if returning != nil || count != nil, checksForeignKeys { emit(.foreignKeyCheck) }
    }
    emitReturnedRows(returning)
  }

  private func emitReturnedRows(_ rows: ReturningRows?) {
    guard let rows else { return emitCountRow() }
    let end = newLabel()
    emit(.rowsRewind, rows.store.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for column in rows.columns.indices {
      emit(.rowColumn, rows.store.rawValue, Int32(column), (rows.row + column).rawValue)
    }
    emitResultRow(rows.row, count: rows.columns.count)
    emit(.rowsNext, rows.store.rawValue, again.operand)
    place(end)
  }
}
