import MartletEngine

/// A pattern for full-text search in FTS3 and FTS4 tables.
///
/// What users type is seldom a pattern: the initializers that can fail make one of the words in it.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")
/// let books = try Book.matching(pattern).fetchAll(db)
/// ```
public struct FTS3Pattern: Sendable {
  /// The pattern in the language of MATCH.
  public let rawPattern: String

  /// Takes a pattern in the language of MATCH.
  ///
  /// - Throws: A `DatabaseError` for a pattern that is none.
  public init(rawPattern: String) throws {
    try SearchPatterns.check(rawPattern, in: "fts3()")
    self.rawPattern = rawPattern
  }

  /// Matches rows that have one of the words; nil where there is no word.
  public init?(matchingAnyTokenIn string: String) {
    self.init(wordsOf: string) { $0.joined(separator: " OR ") }
  }

  /// Matches rows that have all words; nil where there is no word.
  public init?(matchingAllTokensIn string: String) {
    self.init(wordsOf: string) { $0.joined(separator: " ") }
  }

  /// Matches rows that have, for each word, one that begins with it; nil where there is no word.
  public init?(matchingAllPrefixesIn string: String) {
    self.init(wordsOf: string) { $0.map { $0 + "*" }.joined(separator: " ") }
  }

  /// Matches rows that have the words one behind the other; nil where there is no word.
  public init?(matchingPhrase string: String) {
    self.init(wordsOf: string) { "\"" + $0.joined(separator: " ") + "\"" }
  }

  private init?(wordsOf string: String, _ pattern: ([String]) -> String) {
    guard let words = try? FTS3.tokenize(string), !words.isEmpty,
      let made = try? FTS3Pattern(rawPattern: pattern(words))
    else { return nil }
    self = made
  }
}

extension FTS3Pattern: DatabaseValueConvertible {
  /// The raw pattern as text.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Takes text that is a pattern.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
  }
}

/// Patterns are judged by the engine: it reads them when a query begins.
enum SearchPatterns {
  /// Throws for a pattern that a table of the module does not take. The error has no SQL: the
  /// application has not written it.
  static func check(_ pattern: String, in module: String) throws {
    try translatingErrors { () throws(SQLError) in
      let connection = try Connection.forSearch()
      try connection.execute("CREATE VIRTUAL TABLE document USING \(module)")
      let statement = try connection.prepare("SELECT 1 FROM document WHERE document MATCH ?")
      try statement.bind(pattern, upToZeroByteAt: 1)
      _ = try statement.step()
    }
  }
}

extension Connection {
  /// A database in memory that knows full-text search.
  static func forSearch() throws(SQLError) -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.registerSearch()
    return connection
  }
}

extension SQLiteStatement {
  /// Binds text as the layer binds it.
  func bind(_ text: String, upToZeroByteAt index: Int) throws(SQLError) {
    let code = text.bind(to: self, at: CInt(index))
    if code != SQLITE_OK { throw SQLError(MartletEngine.ResultCode(rawValue: code)) }
  }
}
