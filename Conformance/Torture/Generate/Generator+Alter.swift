/// ALTER TABLE in all its forms.
extension Generator {
  private mutating func newColumnName() -> String {
    random.chance(10) ? "\"odd \(freshName("n"))\"" : freshName("c")
  }

  mutating func alter() -> String {
    hasAltered = true
    let table = random.pick(tables)
    let names = table.columns.map(\.name)
    let column = random.pick(names)
    let scope = ExpressionScope(columns: names, isDeterministic: true)
    let head = "ALTER TABLE \(table.name) "
    switch random.below(100) {
    case 0..<15: return head + "RENAME TO \(freshName("t"))"
    case 15..<40:
      return head + "RENAME \(random.pick(["COLUMN ", ""]))\(column) TO \(newColumnName())"
    case 40..<62 where names.count < 9: return head + "ADD COLUMN " + addedColumn(scope)
    case 62..<76: return head + "DROP \(random.pick(["COLUMN ", ""]))\(column)"
    case 76..<82:
      let name = random.chance(60) ? "CONSTRAINT \(freshName("k")) " : ""
      return head + "ADD \(name)CHECK (\(condition(scope, depth: 1)))"
    case 82..<88: return head + "DROP CONSTRAINT k\(random.pick([table.name, "\(nextName)"]))"
    case 88..<94: return head + "ALTER \(random.pick(["COLUMN ", ""]))\(column) SET NOT NULL"
    default: return head + "ALTER \(random.pick(["COLUMN ", ""]))\(column) DROP NOT NULL"
    }
  }

  private mutating func addedColumn(_ scope: ExpressionScope) -> String {
    let name = newColumnName()
    let type = random.pick(["", "INT", "TEXT", "REAL", "ANY", "NUMERIC"])
    var text = "\(name) \(type)"
    switch random.below(100) {
    // Whole numbers in virtual columns of type REAL are known to differ.
    case 0..<15 where type != "REAL":
      text += " AS (\(expression(scope, depth: 1)))" + random.pick(["", " VIRTUAL"])
    case 15..<20: text += " AS (\(scope.columns[0])) STORED"
    case 20..<60:
      // Blobs in a database of UTF-16 are known to differ as text.
      text += " DEFAULT "
        + random.pick(["5", "'dd'", "-2.5", "NULL", isUTF16 ? "6" : "x'0a'", "(1 + 2)"])
    case 60..<70: text += " NOT NULL DEFAULT " + random.pick(["1", "'n'", "NULL"])
    case 70..<74: text += random.pick([" PRIMARY KEY", " UNIQUE", " NOT NULL"])
    case 74..<80 where usesForeignKeys: text += " REFERENCES \(random.pick(tables).name)"
    default: break
    }
    if random.chance(10) { text += " COLLATE \(collation())" }
    if random.chance(8) { text += " CHECK (\(condition(scope, depth: 1)))" }
    return text
  }
}
