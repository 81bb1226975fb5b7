// GROUP BY: by hashing, unless the loops give the groups one after the other.
//
// Hashed:                              In order:
//     groups open                          flag = no group yet
//     loops:                               loops:
//       keys, arguments, bare columns        keys
//       insert into groups                   if they differ from the group's: put it out, start anew
//     for each group, sorted:                step
//       HAVING, row                        put the last group out

extension Emitter {
  func emitGroupBy(
    _ parts: SelectParts, _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>,
    _ target: SelectTarget,
    _ limit: LimitRegisters, _ done: Label
  ) throws(SQLError) {
    let grouping = Grouping(parts)
    let goal = newGoal(in: parts.select.memory)
    goal.ordering = grouping.terms
    goal.kind = parts.isConvertedDistinct ? .distinct : .groupBy
    goal.ordersGroups = grouping.ordersResult
    let aggregates = parts.simple.aggregates
    if aggregates.count == 1, aggregates[0].isDistinct,
      let argument = aggregates[0].arguments.first
    {
      goal.distinctColumns = TreeList(
        parts.groupBy, adding: argument, in: parts.select.memory)
    }
    goal.select = parts.select
    goal.resultColumnCount = parts.columns.count
    goal.outerRowCount = outerRowCount
    let plan = try Planner.planLoops(parts.simple, goal: goal, subqueries: subqueries)
    let isOrdered = plan.orderedCount == grouping.terms.count
    var reversed = plan
    var ordersResult = grouping.ordersResult && !isOrdered
    if isOrdered && grouping.ordersResult && !plan.isShortcut {
      let result = plan.satisfaction(of: grouping.terms, .orderBy)
      if result.termCount == grouping.terms.count {
        ordersResult = true
        reversed = plan.running(reversed: result.reversed)
      }
    }
    let sorter =
      parts.orderBy.isEmpty || ordersResult
      ? nil : openSorter(parts.orderBy, columnCount: parts.columns.count, limit)
    let distinct = parts.isDistinct ? openGroupDistinct(parts) : nil
    let output = GroupOutput(
      parts: parts, target: target, limit: limit, done: done, sorter: sorter, distinct: distinct)
    if isOrdered {
      try emitOrderedGroups(parts, grouping, reversed, output)
    } else if parts.needsSortedGroups {
      try emitSortedGroups(parts, grouping, plan, output)
    } else {
      try emitHashedGroups(parts, grouping, plan, output)
    }
    if distinct != nil { emitExplain("USE TEMP B-TREE FOR DISTINCT") }
    if !parts.mergeOrdering.isEmpty { emitSortExplain(0, parts.mergeOrdering.count) }
    guard let sorter else { return }
    emitSortExplain(0, parts.orderBy.count)
    emitSorted(sorter, target, limit, done)
  }

  /// The GROUP BY terms with the directions of ORDER BY, or for a part of a compound those of the
  /// merge, where the numbers of terms agree.
  struct Grouping {
    let terms: TreeList<BoundOrderingTerm>
    /// ORDER BY is the same list: groups in order are the result in order.
    let ordersResult: Bool

    init(_ parts: SelectParts) {
      let order = parts.orderBy.isEmpty ? parts.mergeOrdering : parts.orderBy
      let agrees = order.count == parts.groupBy.count
      var isSame = agrees && !parts.orderBy.isEmpty
      var terms: TreeList<BoundOrderingTerm> = []
      for (index, expression) in parts.groupBy.enumerated() {
        let collation = expression.collation ?? .binary
        var isDescending = false
        if agrees {
          let term = order[index]
          isDescending = term.isDescending
          let ordered =
            term.resultColumn >= 0 ? parts.columns[term.resultColumn] : term.expression
          if term.hasBigNulls || term.collation !== collation
            || !ordered.isSame(as: expression)
          {
            isSame = false
          }
        }
        terms.append(
          BoundOrderingTerm(
            expression: expression, isDescending: isDescending, hasBigNulls: false,
            resultColumn: -1, collation: collation), in: parts.select.memory)
      }
      self.terms = terms
      ordersResult = isSame
    }

    func keyInfo(_ encoding: TextEncoding) -> KeyInfo {
      KeyInfo(
        columns: terms.map {
          KeyInfo.Column(
            collation: $0.collation, isDescending: $0.isDescending, hasBigNulls: false)
        }, encoding: encoding)
    }
  }

  /// What is done with a group that is complete.
  struct GroupOutput {
    let parts: SelectParts
    let target: SelectTarget
    let limit: LimitRegisters
    let done: Label
    let sorter: RowSorter?
    let distinct: CursorID?
  }

  func openGroupDistinct(_ parts: SelectParts) -> CursorID {
    let set = builder.newCursor()
    let keyInfo = keyInfo(parts.columns.map { $0.collation ?? .binary })
    emit(.setOpen, set.rawValue, p4: builder.addKeyInfo(keyInfo))
    return set
  }

  /// HAVING, the row, and where it goes. The group's values are captured already.
  func emitGroupRow(_ output: GroupOutput, next: Label) throws(SQLError) {
    let parts = output.parts
    if let having = parts.simple.having {
      try emitJump(unless: having, to: next, jumpIfNull: true)
    }
    let isSkippedFirst = output.distinct == nil && output.sorter == nil
    let limit = isSkippedFirst ? emitOffset(output.limit, next: next) : output.limit
    let row = builder.newRegisters(parts.columns.count)
    try emit(parts.columns, into: row, for: output.target)
    if let set = output.distinct {
      emit(.setInsert, set.rawValue, next.operand, row.rawValue)
    }
    if let sorter = output.sorter { return try emitSort(row, sorter) }
    emitRow(
      row, count: parts.columns.count, to: output.target, limit, next: next, end: output.done)
  }

  // MARK: Hashed

  private func emitHashedGroups(
    _ parts: SelectParts, _ grouping: Grouping, _ plan: LoopPlan, _ output: GroupOutput
  ) throws(SQLError) {
    let layout = GroupLayout(parts, builder.encoding)
    let cursor = builder.newCursor()
    builder.tables.groupPlans.append(layout.plan(grouping.keyInfo(builder.encoding)))
    emit(
      .groupOpen, cursor.rawValue, p4: Int32(builder.tables.groupPlans.count - 1))
    let input = builder.newRegisters(layout.inputCount)
    try emitLoops(plan) { (_) throws(SQLError) in
      try self.emitGroupInput(parts, layout, input)
      self.emit(.groupInsert, cursor.rawValue, input.rawValue)
      self.emitExplain(
        "USE TEMP B-TREE FOR \(parts.isConvertedDistinct ? "DISTINCT" : "GROUP BY")")
    }
    emitExplain(of: parts.simple.aggregates, showsDistinct: plan.needsDistinct)
    let group = builder.newRegisters(layout.outputCount)
    let next = newLabel(), end = newLabel()
    emit(.groupSort, cursor.rawValue, end.operand, group.rawValue)
    let again = builder.placeNewLabel()
    aggregates[parts.select.id] = group + layout.firstResult
    let captures = captureGroup(layout, group)
    try behindLoops { () throws(SQLError) in
      try withGroupKeys(parts, at: group) { () throws(SQLError) in
        try emitGroupRow(output, next: next)
      }
    }
    restore(captures)
    place(next)
    emit(.groupNext, cursor.rawValue, again.operand, group.rawValue)
    place(end)
  }

  private func emitGroupInput(
    _ parts: SelectParts, _ layout: GroupLayout, _ input: RegisterIndex
  ) throws(SQLError) {
    try emit(parts.groupBy, into: input)
    for (index, aggregate) in parts.simple.aggregates.enumerated() {
      let entry = layout.aggregates[index]
      let arguments = input + entry.argumentOffset
      guard let filter = aggregate.filter else {
        try emit(aggregate.arguments, into: arguments)
        continue
      }
      let flag = input + entry.filterOffset
      try emit(filter, into: flag)
      emit(.isTrue, flag.rawValue, flag.rawValue, 0)
      if aggregate.arguments.isEmpty { continue }
      // Of rows that do not count the arguments are not computed: they may fail.
      let done = newLabel()
      emitNull(arguments, count: aggregate.arguments.count)
      emit(.ifFalse, flag.rawValue, done.operand)
      try emit(aggregate.arguments, into: arguments)
      place(done)
    }
    for (offset, column) in layout.bare.enumerated() {
      try emitRead(column, parts, into: input + (layout.bareOffset + offset))
    }
  }

  /// With min() or max(), bare columns are of another row than the first of the group; the terms of
  /// GROUP BY that are expressions stay those of the first. What an outer join may make NULL of a
  /// merged subquery is as good as a column. Terms with random() would have another value at each
  /// computing: what was compared and sorted is what comes out.
  func withGroupKeys(
    _ parts: SelectParts, at first: RegisterIndex, _ body: () throws(SQLError) -> Void
  ) throws(SQLError) {
    let outer = groupKeys
    defer { groupKeys = outer }
    for (position, key) in parts.groupBy.enumerated() {
      if !key.traits.contains(.hasNondeterministicFunction) {
        guard parts.bareAggregate >= 0, key.traits.contains(.hasColumn) else { continue }
        if case .column = key.kind { continue }
        if key.traits.contains(.isNullIfNoRow) { continue }
      }
      groupKeys.append((key, first + position))
    }
    try body()
  }

  private func captureGroup(_ layout: GroupLayout, _ group: RegisterIndex) -> Captures {
    var columns = layout.bare.enumerated().map { ($1, group + (layout.keyCount + $0)) }
    for (position, column) in layout.keyColumns { columns.append((column, group + position)) }
    var before: Captures = []
    for (column, register) in columns {
      if !before.contains(where: { $0.source == column.source }) {
        before.append((column.source, access(column.source).captured))
      }
      addCapture(column.source, column.column, register)
    }
    return before
  }

  /// Offsets in the input and output rows of a hash aggregation.
  struct GroupLayout {
    let keyCount: Int
    let aggregates: [GroupPlan.Aggregate]
    /// Columns read outside aggregates that are not themselves keys.
    let bare: [(source: SourceID, column: Int32)]
    /// Keys that are columns, with their positions.
    let keyColumns: [(Int, (source: SourceID, column: Int32))]
    let bareOffset: Int
    let bareAggregate: Int

    var inputCount: Int { bareOffset + bare.count }
    var firstResult: Int { keyCount + bare.count }
    var outputCount: Int { max(1, keyCount + bare.count + aggregates.count) }

    init(_ parts: SelectParts, _ encoding: TextEncoding) {
      keyCount = parts.groupBy.count
      var keyColumns: [(Int, (source: SourceID, column: Int32))] = []
      // With min() or max(), bare columns are of that row: even a key can look different there.
      if parts.bareAggregate < 0 {
        for (position, key) in parts.groupBy.enumerated() {
          if case .column(let source, let column) = key.kind {
            keyColumns.append((position, (source, column)))
          }
        }
      }
      self.keyColumns = keyColumns
      bare = parts.bareColumns.filter { column in
        !keyColumns.contains { $1.source == column.source && $1.column == column.column }
      }
      var offset = keyCount
      aggregates = parts.simple.aggregates.map { aggregate in
        let first = offset
        offset += aggregate.arguments.count
        var filter = -1
        if aggregate.filter != nil {
          filter = offset
          offset += 1
        }
        let collation = aggregate.arguments.first?.collation ?? .binary
        return GroupPlan.Aggregate(
          function: aggregate.function, collation: aggregate.collation, argumentOffset: first,
          argumentCount: aggregate.arguments.count, filterOffset: filter,
          distinct: aggregate.isDistinct
            ? KeyInfo(
              columns: [
                KeyInfo.Column(collation: collation, isDescending: false, hasBigNulls: false)
              ], encoding: encoding) : nil)
      }
      bareOffset = offset
      bareAggregate = parts.bareAggregate
    }

    func plan(_ keyInfo: KeyInfo) -> GroupPlan {
      GroupPlan(
        keyInfo: keyInfo, aggregates: aggregates, bareColumnOffset: bareOffset,
        bareColumnCount: bare.count, bareAggregate: bareAggregate)
    }
  }
}
