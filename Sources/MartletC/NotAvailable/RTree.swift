// Queries of R-trees by functions (rtree §6): there are no R-trees.
import CSQLite3

@c @implementation
public func sqlite3_rtree_geometry_callback(
  _: OpaquePointer!, _: UnsafePointer<CChar>!,
  _: (@convention(c) (UnsafeMutablePointer<sqlite3_rtree_geometry>?, Int32,
    UnsafeMutablePointer<sqlite3_rtree_dbl>?, UnsafeMutablePointer<Int32>?) -> Int32)!,
  _: UnsafeMutableRawPointer!
) -> Int32 { SQLITE_ERROR }

@c @implementation
public func sqlite3_rtree_query_callback(
  _: OpaquePointer!, _: UnsafePointer<CChar>!,
  _: (@convention(c) (UnsafeMutablePointer<sqlite3_rtree_query_info>?) -> Int32)!,
  _: UnsafeMutableRawPointer!, _: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!
) -> Int32 { SQLITE_ERROR }
