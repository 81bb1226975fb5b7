import MartletEngine

/// What CREATE VIRTUAL TABLE says of an FTS3 or FTS4 table (fts3 §1.2, §6).
struct FTS4Declaration {
  var columns: [String] = []
  var tokenizer: (any LegacyTokenizer)?
  var prefixLengths: [Int] = [0]
  var notIndexed: [Bool] = []
  var isDescending = false
  /// `content=`; empty for a table without content.
  var content: String?
  var languageColumn: String?
  var compress: String?
  var uncompress: String?
  /// `%_docsize` is there: an FTS4 table without `matchinfo=fts3`.
  var hasDocSizes = false
  let isFTS4: Bool

  private var prefix: String?
  private var notIndexedNames: [String] = []

  init(
    _ request: VirtualTableRequest, _ connection: Connection, _ tokenizers: LegacyTokenizerRegistry,
    isFTS4: Bool
  ) throws(SQLError) {
    self.isFTS4 = isFTS4
    hasDocSizes = isFTS4
    var definitions: [[UInt8]] = []
    for argument in request.arguments {
      let bytes = Array(argument.utf8)
      if tokenizer == nil, let rest = FTS4Declaration.tokenizeOption(bytes) {
        tokenizer = try FTS4Declaration.makeTokenizer(rest, tokenizers)
      } else if isFTS4, let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
        try setOption(
          String(decoding: bytes[..<equals], as: UTF8.self),
          FTS4Word.dequoted(Array(bytes[(equals + 1)...])), argument)
      } else {
        definitions.append(bytes)
      }
    }
    if let content {
      compress = nil
      uncompress = nil
      if definitions.isEmpty {
        definitions = try contentColumns(content, request.databaseName, connection)
      }
    }
    if definitions.isEmpty { definitions = [Array("content".utf8)] }
    if tokenizer == nil {
      tokenizer = try FTS4Declaration.makeTokenizer(Array("simple".utf8), tokenizers)
    }
    try readPrefixes()
    columns = definitions.map { FTS4Word.dequoted(Array(FTS4Word.first(of: $0[...]) ?? [])) }
    try findNotIndexed()
    if (compress == nil) != (uncompress == nil) {
      let missing = compress == nil ? "compress" : "uncompress"
      throw .search("missing \(missing) parameter in fts4 constructor")
    }
  }

  // MARK: Options

  private static func tokenizeOption(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count > 8, bytes[..<8].map(ASCIILetters.lower) == Array("tokenize".utf8),
      !FTS4Word.isNameByte(bytes[8])
    else { return nil }
    return Array(bytes[9...])
  }

  /// A tokenizer by its name and arguments, with blanks between them (fts3 §8).
  private static func makeTokenizer(
    _ text: [UInt8], _ tokenizers: LegacyTokenizerRegistry
  ) throws(SQLError) -> any LegacyTokenizer {
    var rest = text[...]
    var words: [String] = []
    while let word = FTS4Word.first(of: rest) {
      words.append(FTS4Word.dequoted(Array(word)))
      // What stands right behind a word is no part of the next.
      rest = rest[min(word.endIndex + 1, rest.endIndex)...]
    }
    let name = words.first ?? String(decoding: [], as: UTF8.self)
    guard let make = tokenizers[name] else { throw .search("unknown tokenizer: \(name)") }
    do { return try make(Array(words.dropFirst())) } catch {
      throw SQLError((error as? SQLError)?.code ?? .error, "unknown tokenizer")
    }
  }

  private mutating func setOption(
    _ name: String, _ value: String, _ argument: String
  ) throws(SQLError) {
    switch String(decoding: name.utf8.map(ASCIILetters.lower), as: UTF8.self) {
    case "matchinfo":
      guard ASCIILetters.areSame(value, "fts3") else {
        throw .search("unrecognized matchinfo: \(value)")
      }
      hasDocSizes = false
    case "prefix": prefix = value
    case "compress": compress = value
    case "uncompress": uncompress = value
    case "order":
      let isDescending = ASCIILetters.areSame(value, "desc")
      guard isDescending || ASCIILetters.areSame(value, "asc") else {
        throw .search("unrecognized order: \(value)")
      }
      self.isDescending = isDescending
    case "content": content = value
    case "languageid": languageColumn = value
    case "notindexed": notIndexedNames.append(value)
    default: throw .search("unrecognized parameter: \(argument)")
    }
  }

  /// The columns of a table that keeps the content; that of the language is none of them.
  private func contentColumns(
    _ content: String, _ database: String, _ connection: Connection
  ) throws(SQLError) -> [[UInt8]] {
    let table = database.quotedIdentifier + "." + content.quotedIdentifier
    let statement = try connection.prepare(withNames: "SELECT * FROM \(table)")
    var names: [String] = []
    for index in 0..<statement.columnCount { names.append(statement.columnName(index)) }
    if let languageColumn,
      let index = names.firstIndex(where: { ASCIILetters.areSame($0, languageColumn) })
    {
      names.remove(at: index)
    }
    return names.map { Array($0.utf8) }
  }

  private mutating func readPrefixes() throws(SQLError) {
    guard let prefix else { return }
    let bytes = Array(prefix.utf8)
    guard !bytes.isEmpty else { return }
    let most = 10_000_000
    var offset = 0
    for _ in 0...bytes.filter({ $0 == UInt8(ascii: ",") }).count {
      var length = 0
      let start = offset
      while offset < bytes.count, bytes[offset] &- 0x30 < 10 {
        length = length * 10 + Int(bytes[offset] & 15)
        if length > most {
          length = 0
          break
        }
        offset += 1
      }
      guard offset > start || length == 0 && offset < bytes.count && bytes[offset] &- 0x30 < 10
      else { throw .search("error parsing prefix parameter: \(prefix)") }
      if length > 0 { prefixLengths.append(length) }
      offset += 1
    }
  }

  private mutating func findNotIndexed() throws(SQLError) {
    notIndexed = Array(repeating: false, count: columns.count)
    var missing = notIndexedNames
    for (index, column) in columns.enumerated() {
      let count = missing.count
      missing.removeAll { ASCIILetters.areSame($0, column) }
      notIndexed[index] = missing.count < count
    }
    if let first = missing.first { throw .search("no such column: \(first)") }
  }

  // MARK: Statements

  /// What declares the table's columns to the engine.
  func declaration(_ tableName: String) -> String {
    let names = columns.map { $0.quoted(with: "'") + ", " }.joined()
    let language = (languageColumn ?? "__langid").quoted(with: "'")
    return "CREATE TABLE x(\(names) \(tableName.quoted(with: "'")) HIDDEN, docid HIDDEN, "
      + "\(language) HIDDEN)"
  }

  private func contentColumn(_ index: Int) -> String { "c\(index)\(columns[index])" }

  /// The columns of a row, and where they are.
  func readList(_ database: String, _ tableName: String) -> String {
    var list: String
    if let content {
      list = "rowid"
      for column in columns { list += ", x.\(column.quoted(with: "'"))" }
      if let languageColumn { list += ", x.\(languageColumn.quoted(with: "'"))" }
      return list + " FROM \(database.quoted(with: "'")).\(content.quoted(with: "'")) AS x"
    }
    list = "docid"
    let function = uncompress.map { $0.quotedIdentifier } ?? ""
    for index in columns.indices {
      list += ",\(function)(x.\(contentColumn(index).quoted(with: "'")))"
    }
    if languageColumn != nil { list += ", x.'langid'" }
    return list
      + " FROM \(database.quoted(with: "'")).\((tableName + "_content").quoted(with: "'")) AS x"
  }

  var writeList: String {
    let function = compress.map { $0.quotedIdentifier } ?? ""
    return "?" + columns.map { _ in ",\(function)(?)" }.joined()
      + (languageColumn == nil ? "" : ", ?")
  }

  /// What makes the shadow tables. The schema keeps the blanks, so they are C's.
  func shadowTables(_ database: String, _ tableName: String) -> String {
    let database = database.quoted(with: "'")
    func name(_ suffix: String) -> String {
      database + "." + (tableName + "_" + suffix).quoted(with: "'")
    }
    var sql = ""
    if content == nil {
      var list = "docid INTEGER PRIMARY KEY"
      for index in columns.indices { list += ", " + contentColumn(index).quoted(with: "'") }
      if languageColumn != nil { list += ", langid" }
      sql += "CREATE TABLE \(name("content"))(\(list));"
    }
    sql += "CREATE TABLE \(name("segments"))(blockid INTEGER PRIMARY KEY, block BLOB);"
    sql += "CREATE TABLE \(name("segdir"))(level INTEGER,idx INTEGER,start_block INTEGER,"
    sql += "leaves_end_block INTEGER,end_block INTEGER,root BLOB,PRIMARY KEY(level, idx));"
    if hasDocSizes {
      sql += "CREATE TABLE \(name("docsize"))(docid INTEGER PRIMARY KEY, size BLOB);"
    }
    if isFTS4 {
      sql += "CREATE TABLE IF NOT EXISTS \(name("stat"))(id INTEGER PRIMARY KEY, value BLOB);"
    }
    return sql
  }
}

/// Words of a declaration, which may be quoted.
enum FTS4Word {
  static func isNameByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || ASCIILetters.isAlphanumeric(byte) || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "$")
  }

  /// The first word, with its quotes; nil where there is none.
  static func first(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var start = bytes.startIndex
    while start < bytes.endIndex {
      switch bytes[start] {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
        return quoted(bytes[start...])
      case UInt8(ascii: "["):
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "]"))
        return bytes[start..<(end.map { $0 + 1 } ?? bytes.endIndex)]
      case let byte where isNameByte(byte):
        let end = bytes[start...].firstIndex { !isNameByte($0) } ?? bytes.endIndex
        return bytes[start..<end]
      default: start += 1
      }
    }
    return nil
  }

  private static func quoted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let quote = bytes[bytes.startIndex]
    var end = bytes.startIndex + 1
    while end < bytes.endIndex {
      if bytes[end] == quote {
        guard end + 1 < bytes.endIndex, bytes[end + 1] == quote else { return bytes[...end] }
        end += 1
      }
      end += 1
    }
    return bytes
  }

  /// The text without its quotes, if it has any.
  static func dequoted(_ bytes: [UInt8]) -> String {
    guard let first = bytes.first, "['\"`".utf8.contains(first) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let quote = first == UInt8(ascii: "[") ? UInt8(ascii: "]") : first
    var text: [UInt8] = []
    var index = 1
    while index < bytes.count {
      if bytes[index] == quote {
        guard index + 1 < bytes.count, bytes[index + 1] == quote else { break }
        index += 1
      }
      text.append(bytes[index])
      index += 1
    }
    return String(decoding: text, as: UTF8.self)
  }
}
