// Past states of a database in WAL mode (c3ref/snapshot).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_snapshot_get(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!,
  _ result: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_snapshot>?>!
) -> Int32 {
  result?.pointee = nil
  guard let handle = ConnectionHandle(database), let result else { return SQLITE_MISUSE }
  return handle.conclude { (engine) throws(SQLError) in
    let snapshot = try engine.snapshot(ofDatabase: string(schema) ?? "main")
    guard let memory = sqlite3_malloc(Int32(Snapshot.byteCount)) else {
      throw SQLError(.outOfMemory)
    }
    snapshot.store(to: memory)
    result.pointee = memory.assumingMemoryBound(to: sqlite3_snapshot.self)
  }
}

@c @implementation
public func sqlite3_snapshot_open(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!,
  _ snapshot: UnsafeMutablePointer<sqlite3_snapshot>!
) -> Int32 {
  guard let handle = ConnectionHandle(database), let snapshot else { return SQLITE_MISUSE }
  // The extended code in any case, as SQLite gives it.
  var code = SQLITE_OK
  let result = handle.conclude { (engine) throws(SQLError) in
    do throws(SQLError) {
      try engine.open(Snapshot(copying: snapshot), ofDatabase: string(schema) ?? "main")
    } catch {
      code = error.code.rawValue
      throw error
    }
  }
  return code == SQLITE_OK ? result : code
}

@c @implementation
public func sqlite3_snapshot_free(_ snapshot: UnsafeMutablePointer<sqlite3_snapshot>!) {
  sqlite3_free(snapshot)
}

@c @implementation
public func sqlite3_snapshot_cmp(
  _ first: UnsafeMutablePointer<sqlite3_snapshot>!,
  _ second: UnsafeMutablePointer<sqlite3_snapshot>!
) -> Int32 {
  guard let first, let second else { return 0 }
  let left = Snapshot(copying: first), right = Snapshot(copying: second)
  return left < right ? -1 : left == right ? 0 : 1
}

@c @implementation
public func sqlite3_snapshot_recover(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!
) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  return handle.conclude { (engine) throws(SQLError) in
    try engine.recoverSnapshots(ofDatabase: string(schema) ?? "main")
  }
}
