/// Foreign keys, and values that have a parent.
extension Generator {
  private mutating func actions() -> String {
    var text = ""
    for event in ["DELETE", "UPDATE"] where random.chance(55) {
      let action = random.pick([
        "CASCADE", "CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION",
      ])
      text += " ON \(event) \(action)"
    }
    if random.chance(30) {
      text += random.pick([
        " DEFERRABLE INITIALLY DEFERRED", " DEFERRABLE", " NOT DEFERRABLE INITIALLY DEFERRED",
        " DEFERRABLE INITIALLY IMMEDIATE", " MATCH FULL",
      ])
    }
    return text
  }

  /// A table that may be referenced, itself among them, with the columns of one of its keys.
  private mutating func parent(of model: TableModel, width: Int) -> (name: String, key: [String])? {
    let candidates = (tables + [model]).filter { !$0.isView && !$0.isTemporary }
    guard !candidates.isEmpty else { return nil }
    let table = random.pick(candidates)
    let keys = table.keys.filter { $0.count == width }
    if keys.isEmpty {
      guard random.chance(4), table.columns.count >= width else { return nil }
      return (table.name, table.columns.prefix(width).map(\.name))
    }
    return (table.name, random.pick(keys))
  }

  /// What stands behind a column's type.
  mutating func reference(of column: String, _ model: inout TableModel) -> String {
    guard usesForeignKeys, random.chance(22), let (name, key) = parent(of: model, width: 1) else {
      return ""
    }
    model.parents[column] = "SELECT \(key[0]) FROM \(name)"
    let isPlain = random.chance(15) && known[name]?.keys.first == key
    return " REFERENCES \(name)" + (isPlain ? "" : "(\(key[0]))") + actions()
  }

  /// A key of several columns, as a constraint of the table.
  mutating func foreignKey(_ plain: [String], _ model: inout TableModel) -> String? {
    let width = random.pick([1, 2, 2])
    guard usesForeignKeys, plain.count >= width, random.chance(25),
      let (name, key) = parent(of: model, width: width)
    else { return nil }
    let columns = random.sample(plain, width)
    for (column, referenced) in zip(columns, key) {
      model.parents[column] = "SELECT \(referenced) FROM \(name)"
    }
    return "FOREIGN KEY (\(columns.joined(separator: ", "))) REFERENCES"
      + " \(name)(\(key.joined(separator: ", ")))" + actions()
  }

  /// A value for a column that is to have a parent: mostly it has one.
  mutating func childValue(_ source: String) -> String {
    switch random.below(10) {
    case 0..<5: "(\(source) ORDER BY 1 LIMIT 1 OFFSET \(random.below(4)))"
    case 5..<8: "NULL"
    default: literal()
    }
  }

  mutating func foreignKeyPragma() -> String {
    let name = random.pick(tables).name
    return random.pick([
      "PRAGMA foreign_key_check(\(name))", "PRAGMA foreign_key_list(\(name))",
      "PRAGMA defer_foreign_keys = ON", "PRAGMA defer_foreign_keys",
      "PRAGMA foreign_keys", "PRAGMA foreign_key_check(\(name))",
      "PRAGMA foreign_keys = \(random.pick(["ON", "ON", "OFF"]))",
    ])
  }
}
