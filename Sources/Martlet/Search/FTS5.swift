import MartletEngine

/// The full-text module to choose for new tables.
///
/// ```swift
/// try db.create(virtualTable: "book_ft", using: FTS5()) { t in
///   t.synchronize(withTable: "book")
///   t.tokenizer = .porter(wrapping: .unicode61())
///   t.column("title")
///   t.column("author")
/// }
/// ```
public struct FTS5: Sendable {
  /// What FTS5 does with diacritics of Latin letters.
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
}

extension FTS5: VirtualTableModule {
  /// `fts5`.
  public var moduleName: String { "fts5" }

  /// Makes what the closure is given.
  public func makeTableDefinition(
    configuration: VirtualTableConfiguration
  ) -> FTS5TableDefinition {
    FTS5TableDefinition(configuration)
  }

  /// The columns and the options.
  ///
  /// - Throws: A `DatabaseError` for a table without columns.
  public func moduleArguments(
    for definition: FTS5TableDefinition, in db: Database
  ) throws -> [String] {
    guard !definition.columns.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "FTS5 virtual table requires at least one column.")
    }
    var arguments = definition.columns.map { $0.isIndexed ? $0.name : $0.name + " UNINDEXED" }
    let tokenizer = definition.tokenizer?.components.map { $0.databaseValue.sqlLiteral }
    let prefixes = definition.prefixes?.sorted().map(String.init)
    let options: [(String, String?)] = [
      ("tokenize", tokenizer?.joined(separator: " ")), ("content", definition.content),
      ("content_rowid", try definition.contentRowIDColumn(db)),
      ("prefix", prefixes?.joined(separator: " ")),
    ]
    for case (let name, let value?) in options {
      arguments.append("\(name)=\(value.databaseValue.sqlLiteral)")
    }
    if let columnSize = definition.columnSize { arguments.append("columnSize=\(columnSize)") }
    if let detail = definition.detail { arguments.append("detail=\(detail)") }
    if definition.contentlessDelete { arguments.append("contentless_delete=1") }
    return arguments
  }

  /// Synchronizes the table with its content, if it was asked for.
  ///
  /// - Throws: A `DatabaseError` for a temporary table: SQLite cannot rebuild its index.
  public func database(
    _ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition
  ) throws {
    guard case .synchronized(let content) = definition.contentSource else { return }
    let triggers = try SynchronizationTriggers(
      of: tableName, with: content, columns: definition.columns.map { $0.name },
      definition.configuration, db)
    try triggers.createFTS5(db)
  }
}

/// The definition of an FTS5 table.
public final class FTS5TableDefinition {
  enum ContentSource {
    case named(String?, rowID: String?)
    case synchronized(String)
  }

  fileprivate let configuration: VirtualTableConfiguration
  fileprivate var columns: [FTS5ColumnDefinition] = []
  fileprivate var contentSource = ContentSource.named(nil, rowID: nil)

  /// What cuts texts into tokens; nil for `unicode61`.
  public var tokenizer: FTS5TokenizerDescriptor?

  /// The table that has the content, an empty text for none; nil keeps it in the table itself.
  ///
  /// Setting it ends the synchronization with another table.
  public var content: String? {
    get {
      switch contentSource {
      case .named(let table, _): table
      case .synchronized(let table): table
      }
    }
    set { contentSource = .named(newValue, rowID: contentRowID) }
  }

  /// The column of `content` that is its rowid, if another one than `rowid`.
  public var contentRowID: String? {
    get {
      guard case .named(_, let column) = contentSource else { return nil }
      return column
    }
    set {
      guard case .named(let table, _) = contentSource else {
        contentSource = .named(nil, rowID: newValue)
        return
      }
      contentSource = .named(table, rowID: newValue)
    }
  }

  /// The lengths of prefixes that get an index of their own.
  public var prefixes: Set<Int>?

  /// 0 keeps no sizes of rows: the file is smaller, and ranking slower.
  public var columnSize: Int?

  /// How much is known of the places of words: `full`, `column` or `none`.
  public var detail: String?

  /// Rows of a table without content can be deleted and replaced. GRDB has no such option.
  public var contentlessDelete = false

  init(_ configuration: VirtualTableConfiguration) { self.configuration = configuration }

  /// Adds a column. The name is SQL: write it with quotes if it needs them.
  @discardableResult
  public func column(_ name: String) -> FTS5ColumnDefinition {
    let column = FTS5ColumnDefinition(name)
    columns.append(column)
    return column
  }

  /// Takes the content from a table, and follows its changes by triggers.
  ///
  /// Their names are made of that of the full-text table: drop them with it, by
  /// `Database.dropFTS5SynchronizationTriggers(forTable:)`.
  public func synchronize(withTable tableName: String) {
    contentSource = .synchronized(tableName)
  }

  fileprivate func contentRowIDColumn(_ db: Database) throws -> String? {
    switch contentSource {
    case .named(_, let column): column
    case .synchronized(let table): try db.primaryKey(table).rowIDColumn
    }
  }
}

@available(*, unavailable)
extension FTS5TableDefinition: Sendable {}

/// The definition of a column of an FTS5 table.
public final class FTS5ColumnDefinition {
  fileprivate let name: String
  fileprivate var isIndexed = true

  init(_ name: String) { self.name = name }

  /// The column is kept and not searched.
  @discardableResult
  public func notIndexed() -> Self {
    isIndexed = false
    return self
  }
}

@available(*, unavailable)
extension FTS5ColumnDefinition: Sendable {}

extension Column {
  /// The hidden column of FTS5 tables that orders matches, the best first.
  public static let rank = Column("rank")
}

extension Database {
  /// Drops the triggers that have synchronized an FTS5 table with another one.
  ///
  /// - Parameter tableName: The full-text table.
  public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
    try SynchronizationTriggers.drop(["ai", "ad", "au"], of: tableName, self)
  }
}
