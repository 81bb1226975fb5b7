import MartletEngine

/// Plans scans (`xBestIndex`). The text of a plan has a letter for each value that the scan gets:
/// `M` and the column of a MATCH, `r` for `rank MATCH`, `L` or `G` and the column of a pattern,
/// `=`, `<` and `>` for the rowid.
struct FTS5Planner {
  static let orderedByRank: Int32 = 0x20
  static let orderedByRowid: Int32 = 0x40
  static let isDescending: Int32 = 0x80

  private let configuration: FTS5Configuration
  private var text = ""
  private var argumentCount = 0
  private var matchCount = 0
  private var hasRank = false
  private var hasEqual = false
  private var hasUpper = false
  private var hasLower = false

  init(_ configuration: FTS5Configuration) { self.configuration = configuration }

  /// - Throws: `constraint` where a MATCH cannot be used: then this is no plan.
  mutating func plan(_ plan: VirtualTablePlan) throws(SQLError) {
    for (index, constraint) in plan.constraints.enumerated() {
      let isHidden = constraint.column >= configuration.columns.count
      if constraint.operator == .match || constraint.operator == .equal && isHidden {
        guard constraint.isUsable, constraint.column >= 0 else { throw SQLError(.constraint) }
        takeMatch(plan, index, constraint.column)
      } else if constraint.isUsable {
        takeOther(plan, index, constraint)
      }
    }
    if !hasEqual { takeRanges(plan) }
    plan.text = text
    plan.number = order(plan)
    estimate(plan)
  }

  private mutating func take(
    _ plan: VirtualTablePlan, _ index: Int, _ symbol: String, omittingTest: Bool
  ) {
    text += symbol
    plan.take(index, asArgument: argumentCount, omittingTest: omittingTest)
    argumentCount += 1
  }

  private mutating func takeMatch(_ plan: VirtualTablePlan, _ index: Int, _ column: Int) {
    guard column == configuration.rankColumn else {
      matchCount += 1
      return take(plan, index, "M\(column)", omittingTest: true)
    }
    if hasRank { return }
    hasRank = true
    take(plan, index, "r", omittingTest: true)
  }

  private mutating func takeOther(
    _ plan: VirtualTablePlan, _ index: Int, _ constraint: VirtualTablePlan.Constraint
  ) {
    let column = constraint.column
    if column >= 0 && column < configuration.columns.count {
      let isLike = constraint.operator == .like && configuration.patterns.like
      let isGlob = constraint.operator == .glob && configuration.patterns.glob
      guard isLike || isGlob else { return }
      matchCount += 1
      take(plan, index, isLike ? "L\(column)" : "G\(column)", omittingTest: false)
    } else if !hasEqual, constraint.operator == .equal, column < 0 {
      hasEqual = true
      take(plan, index, "=", omittingTest: true)
    }
  }

  private mutating func takeRanges(_ plan: VirtualTablePlan) {
    for (index, constraint) in plan.constraints.enumerated()
    where constraint.column < 0 && constraint.isUsable {
      switch constraint.operator {
      case .less, .lessOrEqual:
        if hasUpper { continue }
        hasUpper = true
        take(plan, index, "<", omittingTest: false)
      case .greater, .greaterOrEqual:
        if hasLower { continue }
        hasLower = true
        take(plan, index, ">", omittingTest: false)
      default: continue
      }
    }
  }

  private func order(_ plan: VirtualTablePlan) -> Int32 {
    guard plan.ordering.count == 1 else { return 0 }
    let term = plan.ordering[0]
    var flags: Int32 = 0
    if term.column == configuration.rankColumn && matchCount > 0 {
      flags = FTS5Planner.orderedByRank
    } else if term.column == -1 && (!term.isDescending || !configuration.hasTokenData) {
      flags = FTS5Planner.orderedByRowid
    }
    guard flags != 0 else { return 0 }
    plan.isOrdered = true
    return term.isDescending ? flags | FTS5Planner.isDescending : flags
  }

  /// Costs as C's, which decide with which table a join begins; EXPLAIN QUERY PLAN shows their
  /// logarithms.
  private func estimate(_ plan: VirtualTablePlan) {
    let isMatch = matchCount > 0
    if hasEqual {
      plan.estimatedCost = isMatch ? 25_000 : 25
      plan.estimatedRowCount = 1
      plan.isUnique = !isMatch
      return
    }
    switch (hasUpper, hasLower) {
    case (true, true): plan.estimatedCost = isMatch ? 50_000 : 750_000
    case (false, false): plan.estimatedCost = isMatch ? 50_000 : 3_000_000
    default: plan.estimatedCost = isMatch ? 37_500 : 2_250_000
    }
    var rowCount = plan.estimatedCost / (isMatch ? 40 : 4)
    // Each further MATCH costs more, and leaves half of the rows.
    for _ in 1..<max(matchCount, 1) {
      plan.estimatedCost *= 2.5
      rowCount /= 2
    }
    plan.estimatedRowCount = max(Int64(rowCount), 1)
  }
}
