// DROP (lang_droptable, lang_dropindex, lang_dropview, lang_droptrigger).

extension Emitter {
  /// DROP TABLE and DROP VIEW.
  ///
  ///     statistics, triggers, sqlite_sequence: their rows go
  ///     schema rows of the table and its indexes go
  ///     trees, that with the largest root page first
  ///     new cookie
  func emitDropTable(_ table: Table) throws(SQLError) {
    let database = table.databaseIndex
    willWrite(database)
    if table.isVirtual { emit(.virtualBegin) }
    if table.view == nil { try emitDeleteStatistics(column: Name("tbl"), table.name, database) }
    let triggers = catalog.triggers(of: table)
    for trigger in triggers { try emitDeleteTriggerRow(trigger) }
    if table.hasAutoincrement { try emitDeleteSequence(of: table) }
    let schema = openSchemaTable(database)
    try emitDelete(
      from: schema.cursor, where: [(2, true, table.name), (0, false, Name("trigger"))])
    if table.view == nil && !table.isVirtual {
      let roots = table.indexes.filter { $0 !== table.primaryKeyIndex }.map(\.rootPage)
        + [table.rootPage]
      for root in roots.sorted(by: { $0.rawValue > $1.rawValue }) {
        try emitDestroyTree(root, schema)
      }
    }
    if table.isVirtual { emit(.virtualDestroy, p4: changedTable(table)) }
    for database in Set(triggers.map(\.databaseIndex) + [database]) { emitCookieChange(database) }
    for trigger in triggers { emitDropped(.trigger, trigger.name, trigger.databaseIndex) }
    emitDropped(.table, table.name, database)
  }

  func emitDropIndex(_ index: Index) throws(SQLError) {
    let database = index.table.databaseIndex
    willWrite(database)
    let schema = openSchemaTable(database)
    try emitDeleteSchemaRow(named: index.name, type: Name("index"), schema)
    try emitDeleteStatistics(column: Name("idx"), index.name, database)
    try emitDestroyTree(index.rootPage, schema)
    emitCookieChange(database)
    emitDropped(.index, index.name, database)
  }

  func emitDropTrigger(_ trigger: Trigger) throws(SQLError) {
    try emitDeleteTriggerRow(trigger)
    emitCookieChange(trigger.databaseIndex)
    emitDropped(.trigger, trigger.name, trigger.databaseIndex)
  }

  private func emitDropped(_ object: DroppedObject, _ name: Name, _ database: Int) {
    emit(
      .objectDropped, Int32(database), Int32(object.rawValue), p4: builder.addText(name.string))
  }

  private func emitDeleteTriggerRow(_ trigger: Trigger) throws(SQLError) {
    willWrite(trigger.databaseIndex)
    let schema = openSchemaTable(trigger.databaseIndex)
    try emitDeleteSchemaRow(named: trigger.name, type: Name("trigger"), schema)
  }

  // MARK: Other tables

  /// Deletes what ANALYZE wrote of a table or an index.
  private func emitDeleteStatistics(
    column: Name, _ name: Name, _ database: Int
  ) throws(SQLError) {
    let names: [StaticString] = ["sqlite_stat1", "sqlite_stat2", "sqlite_stat3", "sqlite_stat4"]
    for statistics in names {
      guard let table = catalog.databases[database].tables[Name(statistics)] else { continue }
      try emitDelete(from: table, where: column, is: name)
    }
  }

  private func emitDeleteSequence(of table: Table) throws(SQLError) {
    let tables = catalog.databases[table.databaseIndex].tables
    guard let sequence = tables[Name("sqlite_sequence")] else { return }
    try emitDelete(from: sequence, where: Name("name"), is: table.name)
  }

  private func emitDelete(from table: Table, where column: Name, is text: Name) throws(SQLError) {
    let position = table.columnIndex(of: column)
    guard position >= 0, table.view == nil, !table.isWithoutRowid, table.indexes.isEmpty else {
      throw .sql("no such column: \(column.string)")
    }
    let cursor = builder.newCursor()
    emit(
      .openWrite, cursor.rawValue, Int32(bitPattern: table.rootPage.rawValue),
      Int32(table.databaseIndex))
    try emitDelete(
      from: cursor, where: [(table.storagePositions[position], true, text)],
      announcing: table.isAnnouncedStatistics ? table : nil)
  }

  // MARK: Trees

  /// Drops a tree. With auto-vacuum the root of another may have moved to its place, which the
  /// schema table must say.
  private func emitDestroyTree(_ root: PageNumber, _ schema: SchemaTable) throws(SQLError) {
    guard root.rawValue >= 2 else { throw .sql("corrupt schema") }
    let moved = newRegister(), end = newLabel(), next = newLabel()
    emit(
      .destroyTree, Int32(bitPattern: root.rawValue), moved.rawValue, Int32(schema.database))
    emit(.ifFalse, moved.rawValue, end.operand)
    let row = builder.newRegisters(5), record = newRegister(), rowid = newRegister()
    emit(.rewind, schema.cursor.rawValue, end.operand)
    let again = builder.placeNewLabel()
    emit(.column, schema.cursor.rawValue, 3, (row + 3).rawValue)
    emit(
      .notEqual, (row + 3).rawValue, next.operand, moved.rawValue,
      p5: ComparisonFlags.jumpIfNull.rawValue)
    for column in [0, 1, 2, 4] {
      emit(.column, schema.cursor.rawValue, Int32(column), (row + column).rawValue)
    }
    emit(.integer, Int32(bitPattern: root.rawValue), (row + 3).rawValue)
    emit(.makeRecord, row.rawValue, 5, record.rawValue)
    emit(.rowid, schema.cursor.rawValue, rowid.rawValue)
    emit(
      .insert, schema.cursor.rawValue, record.rawValue, rowid.rawValue,
      p5: ChangeFlags.keepsPosition.rawValue)
    emitGoto(end)
    place(next)
    emit(.next, schema.cursor.rawValue, again.operand)
    place(end)
  }
}
