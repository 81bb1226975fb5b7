import MartletEngine

/// Where a table's rows are (fts5 §4.4).
enum ContentKind {
  /// In `%_content`.
  case normal
  /// Nowhere.
  case none
  /// In another table or view.
  case external
  /// Only columns that are not indexed are in `%_content` (fts5 §4.9).
  case unindexed
}

/// What CREATE VIRTUAL TABLE said of a table (SQLite's Fts5Config).
final class FTS5Configuration {
  let database: String
  let table: String
  fileprivate(set) var columns: [String] = []
  fileprivate(set) var isUnindexed: [Bool] = []
  /// Characters that the prefix indexes have.
  fileprivate(set) var prefixes: [Int] = []
  fileprivate(set) var contentKind = ContentKind.normal
  /// The name of the table that an external content comes from.
  fileprivate(set) var externalContent: String?
  fileprivate(set) var contentRowid: String?
  fileprivate(set) var hasContentlessDelete = false
  fileprivate(set) var hasContentlessUnindexed = false
  fileprivate(set) var hasColumnSizes = true
  fileprivate(set) var hasLocales = false
  fileprivate(set) var hasTokenData = false
  fileprivate(set) var detail = Detail.full
  fileprivate(set) var tokenizerWords: [String]?
  let settings = FTS5Settings()
  private let tokenizers: TokenizerRegistry
  private(set) var tokenizer: any Tokenizer
  /// Which patterns the index answers, where it is one of trigrams.
  private(set) var patterns: (like: Bool, glob: Bool) = (false, false)
  unowned(unsafe) let connection: Connection
  /// The content's statement is being made: the table reads itself.
  @exclusivity(unchecked) var isLocked = false

  init(
    _ connection: Connection, _ request: VirtualTableRequest, _ tokenizers: TokenizerRegistry,
    isNew: Bool
  ) throws(SQLError) {
    self.connection = connection
    self.tokenizers = tokenizers
    database = request.databaseName
    table = request.tableName
    tokenizer = MissingTokenizer()
    guard !ASCIILetters.areSame(table, "rank") else {
      throw SQLError(.error, "reserved fts5 table name: \(table)")
    }
    for argument in request.arguments { try read(argument) }
    try check()
    do {
      try makeTokenizer()
    } catch {
      // Rows can be read without, and the table can be dropped: a program may know the tokenizer later.
      if isNew { throw error }
    }
    settings.rank = RankFunction(name: "bm25", arguments: "")
  }

  private func makeTokenizer() throws(SQLError) {
    let words = tokenizerWords ?? []
    do {
      tokenizer = try tokenizers.tokenizer(
        named: words.first ?? "unicode61", arguments: Array(words.dropFirst()))
      if let trigrams = tokenizer as? TrigramTokenizer { patterns = trigrams.patternKind }
    } catch let error as SQLError {
      throw error
    } catch {
      throw SQLError.tokenizerConstructor
    }
  }

  // MARK: Names

  /// The column of a name, upper and lower case being the same.
  func column(named name: String) -> Int? { columns.firstIndex { ASCIILetters.areSame($0, name) } }

  /// The table's own hidden column, and `rank` behind it.
  var tableColumn: Int { columns.count }
  var rankColumn: Int { columns.count + 1 }

  var declaration: String {
    let names = columns + [table]
    let list = names.map { $0.quoted(with: "'") }.joined(separator: ", ")
    return columns.isEmpty ? "CREATE TABLE x()" : "CREATE TABLE x(\(list) HIDDEN, rank HIDDEN)"
  }

  /// The table or view that the content is read from, as SQL names it; nil where there is none.
  var contentTable: String? {
    switch contentKind {
    case .normal, .unindexed: ShadowName.table(database, table, "content")
    case .external:
      database.quotedIdentifier + "." + (externalContent ?? "").quotedIdentifier
    case .none: hasColumnSizes ? ShadowName.table(database, table, "docsize") : nil
    }
  }

  var hasContentTable: Bool { contentKind != .none || hasColumnSizes }

  /// The same for messages.
  var contentName: String {
    switch contentKind {
    case .normal, .unindexed: "'\(database)'.'\(table)_content'"
    case .external: "'\(database)'.'\(externalContent ?? "")'"
    case .none: "'\(database)'.'\(table)_docsize'"
    }
  }

  var rowidName: String { contentRowid ?? "rowid" }

  /// The rowid and all columns of the content, of an alias `T`.
  var contentColumns: String {
    var list = ["T." + rowidName.quotedIdentifier]
    guard contentKind != .none else { return list[0] }
    for (index, name) in columns.enumerated() {
      switch contentKind {
      case .external: list.append("T." + name.quotedIdentifier)
      case .unindexed: list.append(isUnindexed[index] ? "T.c\(index)" : "NULL")
      default: list.append("T.c\(index)")
      }
    }
    if contentKind == .normal && hasLocales {
      for index in columns.indices { list.append(isUnindexed[index] ? "NULL" : "T.l\(index)") }
    }
    return list.joined(separator: ", ")
  }

  /// Rows have no values of indexed columns.
  var isContentless: Bool { contentKind == .none || contentKind == .unindexed }

  // MARK: Tokens

  /// Cuts a text into tokens. Whatever the tokenizer of a program says, they stand in the text.
  func tokenize(
    _ text: UnsafeRawBufferPointer, _ reason: TokenizeReason,
    locale: UnsafeRawBufferPointer? = nil,
    _ body: (
      _ token: UnsafeRawBufferPointer, _ isColocated: Bool, _ start: Int, _ end: Int
    ) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard text.baseAddress != nil else { return }
    if tokenizer is MissingTokenizer { try makeTokenizer() }
    do {
      try tokenizer.tokenize(text, reason: reason, locale: locale) {
        token, isColocated, start, end throws in
        let kept =
          token.count > IndexFormat.longestToken
          ? UnsafeRawBufferPointer(rebasing: token[..<IndexFormat.longestToken]) : token
        try body(
          kept, isColocated, min(max(start, 0), text.count), min(max(end, 0), text.count))
      }
    } catch let error as SQLError {
      throw error
    } catch {
      throw SQLError(.error)
    }
  }
}

/// Stands in the place of the tokenizer until it is made, which is when text is to be cut at the latest.
private final class MissingTokenizer: Tokenizer {
  func tokenize(
    _ text: UnsafeRawBufferPointer, reason: TokenizeReason, locale: UnsafeRawBufferPointer?,
    _ body: (UnsafeRawBufferPointer, Bool, Int, Int) throws -> Void
  ) throws {}
}

// MARK: - Reading options

extension FTS5Configuration {
  private func read(_ argument: String) throws(SQLError) {
    let malformed = SQLError(.error, "parse error in \"\(argument)\"")
    var text = OptionText(argument)
    guard let (name, isQuoted) = text.word() else { throw malformed }
    text.skipBlanks()
    let isOption = text.next == UInt8(ascii: "=")
    if isOption {
      if isQuoted { throw malformed }
      text.offset += 1
    }
    text.skipBlanks()
    var value: String?
    if !text.isAtEnd {
      guard let word = text.word(), text.isAtEnd else { throw malformed }
      value = word.text
    }
    if isOption {
      try readOption(name, value ?? "")
    } else {
      try readColumn(name, value)
    }
  }

  private func readColumn(_ name: String, _ option: String?) throws(SQLError) {
    if ASCIILetters.areSame(name, "rank") || ASCIILetters.areSame(name, "rowid") {
      throw SQLError(.error, "reserved fts5 column name: \(name)")
    }
    if let option, !ASCIILetters.areSame(option, "unindexed") {
      throw SQLError(.error, "unrecognized column option: \(option)")
    }
    columns.append(name)
    isUnindexed.append(option != nil)
  }

  /// Names of options may be shortened.
  private func readOption(_ name: String, _ value: String) throws(SQLError) {
    let options: [(String, () throws(SQLError) -> Void)] = [
      ("prefix", { () throws(SQLError) in try self.readPrefixes(value) }),
      ("tokenize", { () throws(SQLError) in try self.readTokenizer(value) }),
      ("content", { () throws(SQLError) in try self.readContent(value) }),
      ("contentless_delete", { () throws(SQLError) in
        self.hasContentlessDelete = try self.flag(value, "contentless_delete")
      }),
      ("contentless_unindexed", { () throws(SQLError) in
        // The message names the other option, as C's does.
        self.hasContentlessUnindexed = try self.flag(value, "contentless_delete")
      }),
      ("content_rowid", { () throws(SQLError) in
        if self.contentRowid != nil {
          throw SQLError(.error, "multiple content_rowid=... directives")
        }
        self.contentRowid = value
      }),
      ("columnsize", { () throws(SQLError) in
        self.hasColumnSizes = try self.flag(value, "columnsize")
      }),
      ("locale", { () throws(SQLError) in self.hasLocales = try self.flag(value, "locale") }),
      ("detail", { () throws(SQLError) in try self.readDetail(value) }),
      ("tokendata", { () throws(SQLError) in
        self.hasTokenData = try self.flag(value, "tokendata")
      }),
    ]
    guard let option = options.first(where: { FTS5Configuration.isPrefix(name, of: $0.0) }) else {
      throw SQLError(.error, "unrecognized option: \"\(name)\"")
    }
    try option.1()
  }

  private static func isPrefix(_ text: String, of name: String) -> Bool {
    let start = name.utf8.prefix(text.utf8.count)
    return start.count == text.utf8.count
      && ASCIILetters.areSame(String(decoding: Array(start), as: UTF8.self), text)
  }

  private func flag(_ value: String, _ name: String) throws(SQLError) -> Bool {
    guard value == "0" || value == "1" else {
      throw SQLError(.error, "malformed \(name)=... directive")
    }
    return value == "1"
  }

  private func readPrefixes(_ value: String) throws(SQLError) {
    let mostPrefixes = 31
    var text = OptionText(value)
    var isFirst = true
    while true {
      text.skipBlanks()
      if !isFirst && text.next == UInt8(ascii: ",") {
        text.offset += 1
        text.skipBlanks()
      } else if text.isAtEnd {
        return
      }
      guard let digit = text.next, digit &- 0x30 < 10 else {
        throw SQLError(.error, "malformed prefix=... directive")
      }
      guard prefixes.count < mostPrefixes else {
        throw SQLError(.error, "too many prefix indexes (max \(mostPrefixes))")
      }
      var count = 0
      while let digit = text.next, digit &- 0x30 < 10, count < 1_000 {
        count = count * 10 + Int(digit &- 0x30)
        text.offset += 1
      }
      guard count > 0 && count < 1_000 else {
        throw SQLError(.error, "prefix length out of range (max 999)")
      }
      prefixes.append(count)
      isFirst = false
    }
  }

  private func readTokenizer(_ value: String) throws(SQLError) {
    if tokenizerWords != nil { throw SQLError(.error, "multiple tokenize=... directives") }
    guard let words = OptionText.tokenizerWords(value) else {
      throw SQLError(.error, "parse error in tokenize directive")
    }
    tokenizerWords = words
  }

  private func readContent(_ value: String) throws(SQLError) {
    if contentKind != .normal { throw SQLError(.error, "multiple content=... directives") }
    contentKind = value.isEmpty ? .none : .external
    externalContent = value
  }

  private func readDetail(_ value: String) throws(SQLError) {
    let kinds: [(String, Detail)] = [("none", .none), ("full", .full), ("columns", .column)]
    let matching = kinds.filter { FTS5Configuration.isPrefix(value, of: $0.0) }
    guard matching.count == 1 else { throw SQLError(.error, "malformed detail=... directive") }
    detail = matching[0].1
  }

  private func check() throws(SQLError) {
    if hasContentlessDelete && contentKind != .none {
      throw SQLError(.error, "contentless_delete=1 requires a contentless table")
    }
    if hasContentlessDelete && !hasColumnSizes {
      throw SQLError(.error, "contentless_delete=1 is incompatible with columnsize=0")
    }
    if hasContentlessUnindexed && contentKind != .none {
      throw SQLError(.error, "contentless_unindexed=1 requires a contentless table")
    }
    if hasContentlessUnindexed && isUnindexed.contains(true) { contentKind = .unindexed }
  }
}
