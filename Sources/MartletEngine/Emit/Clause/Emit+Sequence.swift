// AUTOINCREMENT (autoinc §3): the counters of sqlite_sequence are read when the statement begins,
// and written when its changes are made. Triggers use those of their statement.

/// What is kept of the table's row in sqlite_sequence, in the statement's own program.
struct SequenceRegisters {
  let table: Table
  let cursor: CursorID
  /// Name, then counter: the columns of the row.
  let name: RegisterIndex
  /// The row's rowid, NULL where there is no row yet.
  let rowid: RegisterIndex
  /// The counter as it was; NULL where there is no row, which is then made in any case.
  let original: RegisterIndex

  var counter: RegisterIndex { name + 1 }
}

extension Emitter {
  /// The emitter of the statement's own program.
  var statementEmitter: Emitter {
    builder.isSubprogram ? subprograms?.root ?? self : self
  }

  /// The counter of a table.
  func sequence(of table: Table) throws(SQLError) -> SequenceRegisters {
    let emitter = statementEmitter
    if let known = emitter.sequences.first(where: { $0.table === table }) { return known }
    guard
      let sequence = catalog.table(
        named: Name("sqlite_sequence"), database: table.databaseIndex),
      sequence.columns.count == 2, !sequence.isWithoutRowid, sequence.view == nil
    else { throw SQLError(.corruptSequence) }
    let registers = SequenceRegisters(
      table: table, cursor: try emitter.openTable(sequence),
      name: emitter.builder.newRegisters(2), rowid: emitter.newRegister(),
      original: emitter.newRegister())
    emitter.sequences.append(registers)
    return registers
  }

  func emitNewRowid(
    _ rows: CursorID, _ rowid: RegisterIndex, _ sequence: SequenceRegisters?
  ) {
    let counter = sequence?.counter.rawValue ?? 0
    if builder.isSubprogram && counter != 0 {
      emit(.newRowid, rows.rawValue, rowid.rawValue, p4: counter)
    } else {
      emit(.newRowid, rows.rawValue, rowid.rawValue, counter)
    }
  }

  /// A rowid that was given may be the highest.
  func emitSequenceMaximum(_ sequence: SequenceRegisters, _ rowid: RegisterIndex) {
    if builder.isSubprogram {
      emit(.maximum, 0, rowid.rawValue, p4: sequence.counter.rawValue)
    } else {
      emit(.maximum, sequence.counter.rawValue, rowid.rawValue)
    }
  }

  /// Reads the counters.
  func emitSequenceStarts() throws(SQLError) {
    for sequence in sequences { try emitStart(of: sequence) }
  }

  private func emitStart(of registers: SequenceRegisters) throws(SQLError) {
    let cursor = registers.cursor
    let name = try Register.makeText(registers.table.name.string, encoding: builder.encoding)
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
  }

  /// Writes the counters, unless this is a trigger.
  func emitSequenceEnds() {
    if builder.isSubprogram { return }
    for sequence in sequences { emitEnd(of: sequence) }
  }

  private func emitEnd(of registers: SequenceRegisters) {
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
