// UPDATE and DELETE (lang_update, lang_delete).

extension Binder {
  func bindUpdate(_ statement: UpdateStatement) throws(SQLError) -> BoundUpdate {
    if let with = statement.with { commonTables = CommonTableScope(with, outer: nil) }
    let outerView = authorizingView
    defer { authorizingView = outerView }
    let names = statement.assignments.flatMap(\.columns)
    if names.count > environment.columnLimit { throw .sql("too many columns in set list") }
    let target = try bindTarget(
      statement.table, alias: statement.alias, indexed: statement.indexed, .update,
      setting: names, returns: !statement.returning.isEmpty)
    try checkReturning(statement.returning, of: target.table, "UPDATE")
    let scope = Scope(outer: nil, selectID: newSelectID())
    scope.sources = TreeList([target.old], in: memory)
    var from: BoundUpdateFrom?, search: Expression?, condition: BoundExpression?
    let assignments: BoundAssignments
    if statement.from.isEmpty {
      if target.table.view == nil, !statement.orderBy.isEmpty, statement.limit == nil {
        // A mistake in the first value comes before the missing LIMIT.
        if let first = statement.assignments.first { _ = try bind(first.value, scope) }
        try checkOrder(statement.orderBy, statement.limit, "UPDATE")
      }
      assignments = try bindAssignments(statement.assignments, names, target.table, scope)
      // What the search reads decides whether an index covers it.
      target.old.usedColumns = 0
      target.old.usesRowid = false
      let item = targetItem(statement.table, statement.alias, statement.indexed)
      try authorizeRows(of: target, item, statement.table)
      search = try limited(
        statement.whereClause, target, item, statement.orderBy,
        (statement.limit, statement.offset), "UPDATE")
      condition = try bindCondition(search, scope)
    } else {
      (from, assignments) = try bindUpdateFrom(statement, target)
    }
    let returning = try bindReturning(statement.returning, of: target.new, target)
    try bindIndexedColumns(target)
    try throwPostponedError()
    let rows = rows(of: target.old, condition)
    // In UPDATE … FROM these belong to the SELECT that joins.
    let isAlone = statement.from.isEmpty
    let viewRows = try bindViewRows(
      target, rows, scope, orderBy: isAlone ? statement.orderBy : [],
      limit: isAlone ? (statement.limit, statement.offset) : (nil, nil))
    if isAlone { try authorizeCopy(viewRows, search, scope) }
    return BoundUpdate(
      target: target, policy: policy(statement.conflict), assignments: assignments, rows: rows,
      from: from, viewRows: viewRows,
      defaults: try bindDefaults(target.table, where: { _ in false }), returning: returning)
  }

  func bindDelete(_ statement: DeleteStatement) throws(SQLError) -> BoundDelete {
    if let with = statement.with { commonTables = CommonTableScope(with, outer: nil) }
    let outerView = authorizingView
    defer { authorizingView = outerView }
    let target = try bindTarget(
      statement.table, alias: statement.alias, indexed: statement.indexed, .delete,
      returns: !statement.returning.isEmpty)
    try checkReturning(statement.returning, of: target.table, "DELETE")
    let isIgnored = try !mayChange(target.table, .delete)
    let scope = Scope(outer: nil, selectID: newSelectID())
    scope.sources = TreeList([target.old], in: memory)
    let item = targetItem(statement.table, statement.alias, statement.indexed)
    try authorizeRows(of: target, item, statement.table)
    let search = try limited(
      statement.whereClause, target, item, statement.orderBy,
      (statement.limit, statement.offset), "DELETE")
    let condition = try bindCondition(search, scope)
    let usedColumns = target.old.usedColumns, usesRowid = target.old.usesRowid
    let returning = try bindReturning(statement.returning, of: target.old, target)
    target.old.usedColumns = usedColumns
    target.old.usesRowid = usesRowid
    try bindIndexedColumns(target)
    try throwPostponedError()
    let rows = rows(of: target.old, condition)
    let viewRows = try bindViewRows(
      target, rows, scope, orderBy: statement.orderBy,
      limit: (statement.limit, statement.offset))
    try authorizeCopy(viewRows, search, scope)
    return BoundDelete(
      target: target, rows: rows, viewRows: viewRows, returning: returning, isIgnored: isIgnored)
  }

  /// Virtual tables do not say which rows they changed.
  private func checkReturning(
    _ columns: TreeList<ResultColumn>, of table: Table, _ verb: String
  ) throws(SQLError) {
    if table.isVirtual && !columns.isEmpty {
      throw .sql("\(verb) RETURNING is not available on virtual tables")
    }
  }

  private func targetItem(
    _ name: QualifiedName, _ alias: Name?, _ indexed: FromContent.IndexedBy?
  ) -> FromItem {
    FromItem(
      source: .table(schema: name.schema, name: name.name, indexed: indexed), alias: alias,
      join: .inner, on: nil, using: [], range: ByteRange(start: 0, end: 0), isTarget: true,
      in: memory)
  }

  private func bindCondition(
    _ condition: Expression?, _ scope: Scope
  ) throws(SQLError) -> BoundExpression? {
    guard let condition else { return nil }
    scope.clause = .condition
    return try bindEntire(condition, scope)
  }

  private func rows(of source: BoundSource, _ condition: BoundExpression?) -> BoundSimpleSelect {
    BoundSimpleSelect(
      sources: [source], whereClause: condition, groupBy: [], having: nil, aggregates: [],
      isAggregate: false, in: memory)
  }

  // MARK: SET

  /// Where a column is set twice, the last value counts (lang_update §2.1).
  func bindAssignments(
    _ assignments: [Assignment], _ names: [Name], _ table: Table, _ scope: Scope
  ) throws(SQLError) -> BoundAssignments {
    var bound = BoundAssignments(values: Array(repeating: nil, count: table.columns.count))
    bound.names = names
    for assignment in assignments {
      let values = try assignedValues(assignment, &bound, scope)
      for (name, value) in zip(assignment.columns, values) {
        if let column = try assignedColumn(name, table) { bound.set(column, value) }
      }
    }
    return bound
  }

  private func assignedValues(
    _ assignment: Assignment, _ bound: inout BoundAssignments, _ scope: Scope
  ) throws(SQLError) -> [BoundExpression] {
    let value = try bindCounting(assignment.value, scope)
    if value.traits.contains(.hasSubquery) { bound.hasSubquery = true }
    guard assignment.isRow, assignment.columns.count != 1 || value.traits.contains(.isVector)
    else {
      try checkScalar(value)
      return [value]
    }
    let values: [BoundExpression]
    switch value.kind {
    case .row(let items): values = Array(items)
    case .scalarSubquery(let subquery) where subquery.columns.count > 1:
      let select = subquery
      bound.rowSubqueries.append(select)
      values = select.columns.indices.map { column in
        BoundExpression(
          .subqueryColumn(subquery, Int32(column)), affinity: select.columns[column].affinity,
          collation: select.columns[column].collation, traits: .hasSubquery, in: memory)
      }
    default: values = [value]
    }
    if values.count == assignment.columns.count { return values }
    // ALTER TABLE only looks names up.
    guard isRenaming else {
      throw .sql("\(assignment.columns.count) columns assigned \(values.count) values")
    }
    return assignment.columns.indices.map { $0 < values.count ? values[$0] : null() }
  }

  /// The column that SET names, -1 for the rowid; nil where it is to stay as it is.
  func assignedColumn(_ name: Name, _ table: Table) throws(SQLError) -> Int? {
    let column = table.columnIndex(of: name)
    if column >= 0 {
      uses?.noteTarget(name, of: table)
      if table.columns[column].generated != nil && uses == nil {
        throw .sql("cannot UPDATE generated column \"\(table.columns[column].name.string)\"")
      }
      guard try maySet(column, of: table) else { return nil }
      return column == table.rowidColumn ? -1 : column
    }
    if Binder.isRowidName(name) && !table.isWithoutRowid {
      return try maySet(-1, of: table) ? -1 : nil
    }
    if uses == nil { throw .sql("no such column: \(name.string)") }
    return nil
  }
}
