/// json_each, json_tree and their twins (json1 §4.24).
final class JSONTable: VirtualTable {
  private let isRecursive: Bool
  private let form: JSONForm
  private let functions: FunctionHost

  /// Position of the first hidden column.
  private static let firstHidden = 8

  init(isRecursive: Bool, form: JSONForm, functions: FunctionHost) {
    self.isRecursive = isRecursive
    self.form = form
    self.functions = functions
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor {
    JSONTableCursor(isRecursive: isRecursive, form: form, host: functions)
  }

  /// A walk needs a document, and may have a path to begin with. Rows come in the order of their
  /// rowids.
  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    var arguments: [Int?] = [nil, nil], isMissing = [false, false]
    for (index, constraint) in plan.constraints.enumerated() {
      let argument = constraint.column - JSONTable.firstHidden
      guard arguments.indices.contains(argument) else { continue }
      if !constraint.isUsable {
        isMissing[argument] = true
      } else if constraint.operator == .equal {
        arguments[argument] = index
      }
    }
    if let first = plan.ordering.first, first.column < 0, !first.isDescending {
      plan.isOrdered = true
    }
    for argument in arguments.indices where isMissing[argument] && arguments[argument] == nil {
      throw SQLError(.constraint)
    }
    // A path alone is not looked at.
    guard let document = arguments[0] else { return }
    plan.estimatedCost = 1
    plan.take(document, asArgument: 0, omittingTest: true)
    plan.number = Int32(JSONTableCursor.documentGiven)
    guard let root = arguments[1] else { return }
    plan.take(root, asArgument: 1, omittingTest: true)
    plan.number |= Int32(JSONTableCursor.rootGiven)
  }
}

extension BuiltInModule {
  static func json(_ name: String, isRecursive: Bool, _ form: JSONForm) -> BuiltInModule {
    BuiltInModule(
      name,
      "CREATE TABLE x(key,value,type,atom,id,parent,fullkey,path,json HIDDEN,root HIDDEN)",
      settings: .innocuous
    ) { request throws(SQLError) in
      JSONTable(isRecursive: isRecursive, form: form, functions: try request.host().functionHost)
    }
  }
}
