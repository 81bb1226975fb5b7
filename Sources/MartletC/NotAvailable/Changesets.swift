// Changesets (session): neither made, read nor applied; every function says that it has failed.
import CSQLite3

@c @implementation
public func sqlite3changeset_start(
  _ result: UnsafeMutablePointer<OpaquePointer?>!, _: Int32, _: UnsafeMutableRawPointer!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_start_v2(
  _ result: UnsafeMutablePointer<OpaquePointer?>!, _: Int32, _: UnsafeMutableRawPointer!, _: Int32
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_next(_: OpaquePointer!) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changeset_op(
  _: OpaquePointer!, _ result: UnsafeMutablePointer<UnsafePointer<CChar>?>!,
  _ count: UnsafeMutablePointer<Int32>!, _ number3: UnsafeMutablePointer<Int32>!,
  _ number4: UnsafeMutablePointer<Int32>!
) -> Int32 {
  result?.pointee = nil
  count?.pointee = 0
  number3?.pointee = 0
  number4?.pointee = 0
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_pk(
  _: OpaquePointer!, _ result: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>!,
  _ count: UnsafeMutablePointer<Int32>!
) -> Int32 {
  result?.pointee = nil
  count?.pointee = 0
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_old(
  _: OpaquePointer!, _: Int32, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_new(
  _: OpaquePointer!, _: Int32, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_conflict(
  _: OpaquePointer!, _: Int32, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_fk_conflicts(
  _: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!
) -> Int32 {
  count?.pointee = 0
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_finalize(_: OpaquePointer!) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changeset_invert(
  _: Int32, _: UnsafeRawPointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  count?.pointee = 0
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_concat(
  _: Int32, _: UnsafeMutableRawPointer!, _: Int32, _: UnsafeMutableRawPointer!,
  _ count: UnsafeMutablePointer<Int32>!, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  count?.pointee = 0
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_apply(
  _: OpaquePointer!, _: Int32, _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32)!,
  _: (@convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changeset_apply_v2(
  _: OpaquePointer!, _: Int32, _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32)!,
  _: (@convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32)!,
  _: UnsafeMutableRawPointer!, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ count: UnsafeMutablePointer<Int32>!, _: Int32
) -> Int32 {
  result?.pointee = nil
  count?.pointee = 0
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_apply_v3(
  _: OpaquePointer!, _: Int32, _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Int32)!,
  _: (@convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32)!,
  _: UnsafeMutableRawPointer!, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ count: UnsafeMutablePointer<Int32>!, _: Int32
) -> Int32 {
  result?.pointee = nil
  count?.pointee = 0
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_apply_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32)!,
  _: (@convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changeset_apply_v2_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32)!,
  _: (@convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32)!,
  _: UnsafeMutableRawPointer!, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ count: UnsafeMutablePointer<Int32>!, _: Int32
) -> Int32 {
  result?.pointee = nil
  count?.pointee = 0
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_apply_v3_strm(
  _: OpaquePointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Int32)!,
  _: (@convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32)!,
  _: UnsafeMutableRawPointer!, _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ count: UnsafeMutablePointer<Int32>!, _: Int32
) -> Int32 {
  result?.pointee = nil
  count?.pointee = 0
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_concat_strm(
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int32) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changeset_invert_strm(
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int32) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3changeset_start_strm(
  _ result: UnsafeMutablePointer<OpaquePointer?>!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}

@c @implementation
public func sqlite3changeset_start_v2_strm(
  _ result: UnsafeMutablePointer<OpaquePointer?>!,
  _: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?,
    UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!, _: Int32
) -> Int32 {
  result?.pointee = nil
  return SQLITE_ERROR
}
