// An OR that several indexes serve: a search for each part, and each row once (optoverview §4.2,
// SQLite's whereLoopAddOr).

extension LoopBuilder {
  /// The cheapest ways to run a part, or the parts so far: three at most.
  final class PartCosts {
    struct Cost {
      var prerequisites: SourceMask
      var runCost: LogEst
      var rowCount: LogEst
    }

    @exclusivity(unchecked) var costs: [Cost] = []

    func insert(_ prerequisites: SourceMask, _ runCost: LogEst, _ rowCount: LogEst) {
      for (index, cost) in costs.enumerated() {
        if runCost <= cost.runCost && prerequisites.isSubset(of: cost.prerequisites) {
          return replace(index, prerequisites, runCost, min(cost.rowCount, rowCount))
        }
        if cost.runCost <= runCost && cost.prerequisites.isSubset(of: prerequisites) { return }
      }
      if costs.count < 3 {
        costs.append(Cost(prerequisites: prerequisites, runCost: runCost, rowCount: rowCount))
        return
      }
      var worst = 0
      // The first one is compared with all others, as SQLite does.
      for index in 1..<costs.count where costs[worst].runCost > costs[index].runCost {
        worst = index
      }
      if costs[worst].runCost <= runCost { return }
      replace(worst, prerequisites, runCost, min(costs[worst].rowCount, rowCount))
    }

    private func replace(
      _ index: Int, _ prerequisites: SourceMask, _ runCost: LogEst, _ rowCount: LogEst
    ) {
      costs[index] = Cost(prerequisites: prerequisites, runCost: runCost, rowCount: rowCount)
    }

    /// Every way of these with every way of `other`.
    func combined(with other: PartCosts) -> PartCosts {
      let result = PartCosts()
      for one in costs {
        for two in other.costs {
          result.insert(
            one.prerequisites.union(two.prerequisites), .sum(one.runCost, two.runCost),
            .sum(one.rowCount, two.rowCount))
        }
      }
      return result
    }
  }

  func addMultiIndexLoops(_ source: Int, prerequisites: SourceMask) throws(SQLError) {
    guard !sources[source].join.contains(.right) else { return }
    for term in active.terms where !isExhausted {
      guard term.operators.contains(.or), let disjunction = term.disjunction,
        disjunction.indexable.contains(SourceMask(index: source)),
        let sum = try costs(of: disjunction, source, prerequisites)
      else { continue }
      let loop = LoopCandidate(source: source, in: sources[source].memory)
      loop.flags = .multiIndex
      loop.setTerms([term])
      for cost in sum.costs {
        // One more than the sum: an OR must not look as cheap as the costliest of its parts.
        loop.runCost = cost.runCost + 1
        loop.rowCount = cost.rowCount
        loop.prerequisites = cost.prerequisites
        insert(loop)
      }
    }
  }

  /// The ways to run all parts, or nil if one cannot be run with an index.
  private func costs(
    of disjunction: WhereTerm.Disjunction, _ source: Int, _ prerequisites: SourceMask
  ) throws(SQLError) -> PartCosts? {
    let savedClause = active, savedCosts = partCosts
    defer {
      active = savedClause
      partCosts = savedCosts
    }
    var sum: PartCosts?
    for part in disjunction.clause.terms {
      if let conjunction = part.conjunction {
        active = conjunction
      } else if part.source == source {
        active = WhereClause(part: part, of: savedClause)
      } else {
        continue
      }
      let costs = PartCosts()
      partCosts = costs
      try addLoops(source, prerequisites: prerequisites)
      if !isExhausted { try addMultiIndexLoops(source, prerequisites: prerequisites) }
      if costs.costs.isEmpty { return nil }
      sum = sum?.combined(with: costs) ?? costs
    }
    return sum
  }
}
