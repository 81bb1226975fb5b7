/// A source in FROM and the columns that it offers.
private struct Source {
  let text: String
  let alias: String
  let columns: [String]
}

/// Queries: joins, subqueries, aggregates, compounds, common table expressions.
extension Generator {
  mutating func query() -> String {
    switch random.below(100) {
    case 0..<10: compound()
    case 10..<18: withClause()
    case 18..<22: values(columnCount: random.within(1...3))
    case 22..<50: singleTableQuery()
    default: select(columnCount: random.within(1...4), isTop: true)
    }
  }

  /// A lookup as applications make it: one table, a condition that an index may serve.
  private mutating func singleTableQuery() -> String {
    let table = random.pick(tables)
    let names = table.columns.map(\.name)
    var scope = ExpressionScope(columns: names)
    if table.hasRowID, !table.isView { scope.columns.append("rowid") }
    var sql =
      "SELECT \(random.pick(["*", "*", "DISTINCT *", "rowid, *", names[0]])) FROM \(table.name)"
    if !table.hasRowID || table.isView {
      sql = sql.split(separator: "rowid, ").joined()
    }
    if random.chance(85) { sql += " WHERE " + conjunction(scope) }
    if random.chance(50) {
      sql += " ORDER BY " + ordering(random.sample(names, random.within(1...names.count)))
    }
    if random.chance(15) { sql += limit() }
    return sql
  }

  /// Terms that indexes can serve, joined by AND and OR.
  mutating func conjunction(_ scope: ExpressionScope) -> String {
    var terms: [String] = []
    for _ in 0..<random.pick([1, 1, 1, 2, 2, 3]) { terms.append(condition(scope, depth: 2)) }
    return terms.joined(separator: random.chance(75) ? " AND " : " OR ")
  }

  private mutating func ordering(_ terms: [String]) -> String {
    terms.map { term in
      var text = term
      if random.chance(8) { text += " COLLATE \(collation())" }
      text += random.pick(["", "", " ASC", " DESC"])
      if random.chance(8) { text += random.pick([" NULLS FIRST", " NULLS LAST"]) }
      return text
    }.joined(separator: ", ")
  }

  private mutating func limit() -> String {
    let count = random.pick(["0", "1", "2", "5", "10", "-1", "1+1", "'3'"])
    switch random.below(3) {
    case 0: return " LIMIT \(count)"
    case 1: return " LIMIT \(count) OFFSET \(random.pick(["0", "1", "3", "-1", "100"]))"
    default: return " LIMIT \(random.below(3)), \(count)"
    }
  }

  /// A SELECT of `columnCount` columns over one to four sources.
  mutating func select(columnCount: Int, isTop: Bool = false, depth: Int = 2) -> String {
    var scope = ExpressionScope(allowsSubqueries: depth > 0)
    let from = fromClause(&scope, depth: depth)
    let isAggregate = random.chance(30)
    var groups: [String] = []
    if isAggregate, random.chance(70) {
      for _ in 0..<random.within(1...2) {
        groups.append(random.chance(80) ? leaf(scope) : expression(scope, depth: 2))
      }
    }
    var rowScope = scope
    rowScope.allowsAggregates = isAggregate
    var items: [String] = []
    for index in 0..<columnCount {
      let isGroup = isAggregate && index < groups.count && random.chance(60)
      var item = isGroup ? groups[index] : expression(rowScope, depth: random.pick([0, 1, 2, 3]))
      if isAggregate, !isGroup { item = aggregateCall(scope, depth: 2) }
      items.append(random.chance(25) ? "\(item) AS r\(index)" : item)
    }
    if isTop, !isAggregate, random.chance(10) { items = ["*"] }
    let distinct = random.chance(12) ? "DISTINCT " : random.chance(2) ? "ALL " : ""
    var sql = "SELECT \(distinct)\(items.joined(separator: ", "))" + from
    if random.chance(65) { sql += " WHERE " + conjunction(scope) }
    if !groups.isEmpty { sql += " GROUP BY " + groups.joined(separator: ", ") }
    if isAggregate, random.chance(25) { sql += " HAVING " + condition(rowScope, depth: 2) }
    guard isTop else { return sql }
    return sql + ending(itemCount: items == ["*"] ? 1 : columnCount, scope: scope, isAggregate)
  }

  /// ORDER BY and LIMIT; a LIMIT has all columns as order, so that it leaves no choice.
  private mutating func ending(
    itemCount: Int, scope: ExpressionScope, _ isAggregate: Bool
  ) -> String {
    guard random.chance(60) else { return "" }
    var terms = random.sample((1...itemCount).map { String($0) }, random.within(1...itemCount))
    if !isAggregate, random.chance(30) { terms.insert(leaf(scope), at: 0) }
    let sql = " ORDER BY " + ordering(terms)
    return terms.count >= itemCount && random.chance(30) ? sql + limit() : sql
  }

  private mutating func fromClause(_ scope: inout ExpressionScope, depth: Int) -> String {
    guard !tables.isEmpty, random.chance(96) else { return "" }
    let count = random.pick(isBulky ? [1, 1, 1, 2] : [1, 1, 2, 2, 3, 4])
    var text = " FROM "
    for index in 0..<count {
      let source = source(index, depth: depth)
      if index == 0 {
        text += source.text
      } else {
        text += joined(to: source, scope)
      }
      scope.columns += source.columns
    }
    return text
  }

  private mutating func source(_ index: Int, depth: Int) -> Source {
    let alias = "s\(index)"
    if depth > 0, random.chance(15) {
      let count = random.within(1...3)
      var inner = select(columnCount: count, depth: depth - 1)
      if random.chance(20) { inner += random.pick([" ORDER BY 1", " LIMIT 20", ""]) }
      let names = (0..<count).map { "q\($0)" }
      let wrapped = "WITH w(\(names.joined(separator: ", "))) AS (\(inner)) SELECT * FROM w"
      return Source(
        text: "(\(wrapped)) AS \(alias)", alias: alias, columns: names.map { "\(alias).\($0)" })
    }
    if random.chance(5) {
      return Source(
        text: "\(jsonSource(ExpressionScope())) AS \(alias)", alias: alias,
        columns: Self.jsonColumns.map { "\(alias).\($0)" })
    }
    let table = random.pick(tables)
    var columns = table.columns.map { "\(alias).\($0.name)" }
    if table.hasRowID, !table.isView, random.chance(20) { columns.append("\(alias).rowid") }
    var text = "\(table.name) AS \(alias)"
    if random.chance(3) { text += " NOT INDEXED" }
    return Source(text: text, alias: alias, columns: columns)
  }

  private mutating func joined(to source: Source, _ scope: ExpressionScope) -> String {
    let kind = random.pick([
      ", ", " JOIN ", " JOIN ", " INNER JOIN ", " CROSS JOIN ", " LEFT JOIN ", " LEFT JOIN ",
      " LEFT OUTER JOIN ", " RIGHT JOIN ", " FULL JOIN ",
    ])
    if kind == " JOIN ", random.chance(8) { return " NATURAL JOIN " + source.text }
    let right = random.pick(source.columns)
    let left = random.pick(scope.columns.isEmpty ? ["1"] : scope.columns)
    guard kind != ", " else { return kind + source.text }
    var condition = "\(left) = \(right)"
    if random.chance(20) {
      let all = ExpressionScope(columns: scope.columns + source.columns)
      condition = self.condition(all, depth: 2)
    }
    return kind + source.text + (random.chance(92) ? " ON \(condition)" : "")
  }

  /// A query for use inside an expression, now and then correlated with `outer`.
  mutating func smallQuery(
    _ outer: ExpressionScope, columnCount: Int, isScalar: Bool = false
  ) -> String {
    let table = random.pick(tables)
    let alias = freshName("x")
    let own = table.columns.map { "\(alias).\($0.name)" }
    let scope = ExpressionScope(columns: own)
    let item =
      isScalar && random.chance(70) ? aggregateCall(scope, depth: 1) : random.pick(own)
    let items = [item] + (1..<columnCount).map { _ in random.pick(own) }
    var sql = "SELECT \(items.joined(separator: ", ")) FROM \(table.name) AS \(alias)"
    if !outer.columns.isEmpty, random.chance(60) {
      sql +=
        " WHERE \(random.pick(own)) \(random.pick(["=", "=", "<", "IS"])) \(random.pick(outer.columns))"
      if random.chance(30) { sql += " AND " + condition(scope, depth: 1) }
    } else if random.chance(60) {
      sql += " WHERE " + condition(scope, depth: 1)
    }
    return isScalar ? sql + " ORDER BY 1 LIMIT 1" : sql
  }

  private mutating func compound() -> String {
    let count = random.within(1...3)
    var sql = select(columnCount: count, depth: 1)
    for _ in 0..<random.within(1...3) {
      sql += random.pick([" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT "])
      sql += random.chance(85) ? select(columnCount: count, depth: 1) : values(columnCount: count)
    }
    guard random.chance(60) else { return sql }
    sql += " ORDER BY " + ordering(random.sample((1...count).map { String($0) }, count))
    return random.chance(30) ? sql + limit() : sql
  }

  mutating func values(columnCount: Int) -> String {
    isWriting = true
    defer { isWriting = false }
    let rows = (0..<random.within(1...4)).map { _ in
      "(" + (0..<columnCount).map { _ in literal() }.joined(separator: ", ") + ")"
    }
    return "VALUES " + rows.joined(separator: ", ")
  }
}
