// INSERT INTO a SELECT * FROM b between tables of one shape: while `a` is empty, whole records go
// from tree to tree, and rows keep their rowids. SQLite does the same, which shows in the rowids of
// tables without INTEGER PRIMARY KEY.

extension Binder {
  /// The table whose records an INSERT may copy; nil where its rows must be made one by one.
  static func transferSource(
    of statement: InsertStatement, _ rows: BoundInsert.Rows, into bound: BoundTarget
  ) -> Table? {
    let target = bound.table
    guard bound.triggers.isEmpty, bound.parentLinks.isEmpty, target.view == nil,
      case .select(let select) = rows, case .simple(let simple) = select.body,
      statement.columns.isEmpty, statement.upserts.isEmpty, statement.returning.isEmpty,
      statement.with == nil, let syntax = statement.source, isWholeTable(syntax),
      simple.sources.count == 1, case .table(let source) = simple.sources[0].kind,
      simple.whereClause == nil, !target.hasAutoincrement, hasShape(of: source, target)
    else { return nil }
    return source
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
        index == 0 || isSame(left.defaultValue, source.text, right.defaultValue, target.text)
      else { return false }
    }
    guard hasChecks(of: source, target) else { return false }
    return target.indexes.allSatisfy { transferIndex(for: $0, of: source) != nil }
  }

  private static func hasShape(of source: Table.Column, _ target: Table.Column) -> Bool {
    guard source.affinity == target.affinity, source.collation == target.collation,
      source.isNotNull || !target.isNotNull, source.isHidden == target.isHidden
    else { return false }
    // `SELECT *` has values of generated columns, for which INSERT has no place.
    return source.generated == nil && target.generated == nil
  }

  private static func hasChecks(of source: Table, _ target: Table) -> Bool {
    guard source.checks.count == target.checks.count else { return false }
    return zip(source.checks, target.checks).allSatisfy {
      isSame($0.expression, source.text, $1.expression, target.text)
    }
  }

  /// The index of `source` that has the very entries which `index` will have.
  static func transferIndex(for index: Index, of source: Table) -> Index? {
    source.indexes.first { candidate in
      guard candidate.isUnique == index.isUnique, candidate.onConflict == index.onConflict,
        candidate.keyColumnCount == index.keyColumnCount,
        candidate.columns.count == index.columns.count,
        isSame(candidate.partialWhere, candidate.text, index.partialWhere, index.text),
        (candidate === source.primaryKeyIndex) == (index === index.table.primaryKeyIndex)
      else { return false }
      return zip(candidate.columns, index.columns).allSatisfy {
        $0.tableColumn == $1.tableColumn && $0.collation == $1.collation
          && $0.isDescending == $1.isDescending
          && isSame($0.expression, candidate.text, $1.expression, index.text)
      }
    }
  }

  /// Whether two expressions are written alike.
  private static func isSame(
    _ left: Expression?, _ leftText: SQLText, _ right: Expression?, _ rightText: SQLText
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return leftText.string(left.range) == rightText.string(right.range)
  }
}
