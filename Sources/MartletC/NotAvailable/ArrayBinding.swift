// Arrays of the program as tables (c3ref/carray_bind): there is no carray().
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_carray_bind(
  _ statement: OpaquePointer!, _ index: Int32, _ data: UnsafeMutableRawPointer!, _ count: Int32,
  _ flags: Int32, _ destroy: Destructor!
) -> Int32 {
  sqlite3_carray_bind_v2(statement, index, data, count, flags, destroy, data)
}

/// The array is given back at once.
@c @implementation
public func sqlite3_carray_bind_v2(
  _ statement: OpaquePointer!, _ index: Int32, _ data: UnsafeMutableRawPointer!, _ count: Int32,
  _ flags: Int32, _ destroy: Destructor!, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  finish(argument, destroy)
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  return handle.pointee.connection.fail(SQLITE_ERROR, "not supported by Martlet: carray()")
}
