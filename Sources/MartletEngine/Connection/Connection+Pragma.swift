extension Connection {
  /// The program of a PRAGMA. A name that SQLite does not know does nothing (pragma §1); one that
  /// needs what is not there yet is an error.
  func emitPragma(_ pragma: PragmaStatement) throws(SQLError) -> Program {
    let database = try databaseIndex(of: pragma.schema)
    var argument: String?
    if case .text(let bytes) = pragma.value { argument = bytes.string }
    let name = pragma.name.string.lowercased()
    let hasFile = databases[database].tree != nil
    let result: RowListing
    if let rows = try schemaPragma(name, argument, pragma.schema) {
      result = rows
    } else {
      result = try valuePragma(pragma.name, argument, database)
    }
    return try result.program(catalog: catalog, database: hasFile ? database : nil, explain: .none)
  }

  private func databaseIndex(of schema: Name?) throws(SQLError) -> Int {
    guard let schema else { return 0 }
    for (index, database) in databases.enumerated() where database.name.matches(schema) {
      return index
    }
    throw .sql("unknown database \(schema.string)")
  }

  /// Pragmas with one value, read or set.
  private func valuePragma(
    _ pragma: Name, _ argument: String?, _ database: Int
  ) throws(SQLError) -> RowListing {
    let name = pragma.string.lowercased()
    if let field = HeaderField(pragma: name) {
      guard argument == nil else { throw .notSupported("PRAGMA \(name) = …") }
      return RowListing(columns: [pragma], rows: [[.header(field)]])
    }
    switch name {
    case "encoding":
      guard argument == nil else { return .none }
      let text =
        switch catalog.encoding {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16le"
        case .utf16BigEndian: "UTF-16be"
        }
      return RowListing(columns: [pragma], rows: [[.text(text)]])
    case "cache_size":
      return setOrShow(pragma, argument, databases[database].tree?.pager.cacheSize) { size in
        self.databases[database].tree?.pager.setCacheSize(size)
      }
    case "case_sensitive_like":
      if let argument {
        functionHost.isLikeCaseSensitive = Connection.boolean(argument)
        programs.removeAll()
      }
      return .none
    case "journal_mode":
      guard argument == nil else { throw .notSupported("PRAGMA journal_mode = …") }
      return RowListing(columns: [pragma], rows: [[.text("delete")]])
    default:
      if Connection.missingPragmas.contains(name) { throw .notSupported("PRAGMA \(name)") }
      return .none
    }
  }

  /// What SQLite knows and this engine does not yet: an error, where an unknown name does nothing.
  private static let missingPragmas: Set<String> = [
    "analysis_limit", "automatic_index", "busy_timeout", "cache_spill", "cell_size_check",
    "checkpoint_fullfsync", "compile_options", "defer_foreign_keys", "foreign_key_check",
    "foreign_key_list", "foreign_keys", "fullfsync", "function_list", "hard_heap_limit",
    "ignore_check_constraints", "incremental_vacuum", "integrity_check", "journal_size_limit",
    "legacy_alter_table", "locking_mode", "max_page_count", "mmap_size", "module_list", "optimize",
    "pragma_list", "query_only", "quick_check", "read_uncommitted", "recursive_triggers",
    "reverse_unordered_selects", "secure_delete", "shrink_memory", "soft_heap_limit", "synchronous",
    "table_list", "temp_store", "threads", "trusted_schema", "wal_autocheckpoint",
    "wal_checkpoint", "writable_schema",
  ]

  private func setOrShow(
    _ pragma: Name, _ argument: String?, _ current: Int?, _ set: (Int) -> Void
  ) -> RowListing {
    guard let argument else {
      return RowListing(columns: [pragma], rows: [[.integer(Int64(current ?? 0))]])
    }
    set(Int(argument) ?? 0)
    return .none
  }

  /// The words that pragmas take for true (pragma §1).
  static func boolean(_ text: String) -> Bool {
    switch text.lowercased() {
    case "on", "yes", "true": true
    case "off", "no", "false": false
    default: (Int(text) ?? 0) != 0
    }
  }
}

extension HeaderField {
  /// The field that a pragma shows.
  init?(pragma name: String) {
    switch name {
    case "user_version": self = .userVersion
    case "application_id": self = .applicationID
    case "schema_version": self = .schemaVersion
    case "page_size": self = .pageSize
    case "page_count": self = .pageCount
    case "freelist_count": self = .freelistCount
    case "data_version": self = .dataVersion
    case "auto_vacuum": self = .autoVacuum
    default: return nil
    }
  }
}
