/// Seeded work on FTS3 and FTS4 tables: changes, merges and queries as SQL.
struct FTS4Work {
  private var random: SeededNumbers
  private static let words = [
    "apple", "banana", "cherry", "date", "elder", "fig", "grape", "hello", "world", "running",
    "runs", "ran", "the", "of", "to", "in", "one", "two", "abc", "abcd", "été", "Straße",
  ]

  init(seed: UInt64) { random = SeededNumbers(seed: seed) }

  mutating func number(_ limit: Int) -> Int { random.below(limit) }

  static let schema = """
    CREATE VIRTUAL TABLE t USING fts4(a, b);
    CREATE VIRTUAL TABLE p USING fts4(a, b, prefix='1,3', order=desc, tokenize=porter);
    CREATE VIRTUAL TABLE u USING fts3(a, b, tokenize=unicode61);
    CREATE VIRTUAL TABLE l USING fts4(a, b, languageid=lid, matchinfo=fts3);
    """

  static let tables = ["t", "p", "u", "l"]

  /// What the shadow tables have.
  static let contents =
    tables.map { table in
      """
      SELECT level,idx,start_block,leaves_end_block,end_block,hex(root) FROM \(table)_segdir;
      SELECT blockid,hex(block) FROM \(table)_segments;
      SELECT * FROM \(table)_content;

      """
    }.joined() + """
      SELECT id,hex(value) FROM t_stat; SELECT id,hex(value) FROM p_stat;
      SELECT docid,hex(size) FROM t_docsize; SELECT docid,hex(size) FROM p_docsize;
      """

  /// Some words are rare, so that there are many.
  private mutating func word() -> String {
    number(5) == 0 ? "w\(number(5_000))" : Self.words[number(Self.words.count)]
  }

  mutating func text() -> String {
    let count = [0, 1, 2, 3, 5, 8, 20][number(7)]
    return "'" + (0..<count).map { _ in word() }.joined(separator: " ") + "'"
  }

  mutating func phrase() -> String {
    switch number(6) {
    case 0: word().prefix(3) + "*"
    case 1: "\"\(word()) \(word())\""
    case 2: "a:\(word())"
    default: word()
    }
  }

  mutating func query() -> String {
    switch number(6) {
    case 0: phrase() + " " + phrase()
    case 1: phrase() + " OR " + phrase()
    case 2: phrase() + " NOT " + phrase()
    case 3: phrase() + " NEAR/\(number(6)) " + phrase()
    default: phrase()
    }
  }

  private mutating func select(_ table: String) -> String {
    let function = [
      "offsets(\(table))", "snippet(\(table))",
      "snippet(\(table),'[',']','~',-1,\(1 + number(9)))", "hex(matchinfo(\(table)))",
      "hex(matchinfo(\(table),'pcsxyb'))", "a",
    ][number(6)]
    return "SELECT docid, \(function) FROM \(table) WHERE \(table) MATCH '\(query())' "
      + "ORDER BY docid;"
  }

  private mutating func change(_ table: String) -> String {
    let docid = number(3) == 0 ? String(1 + number(200)) : "NULL"
    switch number(12) {
    case 0: return "DELETE FROM \(table) WHERE docid % 11 = \(number(11));"
    case 1: return "UPDATE \(table) SET a = \(text()) WHERE docid % 13 = \(number(13));"
    case 2: return "INSERT INTO \(table)(a,b) SELECT b, a FROM \(table) LIMIT 5;"
    case 3 where table == "l":
      return "INSERT INTO l(a,b,lid) VALUES(\(text()),\(text()),\(number(3)));"
    case 4: return "INSERT OR REPLACE INTO \(table)(docid,a) VALUES(\(1 + number(200)),\(text()));"
    default:
      return "INSERT OR IGNORE INTO \(table)(docid,a,b) VALUES(\(docid),\(text()),\(text()));"
    }
  }

  /// Statements of a round.
  mutating func round() -> [String] {
    let table = Self.tables[number(4)]
    var statements: [String] = []
    let isTransaction = number(3) == 0
    if isTransaction { statements.append("BEGIN;") }
    for _ in 0..<(4 + number(12)) {
      statements.append(change(table))
      if number(4) == 0 { statements.append(select(table)) }
    }
    if isTransaction { statements.append(number(5) == 0 ? "ROLLBACK;" : "COMMIT;") }
    if number(8) == 0 {
      let command = ["optimize", "rebuild", "merge=20,2", "automerge=2", "merge=2,3"][number(5)]
      statements.append("INSERT INTO \(table)(\(table)) VALUES('\(command)');")
    }
    for _ in 0..<4 { statements.append(select(table)) }
    return statements
  }
}
