// Which of two mistakes is reported. SQLite looks up all tables of a SELECT and of the SELECTs inside
// it before it looks for any column (sqlite3SelectExpand). Here a SELECT is bound in one walk; where
// that fails for what an expression says, the tables are looked up in SQLite's order.

extension Binder {
  /// What is wrong with an outermost SELECT that `error` was found in.
  @inline(never)
  func firstMistake(in statement: SelectStatement, _ error: SQLError) -> SQLError {
    guard error.isAboutExpression else { return error }
    let depth = selectDepth
    defer { selectDepth = depth }
    references = [:]
    do throws(SQLError) {
      try lookUpTables(of: statement)
      return error
    } catch {
      return error
    }
  }

  private func lookUpTables(of statement: SelectStatement) throws(SQLError) {
    try enterSelect()
    let outerTables = commonTables
    defer {
      selectDepth -= 1
      commonTables = outerTables
    }
    if let with = statement.with { commonTables = CommonTableScope(with, outer: outerTables) }
    for (index, core) in statement.cores.enumerated().reversed() {
      switch core {
      case .select(let select): try lookUpTables(of: select)
      case .values(let rows): for row in rows { try lookUpTables(in: row) }
      }
      guard index == statement.cores.count - 1 else { continue }
      try lookUpTables(in: statement.orderBy.map(\.expression))
      try lookUpTables(in: [statement.limit, statement.offset].compactMap { $0 })
    }
  }

  private func lookUpTables(of select: SimpleSelect) throws(SQLError) {
    for item in select.from { try lookUpTables(of: item) }
    for column in select.columns {
      if case .expression(let value, _, _) = column { try lookUpTables(in: [value]) }
    }
    try lookUpTables(in: [select.whereClause].compactMap { $0 })
    try lookUpTables(in: select.from.compactMap(\.on))
    try lookUpTables(in: select.groupBy + [select.having].compactMap { $0 })
  }

  private func lookUpTables(of item: FromItem) throws(SQLError) {
    switch item.source {
    case .table(let schema, let name, _):
      if schema == nil, !item.isTarget, let (definition, position) = commonTable(named: name) {
        return try lookUpTables(ofCommonTable: position, of: definition)
      }
      let table = try lookUpTable(schema, name)
      try countReference(to: table)
      guard let view = table.view else { return }
      try lookUpTables(of: view, table)
      // What columns a view has SQLite finds out as soon as it meets it.
      try withoutAuthorizer { () throws(SQLError) in
        let scope = Scope(outer: nil, selectID: newSelectID())
        _ = try bindView(table, item, schema, name, scope)
      }
    case .function(_, _, let arguments): try lookUpTables(in: arguments)
    case .select(let select): try lookUpTables(of: select)
    case .join(let items):
      for item in items { try lookUpTables(of: item) }
      try lookUpTables(in: items.compactMap { $0.on })
    }
  }

  private func lookUpTables(
    ofCommonTable position: Int, of definition: CommonTableScope
  ) throws(SQLError) {
    if definition.busy.contains(position) { return }
    let outerTables = commonTables
    commonTables = definition
    definition.busy.append(position)
    defer {
      definition.busy.removeLast()
      commonTables = outerTables
    }
    try lookUpTables(of: definition.clause.tables[position].select)
  }

  private func lookUpTables(of view: ViewDefinition, _ table: Table) throws(SQLError) {
    if openViews.contains(where: { $0 === table }) { return }
    let outerDatabase = fixedDatabase, outerTables = commonTables
    openViews.append(table)
    fixedDatabase = table.databaseIndex == 1 ? -1 : table.databaseIndex
    commonTables = nil
    defer {
      openViews.removeLast()
      fixedDatabase = outerDatabase
      commonTables = outerTables
    }
    try lookUpTables(of: view.select)
  }

  /// The tables of the subqueries in expressions.
  private func lookUpTables(in expressions: some Sequence<Expression>) throws(SQLError) {
    for expression in expressions {
      try lookUpTables(in: expression.operands)
      switch expression.kind {
      case .exists(let select), .subquery(let select), .inSelect(_, let select, _):
        try lookUpTables(of: select)
      case .inTable(let item) where item.object.arguments == nil:
        if item.object.schema == nil, commonTable(named: item.object.table) != nil { continue }
        _ = try lookUpTable(item.object.schema, item.object.table)
      default: break
      }
    }
  }
}

extension SQLError {
  /// A name in an expression is wrong: tables are looked up before.
  fileprivate var isAboutExpression: Bool {
    code == .error
      && [
        "no such column: ", "ambiguous column name: ", "no such function: ", "misuse of ",
        "wrong number of arguments to function ", "row value misused", "sub-select returns ",
      ].contains { message.hasPrefix($0) }
  }
}
