// Pragmas with results and without side effects, which are tables, too (pragma, PRAGMA functions).

extension PragmaTable {
  struct Definition: Sendable {
    let name: StaticString
    let columns: [StaticString]
    let hidden: [StaticString]

    init(_ name: StaticString, _ columns: [StaticString], hidden: [StaticString] = []) {
      self.name = name
      self.columns = columns
      self.hidden = hidden
    }

    /// Whether the first hidden column is the pragma's argument, and not the schema.
    var takesArgument: Bool { hidden.first.map { $0.description == "arg" } ?? false }
  }

  static let prefix = "pragma_"

  /// The module of a pragma's table. It is made when a statement first names it.
  static func module(named name: String) -> BuiltInModule? {
    let folded = name.lowercased()
    guard folded.hasPrefix(prefix), let definition = all[String(folded.dropFirst(prefix.count))]
    else { return nil }
    let columns = definition.columns.map { "\"\($0)\"" } + definition.hidden.map { "\($0) HIDDEN" }
    return BuiltInModule(folded, "CREATE TABLE x(\(columns.joined(separator: ",")))") {
      request throws(SQLError) in
      PragmaTable(definition, try request.host())
    }
  }

  private static let all: [String: Definition] = {
    let both: [StaticString] = ["arg", "schema"], schema: [StaticString] = ["schema"]
    let definitions = [
      Definition("analysis_limit", ["analysis_limit"]),
      Definition("application_id", ["application_id"]),
      Definition("auto_vacuum", ["auto_vacuum"], hidden: schema),
      Definition("automatic_index", ["automatic_index"]),
      Definition("busy_timeout", ["timeout"]),
      Definition("cache_size", ["cache_size"], hidden: schema),
      Definition("cache_spill", ["cache_spill"], hidden: schema),
      Definition("cell_size_check", ["cell_size_check"]),
      Definition("checkpoint_fullfsync", ["checkpoint_fullfsync"]),
      Definition("collation_list", ["seq", "name"]),
      Definition("compile_options", ["compile_options"]),
      Definition("count_changes", ["count_changes"]),
      Definition("data_version", ["data_version"]),
      Definition("database_list", ["seq", "name", "file"]),
      Definition("default_cache_size", ["cache_size"], hidden: schema),
      Definition("defer_foreign_keys", ["defer_foreign_keys"]),
      Definition("empty_result_callbacks", ["empty_result_callbacks"]),
      Definition("encoding", ["encoding"]),
      Definition(
        "foreign_key_check", ["table", "rowid", "parent", "fkid"], hidden: both),
      Definition(
        "foreign_key_list",
        ["id", "seq", "table", "from", "to", "on_update", "on_delete", "match"], hidden: both),
      Definition("foreign_keys", ["foreign_keys"]),
      Definition("freelist_count", ["freelist_count"]),
      Definition("full_column_names", ["full_column_names"]),
      Definition("fullfsync", ["fullfsync"]),
      Definition(
        "function_list", ["name", "builtin", "type", "enc", "narg", "flags"]),
      Definition("hard_heap_limit", ["hard_heap_limit"]),
      Definition("ignore_check_constraints", ["ignore_check_constraints"]),
      Definition("index_info", ["seqno", "cid", "name"], hidden: both),
      Definition(
        "index_list", ["seq", "name", "unique", "origin", "partial"], hidden: both),
      Definition(
        "index_xinfo", ["seqno", "cid", "name", "desc", "coll", "key"], hidden: both),
      Definition("integrity_check", ["integrity_check"], hidden: both),
      Definition("journal_mode", ["journal_mode"], hidden: schema),
      Definition("journal_size_limit", ["journal_size_limit"], hidden: schema),
      Definition("legacy_alter_table", ["legacy_alter_table"]),
      Definition("locking_mode", ["locking_mode"], hidden: schema),
      Definition("max_page_count", ["max_page_count"], hidden: schema),
      Definition("module_list", ["name"]),
      Definition("optimize", ["optimize"], hidden: ["arg"]),
      Definition("page_count", ["page_count"], hidden: schema),
      Definition("page_size", ["page_size"], hidden: schema),
      Definition("pragma_list", ["name"]),
      Definition("query_only", ["query_only"]),
      Definition("quick_check", ["quick_check"], hidden: both),
      Definition("read_uncommitted", ["read_uncommitted"]),
      Definition("recursive_triggers", ["recursive_triggers"]),
      Definition("reverse_unordered_selects", ["reverse_unordered_selects"]),
      Definition("schema_version", ["schema_version"]),
      Definition("secure_delete", ["secure_delete"]),
      Definition("short_column_names", ["short_column_names"]),
      Definition("soft_heap_limit", ["soft_heap_limit"]),
      Definition("synchronous", ["synchronous"], hidden: schema),
      Definition(
        "table_info", ["cid", "name", "type", "notnull", "dflt_value", "pk"],
        hidden: both),
      Definition(
        "table_list", ["schema", "name", "type", "ncol", "wr", "strict"],
        hidden: ["arg"]),
      Definition(
        "table_xinfo",
        ["cid", "name", "type", "notnull", "dflt_value", "pk", "hidden"], hidden: both),
      Definition("temp_store", ["temp_store"]),
      Definition("threads", ["threads"]),
      Definition("trusted_schema", ["trusted_schema"]),
      Definition("user_version", ["user_version"]),
      Definition("writable_schema", ["writable_schema"]),
    ]
    return Dictionary(
      definitions.map { ($0.name.description, $0) }, uniquingKeysWith: { first, _ in first })
  }()
}
