/// CREATE TABLE, INDEX and VIEW, and what takes them away.
extension Generator {
  private mutating func onConflict() -> String {
    random.pick([
      "", "", "", "", " ON CONFLICT REPLACE", " ON CONFLICT IGNORE", " ON CONFLICT FAIL",
      " ON CONFLICT ROLLBACK", " ON CONFLICT ABORT",
    ])
  }

  mutating func makeTable() -> String {
    let name = freshName("t")
    let isStrict = random.chance(12)
    var model = TableModel(name: name, columns: [], hasRowID: !random.chance(28))
    model.isTemporary = random.chance(4)
    var definitions: [String] = []
    var hasKey = false
    for index in 0..<random.within(2...5) {
      definitions.append(column("c\(index)", isStrict, &model, &hasKey))
    }
    let plain = model.columns.map(\.name)
    if random.chance(20) { definitions.append(generatedColumn(isStrict, &model, plain)) }
    if !hasKey, !model.hasRowID || random.chance(20) {
      let key = random.sample(plain, random.within(1...2))
      model.keys.append(key)
      definitions.append("PRIMARY KEY (\(orderedKey(key)))" + onConflict())
    }
    if random.chance(20) {
      let key = random.sample(plain, random.within(1...2))
      model.keys.append(key)
      definitions.append("UNIQUE (\(orderedKey(key)))" + onConflict())
    }
    if random.chance(12) {
      let scope = ExpressionScope(columns: plain, isDeterministic: true)
      definitions.append("CONSTRAINT k\(name) CHECK (\(condition(scope, depth: 2)))")
    }
    if let key = foreignKey(plain, &model) { definitions.append(key) }
    known[name] = model
    let options = [model.hasRowID ? "" : "WITHOUT ROWID", isStrict ? "STRICT" : ""]
      .filter { !$0.isEmpty }.joined(separator: ", ")
    return "CREATE \(model.isTemporary ? "TEMP " : "")TABLE \(name)("
      + definitions.joined(separator: ", ") + ")" + (options.isEmpty ? "" : " \(options)")
  }

  private mutating func orderedKey(_ key: [String]) -> String {
    key.map { $0 + random.pick(["", "", "", " DESC", " COLLATE NOCASE"]) }.joined(separator: ", ")
  }

  private mutating func column(
    _ name: String, _ isStrict: Bool, _ model: inout TableModel, _ hasKey: inout Bool
  ) -> String {
    let type =
      isStrict
      ? random.pick(["INT", "INTEGER", "TEXT", "REAL", "BLOB", "ANY"])
      : random.pick([
        "", "INT", "INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", "VARCHAR(10)", "DOUBLE",
        "DECIMAL(10,5)", "CHARINT", "BOOLEAN",
      ])
    var text = "\(name) \(type)"
    model.columns.append(ColumnModel(name: name, type: type))
    if !hasKey, random.chance(model.hasRowID ? 35 : 50) {
      hasKey = true
      model.keys.append([name])
      let isDescending = random.chance(12)
      text += " PRIMARY KEY\(isDescending ? " DESC" : "")" + onConflict()
      if type == "INTEGER", !isDescending, model.hasRowID, random.chance(25) {
        text += " AUTOINCREMENT"
      }
    }
    if random.chance(20) { text += " NOT NULL" + onConflict() }
    if random.chance(30) { text += " DEFAULT " + defaultValue() }
    if random.chance(12) {
      text += " UNIQUE" + onConflict()
      model.keys.append([name])
    }
    if random.chance(10) {
      text +=
        " CHECK (\(name) \(random.pick(["< 90", "IS NOT 7", "!= 3", "> -50", "NOT LIKE 'z%'"])))"
    }
    if random.chance(20) { text += " COLLATE \(collation())" }
    return text + reference(of: name, &model)
  }

  private mutating func defaultValue() -> String {
    // Of blobs in a database of UTF-16, concat() is known to differ.
    random.pick([
      "5", "'dd'", "-2.5", "NULL", "abc", "(1 + 2)", isUTF16 ? "x''" : "x'0a'", "('a' || 'b')",
      "TRUE", "+3",
    ])
  }

  /// A virtual column is never a REAL: SQLite may store a whole number in it as an integer.
  private mutating func generatedColumn(
    _ isStrict: Bool, _ model: inout TableModel, _ plain: [String]
  ) -> String {
    let scope = ExpressionScope(columns: plain, isDeterministic: true)
    let value = random.chance(60) ? "\(plain[0]) || '-'" : expression(scope, depth: 2)
    var type = isStrict ? "ANY" : random.pick(["", "TEXT", "INT", "REAL"])
    let always = random.pick(["", "GENERATED ALWAYS "])
    let storage = random.pick(["STORED", "VIRTUAL", ""])
    if type == "REAL", storage != "STORED" { type = "NUMERIC" }
    model.columns.append(ColumnModel(name: "g", type: type, isGenerated: true))
    return "g \(type) \(always)AS (\(value)) \(storage)"
  }

  mutating func makeIndex() -> String {
    let candidates = known.values.filter { !$0.isView }.sorted { $0.name < $1.name }
    guard !candidates.isEmpty else { return makeTable() }
    let table = random.pick(candidates)
    let names = table.columns.map(\.name)
    let scope = ExpressionScope(columns: names, isDeterministic: true)
    let isUnique = random.chance(30)
    var keys: [String] = []
    var terms: [String] = []
    for name in random.sample(names, random.within(1...3)) {
      let isExpression = random.chance(12)
      let base =
        isExpression
        ? random.pick([
          "length(\(name))", "\(name) || 1", "lower(\(name))", expression(scope, depth: 2),
        ])
        : name
      keys.append(base)
      terms.append(base + random.pick(["", "", "", " DESC", " COLLATE NOCASE", " ASC"]))
    }
    var sql = "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(freshName("i")) ON \(table.name)"
    sql += "(\(terms.joined(separator: ", ")))"
    if isUnique { known[table.name]?.keys.append(keys) }
    if random.chance(22) { sql += " WHERE " + condition(scope, depth: 1) }
    return sql
  }

  private mutating func makeView() -> String {
    let count = random.within(1...3)
    let names = (0..<count).map { "w\($0)" }
    let name = freshName("v")
    // Views of views would multiply rows without end.
    let all = tables
    tables = tables.filter { !$0.isView && !$0.isTemporary }
    let body = tables.isEmpty ? "SELECT 1, 2, 3" : select(columnCount: count, depth: 1)
    tables = all
    known[name] = TableModel(
      name: name, columns: names.map { ColumnModel(name: $0, type: "") }, hasRowID: false,
      isView: true)
    return "CREATE VIEW \(name)(\(names.joined(separator: ", "))) AS \(body)"
  }

  mutating func definition() -> String {
    switch random.below(100) {
    case 0..<10 where tables.count < 8: return makeTable()
    case 10..<25: return makeIndex()
    case 25..<40 where triggers.count < 6: return makeTrigger()
    case 25..<36: return "DROP TRIGGER \(random.pick(triggers))"
    case 40..<48 where tables.count < 10: return makeView()
    case 48..<62: return alter()
    case 62..<66:
      let table = random.pick(tables)
      return "DROP \(table.isView == random.chance(95) ? "VIEW" : "TABLE") \(table.name)"
    case 66..<80 where !indexes.isEmpty: return "DROP INDEX \(random.pick(indexes))"
    case 80..<84: return "CREATE TABLE IF NOT EXISTS \(random.pick(tables).name)(a)"
    case 84..<87: return "DROP TABLE IF EXISTS nosuch"
    case 87..<90:
      let name = freshName("t")
      known[name] = TableModel(name: name, columns: [ColumnModel(name: "r0", type: "")])
      let from = random.pick(tables)
      return "CREATE TABLE \(name) AS SELECT \(from.columns[0].name) AS r0 FROM \(from.name)"
    default: return makeIndex()
    }
  }
}
