/// FTS3 and FTS4 (fts3.html).
extension Generator {
  mutating func makeFTS4Table() -> String {
    let name = freshName("f")
    let isThree = random.chance(20)
    var model = SearchModel(name: name, kind: .fts4, columns: [])
    model.shadows = ["segments", "segdir"] + (isThree ? [] : ["stat", "docsize"])
    for index in 0..<random.within(1...3) { model.columns.append("c\(index)") }
    var parts = model.columns
    if random.chance(45) {
      parts.append(
        "tokenize="
          + random.pick([
            "porter", "simple", "unicode61", "unicode61 \"remove_diacritics=0\"",
            "unicode61 \"tokenchars=-+\"", "simple '' 'xz '", "nosuch",
          ]))
    }
    if isThree {
      model.shadows.append("content")
      searchKnown[name] = model
      return "CREATE VIRTUAL TABLE \(name) USING fts3(\(parts.joined(separator: ", ")))"
    }
    if random.chance(30) { parts.append("prefix=\"\(random.pick(["1", "2", "1,3", "2,4"]))\"") }
    if random.chance(20) { parts.append("order=\(random.pick(["desc", "asc", "DESC"]))") }
    if random.chance(10) {
      parts.append("matchinfo=fts3")
      model.shadows.removeAll { $0 == "docsize" }
    }
    if random.chance(15) {
      parts.append("languageid=lid")
      model.language = "lid"
    }
    if random.chance(12) { parts.append("notindexed=\(random.pick(model.columns))") }
    if random.chance(10) {
      parts.append("content=\"\"")
      model.isContentless = true
    } else {
      model.shadows.append("content")
    }
    if random.chance(2) { parts.append(random.pick(["nosuch=1", "order=x", "prefix=x"])) }
    searchKnown[name] = model
    return "CREATE VIRTUAL TABLE \(name) USING fts4(\(parts.joined(separator: ", ")))"
  }

  mutating func fts4Statement(_ table: SearchModel) -> String {
    switch random.below(100) {
    case 0..<22: fts4Insert(table)
    case 22..<29: fts4Change(table)
    case 29..<35: fts4Delete(table)
    case 35..<44: fts4Command(table)
    default: fts4Query(table)
    }
  }

  private mutating func fts4Insert(_ table: SearchModel) -> String {
    var columns = random.chance(70) ? table.columns : random.sample(table.columns, 1)
    if let language = table.language, random.chance(50) { columns.append(language) }
    let policy = random.pick(["", "", "", " OR REPLACE", " OR IGNORE", " OR FAIL"])
    let needsRowid = table.isContentless
    if random.chance(20) {
      let count = random.within(2...(isBulky ? 120 : 25))
      noteRows(count, table)
      let values = columns.map { $0 == "lid" ? "i % 3" : generatedText() }.joined(separator: ", ")
      let isNamed = needsRowid || random.chance(30)
      let rowid = isNamed ? ("docid, ", "i * \(random.within(1...3)), ") : ("", "")
      return "\(Self.numbers(count))INSERT\(policy) INTO \(table.name)(\(rowid.0)"
        + "\(columns.joined(separator: ", "))) SELECT \(rowid.1)\(values) FROM n"
    }
    let hasRowid = needsRowid || random.chance(40)
    let rows = (0..<random.within(1...3)).map { _ in
      let values =
        (hasRowid ? [searchRowid()] : [])
        + columns.map { $0 == "lid" ? random.pick(["0", "1", "2", "-1"]) : searchValue() }
      return "(\(values.joined(separator: ", ")))"
    }
    noteRows(rows.count, table)
    let names = (hasRowid ? [random.pick(["rowid", "docid"])] : []) + columns
    return "INSERT\(policy) INTO \(table.name)(\(names.joined(separator: ", "))) VALUES "
      + rows.joined(separator: ", ")
  }

  private mutating func fts4Change(_ table: SearchModel) -> String {
    let policy = random.pick(["", "", "", " OR REPLACE", " OR IGNORE"])
    var sets = random.sample(table.columns, random.within(1...2)).map { "\($0) = \(searchValue())" }
    if random.chance(20) { sets.append("docid = \(random.pick(["docid + 1", searchRowid()]))") }
    return "UPDATE\(policy) \(table.name) SET \(sets.joined(separator: ", ")) WHERE "
      + searchRows("\(table.name) MATCH \(fts4Match(table))")
  }

  private mutating func fts4Delete(_ table: SearchModel) -> String {
    if random.chance(3) { return "DELETE FROM \(table.name)" }
    return "DELETE FROM \(table.name) WHERE "
      + searchRows("\(table.name) MATCH \(fts4Match(table))")
  }

  private mutating func fts4Command(_ table: SearchModel) -> String {
    let command = random.pick([
      "optimize", "rebuild", "integrity-check", "merge=4,2", "merge=100,8", "merge=1,3",
      "automerge=2", "automerge=0", "automerge=4", "flush", "nosuch", "merge=x", "automerge=1",
    ])
    if command == "optimize", random.chance(30) {
      return "SELECT optimize(\(table.name)) FROM \(table.name) LIMIT 1"
    }
    return "INSERT INTO \(table.name)(\(table.name)) VALUES('\(command)')"
  }

  // MARK: Queries

  mutating func fts4Match(_ table: SearchModel) -> String { "'\(fts4Expression(table, 2))'" }

  private mutating func fts4Expression(_ table: SearchModel, _ depth: Int) -> String {
    guard depth > 0, random.chance(55) else { return fts4Phrase(table) }
    let left = fts4Expression(table, depth - 1), right = fts4Expression(table, depth - 1)
    switch random.below(9) {
    case 0, 1: return "\(left) AND \(right)"
    case 2, 3: return "\(left) OR \(right)"
    case 4, 5: return "(\(left)) NOT (\(right))"
    case 6: return "\(left) \(right)"
    default:
      let near = "NEAR" + random.pick(["", "/1", "/3", "/0"])
      return "\(fts4Phrase(table)) \(near) \(fts4Phrase(table))"
    }
  }

  private mutating func fts4Phrase(_ table: SearchModel) -> String {
    let word = random.pick([
      "one", "two", "the", "a", "ab", "runs", "w1", "w3", "ONE", "hello", "zz",
    ])
    return switch random.below(24) {
    case 0..<10: word
    case 10..<13: "\(word.prefix(random.within(1...3)))*"
    case 13..<16: "\"\(searchWord()) \(searchWord())\""
    case 16: "\"\(searchWord()) \(word.prefix(2))*\""
    case 17, 18: "\(random.pick(table.columns)):\(word)"
    case 19: "^\(word)"
    case 20: "\"\(searchWord())\""
    case 21: random.pick(["\"\"", "(", "AND", "NEAR", "*", "\"open", "nosuch:one", "-a"])
    default: word
    }
  }

  private mutating func fts4Result(_ table: SearchModel) -> String {
    let name = table.name
    let letters = random.pick(["pcx", "n", "a", "l", "s", "y", "b", "pcnalsxyb", "q", ""])
    return switch random.below(14) {
    case 0, 1: "offsets(\(name))"
    case 2, 3: "hex(matchinfo(\(name)))"
    case 4, 5:
      "hex(matchinfo(\(name), '\(letters)'))"
    case 6: "snippet(\(name))"
    case 7, 8:
      "snippet(\(name), '<', '>', '…', \(random.within(-1...table.columns.count)), "
        + "\(random.pick([1, 3, -4, 15, 64, 0, 100])))"
    case 9: "*"
    case 10: table.language ?? "docid"
    case 11: "row_number() OVER (ORDER BY docid)"
    default: random.pick(table.columns)
    }
  }

  private mutating func fts4Query(_ table: SearchModel) -> String {
    let name = table.name
    var conditions: [String] = []
    switch random.below(20) {
    case 0..<13: conditions.append("\(name) MATCH \(fts4Match(table))")
    case 13, 14: conditions.append("\(random.pick(table.columns)) MATCH \(fts4Match(table))")
    case 15: conditions.append("\(random.pick(table.columns)) LIKE '%one%'")
    default: break
    }
    if let language = table.language, random.chance(50) {
      conditions.append("\(language) = \(random.below(3))")
    }
    if random.chance(25) { conditions.append("\(name).\(searchRows(nil))") }
    var sql = "SELECT \(name).docid"
    for _ in 0..<random.within(0...2) { sql += ", " + fts4Result(table) }
    if random.chance(8) { sql = "SELECT count(*), min(docid), max(docid)" }
    sql += " FROM \(name)"
    if random.chance(6) {
      sql += " JOIN \(random.pick(tables).name) AS s1 ON s1.rowid = \(name).docid"
    }
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    if sql.hasPrefix("SELECT count") { return sql }
    sql += random.pick(["", "", "", " ORDER BY \(name).docid DESC", " ORDER BY \(name).docid"])
    if random.chance(25) {
      sql += " LIMIT \(random.within(0...8))" + random.pick(["", "", " OFFSET 1"])
    }
    return sql
  }
}
