// Snapshots of a WAL (c3ref/snapshot): there is none to be had, as in an SQLite that is not built
// for them.
import CSQLite3

@c @implementation
public func sqlite3_snapshot_get(
  _: OpaquePointer!, _: UnsafePointer<CChar>!,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_snapshot>?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3_snapshot_open(
  _: OpaquePointer!, _: UnsafePointer<CChar>!, _: UnsafeMutablePointer<sqlite3_snapshot>!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3_snapshot_free(_: UnsafeMutablePointer<sqlite3_snapshot>!) {}

@c @implementation
public func sqlite3_snapshot_cmp(
  _: UnsafeMutablePointer<sqlite3_snapshot>!, _: UnsafeMutablePointer<sqlite3_snapshot>!
) -> Int32 { 0 }

@c @implementation
public func sqlite3_snapshot_recover(_: OpaquePointer!, _: UnsafePointer<CChar>!) -> Int32 {
  SQLITE_ERROR
}
