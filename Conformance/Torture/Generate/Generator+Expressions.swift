/// Expressions of every operator, over the columns of a scope.
extension Generator {
  mutating func expression(_ scope: ExpressionScope, depth: Int) -> String {
    guard depth > 0 else { return leaf(scope) }
    switch random.below(100) {
    case 0..<25: return leaf(scope)
    case 25..<42: return binary(scope, depth: depth)
    case 42..<56: return scalarCall(scope, depth: depth)
    case 56..<70: return condition(scope, depth: depth)
    case 70..<75: return "(\(expression(scope, depth: depth - 1)))"
    case 75..<79:
      return random.pick(["-", "+", "~", "NOT ", "- "]) + "(\(expression(scope, depth: depth - 1)))"
    case 79..<84: return cast(scope, depth: depth)
    case 84..<89: return caseExpression(scope, depth: depth)
    case 89..<91: return "\(leaf(scope)) COLLATE \(collation())"
    case 91..<96 where scope.allowsAggregates: return aggregateCall(scope, depth: depth)
    case 96..<99 where scope.allowsSubqueries && !tables.isEmpty:
      return scalarSubquery(scope, depth: depth)
    default: return binary(scope, depth: depth)
    }
  }

  mutating func leaf(_ scope: ExpressionScope) -> String {
    guard !scope.columns.isEmpty, random.chance(65) else { return literal() }
    return random.pick(scope.columns)
  }

  mutating func collation() -> String { random.pick(["NOCASE", "RTRIM", "BINARY", "nocase"]) }

  private mutating func binary(_ scope: ExpressionScope, depth: Int) -> String {
    let sign = random.pick([
      "+", "-", "*", "/", "%", "||", "||", "&", "|", "<<", ">>", "AND", "OR", "=", "<", "IS",
    ])
    let left = expression(scope, depth: depth - 1)
    let right = expression(scope, depth: depth - 1)
    return random.chance(70) ? "(\(left)) \(sign) (\(right))" : "\(left) \(sign) \(right)"
  }

  private mutating func cast(_ scope: ExpressionScope, depth: Int) -> String {
    let types =
      [
        "INTEGER", "REAL", "TEXT", "NUMERIC", "VARCHAR(10)", "FLOATING POINT", "DATE", "",
      ] + (isUTF16 ? [] : ["BLOB"])
    return "CAST(\(expression(scope, depth: depth - 1)) AS \(random.pick(types)))"
  }

  private mutating func caseExpression(_ scope: ExpressionScope, depth: Int) -> String {
    var text = "CASE "
    let hasBase = random.chance(50)
    if hasBase { text += leaf(scope) + " " }
    for _ in 0..<random.within(1...2) {
      let test = hasBase ? leaf(scope) : condition(scope, depth: depth - 1)
      text += "WHEN \(test) THEN \(expression(scope, depth: depth - 1)) "
    }
    if random.chance(60) { text += "ELSE \(expression(scope, depth: depth - 1)) " }
    return text + "END"
  }

  /// An expression that is mostly used for its truth.
  mutating func condition(_ scope: ExpressionScope, depth: Int) -> String {
    let left = random.chance(70) ? leaf(scope) : expression(scope, depth: depth - 1)
    switch random.below(100) {
    case 0..<38:
      let sign = random.pick(["=", "<", ">", "<=", ">=", "!=", "<>", "==", "="])
      return
        "\(left) \(sign) \(random.chance(80) ? leaf(scope) : expression(scope, depth: depth - 1))"
    case 38..<46:
      return "\(left) \(random.pick(["IS NULL", "IS NOT NULL", "NOTNULL", "ISNULL", "NOT NULL"]))"
    case 46..<54:
      return "\(left) \(random.pick(["IS", "IS NOT", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]))"
        + " \(leaf(scope))"
    case 54..<62:
      return "\(left) \(random.pick(["", "NOT "]))BETWEEN \(leaf(scope)) AND \(leaf(scope))"
    case 62..<72: return membership(left, scope, depth: depth)
    case 72..<80: return pattern(left)
    // C SQLite 3.53.4 gets this wrong in the second and later rows of VALUES.
    case 80..<83 where !isWriting:
      return "(\(left)) IS \(random.pick(["TRUE", "FALSE", "NOT TRUE", "NOT FALSE"]))"
    case 83..<86: return rowComparison(scope)
    case 86..<94 where depth > 1:
      let parts = (0..<random.within(2...3)).map { _ in condition(scope, depth: depth - 1) }
      return "(" + parts.joined(separator: random.pick([" AND ", " OR "])) + ")"
    case 94..<96 where depth > 1: return "NOT (\(condition(scope, depth: depth - 1)))"
    case 96..<99 where scope.allowsSubqueries && !tables.isEmpty:
      return random.pick(["", "NOT "]) + "EXISTS (\(smallQuery(scope, columnCount: 1)))"
    default: return left
    }
  }

  private mutating func membership(
    _ left: String, _ scope: ExpressionScope, depth: Int
  ) -> String {
    let word = random.pick(["IN", "IN", "NOT IN"])
    if scope.allowsSubqueries, !tables.isEmpty, random.chance(30) {
      return "\(left) \(word) (\(smallQuery(scope, columnCount: 1)))"
    }
    let items = (0..<random.below(5)).map { _ in leaf(scope) }
    return "\(left) \(word) (\(items.joined(separator: ", ")))"
  }

  private mutating func pattern(_ left: String) -> String {
    let word = random.pick(["LIKE", "NOT LIKE", "LIKE", "GLOB", "NOT GLOB"])
    let text =
      word.hasSuffix("GLOB")
      ? random.pick(["'a*'", "'[a-c]*'", "'*b?'", "'d1*'", "'*'", "'[^a]*'"])
      : random.pick(["'a%'", "'A%'", "'%b%'", "'_'", "'d1%'", "'%'", "'ä%'", "'1%'", "''", "NULL"])
    let escape = word.hasSuffix("LIKE") && random.chance(15) ? " ESCAPE '\\'" : ""
    return "\(left) \(word) \(text)\(escape)"
  }

  private mutating func rowComparison(_ scope: ExpressionScope) -> String {
    if scope.allowsSubqueries, !tables.isEmpty, random.chance(40) { return rowMembership(scope) }
    let sign = random.pick(["=", "<", ">=", "IS", "!="])
    return "(\(leaf(scope)), \(leaf(scope))) \(sign) (\(leaf(scope)), \(leaf(scope)))"
  }

  private mutating func rowMembership(_ scope: ExpressionScope) -> String {
    let width = random.within(2...3)
    func row() -> String { (0..<width).map { _ in leaf(scope) }.joined(separator: ", ") }
    let left = "(\(row())) \(random.pick(["IN", "IN", "IN", "NOT IN"])) "
    if random.chance(75) { return left + "(\(smallQuery(scope, columnCount: width)))" }
    let rows = (0..<random.within(1...3)).map { _ in "(\(row()))" }
    return left + "(VALUES \(rows.joined(separator: ", ")))"
  }

  mutating func aggregateCall(_ scope: ExpressionScope, depth: Int) -> String {
    var inner = scope
    inner.allowsAggregates = false
    let name = random.pick([
      "count", "count", "sum", "total", "avg", "min", "max", "group_concat", "string_agg",
      "json_group_array",
    ])
    let filter =
      random.chance(12) ? " FILTER (WHERE \(condition(inner, depth: 1)))" : ""
    if name == "count", random.chance(50) { return "count(*)" + filter }
    var value = random.chance(75) ? leaf(inner) : expression(inner, depth: depth - 1)
    if name == "json_group_array" { value = jsonValue(inner) }
    let distinct = random.chance(15) ? "DISTINCT " : ""
    // Which of equal values DISTINCT keeps shows where an order is asked for.
    let order =
      distinct.isEmpty && random.chance(12)
      ? " ORDER BY " + leaf(inner) + random.pick(["", "", " DESC", " NULLS LAST"]) : ""
    if name == "string_agg" {
      return "string_agg(\(value), \(random.pick(["','", "''", "'; '"]))\(order))"
    }
    // Two of the same name with one argument are different functions.
    let second = name == "group_concat" && distinct.isEmpty && random.chance(30) ? ", '/'" : ""
    return "\(name)(\(distinct)\(value)\(second)\(order))" + filter
  }

  private mutating func scalarSubquery(_ scope: ExpressionScope, depth: Int) -> String {
    "(\(smallQuery(scope, columnCount: 1, isScalar: true)))"
  }
}
