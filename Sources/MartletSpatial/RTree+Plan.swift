import MartletEngine

/// How a constraint of a scan compares, as the text of the plan has it.
enum BoxOperator: UInt8 {
  case equal = 0x41
  case lessOrEqual = 0x42
  case less = 0x43
  case greaterOrEqual = 0x44
  case greater = 0x45
  case match = 0x46

  init?(_ comparison: VirtualTableOperator) {
    switch comparison {
    case .equal: self = .equal
    case .lessOrEqual: self = .lessOrEqual
    case .less: self = .less
    case .greaterOrEqual: self = .greaterOrEqual
    case .greater: self = .greater
    case .match: self = .match
    default: return nil
    }
  }

  /// Values are rounded to the coordinates' precision: comparisons that depend on the last bit are
  /// made again with the row.
  var isExact: Bool {
    switch self {
    case .lessOrEqual, .greaterOrEqual, .match: true
    default: false
    }
  }
}

extension RTree {
  /// Numbers of plans: the row of a rowid, or a search. The text of a search has two characters for
  /// each constraint: the operator, and a digit for the coordinate.
  enum Plan {
    static let lookUp: Int32 = 1
    static let search: Int32 = 2
    /// Constraints beyond these are left to the statement.
    static let mostConstraints = 20
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    // A search by rowid could not evaluate MATCH.
    let hasMatch = plan.constraints.contains { $0.operator == .match }
    var text = ""
    var count = 0
    for (index, constraint) in plan.constraints.enumerated() where constraint.isUsable {
      guard count < Plan.mostConstraints else { break }
      if !hasMatch && constraint.column <= 0 && constraint.operator == .equal {
        return planLookUp(plan, index)
      }
      let isCoordinate = (1...layout.coordinateCount).contains(constraint.column)
      guard isCoordinate || constraint.operator == .match,
        let comparison = BoxOperator(constraint.operator)
      else { continue }
      text.unicodeScalars.append(UnicodeScalar(comparison.rawValue))
      text.unicodeScalars.append(
        UnicodeScalar(UInt8(truncatingIfNeeded: constraint.column - 1 + 0x30)))
      plan.take(index, asArgument: count, omittingTest: comparison.isExact)
      count += 1
    }
    plan.number = Plan.search
    if count > 0 { plan.text = text }
    let rowCount = rowEstimate >> Int64(count)
    plan.estimatedCost = 6 * Double(rowCount)
    plan.estimatedRowCount = rowCount
  }

  private func planLookUp(_ plan: VirtualTablePlan, _ constraint: Int) {
    for index in 0..<constraint { plan.take(index, asArgument: -1) }
    plan.number = Plan.lookUp
    plan.take(constraint, asArgument: 0, omittingTest: true)
    plan.estimatedCost = 30
    plan.estimatedRowCount = 1
    plan.isUnique = true
  }
}
