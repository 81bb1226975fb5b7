/// A PRAGMA as it was written: one of those that SQLite knows (pragma §1).
struct PragmaCall {
  /// In lower case; what SQLite calls a single column of the result.
  let name: Name
  let key: String
  let argument: PragmaValue?
  /// Index of the database; 0 where none is named.
  let database: Int
  let schema: Name?

  /// nil for a name that means nothing, which is no error.
  init?(_ pragma: PragmaStatement, database: Int) {
    key = pragma.name.string.lowercased()
    guard let known = PragmaCall.knownNames[key] else { return nil }
    name = Name(known)
    if case .text(let bytes) = pragma.value {
      argument = PragmaValue(text: bytes.string)
    } else {
      argument = nil
    }
    self.database = database
    schema = pragma.schema
  }

  /// One that a table stands for.
  init(key: String, argument: PragmaValue?, database: Int, schema: Name?) {
    self.key = key
    name = Name("")
    self.argument = argument
    self.database = database
    self.schema = schema
  }

  /// What PRAGMA pragma_list lists.
  static let names: [StaticString] = [
    "analysis_limit", "application_id", "auto_vacuum", "automatic_index", "busy_timeout",
    "cache_size", "cache_spill", "case_sensitive_like", "cell_size_check",
    "checkpoint_fullfsync", "collation_list", "compile_options", "count_changes",
    "data_version", "database_list", "default_cache_size", "defer_foreign_keys",
    "empty_result_callbacks", "encoding", "foreign_key_check", "foreign_key_list",
    "foreign_keys", "freelist_count", "full_column_names", "fullfsync", "function_list",
    "hard_heap_limit", "ignore_check_constraints", "incremental_vacuum", "index_info",
    "index_list", "index_xinfo", "integrity_check", "journal_mode", "journal_size_limit",
    "legacy_alter_table", "locking_mode", "max_page_count", "mmap_size", "module_list",
    "optimize", "page_count", "page_size", "pragma_list", "query_only", "quick_check",
    "read_uncommitted", "recursive_triggers", "reverse_unordered_selects", "schema_version",
    "secure_delete", "short_column_names", "shrink_memory", "soft_heap_limit", "synchronous",
    "table_info", "table_list", "table_xinfo", "temp_store", "temp_store_directory", "threads",
    "trusted_schema", "user_version", "wal_autocheckpoint", "wal_checkpoint",
    "work_memory", "writable_schema",
  ]

  private static let knownNames: [String: StaticString] = Dictionary(
    names.map { ($0.description, $0) }, uniquingKeysWith: { first, _ in first })

  /// Those that look at tables and indexes; the others also work on a database whose schema is
  /// malformed, or which is none.
  private static let schemaReaders: Set<String> = [
    "auto_vacuum", "cache_size", "default_cache_size", "encoding", "foreign_key_check",
    "foreign_key_list", "incremental_vacuum", "index_info", "index_list", "index_xinfo",
    "integrity_check", "journal_mode", "max_page_count", "optimize", "page_count",
    "quick_check", "synchronous", "table_info", "table_list", "table_xinfo", "wal_checkpoint",
  ]

  /// Whether the schemas have to be read before the pragma is compiled.
  static func readsSchema(_ pragma: PragmaStatement) -> Bool {
    let key = pragma.name.string.lowercased()
    if key == "encoding", case .text = pragma.value { return false }
    return schemaReaders.contains(key)
  }
}

/// The value of a PRAGMA, which every pragma reads its own way.
struct PragmaValue {
  let text: String

  /// A number of 32 bits, decimal or hexadecimal, whatever follows it; nil where there is none.
  var int32: Int32? {
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0x30, 0x78]) || bytes.starts(with: [0x30, 0x58]) {
      let digits = bytes.dropFirst(2).prefix { PragmaValue.hexDigit($0) != nil }
      let significant = digits.drop { $0 == 0x30 }
      guard !digits.isEmpty, significant.count <= 8 else { return digits.isEmpty ? 0 : nil }
      let number = significant.reduce(UInt32(0)) { $0 << 4 | (PragmaValue.hexDigit($1) ?? 0) }
      return Int32(exactly: number)
    }
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
    let digits = bytes.prefix(while: ASCII.isDigit)
    let significant = digits.drop { $0 == 0x30 }
    guard !digits.isEmpty, significant.count <= 10 else { return nil }
    let number = significant.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return Int32(exactly: isNegative ? -number : number)
  }

  /// The number, 0 where there is none.
  var number: Int32 { int32 ?? 0 }

  /// A number of 64 bits as far as the text is one, and whether it is nothing else.
  var int64: (value: Int64, isExact: Bool) {
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0x30, 0x78]) || bytes.starts(with: [0x30, 0x58]) {
      let digits = bytes.dropFirst(2).prefix { PragmaValue.hexDigit($0) != nil }
      let significant = digits.drop { $0 == 0x30 }
      let number = significant.reduce(UInt64(0)) { $0 << 4 | UInt64(PragmaValue.hexDigit($1) ?? 0) }
      let isWhole = digits.endIndex == bytes.endIndex && significant.count <= 16
      return (Int64(bitPattern: number), isWhole)
    }
    bytes = bytes.drop(while: NumericText.isSpace)
    let isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { bytes = bytes.dropFirst() }
    let digits = bytes.prefix(while: ASCII.isDigit)
    var value: Int64 = 0
    for digit in digits {
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, exceeds) = product.subtractingReportingOverflow(Int64(digit - 0x30))
      if overflows || exceeds { return (isNegative ? .min : .max, false) }
      value = sum
    }
    if !isNegative && value == .min { return (.max, false) }
    return (isNegative ? value : -value, !digits.isEmpty && digits.endIndex == bytes.endIndex)
  }

  /// The words for true and false; another word is false, a number true unless it is 0.
  var isTrue: Bool { isTrue(default: false) }

  func isTrue(default standard: Bool) -> Bool {
    switch text.lowercased() {
    case "on", "yes", "true": true
    case "off", "no", "false": false
    default: startsWithDigit ? UInt8(truncatingIfNeeded: number) != 0 : standard
    }
  }

  /// How safe a commit is (pragma, synchronous): any other word is 1.
  var safetyLevel: UInt8 {
    if startsWithDigit { return UInt8(truncatingIfNeeded: number) }
    return switch text.lowercased() {
    case "off", "no", "false": 0
    case "full": 2
    case "extra": 3
    default: 1
    }
  }

  private var startsWithDigit: Bool { text.utf8.first.map(ASCII.isDigit) ?? false }

  func isWord(_ word: String) -> Bool { text.lowercased() == word }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
