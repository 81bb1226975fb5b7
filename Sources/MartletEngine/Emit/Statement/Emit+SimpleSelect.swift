extension Emitter {
  /// A SELECT … FROM … WHERE without compound operators.
  func emitSimple(
    _ parts: SelectParts, _ target: SelectTarget, _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    numberWindowRows(parts.simple)
    let rows = try emitSources(parts)
    let saved = outerRowCount
    if let window = parts.simple.window {
      try emitWindow(window, parts, rows, target, limit, done)
    } else if parts.isAggregate {
      if parts.groupBy.isEmpty {
        try emitAggregate(parts, rows, target, limit, done)
        rowEstimate = 0
      } else {
        try emitGroupBy(parts, rows, target, limit, done)
        // SQLite takes it that grouping leaves 100 rows.
        rowEstimate = 66
      }
    } else {
      try emitPlain(parts, rows, target, limit, done)
    }
    outerRowCount = saved
  }

  /// A simple SELECT with what `emitSimple` decides about it.
  typealias SelectParts = TreeNode<SelectPartsContent>

  // MARK: No aggregates

  private func emitPlain(
    _ parts: SelectParts, _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>,
    _ target: SelectTarget,
    _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    let goal = plainGoal(parts)
    let partTerms = parts.mergeOrdering
    goal.limit = limit.estimate
    switch target {
    case .exists, .registers: goal.wantsOneRow = true
    default: break
    }
    let plan = try Planner.planLoops(parts.simple, goal: goal, subqueries: subqueries)
    defer {
      rowEstimate = min(plan.rowCount, Emitter.mostRows)
      // Where no row of a recursion comes twice, one of eight is taken to be new.
      if case .queue(let queue) = target, queue.known != nil { rowEstimate -= 30 }
    }
    let isSorted = plan.orderedCount == parts.orderBy.count || parts.orderBy.isEmpty
    if parts.simple.sources.isEmpty { emitExplain("SCAN CONSTANT ROW") }
    defer { emitPartExplain(plan, partTerms, parts) }
    let sorter =
      isSorted
      ? nil : openSorter(parts, orderedCount: plan.orderedCount, limit)
    let distinct = parts.isDistinct && !plan.isDistinctRedundant
    let filter = distinct ? openDistinct(parts, plan) : nil
    scanLimit = limit
    try emitLoops(plan) { (exits) throws(SQLError) in
      let row = self.builder.newRegisters(parts.columns.count)
      if let sorter, filter == nil, limit.limit != .none {
        try self.emitSortGroup(sorter, parts.columns, row: nil)
        let next = plan.isInnermostOrdered ? exits.nextOuter : exits.continue
        return try self.emitBoundedSort(parts.columns, row, sorter, rejected: next)
      }
      var rest = limit
      if let filter {
        try self.emit(parts.columns, into: row)
        self.emitDistinctTest(filter, row, count: parts.columns.count, exits.continue)
      } else {
        // Rows that OFFSET skips are not even computed.
        if sorter == nil { rest = self.emitOffset(limit, next: exits.continue) }
        try self.emit(parts.columns, into: row, for: target)
      }
      if let sorter {
        try self.emitSortGroup(sorter, parts.columns, row: row)
        return try self.emitSort(row, sorter)
      }
      self.emitRow(
        row, count: parts.columns.count, to: target, rest, next: exits.continue, end: done)
    }
    if filter != nil && !plan.isDistinctOrdered { emitExplain("USE TEMP B-TREE FOR DISTINCT") }
    guard let sorter else { return }
    emitSortExplain(plan.orderedCount, parts.orderBy.count)
    emitSorted(sorter, target, limit, done)
  }

  /// What the loops are planned for, whoever reads the rows.
  func plainGoal(_ parts: SelectParts) -> LoopGoal {
    let goal = newGoal(in: parts.select.memory)
    goal.ordering = parts.mergeOrdering.isEmpty ? parts.orderBy : parts.mergeOrdering
    goal.resultColumnCount = parts.columns.count
    goal.outerRowCount = outerRowCount
    goal.select = parts.select
    goal.mayOmitJoins = true
    if parts.isDistinct { goal.distinctColumns = parts.columns }
    return goal
  }

  /// SQLite sorts a part that does not come in the order of the merge.
  private func emitPartExplain(
    _ plan: LoopPlan, _ terms: TreeList<BoundOrderingTerm>, _ parts: SelectParts
  ) {
    guard plan.orderedCount < terms.count, !parts.simple.sources.isEmpty else { return }
    emitSortExplain(plan.orderedCount, terms.count)
  }

  // MARK: DISTINCT

  /// How repeated rows are recognized.
  enum DistinctFilter {
    case set(CursorID)
    /// Equal rows are neighbours: the row before is kept.
    case previous(RegisterIndex, isFirst: RegisterIndex, KeyInfo)
  }

  private func openDistinct(_ parts: SelectParts, _ plan: LoopPlan) -> DistinctFilter {
    let keyInfo = keyInfo(parts.columns.map { $0.collation ?? .binary })
    if plan.isDistinctOrdered {
      let previous = builder.newRegisters(parts.columns.count)
      let isFirst = newRegister()
      emitInteger(1, into: isFirst)
      return .previous(previous, isFirst: isFirst, keyInfo)
    }
    let set = builder.newCursor()
    emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo))
    return .set(set)
  }

  func emitDistinctTest(
    _ filter: DistinctFilter, _ row: RegisterIndex, count: Int, _ next: Label
  ) {
    switch filter {
    case .set(let set): emit(.setInsert, set.rawValue, next.operand, row.rawValue)
    case .previous(let previous, let isFirst, let keyInfo):
      let isNew = newLabel()
      emit(.ifTrue, isFirst.rawValue, isNew.operand)
      emit(
        .compare, row.rawValue, previous.rawValue, Int32(count),
        p4: builder.addKeyInfo(keyInfo))
      emit(.jump, isNew.operand, next.operand, isNew.operand)
      place(isNew)
      emitInteger(0, into: isFirst)
      emit(.copy, row.rawValue, previous.rawValue, Int32(count - 1))
    }
  }

  // MARK: FROM

  /// Makes the subqueries of FROM ready: as co-routines, or as filled row stores. Gives what is
  /// estimated of each source that is a subquery.
  private func emitSources(
    _ parts: SelectParts
  ) throws(SQLError) -> TreeList<LoopBuilder.SubqueryEstimate> {
    let sources = parts.simple.sources
    guard sources.contains(where: \.isSubquery) else { return [] }
    var estimates = [LoopBuilder.SubqueryEstimate](
      repeating: LoopBuilder.SubqueryEstimate(), count: sources.count)
    for (position, source) in sources.enumerated() {
      guard case .subquery(let select) = source.kind else { continue }
      if source.isCurrentRow { continue }
      if let other = sources[..<position].first(where: source.hasSameRows),
        case .rows(let rows) = access(other.id).kind
      {
        emitFill(of: other)
        emitShare(of: other, rows, source, select)
      } else if Planner.mayBeCoroutine(position, sources) {
        try emitCoroutine(source, select)
      } else if let (other, rows) = commonTable(of: source) {
        // A subquery that runs again finds them there.
        let isShared = newLabel()
        emit(.once, 0, isShared.operand)
        emitFill(of: other)
        emitShare(of: other, rows, source, select)
        place(isShared)
      } else {
        try emitMaterialized(source, select)
      }
      estimates[position].rows = rowEstimates[select.id] ?? 200
      // In the part of a compound, SQLite does not see that a subquery has the order, nor ever of a
      // recursive one, whose ORDER BY is its queue's.
      if parts.mergeOrdering.isEmpty, !parts.isPartOfMerge, !select.isRecursive {
        estimates[position].ordering = select.orderBy
      }
      noteRealColumns(source.id, select)
    }
    return TreeList(estimates, in: parts.select.memory)
  }

  /// Where the rows of the same common table are made.
  private func commonTable(of source: BoundSource) -> (BoundSource, rows: CursorID)? {
    guard let use = source.commonTableUse, let known = commonTables[ObjectIdentifier(use)],
      known.0.id != source.id, source.hasSameRows(as: known.0)
    else { return nil }
    return known
  }

  private func emitShare(
    of other: BoundSource, _ rows: CursorID, _ source: BoundSource, _ select: BoundSelect
  ) {
    let cursor = builder.newCursor()
    emit(.rowsShare, cursor.rawValue, rows.rawValue)
    setAccess(source.id, .rows(cursor))
    if case .subquery(let known) = other.kind {
      rowEstimates[select.id] = rowEstimates[known.id]
    }
  }

  func noteRealColumns(_ id: SourceID, _ select: BoundSelect) {
    var mask: UInt64 = 0
    for (column, definition) in select.columns.enumerated().prefix(64)
    where definition.affinity == .real {
      mask |= 1 << UInt64(column)
    }
    self.sources[Int(id.rawValue)].realColumns = mask
    guard select.columns.count > 64 else { return }
    let further = (64..<select.columns.count).filter { select.columns[$0].affinity == .real }
    self.sources[Int(id.rawValue)].furtherRealColumns =
      TreeList(further.map { Int32($0) }, in: select.memory)
  }

  private func emitCoroutine(_ source: BoundSource, _ select: BoundSelect) throws(SQLError) {
    let yield = newRegister()
    let row = builder.newRegisters(max(1, select.columns.count))
    let entry = newLabel(), behind = newLabel()
    emit(.initCoroutine, yield.rawValue, behind.operand, entry.operand)
    place(entry)
    try withExplain("CO-ROUTINE \(source.contentName)") { () throws(SQLError) in
      try emitSelect(select, to: .coroutine(yield: yield, row: row))
    }
    emit(.endCoroutine, yield.rawValue)
    place(behind)
    coroutines[source.id] = (yield, entry)
    setAccess(source.id, .registers(row))
  }

  /// The store is filled when the loop over it first begins, which may be never: the subquery may
  /// fail.
  private func emitMaterialized(_ source: BoundSource, _ select: BoundSelect) throws(SQLError) {
    let cursor = builder.newCursor(), returnAddress = newRegister()
    let entry = newLabel(), filled = newLabel(), behind = newLabel()
    if !select.isCorrelated {
      emitGoto(behind)
      place(entry)
      emit(.once, 0, filled.operand)
      fills[source.id] = (returnAddress, entry)
      if let use = source.commonTableUse { commonTables[ObjectIdentifier(use)] = (source, cursor) }
    }
    emit(.rowsOpen, cursor.rawValue, Int32(select.columns.count))
    try withExplain("MATERIALIZE \(source.contentName)") { () throws(SQLError) in
      try emitSelect(select, to: .rows(cursor))
    }
    if !select.isCorrelated {
      place(filled)
      emit(.return, returnAddress.rawValue)
      place(behind)
    }
    setAccess(source.id, .rows(cursor))
  }

  /// Fills the store of a subquery, unless that has been done.
  func emitFill(of source: BoundSource) {
    guard let fill = fills[source.id] else { return }
    let filled = newLabel()
    emit(.once, 0, filled.operand)
    emit(.gosub, fill.returnAddress.rawValue, fill.entry.operand)
    place(filled)
  }
}

struct SelectPartsContent: BitwiseCopyable {
  let simple: BoundSimpleSelect
  let select: BoundSelect
  let columns: TreeList<BoundExpression>
  fileprivate(set) var groupBy: TreeList<BoundExpression>
  fileprivate(set) var orderBy: TreeList<BoundOrderingTerm>
  /// `orderBy` is that of the compound SELECT.
  fileprivate(set) var isPartOfMerge = false
  fileprivate(set) var isDistinct: Bool
  fileprivate(set) var isAggregate: Bool
  /// For a part of a compound SELECT, the order in which its rows would be merged.
  fileprivate(set) var mergeOrdering = TreeList<BoundOrderingTerm>()
  /// The GROUP BY is a DISTINCT in disguise.
  fileprivate(set) var isConvertedDistinct = false

  fileprivate init(_ simple: BoundSimpleSelect, _ select: BoundSelect) {
    self.simple = simple
    self.select = select
    columns = TreeList(select.columns.lazy.map(\.expression), in: select.memory)
    groupBy = simple.groupBy
    isAggregate = simple.isAggregate
    isDistinct = select.isDistinct
    orderBy = select.orderBy
  }
}

extension Emitter.SelectParts {
  init(_ simple: BoundSimpleSelect, _ select: BoundSelect) {
    self.init(SelectPartsContent(simple, select), in: select.memory)
    if self.isDistinct { convertDistinct() }
  }

  /// Wants the part's rows in the order of a merge, unless it has an order of its own.
  func takeOrdering(_ terms: TreeList<BoundOrderingTerm>) {
    guard self.orderBy.isEmpty else { return }
    self.mergeOrdering = ownTerms(terms)
  }

  /// Sorts the part's rows for a merge that wants only the first of them. False where the part is of
  /// a kind that cannot.
  func takeOrder(_ terms: TreeList<BoundOrderingTerm>) -> Bool {
    guard self.orderBy.isEmpty, !self.isAggregate, self.simple.window == nil else { return false }
    self.orderBy = ownTerms(terms)
    self.isPartOfMerge = true
    return true
  }

  private func ownTerms(_ terms: TreeList<BoundOrderingTerm>) -> TreeList<BoundOrderingTerm> {
    let own = terms.map {
      BoundOrderingTerm(
        expression: self.columns[$0.resultColumn], isDescending: $0.isDescending,
        hasBigNulls: $0.hasBigNulls, resultColumn: $0.resultColumn, collation: $0.collation)
    }
    return TreeList(own, in: self.select.memory)
  }

  /// SELECT DISTINCT a, b … ORDER BY a, b is SELECT a, b … GROUP BY a, b ORDER BY a, b: one sort
  /// serves both. With another collation, rows that are not the same could be one in the order.
  private func convertDistinct() {
    guard !self.isAggregate, self.simple.window == nil, !self.orderBy.isEmpty,
      self.orderBy.count == self.columns.count,
      self.orderBy.enumerated().allSatisfy({ position, term in
        term.resultColumn == position
          && term.collation === (self.columns[position].collation ?? .binary)
      })
    else { return }
    self.isDistinct = false
    self.isConvertedDistinct = true
    self.isAggregate = true
    self.groupBy = self.columns
  }
}
