/// Parameters: their values stand in a comment behind the statement, `Bindings` reads them.
extension Generator {
  /// A statement that may have parameters in the place of literals.
  mutating func withParameters(_ make: (inout Generator) -> String) -> String {
    parameters = []
    let sql = make(&self)
    let values = parameters ?? []
    parameters = nil
    return values.isEmpty ? sql : sql + " " + Bindings.comment(values)
  }

  /// A parameter, if the statement may have some and this is to be one.
  mutating func parameter() -> String? {
    guard let count = parameters?.count, count < 9, random.chance(40) else { return nil }
    if count > 0, random.chance(15) { return "?\(random.within(1...count))" }
    parameters?.append(
      random.pick([
        "1", "2", "7", "-3", "0.5", "2.0", "'a'", "'abc'", "'12'", "''", "NULL", "'ä'",
      ]))
    return random.chance(70) ? "?\(count + 1)" : ":p\(count + 1)"
  }
}

/// Values for the parameters of a statement, as they are written behind it.
enum Bindings {
  private static let start = "/*bind "

  static func comment(_ values: [String]) -> String {
    start + values.joined(separator: "\t") + "*/"
  }

  /// The values that a statement's text names.
  static func values(of sql: String) -> [String] {
    guard sql.hasSuffix("*/"), let place = sql.firstRange(of: start) else { return [] }
    return sql[place.upperBound...].dropLast(2).split(separator: "\t").map(String.init)
  }
}
