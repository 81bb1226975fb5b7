// Databases as a whole: backups and images (c3ref/backup_finish, c3ref/serialize).
import CSQLite3
import MartletEngine

/// What `sqlite3_backup *` points to.
struct BackupState {
  var mark = HandleMark.backup.rawValue
  let backup: Backup
  let source: ConnectionHandle
  let target: ConnectionHandle
  /// The last error; SQLITE_DONE at the end.
  var code = SQLITE_OK
}

typealias BackupHandle = UnsafeMutablePointer<BackupState>

private let backupMemory = HandleMemory<BackupState>(minimumQueueCount: 16)

@c @implementation
public func sqlite3_backup_init(
  _ target: OpaquePointer!, _ targetName: UnsafePointer<CChar>!, _ source: OpaquePointer!,
  _ sourceName: UnsafePointer<CChar>!
) -> OpaquePointer! {
  guard let target = ConnectionHandle(target), let targetEngine = target.core.engine,
    let source = ConnectionHandle(source), let sourceEngine = source.core.engine
  else { return nil }
  do throws(SQLError) {
    let backup = try Backup(
      from: sourceEngine, database: string(sourceName) ?? "main", to: targetEngine,
      database: string(targetName) ?? "main")
    guard let handle = backupMemory.allocate() else { throw SQLError(.outOfMemory) }
    handle.initialize(to: BackupState(backup: backup, source: source, target: target))
    target.dependentBegins()
    source.dependentBegins()
    return OpaquePointer(handle)
  } catch {
    target.fail(error.code.rawValue, error.message)
    return nil
  }
}

private func state(_ backup: OpaquePointer?) -> BackupHandle? {
  live(backup, .backup, as: BackupState.self)
}

@c @implementation
public func sqlite3_backup_step(_ backup: OpaquePointer!, _ pageCount: Int32) -> Int32 {
  guard let handle = state(backup) else { return SQLITE_MISUSE }
  // After an error that waiting does not mend, there is nothing more to do.
  let earlier = handle.pointee.code & 0xff
  if earlier != SQLITE_OK && earlier != SQLITE_BUSY && earlier != SQLITE_LOCKED {
    return handle.pointee.code
  }
  do throws(SQLError) {
    let isDone = try handle.pointee.backup.step(pageCount: Int(pageCount))
    handle.pointee.code = isDone ? SQLITE_DONE : SQLITE_OK
  } catch {
    handle.pointee.code = error.code.rawValue
  }
  return handle.pointee.code
}

@c @implementation
public func sqlite3_backup_finish(_ backup: OpaquePointer!) -> Int32 {
  guard backup != nil else { return SQLITE_OK }
  guard let handle = state(backup) else { return SQLITE_MISUSE }
  let source = handle.pointee.source, target = handle.pointee.target
  let code = handle.pointee.code == SQLITE_DONE ? SQLITE_OK : handle.pointee.code
  handle.pointee.backup.finish()
  handle.deinitialize(count: 1)
  backupMemory.free(handle)
  target.fail(code)
  source.dependentEnds()
  target.dependentEnds()
  return code
}

@c @implementation
public func sqlite3_backup_remaining(_ backup: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: state(backup)?.pointee.backup.remainingPageCount ?? 0)
}

@c @implementation
public func sqlite3_backup_pagecount(_ backup: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: state(backup)?.pointee.backup.pageCount ?? 0)
}

// MARK: - Images

/// SQLITE_SERIALIZE_NOCOPY gives null but for what sqlite3_deserialize has made: our other databases
/// in memory do not lie in one piece.
@c @implementation
public func sqlite3_serialize(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!,
  _ size: UnsafeMutablePointer<sqlite3_int64>!, _ flags: UInt32
) -> UnsafeMutablePointer<UInt8>! {
  size?.pointee = -1
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    return nil
  }
  var byteCount = -1
  defer { size?.pointee = sqlite3_int64(byteCount) }
  engine.enter()
  defer { engine.leave() }
  do throws(SQLError) {
    let name = string(schema) ?? "main"
    if flags & UInt32(SQLITE_SERIALIZE_NOCOPY) != 0, let bytes = engine.bytes(ofDatabase: name) {
      byteCount = bytes.count
      handle.clearAll()
      return bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
    var image = try engine.serializedImage(database: name, byteCount: &byteCount)
    if image.isEmpty {
      guard byteCount >= 0 else { return nil }
      // A database that is nothing yet begins with this.
      sqlite3_exec(database, "BEGIN IMMEDIATE; COMMIT", nil, nil, nil)
      image = try engine.serializedImage(database: name, byteCount: &byteCount)
    }
    byteCount = image.count
    handle.clearAll()
    guard flags & UInt32(SQLITE_SERIALIZE_NOCOPY) == 0 else {
      sqlite3_free(image.baseAddress)
      return nil
    }
    return image.baseAddress?.assumingMemoryBound(to: UInt8.self)
  } catch {
    return nil
  }
}

@c @implementation
public func sqlite3_deserialize(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!,
  _ data: UnsafeMutablePointer<UInt8>!, _ size: sqlite3_int64, _ capacity: sqlite3_int64,
  _ flags: UInt32
) -> Int32 {
  let freesBytes = flags & UInt32(SQLITE_DESERIALIZE_FREEONCLOSE) != 0
  guard size >= 0, capacity >= 0, let engine = engine(database) else {
    if freesBytes { sqlite3_free(data) }
    return SQLITE_MISUSE
  }
  do throws(SQLError) {
    try engine.deserialize(
      adopting: UnsafeMutableRawBufferPointer(start: data, count: data == nil ? 0 : Int(size)),
      database: string(schema) ?? "main",
      isReadOnly: flags & UInt32(SQLITE_DESERIALIZE_READONLY) != 0,
      capacity: data == nil ? 0 : Int(capacity),
      mayGrow: flags & UInt32(SQLITE_DESERIALIZE_RESIZEABLE) != 0, freesBytes: freesBytes)
    return SQLITE_OK
  } catch {
    // As in C, the connection is told nothing.
    return error.code.rawValue & 0xff
  }
}
