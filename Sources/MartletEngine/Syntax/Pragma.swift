/// The pragmas that SQLite knows (pragma §1), and `work_memory`; in the order of their names.
enum Pragma: UInt8, CaseIterable {
  case analysisLimit, applicationID, autoVacuum, automaticIndex, busyTimeout, cacheSize, cacheSpill,
    caseSensitiveLike, cellSizeCheck, checkpointFullFSync, collationList, compileOptions,
    countChanges, dataVersion, databaseList, defaultCacheSize, deferForeignKeys,
    emptyResultCallbacks, encoding, foreignKeyCheck, foreignKeyList, foreignKeys, freelistCount,
    fullColumnNames, fullFSync, functionList, hardHeapLimit, ignoreCheckConstraints,
    incrementalVacuum, indexInfo, indexList, indexXInfo, integrityCheck, journalMode,
    journalSizeLimit, legacyAlterTable, lockingMode, maxPageCount, mmapSize, moduleList,
    optimize, pageCount, pageSize, pragmaList, queryOnly, quickCheck, readUncommitted,
    recursiveTriggers, reverseUnorderedSelects, schemaVersion, secureDelete, shortColumnNames,
    shrinkMemory, softHeapLimit, synchronous, tableInfo, tableList, tableXInfo, tempStore,
    tempStoreDirectory, threads, trustedSchema, userVersion, walAutocheckpoint, walCheckpoint,
    workMemory, writableSchema

  /// What PRAGMA pragma_list lists.
  static let names: [StaticString] = [
    "analysis_limit", "application_id", "auto_vacuum", "automatic_index", "busy_timeout",
    "cache_size", "cache_spill", "case_sensitive_like", "cell_size_check",
    "checkpoint_fullfsync", "collation_list", "compile_options", "count_changes", "data_version",
    "database_list", "default_cache_size", "defer_foreign_keys", "empty_result_callbacks",
    "encoding", "foreign_key_check", "foreign_key_list", "foreign_keys", "freelist_count",
    "full_column_names", "fullfsync", "function_list", "hard_heap_limit",
    "ignore_check_constraints", "incremental_vacuum", "index_info", "index_list", "index_xinfo",
    "integrity_check", "journal_mode", "journal_size_limit", "legacy_alter_table",
    "locking_mode", "max_page_count", "mmap_size", "module_list", "optimize", "page_count",
    "page_size", "pragma_list", "query_only", "quick_check", "read_uncommitted",
    "recursive_triggers", "reverse_unordered_selects", "schema_version", "secure_delete",
    "short_column_names", "shrink_memory", "soft_heap_limit", "synchronous", "table_info",
    "table_list", "table_xinfo", "temp_store", "temp_store_directory", "threads",
    "trusted_schema", "user_version", "wal_autocheckpoint", "wal_checkpoint", "work_memory",
    "writable_schema",
  ]

  /// In lower case; what SQLite calls a single column of the result.
  var name: StaticString { Pragma.names[Int(rawValue)] }

  /// nil for a name that means nothing, which is no error.
  init?(_ name: Name) {
    var low = 0, high = Pragma.names.count
    while low < high {
      let middle = (low + high) / 2
      let order = Pragma.order(of: name, Pragma.names[middle])
      if order == 0 {
        self.init(rawValue: UInt8(middle))
        return
      }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return nil
  }

  /// Below 0 where a name, folded, comes before one in lower case, above 0 where it comes after.
  private static func order(of name: Name, _ known: StaticString) -> Int {
    let count = Int(name.count), bytes = known.utf8Start
    for index in 0..<min(count, known.utf8CodeUnitCount) {
      let difference = Int(Name.fold(name.start[index])) - Int(bytes[index])
      if difference != 0 { return difference }
    }
    return count - known.utf8CodeUnitCount
  }

  /// Whether it looks at tables and indexes; the others also work on a database whose schema is
  /// malformed, or which is none.
  var readsSchema: Bool {
    switch self {
    case .autoVacuum, .cacheSize, .defaultCacheSize, .encoding, .foreignKeyCheck, .foreignKeyList,
      .incrementalVacuum, .indexInfo, .indexList, .indexXInfo, .integrityCheck, .journalMode,
      .maxPageCount, .optimize, .pageCount, .quickCheck, .synchronous, .tableInfo, .tableList,
      .tableXInfo, .walCheckpoint:
      true
    default: false
    }
  }
}
