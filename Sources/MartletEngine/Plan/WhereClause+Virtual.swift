// Conditions that only virtual tables are told of: MATCH, LIKE, GLOB, REGEXP, `<>`, IS NOT, NOT
// NULL, calls of functions that a table overloads, LIMIT and OFFSET (SQLite's WO_AUX).

extension WhereClause {
  /// Adds the terms of a condition that is of use to virtual tables alone (SQLite's
  /// isAuxiliaryVtabOperator).
  func analyzeForVirtualTables(_ index: Int) {
    switch self.terms[index].expression.kind {
    case .comparison(let comparison, let left, let right):
      guard comparison.operator == .notEqual || comparison.operator == .isNot else { return }
      let operation: VirtualTableOperator =
        comparison.operator == .notEqual ? .notEqual : .isNot
      // With virtual tables on both sides, each is told.
      let isLeft = virtualColumn(left) != nil, isRight = virtualColumn(right) != nil
      if isRight { addAuxiliary(index, right, operation, left) }
      if isLeft { addAuxiliary(index, left, operation, right) }
    case .nullTest(let operand, isNegated: true):
      if virtualColumn(operand) != nil { addAuxiliary(index, operand, .isNotNull, nil) }
    case .function(let call): analyzeCall(index, call)
    default: break
    }
  }

  private func analyzeCall(_ index: Int, _ call: BoundFunction) {
    guard call.arguments.count == 2 else { return }
    let operators: [(StaticString, VirtualTableOperator)] = [
      ("match", .match), ("glob", .glob), ("like", .like), ("regexp", .regexp),
    ]
    let name = call.function.name
    if virtualColumn(call.arguments[1]) != nil {
      for (known, operation) in operators where name.isSameName(as: known.description) {
        return addAuxiliary(index, call.arguments[1], operation, call.arguments[0])
      }
    }
    guard let table = virtualColumn(call.arguments[0]),
      let overloading = table.virtual?.object as? any FunctionOverloading,
      let overload = overloading.function(named: name, argumentCount: 2),
      overload.operator.rawValue >= VirtualTableOperator.function.rawValue
    else { return }
    addAuxiliary(index, call.arguments[0], overload.operator, call.arguments[1])
  }

  /// The virtual table whose column the expression is.
  private func virtualColumn(_ expression: BoundExpression) -> Table? {
    switch expression.kind {
    case .column, .fixedColumn: break
    default: return nil
    }
    guard let (source, _) = columnReference(expression),
      case .table(let table) = self.sources[source].kind, table.isVirtual
    else { return nil }
    return table
  }

  private func addAuxiliary(
    _ index: Int, _ column: BoundExpression, _ operation: VirtualTableOperator,
    _ value: BoundExpression?
  ) {
    guard let (source, number) = columnReference(column) else { return }
    let needed = value.map { mask(of: $0) } ?? []
    guard needed.isDisjoint(with: SourceMask(index: source)) else { return }
    let original = self.terms[index]
    let term = addVirtual(original.expression, from: original)
    term.source = source
    term.column = number
    term.left = column
    term.right = value
    term.rightPrerequisites = needed
    if original.isOuterOn { term.rightPrerequisites.formUnion(.before(original.onSource)) }
    term.operators = .auxiliary
    term.matchOperator = operation.rawValue
    markChild(term, of: index)
    original.isCopied = true
  }

  // MARK: LIMIT

  /// Tells a virtual table that stands alone in FROM of LIMIT and OFFSET, where it can see to all
  /// that is asked of the rows (SQLite's sqlite3WhereAddLimit).
  ///
  /// - Parameter wantsOneRow: the first row is enough, though no LIMIT says so.
  func addLimit(
    of select: BoundSelect, _ simple: BoundSimpleSelect, wantsOneRow: Bool
  ) {
    guard let limit = select.limit ?? (wantsOneRow ? one(simple) : nil),
      !simple.isAggregate, !select.isDistinct, simple.sources.count == 1,
      case .table(let table) = simple.sources[0].kind, table.isVirtual
    else { return }
    for term in self.terms where term.childCount == 0 {
      guard term.source == 0, term.rightPrerequisites.isEmpty else { return }
    }
    for term in select.orderBy {
      guard case .column(let id, _) = term.expression.kind, id == simple.sources[0].id,
        !term.hasBigNulls
      else { return }
    }
    if let offset = select.offset { addLimit(offset, .offset) }
    addLimit(limit, .limit)
  }

  private func one(_ simple: BoundSimpleSelect) -> BoundExpression? {
    simple.sources.first.map {
      BoundExpression(.integer(1), affinity: .none, traits: [], in: $0.memory)
    }
  }

  private func addLimit(_ value: BoundExpression, _ operation: VirtualTableOperator) {
    let term = WhereTerm(
      expression: value, isVirtual: true, parent: -1, onSource: -1, isOuterOn: false,
      prerequisites: [])
    term.source = 0
    term.column = 0
    term.right = value
    term.operators = .auxiliary
    term.matchOperator = operation.rawValue
    append(term)
  }
}
