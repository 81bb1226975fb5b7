// Blobs in pieces (c3ref/blob_open and its kin).
import CSQLite3
import MartletEngine

/// What `sqlite3_blob *` points to.
struct BlobState {
  var mark = HandleMark.blob.rawValue
  let blob: Blob
  let connection: ConnectionHandle
}

private let blobMemory = HandleMemory<BlobState>(minimumQueueCount: 16)

private func state(_ blob: OpaquePointer?) -> UnsafeMutablePointer<BlobState>? {
  live(blob, .blob, as: BlobState.self)
}

@c @implementation
public func sqlite3_blob_open(
  _ database: OpaquePointer!, _ databaseName: UnsafePointer<CChar>!,
  _ table: UnsafePointer<CChar>!, _ column: UnsafePointer<CChar>!, _ rowID: sqlite3_int64,
  _ flags: Int32, _ blob: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  guard let blob else { return SQLITE_MISUSE }
  blob.pointee = nil
  guard let handle = ConnectionHandle(database), let table = string(table),
    let column = string(column)
  else { return SQLITE_MISUSE }
  return handle.conclude { connection throws(SQLError) in
    let opened = try connection.openBlob(
      table: table, column: column, rowID: rowID, database: string(databaseName) ?? "main",
      isWritable: flags != 0)
    guard let state = blobMemory.allocate() else { throw SQLError(.outOfMemory) }
    state.initialize(to: BlobState(blob: opened, connection: handle))
    handle.dependentBegins()
    blob.pointee = OpaquePointer(state)
  }
}

@c @implementation
public func sqlite3_blob_close(_ blob: OpaquePointer!) -> Int32 {
  guard blob != nil else { return SQLITE_OK }
  guard let state = state(blob) else { return SQLITE_MISUSE }
  let connection = state.pointee.connection
  connection.core.enter()
  // One that is expired has told its error already.
  var code = SQLITE_OK
  if !state.pointee.blob.isExpired {
    connection.clearAll()
    code = connection.report { _ throws(SQLError) in try state.pointee.blob.close() }
  }
  connection.core.leave()
  state.deinitialize(count: 1)
  blobMemory.free(state)
  connection.dependentEnds()
  return code
}

@c @implementation
public func sqlite3_blob_reopen(_ blob: OpaquePointer!, _ rowID: sqlite3_int64) -> Int32 {
  guard let state = state(blob) else { return SQLITE_MISUSE }
  let connection = state.pointee.connection
  connection.core.enter()
  defer { connection.core.leave() }
  // Of one that is expired, the connection is told nothing.
  guard !state.pointee.blob.isExpired else { return SQLITE_ABORT }
  let code = connection.report { _ throws(SQLError) in
    try state.pointee.blob.reopen(rowID: rowID)
  }
  if code != SQLITE_OK { connection.pointee.errorOffset = -1 }
  return code
}

@c @implementation
public func sqlite3_blob_bytes(_ blob: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: state(blob)?.pointee.blob.byteCount ?? 0)
}

@c @implementation
public func sqlite3_blob_read(
  _ blob: OpaquePointer!, _ buffer: UnsafeMutableRawPointer!, _ byteCount: Int32,
  _ offset: Int32
) -> Int32 {
  guard let state = state(blob) else { return SQLITE_MISUSE }
  return state.pointee.connection.conclude { _ throws(SQLError) in
    guard byteCount >= 0 else { throw SQLError(.error) }
    try state.pointee.blob.read(
      into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(byteCount)),
      at: Int(offset))
  }
}

@c @implementation
public func sqlite3_blob_write(
  _ blob: OpaquePointer!, _ bytes: UnsafeRawPointer!, _ byteCount: Int32, _ offset: Int32
) -> Int32 {
  guard let state = state(blob) else { return SQLITE_MISUSE }
  return state.pointee.connection.conclude { _ throws(SQLError) in
    guard byteCount >= 0 else { throw SQLError(.error) }
    try state.pointee.blob.write(
      UnsafeRawBufferPointer(start: bytes, count: Int(byteCount)), at: Int(offset))
  }
}
