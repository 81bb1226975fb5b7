import MartletEngine

extension Command {
  /// `.sha3sum`: a hash of the content, whatever pages it lies on.
  func hashContent(in session: Session) -> Result {
    var bits = 224
    var includesSchema = false
    var pattern: String?
    for index in words.indices.dropFirst() {
      let word = words[index].text
      guard word.hasPrefix("-") else {
        guard pattern == nil else {
          return fail(".sha3sum ?OPTIONS? ?LIKE-PATTERN?", in: session)
        }
        pattern = word
        if pattern?.lowercased().hasPrefix("sqlite\\_") ?? false { includesSchema = true }
        continue
      }
      switch optionName(at: index) {
      case "schema": includesSchema = true
      case "sha3-224": bits = 224
      case "sha3-256": bits = 256
      case "sha3-384": bits = 384
      case "sha3-512": bits = 512
      default:
        session.printError("Unknown option \"\(word)\" on \"\(words[0].text)\"\n")
        _ = showHelp(of: "sha3sum", in: session)
        session.printError(".sha3sum failed.\n")
        return .failed
      }
    }
    guard let connection = session.open() else { return .failed }
    let tables = session.rows(
      of: """
        SELECT lower(name) AS tname FROM sqlite_schema
        WHERE type='table' AND coalesce(rootpage,0)>1
        \(includesSchema ? "UNION ALL SELECT 'sqlite_schema'" : "AND name NOT LIKE 'sqlite__%'")
        ORDER BY 1 COLLATE nocase
        """
    ).map { $0[0] }
    var isShown = pattern == nil
    let result = attempt(in: session) { () throws(SQLError) in
      var whole = SHA3(bits: bits)
      for table in tables {
        guard let query = Self.hashedQuery(of: table) else { continue }
        guard let pattern else {
          try hash(query, on: connection, into: &whole)
          continue
        }
        guard try isLike(table, pattern, connection) else { continue }
        var part = SHA3(bits: bits)
        try hash(query, on: connection, into: &part)
        session.output.write(Self.hexadecimal(part.finish()) + "|\(table)\n")
        isShown = true
      }
      if pattern == nil { session.output.write(Self.hexadecimal(whole.finish()) + "\n") }
    }
    if result == .done, isShown { return .done }
    if result == .done { session.printError(".sha3sum failed.\n") }
    return .failed
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { hexadecimalDigits($0) }, as: UTF8.self)
  }

  private func isLike(
    _ name: String, _ pattern: String, _ connection: Connection
  ) throws(SQLError) -> Bool {
    let query = try connection.prepare("SELECT ?1 LIKE ?2")
    try query.bind(text: name, at: 1)
    try query.bind(text: pattern, at: 2)
    return try query.step() && query.columnInt64(0) != 0
  }

  /// The rows of a table in an order that does not depend on where they lie.
  private static func hashedQuery(of table: String) -> String? {
    switch table {
    case "sqlite_schema": "SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY name;"
    case "sqlite_sequence": "SELECT name,seq FROM sqlite_sequence ORDER BY name;"
    case "sqlite_stat1": "SELECT tbl,idx,stat FROM sqlite_stat1 ORDER BY tbl,idx;"
    case "sqlite_stat4": "SELECT * FROM sqlite_stat4 ORDER BY tbl, idx, rowid;"
    case let name where name.hasPrefix("sqlite_"): nil
    default:
      "SELECT * FROM \(quotedName(table)) NOT INDEXED;"
    }
  }

  /// The text of the query, then its rows, each value with its type (sha3_query).
  private func hash(
    _ sql: String, on connection: Connection, into hash: inout SHA3
  ) throws(SQLError) {
    let query = try connection.prepare(sql)
    hash.update("S\(sql.utf8.count):\(sql)".utf8)
    while try query.step() {
      if Interruption.isPending { throw SQLError(.interrupt) }
      hash.update("R".utf8)
      for column in 0..<query.columnCount {
        switch query.columnType(column) {
        case .null: hash.update("N".utf8)
        case .integer: hash.update(Self.tagged("I", UInt64(bitPattern: query.columnInt64(column))))
        case .real: hash.update(Self.tagged("F", query.columnDouble(column).bitPattern))
        case .text:
          let bytes = query.columnBytes(column)
          hash.update("T\(bytes.count):".utf8)
          hash.update(bytes)
        case .blob:
          let bytes = query.columnBytes(column)
          hash.update("B\(bytes.count):".utf8)
          hash.update(bytes)
        }
      }
    }
  }

  private static func tagged(_ tag: UnicodeScalar, _ value: UInt64) -> [UInt8] {
    [UInt8(ascii: tag)]
      + (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
  }
}
