// Functions that are kept for old programs (c3ref/aggregate_count, c3ref/enable_shared_cache,
// capi3ref).
import CSQLite3
import MartletEngine

/// Statements are prepared again by themselves; only what is no statement has expired.
@c @implementation
public func sqlite3_expired(_ statement: OpaquePointer!) -> Int32 {
  StatementHandle(statement) == nil ? 1 : 0
}

@c @implementation
public func sqlite3_global_recover() -> Int32 { SQLITE_OK }

@c @implementation
public func sqlite3_thread_cleanup() {}

@c @implementation
public func sqlite3_memory_alarm(
  _: (@convention(c) (UnsafeMutableRawPointer?, sqlite3_int64, Int32) -> Void)!,
  _: UnsafeMutableRawPointer!, _: sqlite3_int64
) -> Int32 {
  SQLITE_OK
}

/// Each connection has a cache of its own; databases in memory are shared by their name.
@c @implementation
public func sqlite3_enable_shared_cache(_ isOn: Int32) -> Int32 {
  Library.settings.sharesMemory = isOn != 0
  return SQLITE_OK
}

/// Binds in `target` what is bound in `source`, which loses it.
@c @implementation
public func sqlite3_transfer_bindings(
  _ source: OpaquePointer!, _ target: OpaquePointer!
) -> Int32 {
  guard let source = StatementHandle(source), let target = StatementHandle(target) else {
    return SQLITE_MISUSE
  }
  let count = source.pointee.statement.parameterCount
  guard count == target.pointee.statement.parameterCount else { return SQLITE_ERROR }
  // Those of another connection may be texts in another encoding.
  guard source.pointee.connection == target.pointee.connection else { return SQLITE_MISUSE }
  return target.locked {
    target.pointee.connection.report { _ throws(SQLError) in
      try target.pointee.statement.takeBindings(of: source.pointee.statement)
    }
  }
}
