/// Virtual tables that search: what is common to full-text tables and R-trees.
extension Generator {
  /// CREATE VIRTUAL TABLE of any kind.
  mutating func makeSearchTable() -> String {
    // `fts4aux` of C takes a third column for damage.
    let indexed = searchTables.filter {
      $0.kind == .fts5 || $0.kind == .fts4 && $0.columns.count < 3
    }
    switch random.below(20) {
    case 0..<8: return makeFTS5Table()
    case 8..<13: return makeFTS4Table()
    case 13..<17: return makeRTree()
    case 17..<20 where !indexed.isEmpty: return makeVocabulary(of: random.pick(indexed))
    default: return makeFTS5Table()
    }
  }

  private mutating func makeVocabulary(of table: SearchModel) -> String {
    let name = freshName("v")
    searchKnown[name] = SearchModel(name: name, kind: .vocabulary, columns: ["term"])
    if table.kind == .fts4 { return "CREATE VIRTUAL TABLE \(name) USING fts4aux(\(table.name))" }
    let form = random.pick(["row", "col", "instance", "'row'", "COL"])
    return "CREATE VIRTUAL TABLE \(name) USING fts5vocab(\(table.name), \(form))"
  }

  /// A statement about one of these tables.
  mutating func searchStatement() -> String {
    guard !searchTables.isEmpty, searchTables.count >= 2 || random.chance(97) else {
      return makeSearchTable()
    }
    let table = random.pick(searchTables)
    if table.rowCount > (isBulky ? 900 : 250) { return "DROP TABLE \(table.name)" }
    if random.chance(4) { return searchDefinition(table) }
    if random.chance(5), let suffix = table.shadows.isEmpty ? nil : random.pick(table.shadows) {
      return "SELECT * FROM \(table.name)_\(suffix)"
    }
    switch table.kind {
    case .fts5: return fts5Statement(table)
    case .fts4: return fts4Statement(table)
    case .rtree: return rtreeStatement(table)
    case .vocabulary: return vocabularyQuery(table)
    }
  }

  private mutating func searchDefinition(_ table: SearchModel) -> String {
    switch random.below(10) {
    case 0..<3 where searchTables.count < 6: return makeSearchTable()
    // C does not rename the content of tables with contentless_unindexed (docs/deviations.md).
    case 3..<6 where !table.keepsUnindexed:
      let name = freshName("f")
      searchKnown[name] = table.renamed(name)
      return "ALTER TABLE \(table.name) RENAME TO \(name)"
    case 6: return "ALTER TABLE \(table.name) ADD COLUMN z"
    case 7: return "CREATE INDEX \(freshName("i")) ON \(table.name)(\(table.columns[0]))"
    case 8 where searchTables.count > 2: return "DROP TABLE \(table.name)"
    default: return "PRAGMA integrity_check(\(table.name))"
    }
  }

  private mutating func vocabularyQuery(_ table: SearchModel) -> String {
    let condition = random.pick([
      "", " WHERE term = '\(searchWord())'", " WHERE term > '\(searchWord())'",
      " WHERE term BETWEEN 'a' AND '\(searchWord())'", " WHERE term >= 'o' AND term < 's'",
      " WHERE term LIKE 'o%'", " ORDER BY term DESC", " ORDER BY 2, 1, 3 LIMIT 5",
    ])
    if random.chance(20) { return "SELECT count(*), min(term) FROM \(table.name)\(condition)" }
    return "SELECT * FROM \(table.name)\(condition)"
  }

  // MARK: Words

  private static let words = [
    "one", "a", "two", "the", "onerous", "three", "ab", "abc", "runs", "running", "Straße",
    "ÉCOLE", "école", "naïve", "x1", "hello", "world", "日本語", "o'neil", "state-of-the-art",
    "ONE", "twofold", "zz", "connection", "connected", "İ", "1984", "c++",
  ]

  /// Some words are much more frequent than others.
  mutating func searchWord() -> String {
    let bound = random.within(1...Self.words.count)
    return Self.words[random.below(bound)].split(separator: "'").joined(separator: "''")
  }

  mutating func searchText() -> String {
    let count = random.pick([0, 1, 2, 3, 5, 8, isBulky ? 60 : 20])
    var text = ""
    for _ in 0..<count {
      text += searchWord() + random.pick([" ", " ", " ", ", ", ". ", "-", "\n", " & "])
    }
    return "'\(text)'"
  }

  /// What is written into a column.
  mutating func searchValue() -> String {
    switch random.below(30) {
    case 0: "NULL"
    case 1: literal()
    default: searchText()
    }
  }

  mutating func searchRowid() -> String {
    random.chance(3)
      ? random.pick(["NULL", "'x'", "1.5", "-7", "4611686018427387904", "'12'"])
      : String(random.within(1...60))
  }

  /// Rows by the dozen.
  static func numbers(_ count: Int) -> String {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
  }

  /// An expression of `i` that gives a text of some words.
  mutating func generatedText() -> String {
    let terms = (0..<random.within(1...4)).map { _ in
      random.pick([
        "'\(searchWord())'", "'w' || (i % \(random.within(2...40)))", "'\(searchWord())' || i",
        "printf('%s', i * 7919 % \(random.within(3...90)))", "'\(searchWord()) \(searchWord())'",
      ])
    }
    return terms.joined(separator: " || ' ' || ")
  }

  /// Which rows of a table are changed.
  mutating func searchRows(_ match: String?) -> String {
    switch random.below(10) {
    case 0..<4: "rowid = \(searchRowid())"
    case 4..<6: "rowid BETWEEN \(random.below(40)) AND \(random.below(90))"
    case 6: "rowid % \(random.within(2...9)) = \(random.below(3))"
    case 7: "rowid IN (\(searchRowid()), \(searchRowid()), \(searchRowid()))"
    default: match ?? "rowid > \(random.below(60))"
    }
  }

  mutating func noteRows(_ count: Int, _ table: SearchModel) {
    searchKnown[table.name]?.rowCount += count
    for index in searchTables.indices where searchTables[index].name == table.name {
      searchTables[index].rowCount += count
    }
  }
}
