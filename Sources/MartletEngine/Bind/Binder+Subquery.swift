// Subqueries in expressions, and IN (lang_expr §9–11).

extension Binder {
  @inline(never)
  func bindSubquery(
    _ statement: SelectStatement, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let select = try bindSelect(
      statement, outer: scope, role: .expression, wantsOneRow: true)
    var traits = Binder.traits(of: select)
    if select.columns.count > 1 { traits.insert(.isVector) }
    // Of a compound the last part decides, as it stands at the top of SQLite's list of parts.
    let value = select.typingColumns.first
    return BoundExpression(
      .scalarSubquery(select), affinity: value?.affinity ?? .none,
      traits: traits, in: memory)
  }

  @inline(never)
  func bindSubqueryItem(
    _ row: RowSubquery, _ index: Int, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let key = ObjectIdentifier(row)
    var known = rowSubqueries[key]
    if known == nil { known = try bindSubquery(row.select, scope) }
    rowSubqueries[key] = known
    guard let known, case .scalarSubquery(let subquery) = known.kind else {
      throw SQLError(.internal)
    }
    let columns = subquery.columns
    // ALTER TABLE only looks names up.
    guard columns.count == row.columnCount || isRenaming else {
      throw .sql("\(row.columnCount) columns assigned \(columns.count) values")
    }
    let index = min(index, columns.count - 1)
    return BoundExpression(
      .subqueryColumn(subquery, Int32(index)), affinity: columns[index].affinity,
      collation: columns[index].collation, traits: known.traits.subtracting(.isVector),
      in: memory)
  }

  @inline(never)
  func bindExists(
    _ statement: SelectStatement, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    let select = try bindSelect(statement, outer: scope, role: .unread, wantsOneRow: true)
    return BoundExpression(
      .exists(select), affinity: .none,
      traits: Binder.traits(of: select), in: memory)
  }

  /// A correlated subquery changes with the columns around it.
  static func traits(of select: BoundSelect) -> BoundExpression.Traits {
    select.isCorrelated ? [.hasSubquery, .hasColumn] : .hasSubquery
  }

  // MARK: IN

  @inline(never)
  func bindInList(
    _ operand: Expression, _ items: UnsafeBufferPointer<Expression>, _ isNegated: Bool,
    _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    // Where there is nothing that the operand could be in, only the names of functions are looked
    // up in it.
    if items.isEmpty {
      if operand.hasCall { _ = try bindScalar(operand, scope) }
      return truthWord(isNegated ? 1 : 0)
    }
    // Parentheses around a subquery say nothing.
    if items.count == 1, case .subquery(let select) = items[0].kind {
      return try bindInSelect(operand, select, isNegated, scope)
    }
    let bound = try bind(operand, scope)
    if case .row(let values) = bound.kind {
      return try bindRowInList(bound, values.count, items, isNegated, scope)
    }
    try checkScalar(bound)
    var values: [BoundExpression] = []
    values.reserveCapacity(items.count)
    for item in items { values.append(try bindScalar(item, scope)) }
    if values.count == 1 && values[0].isConstant {
      let equal = try makeComparison(.equal, bound, makePlus(values[0]))
      return isNegated ? makeNot(equal) : equal
    }
    let list = BoundInList(
      operand: bound, items: values, affinity: Binder.listAffinity(bound.affinity),
      collation: try usable(bound.collation))
    let result = combined(.inList(list), [bound] + values)
    return isNegated ? makeNot(result) : result
  }

  /// The affinity of the items of IN: only the left side has a say (datatype3 §4.2).
  static func listAffinity(_ operand: Affinity) -> Affinity {
    switch operand {
    case .none: .blob
    case .real: .numeric
    default: operand
    }
  }

  /// `(a, b) IN ((1, 2), (3, 4))`: the items are rows of VALUES.
  @inline(never)
  private func bindRowInList(
    _ operand: BoundExpression, _ width: Int, _ items: UnsafeBufferPointer<Expression>,
    _ isNegated: Bool, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    var rows = TreeList<TreeList<Expression>>()
    for item in items {
      guard case .row(let values) = item.kind else {
        throw .sql("IN(...) element has 1 term - expected \(width)")
      }
      if values.count != width {
        let plural = values.count == 1 ? "" : "s"
        throw .sql("IN(...) element has \(values.count) term\(plural) - expected \(width)")
      }
      rows.append(TreeList(values, in: memory), in: memory)
    }
    let statement = SelectStatement(
      with: nil, cores: [.values(rows)], operators: [], orderBy: [], limit: nil, offset: nil,
      range: ByteRange(start: 0, end: 0), in: memory)
    isInRowList = true
    let select = try bindSelect(statement, outer: scope, role: .expression)
    return try makeInSelect(operand, select, isNegated)
  }

  @inline(never)
  func bindInSelect(
    _ operand: Expression, _ statement: SelectStatement, _ isNegated: Bool, _ scope: Scope
  ) throws(SQLError) -> BoundExpression {
    // The SELECT first: of two names that do not exist, SQLite reports the one in there.
    let select = try bindSelect(statement, outer: scope, role: .expression)
    let bound = try bind(operand, scope)
    return try makeInSelect(bound, select, isNegated)
  }

  /// `x IN table` is `x IN (SELECT * FROM table)`.
  @inline(never)
  func bindInTable(_ item: InTable, _ scope: Scope) throws(SQLError) -> BoundExpression {
    let range = ByteRange(start: 0, end: 0)
    let source: FromContent.Source
    if let arguments = item.arguments {
      source = .function(schema: item.schema, name: item.table, arguments: arguments)
    } else {
      source = .table(schema: item.schema, name: item.table, indexed: nil)
    }
    let from = FromItem(
      source: source, alias: nil, join: .inner, on: nil, using: [], range: range, in: memory)
    let core = SimpleSelect(
      isDistinct: false, columns: [.star], from: [from], whereClause: nil, groupBy: [],
      having: nil, windows: [], in: memory)
    let statement = SelectStatement(
      with: nil, cores: [.select(core)], operators: [], orderBy: [], limit: nil, offset: nil,
      range: range, in: memory)
    return try bindInSelect(item.operand, statement, item.isNegated, scope)
  }

  private func makeInSelect(
    _ operand: BoundExpression, _ select: BoundSelect, _ isNegated: Bool
  ) throws(SQLError) -> BoundExpression {
    let operands = Binder.elements(operand)
    guard operands.count == select.columns.count else {
      return try postpone(.subqueryColumns(select.columns.count, expected: operands.count))
    }
    var affinities: [Affinity] = []
    var collations: [Collation] = []
    let results = select.typingColumns
    for (index, item) in operands.enumerated() {
      try checkScalar(item)
      let result = results[index]
      affinities.append(Binder.comparisonAffinity(result.affinity, item.affinity))
      collations.append(try comparisonCollation(item, result))
    }
    let bound = BoundInSelect(
      operands: operands, select: select, affinities: affinities, collations: collations, in: memory
    )
    let result = combined(.inSelect(bound), operands, adding: Binder.traits(of: select))
    return isNegated ? makeNot(result) : result
  }
}

extension BoundExpression {
  /// No column, subquery or function: what SQLite's parser takes for a constant.
  var isConstant: Bool {
    traits.isDisjoint(with: [
      .hasColumn, .hasAggregate, .hasSubquery, .hasFunction, .hasNondeterministicFunction,
      .hasWindowFunction, .hasRaise,
    ])
  }

  /// The same value for all rows: calls of constants, too, unless they may give another result each
  /// time (SQLite's sqlite3ExprIsConstant).
  var isFixed: Bool {
    traits.isDisjoint(with: [
      .hasColumn, .hasAggregate, .hasSubquery, .hasNondeterministicFunction, .hasWindowFunction,
      .hasRaise,
    ])
  }
}
