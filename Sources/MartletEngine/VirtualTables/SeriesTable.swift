/// generate_series (series): integers from START to STOP by STEP.
///
/// What is asked of `value`, LIMIT and OFFSET shorten the series before it begins, and either end
/// may come first.
final class SeriesTable: VirtualTable {
  /// The bits of a plan's number: the arguments that there are, in their order, and the order that
  /// is wanted.
  struct Plan: OptionSet {
    let rawValue: Int32
    static let start = Plan(rawValue: 0x01)
    static let stop = Plan(rawValue: 0x02)
    static let step = Plan(rawValue: 0x04)
    static let descending = Plan(rawValue: 0x08)
    static let ascending = Plan(rawValue: 0x10)
    static let limit = Plan(rawValue: 0x20)
    static let offset = Plan(rawValue: 0x40)
    static let equal = Plan(rawValue: 0x80)
    static let atLeast = Plan(rawValue: 0x0100)
    static let above = Plan(rawValue: 0x0200)
    static let atMost = Plan(rawValue: 0x1000)
    static let below = Plan(rawValue: 0x2000)
    static let lowerBound: Plan = [.atLeast, .above]
    static let upperBound: Plan = [.atMost, .below]
    static let hidden: Plan = [.start, .stop, .step]
    static let onValue: Plan = [.equal, .lowerBound, .upperBound]
  }

  /// The constraint of each argument, in their order.
  private struct Arguments {
    var hidden: [Int?] = [nil, nil, nil]
    var limit: Int?
    var offset: Int?
    /// Also an equality.
    var lower: Int?
    var upper: Int?
    var plan: Plan = []
    /// Hidden columns whose values cannot be known.
    var missing: Plan = []
    var knowsStart = false
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { SeriesCursor() }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    var arguments = Arguments()
    for (index, constraint) in plan.constraints.enumerated() {
      switch constraint.operator {
      case .limit where constraint.isUsable:
        arguments.limit = index
        arguments.plan.insert(.limit)
      case .offset where constraint.isUsable:
        arguments.offset = index
        arguments.plan.insert(.offset)
      case .limit, .offset: break
      default:
        if constraint.column > 0 {
          SeriesTable.note(index, constraint, &arguments)
        } else if constraint.isUsable {
          SeriesTable.noteValue(index, constraint.operator, &arguments)
        }
      }
    }
    var position = 0
    let used = arguments.hidden
      + [arguments.limit, arguments.offset, arguments.lower, arguments.upper]
    for case let constraint? in used {
      plan.take(constraint, asArgument: position, omittingTest: true)
      position += 1
    }
    guard arguments.knowsStart else {
      throw .sql("first argument to \"generate_series()\" missing or unusable")
    }
    guard arguments.missing.isSubset(of: arguments.plan) else { throw SQLError(.constraint) }
    setCosts(plan, &arguments)
    plan.number = arguments.plan.rawValue
    plan.showsNumberInHex = true
  }

  private static func note(
    _ index: Int, _ constraint: VirtualTablePlan.Constraint, _ arguments: inout Arguments
  ) {
    let position = constraint.column - 1
    guard arguments.hidden.indices.contains(position) else { return }
    let bit = Plan(rawValue: 1 << Int32(position))
    let isEqual = constraint.operator == .equal
    if position == 0 && isEqual { arguments.knowsStart = true }
    if !constraint.isUsable {
      arguments.missing.insert(bit)
    } else if isEqual {
      arguments.plan.insert(bit)
      arguments.hidden[position] = index
    }
  }

  /// An equality is worth more than bounds; of several bounds the last counts.
  private static func noteValue(
    _ index: Int, _ operation: VirtualTableOperator, _ arguments: inout Arguments
  ) {
    if operation == .equal || operation == .is {
      arguments.plan.subtract([.lowerBound, .upperBound])
      arguments.plan.insert(.equal)
      arguments.lower = index
      arguments.upper = nil
      arguments.knowsStart = true
      return
    }
    guard !arguments.plan.contains(.equal) else { return }
    switch operation {
    case .greaterOrEqual, .greater:
      arguments.plan.subtract(.lowerBound)
      arguments.plan.insert(operation == .greater ? .above : .atLeast)
      arguments.lower = index
      arguments.knowsStart = true
    case .lessOrEqual, .less:
      arguments.plan.subtract(.upperBound)
      arguments.plan.insert(operation == .less ? .below : .atMost)
      arguments.upper = index
    default: break
    }
  }

  private func setCosts(_ plan: VirtualTablePlan, _ arguments: inout Arguments) {
    if arguments.plan.isSuperset(of: [.start, .stop]) {
      plan.estimatedCost = arguments.plan.contains(.step) ? 1 : 2
      plan.estimatedRowCount = 1_000
      guard let first = plan.ordering.first, first.column == 0 else { return }
      arguments.plan.insert(first.isDescending ? .descending : .ascending)
      plan.isOrdered = true
    } else if arguments.plan.isSuperset(of: [.start, .limit]) {
      plan.estimatedRowCount = 2_500
    } else {
      plan.estimatedRowCount = 2_147_483_647
    }
  }
}

extension BuiltInModule {
  static let series = BuiltInModule(
    "generate_series",
    "CREATE TABLE x(value,start hidden,stop hidden,step hidden)", settings: .innocuous
  ) { _ throws(SQLError) in SeriesTable() }
}
