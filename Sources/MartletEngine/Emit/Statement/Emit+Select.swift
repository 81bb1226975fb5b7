/// Where the rows of a SELECT go.
///
/// What has lists is indirect: targets are handed around, and all others are copied as plain data.
enum SelectTarget {
  /// To the caller.
  case output
  /// To the co-routine's caller: the row is in the registers when it yields.
  case coroutine(yield: RegisterIndex, row: RegisterIndex)
  /// Into a row store.
  case rows(CursorID)
  /// Into the queue of a recursive common table.
  indirect case queue(RecursionQueue)
  /// Into a set, with affinities applied.
  indirect case set(CursorID, [Affinity])
  /// Some of the columns into a set, with affinities applied.
  indirect case setOfColumns(CursorID, [Int], [Affinity])
  /// Marks in a set.
  case setMarks(CursorID)
  /// Only whether there is a row: the register becomes 1.
  case exists(RegisterIndex)
  /// The first row's columns.
  case registers(RegisterIndex)
  /// Into a sorter, whose keys are these columns of the row.
  indirect case sorter(CursorID, keys: [Int])
  /// Nowhere: the rows are only made.
  case nowhere
  /// Each row is a broken foreign key more, or less.
  case foreignKeyCount(isDeferred: Bool, Int32)

  /// The first row is all that is wanted.
  var wantsOneRow: Bool {
    switch self {
    case .exists, .registers: true
    default: false
    }
  }

  /// Neither the order of the rows nor whether they repeat matters (SQLite's IgnorableOrderby).
  fileprivate var ignoresOrder: Bool {
    switch self {
    case .exists, .nowhere: true
    default: false
    }
  }
}

extension Emitter {
  /// Emits a SELECT. Its value as a source is known to the caller by `target`.
  ///
  /// - Parameter offset: of one without LIMIT, the register that has how many of its rows the SELECT
  ///   around it skips; these are left out here, before they are computed.
  func emitSelect(
    _ bound: BoundSelect, to target: SelectTarget, skipping offset: RegisterIndex = .none
  ) throws(SQLError) {
    try attend()
    let order = partOrder
    partOrder = nil
    // Comparisons of rows inside are their own.
    let isOuterComparison = isInRowComparison
    isInRowComparison = false
    defer { isInRowComparison = isOuterComparison }
    let wanted = target.ignoresOrder ? bound.replacing(orderBy: [], isDistinct: false) : bound
    let select = try Rewriter.rewritten(wanted, isPartOfMerge: order != nil)
    let done = newLabel()
    var limit = try emitLimit(select, target, done)
    if offset != .none {
      assert(select.limit == nil, "who skips rows for another SELECT counts none of its own")
      limit.offset = offset
    }
    if let order, order.isMerged {
      try emitPart(select, order, target, limit, done)
    } else {
      try emitBody(select, order, target, limit, done)
    }
    place(done)
    noteRowEstimate(of: select, limit)
  }

  private func emitBody(
    _ select: BoundSelect, _ order: PartOrder?, _ target: SelectTarget, _ limit: LimitRegisters,
    _ done: Label
  ) throws(SQLError) {
    switch select.body {
    case .simple(let simple):
      let parts = SelectParts(simple, select)
      if let order { parts.takeOrdering(order.terms) }
      try emitSimple(parts, target, limit, done)
    case .values(let rows):
      try emitValues(rows, select, target, limit, done)
    case .compound(let parts, let operators, let collations):
      partOrder = order
      try emitCompound(select, parts, operators, collations, target, limit, done)
    case .recursive(let recursion):
      try emitRecursive(select, recursion, target, limit, done)
    case .currentRow: throw SQLError(.internal)
    }
  }

  /// The part of a merge, in its order: by the part's loops where they give it, else by a sorter.
  private func emitPart(
    _ select: BoundSelect, _ order: PartOrder, _ target: SelectTarget, _ limit: LimitRegisters,
    _ done: Label
  ) throws(SQLError) {
    if select.limit == nil {
      switch select.body {
      case .simple(let simple):
        let parts = SelectParts(simple, select)
        guard parts.takeOrder(order.terms) else { break }
        var limit = limit
        if order.first != .none {
          limit.limit = newRegister()
          limit.total = order.first
          emit(.copy, order.first.rawValue, limit.limit.rawValue)
        }
        return try emitSimple(parts, target, limit, done)
      case .compound: return try emitBody(select, order, target, limit, done)
      default: break
      }
    }
    if select.hasOneRow { return try emitBody(select, order, target, limit, done) }
    var kept = LimitRegisters.none
    kept.total = order.first
    let sorter = openSorter(order.terms, columnCount: select.columns.count, kept)
    let sorted = newLabel(), columns = order.terms.map(\.resultColumn)
    try emitBody(select, order, .sorter(sorter.cursor, keys: columns), limit, sorted)
    place(sorted)
    emitSorted(sorter, target, .none, done)
  }

  /// Keeps how many rows the SELECT is taken to give, for the planning of the query around it.
  private func noteRowEstimate(of select: BoundSelect, _ limit: LimitRegisters) {
    switch select.body {
    case .simple, .currentRow: break
    case .values(let rows): rowEstimate = LogEst(count: UInt64(rows.count))
    case .compound(let parts, let operators, _):
      rowEstimate = rowEstimate(ofCompound: parts, operators)
    case .recursive(let recursion):
      guard case .compound(let steps, let operators, _) = recursion.step.body,
        let most = limit.estimate
      else { break }
      // The limit counts for the last step alone.
      let last = steps[steps.count - 1]
      rowEstimates[last.id] = min(rowEstimates[last.id] ?? 200, most)
      rowEstimate = rowEstimate(ofCompound: steps, operators)
      rowEstimates[select.id] = rowEstimate
      return
    }
    if let most = limit.estimate { rowEstimate = min(rowEstimate, most) }
    if select.id != statementID { rowEstimates[select.id] = rowEstimate }
  }

  private func rowEstimate(
    ofCompound parts: [BoundSelect], _ operators: [CompoundOperator]
  ) -> LogEst {
    var rows = rowEstimates[parts[0].id] ?? 200
    for (part, operation) in zip(parts.dropFirst(), operators) {
      let right = rowEstimates[part.id] ?? 200
      switch operation {
      case .union, .unionAll: rows = .sum(rows, right)
      case .intersect: rows = min(rows, right)
      case .except: rows = right
      }
    }
    return rows
  }

  // MARK: LIMIT and OFFSET

  /// Registers that count the rows down.
  struct LimitRegisters {
    var limit = RegisterIndex.none
    var offset = RegisterIndex.none
    /// limit + offset: how many rows a sorter keeps.
    var total = RegisterIndex.none
    /// The constant LIMIT (LogEst), for the planner.
    var estimate: LogEst?

    static let none = LimitRegisters()
  }

  private func emitLimit(
    _ select: BoundSelect, _ target: SelectTarget, _ done: Label
  ) throws(SQLError) -> LimitRegisters {
    var registers = LimitRegisters()
    guard let limit = select.limit else {
      if target.wantsOneRow { registers.estimate = 0 }
      return registers
    }
    registers.limit = newRegister()
    try emit(limit, into: registers.limit)
    if case .integer(let count) = limit.kind {
      if count == 0 { emitGoto(done) }
      // Where one row is wanted, SQLite replaces another limit by one that is no literal.
      if count >= 0, count <= 1 || !target.wantsOneRow {
        registers.estimate = LogEst(count: UInt64(count))
      }
    } else {
      emit(.mustBeInteger, registers.limit.rawValue)
      emit(.ifFalse, registers.limit.rawValue, done.operand)
    }
    if let offset = select.offset {
      registers.offset = newRegister()
      try emit(offset, into: registers.offset)
      emit(.mustBeInteger, registers.offset.rawValue)
    }
    registers.total = newRegister()
    emit(
      .offsetLimit, registers.limit.rawValue, registers.total.rawValue,
      registers.offset.rawValue)
    return registers
  }

  // MARK: Rows

  /// Skips a row that OFFSET leaves out. Returns what is left to count.
  func emitOffset(_ limit: LimitRegisters, next: Label) -> LimitRegisters {
    guard limit.offset != .none else { return limit }
    emit(.ifPositive, limit.offset.rawValue, next.operand, 1)
    var rest = limit
    rest.offset = .none
    return rest
  }

  /// Delivers a row that passed OFFSET; `end` is where to go when no more rows are wanted.
  func emitRow(
    _ row: RegisterIndex, count: Int, to target: SelectTarget, _ limit: LimitRegisters,
    next: Label, end: Label
  ) {
    _ = emitOffset(limit, next: next)
    switch target {
    case .output: emitResultRow(row, count: count)
    case .coroutine(let yield, let result):
      if result != row { emit(.copy, row.rawValue, result.rawValue, Int32(count - 1)) }
      emit(.yield, yield.rawValue, end.operand)
    case .rows(let cursor): emit(.rowsInsert, cursor.rawValue, row.rawValue, Int32(count))
    case .queue(let queue): emitEnqueue(row, count: count, queue, seen: next)
    case .set(let set, let affinities):
      emitFilterExplain(set)
      var key = row
      if affinities.contains(where: \.converts) {
        key = builder.newRegisters(count)
        emit(.copy, row.rawValue, key.rawValue, Int32(count - 1))
        emit(.affinity, key.rawValue, Int32(count), p4: builder.addAffinities(affinities))
      }
      emit(.setInsert, set.rawValue, 0, key.rawValue)
    case .setOfColumns(let set, let columns, let affinities):
      let key = builder.newRegisters(columns.count)
      for (offset, column) in columns.enumerated() {
        emit(.copy, (row + column).rawValue, (key + offset).rawValue)
      }
      if affinities.contains(where: \.converts) {
        emit(
          .affinity, key.rawValue, Int32(columns.count), p4: builder.addAffinities(affinities))
      }
      emit(.setInsert, set.rawValue, 0, key.rawValue)
    case .setMarks(let set): emit(.setMark, set.rawValue, 0, row.rawValue)
    case .nowhere: break
    case .sorter(let cursor, let columns): emitSort(row, cursor, keys: columns)
    case .foreignKeyCount(let isDeferred, let increment):
      emit(.foreignKeyCount, isDeferred ? 1 : 0, increment)
    case .exists(let register): emitInteger(1, into: register)
    case .registers(let first): emit(.copy, row.rawValue, first.rawValue, Int32(count - 1))
    }
    if target.wantsOneRow {
      emitGoto(end)
    } else if limit.limit != .none {
      emit(.decrementJumpZero, limit.limit.rawValue, end.operand)
    }
  }

  /// Computes a row for its target. Whether there is one needs none of its columns, whose errors do
  /// not show then.
  func emit(
    _ columns: some Collection<BoundExpression>, into row: RegisterIndex, for target: SelectTarget
  ) throws(SQLError) {
    if case .exists = target { return }
    try emit(columns, into: row)
  }

  /// SQLite fills a Bloom filter with the rows of a set, unless they come out of a sorter.
  private func emitFilterExplain(_ set: CursorID) {
    guard filteredSet == set else { return }
    filteredSet = nil
    emitExplain("CREATE BLOOM FILTER")
  }

  // MARK: VALUES

  private func emitValues(
    _ rows: [[BoundExpression]], _ select: BoundSelect, _ target: SelectTarget,
    _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    let count = select.columns.count
    emitExplain(
      rows.count == 1 ? "SCAN CONSTANT ROW" : "SCAN \(rows.count)-ROW VALUES CLAUSE")
    let needsSort = !select.orderBy.isEmpty
    let sorter = needsSort ? try openSorter(select, limit) : nil
    let row = builder.newRegisters(count)
    // A row's values are made when it is reached, not all before the first.
    let saved = mayFactor
    mayFactor = false
    for values in rows {
      let next = newLabel()
      if rows.count == 1 {
        try emit(values, into: row, for: target)
      } else {
        try emit(values, into: row)
      }
      if let sorter {
        try emitSort(row, sorter)
      } else {
        emitRow(row, count: count, to: target, limit, next: next, end: done)
      }
      place(next)
    }
    mayFactor = saved
    if let sorter { emitSorted(sorter, target, limit, done) }
  }
}

extension BoundSelect {
  /// It has one row at most, which is in any order.
  var hasOneRow: Bool {
    switch self.body {
    case .simple(let simple): simple.isAggregate && simple.groupBy.isEmpty
    case .values(let rows): rows.count == 1
    case .compound, .recursive, .currentRow: false
    }
  }
}
