/// WITH: several common tables, recursive ones, in queries and in changes.
extension Generator {
  mutating func withClause() -> String {
    let (head, name, columns) = commonTables()
    let scope = ExpressionScope(columns: columns.map { "\(name).\($0)" })
    let table = random.pick(tables)
    switch random.below(100) {
    case 0..<30:
      let column = random.pick(table.columns.map { "\(table.name).\($0.name)" })
      return head + "SELECT * FROM \(name) \(random.pick(["LEFT ", ""]))JOIN \(table.name)"
        + " ON \(random.pick(scope.columns)) = \(column)"
    case 30..<45:
      return head + "SELECT a.\(columns[0]), b.\(columns[0]) FROM \(name) a, \(name) b"
        + " WHERE a.\(columns[0]) = b.\(columns[0])"
    case 45..<60:
      let call = aggregateCall(ExpressionScope(columns: columns), depth: 1)
      return head + "SELECT \(call), \(columns[0]) FROM \(name) GROUP BY \(columns[0])"
    case 60..<70:
      let column = table.columns[0].name
      return head + "SELECT * FROM \(table.name) WHERE \(column) IN"
        + " (SELECT \(columns[0]) FROM \(name))"
    default: return head + "SELECT * FROM \(name) WHERE " + condition(scope, depth: 2)
    }
  }

  /// A WITH clause, and the table of it that may be used.
  mutating func commonTables() -> (head: String, name: String, columns: [String]) {
    if random.chance(45) {
      let columns = ["n", "x"]
      var head = "WITH RECURSIVE " + recursiveTable()
      if random.chance(20) {
        let scope = ExpressionScope(columns: columns)
        head += ", d(m) AS (SELECT n FROM r WHERE \(condition(scope, depth: 1)))"
        return (head + " ", "d", ["m"])
      }
      return (head + " ", "r", columns)
    }
    let count = random.within(1...3)
    let names = (0..<count).map { "v\($0)" }
    let hint = random.pick(["", "", " MATERIALIZED", " NOT MATERIALIZED"])
    let body = random.chance(85) ? select(columnCount: count, depth: 1) : values(columnCount: count)
    let head = "WITH c(\(names.joined(separator: ", "))) AS\(hint) (\(body))"
    guard random.chance(20) else { return (head + " ", "c", names) }
    let scope = ExpressionScope(columns: names)
    let second = "SELECT \(leaf(scope)), \(expression(scope, depth: 1)) FROM c"
    return (head + ", d(y, z) AS (\(second)) ", "d", ["y", "z"])
  }

  /// Counts to a small number, and carries a value or a table's rows along.
  private mutating func recursiveTable() -> String {
    let scope = ExpressionScope(columns: ["n", "x"])
    let all = random.pick([" UNION ALL ", " UNION ALL ", " UNION "])
    let table = random.pick(tables)
    let column = random.pick(table.columns).name
    let start = random.pick([
      "SELECT 1, \(literal())", "VALUES (1, \(literal())), (2, \(literal()))",
      "SELECT 1, \(column) FROM \(table.name)",
    ])
    let limit = random.within(2...6)
    var next: String
    switch random.below(10) {
    case 0..<6: next = "SELECT n + 1, \(expression(scope, depth: 1)) FROM r WHERE n < \(limit)"
    case 6..<8:
      next = "SELECT n + 1, \(table.name).\(column) FROM r JOIN \(table.name)"
        + " ON \(table.name).\(column) \(random.pick(["=", "IS", ">"])) x WHERE n < 3"
    default:
      next = "SELECT n + 1, x FROM r WHERE n < \(limit)\(all)SELECT n + 2, \(literal()) FROM r"
        + " WHERE n < 3"
    }
    if random.chance(30) {
      next += " ORDER BY " + random.pick(["1", "2 DESC, 1", "1 DESC, 2", "2, 1"])
      if random.chance(40) { next += " LIMIT \(random.within(1...12))" }
    }
    return "r(n, x) AS (\(start)\(all)\(next))"
  }

  /// A change with common tables in front.
  mutating func changeWithCommonTables() -> String {
    isWriting = true
    defer { isWriting = false }
    let (head, name, columns) = commonTables()
    let writable = tables.filter { !$0.isView }
    let table = random.pick(writable.isEmpty ? tables : writable)
    let column = random.pick(table.columns).name
    let target = random.pick(table.writableColumns).name
    switch random.below(3) {
    case 0:
      return head + "INSERT OR \(random.pick(["IGNORE", "REPLACE"])) INTO \(table.name)(\(target))"
        + " SELECT \(columns[0]) FROM \(name) LIMIT 5"
    case 1:
      return head + "UPDATE OR IGNORE \(table.name) SET \(target) = (SELECT max(\(columns[0]))"
        + " FROM \(name)) WHERE \(column) IN (SELECT \(columns[columns.count - 1]) FROM \(name))"
    default:
      return head + "DELETE FROM \(table.name) WHERE \(column) IN (SELECT"
        + " \(columns[columns.count - 1]) FROM \(name))"
    }
  }
}
