import MartletEngine
import MartletSearch

/// A pattern for full-text search in FTS5 tables.
///
/// What users type is seldom a pattern: the initializers that can fail make one of the words in it.
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: "SQL data")
/// let books = try Book.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
public struct FTS5Pattern: Sendable {
  /// The pattern in the language of MATCH.
  public let rawPattern: String

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

  /// Matches rows with a column that begins with the words; nil where there is no word.
  public init?(matchingPrefixPhrase string: String) {
    self.init(wordsOf: string) { "^\"" + $0.joined(separator: " ") + "\"" }
  }

  /// Takes a pattern in the language of MATCH.
  ///
  /// - Parameters:
  ///   - rawPattern: The text of the pattern.
  ///   - allowedColumns: The columns that the pattern may name.
  /// - Throws: A `DatabaseError` for a pattern that is none, or that names another column.
  public init(rawPattern: String, allowedColumns: [String] = []) throws {
    // A table must have a column: one that no pattern names.
    let columns = allowedColumns.isEmpty ? ["__grdb__"] : allowedColumns
    let list = columns.map { $0.quotedIdentifier }.joined(separator: ", ")
    try SearchPatterns.check(rawPattern, in: "fts5(\(list))")
    self.rawPattern = rawPattern
  }

  /// Words are as FTS5's tokenizer `ascii` cuts them, which splits less than others: the tokenizer
  /// of the table goes on with them.
  private init?(wordsOf string: String, _ pattern: ([String]) -> String) {
    guard let words = try? FTS5Pattern.words(of: string), !words.isEmpty,
      let made = try? FTS5Pattern(rawPattern: pattern(words))
    else { return nil }
    self = made
  }

  private static func words(of string: String) throws -> [String] {
    let ascii = try TokenizerRegistry().tokenizer(named: "ascii", arguments: [])
    var words: [String] = []
    var string = string
    try string.withUTF8 { bytes in
      let text = UnsafeRawBufferPointer(bytes)
      try ascii.tokenize(text, reason: .query, locale: nil) { word, _, _, _ in
        words.append(String(decoding: word, as: UTF8.self))
      }
    }
    return words
  }
}

extension FTS5Pattern: DatabaseValueConvertible {
  /// The raw pattern as text.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Takes text that is a pattern.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
    String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
  }
}

extension Database {
  /// Takes a pattern in the language of MATCH, which may name the columns of a table.
  ///
  /// - Throws: A `DatabaseError` for a pattern that is none.
  public func makeFTS5Pattern(
    rawPattern: String, forTable table: String
  ) throws -> FTS5Pattern {
    try FTS5Pattern(
      rawPattern: rawPattern, allowedColumns: columns(in: table).map { $0.name })
  }
}
