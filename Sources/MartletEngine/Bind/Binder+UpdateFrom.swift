// UPDATE … FROM, and ORDER BY and LIMIT in UPDATE and DELETE (lang_update §2.2, §2.3; lang_delete
// §2). Both are rewritten to SELECTs, as in SQLite.

/// The rows that UPDATE … FROM makes.
final class BoundUpdateFrom {
  /// The key of each row that is changed, or all columns of a view's row, then the new values. Of
  /// several with the same key the last counts.
  let select: BoundSelect
  let keyCount: Int
  /// Stands for the new values.
  let values: BoundSource

  init(select: BoundSelect, keyCount: Int, values: BoundSource) {
    self.select = select
    self.keyCount = keyCount
    self.values = values
  }
}

extension Binder {
  /// Binds SET and FROM; the assignments read `BoundUpdateFrom.values`.
  func bindUpdateFrom(
    _ statement: UpdateStatement, _ target: BoundTarget
  ) throws(SQLError) -> (from: BoundUpdateFrom?, assignments: BoundAssignments) {
    try checkOrder(statement.orderBy, statement.limit, "UPDATE")
    let keys = keyColumns(of: target.table)
    var columns = keys, names: [Name] = []
    for assignment in statement.assignments {
      columns += try assignedValues(assignment)
      names += assignment.columns
    }
    let assignedCount = names.count, kept = keptColumns(of: target.table, besides: names)
    columns += columnsOfTarget(kept, isKept: true)
    names += kept.map { target.table.columns[$0].name }
    var places: [Int?] = []
    for name in names.prefix(assignedCount) {
      places.append(try assignedColumn(name, target.table))
    }
    if authorizer != nil {
      if target.table.view != nil { authorizingView = target.table.name.string }
      try authorizeSelect()
      unaskedCount = keys.count
    }
    var bound = BoundAssignments(values: Array(repeating: nil, count: target.table.columns.count))
    bound.names = Array(names.prefix(assignedCount))
    let select: BoundSelect
    do throws(SQLError) {
      select = try bindSelect(
        updateSelect(statement, columns, groupedBy: statement.limit == nil ? [] : keys),
        outer: nil, role: .expression)
    } catch where error.code == .error && target.hasForeignKeys && uses == nil {
      target.searchMistake = error
      let null = BoundExpression(.null, affinity: .none, traits: [], in: memory)
      for case let column? in places { bound.set(column, null) }
      return (nil, bound)
    }
    // Of several rows for one, the last of their order counts.
    select.showsOrderOfSources = true
    // Names that are wrong come first.
    try checkIsNotInFrom(statement, statement.from, target)
    let values = BoundSource(
      id: newSourceID(), kind: .subquery(select), label: Name(""),
      hasAlias: false, databaseIndex: -1, join: .inner, in: memory)
    for (position, name) in names.enumerated() {
      let value = select.columns[keys.count + position]
      let expression = BoundExpression(
        .column(values.id, Int32(position)), affinity: value.affinity,
        collation: value.collation, traits: .hasColumn, in: memory)
      if position < assignedCount {
        if let column = places[position] { bound.set(column, expression) }
      } else {
        bound.values[target.table.columnIndex(of: name)] = expression
      }
    }
    return (BoundUpdateFrom(select: select, keyCount: keys.count, values: values), bound)
  }

  /// The columns of a virtual table that SET leaves alone: the table gets them with the others, and
  /// there is no row to read them from any more.
  private func keptColumns(of table: Table, besides names: [Name]) -> [Int] {
    guard table.isVirtual else { return [] }
    return table.columns.indices.filter {
      $0 != table.rowidColumn && !names.contains(table.columns[$0].name)
    }
  }

  private var noRange: ByteRange { ByteRange(start: 0, end: 0) }

  private func updateSelect(
    _ statement: UpdateStatement, _ columns: [Expression], groupedBy keys: [Expression]
  ) -> SelectStatement {
    let target = FromItem(
      source: .table(
        schema: statement.table.schema, name: statement.table.name, indexed: statement.indexed),
      alias: statement.alias, join: .inner, on: nil, using: [], range: noRange, isTarget: true,
      in: memory)
    // Several tables count as if they stood in parentheses. What is inside those has no name that
    // could be renamed.
    var from = Array(statement.from)
    if from.count > 1, !isRenaming {
      from = [
        FromItem(
          source: .join(statement.from), alias: nil, join: .inner, on: nil, using: [],
          range: noRange, in: memory)
      ]
    }
    let core = SimpleSelect(
      isDistinct: false,
      columns: columns.map { .expression($0, alias: nil, textRange: $0.range) },
      from: [target] + from, whereClause: statement.whereClause,
      groupBy: TreeList(keys, in: memory), having: nil, windows: [], in: memory)
    return SelectStatement(
      with: nil, cores: [.select(core)], operators: [], orderBy: statement.orderBy,
      limit: statement.limit, offset: statement.offset, range: noRange, in: memory)
  }

  private func assignedValues(_ assignment: Assignment) throws(SQLError) -> [Expression] {
    let count = assignment.columns.count
    guard assignment.isRow, count > 1 else { return [assignment.value] }
    switch assignment.value.kind {
    case .row(let items):
      guard items.count == count else {
        throw .sql("\(count) columns assigned \(items.count) values")
      }
      return Array(items)
    case .subquery(let select):
      let row = Kept(RowSubquery(select, columnCount: count), in: memory)
      return (0..<Int32(count)).map {
        Expression(
          .subqueryItem(row, $0), range: assignment.value.range,
          height: assignment.value.height, in: memory)
      }
    default: throw .sql("\(count) columns assigned 1 values")
    }
  }

  /// The columns by which a row is found again; all columns of a view.
  ///
  /// They have no names: the target may share its own with a common table or a table of FROM.
  private func keyColumns(of table: Table) -> [Expression] {
    if table.view != nil { return columnsOfTarget(Array(table.columns.indices)) }
    guard let primaryKey = table.primaryKeyIndex else { return columnsOfTarget([-1]) }
    return columnsOfTarget(
      primaryKey.columns.prefix(primaryKey.keyColumnCount).map(\.tableColumn))
  }

  private func columnsOfTarget(_ columns: [Int], isKept: Bool = false) -> [Expression] {
    columns.map {
      Expression(
        .columnOfFirstSource(Int32($0), isKept: isKept), range: noRange, height: 1, in: memory)
    }
  }

  private func checkIsNotInFrom(
    _ statement: UpdateStatement, _ items: TreeList<FromItem>, _ target: BoundTarget
  ) throws(SQLError) {
    for item in items {
      if case .join(let inner) = item.source { try checkIsNotInFrom(statement, inner, target) }
      guard case .table(let schema, let name, _) = item.source, item.alias == statement.alias,
        commonTable(named: name) == nil || schema != nil
      else { continue }
      guard name == target.table.name, let table = try? table(schema, name),
        table.databaseIndex == target.table.databaseIndex
      else { continue }
      let shown = (statement.alias ?? target.table.name).string
      throw .sql("target object/alias may not appear in FROM clause: \(shown)")
    }
  }

  // MARK: ORDER BY and LIMIT

  func checkOrder(
    _ orderBy: TreeList<OrderingTerm>, _ limit: Expression?, _ verb: String
  ) throws(SQLError) {
    if !orderBy.isEmpty && limit == nil { throw .sql("ORDER BY without LIMIT on \(verb)") }
  }

  /// WHERE with the LIMIT of a table in it: the key is among those that a SELECT of the same rows
  /// gives.
  func limited(
    _ condition: Expression?, _ target: BoundTarget, _ item: FromItem,
    _ orderBy: TreeList<OrderingTerm>, _ limit: (count: Expression?, offset: Expression?),
    _ verb: String
  ) throws(SQLError) -> Expression? {
    // The rows of a view have no key: they are ordered and limited when they are collected.
    if target.table.view != nil { return condition }
    try checkOrder(orderBy, limit.count, verb)
    guard let count = limit.count else { return condition }
    let keys = keyColumns(of: target.table)
    let core = SimpleSelect(
      isDistinct: false, columns: keys.map { .expression($0, alias: nil, textRange: noRange) },
      from: [item], whereClause: condition, groupBy: [], having: nil, windows: [],
      in: memory)
    let select = SelectStatement(
      with: nil, cores: [.select(core)], operators: [], orderBy: orderBy, limit: count,
      offset: limit.offset, range: noRange, in: memory)
    let key =
      keys.count == 1
      ? keys[0] : Expression(.row(memory.list(keys)), range: noRange, height: 2, in: memory)
    return Expression(
      .inSelect(key, select, isNegated: false), range: noRange,
      height: 2 + (condition?.height ?? 0), in: memory)
  }
}
