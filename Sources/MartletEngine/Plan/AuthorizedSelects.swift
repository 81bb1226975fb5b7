/// Asks the authorizer about the SELECTs inside a bound statement and about tables of which no
/// column is read, in the order in which SQLite generates their code: subqueries in FROM that are
/// merged with the query around them, then the other sources, then subqueries in expressions.
struct AuthorizedSelects: SelectAuthorizer {
  let authorizer: Authorizer
  let catalog: Catalog

  /// The SELECTs of a statement.
  func check(_ statement: BoundStatement, view: String? = nil) throws(SQLError) {
    switch statement {
    case .select(let select): try check(select, view: view)
    case .insert(let insert):
      switch insert.rows {
      case .one(let values): for value in values { try check(value, view) }
      case .select(let select): try checkSource(select, view)
      case .defaultValues: break
      }
    case .update(let update):
      if let from = update.from {
        let name = update.target.table.view == nil ? view : update.target.table.name.string
        try check(from.select, view: name)
      }
      if update.viewRows == nil, let condition = update.rows.whereClause {
        try check(condition, view)
      }
      var values = update.assignments.values.compactMap { $0 }
      if let rowid = update.assignments.rowid { values.append(rowid) }
      try check(assigned: values, view)
    case .delete(let delete):
      if delete.viewRows == nil, let condition = delete.rows.whereClause {
        try check(condition, view)
      }
    default: break
    }
  }

  /// The statement's own SELECT, which was asked about when its names were resolved.
  func check(_ select: BoundSelect, view: String?) throws(SQLError) {
    switch select.body {
    case .simple: try checkSimple(select, view)
    case .values(let rows):
      if rows.count > 1 { try authorizer.require(.select, view: view) }
      for row in rows { for value in row { try check(value, view) } }
    case .compound(let parts, _, _): try checkCompound(parts[...], view)
    case .recursive(let recursion):
      try authorizer.require(.recursive, view: view)
      try authorizer.require(.select, view: view)
      try check(recursion.setup, view: view)
      try authorizer.require(.select, view: view)
      try check(recursion.step, view: view)
    case .currentRow: break
    }
  }

  /// The source of an INSERT: VALUES of several rows were asked about before the INSERT.
  private func checkSource(_ select: BoundSelect, _ view: String?) throws(SQLError) {
    guard case .values(let rows) = select.body else { return try check(select, view: view) }
    for row in rows { for value in row { try check(value, view) } }
  }

  /// Values of an UPDATE: several columns of one subquery are one SELECT.
  private func check(assigned values: [BoundExpression], _ view: String?) throws(SQLError) {
    var last: BoundSelect?
    for value in values {
      if case .subqueryColumn(let subquery, _) = value.kind {
        if last.map({ $0 === subquery }) == true { continue }
        last = subquery
      }
      try check(value, view)
    }
  }

  /// The last part of a compound comes behind all that is before it, which is a SELECT of its own.
  private func checkCompound(_ parts: ArraySlice<BoundSelect>, _ view: String?) throws(SQLError) {
    guard let last = parts.last, parts.count > 1 else {
      if let only = parts.first { try check(only, view: view) }
      return
    }
    try authorizer.require(.select, view: view)
    try checkCompound(parts.dropLast(), view)
    try authorizer.require(.select, view: view)
    try check(last, view: view)
  }

  private func checkSimple(_ select: BoundSelect, _ view: String?) throws(SQLError) {
    var merged = select
    if case .simple(let before) = select.body {
      var known = before.sources
      while let next = Flattener.mergingOne(merged), case .simple(let simple) = next.body {
        for source in known
        where !simple.sources.contains(where: { $0.id == source.id }) {
          try authorizer.require(.select, view: AuthorizedSelects.name(of: source))
        }
        merged = next
        known = simple.sources
      }
    }
    guard case .simple(let simple) = merged.body else { return try check(merged, view: view) }
    for source in simple.sources { try check(source, view) }
    for term in simple.whereClause?.conjuncts ?? [] {
      if case .exists = term.kind { continue }  // It becomes a join.
      try check(term, view)
    }
    for term in simple.groupBy { try check(term, view) }
    if let having = simple.having { try check(having, view) }
    for column in merged.columns { try check(column.expression, view) }
    for term in merged.orderBy where term.resultColumn < 0 { try check(term.expression, view) }
  }

  private func check(_ source: BoundSource, _ view: String?) throws(SQLError) {
    switch source.kind {
    case .table(let table):
      if source.usedColumns == 0 {
        try checkUnread(source, source.written?.name.string ?? table.authorizedName, view)
      }
    case .subquery(let select):
      // The row of a recursive table is no SELECT.
      if case .currentRow = select.body { return }
      let name = AuthorizedSelects.name(of: source)
      if source.usedColumns == 0, let name {
        try checkUnread(source, name, view)
      }
      try authorizer.require(.select, view: name)
      try check(select, view: name)
    }
  }

  /// A source of which no column is read is asked about as it is written.
  private func checkUnread(
    _ source: BoundSource, _ name: String, _ view: String?
  ) throws(SQLError) {
    _ = try authorizer.allows(
      .read, name, "", database: source.written?.database?.string, view: view)
  }

  /// The name that accesses inside the source are said to come from.
  private static func name(of source: BoundSource) -> String? {
    guard source.viewName != nil || source.commonTable != nil else { return nil }
    return (source.written?.name ?? source.viewName ?? source.commonTable?.name)?.string
  }

  /// Subqueries in an expression.
  func check(_ expression: BoundExpression, _ view: String?) throws(SQLError) {
    guard expression.traits.contains(.hasSubquery) else { return }
    var selects: [(BoundSelect, isRow: Bool)] = []
    expression.walk { node in
      guard let select = node.ownSubquery else { return true }
      if case .inSelect(let operand) = node.kind {
        if operand.isRowidOfTable { return true }
        selects.append((select, operand.operands.count > 1))
      } else {
        selects.append((select, false))
      }
      return true
    }
    var last: BoundSelect?
    for (select, isRow) in selects where last.map({ $0 === select }) != true {
      // The columns of one subquery are one SELECT.
      last = select
      try authorizer.require(.select, view: view)
      if isRow { try authorizer.require(.select, view: view) }
      try check(select, view: view)
    }
  }
}

extension BoundInSelect {
  /// SQLite looks up rowids of a whole table in the table itself.
  fileprivate var isRowidOfTable: Bool {
    guard case .simple(let simple) = select.body, simple.sources.count == 1,
      case .table = simple.sources[0].kind, simple.whereClause == nil, !simple.isAggregate,
      !select.isDistinct, select.limit == nil, select.columns.count == 1,
      case .column(let id, -1) = select.columns[0].expression.kind
    else { return false }
    return id == simple.sources[0].id
  }
}
