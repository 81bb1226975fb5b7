// The rows that UPDATE and DELETE change: in one pass, each row when it is found, where that cannot
// lead the search astray; else all keys are collected first (SQLite's ONEPASS).

extension Emitter {
  enum Pass {
    /// There is one row at most.
    case single
    /// Each row is changed when it is found.
    case multiple
    /// The keys are collected first.
    case collected
  }

  /// Plans the search. `allowsMultiple`: changing the row that was found does not move others to or
  /// away from the search.
  func planChange(
    _ rows: BoundSimpleSelect, allowsMultiple: Bool
  ) throws(SQLError) -> (plan: LoopPlan, pass: Pass) {
    let goal = newGoal(in: rows.memory)
    goal.isForChange = true
    let plan = try Planner.planLoops(rows, goal: goal, subqueries: [])
    guard let loop = plan.loops.first else { return (plan, .collected) }
    if loop.flags.contains(.oneRow) && !loop.flags.contains(.multiIndex) {
      return (plan, .single)
    }
    if allowsMultiple && !loop.flags.contains(.multiIndex) { return (plan, .multiple) }
    return (plan, .collected)
  }

  /// In one pass the row itself is needed, not what an index has of it.
  func readRowsThemselves(_ plan: LoopPlan, _ table: Table) {
    for loop in plan.loops where loop.index !== table.primaryKeyIndex || loop.index == nil {
      loop.flags.subtract([.covering, .expressionIndex])
    }
  }

  /// The cursor of the rows in the loop that is being emitted.
  func rowCursor(of source: BoundSource) throws(SQLError) -> CursorID {
    guard case .table(let cursor, _) = access(source.id).kind else {
      throw SQLError(.internal, "loop without a table")
    }
    emit(.finishSeek, cursor.rawValue)
    return cursor
  }

  /// The index that the loop walks, and its cursor.
  func scannedIndex(_ plan: LoopPlan, _ table: Table) -> (index: Index, cursor: CursorID)? {
    guard let index = plan.loops.first?.index, index !== table.primaryKeyIndex else { return nil }
    let root = Int32(bitPattern: index.rootPage.rawValue)
    let opening = openings.last { $0.p2 == root && Int($0.p3) == table.databaseIndex }
    return opening.map { (index, CursorID($0.p1)) }
  }

  /// How many registers the key of a row takes.
  func keyWidth(_ table: Table) -> Int { table.primaryKeyIndex?.keyColumnCount ?? 1 }

  /// The rowid or primary key of the row of a source.
  func emitRowKey(_ source: BoundSource, _ table: Table, into key: RegisterIndex) throws(SQLError) {
    guard let primaryKey = table.primaryKeyIndex else {
      return try emitColumn(source.id, -1, key)
    }
    for (position, column) in primaryKey.columns.prefix(primaryKey.keyColumnCount).enumerated() {
      try emitColumn(source.id, Int32(column.tableColumn), key + position)
    }
  }

  // MARK: Collected keys

  /// Keys that were collected: a sorter, which gives them in their order.
  struct CollectedKeys {
    let sorter: CursorID
    let key: RegisterIndex
    let width: Int
    /// The cursor of the rows.
    let rows: CursorID
  }

  /// Runs the loops and collects the keys of the rows that they find.
  func emitKeys(of target: BoundTarget, _ plan: LoopPlan) throws(SQLError) -> CollectedKeys {
    let table = target.table, width = keyWidth(table)
    let sorter = builder.newCursor()
    let key = builder.newRegisters(width)
    emit(
      .sorterOpen, sorter.rawValue, Int32(width), p4: builder.addKeyInfo(try rowKeyInfo(table)))
    var rows = CursorID.none
    try emitLoops(plan) { (exits) throws(SQLError) in
      if case .table(let cursor, _) = self.access(target.old.id).kind { rows = cursor }
      try self.emitRowKey(target.old, table, into: key)
      self.emit(.sorterInsert, sorter.rawValue, key.rawValue, key.rawValue)
    }
    indexedExpressions = []
    indexedColumns = []
    if rows == .none { rows = try openTable(table) }
    return CollectedKeys(sorter: sorter, key: key, width: width, rows: rows)
  }

  /// Seeks the row of each key that is still there. The body may go on with the next by the label.
  func emitLoop(
    over keys: CollectedKeys, _ table: Table, _ body: (Label) throws(SQLError) -> Void
  ) throws(SQLError) {
    let end = newLabel(), next = newLabel()
    emit(.sorterSort, keys.sorter.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for column in 0..<keys.width {
      emit(
        .rowColumn, keys.sorter.rawValue, Int32(column), (keys.key + column).rawValue)
    }
    emitSeek(table, keys.rows, keys.key, orGoTo: next)
    try body(next)
    place(next)
    emit(.sorterNext, keys.sorter.rawValue, again.operand)
    place(end)
  }

  /// The order of rowids, or of the primary key.
  func rowKeyInfo(_ table: Table) throws(SQLError) -> KeyInfo {
    guard let primaryKey = table.primaryKeyIndex else { return keyInfo([.binary]) }
    let all = try catalog.keyInfo(of: primaryKey, collations: collations)
    return KeyInfo(
      columns: Array(all.columns.prefix(primaryKey.keyColumnCount)), encoding: all.encoding)
  }
}
