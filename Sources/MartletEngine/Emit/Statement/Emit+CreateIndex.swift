// CREATE INDEX (lang_createindex).
//
//     r[root] = new tree, schema row
//     for each row of the table
//       if the condition is not true, next row
//       record of the key columns and the row's key → sorter
//     for each record of the sorter, in order
//       UNIQUE: the key of the record before it is an error
//       append the record to the tree
//     new cookie, read the new row

extension Emitter {
  func emitCreateIndex(
    _ index: Index, _ bound: Binder.BoundIndex, _ statement: CreateIndexStatement, _ text: SQLText
  ) throws(SQLError) {
    let database = index.table.databaseIndex, root = newRegister()
    willWrite(database)
    emit(.createTree, Int32(database), root.rawValue, 2)
    let schema = openSchemaTable(database)
    let rowid = try emitSchemaRow(
      SchemaRow(
        type: "index", name: index.name, table: index.table.name, rootPage: root,
        sql: Emitter.storedText(
          statement.isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ", text,
          statement.storedRange)),
      schema)
    emit(.close, schema.cursor.rawValue)
    try emitFill(index, bound, root: root)
    emitCookieChange(database)
    emit(.schemaChanged, Int32(database), rowid.rawValue)
  }

  /// REINDEX of one index: its entries are made again.
  func emitReindex(_ index: Index, _ bound: Binder.BoundIndex) throws(SQLError) {
    let database = index.table.databaseIndex, root = newRegister()
    willWrite(database)
    emit(.clearTree, Int32(bitPattern: index.rootPage.rawValue), Int32(database))
    emitInteger(Int32(bitPattern: index.rootPage.rawValue), into: root)
    try emitFill(index, bound, root: root)
  }

  private func emitFill(
    _ index: Index, _ bound: Binder.BoundIndex, root: RegisterIndex
  ) throws(SQLError) {
    if index.isUnique && !index.followsTableOrder {
      return try emitInserts(index, bound, root: root)
    }
    let sorter = builder.newCursor(), record = newRegister()
    let keyInfo = try catalog.keyInfo(of: index, collations: collations)
    // Entries with equal keys come in the order of the table, which is that of what follows the
    // key.
    let sorted = index.followsTableOrder ? index.keyColumnCount : index.columns.count
    let order = KeyInfo(columns: Array(keyInfo.columns.prefix(sorted)), encoding: keyInfo.encoding)
    emit(
      .sorterOpen, sorter.rawValue, 1, p4: builder.addKeyInfo(order), p5: index.isUnique ? 1 : 0)
    try emitEntries(of: index, bound, into: record) { values in
      emit(.sorterInsert, sorter.rawValue, values.rawValue, record.rawValue)
    }
    let cursor = openNewIndex(index, keyInfo, root)
    let end = newLabel(), duplicate = newLabel()
    emit(.sorterSort, sorter.rawValue, end.operand)
    let again = builder.placeNewLabel()
    if index.isUnique { emit(.sorterDuplicate, sorter.rawValue, duplicate.operand) }
    emit(.rowColumn, sorter.rawValue, 0, record.rawValue)
    emit(.indexAppend, cursor.rawValue, record.rawValue)
    emit(.sorterNext, sorter.rawValue, again.operand)
    if index.isUnique {
      emitGoto(end)
      place(duplicate)
      emitDuplicate(in: index)
    }
    place(end)
    emit(.close, sorter.rawValue)
    emit(.close, cursor.rawValue)
  }

  /// Fills an index whose order a sorter of its keys cannot give: each entry is looked for first.
  private func emitInserts(
    _ index: Index, _ bound: Binder.BoundIndex, root: RegisterIndex
  ) throws(SQLError) {
    let record = newRegister()
    let keyInfo = try catalog.keyInfo(of: index, collations: collations)
    let cursor = openNewIndex(index, keyInfo, root)
    try emitEntries(of: index, bound, into: record) { values in
      let isNew = newLabel()
      emit(
        .noConflict, cursor.rawValue, isNew.operand, values.rawValue,
        p4: Int32(index.keyColumnCount))
      emitDuplicate(in: index)
      place(isNew)
      emit(
        .indexInsert, cursor.rawValue, record.rawValue, values.rawValue,
        p4: Int32(index.columns.count))
    }
    emit(.close, cursor.rawValue)
  }

  private func openNewIndex(
    _ index: Index, _ keyInfo: KeyInfo, _ root: RegisterIndex
  ) -> CursorID {
    let cursor = builder.newCursor()
    emit(
      .openWrite, cursor.rawValue, root.rawValue, Int32(index.table.databaseIndex),
      p4: builder.addKeyInfo(keyInfo), p5: 1)
    return cursor
  }

  private func emitDuplicate(in index: Index) {
    emit(
      .halt, ResultCode.constraintUnique.rawValue, Int32(ConflictPolicy.abort.rawValue),
      p4: builder.addText("UNIQUE constraint failed: \(index.keyText(of: index.table))"))
  }

  /// Makes the entry of each row of the table; `body` gets the registers of its values.
  private func emitEntries(
    of index: Index, _ bound: Binder.BoundIndex, into record: RegisterIndex,
    _ body: (RegisterIndex) -> Void
  ) throws(SQLError) {
    let table = index.table, cursor = try openTable(table)
    setAccess(bound.source.id, .table(cursor, table))
    setVirtualColumns(bound.source)
    let next = newLabel(), end = newLabel()
    let values = builder.newRegisters(index.columns.count)
    emit(.rewind, cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    if let condition = bound.condition {
      try emitJump(unless: condition, to: next, jumpIfNull: true)
    }
    for (offset, column) in index.columns.enumerated() {
      let target = values + offset
      if offset < bound.expressions.count, let expression = bound.expressions[offset] {
        try emit(expression, into: target)
      } else {
        try emitStoredColumn(column.tableColumn, of: bound.source.id, table, cursor, target)
      }
    }
    emit(.makeRecord, values.rawValue, Int32(index.columns.count), record.rawValue)
    body(values)
    place(next)
    emit(.next, cursor.rawValue, again.operand)
    place(end)
    emit(.close, cursor.rawValue)
  }

  /// A column as the table's record has it: a real that was stored as an integer stays one.
  func emitStoredColumn(
    _ column: Int, of source: SourceID, _ table: Table, _ cursor: CursorID,
    _ target: RegisterIndex
  ) throws(SQLError) {
    if column < 0 || column == table.rowidColumn {
      emit(.rowid, cursor.rawValue, target.rawValue)
    } else if table.columns[column].isVirtual {
      try emitColumn(source, Int32(column), target)
    } else {
      emit(
        .column, cursor.rawValue, table.storagePositions[column], target.rawValue,
        p4: try defaultConstant(table.columns[column]))
    }
  }
}

extension Index {
  /// Entries with equal keys are in the order in which a scan of the table finds their rows: what
  /// stands behind the key is the rowid, or columns of the primary key, ascending.
  fileprivate var followsTableOrder: Bool {
    guard let primaryKey = table.primaryKeyIndex else { return true }
    return primaryKey.columns.prefix(primaryKey.keyColumnCount).allSatisfy { !$0.isDescending }
  }

  /// What an error says of a key that is there already.
  func keyText(of table: Table) -> String {
    let keys = columns.prefix(keyColumnCount)
    if keys.contains(where: { $0.tableColumn == -2 }) {
      return "index " + Quoting.string(name.string)
    }
    let names = keys.map { key in
      let column = key.tableColumn < 0 ? "rowid" : table.columns[key.tableColumn].name.string
      return "\(table.name.string).\(column)"
    }
    return names.joined(separator: ", ")
  }
}
