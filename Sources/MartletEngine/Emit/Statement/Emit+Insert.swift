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
    let table = insert.target.table
    let (rows, entries) = try openForWriting(table)
    let skip = newLabel(), end = newLabel()
    if let origin = insert.transferSource, !announcesChanges {
      try emitTransfer(from: origin, to: table, rows, entries, end: end)
    }
    let source = try emitInsertSource(insert)
    let writer = RowWriter(
      target: insert.target, row: newRow(table), rows: rows, entries: entries,
      record: newRegister(), policy: insert.policy, defaults: insert.defaults, skip: skip,
      upserts: insert.upserts)
    let sequence = table.hasAutoincrement ? try emitSequenceStart(table) : nil
    writer.returning = openReturning(insert.returning)
    let next = emitSourceLoop(source, end)
    try emitRowValues(insert, source, writer, sequence)
    try emitConstraints(writer)
    emitWrite(writer)
    try emitReturning(writer.returning)
    place(skip)
    if let next { builder.emit(next) }
    place(end)
    if let sequence { emitSequenceEnd(sequence, table) }
    emitReturnedRows(writer.returning)
  }

  // MARK: Rows

  /// Where the values of a row come from.
  enum InsertSource {
    case expressions([BoundExpression])
    /// Registers that a co-routine fills.
    case coroutine(yield: RegisterIndex, row: RegisterIndex)
    case rows(CursorID, columnCount: Int, row: RegisterIndex)
  }

  /// Rows that come from the table itself are all read before the first is written.
  private func emitInsertSource(_ insert: BoundInsert) throws(SQLError) -> InsertSource {
    let select: BoundSelect
    switch insert.rows {
    case .defaultValues: return .expressions([])
    case .one(let values): return .expressions(values)
    case .select(let rows): select = rows
    }
    builder.isMultiWrite = true
    let count = select.columns.count
    let yield = newRegister(), openCount = openings.count
    let row = builder.newRegisters(max(1, count))
    let entry = newLabel(), behind = newLabel()
    emit(.initCoroutine, yield.rawValue, behind.operand, entry.operand)
    place(entry)
    statementID = select.id
    selectCount = select.highestNumber
    try emitSelect(select, to: .coroutine(yield: yield, row: row))
    emit(.endCoroutine, yield.rawValue)
    place(behind)
    guard openings.dropFirst(openCount).contains(where: { opens($0, insert.target.table) }) else {
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
  private func emitSourceLoop(_ source: InsertSource, _ end: Label) -> Instruction? {
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

  private func emitRowValues(
    _ insert: BoundInsert, _ source: InsertSource, _ writer: RowWriter,
    _ sequence: SequenceRegisters?
  ) throws(SQLError) {
    let table = insert.target.table, row = writer.row
    if !table.isWithoutRowid {
      try emitRowid(insert, source, writer, sequence)
    }
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

  private func emitValue(
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
    let rowid = writer.row.rowid
    let counter = sequence?.counter ?? .none
    var isGiven = insert.rowidPosition >= 0
    if isGiven, case .expressions(let values) = source,
      case .null = values[insert.rowidPosition].kind
    {
      isGiven = false
    }
    guard isGiven else {
      emit(.newRowid, writer.rows.rawValue, rowid.rawValue, counter.rawValue)
      writer.mayHaveRowid = false
      return
    }
    try emitValue(at: insert.rowidPosition, source, into: rowid)
    let isThere = newLabel(), isKnown = newLabel()
    emit(.notNull, rowid.rawValue, isThere.operand)
    emit(.newRowid, writer.rows.rawValue, rowid.rawValue, counter.rawValue)
    emitGoto(isKnown)
    place(isThere)
    emit(.mustBeInteger, rowid.rawValue)
    place(isKnown)
    if let sequence { emit(.maximum, sequence.counter.rawValue, rowid.rawValue) }
  }

  // MARK: AUTOINCREMENT

  /// What is kept of the table's row in sqlite_sequence (autoinc §3).
  struct SequenceRegisters {
    let cursor: CursorID
    /// Name, then counter: the columns of the row.
    let name: RegisterIndex
    /// The row's rowid, NULL where there is no row yet.
    let rowid: RegisterIndex
    /// The counter as it was; NULL where there is no row, which is then made in any case.
    let original: RegisterIndex

    var counter: RegisterIndex { name + 1 }
  }

  private func emitSequenceStart(_ table: Table) throws(SQLError) -> SequenceRegisters {
    guard
      let sequence = catalog.table(
        named: Name("sqlite_sequence"), database: table.databaseIndex),
      sequence.columns.count == 2, !sequence.isWithoutRowid, sequence.view == nil
    else { throw SQLError(.corruptSequence) }
    let registers = SequenceRegisters(
      cursor: try openTable(sequence), name: builder.newRegisters(2), rowid: newRegister(),
      original: newRegister())
    let cursor = registers.cursor
    let name = try Register.makeText(table.name.string, encoding: builder.encoding)
    emit(.constant, 0, registers.name.rawValue, p4: builder.addConstant(name))
    emitInteger(0, into: registers.counter)
    emitNull(registers.rowid)
    emitNull(registers.original)
    let found = newLabel(), next = newLabel(), known = newRegister()
    emit(.rewind, cursor.rawValue, found.operand)
    let again = builder.placeNewLabel()
    emit(.column, cursor.rawValue, 0, known.rawValue)
    emit(.notEqual, known.rawValue, next.operand, registers.name.rawValue)
    emit(.rowid, cursor.rawValue, registers.rowid.rawValue)
    emit(.column, cursor.rawValue, 1, registers.counter.rawValue)
    emit(
      .cast, registers.counter.rawValue, registers.counter.rawValue,
      Int32(Affinity.integer.rawValue))
    let isNumber = newLabel()
    emit(.notNull, registers.counter.rawValue, isNumber.operand)
    emitInteger(0, into: registers.counter)
    place(isNumber)
    emit(.copy, registers.counter.rawValue, registers.original.rawValue)
    emitGoto(found)
    place(next)
    emit(.next, cursor.rawValue, again.operand)
    place(found)
    return registers
  }

  private func emitSequenceEnd(_ registers: SequenceRegisters, _ table: Table) {
    let isSame = newLabel(), isThere = newLabel(), record = newRegister()
    emit(
      .lessOrEqual, registers.counter.rawValue, isSame.operand, registers.original.rawValue)
    emit(.notNull, registers.rowid.rawValue, isThere.operand)
    emit(.newRowid, registers.cursor.rawValue, registers.rowid.rawValue)
    place(isThere)
    emit(.makeRecord, registers.name.rawValue, 2, record.rawValue)
    emit(
      .insert, registers.cursor.rawValue, record.rawValue, registers.rowid.rawValue)
    place(isSame)
  }
}
