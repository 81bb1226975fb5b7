// Counters of connections and statements (c3ref/db_status, c3ref/stmt_status).
//
// What the engine does not have (lookaside memory) or count (what sorters spill) is 0, and the call
// succeeds.
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_db_status64(
  _ database: OpaquePointer!, _ op: Int32, _ current: UnsafeMutablePointer<sqlite3_int64>!,
  _ highest: UnsafeMutablePointer<sqlite3_int64>!, _ resets: Int32
) -> Int32 {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine, let current,
    let highest
  else { return SQLITE_MISUSE }
  guard (0...SQLITE_DBSTATUS_MAX).contains(op) else { return SQLITE_ERROR }
  highest.pointee = 0
  // A cache that is shared is no other cache here.
  let counted = op == SQLITE_DBSTATUS_CACHE_USED_SHARED ? SQLITE_DBSTATUS_CACHE_USED : op
  guard let counter = Connection.Counter(rawValue: counted) else {
    current.pointee = 0
    return SQLITE_OK
  }
  engine.enter()
  defer { engine.leave() }
  let count = engine.count(of: counter)
  guard counter.canBeReset else {
    current.pointee = sqlite3_int64(count)
    return SQLITE_OK
  }
  current.pointee = sqlite3_int64(count - handle.core.countsAtReset[op, default: 0])
  if resets != 0 { handle.core.countsAtReset[op] = count }
  return SQLITE_OK
}

extension Connection.Counter {
  /// It counts what has happened, not what there is.
  fileprivate var canBeReset: Bool {
    switch self {
    case .cacheHits, .cacheMisses, .cacheWrites, .cacheSpills: true
    case .cacheUsed, .schemaUsed, .statementsUsed, .deferredForeignKeys: false
    }
  }
}

@c @implementation
public func sqlite3_db_status(
  _ database: OpaquePointer!, _ op: Int32, _ current: UnsafeMutablePointer<Int32>!,
  _ highest: UnsafeMutablePointer<Int32>!, _ resets: Int32
) -> Int32 {
  var count: sqlite3_int64 = 0, most: sqlite3_int64 = 0
  guard let current, let highest else { return SQLITE_MISUSE }
  let code = sqlite3_db_status64(database, op, &count, &most, resets)
  guard code == SQLITE_OK else { return code }
  current.pointee = Int32(truncatingIfNeeded: count & 0x7fff_ffff)
  highest.pointee = Int32(truncatingIfNeeded: most & 0x7fff_ffff)
  return SQLITE_OK
}

@c @implementation
public func sqlite3_stmt_status(
  _ statement: OpaquePointer!, _ op: Int32, _ resets: Int32
) -> Int32 {
  guard let handle = StatementHandle(statement),
    let counter = Statement.Counter(rawValue: op)
  else { return 0 }
  return Int32(
    truncatingIfNeeded: handle.pointee.statement.count(of: counter, resetting: resets != 0))
}
