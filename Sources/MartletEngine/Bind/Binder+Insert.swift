// INSERT (lang_insert).

extension Binder {
  func bindInsert(_ statement: InsertStatement) throws(SQLError) -> BoundInsert {
    if let with = statement.with { commonTables = CommonTableScope(with, outer: nil) }
    let target = try bindTarget(
      statement.table, alias: statement.alias, indexed: nil, .insert,
      returns: !statement.returning.isEmpty)
    if authorizer != nil { try authorize(statement, target.table) }
    let rows = try bindRows(statement.source)
    var placement = try place(statement, target.table)
    try checkCount(rows, statement, target.table, &placement)
    if target.table.view != nil && !statement.upserts.isEmpty {
      throw .sql("cannot UPSERT a view")
    }
    if target.table.isVirtual && !statement.upserts.isEmpty {
      throw .sql("UPSERT not implemented for virtual table \"\(target.table.name.string)\"")
    }
    var upserts: [BoundUpsert] = [], returning: TreeList<BoundResultColumn> = []
    var refusal: SQLError?
    do {
      upserts = try bindUpserts(statement, target, givesRowid: placement.rowid >= 0)
      returning = try bindReturning(statement.returning, of: target.new, target)
      try bindIndexedColumns(target)
    } catch {
      // SQLite compiles the SELECT before it looks at these: the SELECT's mistakes come first.
      guard case .select = rows, uses == nil else { throw error }
      refusal = error
    }
    try throwPostponedError()
    return BoundInsert(
      target: target, policy: policy(statement.conflict), rows: rows,
      positions: placement.positions,
      rowidPosition: placement.rowid,
      defaults: try bindDefaults(target.table, where: { placement.positions[$0] < 0 }),
      upserts: upserts, returning: returning, refusal: refusal,
      transfer: transfer(by: statement, rows, into: target))
  }

  /// The defaults of columns that get no value, and of those where REPLACE puts them for NULL.
  func bindDefaults(
    _ table: Table, where isNeeded: (Int) -> Bool
  ) throws(SQLError) -> [BoundExpression?] {
    var defaults: [BoundExpression?] = []
    defaults.reserveCapacity(table.columns.count)
    for index in table.columns.indices {
      let isDue =
        table.columns[index].defaultValue != nil
        && (isNeeded(index) || table.columns[index].isNotNull)
      defaults.append(isDue ? try bindDefault(table.columns[index], table) : nil)
    }
    return defaults
  }

  private func authorize(_ statement: InsertStatement, _ table: Table) throws(SQLError) {
    let isMultiRow = statement.source.map(Binder.isMultiRowValues) ?? false
    if isMultiRow { try authorizeSelect() }
    guard try mayChange(table, .insert) else { throw .statementIgnored }
    guard let source = statement.source, !isMultiRow else { return }
    if source.cores.count == 1, case .values = source.cores[0] { return }
    try authorizeSelect()
  }

  private func bindRows(_ source: SelectStatement?) throws(SQLError) -> BoundInsert.Rows {
    guard let source else { return .defaultValues }
    if let row = source.onlyRow {
      let scope = Scope(outer: nil, selectID: newSelectID())
      scope.clause = .result
      var values: [BoundExpression] = []
      values.reserveCapacity(row.count)
      for item in row { values.append(try bindEntire(item, scope)) }
      return .one(values)
    }
    return .select(try bindSelect(source, outer: nil, role: .expression))
  }

  // MARK: Columns

  private struct Placement {
    var positions: [Int]
    var rowid = -1
    /// How many values a row must have.
    var count = 0
    /// A column's value is given though it is generated.
    var generatedColumn = -1
  }

  /// ALTER TABLE does not ask whether triggers name columns to insert that there are.
  private func place(
    _ statement: InsertStatement, _ table: Table
  ) throws(SQLError) -> Placement {
    var placement = Placement(positions: [])
    placement.positions.reserveCapacity(table.columns.count)
    for _ in table.columns.indices { placement.positions.append(-1) }
    guard !statement.columns.isEmpty else {
      for index in table.columns.indices
      where table.columns[index].generated == nil && !table.columns[index].isHidden {
        placement.positions[index] = placement.count
        placement.count += 1
      }
      placement.rowid = table.rowidColumn < 0 ? -1 : placement.positions[table.rowidColumn]
      return placement
    }
    placement.count = statement.columns.count
    for (position, name) in statement.columns.enumerated() {
      let column = table.columnIndex(of: name)
      if column >= 0 {
        uses?.noteTarget(name, of: table)
        // The first of several values for a column counts.
        if placement.positions[column] < 0 { placement.positions[column] = position }
        if table.columns[column].generated != nil && uses == nil {
          throw .sql(
            "cannot INSERT into generated column \"\(table.columns[column].name.string)\"")
        }
        if column == table.rowidColumn { placement.rowid = position }
      } else if Binder.isRowidName(name) && !table.isWithoutRowid {
        placement.rowid = position
      } else if uses == nil {
        throw .sql("table \(written(statement.table)) has no column named \(name.string)")
      }
    }
    return placement
  }

  private func written(_ name: QualifiedName) -> String {
    name.schema.map { "\($0.string).\(name.name.string)" } ?? name.name.string
  }

  private func checkCount(
    _ rows: BoundInsert.Rows, _ statement: InsertStatement, _ table: Table,
    _ placement: inout Placement
  ) throws(SQLError) {
    let count: Int
    switch rows {
    case .defaultValues:
      if !statement.columns.isEmpty {
        throw .sql("0 values for \(placement.count) columns")
      }
      placement.positions = Array(repeating: -1, count: table.columns.count)
      placement.rowid = -1
      return
    case .one(let values): count = values.count
    case .select(let select): count = select.columns.count
    }
    // ALTER TABLE does not count what triggers insert.
    guard count != placement.count, uses == nil else { return }
    if statement.columns.isEmpty {
      throw .sql(
        "table \(written(statement.table)) has \(placement.count) columns but "
          + "\(count) values were supplied")
    }
    throw .sql("\(count) values for \(placement.count) columns")
  }
}

extension SelectStatement {
  /// The row of VALUES with one row and nothing else: no SELECT for SQLite, so that it may have no
  /// aggregates.
  fileprivate var onlyRow: TreeList<Expression>? {
    guard self.with == nil, self.cores.count == 1, self.orderBy.isEmpty, self.limit == nil,
      case .values(let rows) = self.cores[0], rows.count == 1
    else { return nil }
    return rows[0]
  }
}
