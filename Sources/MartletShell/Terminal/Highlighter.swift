/// What a part of the typed text is, and with it its colour.
enum TextStyle: UInt8 {
  case plain, keyword, string, comment, number, command, match

  /// The escape sequence that begins the style.
  var sequence: String {
    switch self {
    case .plain: "\u{1b}[0m"
    case .keyword: "\u{1b}[1;34m"
    case .string: "\u{1b}[32m"
    case .comment: "\u{1b}[90m"
    case .number: "\u{1b}[36m"
    case .command: "\u{1b}[35m"
    case .match: "\u{1b}[4m"
    }
  }
}

/// The style of each character of what is typed.
struct Highlighter {
  private let text: [Character]
  private var styles: [TextStyle]
  private var index = 0
  /// Words that are keywords, in capitals.
  private let isKeyword: (String) -> Bool

  static func styles(
    of text: [Character], isKeyword: @escaping (String) -> Bool
  ) -> [TextStyle] {
    var highlighter = Highlighter(text, isKeyword)
    highlighter.run()
    return highlighter.styles
  }

  private init(_ text: [Character], _ isKeyword: @escaping (String) -> Bool) {
    self.text = text
    self.isKeyword = isKeyword
    styles = Array(repeating: .plain, count: text.count)
  }

  private mutating func run() {
    if text.first == "." {
      let end = text.firstIndex(where: \.isWhitespace) ?? text.count
      styles.replaceSubrange(..<end, with: repeatElement(.command, count: end))
      index = text.firstIndex(of: "\n") ?? text.count
    }
    while index < text.count { token() }
  }

  private mutating func token() {
    switch text[index] {
    case "'": take(.string, through: closing("'", from: index + 1))
    case "\"", "`": take(.plain, through: closing(text[index], from: index + 1))
    case "[": take(.plain, through: closing("]", from: index + 1))
    case "-" where following == "-":
      take(.comment, through: text[index...].firstIndex(of: "\n") ?? text.count)
    case "/" where following == "*": take(.comment, through: commentEnd)
    case let first where first.isLetter || first == "_": word()
    case let first where first.isNumber:
      take(.number, through: end { $0.isHexDigit || $0 == "." || $0 == "_" || $0 == "x" })
    default: index += 1
    }
  }

  private var following: Character? { index + 1 < text.count ? text[index + 1] : nil }

  private mutating func take(_ style: TextStyle, through end: Int) {
    styles.replaceSubrange(index..<end, with: repeatElement(style, count: end - index))
    index = end
  }

  private func end(_ belongs: (Character) -> Bool) -> Int {
    text[index...].firstIndex { !belongs($0) } ?? text.count
  }

  /// Behind the next `quote`; a text that is not closed goes to the end.
  private func closing(_ quote: Character, from start: Int) -> Int {
    text[start...].firstIndex(of: quote).map { $0 + 1 } ?? text.count
  }

  private var commentEnd: Int {
    var place = index + 2
    while place + 1 < text.count {
      if text[place] == "*", text[place + 1] == "/" { return place + 2 }
      place += 1
    }
    return text.count
  }

  private mutating func word() {
    let end = end { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
    if end == index + 1, "xX".contains(text[index]), following == "'" {
      take(.string, through: closing("'", from: index + 2))
    } else {
      take(isKeyword(String(text[index..<end]).uppercased()) ? .keyword : .plain, through: end)
    }
  }
}
