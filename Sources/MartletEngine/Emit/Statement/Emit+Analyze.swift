// ANALYZE (lang_analyze).
//
//     make sqlite_stat1 and sqlite_stat4, or delete what is gathered anew
//     for each index of each table
//       c[sampler] = a new sampler
//       for each entry of the index
//         r[changed] = the first column that differs from the entry before
//         add r[changed] and the row's key to c[sampler]
//       row of sqlite_stat1
//       for each sample of c[sampler]: look the row up, row of sqlite_stat4
//     a table that no whole index counts: row of sqlite_stat1 with its number of rows
//     read the schema again, statistics included

extension Emitter {
  /// What is gathered of one database.
  struct StatisticsRequest {
    let database: Int
    /// The tables with their expressions, in the order of SQLite's hash table.
    let sources: TreeList<BoundSource>
    var target = Target.database
    /// Entries to be looked at of each index; 0 for all (PRAGMA analysis_limit).
    let limit: Int32

    enum Target {
      case database
      case table(Table)
      case index(Index)
    }
  }

  func emitAnalyze(_ requests: [StatisticsRequest]) throws(SQLError) {
    for request in requests {
      willWrite(request.database)
      let statistics = try openStatistics(request)
      for source in request.sources {
        guard case .table(let table) = source.kind, table.hasOwnStatistics else { continue }
        let cursor = try openTable(table)
        setAccess(source.id, .table(cursor, table))
        setVirtualColumns(source)
        try emitStatistics(
          of: StatisticsTable(table: table, source: source, cursor: cursor), request, statistics)
      }
      emit(.schemaChanged, Int32(request.database), 0, 2)
    }
  }

  // MARK: The tables of statistics

  /// sqlite_stat1 and sqlite_stat4, open to be written, and the registers of a row.
  private struct StatisticsCursors {
    let averages: CursorID
    let samples: CursorID
    /// tbl, idx, then stat; or neq, nlt, ndlt and sample.
    let row: RegisterIndex
    let record: RegisterIndex
    let rowid: RegisterIndex
    /// sqlite_stat1 as hooks are told of it: SQLite's three columns, whatever the schema says. Nil
    /// where nobody listens.
    let announced: Table?
  }

  private func openStatistics(
    _ request: StatisticsRequest
  ) throws(SQLError) -> StatisticsCursors {
    let definitions: [(name: StaticString, columns: StaticString)] = [
      ("sqlite_stat1", "(tbl,idx,stat)"), ("sqlite_stat4", "(tbl,idx,neq,nlt,ndlt,sample)"),
    ]
    let tables = catalog.databases[request.database].tables
    var cursors: [CursorID] = [], newRoots: [RegisterIndex?] = []
    var isNew = false
    for definition in definitions {
      cursors.append(builder.newCursor())
      newRoots.append(nil)
      if tables[Name(definition.name)] != nil { continue }
      let root = newRegister()
      newRoots[newRoots.count - 1] = root
      let rowid = try emitNewTable(
        NewTable(
          name: Name(definition.name), database: request.database, isView: false,
          isWithoutRowid: false,
          sql: Array("CREATE TABLE \(definition.name)\(definition.columns)".utf8),
          fill: { made throws(SQLError) in
            self.emit(.copy, made.rawValue, root.rawValue)
          }))
      if !isNew { emitCookieChange(request.database) }
      isNew = true
      emit(.schemaChanged, Int32(request.database), rowid.rawValue)
    }
    for (position, definition) in definitions.enumerated() {
      let known = tables[Name(definition.name)]
      if let known, !announcesChanges { emitForget(request, known) }
      let root = newRoots[position]?.rawValue ?? Int32(bitPattern: known?.rootPage.rawValue ?? 0)
      emit(
        .openWrite, cursors[position].rawValue, root, Int32(request.database),
        p5: newRoots[position] == nil ? 0 : 1)
      if let known { try emitForget(request, known, cursors[position]) }
    }
    let width = 6 + request.sources.reduce(1) { width, source in
      guard case .table(let table) = source.kind else { return width }
      return max(width, table.primaryKeyIndex?.keyColumnCount ?? 1)
    }
    return StatisticsCursors(
      averages: cursors[0], samples: cursors[1], row: builder.newRegisters(width),
      record: newRegister(), rowid: newRegister(),
      announced: announcesChanges ? try Table(averagesOf: catalog.databases[request.database]) : nil)
  }

  /// Empties a table of statistics of a whole database.
  private func emitForget(_ request: StatisticsRequest, _ table: Table) {
    guard case .database = request.target else { return }
    emit(
      .clearTree, Int32(bitPattern: table.rootPage.rawValue), Int32(request.database))
  }

  /// Deletes the rows of one table or index.
  private func emitForget(
    _ request: StatisticsRequest, _ table: Table, _ cursor: CursorID
  ) throws(SQLError) {
    let announced = table.isAnnouncedStatistics ? table : nil
    switch request.target {
    case .database where announcesChanges:
      try emitDelete(from: cursor, where: [], announcing: announced)
    case .database: break
    case .table(let table):
      try emitDelete(from: cursor, where: [(0, true, table.name)], announcing: announced)
    case .index(let index):
      try emitDelete(from: cursor, where: [(1, true, index.name)], announcing: announced)
    }
  }

  private func emitAverages(_ statistics: StatisticsCursors) {
    emit(
      .makeRecord, statistics.row.rawValue, 3, statistics.record.rawValue,
      p4: builder.addAffinities([.text, .text, .text]))
    emit(.newRowid, statistics.averages.rawValue, statistics.rowid.rawValue)
    if let table = statistics.announced {
      emitAnnouncement(
        .insert, table, statistics.averages, rowid: statistics.rowid, first: statistics.row)
    }
    emit(
      .insert, statistics.averages.rawValue, statistics.record.rawValue,
      statistics.rowid.rawValue)
  }

  // MARK: One table

  private struct StatisticsTable {
    let table: Table
    let source: BoundSource
    let cursor: CursorID
  }

  private func emitStatistics(
    of rows: StatisticsTable, _ request: StatisticsRequest, _ statistics: StatisticsCursors
  ) throws(SQLError) {
    let row = statistics.row
    try emitText(rows.table.name.buffer, into: row)
    var needsCount = true
    for index in rows.table.indexes {
      if case .index(let wanted) = request.target {
        needsCount = false
        if index !== wanted { continue }
      }
      if index.partialWhere == nil { needsCount = false }
      let isPrimaryKey = index === rows.table.primaryKeyIndex
      try emitText((isPrimaryKey ? rows.table.name : index.name).buffer, into: row + 1)
      try emitStatistics(of: index, rows, request, statistics)
    }
    guard needsCount else { return }
    let isEmpty = newLabel()
    emit(.count, rows.cursor.rawValue, (row + 2).rawValue)
    emit(.ifFalse, (row + 2).rawValue, isEmpty.operand)
    emitNull(row + 1)
    emitAverages(statistics)
    place(isEmpty)
  }

  // MARK: One index

  ///     r[count] = entries of the index, r[limit]
  ///     c[sampler] = sampler
  ///     for each entry: …
  ///     row of sqlite_stat1; of a partial index also where it has no entry
  ///     for each sample: row of sqlite_stat4
  private func emitStatistics(
    of index: Index, _ rows: StatisticsTable, _ request: StatisticsRequest,
    _ statistics: StatisticsCursors
  ) throws(SQLError) {
    let isPrimaryKey = index === rows.table.primaryKeyIndex
    let columnCount = isPrimaryKey ? index.keyColumnCount : index.columns.count
    let cursor = try openIndex(index), sampler = builder.newCursor()
    let numbers = builder.newRegisters(2), end = newLabel(), summary = newLabel()
    emit(.count, cursor.rawValue, numbers.rawValue)
    emitInteger(request.limit, into: numbers + 1)
    emit(
      .samplerOpen, sampler.rawValue, Int32(columnCount), numbers.rawValue,
      p4: Int32(index.keyColumnCount))
    emit(.rewind, cursor.rawValue, (index.partialWhere == nil ? end : summary).operand)
    try emitEntries(
      of: index, rows, cursor, sampler,
      comparing: index.isUniqueAndNotNull ? index.keyColumnCount - 1 : columnCount - 1,
      hasLimit: request.limit > 0)
    place(summary)
    emit(.samplerSummary, sampler.rawValue, (statistics.row + 2).rawValue)
    emitAverages(statistics)
    if request.limit == 0 {
      try emitSamples(of: index, columnCount, rows, sampler, statistics)
    }
    place(end)
    emit(.close, sampler.rawValue)
    emit(.close, cursor.rawValue)
  }

  ///     goto first
  ///     next:  r[changed] = i at the first column i that differs from r[previous + i]
  ///            goto changed(i), or to add where none does
  ///     first: changed(0): r[previous] = column 0; changed(1): r[previous + 1] = column 1; …
  ///     add:   add the entry to the sampler
  ///            next entry, goto next
  private func emitEntries(
    of index: Index, _ rows: StatisticsTable, _ cursor: CursorID, _ sampler: CursorID,
    comparing count: Int, hasLimit: Bool
  ) throws(SQLError) {
    let changed = newRegister(), key = newRegister(), value = newRegister()
    let previous = builder.newRegisters(max(1, count))
    let add = newLabel(), end = newLabel()
    let changes = (0..<count).map { _ in newLabel() }
    emitInteger(0, into: changed)
    emitGoto(changes.first ?? add)
    let next = builder.placeNewLabel()
    // Behind a value that is not NULL, the only column of a unique index never repeats.
    if count == 1 && index.keyColumnCount == 1 && index.isUnique {
      emitInteger(0, into: changed)
      emit(.notNull, previous.rawValue, add.operand)
    }
    let keyInfo = try catalog.keyInfo(of: index, collations: collations)
    for column in 0..<count {
      emitInteger(Int32(column), into: changed)
      emit(.column, cursor.rawValue, Int32(column), value.rawValue)
      emit(
        .notEqual, value.rawValue, changes[column].operand, (previous + column).rawValue,
        p4: builder.addCollation(keyInfo.columns[column].collation),
        p5: ComparisonFlags.nullsAreEqual.rawValue)
    }
    emitInteger(Int32(count), into: changed)
    emitGoto(add)
    for column in 0..<count {
      place(changes[column])
      emit(.column, cursor.rawValue, Int32(column), (previous + column).rawValue)
      emit(.own, (previous + column).rawValue, 1)
    }
    place(add)
    emitEntryKey(of: index, rows.table, cursor, into: key)
    emit(.samplerAdd, sampler.rawValue, changed.rawValue, key.rawValue)
    if hasLimit {
      let goesOn = newLabel()
      emit(.isNull, changed.rawValue, goesOn.operand)
      emit(.ifTrue, changed.rawValue, end.operand)
      emit(.seekGreater, cursor.rawValue, end.operand, previous.rawValue, p4: 1)
      place(goesOn)
    }
    emit(.next, cursor.rawValue, next.operand)
    place(end)
  }

  /// What the entry says of its row: the rowid, or a record of the primary key.
  private func emitEntryKey(
    of index: Index, _ table: Table, _ cursor: CursorID, into key: RegisterIndex
  ) {
    guard let primaryKey = table.primaryKeyIndex else {
      emit(.indexRowid, cursor.rawValue, key.rawValue)
      return
    }
    let columns = primaryKey.columns.prefix(primaryKey.keyColumnCount)
    let values = builder.newRegisters(columns.count)
    for (offset, column) in columns.enumerated() {
      let position = index.position(ofColumn: column.tableColumn) ?? offset
      emit(.column, cursor.rawValue, Int32(position), (values + offset).rawValue)
    }
    emit(.makeRecord, values.rawValue, Int32(columns.count), key.rawValue)
  }

  ///     next: r[row…] = a sample and the key of its row, or goto end
  ///           look the row up, which must be there
  ///           r[sample] = record of the index's columns
  ///           row of sqlite_stat4
  ///           goto next
  private func emitSamples(
    of index: Index, _ columnCount: Int, _ rows: StatisticsTable, _ sampler: CursorID,
    _ statistics: StatisticsCursors
  ) throws(SQLError) {
    let keyWidth = rows.table.primaryKeyIndex?.keyColumnCount ?? 0
    let row = statistics.row, end = newLabel()
    let next = builder.placeNewLabel()
    emit(
      .samplerNext, sampler.rawValue, end.operand, (row + 2).rawValue, p4: Int32(keyWidth))
    if keyWidth > 0 {
      emit(
        .notFound, rows.cursor.rawValue, next.operand, (row + 5).rawValue, p4: Int32(keyWidth))
    } else {
      emit(.seekRowid, rows.cursor.rawValue, next.operand, (row + 5).rawValue)
    }
    let values = builder.newRegisters(columnCount)
    let expressions = rows.source.expressions(of: index)?.columns ?? []
    for (offset, column) in index.columns.prefix(columnCount).enumerated() {
      if offset < expressions.count, let expression = expressions[offset] {
        try rows.source.expressions(of: index)?.checkCollations()
        try emit(expression, into: values + offset)
      } else {
        try emitColumn(rows.source.id, Int32(column.tableColumn), values + offset)
      }
    }
    emit(.makeRecord, values.rawValue, Int32(columnCount), (row + 5).rawValue)
    emit(.makeRecord, row.rawValue, 6, statistics.record.rawValue)
    emit(.newRowid, statistics.samples.rawValue, statistics.rowid.rawValue)
    emit(
      .insert, statistics.samples.rawValue, statistics.record.rawValue,
      statistics.rowid.rawValue)
    emitGoto(next)
    place(end)
  }

  // MARK: PRAGMA optimize

  /// A table that PRAGMA optimize looks at.
  struct OptimizeCheck {
    let table: Table
    /// The LogEst of rows with which it need not be analyzed again; nil for any but none.
    let range: ClosedRange<Int32>?
    let statement: String
  }

  ///     for each table: if its size is another than it was, analyze it, or say so
  func emitOptimize(
    _ checks: [OptimizeCheck], limit: Int32?, isListing: Bool
  ) throws(SQLError) {
    let arguments = builder.newRegisters(2)
    for check in checks {
      let cursor = try openTable(check.table), next = newLabel()
      if let range = check.range {
        emit(
          .ifSizeBetween, cursor.rawValue, next.operand, range.lowerBound,
          p4: range.upperBound)
      } else {
        emit(.rewind, cursor.rawValue, next.operand)
      }
      try emitText(check.statement, into: arguments)
      if isListing {
        emit(.resultRow, arguments.rawValue, 1)
      } else {
        emit(.close, cursor.rawValue)
        emitInteger(limit ?? -1, into: arguments + 1)
        emit(
          .perform, Int32(ConnectionCommand.analyze.rawValue),
          Int32(check.table.databaseIndex), arguments.rawValue)
      }
      place(next)
    }
  }
}

extension Table {
  /// Of what statements like ANALYZE change on their own, preupdate hooks are told of this table
  /// alone (preupdate hook: "not … for system tables"; sessions record it, sessionintro §2.1).
  var isAnnouncedStatistics: Bool { name == Name("sqlite_stat1") }

  /// sqlite_stat1 of a database that may not have it yet.
  fileprivate convenience init(averagesOf schema: Schema) throws(SQLError) {
    let names: [StaticString] = ["tbl", "idx", "stat"]
    let columns = names.map { name in
      Column(
        name: Name(name), declaredType: nil, affinity: .none, collation: nil, isNotNull: false,
        notNullConflict: nil, isPrimaryKey: false, sizeEstimate: 1, defaultValue: nil,
        generated: nil, isHidden: false)
    }
    self.init(
      name: Name("sqlite_stat1"),
      text: try SQLText(copying: UnsafeBufferPointer(start: nil, count: 0)),
      databaseIndex: schema.databaseIndex, rootPage: PageNumber(0), columns: columns,
      rowidColumn: -1, isWithoutRowid: false, isStrict: false, hasAutoincrement: false, view: nil,
      rowSizeEstimate: 0, checks: [])
    databaseName = schema.name
  }

  /// An ordinary table of the user's (lang_analyze §2).
  var hasOwnStatistics: Bool { view == nil && !isVirtual && !name.isReserved }
}

extension Index {
  /// No two entries can have the same key (SQLite's uniqNotNull).
  fileprivate var isUniqueAndNotNull: Bool {
    isUnique
      && columns.prefix(keyColumnCount).allSatisfy { column in
        let position = column.tableColumn
        return position == -1
          || (position >= 0
            && (position == table.rowidColumn || table.columns[position].isNotNull))
      }
  }
}
