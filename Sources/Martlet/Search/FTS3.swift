import MartletEngine

/// The full-text module of SQLite that keeps to the least: no options but the tokenizer.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///   t.tokenizer = .porter
///   t.column("content")
/// }
/// ```
public struct FTS3: Sendable {
  /// What FTS3 and FTS4 do with diacritics of Latin letters.
  public enum Diacritics: Sendable {
    /// "e" does not match "é".
    case keep
    /// Removes them where Unicode has one code point for letter and diacritic.
    case removeLegacy
    /// Removes them wherever they are.
    case remove
  }

  /// The module.
  public init() {}

  /// Cuts a text into tokens.
  ///
  /// ```swift
  /// try FTS3.tokenize("SQLite databases", withTokenizer: .porter)  // ["sqlite", "databas"]
  /// ```
  ///
  /// - Throws: A `DatabaseError` for a tokenizer that the engine does not take.
  public static func tokenize(
    _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
  ) throws -> [String] {
    let words = [tokenizer.name] + tokenizer.arguments.map { $0.quotedIdentifier }
    return try translatingErrors { () throws(SQLError) in
      let connection = try Connection.forSearch()
      try connection.execute(
        "CREATE VIRTUAL TABLE tokens USING fts3tokenize(\(words.joined(separator: ", ")))")
      let statement = try connection.prepare(
        "SELECT token FROM tokens WHERE input = ? ORDER BY position")
      try statement.bind(string, upToZeroByteAt: 1)
      var tokens: [String] = []
      while try statement.step() { tokens.append(statement.columnText(0)) }
      return tokens
    }
  }
}

extension FTS3: VirtualTableModule {
  /// `fts3`.
  public var moduleName: String { "fts3" }

  /// Makes what the closure is given.
  public func makeTableDefinition(
    configuration: VirtualTableConfiguration
  ) -> FTS3TableDefinition {
    FTS3TableDefinition()
  }

  /// The columns and the tokenizer.
  public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) -> [String] {
    var arguments = definition.columns
    if let tokenizer = definition.tokenizer { arguments.append(tokenizer.option) }
    return arguments
  }

  /// Nothing is left to be done.
  public func database(
    _ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition
  ) {}
}

/// The definition of an FTS3 table.
public final class FTS3TableDefinition {
  fileprivate var columns: [String] = []

  /// What cuts texts into tokens; nil for `simple`.
  public var tokenizer: FTS3TokenizerDescriptor?

  /// Adds a column. The name is SQL: write it with quotes if it needs them.
  public func column(_ name: String) { columns.append(name) }
}

@available(*, unavailable)
extension FTS3TableDefinition: Sendable {}
