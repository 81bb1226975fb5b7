/// Chooses the order of the loops and one candidate for each: the N nearest neighbours search of
/// queryplanner-ng §4.2.
struct PathSolver {
  let builder: LoopBuilder

  private var clause: WhereClause { builder.clause }
  private var candidates: TreeList<LoopCandidate> { builder.candidates }
  private var goal: LoopGoal { builder.goal }

  struct Path: BitwiseCopyable {
    var loops = TreeList<LoopCandidate>()
    /// The loop that comes behind these, while the paths of one length are still compared.
    fileprivate var last: LoopCandidate?
    var sources: SourceMask = []
    var rowCount: LogEst = 0
    /// Cost with and without the sort that is still needed.
    var cost: LogEst = 0
    var unsortedCost: LogEst = 0
    /// Terms of the ordering that are satisfied, -1 while it is open.
    var orderedCount = -1
    var reversed: UInt64 = 0
    /// Sources whose loops turned out not to be needed.
    var omitted: SourceMask = []
  }

  /// More loops around it count as so many (LogEst).
  static let mostOuterRows: LogEst = 48

  /// Runs twice where there is an ordering: sorting cannot be priced before the rows are counted.
  func solve() throws(SQLError) -> Path {
    let width = self.width()
    let first = try solve(width, sortedRowCount: nil)
    if goal.ordering.isEmpty { return first }
    preferEqualities(of: first)
    return try solve(width, sortedRowCount: first.rowCount < 0 ? 1 : first.rowCount + 1)
  }

  private func solve(_ width: Int, sortedRowCount: LogEst?) throws(SQLError) -> Path {
    let loopCount = clause.sources.count
    let orderCount = sortedRowCount == nil ? 0 : goal.ordering.count
    var start = Path()
    start.rowCount = min(goal.outerRowCount, PathSolver.mostOuterRows)
    start.orderedCount = orderCount > 0 && loopCount > 0 ? -1 : orderCount
    guard loopCount > 0 else { return start }
    let memory = clause.sources[0].memory
    var generation = Generation(width: width, in: memory)
    generation.paths.append(start, in: memory)
    for _ in 0..<loopCount {
      var next = Generation(width: width, in: memory)
      try memory.attend()
      for path in generation.paths {
        for loop in candidates {
          guard loop.prerequisites.isSubset(of: path.sources),
            !path.sources.contains(SourceMask(index: loop.source)),
            // A hash table is not worth it for a loop that runs once.
            !loop.flags.contains(.hashTable) || path.rowCount >= 3
          else { continue }
          extend(path, by: loop, orderCount, sortedRowCount ?? 0, &next)
        }
      }
      guard !next.paths.isEmpty else { throw .sql("no query solution") }
      next.addLastLoops()
      generation = next
    }
    var best = generation.paths[0]
    for path in generation.paths.dropFirst() where path.cost < best.cost { best = path }
    return best
  }

  private func extend(
    _ path: Path, by loop: LoopCandidate, _ orderCount: Int, _ sortedRows: LogEst,
    _ next: inout Generation
  ) {
    var extended = Path()
    var unsorted = loop.runCost + path.rowCount
    if loop.setupCost != 0 { unsorted = .sum(loop.setupCost, unsorted) }
    extended.unsortedCost = .sum(unsorted, path.unsortedCost)
    extended.rowCount = path.rowCount + loop.rowCount
    extended.sources = path.sources.union(SourceMask(index: loop.source))
    extended.orderedCount = path.orderedCount
    extended.reversed = path.reversed
    extended.loops = path.loops
    extended.last = loop
    if path.orderedCount < 0 {
      let order = LoopOrder(
        clause: clause, ordering: goal.ordering, kind: goal.kind,
        subqueries: builder.subqueries, treatsInAsEqual: goal.isMinMax)
      let result = order.satisfaction(of: path.loops, path.loops.count, loop)
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
    next.keep(extended)
  }

  /// The best paths of one length.
  private struct Generation {
    let width: Int
    private let memory: TreeMemory
    var paths = TreeList<Path>()
    private var worst = 0
    private var worstCost: (LogEst, LogEst) = (0, 0)

    init(width: Int, in memory: TreeMemory) {
      self.width = width
      self.memory = memory
    }

    /// To be called when all paths are kept.
    mutating func addLastLoops() {
      for position in paths.indices {
        var path = paths[position]
        guard let last = path.last else { continue }
        path.loops = TreeList(path.loops, adding: last, in: memory)
        path.last = nil
        paths.replace(at: position, with: path)
      }
    }

    /// Keeps the path if it is good enough.
    mutating func keep(_ path: Path) {
      let isOpen = path.orderedCount < 0
      var position = paths.firstIndex {
        $0.sources == path.sources && ($0.orderedCount < 0) == isOpen
      }
      if let position {
        let rival = paths[position]
        let costs = (path.cost, path.rowCount, path.unsortedCost)
        let rivals = (rival.cost, rival.rowCount, rival.unsortedCost)
        if rivals < costs { return }
        if rivals == costs, let chosen = rival.last, let last = path.last,
          last.isNoBetter(than: chosen)
        {
          return
        }
      } else if paths.count >= width {
        if (path.cost, path.unsortedCost) >= worstCost { return }
        position = worst
      }
      if let position {
        paths.replace(at: position, with: path)
      } else {
        paths.append(path, in: memory)
      }
      guard paths.count >= width else { return }
      // The first one is measured by its rows instead, as in SQLite.
      worst = 0
      worstCost = (paths[0].cost, paths[0].rowCount)
      for index in 1..<max(1, paths.count)
      where (paths[index].cost, paths[index].unsortedCost) > worstCost {
        worst = index
        worstCost = (paths[index].cost, paths[index].unsortedCost)
      }
    }
  }

  // MARK: Costs

  /// Cost of sorting `rows` of which the first `satisfied` terms are in order already.
  private func sortingCost(_ rows: LogEst, _ termCount: Int, satisfied: Int) -> LogEst {
    var rows = rows
    var cost = rows + LogEst(count: UInt64((goal.resultColumnCount + 59) / 30))
    if satisfied > 0 {
      cost += LogEst(count: UInt64((termCount - satisfied) * 100 / termCount)) - 66
    }
    if let limit = goal.limit {
      cost += 10
      if satisfied != 0 { cost += 6 }
      rows = min(rows, limit)
    } else if goal.isDistinct, rows > 10 {
      rows -= 10
    }
    return cost + rows.logarithm
  }

  /// Where the first search begins with equalities on indexes, scans of those sources are out: an
  /// order that they would give is not worth it (SQLite's whereInterstageHeuristic).
  private func preferEqualities(of path: Path) {
    for chosen in path.loops {
      guard !chosen.flags.isDisjoint(with: [.equality, .nullTest, .inOperator]),
        !chosen.flags.contains(.hashTable)
      else { return }
      for loop in candidates
      where loop.source == chosen.source
        && loop.flags.isDisjoint(with: [.equality, .range, .inOperator, .nullTest, .hashTable])
      {
        loop.prerequisites = .all
      }
    }
  }

  // MARK: How many paths

  /// How many paths are kept at each step.
  private func width() -> Int {
    switch clause.sources.count {
    case 0, 1: 1
    case 2: 5
    case 3, 4: 12
    default: raiseScansInStar() ? 18 : 12
    }
  }

  /// In a star, one big table with many small ones around it, the small ones would be scanned
  /// first, as each alone is cheap. Their scans are made to cost as much as the big one's, and more
  /// paths are kept (SQLite's computeMxChoice).
  private func raiseScansInStar() -> Bool {
    let sources = clause.sources
    var isStar = false
    var start = 0
    for fact in sources.indices {
      if !sources[fact].join.isDisjoint(with: [.left, .right, .cross]) {
        if fact + 3 > sources.count { break }
        while start < candidates.count, candidates[start].source <= fact { start += 1 }
      }
      let dimensions = dimensions(of: fact, from: start)
      guard dimensions.rawValue.nonzeroBitCount > 2 else { continue }
      isStar = true
      var highest = LogEst.lowest
      for loop in candidates where loop.source == fact { highest = max(highest, loop.runCost) }
      highest += 1
      for loop in candidates.dropFirst(start)
      where dimensions.contains(SourceMask(index: loop.source)) && loop.terms.isEmpty
        && loop.runCost < highest
      {
        loop.runCost = highest
      }
    }
    return isStar
  }

  private func dimensions(of fact: Int, from start: Int) -> SourceMask {
    let sources = clause.sources
    let factMask = SourceMask(index: fact)
    var seen: SourceMask = [], selfJoin: SourceMask = []
    for loop in candidates.dropFirst(start) {
      if !sources[loop.source].join.isDisjoint(with: [.left, .right, .cross]) { break }
      let mask = SourceMask(index: loop.source)
      guard !loop.prerequisites.isDisjoint(with: factMask), !seen.contains(mask),
        !selfJoin.contains(mask)
      else { continue }
      if sources[loop.source].isSameTable(as: sources[fact]) {
        selfJoin.insert(factMask)
      } else {
        seen.insert(mask)
      }
    }
    return seen
  }
}

extension BoundSource {
  fileprivate func isSameTable(as other: BoundSource) -> Bool {
    guard case .table(let table) = self.kind, case .table(let otherTable) = other.kind else {
      return false
    }
    return table === otherTable
  }
}
