// ALTER TABLE (lang_altertable): rows of the schema table are changed, and the schema is read
// again.

extension Emitter {
  /// `isRenaming`: all definitions are read once more behind the change.
  func emitSchemaEdits(
    _ edits: [SchemaEdit], isRenaming: Bool = false
  ) throws(SQLError) {
    // SQLite writes 0 and 1 into the rows of ALTER TABLE as they were written before format 4: how long
    // rows are decides how many pages there are.
    builder.writesOldFormat = true
    for database in catalog.databases.indices {
      let own = edits.filter { $0.database == database }
      if own.isEmpty { continue }
      willWrite(database)
      let schema = openSchemaTable(database)
      try emitRowEdits(own, schema)
      emit(.close, schema.cursor.rawValue)
      emitCookieChange(database)
      emitSchemaChange(ofDatabase: database, reading: isRenaming ? .renaming : .all)
    }
  }

  /// The schema of a database is read again.
  func emitSchemaChange(ofDatabase database: Int, reading: SchemaReading) {
    emit(.schemaChanged, Int32(database), 0, Int32(reading.rawValue))
  }

  /// Looks whether all definitions of a database, and those of the temp database, are still good.
  func emitDefinitionCheck(ofDatabase database: Int, _ change: DefinitionChange) {
    builder.isMultiWrite = true
    builder.mayAbort = true
    let register = newRegister()
    emitInteger(change.rawValue, into: register)
    emit(
      .perform, Int32(ConnectionCommand.checkDefinitions.rawValue), Int32(database),
      register.rawValue)
  }

  /// Changes the rows of objects, in the order of the table.
  private func emitRowEdits(_ edits: [SchemaEdit], _ schema: SchemaTable) throws(SQLError) {
    let cursor = schema.cursor.rawValue, end = newLabel(), next = newLabel()
    let values = builder.newRegisters(5)
    emit(.rewind, cursor, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<5 {
      emit(.column, cursor, Int32(column), (values + column).rawValue)
    }
    for edit in edits { try emitRowEdit(edit, schema, values, next) }
    place(next)
    emit(.next, cursor, again.operand)
    place(end)
  }

  /// Changes the row, which is in registers too, if it is that of the object, and goes to `next`.
  private func emitRowEdit(
    _ edit: SchemaEdit, _ schema: SchemaTable, _ values: RegisterIndex, _ next: Label
  ) throws(SQLError) {
    let cursor = schema.cursor.rawValue, isOther = newLabel()
    let wanted = builder.newRegisters(2), rowid = newRegister(), record = newRegister()
    try emitText(edit.type.buffer, into: wanted)
    try emitText(edit.name.buffer, into: wanted + 1)
    for column in 0..<2 {
      emit(
        .notEqual, (values + column).rawValue, isOther.operand, (wanted + column).rawValue,
        p5: ComparisonFlags.jumpIfNull.rawValue)
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
    emitGoto(next)
    place(isOther)
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

  /// Fails if the table, which gets a column, has rows.
  func emitRefusal(of table: Table, _ message: String) throws(SQLError) {
    let cursor = try openTable(table), end = newLabel()
    emit(.rewind, cursor.rawValue, end.operand)
    emitHalt(.error, .abort, message)
    place(end)
    emit(.close, cursor.rawValue)
  }

  /// Looks at the rows of a table that gets a column: one that breaks a constraint of the new
  /// column is an error.
  func emitColumnChecks(_ check: BoundTableCheck) throws(SQLError) {
    let table = check.table
    guard let column = table.columns.last else { return }
    let type = table.isStrict ? TypeCheck(column, isStrict: true) : nil
    let needsNull = column.generated != nil && column.isNotNull
    guard type != nil || needsNull || !check.checks.isEmpty else { return }
    let cursor = try openTable(table), end = newLabel()
    setAccess(check.source.id, .table(cursor, table))
    setVirtualColumns(check.source)
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    let value = newRegister()
    if needsNull || type != nil {
      try emitColumn(check.source.id, Int32(table.columns.count - 1), value)
    }
    if let type {
      let fits = newLabel(), isVirtual = column.isVirtual
      emit(.isType, value.rawValue, fits.operand, Int32(type.classes))
      emitHalt(
        isVirtual ? .constraint : .error, .abort,
        isVirtual ? "constraint failed" : "type mismatch on DEFAULT")
      place(fits)
    }
    if needsNull {
      let passes = newLabel()
      emit(.notNull, value.rawValue, passes.operand)
      emitHalt(.error, .abort, "NOT NULL constraint failed")
      place(passes)
    }
    for condition in check.checks {
      let passes = newLabel()
      try emitJump(if: condition, to: passes, jumpIfNull: true)
      emitHalt(.error, .abort, "CHECK constraint failed")
      place(passes)
    }
    emit(.next, cursor.rawValue, again.operand)
    place(end)
    emit(.close, cursor.rawValue)
  }

  /// Writes all rows again without a column.
  func emitRows(of table: Table, without column: Int) throws(SQLError) {
    let cursor = try openTable(table), end = newLabel()
    let primaryKey = table.primaryKeyIndex
    let kept: [Int]
    if let primaryKey {
      // Records of these begin with the key, which may have a column twice.
      kept = primaryKey.columns.map(\.tableColumn).filter { $0 != column }
    } else {
      kept = table.columns.indices.filter { $0 != column && !table.columns[$0].isVirtual }
    }
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
    if primaryKey == nil { emit(.rowid, cursor.rawValue, rowid.rawValue) }
    emit(.makeRecord, values.rawValue, Int32(kept.count), record.rawValue)
    if let primaryKey {
      emit(
        .indexInsert, cursor.rawValue, record.rawValue, values.rawValue,
        p4: Int32(primaryKey.keyColumnCount), p5: ChangeFlags.keepsPosition.rawValue)
    } else {
      emit(
        .insert, cursor.rawValue, record.rawValue, rowid.rawValue,
        p5: ChangeFlags.keepsPosition.rawValue)
    }
    emit(.next, cursor.rawValue, again.operand)
    place(end)
  }
}

/// What makes definitions worth another look.
enum DefinitionChange: Int32 { case tableName, columnName, removal }
