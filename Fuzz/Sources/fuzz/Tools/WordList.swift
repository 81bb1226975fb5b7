import CSQLite3
import MartletC
import MartletEngine

/// Words of SQL for libFuzzer's mutations: keywords, functions, pragmas and what else has a meaning.
enum WordList {
  private static let others = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "-1e999", "0x7f",
    "x'00ff'", "''", "\"\"", "--", "/*", "*/", "||", "<<", ">>", "->", "->>", "<>", "!=", "==", "<=",
    "?1", ":a", "@a", "$a", "$.a", "$[0]", "$[#-1]", "rowid", "oid", "_rowid_", "main.", "temp.",
    "sqlite_schema", "sqlite_stat1", "sqlite_stat4", "sqlite_sequence", "sqlite_dbpage", "dbstat",
    "json_each(", "json_tree(", "generate_series(", "pragma_table_info(", "UTF-16le", "BINARY",
    "NOCASE", "RTRIM", "INTEGER PRIMARY KEY", "WITHOUT ROWID", "STRICT", "ON CONFLICT", "DO UPDATE SET",
    "GENERATED ALWAYS AS (", "ORDER BY", "GROUP BY", "PARTITION BY", "OVER (", "UNION ALL",
    "FULL JOIN", "LEFT JOIN", "WITH RECURSIVE", "NULLS LAST", "subsec", "+1 month", "start of day",
    "unixepoch", "julianday", "weekday 0", "localtime", "%*.*f", "%!.26g", "%,d", "%-+#08x",
  ]

  static func print() {
    Target.sql.prepare()
    var words = others
    for index in 0..<sqlite3_keyword_count() {
      var name: UnsafePointer<CChar>?
      var count: Int32 = 0
      guard sqlite3_keyword_name(index, &name, &count) == SQLITE_OK, let name else { continue }
      words.append(
        String(decoding: UnsafeRawBufferPointer(start: name, count: Int(count)), as: UTF8.self))
    }
    if let connection = try? Connection(path: ":memory:"),
      let names = try? connection.prepare(
        "SELECT DISTINCT name || '(' FROM pragma_function_list WHERE name GLOB '[a-z]*'"
          + " UNION SELECT 'PRAGMA ' || name FROM pragma_pragma_list ORDER BY 1")
    {
      while (try? names.step()) == true { words.append(names.columnText(0)) }
    }
    for word in words {
      let escaped = word.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
      Swift.print("\"\(String(escaped))\"")
    }
  }
}
