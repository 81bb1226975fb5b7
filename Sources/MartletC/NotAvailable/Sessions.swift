// Sessions (session): the engine records no changes. Nothing is ever made, so every function says
// that it has failed, or that there is nothing.
import CSQLite3

@c @implementation
public func sqlite3session_create(
  _: OpaquePointer!, _: UnsafePointer<CChar>!, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3session_delete(_: OpaquePointer!) {}

@c @implementation
public func sqlite3session_object_config(
  _: OpaquePointer!, _: Int32, _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3session_enable(_: OpaquePointer!, _: Int32) -> Int32 { 0 }

@c @implementation
public func sqlite3session_indirect(_: OpaquePointer!, _: Int32) -> Int32 { 0 }

@c @implementation
public func sqlite3session_attach(_: OpaquePointer!, _: UnsafePointer<CChar>!) -> Int32 {
  SQLITE_ERROR
}

@c @implementation
public func sqlite3session_table_filter(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32)!,
  _: UnsafeMutableRawPointer!
) {}

@c @implementation
public func sqlite3session_changeset(
  _: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  count?.pointee = 0
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3session_changeset_size(_: OpaquePointer!) -> sqlite3_int64 { 0 }

@c @implementation
public func sqlite3session_diff(
  _: OpaquePointer!, _: UnsafePointer<CChar>!, _: UnsafePointer<CChar>!,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3session_patchset(
  _: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  count?.pointee = 0
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3session_isempty(_: OpaquePointer!) -> Int32 { 1 }

@c @implementation
public func sqlite3session_memory_used(_: OpaquePointer!) -> sqlite3_int64 { 0 }

@c @implementation
public func sqlite3session_changeset_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int32) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3session_patchset_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int32) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3session_config(_: Int32, _: UnsafeMutableRawPointer!) -> Int32 { SQLITE_ERROR }
