// Table-valued functions: one loop, which takes every equality on a hidden column.

extension LoopBuilder {
  /// Without a value for what it needs, a function is to be avoided.
  private static let hugeRowCount: LogEst = .of(2_147_483_647)

  func addFunctionLoop(
    _ source: Int, _ function: TableFunction, _ prerequisites: SourceMask
  ) throws(SQLError) {
    let loop = LoopCandidate(source: source, in: sources[source].memory)
    loop.prerequisites = prerequisites
    loop.flags = .function
    loop.setTerms(argumentTerms(source, function))
    for case let term? in loop.terms { loop.prerequisites.formUnion(term.rightPrerequisites) }
    switch function.kind {
    case .pragma: setPragmaCost(loop)
    case .json: setJSONPlan(loop)
    case .series: try setSeriesPlan(loop)
    }
    insert(loop)
  }

  /// The equality of each hidden column; of several the last.
  private func argumentTerms(_ source: Int, _ function: TableFunction) -> [WhereTerm?] {
    let firstHidden = function.columns.count
    var arguments: [WhereTerm?] = function.hiddenColumns.map { _ in nil }
    for term in active.terms {
      let position = Int(term.column) - firstHidden
      guard term.source == source, arguments.indices.contains(position),
        !term.operators.isDisjoint(with: [.equal, .in]),
        term.rightPrerequisites.isDisjoint(with: SourceMask(index: source)),
        clause.isCompatible(term, withJoinOf: source)
      else { continue }
      arguments[position] = term
    }
    return arguments
  }

  /// The loop costs what SQLite's pragma tables say of themselves.
  private func setPragmaCost(_ loop: LoopCandidate) {
    if loop.terms.isEmpty {
      loop.runCost = 0
      loop.rowCount = .of(25)
    } else if loop.terms[0] == nil {
      loop.runCost = .of(real: 2_147_483_647)
      loop.rowCount = LoopBuilder.hugeRowCount
    } else {
      loop.runCost = .of(20)
      loop.rowCount = .of(20)
    }
  }

  /// json_each and its like need a document; rows come in the order of their rowids.
  private func setJSONPlan(_ loop: LoopCandidate) {
    loop.rowCount = .of(25)
    if let direction = wantedOrder(of: loop.source, column: -1), !direction {
      loop.flags.insert(.ordered)
    }
    guard loop.terms[0] != nil else {
      // A path alone is not looked at.
      loop.setTerms([])
      loop.prerequisites = []
      loop.runCost = .of(real: 5e98)
      return
    }
    loop.runCost = 0
    loop.functionPlan = 1
    if loop.terms[1] != nil { loop.functionPlan = 3 }
  }

  /// generate_series needs to know where to begin, and should know where to end.
  private func setSeriesPlan(_ loop: LoopCandidate) throws(SQLError) {
    guard loop.terms[0] != nil else {
      throw .sql("first argument to \"generate_series()\" missing or unusable")
    }
    for position in 0..<3 where loop.terms[position] != nil {
      loop.functionPlan |= 1 << Int32(position)
    }
    guard loop.terms[1] != nil else {
      loop.runCost = .of(real: 5e98)
      loop.rowCount = LoopBuilder.hugeRowCount
      return
    }
    loop.runCost = .of(real: loop.terms[2] == nil ? 2 : 1)
    loop.rowCount = .of(1_000)
    if let isDescending = wantedOrder(of: loop.source, column: 0) {
      loop.flags.insert(.ordered)
      loop.functionPlan |= isDescending ? 8 : 16
    }
  }

  /// Whether rows are wanted in descending order of a column of the only source, or of its rowid
  /// (-1); nil if it is not the first that they are ordered by.
  private func wantedOrder(of source: Int, column: Int32) -> Bool? {
    guard sources.count == 1, goal.kind == .orderBy, let first = goal.ordering.first,
      let known = clause.columnReference(first.expression), known.source == source,
      known.column == column,
      goal.ordering.allSatisfy({ clause.columnReference($0.expression)?.source == source })
    else { return nil }
    return first.isDescending
  }

  func isFunction(_ source: Int) -> Bool {
    if case .table(let table) = sources[source].kind { return table.function != nil }
    return false
  }
}
