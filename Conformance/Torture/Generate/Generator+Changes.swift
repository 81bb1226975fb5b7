/// INSERT, UPDATE and DELETE with their conflict clauses, upserts and RETURNING.
extension Generator {
  private mutating func changedTable() -> TableModel {
    let writable = tables.filter { !$0.isView }
    return random.pick(random.chance(94) && !writable.isEmpty ? writable : tables)
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
    case 6..<9:
      let (head, name, names) = commonTables()
      let items = columns.map { _ in random.pick(names) }.joined(separator: ", ")
      source = "\(head)SELECT \(items) FROM \(name) WHERE true LIMIT 6"
    case 9..<24:
      let other = random.pick(tables)
      let scope = ExpressionScope(columns: other.columns.map(\.name))
      let items = columns.map { _ in expression(scope, depth: random.below(3)) }
      // Without WHERE a parser could take ON CONFLICT for a join's ON.
      source =
        "SELECT \(items.joined(separator: ", ")) FROM \(other.name) WHERE "
        + condition(scope, depth: 2) + (random.chance(30) ? " LIMIT \(random.below(6))" : "")
    default:
      let rows = (0..<random.pick(isBulky ? [1, 5, 20] : [1, 1, 1, 2, 3])).map { _ in
        "(" + columns.map { insertedValue($0, of: table) }.joined(separator: ", ") + ")"
      }
      source = "VALUES " + rows.joined(separator: ", ")
    }
    return "\(verb)INTO \(table.name)\(list) \(source)\(upsert)\(returning(table))"
  }

  private mutating func insertedValue(_ column: String, of table: TableModel) -> String {
    if let parent = table.parents[column] { return childValue(parent) }
    // Soon behind the largest rowid, those of new rows are random.
    if column == "rowid" || table.keys.contains([column]) { return rowNumber() }
    return random.chance(92) ? literal() : expression(ExpressionScope(), depth: 2)
  }

  /// A value for what may be the rowid.
  private mutating func rowNumber() -> String {
    while true {
      let value = literal()
      if !value.hasPrefix("922337203685477") { return value }
    }
  }

  private mutating func upsert(_ table: TableModel) -> String {
    var text = ""
    let names = table.columns.map(\.name)
    let scope = ExpressionScope(
      columns: names + names.map { "excluded.\($0)" }, allowsSubqueries: random.chance(10))
    for isLast in random.pick([[true], [true], [true], [false, true], [false, false, true]]) {
      let key = random.pick(table.keys.isEmpty ? [[table.columns[0].name]] : table.keys)
      var target = isLast && random.chance(30) ? "" : "(\(key.joined(separator: ", ")))"
      if !target.isEmpty, random.chance(4) { target += " WHERE \(names[0]) IS NOT NULL" }
      text += " ON CONFLICT\(target) DO "
      if random.chance(30) {
        text += "NOTHING"
      } else {
        let columns = random.sample(table.writableColumns.map(\.name), random.within(1...2))
        text += "UPDATE SET "
        if columns.count == 2, random.chance(25) {
          text += "(\(columns[0]), \(columns[1])) = (\(leaf(scope)), \(leaf(scope)))"
        } else {
          text += columns.map { "\($0) = \(expression(scope, depth: 1))" }.joined(separator: ", ")
        }
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
    if random.chance(10) { return updateFrom(table, changed) }
    if changed.count == 2, random.chance(10) {
      sets = ["(\(changed[0]), \(changed[1])) = (\(leaf(scope)), \(leaf(scope)))"]
    }
    var sql = "UPDATE \(conflictClause())\(table.name) SET \(sets.joined(separator: ", "))"
    if random.chance(85) { sql += " WHERE " + conjunction(scope) }
    if random.chance(7) { return sql + firstRows(table) }
    return sql + returning(table)
  }

  /// ORDER BY all columns, so that LIMIT leaves no choice.
  private mutating func firstRows(_ table: TableModel) -> String {
    let order = table.columns.map(\.name).joined(separator: ", ")
    let tail = " ORDER BY \(order) LIMIT \(random.below(5))"
    return random.chance(10) ? returning(table) + tail
      : random.chance(20) ? " LIMIT \(random.pick(["0", "-1", "1000"]))"
      : tail + (random.chance(30) ? " OFFSET 1" : "")
  }

  /// UPDATE … FROM a table whose rows have one key each.
  private mutating func updateFrom(_ table: TableModel, _ changed: [String]) -> String {
    let other = random.pick(tables)
    let key = random.pick(other.columns).name, value = random.pick(other.columns).name
    let own = table.columns.map { "\(table.name).\($0.name)" }
    let scope = ExpressionScope(columns: own + ["f.k", "f.x"])
    let sets = changed.map { "\($0) = \(expression(scope, depth: 1))" }.joined(separator: ", ")
    let source =
      "(SELECT \(key) AS k, max(\(value)) AS x FROM \(other.name) GROUP BY \(key)) AS f"
    return "UPDATE \(conflictClause())\(table.name) SET \(sets) FROM \(source)"
      + " WHERE \(random.pick(own)) IS f.k"
      + (random.chance(40) ? " AND " + condition(scope, depth: 1) : "") + returning(table)
  }

  mutating func delete() -> String {
    let table = changedTable()
    guard random.chance(92) else { return "DELETE FROM \(table.name)" + returning(table) }
    let scope = ExpressionScope(
      columns: table.columns.map(\.name), allowsSubqueries: random.chance(15))
    var terms = [condition(scope, depth: 2)]
    // Mostly few rows, so that the tables do not stay empty.
    if random.chance(60) { terms.append(condition(scope, depth: 1)) }
    let sql = "DELETE FROM \(table.name) WHERE \(terms.joined(separator: " AND "))"
    return sql + (random.chance(7) ? firstRows(table) : returning(table))
  }
}
