/// The loops that were chosen for a simple SELECT.
final class LoopPlan {
  let clause: WhereClause
  /// Outermost first.
  let loops: [LoopCandidate]
  /// Leading terms of the ordering that the loops give.
  let orderedCount: Int
  /// Bit n: loop n runs backwards.
  let reversed: UInt64
  /// Rows that come out (LogEst).
  let rowCount: LogEst
  /// No two result rows can be equal: DISTINCT is for nothing.
  var isDistinctRedundant = false
  /// The loops stop at the first row, which is the answer of min() or max().
  var isMinMaxSearch = false
  /// Equal result rows come one after the other.
  var isDistinctOrdered = false

  init(clause: WhereClause, path: PathSolver.Path) {
    self.clause = clause
    loops = path.loops
    orderedCount = max(0, path.orderedCount)
    reversed = path.reversed
    rowCount = path.rowCount
  }

  /// The same loops in other directions.
  init(copying other: LoopPlan, reversed: UInt64) {
    clause = other.clause
    loops = other.loops
    orderedCount = other.orderedCount
    self.reversed = reversed
    rowCount = other.rowCount
  }
}

/// Chooses loops.
enum Planner {
  /// Plans the loops of `select` for `goal`. `subqueryRows` estimates the rows of each source that
  /// is a subquery.
  static func planLoops(
    _ select: BoundSimpleSelect, goal: LoopGoal, subqueryRows: [LogEst]
  ) throws(SQLError) -> LoopPlan {
    let clause = try WhereClause(select: select)
    var goal = goal
    var isDistinctRedundant = false
    var ordersForDistinct = false
    if !goal.distinctColumns.isEmpty {
      isDistinctRedundant = distinctIsRedundant(goal.distinctColumns, select, clause)
      if !isDistinctRedundant && goal.ordering.isEmpty {
        goal.ordering = goal.distinctColumns.map {
          BoundOrderingTerm(
            expression: $0, isDescending: false, hasBigNulls: false, resultColumn: -1,
            collation: $0.collation ?? .binary)
        }
        goal.isGrouping = true
        goal.isDistinct = true
        ordersForDistinct = true
      }
    }
    if let path = shortcut(select, clause, goal) {
      let plan = LoopPlan(clause: clause, path: path)
      plan.isDistinctRedundant = isDistinctRedundant || !goal.distinctColumns.isEmpty
      return plan
    }
    let builder = LoopBuilder(clause: clause, goal: goal, subqueryRows: subqueryRows)
    try builder.build()
    let solver = PathSolver(clause: clause, candidates: builder.candidates, goal: goal)
    let plan = LoopPlan(clause: clause, path: try solver.solve())
    plan.isMinMaxSearch = goal.isMinMax && plan.orderedCount == goal.ordering.count
    plan.isDistinctRedundant = isDistinctRedundant
    if ordersForDistinct {
      plan.isDistinctOrdered = plan.orderedCount == goal.ordering.count
    } else if !goal.distinctColumns.isEmpty {
      plan.isDistinctOrdered = satisfiesDistinct(plan, goal.distinctColumns)
    }
    return plan
  }

  private static func satisfiesDistinct(_ plan: LoopPlan, _ columns: [BoundExpression]) -> Bool {
    let terms = columns.map {
      BoundOrderingTerm(
        expression: $0, isDescending: false, hasBigNulls: false, resultColumn: -1,
        collation: $0.collation ?? .binary)
    }
    let order = LoopOrder(clause: plan.clause, ordering: terms, isGrouping: true)
    return order.satisfaction(of: plan.loops).termCount == terms.count
  }

  /// One table that a rowid or a whole unique key finds: there is nothing to search for.
  private static func shortcut(
    _ select: BoundSimpleSelect, _ clause: WhereClause, _ goal: LoopGoal
  ) -> PathSolver.Path? {
    guard select.sources.count == 1, case .table(let table) = select.sources[0].kind,
      case .any = select.sources[0].indexedBy
    else { return nil }
    let loop = LoopCandidate(source: 0)
    if !table.isWithoutRowid,
      let term = clause.terms.first(where: {
        $0.column == -1 && $0.source == 0 && !$0.operators.isDisjoint(with: .anyEquality)
          && $0.rightPrerequisites.isEmpty && $0.comparisonFitsRowid
      })
    {
      loop.flags = [.rowid, .equality, .oneRow]
      loop.terms = [term]
      loop.runCost = 33
    } else {
      return nil
    }
    loop.equalityCount = 1
    loop.rowCount = 1
    var path = PathSolver.Path()
    path.loops = [loop]
    path.sources = SourceMask(index: 0)
    path.rowCount = 1
    path.orderedCount = goal.ordering.count
    return path
  }

  /// DISTINCT over a column set that holds a unique key without NULLs of the only table, or its
  /// rowid (SQLite's isDistinctRedundant).
  private static func distinctIsRedundant(
    _ columns: [BoundExpression], _ select: BoundSimpleSelect, _ clause: WhereClause
  ) -> Bool {
    guard select.sources.count == 1, case .table(let table) = select.sources[0].kind else {
      return false
    }
    let id = select.sources[0].id
    for column in columns {
      if case .column(id, -1) = column.kind { return true }
    }
    for index in table.indexes where index.isUnique && index.partialWhere == nil {
      let isContained = index.columns.prefix(index.keyColumnCount).allSatisfy { key in
        if isFixed(key, clause) { return true }
        guard key.tableColumn >= 0, table.columns[key.tableColumn].isNotNull else { return false }
        return columns.contains { expression in
          guard let (_, column) = clause.columnReference(expression) else { return false }
          return Int(column) == key.tableColumn
            && (expression.collation ?? .binary).name.matches(key.collation ?? Name("BINARY"))
        }
      }
      if isContained { return true }
    }
    return false
  }

  private static func isFixed(_ key: Index.Column, _ clause: WhereClause) -> Bool {
    clause.terms.contains { term in
      guard Int(term.column) == key.tableColumn, term.source == 0, term.operators == .equal,
        term.rightPrerequisites.isEmpty, let comparison = term.comparison
      else { return false }
      return comparison.collation.name.matches(key.collation ?? Name("BINARY"))
    }
  }
}

extension WhereTerm {
  /// The comparison is one that a rowid, an integer, can answer.
  var comparisonFitsRowid: Bool {
    guard let comparison else { return true }
    return comparison.affinity != .text
  }
}
