// INSERT INTO a SELECT * FROM b between tables of one shape: while `a` is empty, whole records go
// from tree to tree, and rows keep their rowids. SQLite does the same, which shows in the rowids of
// tables without INTEGER PRIMARY KEY.

extension Binder {
  /// The table whose records an INSERT may copy; nil where its rows must be made one by one.
  func transfer(
    by statement: InsertStatement, _ rows: BoundInsert.Rows, into bound: BoundTarget
  ) -> BoundTransfer? {
    let target = bound.table
    guard bound.triggers.isEmpty, bound.parentLinks.isEmpty, target.view == nil,
      case .select(let select) = rows, case .simple(let simple) = select.body,
      statement.columns.isEmpty, statement.upserts.isEmpty, statement.returning.isEmpty,
      statement.with == nil, let syntax = statement.source, Binder.isWholeTable(syntax),
      simple.sources.count == 1, case .table(let source) = simple.sources[0].kind,
      simple.whereClause == nil, !target.hasAutoincrement, uses == nil,
      Binder.hasShape(of: source, target)
    else { return nil }
    return transfer(from: source, to: target)
  }

  /// `SELECT * FROM name`, and nothing more.
  private static func isWholeTable(_ select: SelectStatement) -> Bool {
    guard select.with == nil, select.cores.count == 1, select.orderBy.isEmpty,
      select.limit == nil, case .select(let core) = select.cores[0],
      !core.isDistinct, core.columns.count == 1, case .star = core.columns[0],
      core.from.count == 1, case .table = core.from[0].source, core.from[0].on == nil,
      core.whereClause == nil, core.groupBy.isEmpty, core.having == nil
    else { return false }
    return true
  }

  /// Whether every record of `source` is a record that `target` could have.
  private static func hasShape(of source: Table, _ target: Table) -> Bool {
    guard source.view == nil, !source.isVirtual, source.rootPage.rawValue > 1,
      source.databaseIndex != target.databaseIndex || source.rootPage != target.rootPage,
      source.isWithoutRowid == target.isWithoutRowid, source.rowidColumn == target.rowidColumn,
      source.isStrict || !target.isStrict, source.columns.count == target.columns.count
    else { return false }
    for index in target.columns.indices {
      let left = source.columns[index], right = target.columns[index]
      guard hasShape(of: left, right) else { return false }
      // Every record has the first column.
      guard
        index == 0 || isWrittenSame(left.defaultValue, source.text, right.defaultValue, target.text)
      else { return false }
    }
    return true
  }

  private static func hasShape(of source: Table.Column, _ target: Table.Column) -> Bool {
    guard source.affinity == target.affinity, source.collation == target.collation,
      source.isNotNull || !target.isNotNull, source.isHidden == target.isHidden
    else { return false }
    // `SELECT *` has values of generated columns, for which INSERT has no place.
    return source.generated == nil && target.generated == nil
  }

  /// Whether two values are written alike, byte for byte.
  private static func isWrittenSame(
    _ left: Expression?, _ leftText: SQLText, _ right: Expression?, _ rightText: SQLText
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return leftText.bytes(left.range).elementsEqual(rightText.bytes(right.range))
  }

  // MARK: What is computed of a row

  /// What the definition of a table computes of its rows.
  private struct Definition {
    var checks: [BoundExpression] = []
    let rows: BoundSource

    func parts(of index: Index) -> BoundSourceContent.IndexExpressions? {
      rows.indexExpressions.first { $0.index === index }
    }
  }

  /// Expressions that are written alike may mean other columns, and the other way round: they are
  /// compared as bound over rows of one and the same source.
  private func transfer(from source: Table, to target: Table) -> BoundTransfer? {
    let id = newSourceID()
    guard let left = ifBound({ () throws(SQLError) in try definition(of: source, id) }),
      let right = ifBound({ () throws(SQLError) in try definition(of: target, id) }),
      right.checks.isEmpty || BoundExpression.areSame(left.checks, right.checks)
    else { return nil }
    var indexes: [Index] = []
    for index in target.indexes {
      let same = source.indexes.first { candidate in
        Binder.hasShape(of: candidate, index)
          && Binder.isSame(left.parts(of: candidate), right.parts(of: index))
      }
      guard let same else { return nil }
      indexes.append(same)
    }
    return BoundTransfer(source: source, indexes: indexes)
  }

  private func definition(of table: Table, _ id: SourceID) throws(SQLError) -> Definition {
    var definition = Definition(
      rows: BoundSource(
        id: id, kind: .table(table), label: table.name, hasAlias: false,
        databaseIndex: table.databaseIndex, join: .inner, in: memory))
    try withDefinition(of: table, over: definition.rows) { (scope) throws(SQLError) in
      for check in table.checks {
        definition.checks.append(try bindScalar(check.expression, scope, at: .check))
      }
    }
    for index in table.indexes where index.hasExpressions {
      try bindIndex(index, definition.rows)
    }
    return definition
  }

  private static func hasShape(of candidate: Index, _ index: Index) -> Bool {
    guard candidate.isUnique == index.isUnique, candidate.onConflict == index.onConflict,
      candidate.keyColumnCount == index.keyColumnCount,
      candidate.columns.count == index.columns.count,
      candidate.hasExpressions == index.hasExpressions,
      (candidate === candidate.table.primaryKeyIndex) == (index === index.table.primaryKeyIndex)
    else { return false }
    return zip(candidate.columns, index.columns).allSatisfy {
      $0.tableColumn == $1.tableColumn && $0.collation == $1.collation
        && $0.isDescending == $1.isDescending
    }
  }

  private static func isSame(
    _ left: BoundSourceContent.IndexExpressions?, _ right: BoundSourceContent.IndexExpressions?
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.columns.count == right.columns.count
      && zip(left.columns, right.columns).allSatisfy { isSame($0, $1) }
      && isSame(left.condition, right.condition)
  }

  private static func isSame(_ left: BoundExpression?, _ right: BoundExpression?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.isSame(as: right)
  }
}
