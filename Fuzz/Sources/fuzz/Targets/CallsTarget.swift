import CSQLite3
import MartletC
import MartletEngine
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Calls of the C interface: each two bytes are a function and how to choose its arguments, among
/// them handles that are nothing, closed, or another connection's.
enum CallsTarget {
  static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let handles = Handles()
    run(Input(bytes), handles, isAlone: true)
    handles.closeAll()
  }

  /// The parts are what three threads do with the same handles. Nobody closes what another one uses.
  static func runThreads(_ parts: Parts) {
    let handles = Handles()
    let inputs = parts.parts
    withUnsafePointer(to: (inputs, handles)) { shared in
      let threads = inputs.indices.map { index in
        Thread { run(Input(shared.pointee.0[index]), shared.pointee.1, isAlone: false) }
      }
      threads.forEach { $0.join() }
    }
    handles.closeAll()
  }

  private static func run(_ input: Input, _ handles: Handles, isAlone: Bool) {
    var calls = Calls(handles: handles, input: input, isAlone: isAlone)
    for _ in 0..<200 where !calls.input.isEmpty { calls.callAny() }
  }
}

/// A thread that can be waited for.
private struct Thread {
  private var thread = pthread_t()

  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  init(_ run: @escaping () -> Void) {
    let body = Unmanaged.passRetained(Body(run))
    let failed = pthread_create(&thread, nil, { argument in
      if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, body.toOpaque())
    precondition(failed == 0, "no thread")
  }

  func join() { pthread_join(thread, nil) }
}

/// What the calls of an input have opened. The last of each kind is dead from the beginning.
final class Handles: @unchecked Sendable {
  var databases: [OpaquePointer?] = [nil, nil, nil, nil]
  var statements: [OpaquePointer?] = [nil, nil, nil, nil, nil, nil]
  var blobs: [OpaquePointer?] = [nil, nil, nil]
  var backups: [OpaquePointer?] = [nil, nil, nil]
  /// Copies of values, each of which is freed once.
  var values: [OpaquePointer?] = [nil, nil]
  let rest = Atomic<Int>(0)

  private static let image: [UInt8] = SQLTarget.image("PRAGMA page_size = 512;" + SQLTarget.schema)

  init() {
    FuzzVFS.shared.put(Handles.image, at: "main")
    rest.store(60, ordering: .relaxed)
    open(1, ":memory:")
    open(2, "main")
    sqlite3_open(":memory:", &databases[3])
    sqlite3_prepare_v2(databases[1], "SELECT 1", -1, &statements[5], nil)
    sqlite3_finalize(statements[5])
    sqlite3_close(databases[3])
  }

  func open(_ place: Int, _ name: String) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
    sqlite3_open_v2(name, &databases[place], flags, nil)
    guard let database = databases[place] else { return }
    for (category, limit) in [
      (SQLITE_LIMIT_LENGTH, 50_000), (SQLITE_LIMIT_EXPR_DEPTH, 100),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 250), (SQLITE_LIMIT_COLUMN, 100),
    ] as [(Int32, Int32)] { sqlite3_limit(database, category, limit) }
    let handles = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_progress_handler(database, 1_000, { pointer in
      guard let pointer else { return 1 }
      let handles = Unmanaged<Handles>.fromOpaque(pointer).takeUnretainedValue()
      return handles.rest.subtract(1, ordering: .relaxed).newValue < 0 ? 1 : 0
    }, handles)
    if name == ":memory:" {
      sqlite3_exec(
        database, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c, d);"
          + "INSERT INTO t VALUES(1, 'one', 1.5, x'01020304'), (2, NULL, 'zwei', zeroblob(20))",
        nil, nil, nil)
    }
  }

  func closeAll() {
    rest.store(0, ordering: .relaxed)
    for value in values { sqlite3_value_free(value) }
    for backup in backups.dropLast() { sqlite3_backup_finish(backup) }
    for blob in blobs.dropLast() { sqlite3_blob_close(blob) }
    for statement in statements.dropLast() { sqlite3_finalize(statement) }
    for database in databases.dropLast() { sqlite3_close_v2(database) }
  }
}
