// INSERT (lang_insert).
//
//     one row:                        several rows:
//       values into registers           co-routine: the SELECT
//       constraints                     (into a row store, if it reads the table)
//       write                           for each row:
//                                         copy to registers, constraints, write
//     rows of RETURNING

extension Emitter {
  func emitInsert(_ insert: BoundInsert) throws(SQLError) {
    builder.countsChanges = true
    beginCounting("rows inserted", insert.returning)
    let table = insert.target.table
    if table.view != nil { return try emitViewInsert(insert) }
    if table.isVirtual { return try emitVirtualInsert(insert) }
    let (rows, entries) = try openForWriting(table)
    let skip = newLabel(), end = newLabel()
    if let transfer = insert.transfer, !announcesChanges, count == nil {
      try emitTransfer(transfer, to: table, rows, entries, end: end)
    }
    let source = try emitInsertSource(insert)
    let writer = RowWriter(
      target: insert.target, row: newRow(table), rows: rows, entries: entries,
      record: newRegister(), policy: insert.policy, defaults: insert.defaults, skip: skip,
      upserts: insert.upserts)
    let sequence = table.hasAutoincrement ? try sequence(of: table) : nil
    writer.returning = openReturning(insert.returning, insert.target)
    writer.triggers = insert.target.triggers(firedBy: .insert)
    if !writer.triggers.isEmpty || !insert.returning.isEmpty { builder.isMultiWrite = true }
    let next = emitSourceLoop(source, end)
    try emitColumnValues(insert, source, into: writer.row)
    if !writer.triggers.before.isEmpty {
      try preferringForeignKeys(insert.target, old: nil, new: writer.row) { () throws(SQLError) in
        try self.emitBeforeInsert(insert, source, writer)
      }
    }
    try emitRowid(insert, source, writer, sequence)
    try emitConstraints(writer)
    if insert.target.hasForeignKeys {
      try emitForeignKeyCheck(insert.target, old: nil, new: writer.row)
    }
    if !writer.triggers.after.isEmpty {
      emit(.own, writer.row.first.rawValue, Int32(table.columns.count))
    }
    emitWrite(writer)
    let (temporary, own) = writer.triggers.after.split(on: table)
    try emitPrograms(
      of: temporary, insert.target, rows: writer.row.rowid, insert.policy, ignored: skip)
    try emitReturning(writer.returning)
    try emitPrograms(
      of: own, insert.target, rows: writer.row.rowid, insert.policy, ignored: skip)
    place(skip)
    if let next { builder.emit(next) }
    place(end)
    try emitEnd(of: writer.returning)
  }

  // MARK: Rows

  /// Where the values of a row come from.
  enum InsertSource {
    case expressions([BoundExpression])
    /// Registers that a co-routine fills.
    case coroutine(yield: RegisterIndex, row: RegisterIndex)
    case rows(CursorID, columnCount: Int, row: RegisterIndex)
  }

  /// Rows that come from the table itself are all read before the first is written, and all rows
  /// where triggers may change what they come from, or RETURNING shows the changes.
  func emitInsertSource(_ insert: BoundInsert) throws(SQLError) -> InsertSource {
    let select: BoundSelect
    switch insert.rows {
    case .defaultValues: return .expressions([])
    case .one(let values): return .expressions(values)
    case .select(let rows): select = rows
    }
    builder.isMultiWrite = true
    let count = select.columns.count
    let yield = newRegister(), openCount = openings.count
    let scanCount = builder.tables.virtualScans.count
    let row = builder.newRegisters(max(1, count))
    let entry = newLabel(), behind = newLabel()
    emit(.initCoroutine, yield.rawValue, behind.operand, entry.operand)
    place(entry)
    statementID = select.id
    firstSource = select.firstSource
    selectCount = select.highestNumber
    try emitSelect(select, to: .coroutine(yield: yield, row: row))
    if let refusal = insert.refusal { throw refusal }
    emit(.endCoroutine, yield.rawValue)
    place(behind)
    let readsTarget =
      openings.dropFirst(openCount).contains { opens($0, insert.target.table) }
      || builder.tables.virtualScans.dropFirst(scanCount).contains {
        $0.table === insert.target.table
      }
    guard
      readsTarget || !insert.returning.isEmpty
        || !insert.target.triggers(firedBy: .insert).isEmpty
    else {
      return .coroutine(yield: yield, row: row)
    }
    let store = builder.newCursor()
    let full = newLabel()
    emit(.rowsOpen, store.rawValue, Int32(count))
    let again = builder.placeNewLabel()
    emit(.yield, yield.rawValue, full.operand)
    emit(.rowsInsert, store.rawValue, row.rawValue, Int32(count))
    emitGoto(again)
    place(full)
    return .rows(store, columnCount: count, row: row)
  }

  /// Whether the instruction opens the table or one of its indexes.
  private func opens(_ opening: Instruction, _ table: Table) -> Bool {
    let root = PageNumber(UInt32(bitPattern: opening.p2))
    return Int(opening.p3) == table.databaseIndex
      && (root == table.rootPage || table.indexes.contains { $0.rootPage == root })
  }

  /// Begins the loop over the rows; gives the instruction that goes on with the next.
  func emitSourceLoop(_ source: InsertSource, _ end: Label) -> Instruction? {
    switch source {
    case .expressions: return nil
    case .coroutine(let yield, _):
      let again = builder.placeNewLabel()
      emit(.yield, yield.rawValue, end.operand)
      return Instruction(.goto, 0, again.operand)
    case .rows(let store, let count, let row):
      emit(.rowsRewind, store.rawValue, end.operand)
      let again = builder.placeNewLabel()
      for column in 0..<count {
        emit(.rowColumn, store.rawValue, Int32(column), (row + column).rawValue)
      }
      return Instruction(.rowsNext, store.rawValue, again.operand)
    }
  }

  // MARK: Values

  /// The values of all columns but generated ones. The INTEGER PRIMARY KEY's own is NULL.
  func emitColumnValues(
    _ insert: BoundInsert, _ source: InsertSource, into row: RowRegisters
  ) throws(SQLError) {
    let table = insert.target.table
    for (index, column) in table.columns.enumerated() where column.generated == nil {
      let register = row.register(ofColumn: index)
      let position = insert.positions[index]
      if index == table.rowidColumn {
        emitNull(register)
      } else if position >= 0 {
        try emitValue(at: position, source, into: register)
      } else if let value = insert.defaults[index] {
        try emitFresh(value, into: register)
      } else {
        emitNull(register)
      }
    }
  }

  /// BEFORE INSERT: NEW has the row as it is going to be, but for a rowid that is not known yet.
  private func emitBeforeInsert(
    _ insert: BoundInsert, _ source: InsertSource, _ writer: RowWriter
  ) throws(SQLError) {
    let table = insert.target.table, row = newRow(table)
    let isKnown = newLabel()
    if insert.rowidPosition >= 0 && !table.isWithoutRowid {
      try emitValue(at: insert.rowidPosition, source, into: row.rowid)
      let isThere = newLabel()
      emit(.notNull, row.rowid.rawValue, isThere.operand)
      emitInteger(-1, into: row.rowid)
      emitGoto(isKnown)
      place(isThere)
      emit(.mustBeInteger, row.rowid.rawValue)
    } else {
      emitInteger(-1, into: row.rowid)
    }
    place(isKnown)
    emit(
      .copy, writer.row.first.rawValue, row.first.rawValue,
      Int32(max(1, table.columns.count)) - 1)
    try emitSettledRow(insert.target, row)
    try emitPrograms(
      of: writer.triggers.before, insert.target, rows: row.rowid, insert.policy,
      ignored: writer.skip)
  }

  func emitValue(
    at position: Int, _ source: InsertSource, into target: RegisterIndex
  ) throws(SQLError) {
    switch source {
    case .expressions(let values): try emitFresh(values[position], into: target)
    case .coroutine(_, let row), .rows(_, _, let row):
      emit(.shallowCopy, (row + position).rawValue, target.rawValue)
    }
  }

  /// The rowid that is given, or a new one for NULL.
  private func emitRowid(
    _ insert: BoundInsert, _ source: InsertSource, _ writer: RowWriter,
    _ sequence: SequenceRegisters?
  ) throws(SQLError) {
    if writer.table.isWithoutRowid { return }
    let rowid = writer.row.rowid
    var isGiven = insert.rowidPosition >= 0
    if isGiven, case .expressions(let values) = source,
      case .null = values[insert.rowidPosition].kind
    {
      isGiven = false
    }
    guard isGiven else {
      emitNewRowid(writer.rows, rowid, sequence)
      // What a conflict would do is compiled also where a new rowid meets none.
      writer.mayHaveRowid =
        insert.rowidPosition >= 0 && (!insert.upserts.isEmpty || writer.rowidPolicy == .replace)
      return
    }
    try emitValue(at: insert.rowidPosition, source, into: rowid)
    let isThere = newLabel(), isKnown = newLabel()
    emit(.notNull, rowid.rawValue, isThere.operand)
    emitNewRowid(writer.rows, rowid, sequence)
    emitGoto(isKnown)
    place(isThere)
    emit(.mustBeInteger, rowid.rawValue)
    place(isKnown)
    if let sequence { emitSequenceMaximum(sequence, rowid) }
  }
}
