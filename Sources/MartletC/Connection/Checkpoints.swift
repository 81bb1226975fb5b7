// Checkpoints of a write-ahead log (c3ref/wal_checkpoint_v2, c3ref/wal_hook).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_wal_checkpoint_v2(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!, _ mode: Int32,
  _ logSize: UnsafeMutablePointer<Int32>!, _ checkpointed: UnsafeMutablePointer<Int32>!
) -> Int32 {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    return SQLITE_MISUSE
  }
  logSize?.pointee = -1
  checkpointed?.pointee = -1
  guard mode >= SQLITE_CHECKPOINT_NOOP && mode <= SQLITE_CHECKPOINT_TRUNCATE else {
    return SQLITE_MISUSE
  }
  let name = string(schema).flatMap { $0.isEmpty ? nil : $0 }
  if let name, engine.transactionState(of: name) == nil {
    return handle.fail(SQLITE_ERROR, "unknown database: \(name)")
  }
  guard let mode = CheckpointMode(rawValue: mode) else { return SQLITE_MISUSE }
  return handle.conclude { (engine) throws(SQLError) in
    let result = try engine.checkpoint(mode, database: name)
    logSize?.pointee = result.frameCount
    checkpointed?.pointee = result.backfillCount
    if result.isBusy { throw SQLError(.busy) }
  }
}

@c @implementation
public func sqlite3_wal_checkpoint(
  _ database: OpaquePointer!, _ schema: UnsafePointer<CChar>!
) -> Int32 {
  sqlite3_wal_checkpoint_v2(database, schema, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
}

/// The number of pages takes the place of the hook, as in SQLite.
@c @implementation
public func sqlite3_wal_autocheckpoint(_ database: OpaquePointer!, _ pageCount: Int32) -> Int32 {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    return SQLITE_MISUSE
  }
  engine.enter()
  defer { engine.leave() }
  engine.setLogHook(nil)
  engine.checkpointInterval = Int(max(pageCount, 0))
  handle.core.walHookArgument = UnsafeMutableRawPointer(bitPattern: Int(max(pageCount, 0)))
  return SQLITE_OK
}

/// Takes the place of the automatic checkpoints; what the earlier hook was called with is given back.
@c @implementation
public func sqlite3_wal_hook(
  _ database: OpaquePointer!,
  _ hook: (
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32)
      -> Int32
  )!, _ argument: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    return nil
  }
  engine.enter()
  defer { engine.leave() }
  let old = handle.core.walHookArgument
  handle.core.walHookArgument = argument
  engine.checkpointInterval = 0
  guard let hook else {
    engine.setLogHook(nil)
    return old
  }
  nonisolated(unsafe) let argument = argument
  nonisolated(unsafe) let database = database
  nonisolated(unsafe) let known = handle
  engine.setLogHook { (name: String, frameCount: Int) throws(SQLError) -> Void in
    let code = name.withFileName { hook(argument, database, $0, Int32(clamping: frameCount)) }
    guard code != SQLITE_OK else { return }
    // The step fails as such, whatever the code: what was committed is not run again.
    known.core.walHookCode = code
    throw SQLError(.error)
  }
  return old
}
