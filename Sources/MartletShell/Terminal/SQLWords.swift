/// The words of the statement that is being typed, up to the cursor.
struct SQLWords {
  struct NamedTable {
    let table: String
    let alias: String
  }

  /// What stands before the word at the cursor, keywords and names alike in capitals or as written.
  private var words: [String] = []
  /// The word that the cursor ends.
  private(set) var partial = ""
  /// What stands before a dot before that word.
  private(set) var owner: String?
  /// Whether the cursor is in a text or a comment, where nothing is offered.
  private(set) var endsInText = false
  /// Whether the word began with a double quote.
  private(set) var isQuoted = false

  init(_ text: String) {
    endsInText = !read(text)
  }

  /// Takes the text apart; false where it ends within a literal or a comment.
  private mutating func read(_ text: String) -> Bool {
    var index = text.startIndex
    while index < text.endIndex {
      let character = text[index]
      let rest = text[index...]
      let start = index
      switch character {
      case "'":
        guard let end = rest.dropFirst().firstIndex(of: "'") else { return false }
        index = text.index(after: end)
      case "\"", "`", "[":
        let close: Character = character == "[" ? "]" : character
        guard let end = rest.dropFirst().firstIndex(of: close) else {
          partial = String(rest)
          isQuoted = true
          return true
        }
        index = text.index(after: end)
        words.append(String(rest[text.index(after: start)..<end]))
      case "-" where rest.hasPrefix("--"):
        guard let end = rest.firstIndex(of: "\n") else { return false }
        index = end
      case "/" where rest.hasPrefix("/*"):
        guard let end = Self.commentEnd(rest.dropFirst(2)) else { return false }
        index = end
      case ";":
        words = []
        index = text.index(after: index)
      case let first where Self.isWord(first):
        index = rest.firstIndex { !Self.isWord($0) } ?? text.endIndex
        words.append(String(text[start..<index]))
      case " ", "\t", "\n": index = text.index(after: index)
      default:
        words.append(String(character))
        index = text.index(after: index)
      }
    }
    if let last = text.last, Self.isWord(last), let word = words.popLast() { partial = word }
    if words.count >= 2, words.last == "." { owner = words[words.count - 2] }
    return true
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }

  private static func commentEnd(_ text: Substring) -> String.Index? {
    var star = false
    for index in text.indices {
      if star, text[index] == "/" { return text.index(after: index) }
      star = text[index] == "*"
    }
    return nil
  }

  /// Whether the statement is a VACUUM that writes another file.
  var vacuumsIntoFile: Bool {
    words.first?.uppercased() == "VACUUM"
      && (words + [partial]).contains { $0.uppercased() == "INTO" }
  }

  /// The first words, as they are written.
  func first(_ count: Int) -> [String] { Array(words.prefix(count)) }

  /// The last words, in capitals, newest first.
  func last(_ count: Int) -> [String] { words.suffix(count).reversed().map { $0.uppercased() } }

  var isDefinition: Bool {
    ["CREATE", "DROP", "ALTER", "REINDEX"].contains(words.first?.uppercased() ?? "")
  }

  /// The tables that the statement names so far, and what it calls them.
  var tables: [NamedTable] {
    var found: [NamedTable] = []
    var index = 0
    while index + 1 < words.count {
      let word = words[index].uppercased()
      index += 1
      let opens = ["FROM", "JOIN", "INTO", "UPDATE"].contains(word)
      guard opens || word == "," && !found.isEmpty && isList(before: index - 1) else { continue }
      if index + 2 < words.count, words[index + 1] == "." { index += 2 }
      guard Self.isWord(words[index].first ?? " ") else { continue }
      let table = words[index]
      var alias = table
      var next = index + 1
      if next < words.count, words[next].uppercased() == "AS" { next += 1 }
      if next < words.count, Self.isWord(words[next].first ?? " "), !Self.follows(words[next]) {
        alias = words[next]
      }
      found.append(NamedTable(table: table, alias: alias))
    }
    return found
  }

  /// Whether the comma at `index` separates tables and not columns: FROM is the last clause.
  private func isList(before index: Int) -> Bool {
    let clauses = ["FROM", "JOIN", "WHERE", "ORDER", "GROUP", "SELECT", "SET", "VALUES", "ON", "("]
    return words[..<index].last { clauses.contains($0.uppercased()) }?.uppercased() == "FROM"
  }

  /// Keywords that may stand behind a table and are no name for it.
  private static func follows(_ word: String) -> Bool {
    [
      "WHERE", "ON", "USING", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "ORDER",
      "GROUP", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "SET", "VALUES", "SELECT", "DEFAULT",
      "INDEXED", "NOT", "HAVING", "WINDOW", "RETURNING",
    ].contains(word.uppercased())
  }
}
