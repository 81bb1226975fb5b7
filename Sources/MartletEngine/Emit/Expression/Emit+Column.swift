extension Emitter {
  /// Reads a column of a source into `target`.
  @inline(never)
  func emitColumn(
    _ id: SourceID, _ column: Int32, _ target: RegisterIndex, flags: ColumnFlags = []
  ) throws(SQLError) {
    let index = Int(id.rawValue)
    guard index < sources.count else { throw .sql("no such column") }
    if !sources[index].virtualColumns.isEmpty {
      for virtual in sources[index].virtualColumns where virtual.column == column {
        return try emitVirtualColumn(virtual.expression, of: id, Int(column), target)
      }
    }
    switch sources[index].kind {
    case .none: throw .sql("no such column")
    case .table(let cursor, let table):
      try emitTableColumn(cursor, table, Int(column), target, flags)
    case .coveringIndex(let cursor, let index, let table):
      for fixed in sources[Int(id.rawValue)].fixedColumns where fixed.column == column {
        return try emitFixedColumn(fixed, access(id), table, target)
      }
      try emitIndexColumn(cursor, index, table, Int(column), target, flags)
    case .rows(let cursor):
      emit(.rowColumn, cursor.rawValue, column, target.rawValue)
      if column >= 0 && sources[index].isReal(column) {
        emit(.realAffinity, target.rawValue)
      }
    case .virtual(let cursor, let table):
      let isRowid = column < 0 || Int(column) == table.rowidColumn
      emit(
        .virtualColumn, cursor.rawValue, isRowid ? -1 : column, target.rawValue,
        p5: flags.intersection(.isUnchanged).rawValue)
    case .hashTable(let cursor, let columns, let rowid):
      let position = column < 0 ? rowid : columns[Int(column)]
      emit(.rowColumn, cursor.rawValue, position, target.rawValue)
    case .registers(let base):
      if column < 0 {
        emitNull(target)
      } else {
        emit(.shallowCopy, base.rawValue + column, target.rawValue)
      }
    case .outerRow(let row): emitOuterColumn(row, Int(column), target)
    case .row(let row):
      emit(.shallowCopy, row.value(ofColumn: Int(column)).rawValue, target.rawValue)
      if column >= 0, row.table.columns[Int(column)].affinity == .real {
        emit(.realAffinity, target.rawValue)
      }
    }
  }

  /// A virtual generated column is computed where it is read, unless the loop's index has it, and
  /// gets the column's affinity. A hash table holds its value already.
  private func emitVirtualColumn(
    _ expression: BoundExpression, of id: SourceID, _ column: Int, _ target: RegisterIndex
  ) throws(SQLError) {
    let access = access(id)
    switch access.kind {
    case .hashTable(let cursor, let columns, _):
      emit(.rowColumn, cursor.rawValue, columns[column], target.rawValue)
    case .table(_, let table), .coveringIndex(_, _, let table):
      let end = newLabel()
      if access.mayBeNullRow {
        try emitKeyColumn(access, table, target)
        emit(.isNull, target.rawValue, end.operand)
      }
      defer { place(end) }
      let indexed = indexedColumns.first { $0.source == id && Int($0.column) == column }
      if let indexed {
        emit(.column, indexed.cursor.rawValue, indexed.position, target.rawValue)
      } else {
        guard virtualColumnDepth < VirtualColumns.deepest else { throw VirtualColumns.tooDeep }
        // Columns that name the one before twice double the program.
        try attend()
        virtualColumnDepth += 1
        defer { virtualColumnDepth -= 1 }
        try emit(expression, into: target)
      }
      let affinity = table.columns[column].affinity
      if affinity.converts {
        emit(.affinity, target.rawValue, 1, p4: builder.addAffinities([affinity]))
      }
    default: throw SQLError(.internal, "generated column without a table")
    }
  }

  private func emitFixedColumn(
    _ fixed: FixedColumn, _ access: SourceAccess, _ table: Table, _ target: RegisterIndex
  ) throws(SQLError) {
    let end = newLabel()
    if access.fixedMayBeNull {
      try emitKeyColumn(access, table, target)
      emit(.isNull, target.rawValue, end.operand)
    }
    try emit(fixed.value, into: target)
    let affinity = table.columns[Int(fixed.column)].affinity
    emit(.affinity, target.rawValue, 1, p4: builder.addAffinities([affinity]))
    place(end)
  }

  /// What is NULL only in the row of NULLs that an outer join gives: rowid, or a column of the key.
  private func emitKeyColumn(
    _ access: SourceAccess, _ table: Table, _ target: RegisterIndex
  ) throws(SQLError) {
    let column = table.isWithoutRowid ? table.primaryKeyColumns.first ?? -1 : -1
    switch access.kind {
    case .coveringIndex(let cursor, let index, _):
      try emitIndexColumn(cursor, index, table, column, target, [])
    case .table(let cursor, _): try emitTableColumn(cursor, table, column, target, [])
    default: break
    }
  }

  private func emitTableColumn(
    _ cursor: CursorID, _ table: Table, _ column: Int, _ target: RegisterIndex,
    _ flags: ColumnFlags
  ) throws(SQLError) {
    if column < 0 || column == table.rowidColumn {
      emit(.rowid, cursor.rawValue, target.rawValue)
      return
    }
    let position = table.storagePositions[column]
    // A virtual column that the statement does not compute, as nobody reads it.
    guard position >= 0 else { return emitNull(target) }
    emit(
      .column, cursor.rawValue, position, target.rawValue,
      p4: try defaultConstant(table.columns[column]), p5: flags.rawValue)
    if table.columns[column].affinity == .real { emit(.realAffinity, target.rawValue) }
  }

  private func emitIndexColumn(
    _ cursor: CursorID, _ index: Index, _ table: Table, _ column: Int, _ target: RegisterIndex,
    _ flags: ColumnFlags
  ) throws(SQLError) {
    if column < 0 || column == table.rowidColumn {
      emit(.indexRowid, cursor.rawValue, target.rawValue)
      return
    }
    guard let position = index.position(ofColumn: column) else {
      throw .sql("index \(index.name.string) lacks a column")
    }
    emit(
      .column, cursor.rawValue, Int32(position), target.rawValue, p5: flags.rawValue)
    if table.columns[column].affinity == .real { emit(.realAffinity, target.rawValue) }
  }

  /// The constant that stands for a column that the record is too short for; -1 for NULL.
  func defaultConstant(_ column: Table.Column) throws(SQLError) -> Int32 {
    guard let expression = column.defaultValue else { return -1 }
    guard var value = try DefaultValue.register(of: expression, encoding: builder.encoding) else {
      return -1
    }
    try value.freeingOnError { (value) throws(SQLError) in
      try column.affinity.apply(to: &value, encoding: builder.encoding)
    }
    return builder.addConstant(value)
  }
}

extension Index {
  /// Where the index's records have a column of the table.
  func position(ofColumn column: Int) -> Int? {
    columns.firstIndex { $0.tableColumn == column }
  }
}
