// PRAGMA foreign_key_check.
//
//     for each table with foreign keys, for each row, for each key:
//       unless a column is NULL or there is a parent: table, rowid, parent, number of the key

extension Emitter {
  func emitForeignKeyCheck(of sources: TreeList<BoundSource>) throws(SQLError) {
    for source in sources {
      guard case .table(let table) = source.kind else { continue }
      try emitForeignKeyCheck(of: table, source)
    }
  }

  private func emitForeignKeyCheck(of table: Table, _ source: BoundSource) throws(SQLError) {
    var keys: [ForeignKeyLink.ParentKey?] = []
    for link in table.links {
      let parent = catalog.table(named: link.clause.table, database: table.databaseIndex)
      let key = parent.flatMap { link.parentKey(in: $0) }
      if parent != nil && key == nil { throw link.mismatch }
      keys.append(key)
    }
    let rows = try openTable(table), end = newLabel()
    setAccess(source.id, .table(rows, table))
    setVirtualColumns(source)
    emit(.rewind, rows.rawValue, end.operand)
    let again = builder.placeNewLabel()
    let result = builder.newRegisters(4)
    for (number, link) in table.links.enumerated() {
      let isFine = newLabel()
      try emitParentSearch(link, keys[number], source, isFine)
      try emitText(table.name.string, into: result)
      if table.isWithoutRowid {
        emitNull(result + 1)
      } else {
        emit(.rowid, rows.rawValue, (result + 1).rawValue)
      }
      try emitText(link.clause.table.string, into: result + 2)
      emitInteger(Int32(number), into: result + 3)
      emit(.resultRow, result.rawValue, 4)
      place(isFine)
    }
    emit(.next, rows.rawValue, again.operand)
    place(end)
  }

  private func emitParentSearch(
    _ link: ForeignKeyLink, _ key: ForeignKeyLink.ParentKey?, _ source: BoundSource,
    _ isFine: Label
  ) throws(SQLError) {
    let columns = key?.childColumns ?? link.childColumns
    let values = builder.newRegisters(columns.count)
    for (offset, column) in columns.enumerated() {
      try emitColumn(source.id, Int32(column), values + offset)
      emit(.isNull, (values + offset).rawValue, isFine.operand)
    }
    guard let key else { return }
    if let index = key.index {
      emitParentAffinities(key, values)
      let cursor = try openIndex(index)
      emit(
        .found, cursor.rawValue, isFine.operand, values.rawValue, p4: Int32(columns.count))
    } else {
      let isMissing = newLabel(), parents = try openTable(key.parent)
      emit(.mustBeInteger, values.rawValue, isMissing.operand)
      emit(.seekRowid, parents.rawValue, isMissing.operand, values.rawValue)
      emitGoto(isFine)
      place(isMissing)
    }
  }
}
