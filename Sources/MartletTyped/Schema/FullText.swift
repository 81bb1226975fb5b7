import MartletEngine

// Tables for full-text search. What is here makes their SQL; it runs where the module is there.

/// How texts are cut into words (fts3 §8, fts5 §4.3).
public struct Tokenizer: Sendable, CustomStringConvertible {
  let name: String
  /// Options with their values.
  let options: [(String, String)]

  /// The name is the application's, and may have any characters.
  private let isCustom: Bool

  private init(_ name: String, options: [(String, String)] = [], isCustom: Bool = false) {
    self.name = name
    self.isCustom = isCustom
    self.options = options
  }

  /// Words of letters A to Z and digits, in small letters.
  public static var Simple: Tokenizer { Tokenizer("simple") }

  /// Words without their endings in English.
  public static var Porter: Tokenizer { Tokenizer("porter") }

  /// Words by the rules of Unicode.
  ///
  /// - Parameters:
  ///   - removeDiacritics: Letters are as those without marks.
  ///   - tokenchars: Characters that belong to words too.
  ///   - separators: Characters that do not.
  public static func Unicode61(
    removeDiacritics: Bool? = nil, tokenchars: Set<Character> = [],
    separators: Set<Character> = []
  ) -> Tokenizer {
    var options: [(String, String)] = []
    if let removeDiacritics { options.append(("remove_diacritics", removeDiacritics ? "1" : "0")) }
    if !tokenchars.isEmpty { options.append(("tokenchars", String(tokenchars.sorted()))) }
    if !separators.isEmpty { options.append(("separators", String(separators.sorted()))) }
    return Tokenizer("unicode61", options: options)
  }

  /// All three characters that follow each other (FTS5).
  public static func Trigram(caseSensitive: Bool = false) -> Tokenizer {
    Tokenizer("trigram", options: [("case_sensitive", caseSensitive ? "1" : "0")])
  }

  /// One of the application.
  public static func Custom(_ name: String) -> Tokenizer {
    Tokenizer(name, isCustom: true)
  }

  /// The tokenizer as FTS4 takes it: each option in double quotes.
  public var description: String {
    let name = isCustom ? name.quotedIdentifier : name
    return ([name] + options.map { "\($0)=\($1)".quotedIdentifier }).joined(separator: " ")
  }

  /// The tokenizer as FTS5 takes it: one text, in which values are texts themselves.
  var textOfFTS5: String {
    if isCustom { return name.quoted(with: "'").quotedIdentifier }
    if options.isEmpty { return name }
    let words = [name] + options.flatMap { [$0, $1.quoted(with: "'")] }
    return words.joined(separator: " ").quotedIdentifier
  }
}

extension Module {
  /// A table of FTS4.
  public static func FTS4(_ column: any Expressible, _ more: any Expressible...) -> Module {
    FTS4([column] + more)
  }

  /// A table of FTS4.
  public static func FTS4(
    _ columns: [any Expressible] = [], tokenize tokenizer: Tokenizer? = nil
  ) -> Module {
    let config = FTS4Config().columns(columns)
    return FTS4(tokenizer.map { config.tokenizer($0) } ?? config)
  }

  /// A table of FTS4.
  public static func FTS4(_ config: FTS4Config) -> Module {
    Module(builtIn: "fts4", config.arguments)
  }

  /// A table of FTS5.
  public static func FTS5(_ config: FTS5Config) -> Module {
    Module(builtIn: "fts5", config.arguments)
  }
}

/// What FTS4 and FTS5 have in common.
open class FTSConfig {
  /// What is said of a column.
  public enum ColumnOption: Sendable {
    /// It is not searched.
    case unindexed
  }

  var columnList: [(name: Expression<Void>, options: [ColumnOption])] = []
  var tokenizer: Tokenizer?
  private var prefixes: [Int] = []
  private var content: String?

  /// No columns, and the module's ways.
  public init() {}

  /// Adds a column.
  @discardableResult
  open func column(_ column: any Expressible, _ options: [ColumnOption] = []) -> Self {
    columnList.append((column.expression, options))
    return self
  }

  /// Adds columns.
  @discardableResult
  open func columns(_ columns: [any Expressible]) -> Self {
    for column in columns { self.column(column) }
    return self
  }

  /// How texts are cut into words.
  @discardableResult
  open func tokenizer(_ tokenizer: Tokenizer?) -> Self {
    self.tokenizer = tokenizer
    return self
  }

  /// Starts of words of so many characters are found quickly.
  @discardableResult
  open func prefix(_ prefix: [Int]) -> Self {
    prefixes += prefix
    return self
  }

  /// The texts stand in another table.
  @discardableResult
  open func externalContent(_ schema: any SchemaType) -> Self {
    content = schema.tableName().template
    return self
  }

  /// The texts are not kept.
  @discardableResult
  open func contentless() -> Self {
    content = "\"\""
    return self
  }

  var options: [(String, String)] {
    var options: [(String, String)] = []
    if let tokenizer { options.append(("tokenize", text(of: tokenizer))) }
    if !prefixes.isEmpty {
      options.append(("prefix", prefixes.map(String.init).joined(separator: ",").quotedIdentifier))
    }
    if let content { options.append(("content", content)) }
    return options
  }

  func text(of tokenizer: Tokenizer) -> String { tokenizer.description }

  var columnTexts: [Expression<Void>] { columnList.map(\.name) }

  var arguments: [any Expressible] {
    columnTexts + options.map { Expression<Void>(literal: "\($0)=\($1)") }
  }
}

/// A table of FTS4 (fts3 §1.3).
open class FTS4Config: FTSConfig {
  /// How much is kept to rank rows.
  public enum MatchInfo: String, Sendable {
    /// As FTS3: less.
    case fts3
  }

  /// How rows are sorted.
  public enum Order: String, Sendable {
    /// By rowid.
    case asc
    /// By rowid, the largest first.
    case desc
  }

  private var own: [(String, String)] = []

  private func set(_ name: String, _ value: String) -> Self {
    own.append((name, value.quotedIdentifier))
    return self
  }

  /// The function that makes stored texts small.
  @discardableResult
  open func compress(_ functionName: String) -> Self { set("compress", functionName) }

  /// The function that undoes it.
  @discardableResult
  open func uncompress(_ functionName: String) -> Self { set("uncompress", functionName) }

  /// The column that says the language of a row.
  @discardableResult
  open func languageId(_ columnName: String) -> Self { set("languageid", columnName) }

  /// How much is kept to rank rows.
  @discardableResult
  open func matchInfo(_ matchInfo: MatchInfo) -> Self { set("matchinfo", matchInfo.rawValue) }

  /// How rows are sorted.
  @discardableResult
  open func order(_ order: Order) -> Self { set("order", order.rawValue) }

  override var options: [(String, String)] {
    let unindexed = columnList.filter { $0.options.contains(.unindexed) }
    return super.options + unindexed.map { ("notindexed", $0.name.template) } + own
  }
}

/// A table of FTS5 (fts5 §4).
open class FTS5Config: FTSConfig {
  /// How much is kept of where words stand.
  public enum Detail: String, Sendable {
    /// Column and place.
    case full
    /// The column.
    case column
    /// The row.
    case none
  }

  private var own: [(String, String)] = []

  /// The rowid of the table that has the texts.
  @discardableResult
  open func contentRowId(_ column: any Expressible) -> Self {
    own.append(("content_rowid", column.expression.template))
    return self
  }

  /// Whether the size of each column is kept.
  @discardableResult
  open func columnSize(_ size: Int) -> Self {
    own.append(("columnsize", String(size)))
    return self
  }

  /// How much is kept of where words stand.
  @discardableResult
  open func detail(_ detail: Detail) -> Self {
    own.append(("detail", detail.rawValue.quotedIdentifier))
    return self
  }

  override func text(of tokenizer: Tokenizer) -> String { tokenizer.textOfFTS5 }

  override var columnTexts: [Expression<Void>] {
    columnList.map { name, options in
      guard options.contains(.unindexed) else { return name }
      return " ".join([name, Expression<Void>(literal: "UNINDEXED")])
    }
  }

  override var options: [(String, String)] { super.options + own }
}

extension VirtualTable {
  /// `MATCH`: what the pattern finds in any column.
  public func match(_ pattern: String) -> Expression<Bool> { "MATCH".infix(tableName(), pattern) }

  /// `MATCH` with a pattern that is computed.
  public func match(_ pattern: Expression<String>) -> Expression<Bool> {
    "MATCH".infix(tableName(), pattern)
  }

  /// `MATCH` with a pattern that is computed.
  public func match(_ pattern: Expression<String?>) -> Expression<Bool?> {
    "MATCH".infix(tableName(), pattern)
  }

  /// The rows that the pattern finds.
  public func match(_ pattern: String) -> VirtualTable {
    filter(match(pattern) as Expression<Bool>)
  }

  /// The rows that the pattern finds.
  public func match(_ pattern: Expression<String>) -> VirtualTable {
    filter(match(pattern) as Expression<Bool>)
  }

  /// The rows that the pattern finds.
  public func match(_ pattern: Expression<String?>) -> VirtualTable {
    filter(match(pattern) as Expression<Bool?>)
  }
}
