/// Where a query stands in a literal of SQL.
///
/// As an operand or a table a query needs parentheses: `score = (SELECT …)`, `FROM (SELECT …)`.
/// Where a statement or a part of a compound begins it must have none: `… UNION SELECT …`,
/// `WITH … SELECT …`, `INSERT INTO player SELECT …`.
struct QueryPlace {
  private let before: Substring.UTF8View
  private let after: SQL.Element?

  init(before: String, after: SQL.Element?) {
    self.before = before[...].utf8
    self.after = after
  }

  /// Words behind which an operand or a table stands.
  private static let operandWords: Set<String> = [
    "AND", "BETWEEN", "BY", "CASE", "DISTINCT", "ELSE", "ESCAPE", "EXISTS", "FROM", "GLOB",
    "HAVING", "IN", "IS", "ISNULL", "JOIN", "LIKE", "LIMIT", "MATCH", "MATERIALIZED", "NOT", "OFFSET", "ON",
    "OR", "REGEXP", "RETURNING", "SELECT", "SET", "THEN", "WHEN", "WHERE",
  ]

  /// The query needs parentheses.
  var isOperand: Bool {
    guard let last = before.last(where: { !QueryPlace.isBlank($0) }) else { return false }
    switch last {
    case UInt8(ascii: "("): return isFollowedByOperator
    case UInt8(ascii: ")"), UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "`"),
      UInt8(ascii: "]"):
      return false
    default: break
    }
    let trimmed = before.reversed().drop(while: QueryPlace.isBlank)
    let letters = trimmed.prefix { QueryPlace.isLetter($0) }
    // Operators and commas are no words.
    if letters.isEmpty { return true }
    let word = String(decoding: letters.reversed(), as: UTF8.self).uppercased()
    if word == "AS" { return !isDefinition }
    return QueryPlace.operandWords.contains(word)
  }

  /// `CREATE VIEW … AS`, and not `WITH … AS`.
  private var isDefinition: Bool {
    let word = before.drop(while: QueryPlace.isBlank).prefix(while: QueryPlace.isLetter)
    return String(decoding: word, as: UTF8.self).uppercased() == "CREATE"
  }

  /// In `(query, 1)` and `(query + 1)` the parentheses are not the query's.
  private var isFollowedByOperator: Bool {
    guard case .sql(let text, _) = after,
      let next = text.utf8.first(where: { !QueryPlace.isBlank($0) })
    else { return after != nil }
    return next != UInt8(ascii: ")") && !QueryPlace.isLetter(next)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte >= 0x80
  }
}
