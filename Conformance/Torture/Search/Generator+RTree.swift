/// R-trees (rtree.html).
extension Generator {
  mutating func makeRTree() -> String {
    let name = freshName("r")
    var model = SearchModel(name: name, kind: .rtree, columns: [])
    model.shadows = ["node", "parent", "rowid"]
    let dimensions = random.pick([1, 2, 2, 2, 3, 5])
    for index in 0..<dimensions { model.columns += ["a\(index)", "b\(index)"] }
    if random.chance(30) { model.auxiliary = (0..<random.within(1...2)).map { "x\($0)" } }
    searchKnown[name] = model
    let module = random.pick(["rtree", "rtree", "rtree_i32"])
    let columns = ["id"] + model.columns + model.auxiliary.map { "+\($0)" }
    return "CREATE VIRTUAL TABLE \(name) USING \(module)(\(columns.joined(separator: ", ")))"
  }

  mutating func rtreeStatement(_ table: SearchModel) -> String {
    switch random.below(100) {
    case 0..<30: rtreeInsert(table)
    case 30..<40: rtreeChange(table)
    case 40..<48:
      random.chance(3)
        ? "DELETE FROM \(table.name)" : "DELETE FROM \(table.name) WHERE \(rtreeRows(table))"
    default: rtreeQuery(table)
    }
  }

  private mutating func coordinate() -> String {
    switch random.below(24) {
    case 0: random.pick(["NULL", "'x'", "'7.5'", "x'31'", "9e999", "-1e300", "0.1", "16777217"])
    case 1..<8: "\(random.within(-100...100)).\(random.below(100))"
    default: String(random.within(-100...100))
    }
  }

  /// Lower and upper bounds, mostly in that order.
  private mutating func box(_ table: SearchModel) -> [String] {
    (0..<table.columns.count / 2).flatMap { _ in
      if random.chance(8) { return [coordinate(), coordinate()] }
      let low = random.within(-100...100)
      return ["\(low)", "\(low + random.pick([0, 1, 3, 10, 80]))" + random.pick(["", ".5"])]
    }
  }

  private mutating func rtreeInsert(_ table: SearchModel) -> String {
    let policy = random.pick(["", "", "", " OR REPLACE", " OR IGNORE", " OR FAIL"])
    let names = ["id"] + table.columns + table.auxiliary
    let head = "INSERT\(policy) INTO \(table.name)(\(names.joined(separator: ", "))) "
    if random.chance(25) {
      let count = random.within(3...(isBulky ? 150 : 30))
      noteRows(count, table)
      let bounds = (0..<table.columns.count / 2).flatMap { _ in
        let low = "i * \(random.pick([7, 31, 7919])) % \(random.within(10...200))"
        return [low, "\(low) + \(random.below(9))"]
      }
      let id = random.pick(["NULL", "i * \(random.within(1...3))", "i + \(random.below(200))"])
      let values = [id] + bounds + table.auxiliary.map { _ in "'x' || i" }
      return "\(Self.numbers(count))\(head)SELECT \(values.joined(separator: ", ")) FROM n"
    }
    let rows = (0..<random.within(1...3)).map { _ in
      let id = random.chance(50) ? "NULL" : searchRowid()
      let values = [id] + box(table) + table.auxiliary.map { _ in literal() }
      return "(\(values.joined(separator: ", ")))"
    }
    noteRows(rows.count, table)
    return head + "VALUES " + rows.joined(separator: ", ")
      + (random.chance(6) ? " RETURNING *" : "")
  }

  private mutating func rtreeRows(_ table: SearchModel) -> String {
    switch random.below(6) {
    case 0, 1: return "id = \(searchRowid())"
    case 2: return "id BETWEEN \(random.below(40)) AND \(random.below(90))"
    case 3: return "id % \(random.within(2...9)) = \(random.below(3))"
    default: return rtreeWindow(table)
    }
  }

  private mutating func rtreeWindow(_ table: SearchModel) -> String {
    (0..<random.within(1...3)).map { _ in
      let column = random.pick(table.columns)
      return "\(column) \(random.pick(["<", "<=", ">", ">=", "="])) \(coordinate())"
    }.joined(separator: " AND ")
  }

  private mutating func rtreeChange(_ table: SearchModel) -> String {
    let policy = random.pick(["", "", "", " OR REPLACE", " OR IGNORE"])
    let column = random.pick(table.columns)
    var sets = [
      random.pick([
        "\(column) = \(column) + 1", "\(column) = \(coordinate())",
        zip(table.columns, box(table)).map { "\($0) = \($1)" }.joined(separator: ", "),
      ])
    ]
    if random.chance(15) { sets.append("id = \(random.pick(["id + 1", searchRowid()]))") }
    if let last = table.auxiliary.last, random.chance(40) { sets.append("\(last) = \(literal())") }
    return "UPDATE\(policy) \(table.name) SET \(sets.joined(separator: ", ")) "
      + "WHERE \(rtreeRows(table))"
  }

  private mutating func rtreeQuery(_ table: SearchModel) -> String {
    let name = table.name
    switch random.below(30) {
    case 0: return "SELECT rtreecheck('\(name)')"
    case 1: return "SELECT rtreedepth(data) FROM \(name)_node WHERE nodeno = 1"
    case 2:
      return "SELECT nodeno, rtreenode(\(table.columns.count / 2), data) FROM \(name)_node"
    case 3: return "SELECT count(*), min(id), max(\(table.columns[0])) FROM \(name)"
    case 4:
      return "SELECT s1.id, s2.id FROM \(name) AS s1, \(name) AS s2 WHERE s1.a0 <= s2.b0"
        + " AND s1.b0 >= s2.a0 AND s1.id < s2.id LIMIT 50"
    case 5:
      return "SELECT id, sum(b0 - a0) OVER (ORDER BY id) FROM \(name) WHERE \(rtreeWindow(table))"
    default: break
    }
    let columns = random.pick([
      "*", "id", "id, \(random.pick(table.columns))", "rowid, typeof(a0), a0",
      (["id"] + table.auxiliary).joined(separator: ", "),
    ])
    var sql = "SELECT \(columns) FROM \(name)"
    if random.chance(85) { sql += " WHERE \(rtreeRows(table))" }
    sql += random.pick(["", "", "", " ORDER BY id", " ORDER BY a0 DESC, id"])
    if random.chance(20) { sql += " LIMIT \(random.within(0...9))" }
    return sql
  }
}
