// PRAGMA integrity_check and quick_check (pragma, integrity_check).
//
//     errors left = N - 1
//     check the trees of each database; a row with their messages
//     compare the number of entries of each index with that of its table
//     for each row of each table:
//       order of WITHOUT ROWID keys; NOT NULL and types; CHECK
//       for each index: the entry is there, says the same, and is the only one where it must be
//     "ok" unless there was a row

extension Emitter {
  /// What is checked of one database.
  struct DatabaseCheck {
    let index: Int
    let name: String
    /// In the order of SQLite's hash table.
    let tables: [BoundTableCheck]
    /// Those that check themselves.
    let virtualTables: [Table]
  }

  /// How the check was asked for.
  struct CheckOptions {
    let limit: Int32
    let isQuick: Bool
    /// One table, instead of everything.
    let isPartial: Bool
  }

  func emitIntegrityCheck(
    of databases: [DatabaseCheck], _ options: CheckOptions
  ) throws(SQLError) {
    let report = CheckReport(
      emitter: self, remaining: newRegister(), message: newRegister(), part: newRegister(),
      end: newLabel())
    emitInteger(options.limit - 1, into: report.remaining)
    for database in databases {
      try emitTreeCheck(database, options, report)
      for check in database.tables where check.table.view == nil && !check.table.isVirtual {
        try emitRowCheck(check, isQuick: options.isQuick, report)
      }
      for table in database.virtualTables {
        emitVirtualCheck(table, isQuick: options.isQuick, report)
      }
    }
    let isDamaged = newLabel(), none = newRegister()
    emitInteger(options.limit - 1, into: none)
    emit(.notEqual, report.remaining.rawValue, isDamaged.operand, none.rawValue)
    try report.load("ok", into: report.message)
    emit(.resultRow, report.message.rawValue, 1)
    place(isDamaged)
    place(report.end)
  }

  private func emitVirtualCheck(_ table: Table, isQuick: Bool, _ report: CheckReport) {
    let isSound = newLabel()
    emit(.virtualCheck, report.message.rawValue, isQuick ? 1 : 0, p4: changedTable(table))
    emit(.isNull, report.message.rawValue, isSound.operand)
    report.emitRow()
    place(isSound)
  }

  // MARK: Trees

  private func emitTreeCheck(
    _ database: DatabaseCheck, _ options: CheckOptions, _ report: CheckReport
  ) throws(SQLError) {
    var roots: [UInt32] = options.isPartial ? [0] : []
    /// Position of each table's own tree among the roots, and of its indexes.
    var positions: [(table: Int, indexes: Int)] = []
    for check in database.tables {
      let table = check.table
      let first = roots.count
      if !table.isWithoutRowid { roots.append(table.rootPage.rawValue) }
      let indexes = roots.count
      roots += table.indexes.map(\.rootPage.rawValue)
      let own = table.indexes.firstIndex { $0 === table.primaryKeyIndex }.map { indexes + $0 }
      positions.append((table.isWithoutRowid ? own ?? first : first, indexes))
    }
    let arguments = builder.newRegisters(3 + roots.count)
    let entries = arguments + 3
    emit(.copy, report.remaining.rawValue, arguments.rawValue, 0)
    emitInteger(Int32(roots.count), into: arguments + 2)
    for (position, root) in roots.enumerated() {
      var constant = Register()
      constant.setInteger(Int64(root))
      emit(
        .constant, 0, (entries + position).rawValue, p4: builder.addConstant(constant))
    }
    emit(
      .perform, Int32(ConnectionCommand.checkTrees.rawValue), Int32(database.index),
      arguments.rawValue)
    emit(.copy, arguments.rawValue, report.remaining.rawValue, 0)
    let isSound = newLabel()
    emit(.isNull, (arguments + 1).rawValue, isSound.operand)
    try report.load("*** in database \(database.name) ***\n", into: report.message)
    report.append(arguments + 1)
    report.emitRow()
    place(isSound)
    for (check, position) in zip(database.tables, positions) {
      for (offset, index) in check.table.indexes.enumerated() where index.partialWhere == nil {
        let agrees = newLabel()
        emit(
          .equal, (entries + position.indexes + offset).rawValue, agrees.operand,
          (entries + position.table).rawValue)
        try report.load("wrong # of entries in index \(index.name.string)", into: report.message)
        report.emitRow()
        place(agrees)
      }
    }
  }

  // MARK: Rows

  private func emitRowCheck(
    _ check: BoundTableCheck, isQuick: Bool, _ report: CheckReport
  ) throws(SQLError) {
    let table = check.table
    let keyInfo = try table.primaryKeyIndex.map { (index) throws(SQLError) in
      try catalog.keyInfo(of: index, collations: collations)
    }
    let rows = openCursor(
      rootPage: table.rootPage, databaseIndex: table.databaseIndex, keyInfo: keyInfo)
    setAccess(check.source.id, .table(rows, table))
    setVirtualColumns(check.source)
    var cursors: [CursorID] = []
    if !isQuick {
      for index in table.indexes where index !== table.primaryKeyIndex {
        cursors.append(
          openCursor(
            rootPage: index.rootPage, databaseIndex: table.databaseIndex,
            keyInfo: try catalog.keyInfo(of: index, collations: collations)))
      }
    }
    let number = newRegister(), one = newRegister(), end = newLabel()
    emitInteger(0, into: number)
    emitInteger(1, into: one)
    let previousKey = table.primaryKeyIndex.map { builder.newRegisters($0.keyColumnCount) }
    if let previousKey, let index = table.primaryKeyIndex {
      emitNull(previousKey, count: index.keyColumnCount)
    }
    emit(.rewind, rows.rawValue, end.operand)
    let next = builder.placeNewLabel()
    emit(.add, number.rawValue, one.rawValue, number.rawValue)
    emitRecordCheck(table, rows, report)
    if !isQuick, let previousKey, let index = table.primaryKeyIndex {
      try emitOrderCheck(check, index, rows, previousKey, report)
    }
    for column in table.columns.indices where column != table.rowidColumn {
      try emitColumnCheck(check, column, report)
    }
    try emitChecks(check, report)
    if !isQuick {
      let indexes = table.indexes.filter { $0 !== table.primaryKeyIndex }
      for (index, cursor) in zip(indexes, cursors) {
        try emitEntryCheck(check, index, cursor, number, report)
      }
    }
    emit(.next, rows.rawValue, next.operand)
    place(end)
  }

  /// Reads the whole header of the record by asking for its last column.
  private func emitRecordCheck(_ table: Table, _ rows: CursorID, _ report: CheckReport) {
    guard let last = table.storagePositions.max(), last >= 0 else { return }
    emit(.column, rows.rawValue, last, report.part.rawValue)
  }

  private func emitOrderCheck(
    _ check: BoundTableCheck, _ index: Index, _ rows: CursorID, _ previous: RegisterIndex,
    _ report: CheckReport
  ) throws(SQLError) {
    let isOrdered = newLabel()
    let count = index.keyColumnCount
    emit(.isNull, previous.rawValue, isOrdered.operand)
    emit(
      .indexGreater, rows.rawValue, isOrdered.operand, previous.rawValue, p4: Int32(count))
    try report.load(
      "row not in PRIMARY KEY order for \(check.table.name.string)", into: report.message)
    report.emitRow()
    place(isOrdered)
    for position in 0..<count {
      emit(.column, rows.rawValue, Int32(position), (previous + position).rawValue)
    }
    emit(.own, previous.rawValue, Int32(count))
  }

  private func emitChecks(
    _ check: BoundTableCheck, _ report: CheckReport
  ) throws(SQLError) {
    if check.checks.isEmpty { return }
    let fails = newLabel(), holds = newLabel()
    let saved = mayFactor
    mayFactor = false
    for condition in check.checks.reversed() {
      try emitJump(unless: condition, to: fails, jumpIfNull: false)
    }
    mayFactor = saved
    emitGoto(holds)
    place(fails)
    try report.load(
      "CHECK constraint failed in \(check.table.name.string)", into: report.message)
    report.emitRow()
    place(holds)
  }
}
