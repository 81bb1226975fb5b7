// Rows of the schema table (schematab), and the programs that change them.

extension Emitter {
  /// The program of a statement that changes the schema.
  func definitionProgram(
    _ body: (Emitter) throws(SQLError) -> Void
  ) throws(SQLError) -> Program {
    builder.isMultiWrite = true
    builder.mayAbort = true
    builder.isReadOnly = false
    return try makeProgram([], body)
  }

  /// The program begins a write transaction on the database.
  func willWrite(_ database: Int) {
    databases |= 1 << UInt64(database)
    writtenDatabases |= 1 << UInt64(database)
  }

  /// Looks at the schema formats of the databases that the program writes to.
  func noteFormats() {
    if writtenDatabases == 0 { return }
    for (index, schema) in catalog.databases.enumerated()
    where writtenDatabases & (1 << UInt64(index)) != 0 && 1..<4 ~= schema.fileFormat {
      builder.writesOldFormat = true
    }
  }

  /// Tables of which columns are younger than rows need schema format 3 (fileformat2 §1.3.9).
  func emitFormatOfNewColumn(_ database: Int) {
    guard 1..<3 ~= catalog.databases[database].fileFormat else { return }
    emit(.setMeta, Int32(database), Int32(MetaValue.schemaFormat.rawValue), 3)
  }

  /// IF EXISTS or IF NOT EXISTS leaves nothing to do, as long as the schema stays as it is.
  func emitNothing(_ database: Int) { databases |= 1 << UInt64(database) }

  // MARK: Values

  func emitText(_ bytes: UnsafeBufferPointer<UInt8>, into target: RegisterIndex) throws(SQLError) {
    var value = Register()
    try value.setOwnedText(bytes, in: builder.encoding)
    emit(.constant, 0, target.rawValue, p4: builder.addConstant(value))
  }

  func emitText(_ text: String, into target: RegisterIndex) throws(SQLError) {
    // What lends the bytes passes no typed errors on.
    let result = text.withTextBytes { bytes in
      Result { () throws(SQLError) in try emitText(bytes, into: target) }
    }
    try result.get()
  }

  // MARK: The schema table

  /// The schema table of a database, open to be written.
  struct SchemaTable {
    let cursor: CursorID
    let database: Int
  }

  func openSchemaTable(_ database: Int) -> SchemaTable {
    let cursor = builder.newCursor()
    emit(.openWrite, cursor.rawValue, 1, Int32(database))
    return SchemaTable(cursor: cursor, database: database)
  }

  /// A row of the schema table; a root page of `.none` is 0.
  struct SchemaRow {
    let type: String
    let name: Name
    let table: Name
    var rootPage = RegisterIndex.none
    /// nil for the index of a constraint.
    let sql: [UInt8]?
  }

  /// Puts a row into the schema table, under a new rowid or in place of the row that is there.
  func emitSchemaRow(
    _ row: SchemaRow, _ schema: SchemaTable, rowid known: RegisterIndex? = nil
  ) throws(SQLError) -> RegisterIndex {
    let rowid = known ?? newRegister()
    if known == nil { emit(.newRowid, schema.cursor.rawValue, rowid.rawValue) }
    let values = builder.newRegisters(5), record = newRegister()
    try emitText(row.type, into: values)
    try emitText(row.name.buffer, into: values + 1)
    try emitText(row.table.buffer, into: values + 2)
    if row.rootPage == .none {
      emitInteger(0, into: values + 3)
    } else {
      emit(.copy, row.rootPage.rawValue, (values + 3).rawValue)
    }
    if let sql = row.sql {
      let result = sql.withUnsafeBufferPointer { bytes in
        Result { () throws(SQLError) in try emitText(bytes, into: values + 4) }
      }
      try result.get()
    } else {
      emitNull(values + 4)
    }
    emit(.makeRecord, values.rawValue, 5, record.rawValue)
    emit(.insert, schema.cursor.rawValue, record.rawValue, rowid.rawValue)
    return rowid
  }

  /// A row of NULLs, which keeps the place of a table's row: those of its indexes come behind it.
  func emitEmptySchemaRow(_ schema: SchemaTable) -> RegisterIndex {
    let rowid = newRegister(), values = builder.newRegisters(5), record = newRegister()
    emit(.newRowid, schema.cursor.rawValue, rowid.rawValue)
    emitNull(values, count: 5)
    emit(.makeRecord, values.rawValue, 5, record.rawValue)
    emit(.insert, schema.cursor.rawValue, record.rawValue, rowid.rawValue)
    return rowid
  }

  /// Deletes the rows of a table whose columns are the given texts.
  ///
  ///     for each row: if all columns match, delete it
  func emitDelete(
    from cursor: CursorID, where conditions: [(column: Int32, isEqual: Bool, text: Name)],
    announcing table: Table? = nil
  ) throws(SQLError) {
    let end = newLabel(), next = newLabel()
    let value = newRegister()
    let texts = builder.newRegisters(conditions.count)
    for (offset, condition) in conditions.enumerated() {
      try emitText(condition.text.buffer, into: texts + offset)
    }
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for (offset, condition) in conditions.enumerated() {
      emit(.column, cursor.rawValue, condition.column, value.rawValue)
      emit(
        condition.isEqual ? .notEqual : .equal, value.rawValue, next.operand,
        (texts + offset).rawValue,
        p5: ComparisonFlags.jumpIfNull.rawValue
          | (Affinity.text.rawValue & ComparisonFlags.affinityMask))
    }
    if let table { emitAnnouncement(.delete, table, cursor) }
    emit(.delete, cursor.rawValue, p5: ChangeFlags.keepsPosition.rawValue)
    place(next)
    emit(.next, cursor.rawValue, again.operand)
    place(end)
  }

  /// Deletes the row of an index or a trigger.
  func emitDeleteSchemaRow(
    named name: Name, type: Name, _ schema: SchemaTable
  ) throws(SQLError) {
    try emitDelete(
      from: schema.cursor, where: [(1, true, name), (0, true, type)])
  }

  /// The schema of the database has another cookie from now on.
  func emitCookieChange(_ database: Int) {
    emit(.setMeta, Int32(database), Int32(MetaValue.schemaCookie.rawValue), 1)
  }

  /// A file that has no schema yet gets the numbers that say how one is kept.
  func emitFileFormat(_ database: Int) {
    let format = newRegister(), known = newLabel()
    emit(
      .headerValue, Int32(database), format.rawValue, Int32(HeaderField.schemaFormat.rawValue))
    emit(.ifTrue, format.rawValue, known.operand)
    emit(
      .setMeta, Int32(database), Int32(MetaValue.schemaFormat.rawValue), newFileFormat)
    emit(
      .setMeta, Int32(database), Int32(MetaValue.textEncoding.rawValue),
      Int32(catalog.encoding.rawValue))
    place(known)
  }
}
