import Engines

/// Writes statements as a Conformance script with what C SQLite makes of them.
enum CaseFile {
  static func text(of statements: [String], _ library: OracleLibrary) -> String {
    guard let database = try? Engine.oracle(library).open(path: ":memory:", readOnly: false) else {
      return statements.joined(separator: ";\n")
    }
    return statements.map { record(of: $0, database.outcome(of: $0)) }.joined(separator: "\n")
  }

  private static func record(of sql: String, _ outcome: Outcome) -> String {
    if let error = outcome.error { return "statement error\n\(sql)\n----\n\(error.line)\n" }
    if outcome.columns.isEmpty { return "statement ok\n\(sql)\n" }
    return (["query exact", sql, "----"] + outcome.rows).joined(separator: "\n") + "\n"
  }
}
