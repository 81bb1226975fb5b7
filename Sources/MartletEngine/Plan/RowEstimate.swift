/// Estimates of how many rows a SELECT gives, for the planning of the query around it.
enum RowEstimate {
  /// LogEst of the rows of `select`, limits included.
  static func of(_ select: BoundSelect) throws(SQLError) -> LogEst {
    var rows: LogEst
    switch select.body {
    case .values(let values): rows = .of(UInt64(values.count))
    case .compound(let parts, let operators, _):
      rows = try of(parts[0])
      for (part, operation) in zip(parts.dropFirst(), operators) where operation != .except {
        let estimate = try of(part)
        rows = operation == .intersect ? min(rows, estimate) : .sum(rows, estimate)
      }
    case .simple:
      rows = try ofSimple(Flattener.flattened(select))
    }
    if let limit = select.limit, case .integer(let count) = limit.kind, count >= 0 {
      rows = min(rows, .of(UInt64(count)))
    }
    return rows
  }

  private static func ofSimple(_ select: BoundSelect) throws(SQLError) -> LogEst {
    guard case .simple(let simple) = select.body else { return 0 }
    if simple.isAggregate && simple.groupBy.isEmpty { return 0 }
    var subqueryRows: [LogEst] = []
    for source in simple.sources {
      if case .subquery(let subquery, _) = source.kind {
        subqueryRows.append(try of(subquery))
      } else {
        subqueryRows.append(0)
      }
    }
    let plan = try Planner.planLoops(simple, goal: LoopGoal(), subqueryRows: subqueryRows)
    // Grouping is taken to leave 100 rows at most.
    return simple.isAggregate ? min(66, plan.rowCount) : plan.rowCount
  }
}
