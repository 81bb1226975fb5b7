// INSERT INTO a SELECT * FROM b, while `a` is empty.
//
//     if the target has a row, go to the general code
//     for each row of the source: its record, as it is, into the target
//     for each index: the records of the source's index, in their order, to the target's

extension Emitter {
  /// Copies all records, and goes to `end`; goes on behind this where the target has rows.
  func emitTransfer(
    _ transfer: BoundTransfer, to target: Table, _ rows: CursorID, _ entries: [RowWriter.Entry],
    end: Label
  ) throws(SQLError) {
    let source = transfer.source
    let isEmpty = newLabel(), isFull = newLabel()
    emit(.rewind, rows.rawValue, isEmpty.operand)
    emitGoto(isFull)
    place(isEmpty)
    let record = newRegister()
    if !source.isWithoutRowid {
      try emitRecords(of: source, to: target, rows, entries, record)
    }
    for entry in entries {
      guard let position = target.indexes.firstIndex(where: { $0 === entry.index }) else { continue }
      let index = transfer.indexes[position]
      let holdsRows = index === source.primaryKeyIndex
      let flags: ChangeFlags = holdsRows ? .countsChange : []
      try emitLoop(holdsRows ? openTable(source) : openIndex(index), record) { _ in
        emit(
          .indexAppend, (holdsRows ? rows : entry.cursor).rawValue, record.rawValue,
          p5: flags.rawValue)
      }
    }
    emitGoto(end)
    place(isFull)
  }

  /// Rows keep their rowids where indexes know them.
  private func emitRecords(
    of source: Table, to target: Table, _ rows: CursorID, _ entries: [RowWriter.Entry],
    _ record: RegisterIndex
  ) throws(SQLError) {
    let rowid = newRegister()
    let keepsRowids = source.rowidColumn >= 0 || !entries.isEmpty
    let flags: ChangeFlags = [.countsChange, .setsLastRowid]
    try emitLoop(openTable(source), record) { cursor in
      if keepsRowids {
        emit(.rowid, cursor.rawValue, rowid.rawValue)
      } else {
        emit(.newRowid, rows.rawValue, rowid.rawValue)
      }
      emit(
        .insert, rows.rawValue, record.rawValue, rowid.rawValue, p4: changedTable(target),
        p5: flags.rawValue)
    }
  }

  private func emitLoop(
    _ cursor: CursorID, _ record: RegisterIndex, _ body: (CursorID) -> Void
  ) {
    let end = newLabel()
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    emit(.rowData, cursor.rawValue, record.rawValue)
    body(cursor)
    emit(.next, cursor.rawValue, again.operand)
    place(end)
  }
}
