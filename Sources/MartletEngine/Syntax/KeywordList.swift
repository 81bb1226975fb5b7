/// The keywords as a list, in the order in which SQLite numbers them (c3ref/keyword_check).
public enum KeywordList {
  public static var count: Int { names.count }

  public static func name(at index: Int) -> StaticString { names[index] }

  /// Whether a word is a keyword, in upper or lower case.
  public static func contains(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard word.count <= Keyword.longest,
      word.allSatisfy({ (0x61...0x7a).contains($0 | 0x20) || $0 == UInt8(ascii: "_") })
    else { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { padded in
      padded.initialize(repeating: 0)
      _ = padded.update(fromContentsOf: word)
      guard let start = padded.baseAddress else { return false }
      return Keyword.kind(of: start, word.count) != .identifier
    }
  }

  private static let names: [StaticString] = [
    "REINDEX", "INDEXED", "INDEX", "DESC", "ESCAPE", "EACH", "CHECK", "KEY", "BEFORE", "FOREIGN",
    "FOR", "IGNORE", "REGEXP", "EXPLAIN", "INSTEAD", "ADD", "DATABASE", "AS", "SELECT", "TABLE",
    "LEFT", "THEN", "END", "DEFERRABLE", "ELSE", "EXCLUDE", "DELETE", "TEMPORARY", "TEMP", "OR",
    "ISNULL", "NULLS", "SAVEPOINT", "INTERSECT", "TIES", "NOTNULL", "NOT", "NO", "NULL", "LIKE",
    "EXCEPT", "TRANSACTION", "ACTION", "ON", "NATURAL", "ALTER", "RAISE", "EXCLUSIVE", "EXISTS",
    "CONSTRAINT", "INTO", "OFFSET", "OF", "SET", "TRIGGER", "RANGE", "GENERATED", "DETACH",
    "HAVING", "GLOB", "BEGIN", "INNER", "REFERENCES", "UNIQUE", "QUERY", "WITHOUT", "WITH", "OUTER",
    "RELEASE", "ATTACH", "BETWEEN", "NOTHING", "GROUPS", "GROUP", "CASCADE", "ASC", "DEFAULT",
    "CASE", "COLLATE", "CREATE", "CURRENT_DATE", "IMMEDIATE", "JOIN", "INSERT", "MATCH", "PLAN",
    "ANALYZE", "PRAGMA", "MATERIALIZED", "DEFERRED", "DISTINCT", "IS", "UPDATE", "VALUES",
    "VIRTUAL", "ALWAYS", "WHEN", "WHERE", "RECURSIVE", "ABORT", "AFTER", "RENAME", "AND", "DROP",
    "PARTITION", "AUTOINCREMENT", "TO", "IN", "CAST", "COLUMN", "COMMIT", "CONFLICT", "CROSS",
    "CURRENT_TIMESTAMP", "CURRENT_TIME", "CURRENT", "PRECEDING", "FAIL", "LAST", "FILTER",
    "REPLACE", "FIRST", "FOLLOWING", "FROM", "FULL", "LIMIT", "IF", "ORDER", "RESTRICT", "OTHERS",
    "OVER", "RETURNING", "RIGHT", "ROLLBACK", "ROWS", "ROW", "UNBOUNDED", "UNION", "USING",
    "VACUUM", "VIEW", "WINDOW", "DO", "BY", "INITIALLY", "ALL", "PRIMARY",
  ]
}
