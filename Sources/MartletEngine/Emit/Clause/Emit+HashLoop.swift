// The inner loop of a join without an index: a hash table takes the place of SQLite's automatic
// index, and gives its matches in the same order.
//
//     once: without any row, go out of all loops that can have no rows then
//           for each row of the source that its own terms let pass
//             add keys and the columns that are read to the table
//     keys = values of the equalities
//     find the first match
//   top:
//     …
//   continue: next match, back to top

extension Emitter {
  func emitHashLoop(_ level: Level, _ state: LoopState) throws(SQLError) {
    let terms = state.plan.clause.hashTerms(of: level.loop, ready: state.ready)
    let acceptsNull = terms.contains { $0.operators.contains(.is) }
    let cursor = builder.newCursor()
    let built = newLabel()
    emit(.once, 0, built.operand)
    let layout = HashLayout(level.source, keys: terms)
    try emitHashTable(level, terms, layout, cursor, state)
    place(built)
    let key = builder.newRegisters(terms.count)
    for (offset, term) in terms.enumerated() {
      guard let right = term.right else { continue }
      try emit(right, into: key + offset)
      // Keys with NULL are in the table for IS; for `=` they match nothing.
      if acceptsNull && term.operators.contains(.equal) {
        emit(.isNull, (key + offset).rawValue, level.end.operand)
      }
    }
    emitKeyAffinities(terms, key, of: terms.map(\.right))
    emit(.joinSeek, cursor.rawValue, level.end.operand, key.rawValue)
    let again = builder.placeNewLabel()
    level.step = Instruction(.joinNext, cursor.rawValue, again.operand)
    level.setCursors(cursor)
    setAccess(
      level.source.id,
      .hashTable(cursor, columns: layout.map, rowid: Int32(layout.columns.count)))
    for term in terms { state.markDone(term, level) }
  }

  /// Where the table has the columns that are read. Those that are no keys come first: they order
  /// equal keys, and then the rowid or the row's number, as in SQLite's automatic index.
  private struct HashLayout {
    let columns: [Int32]
    let keyColumns: [Int32]
    /// Position of each column, by number.
    let map: [Int32]

    var dataCount: Int { columns.count + 1 + keyColumns.count }

    init(_ source: BoundSource, keys: [WhereTerm]) {
      let count =
        switch source.kind {
        case .table(let table): table.columns.count
        case .subquery(let select): select.columns.count
        }
      // Of a view or a subquery in FROM, SQLite's index has all columns.
      var mask = source.usedColumns | source.columnsOfRowKey
      if case .subquery = source.kind, source.commonTable == nil { mask = .max }
      let used = (0..<Int32(count)).filter {
        mask & (1 << UInt64(min($0, 63))) != 0 && HashLayout.hasValue($0, source)
      }
      columns = used.filter { column in !keys.contains { $0.column == column } }
      keyColumns = used.filter { column in keys.contains { $0.column == column } }
      var map = [Int32](repeating: 0, count: Int(used.last ?? 0) + 1)
      for (position, column) in columns.enumerated() { map[Int(column)] = Int32(position) }
      for (position, column) in keyColumns.enumerated() {
        map[Int(column)] = Int32(columns.count + 1 + position)
      }
      self.map = map
    }

    /// A generated column counts as all columns, but only those that are read can be computed.
    private static func hasValue(_ column: Int32, _ source: BoundSource) -> Bool {
      guard case .table(let table) = source.kind,
        table.columns[Int(column)].isVirtual
      else { return true }
      return source.virtualColumns.contains { $0.column == column }
    }
  }

  /// Fills the table. The rowid, or the order of the rows, is the last data column: it orders equal
  /// keys as the automatic index of SQLite would.
  private func emitHashTable(
    _ level: Level, _ terms: [WhereTerm], _ layout: HashLayout, _ cursor: CursorID,
    _ state: LoopState
  ) throws(SQLError) {
    let collations = terms.map { $0.comparison?.collation ?? .binary }
    let open = builder.nextAddress
    emit(
      .joinOpen, cursor.rawValue, Int32(layout.dataCount),
      p4: builder.addKeyInfo(keyInfo(collations)))
    let number = emitRowNumber(level.source)
    let end = newLabel(), skip = newLabel()
    let isOuter = !level.source.join.isDisjoint(with: [.left, .right])
    let step = try emitSourceScan(level, end, ifEmpty: isOuter ? end : state.exit(ifEmpty: level))
    let again = builder.placeNewLabel()
    try emitOwnTests(level, state, skip)
    let key = builder.newRegisters(terms.count)
    for (offset, term) in terms.enumerated() {
      try emitColumn(level.source.id, term.column, key + offset)
    }
    emitKeyAffinities(terms, key, of: terms.map { ownColumn($0, level.source) })
    let data = builder.newRegisters(layout.dataCount)
    for (offset, column) in layout.columns.enumerated() {
      try emitColumn(level.source.id, column, data + offset)
    }
    let order = data + layout.columns.count
    if let number {
      emit(.add, number.last.rawValue, number.one.rawValue, number.last.rawValue)
      emit(.copy, number.last.rawValue, order.rawValue)
    } else {
      try emitColumn(level.source.id, -1, order)
    }
    let firstKey = builder.nextAddress
    for (offset, column) in layout.keyColumns.enumerated() {
      try emitColumn(level.source.id, column, order + (offset + 1))
    }
    level.hashKeys = LoopLevel.HashKeys(
      open: open, first: firstKey, end: builder.nextAddress, cursor: cursor,
      position: Int32(layout.columns.count + 1))
    let acceptsNull = terms.contains { $0.operators.contains(.is) }
    emit(
      .joinInsert, cursor.rawValue, key.rawValue, data.rawValue, p5: acceptsNull ? 1 : 0)
    place(skip)
    emit(step, again)
    place(end)
  }

  /// Behind a loop over a hash table: columns that are keys need not be in its rows if the body has
  /// not read them, as where they are in the join's terms only.
  func dropUnreadKeys(_ level: Level) {
    guard let keys = level.hashKeys, keys.first < keys.end, level.rightJoin == nil else { return }
    let isRead = builder.instructions[Int(keys.end)...].contains {
      $0.opcode == .rowColumn && $0.p1 == keys.cursor.rawValue && $0.p2 >= keys.position
    }
    let arePlain = builder.instructions[Int(keys.first)..<Int(keys.end)].allSatisfy {
      $0.opcode == .column || $0.opcode == .realAffinity
    }
    guard !isRead, arePlain else { return }
    for address in keys.first..<keys.end { builder.patch(Int(address)) { $0.opcode = .noop } }
    builder.patch(Int(keys.open)) { $0.p2 = keys.position }
  }

  private func emit(_ step: Instruction, _ again: Label) {
    var step = step
    if step.opcode != .goto { step.p2 = again.operand }
    builder.emit(step)
  }

  /// Starts a scan of all rows of the source; gives the instruction that steps it.
  private func emitSourceScan(
    _ level: Level, _ end: Label, ifEmpty: Label
  ) throws(SQLError) -> Instruction {
    switch level.source.kind {
    case .table(let table):
      let scan = try openTable(table)
      setAccess(level.source.id, .table(scan, table))
      setVirtualColumns(level.source)
      emit(.rewind, scan.rawValue, ifEmpty.operand)
      return Instruction(.next, scan.rawValue, p5: StepCounts.automaticIndex)
    case .subquery:
      switch access(level.source.id).kind {
      case .rows(let rows):
        emit(.rowsRewind, rows.rawValue, ifEmpty.operand)
        return Instruction(.rowsNext, rows.rawValue)
      case .registers(let first):
        guard let coroutine = coroutines[level.source.id] else {
          throw SQLError(.internal, "co-routine is missing")
        }
        emit(.initCoroutine, coroutine.register.rawValue, 0, coroutine.entry.operand)
        let again = builder.placeNewLabel()
        emit(.yield, coroutine.register.rawValue, end.operand)
        emitRealColumns(level.source.id, first)
        return Instruction(.goto, 0, again.operand)
      default: throw SQLError(.internal, "subquery has no rows")
      }
    }
  }

  /// Rows that the source's own terms rule out need not be in the table. Terms that look at an
  /// outer query do not count: the table is built once for all of its rows.
  private func emitOwnTests(
    _ level: Level, _ state: LoopState, _ skip: Label
  ) throws(SQLError) {
    for term in state.plan.clause.ownTerms(of: level.loop.source)
    where !term.isCoded {
      try emitJump(unless: term.expression, to: skip, jumpIfNull: true)
      state.markDone(term, level)
    }
  }

  /// Rows without a rowid are numbered: the register of the last number, and that of 1.
  private func emitRowNumber(
    _ source: BoundSource
  ) -> (last: RegisterIndex, one: RegisterIndex)? {
    if case .table(let table) = source.kind, !table.isWithoutRowid { return nil }
    let last = newRegister(), one = newRegister()
    emitInteger(0, into: last)
    emitInteger(1, into: one)
    return (last, one)
  }

  /// The source's column that a term compares, as an expression with the column's affinity.
  private func ownColumn(_ term: WhereTerm, _ source: BoundSource) -> BoundExpression? {
    guard case .table(let table) = source.kind else { return nil }
    return BoundExpression(
      .column(source.id, term.column), affinity: table.columns[Int(term.column)].affinity,
      traits: .hasColumn, in: term.expression.memory)
  }

  /// Applies the comparisons' affinities to keys that `values` gave, where they may change them.
  private func emitKeyAffinities(
    _ terms: [WhereTerm], _ first: RegisterIndex, of values: [BoundExpression?]
  ) {
    let affinities = zip(terms, values).map { term, value -> Affinity in
      let compared = term.comparison?.affinity ?? .blob
      // An integer stays what it is beside reals: they compare by exact value.
      let affinity = compared.isNumeric ? .numeric : compared
      return value.map { keeps($0, affinity) } == true ? .blob : affinity
    }
    guard affinities.contains(where: \.converts) else { return }
    emit(
      .affinity, first.rawValue, Int32(terms.count), p4: builder.addAffinities(affinities))
  }
}

extension WhereClause {
  /// The terms that make the key of a hash table: every equality with outer loops, not only the one
  /// that was planned with.
  func hashTerms(of loop: LoopCandidate, ready: SourceMask) -> [WhereTerm] {
    var keys: [WhereTerm] = []
    for term in self.terms
    where canDriveHashTable(term, loop.source, ready: ready)
      && !keys.contains(where: { $0.column == term.column })
    {
      keys.append(term)
    }
    return keys
  }

  /// A term that needs no source at all: SQLite puts it into the condition of an automatic index.
  func hasConstantTerm(for source: Int) -> Bool {
    let join = self.sources[source].join
    guard !self.leftOfRightJoin.contains(SourceMask(index: source)) else { return false }
    return self.terms.contains { term in
      !term.isVirtual && mask(of: term.expression).isEmpty && isLocal(term.expression)
        && (join.contains(.left) ? term.isOuterOn && term.onSource == source : !term.isOuterOn)
        && term.expression.traits.isDisjoint(with: [.hasSubquery, .hasNondeterministicFunction])
    }
  }

  /// The terms that look at this source alone and can be asked before its loop.
  func ownTerms(of source: Int) -> [WhereTerm] {
    let own = SourceMask(index: source), join = self.sources[source].join
    guard !self.leftOfRightJoin.contains(own) else { return [] }
    return self.terms.filter { term in
      !term.isVirtual && term.prerequisites == own
        && (join.contains(.left) ? term.isOuterOn && term.onSource == source : !term.isOuterOn)
        && term.expression.traits.isDisjoint(with: [.hasSubquery, .hasNondeterministicFunction])
        && isLocal(term.expression)
    }
  }
}
