/// A function that stands in FROM: a table without storage, whose rows depend on the values that
/// equalities give its hidden columns (vtab §2.1.2). Arguments in parentheses are such equalities.
final class TableFunction: Sendable {
  let name: StaticString
  let columns: [StaticString]
  let hiddenColumns: [StaticString]
  let kind: Kind

  enum Kind: Sendable, Equatable {
    /// All rows are made at once.
    case pragma
    /// json_each, json_tree and their twins.
    case json(isRecursive: Bool, isBinary: Bool)
    case series
  }

  init(
    _ name: StaticString, _ columns: [StaticString], hidden: [StaticString] = [],
    kind: Kind = .pragma
  ) {
    self.name = name
    self.columns = columns
    self.kind = kind
    hiddenColumns = hidden
  }

  var columnCount: Int { columns.count + hiddenColumns.count }

  /// The function of that name.
  static func named(_ name: Name) -> TableFunction? { all[name.string.lowercased()] }

  private static let all: [String: TableFunction] = Dictionary(
    (pragmas + json + [series]).map { ($0.name.description, $0) },
    uniquingKeysWith: { first, _ in first })

  /// json1 §4.24.
  private static let json: [TableFunction] = [
    json("json_each", isRecursive: false, isBinary: false),
    json("json_tree", isRecursive: true, isBinary: false),
    json("jsonb_each", isRecursive: false, isBinary: true),
    json("jsonb_tree", isRecursive: true, isBinary: true),
  ]

  private static func json(
    _ name: StaticString, isRecursive: Bool, isBinary: Bool
  ) -> TableFunction {
    TableFunction(
      name, ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"],
      hidden: ["json", "root"], kind: .json(isRecursive: isRecursive, isBinary: isBinary))
  }

  private static let series = TableFunction(
    "generate_series", ["value"], hidden: ["start", "stop", "step"], kind: .series)

  /// The table that a statement knows the function as.
  func makeTable() throws(SQLError) -> Table {
    func column(_ name: StaticString, isHidden: Bool) -> Table.Column {
      Table.Column(
        name: Name(name), declaredType: nil, affinity: .blob, collation: nil, isNotNull: false,
        notNullConflict: nil, isPrimaryKey: false, sizeEstimate: 1, defaultValue: nil,
        generated: nil, isHidden: isHidden)
    }
    let table = Table(
      name: Name(name), text: try SQLText(copying: UnsafeBufferPointer(start: nil, count: 0)),
      databaseIndex: 0, rootPage: PageNumber(0),
      columns: columns.map { column($0, isHidden: false) }
        + hiddenColumns.map { column($0, isHidden: true) },
      rowidColumn: -1, isWithoutRowid: false, isStrict: false, hasAutoincrement: false, view: nil,
      rowSizeEstimate: 10, checks: [])
    table.function = self
    return table
  }
}

// MARK: Pragmas

extension TableFunction {
  /// The name of the pragma whose rows these are.
  var pragmaName: Substring { name.description.dropFirst(pragmaPrefixLength) }

  private var pragmaPrefixLength: Int { 7 }

  /// Whether the first hidden column is the pragma's argument, and not the schema.
  var takesArgument: Bool {
    hiddenColumns.first.map { $0.description == "arg" } ?? false
  }

  /// Pragmas with results and without side effects (pragma, PRAGMA functions).
  private static let pragmas: [TableFunction] = {
    let both: [StaticString] = ["arg", "schema"], schema: [StaticString] = ["schema"]
    return [
      TableFunction("pragma_analysis_limit", ["analysis_limit"]),
      TableFunction("pragma_application_id", ["application_id"]),
      TableFunction("pragma_auto_vacuum", ["auto_vacuum"], hidden: schema),
      TableFunction("pragma_automatic_index", ["automatic_index"]),
      TableFunction("pragma_busy_timeout", ["timeout"]),
      TableFunction("pragma_cache_size", ["cache_size"], hidden: schema),
      TableFunction("pragma_cache_spill", ["cache_spill"], hidden: schema),
      TableFunction("pragma_cell_size_check", ["cell_size_check"]),
      TableFunction("pragma_checkpoint_fullfsync", ["checkpoint_fullfsync"]),
      TableFunction("pragma_collation_list", ["seq", "name"]),
      TableFunction("pragma_compile_options", ["compile_options"]),
      TableFunction("pragma_count_changes", ["count_changes"]),
      TableFunction("pragma_data_version", ["data_version"]),
      TableFunction("pragma_database_list", ["seq", "name", "file"]),
      TableFunction("pragma_default_cache_size", ["cache_size"], hidden: schema),
      TableFunction("pragma_defer_foreign_keys", ["defer_foreign_keys"]),
      TableFunction("pragma_empty_result_callbacks", ["empty_result_callbacks"]),
      TableFunction("pragma_encoding", ["encoding"]),
      TableFunction(
        "pragma_foreign_key_check", ["table", "rowid", "parent", "fkid"], hidden: both),
      TableFunction(
        "pragma_foreign_key_list",
        ["id", "seq", "table", "from", "to", "on_update", "on_delete", "match"], hidden: both),
      TableFunction("pragma_foreign_keys", ["foreign_keys"]),
      TableFunction("pragma_freelist_count", ["freelist_count"]),
      TableFunction("pragma_full_column_names", ["full_column_names"]),
      TableFunction("pragma_fullfsync", ["fullfsync"]),
      TableFunction(
        "pragma_function_list", ["name", "builtin", "type", "enc", "narg", "flags"]),
      TableFunction("pragma_hard_heap_limit", ["hard_heap_limit"]),
      TableFunction("pragma_ignore_check_constraints", ["ignore_check_constraints"]),
      TableFunction("pragma_index_info", ["seqno", "cid", "name"], hidden: both),
      TableFunction(
        "pragma_index_list", ["seq", "name", "unique", "origin", "partial"], hidden: both),
      TableFunction(
        "pragma_index_xinfo", ["seqno", "cid", "name", "desc", "coll", "key"], hidden: both),
      TableFunction("pragma_integrity_check", ["integrity_check"], hidden: both),
      TableFunction("pragma_journal_mode", ["journal_mode"], hidden: schema),
      TableFunction("pragma_journal_size_limit", ["journal_size_limit"], hidden: schema),
      TableFunction("pragma_legacy_alter_table", ["legacy_alter_table"]),
      TableFunction("pragma_locking_mode", ["locking_mode"], hidden: schema),
      TableFunction("pragma_max_page_count", ["max_page_count"], hidden: schema),
      TableFunction("pragma_module_list", ["name"]),
      TableFunction("pragma_optimize", ["optimize"], hidden: ["arg"]),
      TableFunction("pragma_page_count", ["page_count"], hidden: schema),
      TableFunction("pragma_page_size", ["page_size"], hidden: schema),
      TableFunction("pragma_pragma_list", ["name"]),
      TableFunction("pragma_query_only", ["query_only"]),
      TableFunction("pragma_quick_check", ["quick_check"], hidden: both),
      TableFunction("pragma_read_uncommitted", ["read_uncommitted"]),
      TableFunction("pragma_recursive_triggers", ["recursive_triggers"]),
      TableFunction("pragma_reverse_unordered_selects", ["reverse_unordered_selects"]),
      TableFunction("pragma_schema_version", ["schema_version"]),
      TableFunction("pragma_secure_delete", ["secure_delete"]),
      TableFunction("pragma_short_column_names", ["short_column_names"]),
      TableFunction("pragma_soft_heap_limit", ["soft_heap_limit"]),
      TableFunction("pragma_synchronous", ["synchronous"], hidden: schema),
      TableFunction(
        "pragma_table_info", ["cid", "name", "type", "notnull", "dflt_value", "pk"],
        hidden: both),
      TableFunction(
        "pragma_table_list", ["schema", "name", "type", "ncol", "wr", "strict"],
        hidden: ["arg"]),
      TableFunction(
        "pragma_table_xinfo",
        ["cid", "name", "type", "notnull", "dflt_value", "pk", "hidden"], hidden: both),
      TableFunction("pragma_temp_store", ["temp_store"]),
      TableFunction("pragma_threads", ["threads"]),
      TableFunction("pragma_trusted_schema", ["trusted_schema"]),
      TableFunction("pragma_user_version", ["user_version"]),
      TableFunction("pragma_writable_schema", ["writable_schema"]),
    ]
  }()
}
