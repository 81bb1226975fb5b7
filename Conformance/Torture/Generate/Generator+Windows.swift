/// Window functions over one table, with every kind of frame.
extension Generator {
  mutating func windowQuery() -> String {
    let table = random.pick(tables)
    let names = table.columns.map(\.name)
    let scope = ExpressionScope(columns: names)
    let isNamed = random.chance(25)
    let over = isNamed ? "w" : "(\(window(names)))"
    var items = [windowCall(scope) + " OVER " + over]
    if random.chance(40) { items.append(windowCall(scope) + " OVER (\(window(names)))") }
    items.append(random.pick(names))
    var sql = "SELECT \(items.joined(separator: ", ")) FROM \(table.name)"
    if random.chance(40) { sql += " WHERE " + condition(scope, depth: 1) }
    if isNamed { sql += " WINDOW w AS (\(window(names)))" }
    if random.chance(25) { sql += " ORDER BY 1, \(items.count)" }
    return sql
  }

  private mutating func windowCall(_ scope: ExpressionScope) -> String {
    let value = leaf(scope)
    switch random.below(14) {
    case 0: return "row_number()"
    case 1: return "rank()"
    case 2: return "dense_rank()"
    case 3: return "percent_rank()"
    case 4: return "cume_dist()"
    case 5: return "ntile(\(random.within(1...4)))"
    case 6: return "lag(\(value), \(random.below(3)), \(leaf(scope)))"
    case 7: return "lead(\(value))"
    case 8: return "first_value(\(value))"
    case 9: return "last_value(\(value))"
    case 10: return "nth_value(\(value), \(random.within(1...3)))"
    default:
      let name = random.pick(["count", "sum", "total", "avg", "min", "max", "group_concat"])
      let filter = random.chance(20) ? " FILTER (WHERE \(condition(scope, depth: 1)))" : ""
      return "\(name)(\(value))" + filter
    }
  }

  /// All columns order the rows, so that equal rows are the same.
  private mutating func window(_ names: [String]) -> String {
    var text = random.chance(45) ? "PARTITION BY \(random.pick(names)) " : ""
    let isRange = random.chance(25)
    let terms = isRange ? [random.pick(names)] : random.sample(names, names.count)
    text += "ORDER BY " + terms.map { $0 + random.pick(["", "", " DESC"]) }.joined(separator: ", ")
    guard random.chance(60) else { return text }
    text += " " + (isRange ? "RANGE" : random.pick(["ROWS", "ROWS", "GROUPS"]))
    let starts = [
      "UNBOUNDED PRECEDING", "2 PRECEDING", "1 PRECEDING", "CURRENT ROW", "1 FOLLOWING",
    ]
    let ends = ["1 PRECEDING", "CURRENT ROW", "1 FOLLOWING", "2 FOLLOWING", "UNBOUNDED FOLLOWING"]
    let first = random.below(starts.count)
    text +=
      random.chance(30)
      ? " \(starts[random.below(4)])"
      : " BETWEEN \(starts[first]) AND \(ends[random.within(max(first - 2, 0)...4)])"
    if random.chance(25) {
      text += " EXCLUDE " + random.pick(["NO OTHERS", "CURRENT ROW", "GROUP", "TIES"])
    }
    return text
  }
}
