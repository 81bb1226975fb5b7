// Checkpoints of a write-ahead log (c3ref/wal_checkpoint_v2, c3ref/wal_hook): no database is in WAL
// mode, so these answer what SQLite answers for one that is not.
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
  // Nothing is checkpointed within a transaction.
  if let state = engine.transactionState(of: name), state.rawValue != SQLITE_TXN_NONE {
    return handle.fail(SQLITE_LOCKED)
  }
  return handle.clear()
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
  engine.checkpointInterval = Int(max(pageCount, 0))
  handle.core.walHookArgument = UnsafeMutableRawPointer(bitPattern: Int(max(pageCount, 0)))
  return SQLITE_OK
}

/// The hook is never called; what it was to be called with is given back to the next.
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
  let old = handle.core.walHookArgument
  handle.core.walHookArgument = argument
  engine.checkpointInterval = 0
  return old
}
