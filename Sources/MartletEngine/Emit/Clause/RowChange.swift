/// New values of a row, with what follows from them.
final class RowChange {
  let target: BoundTarget
  let assignments: BoundAssignments
  let policy: ConflictPolicy?
  /// For each column, whether it may get another value.
  let changedColumns: [Bool]
  let changesKey: Bool
  let triggers: FiredTriggers
  /// Foreign keys may make the row be deleted and written anew, with all entries of indexes.
  private(set) var rewritesRow = false

  var table: Table { target.table }

  init(
    _ target: BoundTarget, _ assignments: BoundAssignments, _ policy: ConflictPolicy?
  ) {
    self.target = target
    self.assignments = assignments
    self.policy = policy
    triggers = target.triggers(firedBy: .update, setting: assignments.names)
    let table = target.table
    var changed = assignments.values.map { $0 != nil }
    var changesKey = assignments.rowid != nil
    if let primaryKey = table.primaryKeyIndex {
      for column in primaryKey.columns.prefix(primaryKey.keyColumnCount)
      where changed[column.tableColumn] {
        changesKey = true
      }
    }
    for generated in target.generated {
      generated.expression.forEachColumn { _, column in
        let isKey = column < 0 || Int(column) == table.rowidColumn
        if isKey ? changesKey : changed[Int(column)] { changed[generated.column] = true }
      }
    }
    changedColumns = changed
    self.changesKey = changesKey
    guard target.hasForeignKeys else { return }
    rewritesRow =
      target.parentLinks.contains { $0.isSelfReferencing && $0.isChildChanged(changes(column:)) }
      || target.childLinks.contains {
        $0.clause.onUpdate != .noAction && $0.isParentChanged(table, changes(column:))
      }
  }

  /// Whether SET names the column, or it is computed from one; -1 is the rowid.
  func changes(column: Int) -> Bool {
    column < 0 ? assignments.rowid != nil : changedColumns[column]
  }

  /// Whether entries of the index change.
  func changes(_ index: Index) -> Bool {
    if changesKey || rewritesRow || index === table.primaryKeyIndex { return true }
    for column in index.columns where column.tableColumn >= 0 {
      if changedColumns[column.tableColumn] { return true }
    }
    guard let bound = target.new.expressions(of: index) else { return false }
    var isChanged = false
    for case let expression? in bound.columns + [bound.condition] {
      expression.forEachColumn { _, column in
        if column >= 0 && changedColumns[Int(column)] { isChanged = true }
      }
    }
    return isChanged
  }

  /// A conflict may delete other rows.
  var mayReplace: Bool {
    if let policy { return policy == .replace }
    if table.primaryKeyConflict == .replace && changesKey { return true }
    return table.indexes.contains {
      $0.onConflict == .replace && ($0 === table.primaryKeyIndex ? changesKey : changes($0))
    }
  }
}
