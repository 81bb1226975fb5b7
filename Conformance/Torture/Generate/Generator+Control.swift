/// Transactions, pragmas and SQL that is wrong.
extension Generator {
  mutating func transaction() -> String {
    let names = ["a", "b", "c"]
    switch random.below(100) {
    case 0..<25:
      return random.pick([
        "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN DEFERRED TRANSACTION",
      ])
    case 25..<50: return random.pick(["COMMIT", "END", "COMMIT TRANSACTION"])
    case 50..<65: return "ROLLBACK"
    case 65..<82: return "SAVEPOINT \(random.pick(names))"
    case 82..<92: return "RELEASE \(random.pick(names))"
    default: return "ROLLBACK TO \(random.pick(names))"
    }
  }

  mutating func pragma() -> String {
    let table = random.pick(tables).name
    switch random.below(26) {
    case 20, 21: return foreignKeyPragma()
    case 22, 23: return random.pick(["ANALYZE", "ANALYZE \(table)", "ANALYZE"])
    case 24: return random.pick(["REINDEX", "REINDEX \(table)", "PRAGMA optimize"])
    case 25: return "PRAGMA recursive_triggers = \(random.pick(["ON", "OFF"]))"
    case 0...3: return "PRAGMA integrity_check"
    case 4: return "PRAGMA quick_check"
    case 5: return "PRAGMA table_info(\(table))"
    case 6: return "PRAGMA table_xinfo(\(table))"
    case 7: return "PRAGMA index_list(\(table))"
    case 8 where !indexes.isEmpty: return "PRAGMA index_xinfo(\(random.pick(indexes)))"
    case 9 where !hasAltered: return "PRAGMA freelist_count"
    case 10 where !hasAltered: return "PRAGMA page_count"
    case 11 where !hasAltered:
      return "PRAGMA incremental_vacuum\(random.pick(["", "(1)", "(3)"]))"
    case 12: return "PRAGMA user_version = \(random.below(1_000))"
    case 13: return "PRAGMA user_version"
    case 14: return "PRAGMA schema_version"
    case 15: return "VACUUM"
    case 16: return "PRAGMA table_list(\(table))"
    case 17:
      return "PRAGMA \(random.pick(["encoding", "page_size", "auto_vacuum", "journal_mode"]))"
    case 18:
      return "PRAGMA journal_mode = \(random.pick(["DELETE", "TRUNCATE", "PERSIST", "MEMORY"]))"
    default: return "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    }
  }

  /// `sql` with a mistake: a token gone, doubled, swapped or put in.
  mutating func broken(_ sql: String) -> String {
    var tokens = Token.split(sql)
    let meaningful = tokens.indices.filter { tokens[$0] != " " }
    guard meaningful.count > 1 else { return sql }
    let position = random.pick(meaningful)
    switch random.below(6) {
    case 0: tokens.remove(at: position)
    case 1: tokens.insert(contentsOf: [tokens[position], " "], at: position)
    case 2: tokens.swapAt(position, random.pick(meaningful))
    case 3:
      tokens[position] = random.pick([
        "nosuch", "SELECT", "(", ")", ",", "'open", "*", ";", "FROM", "@", "x'1'", "1e", "0x", "ON",
        "nosuch(1)", "t1.nosuch", "max()", "?0", "NULL", "\"quoted\"", "[name", "/*",
      ])
    case 4:
      tokens.insert(
        contentsOf: [random.pick(["(", ")", ",", "AND", "1", "a", "."]), " "], at: position)
    default: tokens.removeSubrange(position...)
    }
    return tokens.joined()
  }
}
