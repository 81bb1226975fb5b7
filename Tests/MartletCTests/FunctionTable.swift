/// What docs/c-api.md says besides the names of the functions.
enum FunctionTable {
  static let introduction = """
    # The C interface

    `make libsqlite3` builds `.build/lib/libsqlite3.so.0`, a library with SQLite's C interface
    (3.53.4) on Martlet's engine: programs that load SQLite's shared library run on it without being
    rebuilt. Its functions are Swift (`Sources/MartletC`), checked by the compiler against our header;
    C (`Sources/CSQLite3`) are the header, the exported data, and what takes a variable number of
    arguments.

    - Handles are marked, and memory of handles is used again late: a finalized statement or a closed
      connection gets SQLITE_MISUSE, also where C's documents promise nothing.
    - Text and blobs of a column are copied when they are asked for, unless the row has them in memory of
      its own, as those on overflow pages; what is longer than 64 KB is freed when the statement ends.
      Nothing is allocated for a column that is read as a number.
    - What is bound is copied, and its destructor is called at once.
    - A backup keeps both connections: in C, that of the target can be closed.
    - Scan status is counted by instructions of their own, which only programs have that are prepared
      while SQLITE_DBCONFIG_STMT_SCANSTATUS is on (off at first); its cycles are nanoseconds.

    This file is generated: `MARTLET_WRITE_DOCS=1 swift test --filter FunctionTableTests`.

    """

  /// What is said of a function that is not complete.
  static func note(_ name: String) -> String? {
    notes[name] ?? families.first { name.hasPrefix($0.prefix) }?.note
  }

  private static let families: [(prefix: String, note: String)] = [
    ("sqlite3_stmt_scanstatus", "complete; counts while SQLITE_DBCONFIG_STMT_SCANSTATUS is on"),
  ]

  static let notes: [String: String] = [
    "sqlite3_config": "complete; not the program's own page caches and mutexes (docs/limits.md)",
    "sqlite3_db_status": "complete; there is no lookaside memory, and what sorters spill is not counted",
    "sqlite3_db_status64": "complete; there is no lookaside memory, and what sorters spill is not counted",
    "sqlite3_stmt_status": "steps of the machine are an estimate; what Bloom filters turn down is not counted",
    "sqlite3_serialize": """
    complete; with SQLITE_SERIALIZE_NOCOPY null, as C may give it, but for what `sqlite3_deserialize` \
    has made
    """,
    "sqlite3_enable_shared_cache":
      "there is no shared cache; databases in memory are shared by their URI",
    "sqlite3_unlock_notify": "there is no shared cache: calls back at once",
    "sqlite3_setlk_timeout": "complete; a lock is tried again each millisecond",
    "sqlite3_test_control": "the opcodes that tests use; others give 0",
    "sqlite3_db_mutex": "complete; not the program's own mutexes",
  ]
}
