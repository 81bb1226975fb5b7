// Aggregates without GROUP BY: one row over all input rows.
//
//     accumulators start
//     loops:
//       step each aggregate, or with ORDER BY, add its arguments to a sorter
//       bare columns: of the first row, or of the row that gave min() or max() its value
//     step aggregates with ORDER BY over their sorters
//     results
//     HAVING, row

extension Emitter {
  func emitAggregate(
    _ parts: SelectParts, _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>,
    _ target: SelectTarget,
    _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    // One row is distinct, but SQLite says so all the same.
    defer { if parts.isDistinct { emitExplain("USE TEMP B-TREE FOR DISTINCT") } }
    if try emitSimpleCount(parts, target, limit, done) { return }
    let aggregates = parts.simple.aggregates
    let state = AggregateState(parts, builder)
    emitReset(state)
    if !state.bare.isEmpty { emitNull(state.bareRegisters, count: state.bare.count) }
    let goal = newGoal(in: parts.select.memory)
    goal.outerRowCount = outerRowCount
    goal.select = parts.select
    let minMax = minMaxOrdering(parts)
    if let minMax {
      goal.ordering = TreeList([minMax], in: parts.select.memory)
      goal.isMinMax = true
    } else if state.bare.isEmpty, aggregates.count == 1, aggregates[0].isDistinct,
      let argument = aggregates[0].arguments.first
    {
      // Bare columns are those of the first row: no order is preferred then.
      goal.distinctColumns = TreeList([argument], in: parts.select.memory)
    }
    let plan = try Planner.planLoops(parts.simple, goal: goal, subqueries: subqueries)
    let stopsEarly = minMax != nil && plan.orderedCount == 1
    emitExplain(of: aggregates, showsDistinct: plan.needsDistinct)
    if parts.simple.sources.isEmpty { emitExplain("SCAN CONSTANT ROW") }
    try emitLoops(plan) { (exits) throws(SQLError) in
      // NULLs come last: if the first value is one, so are all.
      try self.emitSteps(state)
      if stopsEarly { self.emitGoto(exits.nextKey) }
    }
    emitResults(state)
    try behindLoops { () throws(SQLError) in
      try emitAggregateRow(state, parts, target, limit, done)
    }
  }

  /// Registers of an aggregation without groups.
  final class AggregateState {
    let parts: SelectParts
    let accumulators: [RegisterIndex]
    let results: RegisterIndex
    /// Columns outside aggregates, and where they are kept.
    let bare: [(source: SourceID, column: Int32)]
    let bareRegisters: RegisterIndex
    /// The min() or max() whose row gives the bare columns, or -1.
    let bareAggregate: Int
    /// Without min() or max(), 1 once the bare columns have been read; with them, whether the bare
    /// columns follow the current row.
    let hasRow: RegisterIndex
    /// 1 behind the first row: where rows that a FILTER leaves out must not be followed.
    let isLater: RegisterIndex
    /// A cursor for the set of values of each DISTINCT aggregate.
    let sets: [CursorID?]
    /// A cursor for the rows of each aggregate with ORDER BY.
    let sorters: [CursorID?]

    init(_ parts: SelectParts, _ builder: ProgramBuilder) {
      self.parts = parts
      let aggregates = parts.simple.aggregates
      accumulators = aggregates.map { builder.newRegisters($0.function.accumulatorWidth) }
      results = builder.newRegisters(max(1, aggregates.count))
      bare = parts.bareColumns
      bareRegisters = builder.newRegisters(max(1, bare.count))
      bareAggregate = parts.bareAggregate
      hasRow = builder.newRegister()
      isLater = parts.needsLaterFlag ? builder.newRegister() : .none
      sets = aggregates.map { $0.isDistinct ? builder.newCursor() : nil }
      sorters = aggregates.map { $0.isOrdered ? builder.newCursor() : nil }
    }
  }

  private func emitAggregateRow(
    _ state: AggregateState, _ parts: SelectParts, _ target: SelectTarget,
    _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    aggregates[parts.select.id] = state.results
    let captures = capture(state.bare, at: state.bareRegisters)
    defer { restore(captures) }
    if let having = parts.simple.having {
      try emitJump(unless: having, to: done, jumpIfNull: true)
    }
    let row = builder.newRegisters(parts.columns.count)
    try emit(parts.columns, into: row, for: target)
    // One row needs no sorting.
    emitRow(row, count: parts.columns.count, to: target, limit, next: done, end: done)
  }

  // MARK: Steps

  /// Starts the accumulators, and empties the sets of DISTINCT and the sorters of ORDER BY.
  func emitReset(_ state: AggregateState) {
    for (index, aggregate) in state.parts.simple.aggregates.enumerated() {
      emit(
        .aggregateStart, 0, 0, state.accumulators[index].rawValue, p4: addCall(aggregate))
      if let set = state.sets[index] {
        let collation = aggregate.arguments.first?.collation ?? .binary
        emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo([collation])))
      }
      if let sorter = state.sorters[index] {
        emit(
          .sorterOpen, sorter.rawValue, Int32(aggregate.storedCount),
          p4: builder.addKeyInfo(keyInfo(of: aggregate.orderBy)))
      }
    }
    if !state.bare.isEmpty { emitInteger(0, into: state.hasRow) }
    if state.isLater != .none { emitInteger(0, into: state.isLater) }
  }

  /// Steps every aggregate with the current row, and keeps the row's bare columns where due.
  func emitSteps(_ state: AggregateState) throws(SQLError) {
    for (index, aggregate) in state.parts.simple.aggregates.enumerated() {
      let skip = newLabel()
      let followed = aggregate.isExtreme && !state.bare.isEmpty
      if let filter = aggregate.filter {
        if followed && state.isLater != .none { emitFollowsFirst(state) }
        try emitJump(unless: filter, to: skip, jumpIfNull: true)
      }
      let accumulator = state.accumulators[index]
      if aggregate.arguments.isEmpty && aggregate.function.isCount {
        emit(.aggregateCount, 0, 0, accumulator.rawValue)
      } else {
        let first = try emitArguments(of: aggregate)
        if let set = state.sets[index] {
          emit(.setInsert, set.rawValue, skip.operand, first.rawValue)
        }
        if let sorter = state.sorters[index] {
          let keys = builder.newRegisters(aggregate.orderBy.count)
          try emit(aggregate.orderBy.map(\.expression), into: keys)
          if aggregate.keepsSubtypes { emitSubtypes(of: aggregate, first) }
          emit(.sorterInsert, sorter.rawValue, keys.rawValue, first.rawValue)
        } else {
          let flag = followed ? state.hasRow.rawValue : 0
          emit(
            .aggregateStep, flag, first.rawValue, accumulator.rawValue, p4: addCall(aggregate))
        }
      }
      place(skip)
    }
    try emitBareColumns(state)
    if state.isLater != .none { emitInteger(1, into: state.isLater) }
  }

  /// Ends every aggregate, those with ORDER BY after their steps.
  func emitResults(_ state: AggregateState) {
    for (index, aggregate) in state.parts.simple.aggregates.enumerated() {
      if let sorter = state.sorters[index] {
        emitOrderedSteps(aggregate, sorter, state.accumulators[index])
      }
      emit(
        .aggregateFinal, state.accumulators[index].rawValue,
        (state.results + index).rawValue, p4: addCall(aggregate))
    }
  }

  ///     for each row of the sorter, in order: step
  private func emitOrderedSteps(
    _ aggregate: BoundAggregate, _ sorter: CursorID, _ accumulator: RegisterIndex
  ) {
    let count = aggregate.storedCount
    let arguments = builder.newRegisters(max(1, count)), end = newLabel()
    emit(.sorterSort, sorter.rawValue, end.operand)
    let again = builder.placeNewLabel()
    for position in 0..<count {
      emit(.rowColumn, sorter.rawValue, Int32(position), (arguments + position).rawValue)
    }
    for position in aggregate.arguments.count..<max(count, aggregate.arguments.count) {
      let value = arguments + (position - aggregate.arguments.count)
      emit(.setSubtype, (arguments + position).rawValue, value.rawValue)
    }
    emit(.aggregateStep, 0, arguments.rawValue, accumulator.rawValue, p4: addCall(aggregate))
    emit(.sorterNext, sorter.rawValue, again.operand)
    place(end)
  }

  /// Before a FILTER may leave the row out: the bare columns follow the first row only.
  private func emitFollowsFirst(_ state: AggregateState) {
    let later = newLabel()
    emitInteger(0, into: state.hasRow)
    emit(.ifTrue, state.isLater.rawValue, later.operand)
    emitInteger(1, into: state.hasRow)
    place(later)
  }

  private func emitArguments(of call: BoundAggregate) throws(SQLError) -> RegisterIndex {
    let arguments =
      call.ordersItsArgument(firstSource)
      ? call.memory.list([call.orderBy[0].expression]) : call.arguments
    let mattersSubtype = call.function.flags.contains(.subtype)
    if arguments.count == 1 && !mattersSubtype { return try register(for: arguments[0]) }
    let first = builder.newRegisters(max(1, call.storedCount))
    for (offset, argument) in arguments.enumerated() {
      try emitArgument(argument, mattersSubtype: mattersSubtype, into: first + offset)
    }
    return first
  }

  /// What a sorter stores has no subtypes: they follow the arguments as values.
  private func emitSubtypes(of call: BoundAggregate, _ first: RegisterIndex) {
    let count = call.arguments.count
    for position in 0..<count {
      emit(.getSubtype, (first + position).rawValue, (first + (count + position)).rawValue)
    }
  }

  private func emitBareColumns(_ state: AggregateState) throws(SQLError) {
    guard !state.bare.isEmpty else { return }
    let skip = newLabel()
    if state.bareAggregate >= 0 {
      // The step of min() or max() has set the register to 1 if its value is this row's.
      emit(.ifFalse, state.hasRow.rawValue, skip.operand)
    } else {
      emit(.ifTrue, state.hasRow.rawValue, skip.operand)
      emitInteger(1, into: state.hasRow)
    }
    for (offset, column) in state.bare.enumerated() {
      let target = state.bareRegisters + offset
      if let value = capturedRegister(column.source, column.column) {
        emit(.copy, value.rawValue, target.rawValue)
        continue
      }
      let value = newRegister()
      try emitRead(column, state.parts, into: value)
      emit(.copy, value.rawValue, target.rawValue)
    }
    place(skip)
  }

  /// What EXPLAIN QUERY PLAN says of DISTINCT and ORDER BY in aggregates.
  func emitExplain(of aggregates: TreeList<BoundAggregate>, showsDistinct: Bool) {
    for aggregate in aggregates {
      if aggregate.isDistinct && showsDistinct && !aggregate.ordersItsArgument(firstSource) {
        emitExplain("USE TEMP B-TREE FOR \(aggregate.function.name)(DISTINCT)")
      }
      if aggregate.isOrdered {
        emitExplain("USE TEMP B-TREE FOR \(aggregate.function.name)(ORDER BY)")
      }
    }
  }

  func addCall(_ aggregate: BoundAggregate) -> Int32 {
    builder.tables.aggregateCalls.append(
      AggregateCallInfo(
        function: aggregate.function, argumentCount: aggregate.arguments.count,
        collation: aggregate.collation))
    return Int32(builder.tables.aggregateCalls.count - 1)
  }

  /// Emits what comes behind the loops, where their cursors are on no row: expressions are not read
  /// from an index, but computed of the columns that were kept.
  func behindLoops(_ body: () throws(SQLError) -> Void) throws(SQLError) {
    let indexed = (indexedExpressions, indexedColumns)
    indexedExpressions = []
    indexedColumns = []
    defer { (indexedExpressions, indexedColumns) = indexed }
    try body()
  }

  // MARK: Short cuts

  /// SELECT count(*) FROM t: the number of entries of its smallest tree.
  private func emitSimpleCount(
    _ parts: SelectParts, _ target: SelectTarget, _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) -> Bool {
    let simple = parts.simple
    guard simple.sources.count == 1, simple.whereClause == nil, simple.having == nil,
      case .table(let table) = simple.sources[0].kind, !table.isVirtual,
      simple.aggregates.count == 1,
      parts.columns.count == 1, case .aggregate(let aggregate) = parts.columns[0].kind,
      aggregate.function.isCount, aggregate.arguments.isEmpty, aggregate.filter == nil,
      aggregate.selectID == parts.select.id
    else { return false }
    var best: Index?
    let mayUseIndex = if case .none = simple.sources[0].indexedBy { false } else { true }
    for index in table.indexes
    where mayUseIndex && index.partialWhere == nil && !index.isUnordered
      && index.rowSizeEstimate < (best?.rowSizeEstimate ?? table.rowSizeEstimate)
    {
      best = index
    }
    if table.isWithoutRowid && best == nil { best = table.primaryKeyIndex }
    let cursor: CursorID
    if let best { cursor = try openIndex(best) } else { cursor = try openTable(table) }
    let result = newRegister()
    emit(.count, cursor.rawValue, result.rawValue)
    let name = table.name.string
    if let best, best !== table.primaryKeyIndex {
      emitExplain("SCAN \(name) USING COVERING INDEX \(best.name.string)")
    } else {
      emitExplain("SCAN \(name)")
    }
    emitRow(result, count: 1, to: target, limit, next: done, end: done)
    return true
  }

  /// A lone min(x) or max(x): in the order of x, its first row has the answer.
  private func minMaxOrdering(_ parts: SelectParts) -> BoundOrderingTerm? {
    guard parts.simple.aggregates.count == 1, let aggregate = parts.simple.aggregates.first,
      parts.simple.having == nil, aggregate.arguments.count == 1, aggregate.filter == nil,
      let kind = aggregate.function.minMaxKind
    else { return nil }
    let argument = aggregate.arguments[0]
    return BoundOrderingTerm(
      expression: argument, isDescending: kind == .max,
      hasBigNulls: kind == .min && parts.mayBeNull(argument), resultColumn: -1,
      collation: argument.collation ?? .binary)
  }
}

extension Emitter.SelectParts {
  /// NULLs are last for min(): it wants none of them.
  fileprivate func mayBeNull(_ expression: BoundExpression) -> Bool {
    guard case .column(let id, let column) = expression.withoutCollate.kind else {
      return expression.mayBeNull
    }
    guard let position = self.simple.sources.firstIndex(where: { $0.id == id }),
      case .table(let table) = self.simple.sources[position].kind,
      !self.simple.sources[position].join.contains(.left),
      !self.simple.sources.dropFirst(position + 1).contains(where: { $0.join.contains(.right) })
    else { return true }
    return column >= 0 && !table.columns[Int(column)].isNotNull
  }

  /// The column is one that UPDATE leaves as it is, and is read for nothing else.
  func isKept(_ source: SourceID, _ column: Int32) -> Bool {
    guard self.columns.contains(where: { $0.traits.contains(.isKept) }) else { return false }
    var isKept = false, isRead = false
    func note(_ expression: BoundExpression) {
      expression.forEachColumn { if $0 == source && $1 == column { isRead = true } }
    }
    for result in self.columns {
      if case .column(source, column) = result.kind, result.traits.contains(.isKept) {
        isKept = true
      } else {
        note(result)
      }
    }
    guard isKept else { return false }
    for key in self.groupBy { note(key) }
    for term in self.orderBy { note(term.expression) }
    if let having = self.simple.having { note(having) }
    return !isRead
  }

  /// Columns of this SELECT's sources that are read outside its aggregates.
  var bareColumns: [(source: SourceID, column: Int32)] {
    var found: [(source: SourceID, column: Int32)] = []
    func add(_ expression: BoundExpression) {
      expression.forEachColumnOutsideAggregates(of: self.select.id) { source, column in
        guard self.simple.sources.contains(where: { $0.id == source }),
          !found.contains(where: { $0.source == source && $0.column == column })
        else { return }
        found.append((source, column))
      }
    }
    for column in self.columns { add(column) }
    if let having = self.simple.having { add(having) }
    for term in self.orderBy where term.resultColumn < 0 { add(term.expression) }
    return found
  }

  /// Columns of this SELECT's sources that are read in aggregates or outside.
  var columnsRead: [(source: SourceID, column: Int32)] {
    var found = bareColumns
    func add(_ expression: BoundExpression) {
      expression.forEachColumn { source, column in
        guard self.simple.sources.contains(where: { $0.id == source }),
          !found.contains(where: { $0.source == source && $0.column == column })
        else { return }
        found.append((source, column))
      }
    }
    for aggregate in self.simple.aggregates {
      aggregate.arguments.forEach(add)
      if let filter = aggregate.filter { add(filter) }
      for term in aggregate.orderBy { add(term.expression) }
    }
    return found
  }

  /// Index of the last min() or max(), or -1: of those that take a row, the last decides whether
  /// the bare columns follow it.
  var bareAggregate: Int { self.simple.aggregates.lastIndex { $0.isExtreme } ?? -1 }

  /// Rows that the FILTER of a min() or max() leaves out are told from the first row. SQLite does
  /// so in groups, and in a lone aggregation where every min() and max() has a FILTER.
  var needsLaterFlag: Bool {
    let extremes = self.simple.aggregates.filter(\.isExtreme)
    if bareColumns.isEmpty { return false }
    return self.groupBy.isEmpty
      ? !extremes.isEmpty && extremes.allSatisfy { $0.filter != nil }
      : extremes.contains { $0.filter != nil }
  }
}

extension BoundAggregate {
  /// A min() or max().
  var isExtreme: Bool { function.minMaxKind != nil && arguments.count == 1 }

  /// Subtypes of its arguments matter.
  var keepsSubtypes: Bool { function.flags.contains(.subtype) }

  /// How many values of a row are kept until it is the row's turn.
  var storedCount: Int {
    isOrdered && keepsSubtypes ? 2 * arguments.count : arguments.count
  }

  /// Has an ORDER BY that can show: it means nothing to min() and max().
  var isOrdered: Bool { !orderBy.isEmpty && !function.flags.contains(.needsCollation) }

  /// The ORDER BY is the argument: SQLite drops repeated values where it sorts. It takes columns of
  /// the statement's first source for those of the same numbers of any other, and then gives their
  /// values to the function.
  func ordersItsArgument(_ firstSource: SourceID?) -> Bool {
    guard isOrdered, orderBy.count == 1, arguments.count == 1 else { return false }
    let key = orderBy[0].expression
    if key.isSame(as: arguments[0]) { return true }
    guard let firstSource, key.traits.contains(.hasColumn) else { return false }
    var isOfFirst = true
    key.forEachColumn { source, _ in if source != firstSource { isOfFirst = false } }
    guard isOfFirst else { return false }
    return key.isSame(
      as: arguments[0].mapColumns { _, column in
        BoundExpression(
          .column(firstSource, column), affinity: .none, traits: .hasColumn, in: memory)
      })
  }
}

extension Emitter {
  /// What `restore` puts back.
  typealias Captures = [(source: SourceID, captured: [(column: Int32, register: RegisterIndex)])]

  /// From here on, these columns are read from registers.
  func capture(
    _ columns: [(source: SourceID, column: Int32)], at first: RegisterIndex
  ) -> Captures {
    var before: Captures = []
    for (offset, column) in columns.enumerated() {
      if !before.contains(where: { $0.source == column.source }) {
        before.append((column.source, access(column.source).captured))
      }
      addCapture(column.source, column.column, first + offset)
    }
    return before
  }

  /// Reads a column of a SELECT with groups from the row that the loops are at.
  func emitRead(
    _ column: (source: SourceID, column: Int32), _ parts: SelectParts, into target: RegisterIndex
  ) throws(SQLError) {
    let isKept = parts.isKept(column.source, column.column)
    try emitColumn(
      column.source, column.column, target, flags: isKept ? .isUnchanged : [])
  }

  func addCapture(_ source: SourceID, _ column: Int32, _ register: RegisterIndex) {
    let index = Int(source.rawValue)
    while sources.count <= index { sources.append(SourceAccess(kind: .none)) }
    sources[index].captured.append((column, register))
  }

  /// The register that a column is read from, if it is captured.
  func capturedRegister(_ source: SourceID, _ column: Int32) -> RegisterIndex? {
    access(source).captured.first { $0.column == column }?.register
  }

  func restore(_ captures: Captures) {
    for capture in captures { sources[Int(capture.source.rawValue)].captured = capture.captured }
  }
}
