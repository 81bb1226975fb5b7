// The loop over a range of an index.
//
//     prefix = values of the equalities (loops over the values of IN)
//     seek to the first entry: prefix and the bound where the walk starts
//   top:
//     leave if the entry is past prefix and the bound where the walk ends
//     position the table's cursor
//     …
//   continue: next entry, back to top

extension Emitter {
  func emitIndexLoop(
    _ level: Level, _ table: Table, _ state: LoopState
  ) throws(SQLError) {
    guard let index = level.loop.index else { throw SQLError(.internal, "index is missing") }
    let isRows = index === table.primaryKeyIndex
    let cursor = try isRows ? rowCursor(level, table) : openIndex(index)
    let tableCursor = try openTableBehind(index, cursor, table, level)
    let range = try emitPrefix(level, index, cursor, state)
    let likePass = emitLikePass(level)
    try emitRange(level, index, cursor, range, likePass)
    if level.keyLoops.contains(where: { $0.hope != nil }) {
      let count = Int32(range.prefixCount)
      emit(.seekHit, cursor.rawValue, count, count)
    }
    try emitTableSeek(level, index, cursor, tableCursor, table)
    readExpressions(of: index, cursor, level, state)
    for case let term? in level.loop.terms where !level.loop.isOnlyImplied(term) {
      state.markDone(term, level)
    }
  }

  /// Opens the cursor of the rows, unless the index has all that is read; sets the source's access.
  private func openTableBehind(
    _ index: Index, _ cursor: CursorID, _ table: Table, _ level: Level
  ) throws(SQLError) -> CursorID? {
    if index === table.primaryKeyIndex {
      setAccess(level.source.id, .table(cursor, table))
      level.setCursors(cursor)
      return nil
    }
    // Of an index with expressions it shows only in the end whether all is read from there.
    if level.sharedCursor == nil && level.loop.flags.contains(.covering) {
      setAccess(level.source.id, .coveringIndex(cursor, index, table))
      let source = Int(level.source.id.rawValue)
      sources[source].fixedColumns = level.source.fixedColumns(of: index)
      sources[source].fixedMayBeNull = level.source.join.contains(.left)
      level.setCursors(cursor)
      return nil
    }
    let tableCursor = try rowCursor(level, table)
    setAccess(level.source.id, .table(tableCursor, table))
    level.setCursors(cursor, tableCursor)
    return tableCursor
  }

  /// From here on, the index's expressions are read from the index, and so are virtual columns that
  /// it has. Where an outer join may make a row of NULLs of the source, expressions are computed: of
  /// NULLs they need not be NULL.
  private func readExpressions(
    of index: Index, _ cursor: CursorID, _ level: Level, _ state: LoopState
  ) {
    guard level.sharedCursor == nil, !level.source.join.contains(.right) else { return }
    let leftOfRightJoin = state.plan.clause.leftOfRightJoin
    if leftOfRightJoin.isEmpty {
      for virtual in level.source.virtualColumns {
        guard let position = index.position(ofColumn: Int(virtual.column)) else { continue }
        indexedColumns.append((level.source.id, virtual.column, cursor, Int32(position)))
      }
    }
    guard index.hasExpressions, !level.source.join.contains(.left),
      !leftOfRightJoin.contains(SourceMask(index: level.loop.source)),
      let bound = level.source.expressions(of: index)
    else { return }
    for (position, expression) in bound.columns.enumerated() {
      guard let expression else { continue }
      indexedExpressions.append((level.source.id, expression, cursor, Int32(position)))
    }
  }

  /// The registers of a search key.
  struct KeyRange {
    /// Values of the equalities, then room for a bound, which may have several values.
    let first: RegisterIndex
    /// Where the last bound goes when the walk has two: a key of its own.
    let last: RegisterIndex
    let prefixCount: Int
  }

  /// The most registers that a bound of the loop needs.
  private func boundWidth(_ level: Level) -> Int {
    let bounds = [level.loop.lowerBound, level.loop.upperBound]
    return bounds.reduce(1) { width, bound in
      max(width, 1 + (bound.map { level.loop.furtherValues(of: $0, level.source.id).count } ?? 0))
    }
  }

  private func emitPrefix(
    _ level: Level, _ index: Index, _ cursor: CursorID, _ state: LoopState
  ) throws(SQLError) -> KeyRange {
    let loop = level.loop
    let count = loop.equalityCount
    let width = boundWidth(level)
    let first = builder.newRegisters(count + width)
    if loop.skipCount > 0 { emitSkipScan(level, cursor, first) }
    var convertedCount = 0
    for position in loop.skipCount..<count {
      guard let term = loop.terms[position] else { continue }
      let target = first + position
      var prefix: KeyPrefix?
      if position > 0 && term.operators.contains(.in) {
        // What is looked for without the values of IN is converted before them.
        try emitAffinities(level, index, first, convertedCount..<position)
        if convertedCount == 0 { emit(.seekHit, cursor.rawValue, 0, 0) }
        convertedCount = position
        prefix = KeyPrefix(cursor: cursor, first: first, count: position)
      }
      let isReversed = level.isReversed != index.columns[position].isDescending
      if case .select(let select) = term.inOperand, select.operands.count > 1 {
        try emitRowIn(
          select, level, at: position, of: count, first, isReversed: isReversed, behind: prefix)
        continue
      }
      if count == 1 { try emitHeldAffinity(term, level, index) }
      try emitEqualityValue(
        term, into: target, level, isReversed: isReversed, behind: prefix)
      if term.operators.contains(.equal), let right = term.right, right.mayBeNull {
        emit(.isNull, target.rawValue, level.next.operand)
      }
    }
    try emitAffinities(level, index, first, convertedCount..<count)
    emitFilterTest(level, first)
    let last = builder.newRegisters(count + width)
    if loop.flags.contains(.range) && count > 0 {
      emit(.copy, first.rawValue, last.rawValue, Int32(count - 1))
    }
    return KeyRange(first: first, last: last, prefixCount: count)
  }

  /// Skip-scan (optoverview §10): each combination of values of the leading columns is a key, and a
  /// seek past it finds the next.
  private func emitSkipScan(_ level: Level, _ cursor: CursorID, _ first: RegisterIndex) {
    let haveEntry = newLabel()
    let count = level.loop.skipCount
    emit(level.isReversed ? .last : .rewind, cursor.rawValue, level.end.operand)
    emitGoto(haveEntry)
    let again = builder.placeNewLabel()
    emit(
      level.isReversed ? .seekLess : .seekGreater, cursor.rawValue, level.end.operand,
      first.rawValue, p4: Int32(count))
    place(haveEntry)
    for position in 0..<count {
      let value = newRegister()
      emit(.column, cursor.rawValue, Int32(position), value.rawValue)
      // The key must outlive the move of the cursor that it is read from.
      emit(.copy, value.rawValue, (first + position).rawValue)
    }
    level.next = newLabel()
    level.add(
      LoopLevel.KeyLoop(
        step: Instruction(.goto, 0, again.operand),
        next: level.next, hope: nil))
  }

  /// The values get the affinity of the index's columns, where the comparison gives them one.
  private func emitAffinities(
    _ level: Level, _ index: Index, _ first: RegisterIndex, _ positions: Range<Int>
  ) throws(SQLError) {
    var affinities: [Affinity] = []
    for position in positions {
      affinities.append(affinity(of: level.loop.terms[position], level, index, position))
    }
    if affinities.contains(where: \.converts) {
      emit(
        .affinity, (first + positions.lowerBound).rawValue, Int32(positions.count),
        p4: builder.addAffinities(affinities))
    }
  }

  /// A key of one value that stands in the register of a row (foreign keys, RETURNING, `excluded`)
  /// is searched from there: it gets the index's affinity in the row itself, and whatever reads the
  /// row later meets it like that.
  private func emitHeldAffinity(
    _ term: WhereTerm, _ level: Level, _ index: Index
  ) throws(SQLError) {
    guard level.loop.skipCount == 0, level.loop.flags.isDisjoint(with: [.range, .nullPasses]),
      case .column(let id, let column)? = term.right?.withoutCollate.kind,
      case .row(let row) = access(id).kind
    else { return }
    let affinity = affinity(of: term, level, index, 0)
    if !affinity.converts { return }
    emit(
      .affinity, row.value(ofColumn: Int(column)).rawValue, 1,
      p4: builder.addAffinities([affinity]), p5: 1)
  }

  private func affinity(
    of term: WhereTerm?, _ level: Level, _ index: Index, _ position: Int
  ) -> Affinity {
    guard let term, term.operators != .isNull, let comparison = term.comparison else {
      return .blob
    }
    guard comparison.affinity.converts else { return .blob }
    let column = index.columns[position].tableColumn
    if column == -1 || column >= 0 && column == index.table.rowidColumn {
      return term.right.map { keeps($0, .integer) } == true ? .blob : .integer
    }
    // An integer stays what it is beside reals: they compare by exact value.
    let declared: Affinity
    if column >= 0 {
      declared = index.table.columns[column].affinity
    } else {
      declared = level.source.expressions(of: index)?.columns[position]?.affinity ?? .blob
    }
    let affinity = declared.isNumeric ? Affinity.numeric : declared
    if let right = term.right, keeps(right, affinity) { return .blob }
    return affinity
  }

  private func emitRange(
    _ level: Level, _ index: Index, _ cursor: CursorID, _ range: KeyRange,
    _ likePass: RegisterIndex?
  ) throws(SQLError) {
    let loop = level.loop
    let position = loop.equalityCount
    let column = position < index.columns.count ? index.columns[position] : nil
    var start = loop.lowerBound, stop = loop.upperBound
    let isDescending = column?.isDescending ?? false
    if loop.flags.contains(.nullPasses), start == nil, stop == nil, mayHoldNull(index, position) {
      return emitNullPasses(level, cursor, range, isNullLast: isNullLast(level, isDescending))
    }
    // A walk through descending keys, or backwards through ascending ones, starts at the upper
    // bound.
    if level.isReversed != isDescending { swap(&start, &stop) }
    let stopWidth = try emitBound(stop, level, index, range.last + position, likePass)
    let startWidth = try emitBound(start, level, index, range.first + position, likePass)
    var startCount = range.prefixCount + startWidth
    var startIsInclusive = true
    if startWidth > 0 {
      startIsInclusive = start?.comparison?.operator.isInclusive ?? true
    } else if stop != nil && !isNullLast(level, isDescending)
      && mayHoldNull(index, position)
    {
      // No row that compares with NULL passes: step over the NULLs, which come first.
      emitNull(range.first + position)
      startCount += 1
      startIsInclusive = false
    }
    emitSeek(level, cursor, range.first, startCount, isInclusive: startIsInclusive)
    let again = builder.placeNewLabel()
    if !loop.flags.contains(.oneRow) {
      let isFullScan = range.prefixCount == 0 && start == nil && stop == nil
      level.step = Instruction(
        level.isReversed ? .previous : .next, cursor.rawValue, again.operand,
        p5: isFullScan ? StepCounts.fullScan : 0)
    }
    if stopWidth > 0 {
      let isInclusive = stop?.comparison?.operator.isInclusive ?? true
      emitStop(level, cursor, range.last, range.prefixCount + stopWidth, isInclusive)
    } else if start != nil && isNullLast(level, isDescending) && mayHoldNull(index, position) {
      // The NULLs come last: the walk ends before them.
      emitNull(range.last + position)
      emitStop(level, cursor, range.last, range.prefixCount + 1, false)
    } else if range.prefixCount > 0 {
      emitStop(level, cursor, range.first, range.prefixCount, true)
    }
  }

  private func isNullLast(_ level: Level, _ isDescending: Bool) -> Bool {
    level.isReversed != isDescending
  }

  private func mayHoldNull(_ index: Index, _ position: Int) -> Bool {
    guard position < index.columns.count else { return false }
    let column = index.columns[position].tableColumn
    return column != -1 && (column < 0 || !index.table.columns[column].isNotNull)
  }

  /// Puts a bound's values, of a row value as many as the index can take, into `target` and behind it.
  /// Returns how many there are.
  private func emitBound(
    _ term: WhereTerm?, _ level: Level, _ index: Index, _ target: RegisterIndex,
    _ likePass: RegisterIndex?
  ) throws(SQLError) -> Int {
    guard let term, let right = term.right else { return 0 }
    try emit(right, into: target)
    if right.mayBeNull && !term.isNotNullBound {
      emit(.isNull, target.rawValue, level.next.operand)
    }
    let affinity = affinity(of: term, level, index, level.loop.equalityCount)
    if affinity.converts {
      emit(.affinity, target.rawValue, 1, p4: builder.addAffinities([affinity]))
    }
    if let likePass, term.isLikeBound { emitLikeCast(target, likePass, level, index) }
    let further = level.loop.furtherValues(of: term, level.source.id)
    for (offset, value) in further.enumerated() {
      let register = target + (1 + offset)
      try emit(value, into: register)
      let column = index.columns[level.loop.equalityCount + 1 + offset].tableColumn
      let declared = index.table.columns[column].affinity
      let affinity = declared.isNumeric ? Affinity.numeric : declared
      if affinity.converts {
        emit(.affinity, register.rawValue, 1, p4: builder.addAffinities([affinity]))
      }
    }
    return 1 + further.count
  }

  func emitSeek(
    _ level: Level, _ cursor: CursorID, _ first: RegisterIndex, _ count: Int, isInclusive: Bool
  ) {
    if count == 0 {
      emit(level.isReversed ? .last : .rewind, cursor.rawValue, level.next.operand)
      return
    }
    let opcode: Opcode =
      switch (level.isReversed, isInclusive) {
      case (false, true): .seekGreaterOrEqual
      case (false, false): .seekGreater
      case (true, true): .seekLessOrEqual
      case (true, false): .seekLess
      }
    emit(
      opcode, cursor.rawValue, level.next.operand, first.rawValue, p4: Int32(count))
  }

  /// Leaves the loop at the first entry past the key.
  func emitStop(
    _ level: Level, _ cursor: CursorID, _ first: RegisterIndex, _ count: Int, _ isInclusive: Bool
  ) {
    let opcode: Opcode =
      switch (level.isReversed, isInclusive) {
      case (false, true): .indexGreater
      case (false, false): .indexGreaterOrEqual
      case (true, true): .indexLess
      case (true, false): .indexLessOrEqual
      }
    emit(
      opcode, cursor.rawValue, level.next.operand, first.rawValue, p4: Int32(count))
  }

  /// Positions the cursor of the rows behind an index that does not cover the query.
  private func emitTableSeek(
    _ level: Level, _ index: Index, _ cursor: CursorID, _ tableCursor: CursorID?, _ table: Table
  ) throws(SQLError) {
    guard let tableCursor else { return }
    guard let primaryKey = table.primaryKeyIndex else {
      emit(
        .deferredSeek, cursor.rawValue, 0, tableCursor.rawValue,
        p4: addColumnMap(of: index, table))
      return
    }
    let key = builder.newRegisters(primaryKey.keyColumnCount)
    for (offset, column) in primaryKey.columns.prefix(primaryKey.keyColumnCount).enumerated() {
      guard let position = index.position(ofColumn: column.tableColumn) else {
        throw SQLError(.corrupt, "index lacks a primary key column")
      }
      emit(.column, cursor.rawValue, Int32(position), (key + offset).rawValue)
    }
    emit(
      .notFound, tableCursor.rawValue, level.continue.operand, key.rawValue,
      p4: Int32(primaryKey.keyColumnCount))
  }

  private func addColumnMap(of index: Index, _ table: Table) -> Int32 {
    var map = [Int32](repeating: 0, count: table.columns.count)
    for (position, column) in index.columns.enumerated() where column.tableColumn >= 0 {
      // The table's records leave virtual columns out.
      let stored = Int(table.storagePositions[column.tableColumn])
      if stored >= 0 && map[stored] == 0 { map[stored] = Int32(position + 1) }
    }
    builder.tables.columnMaps.append(map)
    return Int32(builder.tables.columnMaps.count - 1)
  }
}

extension BoundComparison.Operator {
  var isInclusive: Bool { self == .lessOrEqual || self == .greaterOrEqual || self == .equal }
}

extension BoundExpression {
  /// The value may be NULL, as far as can be seen.
  var mayBeNull: Bool {
    switch kind {
    case .integer, .real, .text, .blob, .nullTest, .truthTest, .exists: false
    case .plus(let operand), .collate(let operand), .negate(let operand),
      .fixedColumn(_, _, let operand):
      operand.mayBeNull
    default: true
    }
  }
}
