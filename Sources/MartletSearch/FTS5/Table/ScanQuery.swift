import MartletEngine

/// What a scan is asked for: the values that the planner wanted, as its text names them.
struct ScanQuery {
  private let cursor: FTS5Cursor
  private(set) var tree: QueryTree?
  private(set) var phrases: [QueryPhrase] = []
  /// Which argument `rank MATCH` says.
  private var rankArgument: Int?
  /// Which argument the rowid is.
  private(set) var rowidArgument: Int?
  private(set) var lowest = Int64.min
  private(set) var highest = Int64.max
  /// The result of a query that is none.
  private(set) var special: Int64?
  private let configuration: FTS5Configuration

  init(_ cursor: FTS5Cursor) {
    self.cursor = cursor
    configuration = cursor.configuration
  }

  mutating func read(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    var symbols = Array((scan.text ?? "").utf8)[...]
    for index in 0..<scan.count {
      guard let symbol = symbols.popFirst(), let value = scan.reference(index) else {
        throw SQLError(.internal)
      }
      var column = 0
      while let digit = symbols.first, digit &- 0x30 < 10 {
        column = column &* 10 &+ Int(digit &- 0x30)
        symbols.removeFirst()
      }
      switch symbol {
      case UInt8(ascii: "M"): try readMatch(value, column)
      case UInt8(ascii: "L"): try readPattern(value, column, isGlob: false)
      case UInt8(ascii: "G"): try readPattern(value, column, isGlob: true)
      case UInt8(ascii: "r"): rankArgument = index
      case UInt8(ascii: "="):
        rowidArgument = index
        limit(value, isLower: true)
        limit(value, isLower: false)
      case UInt8(ascii: "<"): limit(value, isLower: false)
      default: limit(value, isLower: true)
      }
    }
  }

  /// What `rank MATCH` says. Only of a scan that has matches is it read, as in SQLite.
  func rank(_ scan: borrowing VirtualTableArguments) throws(SQLError) -> RankFunction? {
    guard let rankArgument, let value = scan.reference(rankArgument) else { return nil }
    let text = try ValueText.string(value)
    guard let parsed = RankFunction(parsing: text) else {
      throw SQLError(.error, "parse error in rank function: \(text)")
    }
    return parsed
  }

  /// Only integers limit a scan; the statement compares all others.
  private mutating func limit(_ value: ValueReference, isLower: Bool) {
    guard value.numericType == .integer else { return }
    if isLower { lowest = value.int64 } else { highest = value.int64 }
  }

  private mutating func readMatch(_ value: ValueReference, _ column: Int) throws(SQLError) {
    let parts = try LocaleValue.parts(value)
    let locale = parts?.locale
    let bytes = if let parts { parts.text } else { try cursor.text.bytes(value) }
    let text = Array(bytes.prefix { $0 != 0 })
    if text.first == UInt8(ascii: "*") { return try readSpecial(text) }
    let keepsTokens =
      configuration.settings.collectsTokens || value.subtype == TokenInstanceFunction.subtype
    try add(
      text, locale: locale, column: column, splitsPhrases: false, keepsTokens: keepsTokens)
  }

  private mutating func add(
    _ text: [UInt8], locale: UnsafeRawBufferPointer?, column: Int, splitsPhrases: Bool,
    keepsTokens: Bool = false
  ) throws(SQLError) {
    var parser = try QueryParser(
      text, configuration, locale: locale, splitsPhrases: splitsPhrases)
    let isFiltered = column < configuration.columns.count
    let parsed = try parser.parse(column: isFiltered ? column : nil)
    for phrase in parser.phrases where keepsTokens {
      for index in phrase.terms.indices { phrase.terms[index].keepsTokens = true }
    }
    // Quirk: of several queries, the phrases of the last come first. It shows in the last digit of
    // ranks. `SELECT rank FROM t WHERE t MATCH 'a' AND t MATCH 'b' AND t MATCH 'c'`
    phrases = parser.phrases + phrases
    tree = tree.map { .and([$0, parsed]) } ?? parsed
  }

  private mutating func readSpecial(_ text: [UInt8]) throws(SQLError) {
    let word = text.dropFirst().drop { $0 == 0x20 }.prefix { $0 != 0x20 }
    let name = String(decoding: word, as: UTF8.self)
    switch name.lowercased() {
    case "id": special = cursor.number
    case "reads": special = 0
    default: throw SQLError(.error, "unknown special query: \(name)")
    }
  }

  /// LIKE and GLOB become queries for the pieces between their wildcards (fts5 §4.3.4).
  private mutating func readPattern(
    _ value: ValueReference, _ column: Int, isGlob: Bool
  ) throws(SQLError) {
    guard value.type != .null else { return }
    let text = Array(try cursor.text.bytes(value).prefix { $0 != 0 })
    let query = PatternQuery.query(text, isGlob: isGlob)
    guard !query.isEmpty else { return }
    let isFull = configuration.detail == .full
    let filtered = configuration.detail == .none ? configuration.columns.count : column
    try add(query, locale: nil, column: filtered, splitsPhrases: !isFull)
  }
}

/// A pattern as a query: its pieces of three characters and more, in quotes.
enum PatternQuery {
  static func query(_ text: [UInt8], isGlob: Bool) -> [UInt8] {
    let wildcards = isGlob ? Array("*?[".utf8) : Array("_%".utf8)
    var result: [UInt8] = []
    var first = 0, index = 0
    while index <= text.count {
      if index == text.count || wildcards.contains(text[index]) {
        let piece = text[min(first, index)..<index]
        if piece.count(where: { $0 & 0xc0 != 0x80 }) >= 3 { append(piece, to: &result) }
        if index < text.count, isGlob, text[index] == UInt8(ascii: "[") {
          index += 2
          if index - 1 < text.count, text[index - 1] == UInt8(ascii: "^") { index += 1 }
          while index < text.count && text[index] != UInt8(ascii: "]") { index += 1 }
        }
        first = index + 1
      }
      index += 1
    }
    return result
  }

  private static func append(_ piece: ArraySlice<UInt8>, to query: inout [UInt8]) {
    query.append(UInt8(ascii: "\""))
    for byte in piece {
      query.append(byte)
      if byte == UInt8(ascii: "\"") { query.append(byte) }
    }
    query.append(UInt8(ascii: "\""))
    query.append(UInt8(ascii: " "))
  }
}
