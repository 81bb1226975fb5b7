// Changegroups and rebasers (session): every function says that it has failed.
import CSQLite3

@c @implementation
public func sqlite3changegroup_new(_ result: UnsafeMutablePointer<OpaquePointer?>!) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changegroup_schema(
  _: OpaquePointer!, _: OpaquePointer!, _: UnsafePointer<CChar>!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_add(
  _: OpaquePointer!, _: Int32, _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_add_change(_: OpaquePointer!, _: OpaquePointer!) -> Int32 {
  SQLITE_ERROR
}

@c @implementation
public func sqlite3changegroup_output(
  _: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  count?.pointee = 0
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changegroup_delete(_: OpaquePointer!) {}

@c @implementation
public func sqlite3changegroup_add_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_output_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int32) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_config(
  _: OpaquePointer!, _: Int32, _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_change_begin(
  _: OpaquePointer!, _: Int32, _: UnsafePointer<CChar>!, _: Int32,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changegroup_change_int64(
  _: OpaquePointer!, _: Int32, _: Int32, _: sqlite3_int64
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_change_null(_: OpaquePointer!, _: Int32, _: Int32) -> Int32 {
  SQLITE_ERROR
}

@c @implementation
public func sqlite3changegroup_change_double(
  _: OpaquePointer!, _: Int32, _: Int32, _: Double
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_change_text(
  _: OpaquePointer!, _: Int32, _: Int32, _: UnsafePointer<CChar>!, _: Int32
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_change_blob(
  _: OpaquePointer!, _: Int32, _: Int32, _: UnsafeRawPointer!, _: Int32
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changegroup_change_finish(
  _: OpaquePointer!, _: Int32, _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3rebaser_create(_ result: UnsafeMutablePointer<OpaquePointer?>!) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3rebaser_configure(_: OpaquePointer!, _: Int32, _: UnsafeRawPointer!) -> Int32 {
  SQLITE_ERROR
}

@c @implementation
public func sqlite3rebaser_rebase(
  _: OpaquePointer!, _: Int32, _: UnsafeRawPointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  count?.pointee = 0
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3rebaser_delete(_: OpaquePointer!) {}

@c @implementation
public func sqlite3rebaser_rebase_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int32) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }
