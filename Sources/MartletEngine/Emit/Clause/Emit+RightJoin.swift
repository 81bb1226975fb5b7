// RIGHT and FULL JOIN.
//
//     matches = empty set
//     loops up to that of the right side, whose rows that pass ON go into matches
//     body: what is further in, as a subroutine
//     after all loops: left side = NULLs
//       for each row of the right side that is not in matches: body

extension Emitter {
  /// What belongs to one RIGHT JOIN while its loops are emitted.
  struct RightJoin: BitwiseCopyable {
    /// Keys of the rows that matched.
    let matches: CursorID
    /// The cursor of the right side's rows, which both loops move; nil for a subquery.
    let rows: CursorID?
    let keyCount: Int
    let returnAddress: RegisterIndex
    let body: Label
    let bodyEnd: Label
  }

  func openRightJoins(_ state: LoopState) throws(SQLError) {
    for loop in state.plan.loops {
      let source = state.plan.clause.sources[loop.source]
      guard source.join.contains(.right) else { continue }
      var keyCount = 1
      var rows: CursorID?
      switch source.kind {
      case .table(let table):
        rows = table.isVirtual ? builder.newCursor() : try openTable(table)
        keyCount = table.primaryKeyIndex?.keyColumnCount ?? 1
      case .subquery(let select): keyCount = select.columns.count
      }
      let matches = openKeySet(keyCount)
      state.rightJoins[loop.source] = RightJoin(
        matches: matches, rows: rows, keyCount: keyCount, returnAddress: newRegister(),
        body: newLabel(), bodyEnd: newLabel())
    }
  }

  /// A set of keys that are compared as they are stored.
  func openKeySet(_ columnCount: Int) -> CursorID {
    let set = builder.newCursor()
    let collations = [Collation](repeating: .binary, count: columnCount)
    emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo(collations)))
    return set
  }

  /// What tells the current row of a source from its others: its rowid, its primary key, or, of a
  /// subquery, all of its columns.
  func emitRowKey(_ source: BoundSource, _ rows: CursorID?, count: Int) throws(SQLError)
    -> RegisterIndex
  {
    let key = builder.newRegisters(count)
    if case .table(let table) = source.kind, let rows {
      if let primaryKey = table.primaryKeyIndex {
        for position in 0..<primaryKey.keyColumnCount {
          if table.isVirtual {
            try emitColumn(
              source.id, Int32(primaryKey.columns[position].tableColumn), key + position)
          } else {
            emit(.column, rows.rawValue, Int32(position), (key + position).rawValue)
          }
        }
      } else if table.isVirtual {
        emit(.virtualColumn, rows.rawValue, -1, key.rawValue)
      } else {
        emit(.rowid, rows.rawValue, key.rawValue)
      }
    } else {
      for column in 0..<count { try emitColumn(source.id, Int32(column), key + column) }
    }
    return key
  }

  func emitMatch(_ level: Level, _ rightJoin: RightJoin) throws(SQLError) {
    let key = try emitRowKey(level.source, rightJoin.rows, count: rightJoin.keyCount)
    emit(.setInsert, rightJoin.matches.rawValue, 0, key.rawValue)
  }

  /// Begins the subroutine; gives the place where a row goes that it turns down.
  func beginBody(of rightJoin: RightJoin) -> Label {
    emitNull(rightJoin.returnAddress)
    place(rightJoin.body)
    return rightJoin.bodyEnd
  }

  /// The rows of the right side without a match.
  func emitUnmatchedRightRows(_ position: Int, _ state: LoopState) throws(SQLError) {
    let level = state.levels[position]
    guard let rightJoin = level.rightJoin else { return }
    let line = emitExplain("RIGHT-JOIN \(level.source.tableName)")
    let outerParent = explainParent
    explainParent = line
    defer { explainParent = outerParent }
    for outer in state.levels[..<position] { emitNullRows(outer) }
    let condition = try rightCondition(position, state)
    let goal = newGoal(in: level.source.memory)
    let plan = try Planner.planPart(level.source, condition, goal)
    let loops = LoopState(plan: plan)
    let scan = Level(
      loop: plan.loops[0], source: plan.clause.sources[0], isReversed: false,
      continue: newLabel(), end: newLabel())
    scan.sharedCursor = rightJoin.rows
    // Rows of NULLs may rule all out before there is a loop, and before a subquery is run for it.
    for term in plan.clause.terms where term.isAskedOnce {
      try emitJump(unless: term.expression, to: scan.end, jumpIfNull: true)
    }
    beginScan(scan, line: try emitSourceExplain(scan, plan))
    try emitLoopStart(scan, loops)
    emitScanRow(scan)
    let key = try emitRowKey(level.source, rightJoin.rows, count: rightJoin.keyCount)
    emit(.setFound, rightJoin.matches.rawValue, scan.continue.operand, key.rawValue)
    emit(.gosub, rightJoin.returnAddress.rawValue, rightJoin.body.operand)
    emitLoopEnd(scan)
    place(scan.end)
    endScan(scan)
  }

  /// What WHERE says of the right side alone, or of it and NULLs on the left: the subroutine tests
  /// it, but an index may serve it.
  private func rightCondition(
    _ position: Int, _ state: LoopState
  ) throws(SQLError) -> BoundExpression? {
    let clause = state.plan.clause
    let source = SourceMask(index: state.levels[position].loop.source)
    // What a table-valued function is called with stays.
    var condition = state.levels[position].source.arguments
    if clause.leftOfRightJoin.contains(source) { return condition }
    var known = source
    for outer in state.levels[..<position] { known.insert(SourceMask(index: outer.loop.source)) }
    for term in clause.terms.prefix(clause.writtenCount)
    where term.onSource < 0 && term.prerequisites.isSubset(of: known)
      && !term.expression.traits.contains(.hasSubquery)
    {
      condition = condition.map { $0.and(term.expression) } ?? term.expression
    }
    return condition
  }
}

extension BoundExpression {
  /// Both conditions.
  func and(_ other: BoundExpression, _ traits: Traits = []) -> BoundExpression {
    let kind = Kind.and(self, other)
    return BoundExpression(
      kind, affinity: .none, traits: kind.traits(of: self, other).union(traits), in: memory)
  }
}
