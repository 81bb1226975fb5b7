import MartletEngine

/// FTS3 with options: external content, compression, prefixes, languages.
///
/// ```swift
/// try db.create(virtualTable: "book_ft", using: FTS4()) { t in
///   t.synchronize(withTable: "book")
///   t.tokenizer = .unicode61()
///   t.column("title")
///   t.column("author")
/// }
/// ```
public struct FTS4: Sendable {
  /// The module.
  public init() {}
}

extension FTS4: VirtualTableModule {
  /// `fts4`.
  public var moduleName: String { "fts4" }

  /// Makes what the closure is given.
  public func makeTableDefinition(
    configuration: VirtualTableConfiguration
  ) -> FTS4TableDefinition {
    FTS4TableDefinition(configuration)
  }

  /// The columns and the options.
  public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) -> [String] {
    var arguments: [String] = []
    for column in definition.columns {
      if column.isLanguageId {
        arguments.append("languageid=" + column.name.quotedIdentifier)
        continue
      }
      arguments.append(column.name)
      if !column.isIndexed { arguments.append("notindexed=" + column.name) }
    }
    if let tokenizer = definition.tokenizer { arguments.append(tokenizer.option) }
    let prefixes = definition.prefixes?.sorted().map(String.init).joined(separator: ",")
    let options: [(String, String?)] = [
      ("content", definition.content), ("compress", definition.compress),
      ("uncompress", definition.uncompress), ("matchinfo", definition.matchinfo),
      ("prefix", prefixes),
    ]
    for case (let name, let value?) in options {
      arguments.append("\(name)=\(value.quotedIdentifier)")
    }
    return arguments
  }

  /// Synchronizes the table with its content, if it was asked for.
  ///
  /// - Throws: A `DatabaseError` for a temporary table: SQLite cannot rebuild its index.
  public func database(
    _ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition
  ) throws {
    guard case .synchronized(let content) = definition.contentSource else { return }
    let triggers = try SynchronizationTriggers(
      of: tableName, with: content, columns: definition.columns.map { $0.name },
      definition.configuration, db)
    try triggers.createFTS4(db)
  }
}

/// The definition of an FTS4 table.
public final class FTS4TableDefinition {
  enum ContentSource {
    case named(String?)
    case synchronized(String)
  }

  fileprivate let configuration: VirtualTableConfiguration
  fileprivate var columns: [FTS4ColumnDefinition] = []
  fileprivate var contentSource = ContentSource.named(nil)

  /// What cuts texts into tokens; nil for `simple`.
  public var tokenizer: FTS3TokenizerDescriptor?

  /// The table that has the content, an empty text for none; nil keeps it in the table itself.
  ///
  /// Setting it ends the synchronization with another table.
  public var content: String? {
    get {
      switch contentSource {
      case .named(let table): table
      case .synchronized(let table): table
      }
    }
    set { contentSource = .named(newValue) }
  }

  /// The function of SQL that content is compressed with.
  public var compress: String?

  /// The function of SQL that takes back what `compress` does.
  public var uncompress: String?

  /// `fts3` leaves out what the function `matchinfo` needs to know the sizes of rows.
  public var matchinfo: String?

  /// The lengths of prefixes that get an index of their own.
  public var prefixes: Set<Int>?

  init(_ configuration: VirtualTableConfiguration) { self.configuration = configuration }

  /// Adds a column. The name is SQL: write it with quotes if it needs them.
  @discardableResult
  public func column(_ name: String) -> FTS4ColumnDefinition {
    let column = FTS4ColumnDefinition(name)
    columns.append(column)
    return column
  }

  /// Takes the content from a table, and follows its changes by triggers.
  ///
  /// Their names are made of that of the full-text table: drop them with it, by
  /// `Database.dropFTS4SynchronizationTriggers(forTable:)`.
  public func synchronize(withTable tableName: String) {
    contentSource = .synchronized(tableName)
  }
}

@available(*, unavailable)
extension FTS4TableDefinition: Sendable {}

/// The definition of a column of an FTS4 table.
public final class FTS4ColumnDefinition {
  fileprivate let name: String
  fileprivate var isIndexed = true
  fileprivate var isLanguageId = false

  init(_ name: String) { self.name = name }

  /// The column is kept and not searched.
  @discardableResult
  public func notIndexed() -> Self {
    isIndexed = false
    return self
  }

  /// The column says which language the row is in: a row is found by queries of its language.
  @discardableResult
  public func asLanguageId() -> Self {
    isLanguageId = true
    return self
  }
}

@available(*, unavailable)
extension FTS4ColumnDefinition: Sendable {}

extension Database {
  /// Drops the triggers that have synchronized an FTS4 table with another one.
  ///
  /// - Parameter tableName: The full-text table.
  public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
    try SynchronizationTriggers.drop(["bu", "bd", "au", "ai"], of: tableName, self)
  }
}
