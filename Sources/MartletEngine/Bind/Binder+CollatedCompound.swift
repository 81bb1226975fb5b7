// A compound SELECT whose ORDER BY has a COLLATE, with an operator that has to find equal rows.
//
//     SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 COLLATE nocase LIMIT 5
//     SELECT * FROM (SELECT a FROM t UNION SELECT b FROM u) ORDER BY 1 COLLATE nocase LIMIT 5
//
// SQLite's merge sorts by the ORDER BY and finds equal rows in that order, which another collation
// than the columns' own would spoil; so it takes the compound as a subquery
// (`convertCompoundSelectToSubquery`). It shows: columns are named as those of a subquery, and what
// belongs to the last part as a whole (DISTINCT, GROUP BY, HAVING) goes to the SELECT around, the
// latter two away from the part. SQLite does so for SELECTs of the statement's own text alone,
// before it looks into views, common tables and triggers, and before ON is a part of WHERE: there
// the part keeps what belongs to it.

extension Binder {
  /// The SELECT around a compound; nil where the compound can be merged as it is.
  static func collatedCompound(
    _ statement: SelectStatement, _ orderBy: TreeList<BoundOrderingTerm>, _ binder: Binder
  ) throws(SQLError) -> SelectStatement? {
    guard binder.convertsCompounds, statement.operators.contains(where: { $0 != .unionAll }),
      statement.orderBy.contains(where: \.hasCollate)
    else { return nil }
    let memory = binder.memory
    var terms = TreeList<OrderingTerm>()
    for (term, bound) in zip(statement.orderBy, orderBy) {
      terms.append(try binder.numbered(term, bound.resultColumn), in: memory)
    }
    var cores = Array(statement.cores)
    var last: SimpleSelect?
    if case .select(let select) = cores[cores.count - 1] {
      last = select
      cores[cores.count - 1] = .select(
        SimpleSelect(
          isDistinct: select.isDistinct, columns: select.columns, from: select.from,
          whereClause: select.whereClause, groupBy: [], having: nil, windows: select.windows,
          in: memory))
    }
    let inner = SelectStatement(
      with: nil, cores: cores, operators: statement.operators, orderBy: [], limit: nil,
      offset: nil, range: statement.range, height: statement.height, number: statement.number,
      in: memory)
    let source = FromItem(
      source: .select(inner), alias: nil, join: .inner, on: nil, using: [],
      range: statement.range, in: memory)
    let around = SimpleSelect(
      isDistinct: last?.isDistinct ?? false, columns: [.star], from: [source], whereClause: nil,
      groupBy: last?.groupBy ?? [], having: last?.having, windows: [], in: memory)
    return SelectStatement(
      with: nil, cores: [.select(around)], operators: [], orderBy: terms,
      limit: statement.limit, offset: statement.offset, range: statement.range,
      height: statement.height, number: statement.number, in: memory)
  }

  /// The term with its column by number.
  private func numbered(_ term: OrderingTerm, _ position: Int) throws(SQLError) -> OrderingTerm {
    let digits = try makeName(String(position + 1))
    var expression = Expression(
      .number(ByteSlice(start: digits.start, count: Int(digits.count))),
      range: term.expression.range, height: 1, in: memory)
    if case .collate(_, let name) = term.expression.kind {
      expression = Expression(
        .collate(expression, name), range: term.expression.range, height: 2, in: memory)
    }
    return OrderingTerm(expression: expression, direction: term.direction, nulls: term.nulls)
  }
}

extension OrderingTerm {
  fileprivate var hasCollate: Bool {
    if case .collate = expression.kind { return true }
    return false
  }
}
