/// Chooses the order of the loops and one candidate for each: the N nearest neighbours search of
/// queryplanner-ng §4.2.
struct PathSolver {
  let clause: WhereClause
  let candidates: [[LoopCandidate]]
  let goal: LoopGoal

  struct Path {
    var loops: [LoopCandidate] = []
    var sources: SourceMask = []
    var rowCount: LogEst = 0
    /// Cost with and without the sort that is still needed.
    var cost: LogEst = 0
    var unsortedCost: LogEst = 0
    /// Terms of the ordering that are satisfied, -1 while it is open.
    var orderedCount = -1
    var reversed: UInt64 = 0
  }

  /// Runs twice where there is an ordering: sorting cannot be priced before the rows are counted.
  func solve() throws(SQLError) -> Path {
    let first = try solve(sortedRowCount: nil)
    if goal.ordering.isEmpty { return first }
    return try solve(sortedRowCount: first.rowCount < 0 ? 1 : first.rowCount + 1)
  }

  private func solve(sortedRowCount: LogEst?) throws(SQLError) -> Path {
    let loopCount = candidates.count
    let widths = [1, 1, 5]
    let width = loopCount < widths.count ? widths[loopCount] : 12
    let orderCount = sortedRowCount == nil ? 0 : goal.ordering.count
    var start = Path()
    start.rowCount = min(goal.outerRowCount, 48)
    start.orderedCount = orderCount > 0 && loopCount > 0 ? -1 : orderCount
    var paths = [start]
    for step in 0..<loopCount {
      var next: [Path] = []
      for path in paths {
        for loop in candidates.joined() {
          extend(path, by: loop, step, orderCount, sortedRowCount ?? 0, width, &next)
        }
      }
      guard !next.isEmpty else { throw .sql("no query solution") }
      paths = next
    }
    var best = paths[0]
    for path in paths.dropFirst() where path.cost < best.cost { best = path }
    return best
  }

  private func extend(
    _ path: Path, by loop: LoopCandidate, _ step: Int, _ orderCount: Int, _ sortedRows: LogEst,
    _ width: Int, _ next: inout [Path]
  ) {
    let selfMask = SourceMask(index: loop.source)
    guard loop.prerequisites.isSubset(of: path.sources), path.sources.isDisjoint(with: selfMask)
    else { return }
    // A hash table is not worth it for a loop that runs once.
    if loop.flags.contains(.hashTable) && path.rowCount < 3 { return }
    var extended = path
    extended.unsortedCost = .sum(
      .sum(loop.setupCost, loop.runCost + path.rowCount), path.unsortedCost)
    extended.rowCount = path.rowCount + loop.rowCount
    extended.sources.formUnion(selfMask)
    extended.loops.append(loop)
    if path.orderedCount < 0 {
      let order = LoopOrder(
        clause: clause, ordering: goal.ordering, isGrouping: goal.isGrouping)
      let result = order.satisfaction(of: extended.loops)
      extended.orderedCount = result.termCount
      extended.reversed = result.reversed
    }
    if extended.orderedCount >= 0 && extended.orderedCount < orderCount {
      // 3 more: order without sorting is worth a little in itself.
      let sorting = sortingCost(sortedRows, orderCount, satisfied: extended.orderedCount)
      extended.cost = .sum(extended.unsortedCost, sorting) + 3
    } else {
      extended.cost = extended.unsortedCost
      extended.unsortedCost -= 2
    }
    // Scanning a subquery first costs little more than making its rows.
    if step == 0 && loop.flags.contains(.subquery) {
      extended.cost -= 10
      extended.rowCount -= 30
    }
    keep(extended, width, &next)
  }

  private func keep(_ path: Path, _ width: Int, _ next: inout [Path]) {
    let isOpen = path.orderedCount < 0
    if let rival = next.firstIndex(where: {
      $0.sources == path.sources && ($0.orderedCount < 0) == isOpen
    }) {
      let other = next[rival]
      if (path.cost, path.rowCount, path.unsortedCost)
        < (other.cost, other.rowCount, other.unsortedCost)
      {
        next[rival] = path
      }
      return
    }
    if next.count < width { return next.append(path) }
    var worst = 0
    for index in next.indices
    where (next[index].cost, next[index].unsortedCost)
      > (next[worst].cost, next[worst].unsortedCost)
    {
      worst = index
    }
    if (path.cost, path.unsortedCost) < (next[worst].cost, next[worst].unsortedCost) {
      next[worst] = path
    }
  }

  /// Cost of sorting `rows` of which the first `satisfied` terms are in order already.
  private func sortingCost(_ rows: LogEst, _ termCount: Int, satisfied: Int) -> LogEst {
    var rows = rows
    var cost = rows + .of(UInt64((goal.resultColumnCount + 59) / 30))
    if satisfied > 0 {
      cost += .of(UInt64((termCount - satisfied) * 100 / termCount)) - 66
    }
    if let limit = goal.limit {
      cost += 10
      if satisfied != 0 { cost += 6 }
      rows = min(rows, limit)
    } else if goal.isDistinct, rows > 10 {
      rows -= 10
    }
    return cost + (rows <= 10 ? 0 : .of(UInt64(rows)) - 33)
  }
}
