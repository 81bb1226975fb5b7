// The inner loop of a join without an index: a hash table takes the place of SQLite's automatic
// index, and gives its matches in the same order.
//
//     once: for each row of the source that its own terms let pass
//             add keys and the columns that are read to the table
//     keys = values of the equalities
//     find the first match
//   top:
//     …
//   continue: next match, back to top

extension Emitter {
  func emitHashLoop(_ level: Level, _ state: LoopState) throws(SQLError) {
    let terms = hashTerms(level, state)
    let acceptsNull = terms.contains { $0.operators == .is }
    let cursor = builder.newCursor()
    let built = newLabel()
    emit(.once, 0, built.operand)
    let columns = usedColumns(of: level.source)
    try emitHashTable(level, terms, columns, cursor, state)
    place(built)
    let key = builder.newRegisters(terms.count)
    for (offset, term) in terms.enumerated() {
      guard let right = term.right else { continue }
      try emit(right, into: key + offset)
      // Keys with NULL are in the table for IS; for `=` they match nothing.
      if acceptsNull && term.operators == .equal {
        emit(.isNull, (key + offset).rawValue, level.end.operand)
      }
    }
    try emitKeyAffinities(terms, key)
    emit(.joinSeek, cursor.rawValue, level.end.operand, key.rawValue)
    let again = builder.placeNewLabel()
    level.step = Instruction(.joinNext, cursor.rawValue, again.operand)
    level.cursors = [cursor]
    setAccess(level.source.id, hashAccess(cursor, columns, level.source))
    for term in terms { state.markDone(term) }
  }

  /// Every equality with outer loops is part of the key, not only the one that was planned with.
  private func hashTerms(_ level: Level, _ state: LoopState) -> [WhereTerm] {
    let source = level.loop.source
    var seen: Set<Int32> = []
    return state.plan.clause.terms.filter { term in
      guard term.source == source, term.column >= 0,
        !term.operators.isDisjoint(with: .anyEquality),
        term.rightPrerequisites.isSubset(of: state.ready), let right = term.right,
        !state.isDone(term), !right.traits.contains(.hasSubquery)
      else { return false }
      let isOuter = level.source.join.contains(.left)
      guard isOuter ? term.outerJoinSource == source : term.outerJoinSource < 0 else {
        return false
      }
      return seen.insert(term.column).inserted
    }
  }

  private func usedColumns(of source: BoundSource) -> [Int32] {
    let count: Int
    switch source.kind {
    case .table(let table): count = table.columns.count
    case .subquery(let select, _): count = select.columns.count
    case .tableFunction: count = 0
    }
    return (0..<Int32(count)).filter { source.usedColumns & (1 << UInt64(min($0, 63))) != 0 }
  }

  /// Fills the table. The rowid, or the order of the rows, is the last data column: it orders equal
  /// keys as the automatic index of SQLite would.
  private func emitHashTable(
    _ level: Level, _ terms: [WhereTerm], _ columns: [Int32], _ cursor: CursorID,
    _ state: LoopState
  ) throws(SQLError) {
    let collations = terms.map { $0.comparison?.collation ?? .binary }
    emit(
      .joinOpen, cursor.rawValue, Int32(columns.count + 1),
      p4: builder.addKeyInfo(keyInfo(collations)))
    let end = newLabel(), skip = newLabel()
    let step = try emitSourceScan(level, end)
    let again = builder.placeNewLabel()
    try emitOwnTests(level, state, skip)
    let key = builder.newRegisters(terms.count)
    for (offset, term) in terms.enumerated() {
      try emitColumn(level.source.id, term.column, key + offset)
    }
    try emitKeyAffinities(terms, key)
    let data = builder.newRegisters(columns.count + 1)
    for (offset, column) in columns.enumerated() {
      try emitColumn(level.source.id, column, data + offset)
    }
    try emitRowOrder(level.source, data + columns.count)
    let acceptsNull = terms.contains { $0.operators == .is }
    emit(
      .joinInsert, cursor.rawValue, key.rawValue, data.rawValue, p5: acceptsNull ? 1 : 0)
    place(skip)
    emit(step, again)
    place(end)
  }

  private func emit(_ step: Instruction, _ again: Label) {
    var step = step
    step.p2 = again.operand
    builder.emit(step)
  }

  /// Starts a scan of all rows of the source; gives the instruction that steps it.
  private func emitSourceScan(_ level: Level, _ end: Label) throws(SQLError) -> Instruction {
    switch level.source.kind {
    case .table(let table):
      let scan = try openTable(table)
      setAccess(level.source.id, .table(scan, table))
      setVirtualColumns(level.source)
      emit(.rewind, scan.rawValue, end.operand)
      return Instruction(.next, scan.rawValue)
    case .subquery:
      guard case .rows(let rows) = access(level.source.id).kind else {
        throw SQLError(.internal, "subquery has no rows")
      }
      emit(.rowsRewind, rows.rawValue, end.operand)
      return Instruction(.rowsNext, rows.rawValue)
    case .tableFunction: throw .notSupported("table-valued functions")
    }
  }

  /// Rows that the source's own terms rule out need not be in the table. Terms that look at an outer
  /// query do not count: the table is built once for all of its rows.
  private func emitOwnTests(
    _ level: Level, _ state: LoopState, _ skip: Label
  ) throws(SQLError) {
    let own = SourceMask(index: level.loop.source)
    let join = level.source.join.contains(.left) ? level.loop.source : -1
    for term in state.plan.clause.terms
    where !term.isVirtual && term.prerequisites == own && term.outerJoinSource == join
      && !term.expression.traits.contains(.hasSubquery) && !state.isDone(term)
      && !term.expression.traits.contains(.hasNondeterministicFunction)
      && state.plan.clause.isLocal(term.expression)
    {
      try emitJump(unless: term.expression, to: skip, jumpIfNull: true)
      state.markDone(term)
    }
  }

  private func emitRowOrder(_ source: BoundSource, _ target: RegisterIndex) throws(SQLError) {
    if case .table(let table) = source.kind, !table.isWithoutRowid {
      try emitColumn(source.id, -1, target)
    } else {
      // A subquery's rows have no number: their order of insertion decides.
      emitNull(target)
    }
  }

  private func emitKeyAffinities(_ terms: [WhereTerm], _ first: RegisterIndex) throws(SQLError) {
    let affinities = terms.map { $0.comparison?.affinity ?? .blob }
    guard affinities.contains(where: \.converts) else { return }
    emit(
      .affinity, first.rawValue, Int32(terms.count), p4: builder.addAffinities(affinities))
  }

  private func hashAccess(
    _ cursor: CursorID, _ columns: [Int32], _ source: BoundSource
  ) -> SourceAccess.Kind {
    var map = [Int32](repeating: 0, count: Int(columns.last ?? 0) + 1)
    for (position, column) in columns.enumerated() { map[Int(column)] = Int32(position) }
    return .hashTable(cursor, columns: map, rowid: Int32(columns.count))
  }
}
