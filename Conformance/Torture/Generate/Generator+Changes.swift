/// INSERT, UPDATE and DELETE with their conflict clauses, upserts and RETURNING.
extension Generator {
  private mutating func changedTable() -> TableModel {
    let writable = tables.filter { !$0.isView }
    return random.pick(random.chance(98) && !writable.isEmpty ? writable : tables)
  }

  private mutating func conflictClause() -> String {
    random.pick(["", "", "", "OR IGNORE ", "OR REPLACE ", "OR FAIL ", "OR ABORT ", "OR ROLLBACK "])
  }

  private mutating func returning(_ table: TableModel) -> String {
    guard random.chance(18) else { return "" }
    let names = table.columns.map(\.name)
    return " RETURNING "
      + random.pick([
        "*", "\(names[0]), \(names[names.count - 1])", "\(names[0]) || 'x' AS q",
        table.hasRowID ? "rowid, *" : "*", expression(ExpressionScope(columns: names), depth: 2),
      ])
  }

  mutating func insert() -> String {
    isWriting = true
    defer { isWriting = false }
    let table = changedTable()
    var columns = table.writableColumns.map(\.name)
    var list = ""
    if random.chance(40) {
      columns = random.sample(columns, random.within(1...max(columns.count, 1)))
      if table.hasRowID, !table.isView, random.chance(20) { columns.append("rowid") }
      list = "(\(columns.joined(separator: ", ")))"
    }
    var conflict = conflictClause()
    var upsert = ""
    if random.chance(25) {
      upsert = self.upsert(table)
      conflict = ""
    }
    let verb =
      random.chance(6) && conflict.isEmpty && upsert.isEmpty ? "REPLACE " : "INSERT \(conflict)"
    let source: String
    switch random.below(100) {
    case 0..<6:
      return "\(verb)INTO \(table.name) DEFAULT VALUES" + returning(table)
    case 6..<24:
      let other = random.pick(tables)
      let scope = ExpressionScope(columns: other.columns.map(\.name))
      let items = columns.map { _ in expression(scope, depth: random.below(3)) }
      // Without WHERE a parser could take ON CONFLICT for a join's ON.
      source =
        "SELECT \(items.joined(separator: ", ")) FROM \(other.name) WHERE "
        + condition(scope, depth: 2) + (random.chance(30) ? " LIMIT \(random.below(6))" : "")
    default:
      let rows = (0..<random.pick(isBulky ? [1, 5, 20] : [1, 1, 1, 2, 3])).map { _ in
        "(" + columns.map { _ in insertedValue() }.joined(separator: ", ") + ")"
      }
      source = "VALUES " + rows.joined(separator: ", ")
    }
    return "\(verb)INTO \(table.name)\(list) \(source)\(upsert)\(returning(table))"
  }

  private mutating func insertedValue() -> String {
    random.chance(92) ? literal() : expression(ExpressionScope(), depth: 2)
  }

  private mutating func upsert(_ table: TableModel) -> String {
    var text = ""
    for isLast in random.chance(15) ? [false, true] : [true] {
      let key = random.pick(table.keys.isEmpty ? [[table.columns[0].name]] : table.keys)
      let target = isLast && random.chance(30) ? "" : "(\(key.joined(separator: ", ")))"
      text += " ON CONFLICT\(target) DO "
      if random.chance(35) {
        text += "NOTHING"
      } else {
        let names = table.columns.map(\.name)
        let scope = ExpressionScope(columns: names + names.map { "excluded.\($0)" })
        let column = random.pick(table.writableColumns.map(\.name))
        text += "UPDATE SET \(column) = \(expression(scope, depth: 1))"
        if random.chance(30) { text += " WHERE " + condition(scope, depth: 1) }
      }
    }
    return text
  }

  mutating func update() -> String {
    isWriting = true
    defer { isWriting = false }
    let table = changedTable()
    let names = table.columns.map(\.name)
    let scope = ExpressionScope(columns: names, allowsSubqueries: random.chance(15))
    var changed = random.sample(table.writableColumns.map(\.name), random.within(1...2))
    if table.hasRowID, !table.isView, random.chance(6) { changed = ["rowid"] }
    var sets = changed.map { "\($0) = \(expression(scope, depth: random.below(3)))" }
    if changed == ["rowid"] { sets = ["rowid = rowid + \(random.within(-2...20))"] }
    if changed.count == 2, random.chance(10) {
      sets = ["(\(changed[0]), \(changed[1])) = (\(leaf(scope)), \(leaf(scope)))"]
    }
    var sql = "UPDATE \(conflictClause())\(table.name) SET \(sets.joined(separator: ", "))"
    if random.chance(85) { sql += " WHERE " + conjunction(scope) }
    return sql + returning(table)
  }

  mutating func delete() -> String {
    let table = changedTable()
    guard random.chance(92) else { return "DELETE FROM \(table.name)" + returning(table) }
    let scope = ExpressionScope(
      columns: table.columns.map(\.name), allowsSubqueries: random.chance(15))
    var terms = [condition(scope, depth: 2)]
    // Mostly few rows, so that the tables do not stay empty.
    if random.chance(60) { terms.append(condition(scope, depth: 1)) }
    return "DELETE FROM \(table.name) WHERE \(terms.joined(separator: " AND "))" + returning(table)
  }
}
