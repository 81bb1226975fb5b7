// Measured loops of statements (c3ref/stmt_scanstatus): nothing is measured, as in an SQLite that
// is not built for it.
import CSQLite3

@c @implementation
public func sqlite3_stmt_scanstatus(
  _: OpaquePointer!, _: Int32, _: Int32, _: UnsafeMutableRawPointer!
) -> Int32 { 1 }

@c @implementation
public func sqlite3_stmt_scanstatus_v2(
  _: OpaquePointer!, _: Int32, _: Int32, _: Int32, _: UnsafeMutableRawPointer!
) -> Int32 { 1 }

@c @implementation
public func sqlite3_stmt_scanstatus_reset(_: OpaquePointer!) {}
