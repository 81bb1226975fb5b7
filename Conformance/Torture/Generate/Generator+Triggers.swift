/// Triggers of every form; what they do ends soon, whatever sets them off.
extension Generator {
  mutating func makeTrigger() -> String {
    let table = random.pick(tables)
    let event = random.pick(["INSERT", "INSERT", "UPDATE", "UPDATE", "DELETE"])
    let names = table.columns.map(\.name)
    var sql = "CREATE \(random.chance(5) ? "TEMP " : "")TRIGGER \(freshName("g")) "
    sql += table.isView != random.chance(3) ? "INSTEAD OF " : random.pick(["BEFORE ", "AFTER ", ""])
    sql += event
    if event == "UPDATE", random.chance(40) {
      sql += " OF " + random.sample(names, random.within(1...2)).joined(separator: ", ")
    }
    sql += " ON \(table.name)" + random.pick(["", " FOR EACH ROW"])
    var rows: [String] = []
    if event != "DELETE" { rows.append("NEW") }
    if event != "INSERT" { rows.append("OLD") }
    var scope = ExpressionScope()
    for row in rows {
      scope.columns += names.map { "\(row).\($0)" }
      if table.hasRowID, !table.isView, random.chance(20) { scope.columns.append("\(row).rowid") }
    }
    if random.chance(25) { sql += " WHEN " + condition(scope, depth: 1) }
    isWriting = true
    defer { isWriting = false }
    let steps = (0..<random.pick([1, 1, 1, 2])).map { _ in step(of: table, scope) + "; " }
    return sql + " BEGIN " + steps.joined() + "END"
  }

  /// A statement of a trigger on `table`; it changes few rows.
  private mutating func step(of table: TableModel, _ scope: ExpressionScope) -> String {
    // Writing on to later tables only ends by itself; the rest is rare and is guarded.
    let others = tables.filter { !$0.isView && !$0.isTemporary && $0.name != table.name }
    guard let target = others.isEmpty ? nil : random.pick(others) else { return raise(scope) }
    let names = target.columns.map(\.name)
    let inner = ExpressionScope(columns: names + scope.columns)
    switch random.below(100) {
    case 0..<35:
      let columns = random.sample(
        target.writableColumns.map(\.name), random.within(1...max(target.columns.count, 1)))
      let values = columns.map { _ in
        random.chance(75) ? leaf(scope) : expression(scope, depth: 2)
      }
      return "INSERT \(random.pick(["", "OR IGNORE ", "OR REPLACE "]))INTO \(target.name)"
        + "(\(columns.joined(separator: ", "))) "
        + (random.chance(80)
          ? "VALUES (\(values.joined(separator: ", ")))"
          : "SELECT \(values.joined(separator: ", ")) WHERE \(condition(scope, depth: 1))")
    case 35..<60:
      let column = random.pick(target.writableColumns.map(\.name))
      return "UPDATE \(random.pick(["", "", "OR IGNORE ", "OR REPLACE "]))\(target.name)"
        + " SET \(column) = \(expression(inner, depth: 1))"
        + " WHERE \(random.pick(names)) = \(leaf(scope))"
        + (random.chance(20) ? " AND " + condition(inner, depth: 1) : "")
    case 60..<72:
      return "DELETE FROM \(target.name) WHERE \(random.pick(names)) = \(leaf(scope))"
        + " AND \(random.pick(names)) \(random.pick(["<", ">", "IS"])) \(leaf(scope))"
    case 72..<78 where !table.isView && !table.writableColumns.isEmpty:
      // Itself: with recursive_triggers until the condition fails.
      let column = random.pick(table.writableColumns.map(\.name))
      return "UPDATE \(table.name) SET \(column) = \(column) + 1 WHERE \(column) IS"
        + " \(random.pick(scope.columns)) AND typeof(\(column)) = 'integer' AND \(column) < 9"
    case 78..<84: return "SELECT " + expression(scope, depth: 2)
    default: return raise(scope)
    }
  }

  private mutating func raise(_ scope: ExpressionScope) -> String {
    let kind = random.pick(["IGNORE", "IGNORE", "ABORT", "FAIL", "ROLLBACK"])
    let message =
      kind == "IGNORE"
      ? "" : ", " + (random.chance(70) ? "'raised'" : expression(scope, depth: 1))
    let call = "RAISE(\(kind)\(message))"
    return random.chance(50)
      ? "SELECT \(call) WHERE \(condition(scope, depth: 1))"
      : "SELECT CASE WHEN \(condition(scope, depth: 1)) THEN \(call) END"
  }
}
