// ALTER TABLE (lang_altertable): rows of the schema table are changed, and the schema is read again.

extension Emitter {
  func emitSchemaEdits(_ edits: [SchemaEdit]) throws(SQLError) {
    for database in catalog.databases.indices {
      let own = edits.filter { $0.database == database }
      if own.isEmpty { continue }
      willWrite(database)
      let schema = openSchemaTable(database)
      for edit in own { try emitSchemaEdit(edit, schema) }
      emit(.close, schema.cursor.rawValue)
      emitCookieChange(database)
      emit(.schemaChanged, Int32(database))
    }
  }

  /// Changes the row of one object.
  private func emitSchemaEdit(_ edit: SchemaEdit, _ schema: SchemaTable) throws(SQLError) {
    let cursor = schema.cursor.rawValue
    let end = newLabel(), next = newLabel()
    let values = builder.newRegisters(5), rowid = newRegister(), record = newRegister()
    let wanted = builder.newRegisters(2)
    try emitText(edit.type.buffer, into: wanted)
    try emitText(edit.name.buffer, into: wanted + 1)
    emit(.rewind, cursor, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<5 {
      emit(.column, cursor, Int32(column), (values + column).rawValue)
      if column < 2 {
        emit(
          .notEqual, (values + column).rawValue, next.operand, (wanted + column).rawValue,
          p5: ComparisonFlags.jumpIfNull.rawValue)
      }
    }
    emit(.own, values.rawValue, 5)
    emit(.rowid, cursor, rowid.rawValue)
    for (column, text) in [(1, edit.newName), (2, edit.newTable), (4, edit.newSQL)] {
      guard let text else { continue }
      let result = text.withUnsafeBufferPointer { bytes in
        Result { () throws(SQLError) in try emitText(bytes, into: values + column) }
      }
      try result.get()
    }
    emit(.makeRecord, values.rawValue, 5, record.rawValue)
    emit(
      .insert, cursor, record.rawValue, rowid.rawValue,
      p5: ChangeFlags.keepsPosition.rawValue)
    emitGoto(end)
    place(next)
    emit(.next, cursor, again.operand)
    place(end)
  }

  /// Tells a virtual table its new name.
  func emitVirtualRename(_ table: Table, to name: Name) throws(SQLError) {
    let register = newRegister()
    try emitText(name.buffer, into: register)
    emit(.virtualRename, register.rawValue, p4: changedTable(table))
  }

  /// sqlite_sequence has the table's name.
  func emitSequenceRename(_ table: Table, to name: Name) throws(SQLError) {
    guard table.hasAutoincrement,
      let sequence = catalog.table(
        named: Name("sqlite_sequence"), database: table.databaseIndex)
    else { return }
    let cursor = try openTable(sequence), end = newLabel(), next = newLabel()
    let values = builder.newRegisters(2), wanted = newRegister()
    let rowid = newRegister(), record = newRegister()
    try emitText(table.name.buffer, into: wanted)
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    emit(.column, cursor.rawValue, 0, values.rawValue)
    emit(.notEqual, values.rawValue, next.operand, wanted.rawValue)
    emit(.column, cursor.rawValue, 1, (values + 1).rawValue)
    emit(.own, (values + 1).rawValue, 1)
    try emitText(name.buffer, into: values)
    emit(.rowid, cursor.rawValue, rowid.rawValue)
    emit(.makeRecord, values.rawValue, 2, record.rawValue)
    emit(
      .insert, cursor.rawValue, record.rawValue, rowid.rawValue,
      p5: ChangeFlags.keepsPosition.rawValue)
    place(next)
    emit(.next, cursor.rawValue, again.operand)
    place(end)
  }

  // MARK: Columns

  /// Looks at the rows of a table that gets a column: `refusal` is an error if there are any, and so
  /// is a row that breaks a constraint of the new column.
  func emitColumnChecks(_ check: BoundTableCheck, refusal: String?) throws(SQLError) {
    let table = check.table
    guard let column = table.columns.last else { return }
    let needsNull = column.generated != nil && column.isNotNull
    guard refusal != nil || needsNull || !check.checks.isEmpty else { return }
    let cursor = try openTable(table), end = newLabel()
    setAccess(check.source.id, .table(cursor, table))
    setVirtualColumns(check.source)
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    if let refusal {
      emitHalt(.error, .abort, refusal)
    } else {
      for condition in check.checks {
        let passes = newLabel()
        try emitJump(if: condition, to: passes, jumpIfNull: true)
        emitHalt(.error, .abort, "CHECK constraint failed")
        place(passes)
      }
      if needsNull {
        let value = newRegister(), passes = newLabel()
        try emitColumn(check.source.id, Int32(table.columns.count - 1), value)
        emit(.notNull, value.rawValue, passes.operand)
        emitHalt(.error, .abort, "NOT NULL constraint failed")
        place(passes)
      }
    }
    emit(.next, cursor.rawValue, again.operand)
    place(end)
    emit(.close, cursor.rawValue)
  }

  /// Writes all rows again without a column.
  func emitRows(of table: Table, without column: Int) throws(SQLError) {
    let cursor = try openTable(table), end = newLabel()
    let kept = table.columns.indices.filter { $0 != column && !table.columns[$0].isVirtual }
    let values = builder.newRegisters(max(1, kept.count))
    let rowid = newRegister(), record = newRegister()
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for (offset, index) in kept.enumerated() {
      if index == table.rowidColumn {
        emitNull(values + offset)
      } else {
        try emitStoredColumn(index, of: SourceID(0), table, cursor, values + offset)
      }
    }
    emit(.own, values.rawValue, Int32(max(1, kept.count)))
    emit(.rowid, cursor.rawValue, rowid.rawValue)
    emit(.makeRecord, values.rawValue, Int32(kept.count), record.rawValue)
    emit(
      .insert, cursor.rawValue, record.rawValue, rowid.rawValue,
      p5: ChangeFlags.keepsPosition.rawValue)
    emit(.next, cursor.rawValue, again.operand)
    place(end)
  }
}
