/// Breaks SQL: bytes and tokens are dropped, doubled, swapped, changed, nested, or taken from other
/// statements.
struct StatementMutator {
  var random: RandomSource
  let scripts: [[[UInt8]]]

  mutating func mutated(_ statement: [UInt8]) -> [UInt8] {
    var tokens = StatementMutator.tokens(of: statement)
    for _ in 0..<random.within(1...3) { mutate(&tokens) }
    var bytes = Array(tokens.joined())
    if random.chance(10) { mutate(&bytes) }
    return bytes
  }

  private mutating func mutate(_ tokens: inout [[UInt8]]) {
    guard !tokens.isEmpty else { return }
    let place = random.below(tokens.count)
    switch random.below(9) {
    case 0: tokens.remove(at: place)
    case 1: tokens.insert(tokens[place], at: place)
    case 2: tokens.swapAt(place, random.below(tokens.count))
    case 3: tokens[place] = word()
    case 4: tokens.insert(word(), at: place)
    case 5: tokens.removeLast(tokens.count - place)
    case 6:
      let other = StatementMutator.tokens(of: random.pick(random.pick(scripts)))
      tokens = Array(tokens[..<place] + other[random.below(other.count)...])
    case 7: nest(&tokens, at: place)
    default:
      let end = min(tokens.count, place + random.within(1...6))
      tokens.insert(contentsOf: tokens[place..<end], at: random.below(tokens.count))
    }
  }

  private mutating func nest(_ tokens: inout [[UInt8]], at place: Int) {
    let depth = random.chance(5) ? random.within(50...1_500) : random.within(1...8)
    let pairs = [("(", ")"), ("(SELECT ", ")"), ("NOT ", ""), ("-", ""), ("CASE WHEN ", " END")]
    let (opening, closing) = random.pick(pairs)
    tokens[place] =
      Array(String(repeating: opening, count: depth).utf8) + tokens[place]
      + Array(String(repeating: closing, count: depth).utf8)
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let place = random.below(bytes.count)
    switch random.below(3) {
    case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
    default: bytes.remove(at: place)
    }
  }

  private static let words = [
    "SELECT", "FROM", "WHERE", "(", ")", ",", ";", ".", "*", "=", "||", "->>", "'", "\"", "`", "[",
    "]", "?", "?1", "?99999", ":a", "@", "#", "x'", "x'0'", "0x", "0xffffffffffffffffff", "1e999",
    "9223372036854775808", "-9223372036854775808", "1_0", "1__0", ".5", "5.", "NULL", "OVER",
    "OVER ()", "FILTER (WHERE 1)", "WINDOW", "PARTITION BY", "ROWS", "RANGE", "GROUPS", "EXCLUDE",
    "PRECEDING", "FOLLOWING", "UNBOUNDED", "CURRENT ROW", "ORDER BY", "GROUP BY", "LIMIT", "OFFSET",
    "HAVING", "DISTINCT", "ALL", "UNION", "UNION ALL", "EXCEPT", "INTERSECT", "VALUES", "WITH",
    "WITH RECURSIVE", "AS", "MATERIALIZED", "LEFT JOIN", "FULL JOIN", "NATURAL", "USING", "ON",
    "IN", "NOT IN", "EXISTS", "BETWEEN", "LIKE", "ESCAPE", "GLOB", "MATCH", "REGEXP", "IS",
    "IS NOT DISTINCT FROM", "COLLATE", "CAST(", "CASE", "WHEN", "THEN", "ELSE", "END", "RAISE(",
    "CREATE", "TABLE", "INDEX", "TRIGGER", "VIEW", "TEMP", "VIRTUAL", "IF NOT EXISTS", "DROP",
    "ALTER", "RENAME", "ADD", "COLUMN", "CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY KEY",
    "AUTOINCREMENT", "REFERENCES", "FOREIGN KEY", "DEFERRABLE", "DEFAULT", "GENERATED ALWAYS",
    "STORED", "STRICT", "WITHOUT ROWID", "INSERT", "INTO", "REPLACE", "OR", "ABORT", "IGNORE",
    "ON CONFLICT", "DO UPDATE SET", "DO NOTHING", "RETURNING", "UPDATE", "SET", "DELETE", "NEW",
    "OLD", "BEFORE", "AFTER", "INSTEAD OF", "FOR EACH ROW", "BEGIN", "COMMIT", "SAVEPOINT",
    "PRAGMA", "EXPLAIN", "EXPLAIN QUERY PLAN", "ANALYZE", "REINDEX", "VACUUM", "ATTACH", "rowid",
    "main", "temp", "sqlite_schema", "count(*)", "sum", "max", "row_number()", "json_each", "--",
    "/*", "*/", "\u{0}", "\u{e9}", "\u{feff}", "\u{1f426}",
  ].map { Array($0.utf8) }

  private mutating func word() -> [UInt8] {
    let space = [UInt8(ascii: " ")]
    if random.chance(70) { return space + random.pick(StatementMutator.words) + space }
    let other = StatementMutator.tokens(of: random.pick(random.pick(scripts)))
    return random.pick(other)
  }

  /// Words, texts in quotes, and all else byte by byte.
  private static func tokens(of statement: [UInt8]) -> [[UInt8]] {
    var tokens: [[UInt8]] = []
    var index = 0
    while index < statement.count {
      let start = index, first = statement[index]
      index += 1
      if isWord(first) {
        while index < statement.count, isWord(statement[index]) { index += 1 }
      } else if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") {
        while index < statement.count, statement[index] != first { index += 1 }
        index = min(index + 1, statement.count)
      }
      tokens.append(Array(statement[start..<index]))
    }
    return tokens
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
  }
}
