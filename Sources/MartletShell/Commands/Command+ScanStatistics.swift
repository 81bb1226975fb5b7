import MartletEngine

/// What is shown of the loops of a statement after it has run.
enum PlanMeasures {
  case off
  /// How often they ran, how many rows they visited, and how long that took.
  case counts
  /// And what the planner had thought of them.
  case estimates
}

extension Command {
  /// `.scanstats`: the query plan with what was counted (`sqlite3_stmt_scanstatus`).
  func setScanStatistics(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".scanstats on|off|est", in: session) }
    switch arguments[0] {
    case "est": session.measurePlans(.estimates)
    case "vm": return refuse("scanstats vm", in: session)
    default: session.measurePlans(boolean(arguments[0], in: session) ? .counts : .off)
    }
    return .done
  }
}

extension Session {
  /// Statements that are prepared from now on count what their loops do, or do not.
  func measurePlans(_ measures: PlanMeasures) {
    planMeasures = measures
    connection?.set(.statementScanStatus, on: measures != .off)
  }

  func showMeasures(of statement: Statement) {
    let tree = MeasuredPlan(of: statement)
    if tree.steps.isEmpty { return }
    output.write(tree.text(withEstimates: planMeasures == .estimates))
  }
}
