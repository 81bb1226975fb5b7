// Table-valued functions: one loop, which takes every equality on a hidden column.

extension LoopBuilder {
  /// The loop costs what SQLite's pragma tables say of themselves. Without a value for the first
  /// hidden column they are to be avoided.
  func addFunctionLoop(
    _ source: Int, _ function: TableFunction, _ prerequisites: SourceMask
  ) {
    let loop = LoopCandidate(source: source, in: sources[source].memory)
    loop.prerequisites = prerequisites
    loop.flags = .function
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
    for case let term? in arguments { loop.prerequisites.formUnion(term.rightPrerequisites) }
    loop.setTerms(arguments)
    if arguments.isEmpty {
      loop.runCost = 0
      loop.rowCount = .of(25)
    } else if arguments[0] == nil {
      loop.runCost = .of(real: 2_147_483_647)
      loop.rowCount = .of(2_147_483_647)
    } else {
      loop.runCost = .of(20)
      loop.rowCount = .of(20)
    }
    insert(loop)
  }

  func isFunction(_ source: Int) -> Bool {
    if case .table(let table) = sources[source].kind { return table.function != nil }
    return false
  }
}
