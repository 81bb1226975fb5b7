// Blobs in pieces (c3ref/blob_open and its kin).
import CSQLite3
import MartletEngine

/// What `sqlite3_blob *` points to. Calls lend the blob: counting references would cost as much as
/// they do.
struct BlobState {
  var mark = HandleMark.blob.rawValue
  /// Retained by hand.
  let blob: Unmanaged<Blob>
  let connection: ConnectionHandle
}

private let blobMemory = HandleMemory<BlobState>(minimumQueueCount: 16)

extension UnsafeMutablePointer<BlobState> {
  fileprivate init?(_ blob: OpaquePointer?) {
    guard let state = live(blob, .blob, as: BlobState.self) else { return nil }
    self = state
  }

  /// Runs what may fail, and notes how it went.
  @inline(__always)
  fileprivate func conclude(_ body: (Blob) throws(SQLError) -> Void) -> Int32 {
    let connection = pointee.connection
    connection.core.enter()
    defer { connection.core.leave() }
    do throws(SQLError) {
      try pointee.blob.lend(body)
      return connection.clear()
    } catch {
      return connection.note(error)
    }
  }

  fileprivate var isExpired: Bool { pointee.blob._withUnsafeGuaranteedRef { $0.isExpired } }
}

@c @implementation
public func sqlite3_blob_open(
  _ database: OpaquePointer!, _ databaseName: UnsafePointer<CChar>!,
  _ table: UnsafePointer<CChar>!, _ column: UnsafePointer<CChar>!, _ rowID: sqlite3_int64,
  _ flags: Int32, _ blob: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  guard let blob else { return SQLITE_MISUSE }
  blob.pointee = nil
  guard let handle = ConnectionHandle(database), let table, let column else {
    return SQLITE_MISUSE
  }
  return handle.conclude { connection throws(SQLError) in
    let names = BlobNames(
      database: databaseName.map(nameBytes), table: nameBytes(table), column: nameBytes(column))
    let opened = try connection.openBlob(names, rowID: rowID, isWritable: flags != 0)
    guard let state = blobMemory.allocate() else { throw SQLError(.outOfMemory) }
    state.initialize(to: BlobState(blob: .passRetained(opened), connection: handle))
    handle.core.dependentCount += 1
    blob.pointee = OpaquePointer(state)
  }
}

private func nameBytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
  UnsafeBufferPointer(
    start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: strlen(text))
}

@c @implementation
public func sqlite3_blob_close(_ blob: OpaquePointer!) -> Int32 {
  guard blob != nil else { return SQLITE_OK }
  guard let state = UnsafeMutablePointer<BlobState>(blob) else { return SQLITE_MISUSE }
  let connection = state.pointee.connection
  connection.core.enter()
  // One that is expired has told its error already.
  var code = SQLITE_OK
  if !state.isExpired {
    connection.clearAll()
    do throws(SQLError) {
      try state.pointee.blob.lend { (blob) throws(SQLError) in try blob.closeLocked() }
    } catch {
      code = connection.note(error)
    }
  }
  connection.core.leave()
  state.pointee.blob.release()
  state.deinitialize(count: 1)
  blobMemory.free(state)
  connection.dependentEnds()
  return code
}

@c @implementation
public func sqlite3_blob_reopen(_ blob: OpaquePointer!, _ rowID: sqlite3_int64) -> Int32 {
  guard let state = UnsafeMutablePointer<BlobState>(blob) else { return SQLITE_MISUSE }
  let connection = state.pointee.connection
  connection.core.enter()
  defer { connection.core.leave() }
  // Of one that is expired, the connection is told nothing.
  guard !state.isExpired else { return SQLITE_ABORT }
  do throws(SQLError) {
    try state.pointee.blob.lend { (blob) throws(SQLError) in
      try blob.reopenLocked(rowID: rowID)
    }
    return SQLITE_OK
  } catch {
    let code = connection.note(error)
    if code != SQLITE_OK { connection.pointee.errorOffset = -1 }
    return code
  }
}

@c @implementation
public func sqlite3_blob_bytes(_ blob: OpaquePointer!) -> Int32 {
  guard let state = UnsafeMutablePointer<BlobState>(blob) else { return 0 }
  return state.pointee.blob._withUnsafeGuaranteedRef { Int32(truncatingIfNeeded: $0.byteCount) }
}

@c @implementation
public func sqlite3_blob_read(
  _ blob: OpaquePointer!, _ buffer: UnsafeMutableRawPointer!, _ byteCount: Int32,
  _ offset: Int32
) -> Int32 {
  guard let state = UnsafeMutablePointer<BlobState>(blob) else { return SQLITE_MISUSE }
  return state.conclude { blob throws(SQLError) in
    guard byteCount >= 0 else { throw SQLError(.error) }
    try blob.readLocked(
      into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(byteCount)),
      at: Int(offset))
  }
}

@c @implementation
public func sqlite3_blob_write(
  _ blob: OpaquePointer!, _ bytes: UnsafeRawPointer!, _ byteCount: Int32, _ offset: Int32
) -> Int32 {
  guard let state = UnsafeMutablePointer<BlobState>(blob) else { return SQLITE_MISUSE }
  return state.conclude { blob throws(SQLError) in
    guard byteCount >= 0 else { throw SQLError(.error) }
    try blob.writeLocked(
      UnsafeRawBufferPointer(start: bytes, count: Int(byteCount)), at: Int(offset))
  }
}
