// What a module says while it makes a table (c3ref/declare_vtab, c3ref/vtab_config), and asks while
// it changes one (c3ref/vtab_on_conflict, c3ref/vtab_nochange).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_declare_vtab(
  _ database: OpaquePointer!, _ sql: UnsafePointer<CChar>!
) -> Int32 {
  guard let handle = ConnectionHandle(database), let sql = string(sql) else {
    return SQLITE_MISUSE
  }
  return handle.report { _ throws(SQLError) in
    guard let request = handle.core.tableRequests.last else { throw SQLError(.misuse) }
    try request.declare(sql)
  }
}

/// The body of `sqlite3_vtab_config`.
@c @implementation
public func martlet_vtab_config(
  _ database: OpaquePointer!, _ option: Int32, _ value: Int32
) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  return handle.report { _ throws(SQLError) in
    guard let request = handle.core.tableRequests.last else { throw SQLError(.misuse) }
    switch option {
    case SQLITE_VTAB_CONSTRAINT_SUPPORT:
      request.configure(.constraintSupport, value != 0)
    case SQLITE_VTAB_INNOCUOUS:
      request.configure(.directOnly, false)
      request.configure(.innocuous)
    case SQLITE_VTAB_DIRECTONLY:
      request.configure(.innocuous, false)
      request.configure(.directOnly)
    case SQLITE_VTAB_USES_ALL_SCHEMAS: request.configure(.usesAllSchemas)
    default: throw SQLError(.misuse)
    }
  }
}

/// Has a meaning in `xUpdate` only.
@c @implementation
public func sqlite3_vtab_on_conflict(_ database: OpaquePointer!) -> Int32 {
  ConnectionHandle(database)?.core.conflictPolicy.rawValue ?? SQLITE_ABORT
}

@c @implementation
public func sqlite3_vtab_nochange(_ context: OpaquePointer!) -> Int32 {
  ContextHandle(context)?.pointee.result.value.isUnchanged ?? false ? 1 : 0
}
