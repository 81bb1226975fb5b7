extension Program {
  /// The rows of EXPLAIN QUERY PLAN: the program's `explain` instructions (eqp §1).
  var queryPlanListing: RowListing {
    var rows: [[ListedValue]] = []
    for node in planNodes {
      rows.append([
        .integer(Int64(node.p1)), .integer(Int64(node.p2)), .integer(0),
        .text(tables.texts[Int(node.p4)]),
      ])
    }
    return RowListing(
      columns: [Name("id"), Name("parent"), Name("notused"), Name("detail")], rows: rows)
  }

  var planNodes: [Instruction] {
    (0..<instructionCount).map { instructions[$0] }.filter { $0.opcode == .explain }
  }
}
