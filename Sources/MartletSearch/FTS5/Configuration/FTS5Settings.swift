import MartletEngine

/// The function that `rank` stands for, and its arguments as SQL literals (fts5 §5.2).
struct RankFunction: Equatable {
  var name: String
  var arguments: String
}

/// What INSERT commands configure, kept in `%_config` (fts5 §6, §9.5).
final class FTS5Settings {
  /// Changes with each command that configures, so that other connections see it.
  @exclusivity(unchecked) var cookie = -1
  @exclusivity(unchecked) var isLoaded = false
  @exclusivity(unchecked) var version = 0
  @exclusivity(unchecked) var pageSize = 4_050
  @exclusivity(unchecked) var automerge = 4
  @exclusivity(unchecked) var userMerge = 4
  @exclusivity(unchecked) var crisisMerge = 16
  @exclusivity(unchecked) var deleteMerge = 10
  @exclusivity(unchecked) var hashSize = 1 << 20
  @exclusivity(unchecked) var isSecureDelete = false
  @exclusivity(unchecked) var collectsTokens = false
  @exclusivity(unchecked) var rank = RankFunction(name: "bm25", arguments: "")

  static let currentVersion = 4
  /// Of tables that rows were deleted from securely.
  static let secureDeleteVersion = 5

  func setDefaults() {
    pageSize = 4_050
    automerge = 4
    userMerge = 4
    crisisMerge = 16
    deleteMerge = 10
    hashSize = 1 << 20
  }

  /// Sets an option.
  ///
  /// - Returns: false where there is no such option, or where the value is not one for it.
  func set(_ name: String, _ value: ValueReference) throws(SQLError) -> Bool {
    let number = value.numericType == .integer ? FTS5Settings.clamped(value.int64) : nil
    switch name.lowercased() {
    case "pgsz":
      guard let number, (32...65_536).contains(number) else { return false }
      pageSize = number
    case "hashsize":
      guard let number, number > 0 else { return false }
      hashSize = number
    case "automerge":
      guard let number, (0...64).contains(number) else { return false }
      automerge = number == 1 ? 4 : number
    case "usermerge":
      guard let number, (2...16).contains(number) else { return false }
      userMerge = number
    case "crisismerge":
      guard let number, number >= 0 else { return false }
      crisisMerge = number <= 1 ? 16 : min(number, IndexFormat.mostSegments - 1)
    case "deletemerge":
      let percentage = number ?? -1
      deleteMerge = percentage < 0 ? 10 : percentage > 100 ? 0 : percentage
    case "rank":
      guard value.type != .null, let rank = RankFunction(parsing: try ValueText.string(value))
      else { return false }
      self.rank = rank
    case "secure-delete":
      guard let number, number >= 0 else { return false }
      isSecureDelete = number > 0
    case "insttoken":
      guard let number, number >= 0 else { return false }
      collectsTokens = number > 0
    default: return false
    }
    return true
  }

  /// As an `int` of C has it.
  private static func clamped(_ value: Int64) -> Int { Int(Int32(truncatingIfNeeded: value)) }
}

extension FTS5Configuration {
  /// Reads `%_config`.
  ///
  /// - Throws: `error` for a version that nobody knows.
  func loadSettings(cookie: Int) throws(SQLError) {
    settings.setDefaults()
    let name = ShadowName.table(database, table, "config")
    var version = 0
    do throws(SQLError) {
      let statement = try connection.prepare(withNames: "SELECT k, v FROM \(name)")
      while try statement.step() {
        guard let value = statement.currentRow.value(1) else { continue }
        let key = String(decoding: try statement.columnTextBytes(0), as: UTF8.self)
        if ASCIILetters.areSame(key, "version") {
          version = Int(truncatingIfNeeded: value.int64)
        } else {
          _ = try settings.set(key, value)
        }
      }
    } catch {
      throw SQLError(error.code)
    }
    guard version == FTS5Settings.currentVersion || version == FTS5Settings.secureDeleteVersion
    else {
      throw SQLError(
        .error,
        "invalid fts5 file format (found \(version), expected \(FTS5Settings.currentVersion) or "
          + "\(FTS5Settings.secureDeleteVersion)) - run 'rebuild'")
    }
    settings.version = version
    settings.cookie = cookie
    settings.isLoaded = true
  }
}

/// Values as UTF-8 text.
enum ValueText {
  static func string(_ value: ValueReference) throws(SQLError) -> String {
    var text = TerminatedText()
    defer { text.deallocate() }
    try text.set(value, encoding: .utf8)
    return String(
      decoding: UnsafeRawBufferPointer(start: text.bytes, count: text.byteCount), as: UTF8.self)
  }
}

extension RankFunction {
  /// Reads `name(literal, …)`; nil where it is none (fts5 §5.2).
  init?(parsing text: String) {
    var reader = OptionText(text)
    RankFunction.skipSpace(&reader)
    guard let name = reader.bareword() else { return nil }
    RankFunction.skipSpace(&reader)
    guard reader.next == UInt8(ascii: "(") else { return nil }
    reader.offset += 1
    RankFunction.skipSpace(&reader)
    let start = reader.offset
    if reader.next == UInt8(ascii: ")") {
      self.init(name: name, arguments: "")
      return
    }
    guard let end = RankFunction.argumentsEnd(&reader) else { return nil }
    self.init(name: name, arguments: String(decoding: reader.bytes[start..<end], as: UTF8.self))
  }

  private static func skipSpace(_ reader: inout OptionText) { reader.skipBlanks() }

  /// Where the closing parenthesis behind literals and commas is.
  private static func argumentsEnd(_ reader: inout OptionText) -> Int? {
    while true {
      skipSpace(&reader)
      guard skipLiteral(&reader) else { return nil }
      skipSpace(&reader)
      guard let next = reader.next else { return nil }
      if next == UInt8(ascii: ")") { return reader.offset }
      guard next == UInt8(ascii: ",") else { return nil }
      reader.offset += 1
    }
  }

  private static func skipLiteral(_ reader: inout OptionText) -> Bool {
    guard let first = reader.next else { return false }
    switch first {
    case UInt8(ascii: "n"), UInt8(ascii: "N"):
      let word = reader.bytes[reader.offset...].prefix(4)
      guard ASCIILetters.areSame(String(decoding: word, as: UTF8.self), "null") else {
        return false
      }
      reader.offset += 4
      return true
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return skipBlob(&reader)
    case UInt8(ascii: "'"): return skipText(&reader)
    default: return skipNumber(&reader)
    }
  }

  private static func skipBlob(_ reader: inout OptionText) -> Bool {
    reader.offset += 1
    guard reader.next == UInt8(ascii: "'") else { return false }
    reader.offset += 1
    let start = reader.offset
    while let byte = reader.next, byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 {
      reader.offset += 1
    }
    guard reader.next == UInt8(ascii: "'"), (reader.offset - start) % 2 == 0 else { return false }
    reader.offset += 1
    return true
  }

  private static func skipText(_ reader: inout OptionText) -> Bool {
    reader.offset += 1
    while let byte = reader.next {
      reader.offset += 1
      guard byte == UInt8(ascii: "'") else { continue }
      guard reader.next == byte else { return true }
      reader.offset += 1
    }
    return false
  }

  private static func skipNumber(_ reader: inout OptionText) -> Bool {
    let start = reader.offset
    if reader.next == UInt8(ascii: "-") || reader.next == UInt8(ascii: "+") { reader.offset += 1 }
    let digits = reader.offset
    while let byte = reader.next, byte &- 0x30 < 10 { reader.offset += 1 }
    if reader.next == UInt8(ascii: "."), reader.offset + 1 < reader.bytes.count,
      reader.bytes[reader.offset + 1] &- 0x30 < 10
    {
      reader.offset += 2
      while let byte = reader.next, byte &- 0x30 < 10 { reader.offset += 1 }
    }
    return reader.offset > digits && reader.offset > start
  }
}
