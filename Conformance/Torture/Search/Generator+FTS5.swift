/// FTS5 (fts5.html).
extension Generator {
  mutating func makeFTS5Table() -> String {
    let name = freshName("f")
    var model = SearchModel(name: name, kind: .fts5, columns: [])
    model.shadows = ["data", "idx", "config"]
    var parts: [String] = []
    for index in 0..<random.within(1...3) {
      model.columns.append("c\(index)")
      parts.append("c\(index)" + (index > 0 && random.chance(15) ? " UNINDEXED" : ""))
    }
    if random.chance(30) { parts.append("prefix='\(random.pick(["1", "2", "1 2", "2 3", "4"]))'") }
    if random.chance(50) {
      let tokenizer = random.pick([
        "ascii", "porter", "porter ascii", "unicode61 remove_diacritics 0", "trigram",
        "unicode61 remove_diacritics 2", "unicode61 tokenchars ''-+''", "trigram case_sensitive 1",
        "unicode61 separators ''xe''", "trigram remove_diacritics 1", "ascii tokenchars ''+''",
        "unicode61 categories ''L* N*''",
      ])
      model.isTrigram = tokenizer.hasPrefix("trigram")
      parts.append("tokenize='\(tokenizer)'")
    }
    if random.chance(35) {
      let detail = random.pick(["column", "none", "full"])
      model.hasNoDetail = detail == "none"
      parts.append("detail=\(detail)")
    }
    if random.chance(15) { parts.append("columnsize=0") } else { model.shadows.append("docsize") }
    switch random.below(20) {
    case 0, 1:
      parts.append("content=''")
      model.isContentless = true
    case 2, 3:
      parts += ["content=''", "contentless_delete=1"]
      model.isContentless = true
    case 4:
      parts += ["content=''", "contentless_delete=1", "contentless_unindexed=1"]
      model.isContentless = true
      model.keepsUnindexed = true
    default: model.shadows.append("content")
    }
    if random.chance(4) {
      parts.append(random.pick(["locale=1", "tokendata=1", "nosuch=1", "detail=x", "prefix=0"]))
    }
    searchKnown[name] = model
    return "CREATE VIRTUAL TABLE \(name) USING fts5(\(parts.joined(separator: ", ")))"
  }

  mutating func fts5Statement(_ table: SearchModel) -> String {
    switch random.below(100) {
    case 0..<22: fts5Insert(table)
    case 22..<30: fts5Change(table)
    case 30..<36: fts5Delete(table)
    case 36..<46: fts5Command(table)
    default: fts5Query(table)
    }
  }

  private mutating func fts5Insert(_ table: SearchModel) -> String {
    let columns = random.chance(70) ? table.columns : random.sample(table.columns, 1)
    let policy = random.pick(
      ["", "", "", " OR REPLACE", table.keepsUnindexed ? "" : " OR IGNORE", " OR FAIL"])
    if random.chance(20) {
      let count = random.within(2...(isBulky ? 120 : 25))
      noteRows(count, table)
      let values = columns.map { _ in generatedText() }.joined(separator: ", ")
      let rowid = random.chance(30) ? ("rowid, ", "i * \(random.within(1...3)), ") : ("", "")
      return "\(Self.numbers(count))INSERT\(policy) INTO \(table.name)(\(rowid.0)"
        + "\(columns.joined(separator: ", "))) SELECT \(rowid.1)\(values) FROM n"
    }
    let hasRowid = random.chance(40)
    let rows = (0..<random.within(1...3)).map { _ in
      let values = (hasRowid ? [searchRowid()] : []) + columns.map { _ in searchValue() }
      return "(\(values.joined(separator: ", ")))"
    }
    noteRows(rows.count, table)
    let names = (hasRowid ? ["rowid"] : []) + columns
    let returning = random.chance(6) ? " RETURNING rowid, *" : ""
    return "INSERT\(policy) INTO \(table.name)(\(names.joined(separator: ", "))) VALUES "
      + rows.joined(separator: ", ") + returning
  }

  private mutating func fts5Change(_ table: SearchModel) -> String {
    let policy = random.pick(["", "", "", " OR REPLACE", " OR IGNORE"])
    var sets = random.sample(table.columns, random.within(1...2)).map { "\($0) = \(searchValue())" }
    if table.isContentless { sets = table.columns.map { "\($0) = \(searchValue())" } }
    if random.chance(20) { sets.append("rowid = \(random.pick(["rowid + 1", searchRowid()]))") }
    return "UPDATE\(policy) \(table.name) SET \(sets.joined(separator: ", ")) WHERE "
      + searchRows("\(table.name) MATCH \(fts5Match(table))")
  }

  private mutating func fts5Delete(_ table: SearchModel) -> String {
    if random.chance(3) { return "DELETE FROM \(table.name)" }
    return "DELETE FROM \(table.name) WHERE "
      + searchRows("\(table.name) MATCH \(fts5Match(table))")
  }

  private mutating func fts5Command(_ table: SearchModel) -> String {
    let name = table.name
    if random.chance(10) {
      let values = table.columns.map { _ in searchValue() }.joined(separator: ", ")
      return "INSERT INTO \(name)(\(name), rowid, \(table.columns.joined(separator: ", "))) "
        + "VALUES('delete', \(searchRowid()), \(values))"
    }
    let (command, value) = random.pick([
      ("optimize", ""), ("rebuild", ""), ("integrity-check", ""), ("integrity-check", "1"),
      ("integrity-check", "0"), ("merge", "5"), ("merge", "-20"), ("merge", "500"),
      ("pgsz", "32"), ("pgsz", "64"), ("pgsz", "200"), ("pgsz", "4050"), ("automerge", "2"),
      ("automerge", "0"), ("automerge", "8"), ("usermerge", "2"), ("usermerge", "5"),
      ("crisismerge", "3"), ("crisismerge", "16"), ("secure-delete", "1"), ("secure-delete", "0"),
      ("deletemerge", "5"), ("deletemerge", "0"), ("delete-all", ""), ("flush", ""),
      ("rank", "'bm25(10.0, 1.0)'"), ("rank", "'bm25()'"), ("rank", "'nosuch()'"), ("nosuch", "1"),
      ("pgsz", "'x'"), ("hashsize", "1000"), ("insttoken", "1"),
    ])
    if value.isEmpty || table.hasNoDetail && command == "secure-delete" {
      return "INSERT INTO \(name)(\(name)) VALUES('\(value.isEmpty ? command : "flush")')"
    }
    return "INSERT INTO \(name)(\(name), rank) VALUES('\(command)', \(value))"
  }

  // MARK: Queries

  /// A query as a literal.
  mutating func fts5Match(_ table: SearchModel) -> String { "'\(fts5Expression(table, 2))'" }

  private mutating func fts5Expression(_ table: SearchModel, _ depth: Int) -> String {
    guard depth > 0, random.chance(55) else { return fts5Phrase(table) }
    let left = fts5Expression(table, depth - 1), right = fts5Expression(table, depth - 1)
    switch random.below(9) {
    case 0, 1: return "\(left) AND \(right)"
    case 2, 3: return "\(left) OR \(right)"
    case 4, 5: return "(\(left)) NOT (\(right))"
    case 6: return "\(left) \(right)"
    case 7: return "(\(left))"
    default: return "\(fts5Columns(table)): (\(left))"
    }
  }

  private mutating func fts5Columns(_ table: SearchModel) -> String {
    let column = random.pick(table.columns)
    return random.pick([
      column, "-\(column)", "{\(table.columns.joined(separator: " "))}", "- {\(column)}", "{c0}",
      "nosuch",
    ])
  }

  private mutating func fts5Phrase(_ table: SearchModel) -> String {
    switch random.below(24) {
    case 0..<9: bareWord()
    case 9..<12: "\(bareWord().prefix(random.within(1...3)))*"
    case 12..<15: "\"\(searchWord()) \(searchWord())\""
    case 15: "\"\(searchWord()) \(searchWord().prefix(2))\" *"
    case 16, 17: "NEAR(\(bareWord()) \(bareWord()), \(random.below(6)))"
    case 18: "NEAR(\"\(searchWord())\" \(bareWord()) \(bareWord())*)"
    case 19: "^\(bareWord())"
    case 20: "\(fts5Columns(table)): \(bareWord())"
    case 21: "\(bareWord()) + \(bareWord())"
    case 22: "\"\(searchWord())\""
    default: random.pick(["\"\"", "(", "AND", "a NEAR b", "*", "+", "\"open", "one:", "NEAR()"])
    }
  }

  private mutating func bareWord() -> String {
    random.pick([
      "one", "two", "the", "a", "ab", "runs", "w1", "w3", "ONE", "hello", "école", "zz",
    ])
  }

  private mutating func fts5Result(_ table: SearchModel) -> String {
    // Of a column that there is not, and without a query, C's `snippet` says that memory is short.
    let name = table.name, column = random.within(-1...table.columns.count - 1)
    return switch random.below(16) {
    case 0..<3: "rank"
    case 3: "bm25(\(name))"
    case 4: "bm25(\(name), \(random.pick(["2.0, 0.5", "0, 1", "-1", "'x'", "NULL"])))"
    case 5: "highlight(\(name), \(column), '<', '>')"
    case 6, 7: "snippet(\(name), \(column), '<', '>', '…', \(random.pick([1, 2, 5, 8, 64, 0])))"
    case 8: "*"
    case 9, 10: "fts5_get_locale(\(name), 0)"
    case 11: "typeof(rank), count(*) OVER ()"
    case 12: "row_number() OVER (ORDER BY rank, rowid)"
    case 13: "length(\(random.pick(table.columns)))"
    default: random.pick(table.columns)
    }
  }

  private mutating func fts5Query(_ table: SearchModel) -> String {
    let name = table.name
    var source = name, conditions: [String] = []
    switch random.below(20) {
    case 0..<10: conditions.append("\(name) MATCH \(fts5Match(table))")
    case 10..<13: source = "\(name)(\(fts5Match(table)))"
    case 13: conditions.append("\(random.pick(table.columns)) MATCH \(fts5Match(table))")
    case 14:
      conditions.append("\(name) MATCH \(fts5Match(table))")
      conditions.append("\(random.pick(table.columns)) MATCH '\(bareWord())'")
    case 15:
      let pattern = random.pick(["%one%", "%tw%", "on%", "%a_b%", "%", "%école%", "o_e%"])
      let verb = table.isTrigram && random.chance(50) ? "GLOB" : "LIKE"
      conditions.append(
        "\(random.pick(table.columns)) \(verb) "
          + "'\(verb == "GLOB" ? pattern.split(separator: "%").joined(separator: "*") : pattern)'")
    case 16: conditions.append("\(name) = \(fts5Match(table))")
    case 17:
      conditions.append(
        "rank MATCH \(random.pick(["'bm25(2.0)'", "'bm25()'", "'nosuch'", "'bm25('"]))")
      conditions.append("\(name) MATCH \(fts5Match(table))")
    default: break
    }
    if random.chance(25) { conditions.append("\(name).\(searchRows(nil))") }
    var sql = "SELECT \(name).rowid"
    for _ in 0..<random.within(0...2) { sql += ", " + fts5Result(table) }
    if random.chance(8) { sql = "SELECT count(*), min(rowid), max(rowid)" }
    sql += " FROM \(source)"
    if random.chance(6) {
      sql += " JOIN \(random.pick(tables).name) AS s1 ON s1.rowid = \(name).rowid"
    }
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    if sql.hasPrefix("SELECT count") { return sql }
    sql += random.pick([
      "", "", "", " ORDER BY rank", " ORDER BY \(name).rowid DESC", " ORDER BY \(name).rowid",
      " ORDER BY rank DESC, \(name).rowid",
    ])
    if random.chance(25) {
      sql += " LIMIT \(random.within(0...8))" + random.pick(["", "", " OFFSET 1"])
    }
    return sql
  }
}
