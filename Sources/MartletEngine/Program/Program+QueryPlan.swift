extension Program {
  /// The rows of EXPLAIN QUERY PLAN: the program's `explain` instructions (eqp §1).
  ///
  /// - Parameter withTriggers: Behind them those of each trigger, below its name, and of each
  ///   action of a foreign key, which has none.
  func queryPlanListing(withTriggers: Bool) -> RowListing {
    var rows = planRows
    for called in withTriggers ? subprograms.all : [] {
      guard let program = called.program else { continue }
      rows.append([
        .integer(0), .integer(0), .integer(0), called.isTrigger ? .text(called.name) : .null,
      ])
      rows += program.planRows
    }
    return RowListing(
      columns: [Name("id"), Name("parent"), Name("notused"), Name("detail")], rows: rows)
  }

  private var planRows: [[ListedValue]] {
    planNodes.map { node in
      [
        .integer(Int64(node.p1)), .integer(Int64(node.p2)), .integer(0),
        .text(tables.texts[Int(node.p4)]),
      ]
    }
  }

  var planNodes: [Instruction] {
    (0..<instructionCount).map { instructions[$0] }.filter { $0.opcode == .explain }
  }
}
