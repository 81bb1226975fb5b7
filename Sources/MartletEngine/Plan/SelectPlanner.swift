/// The loops that were chosen for a simple SELECT.
typealias LoopPlan = TreeNode<LoopPlanContent>

struct LoopPlanContent: BitwiseCopyable {
  let clause: WhereClause
  /// Outermost first.
  let loops: TreeList<LoopCandidate>
  /// Leading terms of the ordering that the loops give.
  let orderedCount: Int
  /// Bit n: loop n runs backwards.
  fileprivate(set) var reversed: UInt64
  /// Rows that come out (LogEst).
  let rowCount: LogEst
  /// Joins that were left out.
  let omitted: SourceMask
  /// No two result rows can be equal: DISTINCT is for nothing.
  fileprivate(set) var isDistinctRedundant = false
  /// The loops are for min() or max(), which the first row answers where the order is right.
  fileprivate(set) var isMinMaxSearch = false
  /// Equal result rows come one after the other.
  fileprivate(set) var isDistinctOrdered = false
  /// The rows of the innermost loop come in the wanted order for each row of the others.
  fileprivate(set) var isInnermostOrdered = false
  /// Found without a search: SQLite then does not see that GROUP BY gives the order, too.
  fileprivate(set) var isShortcut = false
  fileprivate let subqueries: TreeList<LoopBuilder.SubqueryEstimate>
  /// A RIGHT JOIN adds rows behind the others, in no order.
  fileprivate let addsRows: Bool
  /// Where it lies, and copies of it should.
  fileprivate let memory: TreeMemory

  fileprivate init(
    _ clause: WhereClause, _ path: PathSolver.Path,
    _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>, in memory: TreeMemory
  ) {
    self.clause = clause
    self.subqueries = subqueries
    loops = path.loops
    addsRows = clause.sources.contains { $0.join.contains(.right) }
    orderedCount = addsRows ? 0 : max(0, path.orderedCount)
    reversed = path.reversed
    rowCount = path.rowCount
    omitted = path.omitted
    self.memory = memory
  }

  /// The loops say nothing of the DISTINCT that was wanted.
  var needsDistinct: Bool { !isDistinctRedundant && !isDistinctOrdered }
}

extension LoopPlan {
  fileprivate init(
    clause: WhereClause, path: PathSolver.Path,
    subqueries: TreeList<LoopBuilder.SubqueryEstimate> = [], in memory: TreeMemory
  ) {
    self.init(LoopPlanContent(clause, path, subqueries, in: memory), in: memory)
  }

  /// The same loops in other directions.
  func running(reversed: UInt64) -> LoopPlan {
    let memory = self.memory
    let copy = LoopPlan(self.content, in: memory)
    copy.reversed = reversed
    return copy
  }

  /// How far the loops give `ordering`.
  func satisfaction(
    of ordering: TreeList<BoundOrderingTerm>, _ kind: LoopGoalContent.OrderingKind
  ) -> LoopOrder.Result {
    guard let last = self.loops.last else {
      return LoopOrder.Result(termCount: ordering.count, reversed: 0)
    }
    if self.addsRows { return LoopOrder.Result(termCount: 0, reversed: 0) }
    let order = LoopOrder(
      clause: self.clause, ordering: ordering, kind: kind, subqueries: self.subqueries)
    return order.satisfaction(of: self.loops, self.loops.count - 1, last)
  }
}

/// Chooses loops.
enum Planner {
  /// Plans the loops of `select` for `goal`, which is for this plan alone: where DISTINCT wants an
  /// order, it is added. `subqueries` has what is estimated of each source.
  static func planLoops(
    _ select: BoundSimpleSelect, goal: LoopGoal, subqueries: TreeList<LoopBuilder.SubqueryEstimate>
  ) throws(SQLError) -> LoopPlan {
    try select.sources.first?.memory.attend()
    let clause = try WhereClause(select: select)
    if clause.hasVirtualTables, let whole = goal.select {
      clause.addLimit(of: whole, select, wantsOneRow: goal.wantsOneRow)
    }
    var isDistinctRedundant = false
    if goal.isDistinct {
      isDistinctRedundant = distinctIsRedundant(goal.distinctColumns, select, clause)
      if !isDistinctRedundant && goal.ordering.isEmpty {
        goal.ordering = distinctOrdering(goal.distinctColumns)
        goal.kind = .distinct
      }
    }
    if let path = shortcut(select, clause, goal) {
      let plan = LoopPlan(clause: clause, path: path, in: select.memory)
      plan.isDistinctRedundant = isDistinctRedundant || goal.isDistinct
      plan.isShortcut = true
      return plan
    }
    var path =
      select.sources.isEmpty
      ? pathWithoutLoops(goal) : try search(clause, goal, subqueries)
    // DISTINCT is taken to leave one row of eight.
    if goal.isDistinct { path.rowCount -= 30 }
    let plan = finish(path, clause, goal, subqueries, in: select.memory)
    plan.isDistinctRedundant =
      isDistinctRedundant && !select.sources.contains { $0.join.contains(.right) }
    return plan
  }

  /// The best path through what is in FROM.
  private static func search(
    _ clause: WhereClause, _ goal: LoopGoal, _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>,
    allowsHashTables: Bool = true
  ) throws(SQLError) -> PathSolver.Path {
    let builder = LoopBuilder(clause: clause, goal: goal, subqueries: subqueries)
    builder.allowsHashTables = allowsHashTables && !goal.options.contains(.usesNoHashTables)
    try builder.build()
    return try PathSolver(builder: builder).solve()
  }

  /// That of a SELECT without FROM, whose one row is in any order.
  private static func pathWithoutLoops(_ goal: LoopGoal) -> PathSolver.Path {
    var path = PathSolver.Path()
    path.rowCount = min(goal.outerRowCount, PathSolver.mostOuterRows)
    path.orderedCount = goal.ordering.count
    return path
  }

  static func distinctOrdering(_ columns: TreeList<BoundExpression>) -> TreeList<BoundOrderingTerm>
  {
    guard let memory = columns.first?.memory else { return [] }
    let terms = columns.map {
      BoundOrderingTerm(
        expression: $0, isDescending: false, hasBigNulls: false, resultColumn: -1,
        collation: $0.collation ?? .binary)
    }
    return TreeList(terms, in: memory)
  }

  /// What is decided once the loops are known: directions, what DISTINCT needs, joins left out.
  private static func finish(
    _ found: PathSolver.Path, _ clause: WhereClause, _ goal: LoopGoal,
    _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>, in memory: TreeMemory
  ) -> LoopPlan {
    var path = found
    var isDistinctOrdered = false, isInnermostOrdered = false
    if goal.kind == .distinct {
      isDistinctOrdered = path.orderedCount == goal.ordering.count
      path.reversed = 0
    } else {
      if let reversed = innerOrder(path, clause, goal, subqueries) {
        path.reversed = reversed
        isInnermostOrdered = true
      }
      if goal.isDistinct, let last = path.loops.last {
        let order = LoopOrder(
          clause: clause, ordering: distinctOrdering(goal.distinctColumns), kind: .distinct,
          subqueries: subqueries, isGoal: false)
        let result = order.satisfaction(of: path.loops, path.loops.count - 1, last)
        isDistinctOrdered = result.termCount == goal.distinctColumns.count
      }
    }
    if goal.options.contains(.reversesOrder) && goal.ordering.isEmpty {
      path.reversed = reversedTables(path, clause)
    }
    omitJoins(&path, clause, goal)
    // The rows that a RIGHT JOIN adds are read from the table.
    for loop in path.loops
    where clause.sources[loop.source].join.contains(.right)
      && loop.index !== loop.index?.table.primaryKeyIndex
    {
      loop.flags.remove(.covering)
    }
    markBloomFilters(path, clause)
    if clause.sources.contains(where: { $0.join.contains(.right) }), !goal.ordering.isEmpty {
      // The rows that a RIGHT JOIN adds at the end are in no order.
      path.orderedCount = 0
      isDistinctOrdered = false
    }
    let plan = LoopPlan(clause: clause, path: path, subqueries: subqueries, in: memory)
    plan.isMinMaxSearch = goal.isMinMax
    plan.isDistinctOrdered = isDistinctOrdered && !plan.addsRows
    plan.isInnermostOrdered = isInnermostOrdered
    return plan
  }

  /// All loops over tables and indexes; rows of subqueries and hash tables keep their order.
  private static func reversedTables(_ path: PathSolver.Path, _ clause: WhereClause) -> UInt64 {
    var reversed: UInt64 = 0
    for (position, loop) in path.loops.enumerated() where !loop.flags.contains(.hashTable) {
      let source = clause.sources[loop.source]
      guard case .table = source.kind, !source.join.contains(.right) else { continue }
      reversed |= 1 << UInt64(position)
    }
    return reversed
  }

  /// Where the order is not given by the loops, the innermost one may give it for each row of the
  /// others: it then runs in that direction (SQLite's bOrderedInnerLoop).
  private static func innerOrder(
    _ path: PathSolver.Path, _ clause: WhereClause, _ goal: LoopGoal,
    _ subqueries: TreeList<LoopBuilder.SubqueryEstimate>
  ) -> UInt64? {
    guard !goal.ordering.isEmpty, path.orderedCount <= 0, let last = path.loops.last,
      !last.flags.contains(.oneRow), !last.flags.contains([.rowid, .inOperator])
    else { return nil }
    let order = LoopOrder(
      clause: clause, ordering: goal.ordering, kind: .orderBy, subqueries: subqueries,
      treatsInAsEqual: true, isInnermostOnly: true)
    let result = order.satisfaction(of: path.loops, path.loops.count - 1, last)
    return result.termCount == goal.ordering.count ? result.reversed : nil
  }

  /// Plans the loop over `source` alone, for the terms of `condition`: a part of an OR, or the rows
  /// that RIGHT JOIN adds.
  static func planPart(
    _ source: BoundSource, _ condition: BoundExpression?, _ goal: LoopGoal
  ) throws(SQLError) -> LoopPlan {
    let part = source.replacing(join: .inner, on: nil)
    let select = BoundSimpleSelect(
      sources: [part], whereClause: condition, groupBy: [], having: nil, aggregates: [],
      isAggregate: false, in: source.memory)
    let clause = try WhereClause(select: select)
    let subqueries = TreeList([LoopBuilder.SubqueryEstimate()], in: source.memory)
    let path = try search(clause, goal, subqueries, allowsHashTables: false)
    return LoopPlan(clause: clause, path: path, in: source.memory)
  }

  // MARK: One row

  /// One table that a rowid or a whole unique key finds: there is nothing to search for.
  private static func shortcut(
    _ select: BoundSimpleSelect, _ clause: WhereClause, _ goal: LoopGoal
  ) -> PathSolver.Path? {
    guard select.sources.count == 1, case .table(let table) = select.sources[0].kind,
      case .any = select.sources[0].indexedBy, !table.isVirtual, !clause.terms.isEmpty
    else { return nil }
    let memory = select.sources[0].memory
    let loop = LoopCandidate(source: 0, in: memory)
    loop.rowCount = 1
    var path = PathSolver.Path()
    path.loops.append(loop, in: memory)
    path.sources = SourceMask(index: 0)
    path.rowCount = 1
    path.orderedCount = goal.ordering.count
    if !table.isWithoutRowid,
      let term = constantTerm(clause, column: -1, .anyEquality, nil)
    {
      loop.flags = [.rowid, .equality, .oneRow]
      loop.setTerms([term])
      loop.equalityCount = 1
      loop.runCost = 33
      return path
    }
    for index in table.indexes {
      guard index.isUnique, index.partialWhere == nil, index.keyColumnCount <= 3,
        let terms = uniqueTerms(clause, table, index)
      else { continue }
      loop.flags = [.indexed, .equality, .oneRow]
      let missing = select.sources[0].usedColumns & ~index.coveredColumns
      if index === table.primaryKeyIndex || index.hasAllColumns || missing == 0 {
        loop.flags.insert(.covering)
      }
      loop.index = index
      loop.setTerms(terms)
      loop.equalityCount = terms.count
      loop.runCost = 39
      return path
    }
    return nil
  }

  private static func uniqueTerms(
    _ clause: WhereClause, _ table: Table, _ index: Index
  ) -> [WhereTerm]? {
    var isNotNull = true
    for key in index.columns.prefix(index.keyColumnCount) {
      if key.tableColumn == -2 { return nil }
      if key.tableColumn >= 0 && !table.columns[key.tableColumn].isNotNull { isNotNull = false }
    }
    var terms: [WhereTerm] = []
    for key in index.columns.prefix(index.keyColumnCount) {
      guard
        let term = constantTerm(
          clause, column: key.tableColumn, isNotNull ? .anyEquality : .equal, (table, key))
      else { return nil }
      terms.append(term)
    }
    return terms
  }

  private static func constantTerm(
    _ clause: WhereClause, column: Int, _ wanted: WhereTerm.Operators,
    _ key: (table: Table, column: Index.Column)?
  ) -> WhereTerm? {
    // Most statements have no such column: a look at the terms spares the search.
    guard clause.terms.contains(where: { Int($0.column) == column }) else { return nil }
    var scan = TermScan(
      clause, source: 0, column: Int32(column),
      affinity: key.map { $0.table.columns[column].affinity } ?? .none,
      collation: key.map { $0.column.collation ?? .binaryCollation }, wanted)
    while let term = scan.next() {
      if term.rightPrerequisites.isEmpty { return term }
    }
    return nil
  }

  // MARK: DISTINCT

  /// DISTINCT over a column set that holds a unique key without NULLs of the only table, or its
  /// rowid (SQLite's isDistinctRedundant).
  private static func distinctIsRedundant(
    _ columns: TreeList<BoundExpression>, _ select: BoundSimpleSelect, _ clause: WhereClause
  ) -> Bool {
    guard select.sources.count == 1, case .table(let table) = select.sources[0].kind else {
      return false
    }
    let id = select.sources[0].id
    for column in columns {
      if case .column(id, -1) = column.withoutCollate.kind { return true }
    }
    for index in table.indexes where index.isUnique && index.partialWhere == nil {
      let isContained = index.columns.prefix(index.keyColumnCount).allSatisfy { key in
        if isFixed(key, clause) { return true }
        guard key.tableColumn >= 0, table.columns[key.tableColumn].isNotNull else { return false }
        return columns.contains { expression in
          guard let (_, column) = clause.columnReference(expression) else { return false }
          return Int(column) == key.tableColumn
            && (expression.collation ?? .binary).isNamed(key.collation)
        }
      }
      if isContained { return true }
    }
    return false
  }

  private static func isFixed(_ key: Index.Column, _ clause: WhereClause) -> Bool {
    clause.terms.contains { term in
      guard Int(term.column) == key.tableColumn, key.tableColumn >= 0, term.source == 0,
        term.operators.contains(.equal), term.rightPrerequisites.isEmpty,
        let comparison = term.comparison
      else { return false }
      return comparison.collation.isNamed(key.collation)
    }
  }

  // MARK: Joins that change nothing

  /// Leaves out a LEFT JOIN whose right side has at most one row for each of the left (or whose
  /// repeats DISTINCT would drop) and is read by nothing but its ON (omitnoopjoin; SQLite's
  /// whereOmitNoopJoin).
  private static func omitJoins(
    _ path: inout PathSolver.Path, _ clause: WhereClause, _ goal: LoopGoal
  ) {
    guard goal.mayOmitJoins, path.loops.count >= 2, let select = goal.select else { return }
    var used: SourceMask = []
    for column in select.columns { used.formUnion(clause.mask(of: column.expression)) }
    for term in select.orderBy { used.formUnion(clause.mask(of: term.expression)) }
    var position = path.loops.count - 1
    while position >= 1 {
      let loop = path.loops[position]
      let mask = SourceMask(index: loop.source)
      let join = clause.sources[loop.source].join
      let isNeeded =
        !join.contains(.left) || join.contains(.right) || used.contains(mask)
        || (!goal.isDistinct && !loop.flags.contains(.oneRow))
        || clause.terms.contains { term in
          term.prerequisites.contains(mask)
            && (!term.isOuterOn || term.onSource != loop.source)
        }
      if !isNeeded {
        // What is left out reads nothing any more: the joins that it is chained to may go as well.
        for term in clause.terms where term.prerequisites.contains(mask) {
          term.isCoded = true
          term.prerequisites = []
        }
        path.loops.remove(at: position)
        path.omitted.insert(mask)
        let low = path.reversed & ((1 << UInt64(position)) - 1)
        let high = (path.reversed >> UInt64(position + 1)) << UInt64(position)
        path.reversed = low | high
      }
      position -= 1
    }
  }

  /// Searches of which most find nothing, as terms of the searched table alone rule its rows out,
  /// are filtered in SQLite; here it shows in the loop's name and in what it reads (SQLite's
  /// whereCheckIfBloomFilterIsUseful).
  private static func markBloomFilters(_ path: PathSolver.Path, _ clause: WhereClause) {
    guard path.loops.count >= 2 else { return }
    var searchCount: LogEst = 0
    for (position, loop) in path.loops.enumerated() {
      guard case .table(let table) = clause.sources[loop.source].kind, table.hasStatistics
      else { return }
      table.needsStatistics = true
      if position >= 1, loop.flags.contains([.selfCulling, .equality]),
        searchCount > table.rowEstimate
      {
        loop.flags.insert(.bloomFilter)
        loop.flags.remove(.covering)
      }
      searchCount += loop.rowCount
    }
  }
}

extension Index {
  /// CREATE INDEX named all columns of the table, virtual ones too: it has what any query may ask.
  var hasAllColumns: Bool {
    guard origin == .createIndex, columns.count >= table.columns.count else { return false }
    return table.columns.indices.allSatisfy {
      $0 == table.rowidColumn || position(ofColumn: $0) != nil
    }
  }

  /// The table's columns below 63 that are in the index, one bit each. Of the UNIQUE constraints of
  /// a WITHOUT ROWID table, SQLite does not know that the primary key is in their indexes too.
  var coveredColumns: UInt64 {
    if let knownCoveredColumns { return knownCoveredColumns }
    let mask = findCoveredColumns()
    knownCoveredColumns = mask
    return mask
  }

  private func findCoveredColumns() -> UInt64 {
    var mask: UInt64 = 0
    let isConstraint = origin == .uniqueConstraint && table.isWithoutRowid
    for column in columns.prefix(isConstraint ? keyColumnCount : columns.count)
    where column.tableColumn >= 0 && column.tableColumn < 63
      && !table.columns[column.tableColumn].isVirtual
    {
      mask |= 1 << UInt64(column.tableColumn)
    }
    return table.rowidColumn >= 0 && table.rowidColumn < 63
      ? mask | 1 << UInt64(table.rowidColumn) : mask
  }
}

extension Planner {
  /// The rows of the subquery at `position` of FROM need not be kept: its loop can be the outermost
  /// (SQLite's fromClauseTermCanBeCoroutine).
  static func mayBeCoroutine(_ position: Int, _ sources: TreeList<BoundSource>) -> Bool {
    let source = sources[position]
    if sources.contains(where: { $0.join.contains(.right) }) { return false }
    if let table = source.commonTable {
      if table.materialization == .materialized { return false }
      if source.isNamedTwice && table.materialization != .notMaterialized { return false }
    }
    if !source.isChanged,
      sources.dropFirst(position + 1).contains(where: source.isSameView)
    {
      return false
    }
    if position == 0 { return true }
    for index in stride(from: position, through: 0, by: -1) {
      if !sources[index].join.isDisjoint(with: [.left, .right, .cross]) { return false }
      if index < position && sources[index].isSubquery { return false }
    }
    return true
  }
}

extension BoundSource {
  /// The statement names the common table elsewhere, too.
  var isNamedTwice: Bool { self.commonTableUse.map { $0.count >= 2 } ?? false }

  /// Both are the same view or common table: its rows need be made once only.
  func hasSameRows(as other: BoundSource) -> Bool {
    !self.isChanged && !other.isChanged && isSameView(as: other)
  }

  fileprivate func isSameView(as other: BoundSource) -> Bool {
    guard isSubquery, other.isSubquery else { return false }
    if let table = self.commonTable { return other.commonTable === table }
    guard let view = self.viewName, let name = other.viewName, other.commonTable == nil else {
      return false
    }
    return view == name && self.databaseIndex == other.databaseIndex
  }

  var isSubquery: Bool {
    if case .subquery = self.kind { return true }
    return false
  }
}
