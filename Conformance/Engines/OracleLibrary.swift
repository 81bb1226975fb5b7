#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// C SQLite, loaded at run time: the engine that decides what is right.
///
/// Loaded by `dlopen`, so that neither a header nor a package is needed to build, and a
/// machine without it still builds and runs everything else.
///
/// The functions are reentrant (C SQLite is built thread-safe) and the pointers never change,
/// hence `@unchecked Sendable`.
package final class OracleLibrary: @unchecked Sendable {
  package typealias Handle = OpaquePointer
  package typealias Bytes = UnsafePointer<UInt8>
  package typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void

  package let path: String
  package let version: String

  package let open:
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>, Int32, UnsafePointer<CChar>?
    ) -> Int32
  package let close: @convention(c) (Handle?) -> Int32
  package let prepare:
    @convention(c) (
      Handle, Bytes?, Int32, UnsafeMutablePointer<Handle?>, UnsafeMutablePointer<Bytes?>?
    ) -> Int32
  package let step: @convention(c) (Handle) -> Int32
  package let reset: @convention(c) (Handle) -> Int32
  package let finalize: @convention(c) (Handle?) -> Int32
  package let bindInt64: @convention(c) (Handle, Int32, Int64) -> Int32
  package let bindDouble: @convention(c) (Handle, Int32, Double) -> Int32
  package let bindText: @convention(c) (Handle, Int32, Bytes?, Int32, Int) -> Int32
  package let bindNull: @convention(c) (Handle, Int32) -> Int32
  package let columnCount: @convention(c) (Handle) -> Int32
  package let columnName: @convention(c) (Handle, Int32) -> UnsafePointer<CChar>?
  package let columnType: @convention(c) (Handle, Int32) -> Int32
  package let columnInt64: @convention(c) (Handle, Int32) -> Int64
  package let columnDouble: @convention(c) (Handle, Int32) -> Double
  package let columnText: @convention(c) (Handle, Int32) -> Bytes?
  package let columnBlob: @convention(c) (Handle, Int32) -> UnsafeRawPointer?
  package let columnBytes: @convention(c) (Handle, Int32) -> Int32
  package let errorMessage: @convention(c) (Handle?) -> UnsafePointer<CChar>
  package let extendedErrorCode: @convention(c) (Handle) -> Int32
  package let errorOffset: @convention(c) (Handle) -> Int32
  package let changes: @convention(c) (Handle) -> Int64
  package let totalChanges: @convention(c) (Handle) -> Int64
  package let lastInsertRowID: @convention(c) (Handle) -> Int64
  package let isAutocommit: @convention(c) (Handle) -> Int32
  package typealias Progress = @convention(c) (UnsafeMutableRawPointer?) -> Int32
  package let progressHandler:
    @convention(c) (Handle, Int32, Progress?, UnsafeMutableRawPointer?) -> Void
  package let statementSQL: @convention(c) (Handle) -> UnsafePointer<CChar>?
  package let statementIsReadOnly: @convention(c) (Handle) -> Int32
  package let statementIsExplain: @convention(c) (Handle) -> Int32

  /// Loads the library of `folder`, or the system's where `folder` is nil; nil if there is none.
  package init?(folder: String?) {
    path = folder.map { "\($0)/libsqlite3.so.0" } ?? "libsqlite3.so.0"
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { return nil }
    guard let symbols = SymbolTable(of: library) else { return nil }
    let libraryVersion: @convention(c) () -> UnsafePointer<CChar> = symbols["libversion"]
    version = String(cString: libraryVersion())
    open = symbols["open_v2"]
    close = symbols["close_v2"]
    prepare = symbols["prepare_v2"]
    step = symbols["step"]
    reset = symbols["reset"]
    finalize = symbols["finalize"]
    bindInt64 = symbols["bind_int64"]
    bindDouble = symbols["bind_double"]
    bindText = symbols["bind_text"]
    bindNull = symbols["bind_null"]
    columnCount = symbols["column_count"]
    columnName = symbols["column_name"]
    columnType = symbols["column_type"]
    columnInt64 = symbols["column_int64"]
    columnDouble = symbols["column_double"]
    columnText = symbols["column_text"]
    columnBlob = symbols["column_blob"]
    columnBytes = symbols["column_bytes"]
    errorMessage = symbols["errmsg"]
    extendedErrorCode = symbols["extended_errcode"]
    errorOffset = symbols["error_offset"]
    changes = symbols["changes64"]
    totalChanges = symbols["total_changes64"]
    lastInsertRowID = symbols["last_insert_rowid"]
    isAutocommit = symbols["get_autocommit"]
    progressHandler = symbols["progress_handler"]
    statementSQL = symbols["sql"]
    statementIsReadOnly = symbols["stmt_readonly"]
    statementIsExplain = symbols["stmt_isexplain"]
  }

  /// What tools say that find no library, or one that is too old for them.
  package static let requirement = """
    needs C SQLite 3.53 (libsqlite3.so.0): name its folder in MARTLET_ORACLE; how to build it \
    stands in docs/testing.md
    """

  /// The first of these queries that gives no row, mostly because the library does not know a word
  /// of it.
  package func firstUnanswered(_ queries: [String]) -> String? {
    var database: Handle?
    let flags = OracleCode.openReadWrite | OracleCode.openCreate
    defer { _ = close(database) }
    guard open(":memory:", &database, flags, nil) == OracleCode.ok, let database else {
      return queries.first
    }
    return queries.first { query in
      var statement: Handle?
      defer { _ = finalize(statement) }
      return query.withCString { text in
        text.withMemoryRebound(to: UInt8.self, capacity: query.utf8.count + 1) {
          prepare(database, $0, -1, &statement, nil) != OracleCode.ok
            || statement.map { step($0) != OracleCode.row } ?? true
        }
      }
    }
  }

  /// The folder named by `MARTLET_ORACLE`, if it is set.
  package static var configuredFolder: String? {
    getenv("MARTLET_ORACLE").map { String(cString: $0) }
  }
}

/// The functions that we call, all found in the library before the first is used.
private struct SymbolTable {
  private static let names = [
    "libversion", "open_v2", "close_v2", "prepare_v2", "step", "reset", "finalize",
    "bind_int64", "bind_double", "bind_text", "bind_null",
    "column_count", "column_name", "column_type", "column_int64", "column_double",
    "column_text", "column_blob", "column_bytes",
    "changes64", "total_changes64", "last_insert_rowid", "get_autocommit",
    "progress_handler", "errmsg", "extended_errcode", "error_offset", "sql",
    "stmt_readonly", "stmt_isexplain",
  ]

  private var addresses: [String: UnsafeMutableRawPointer] = [:]

  init?(of library: UnsafeMutableRawPointer) {
    for name in Self.names {
      guard let address = dlsym(library, "sqlite3_" + name) else { return nil }
      addresses[name] = address
    }
  }

  /// The function `sqlite3_<name>`; its type is what the caller assigns it to.
  subscript<Function>(name: String) -> Function {
    unsafeBitCast(addresses[name], to: Function.self)
  }
}

/// Result codes and open flags of the C interface that the tools need.
package enum OracleCode {
  package static let ok: Int32 = 0
  package static let row: Int32 = 100
  package static let done: Int32 = 101
  package static let openReadOnly: Int32 = 0x1
  package static let openReadWrite: Int32 = 0x2
  package static let openCreate: Int32 = 0x4
  package static let openURI: Int32 = 0x40

  /// The destructor value that makes C copy a bound text at once (`SQLITE_TRANSIENT`).
  package static let transient = -1
}
