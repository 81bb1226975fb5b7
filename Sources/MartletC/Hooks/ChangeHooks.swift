// What a program is told of changes and of the ends of transactions (c3ref/update_hook,
// c3ref/commit_hook, c3ref/autovacuum_pages).
import CSQLite3
import MartletEngine

/// What programs have given with their hooks: the next one that sets a hook gets it back.
struct HookData {
  var update: UnsafeMutableRawPointer?
  var commit: UnsafeMutableRawPointer?
  var rollback: UnsafeMutableRawPointer?
  var preupdate: UnsafeMutableRawPointer?
  var tracing = Tracing()
}

extension ConnectionHandle {
  /// Keeps the data of a hook, and gives that of the earlier one.
  func exchange(
    _ place: WritableKeyPath<HookData, UnsafeMutableRawPointer?>,
    _ data: UnsafeMutableRawPointer?
  ) -> UnsafeMutableRawPointer? {
    core.enter()
    defer { core.leave() }
    let old = core.hookData[keyPath: place]
    core.hookData[keyPath: place] = data
    return old
  }
}

@c @implementation
public func sqlite3_update_hook(
  _ database: OpaquePointer!,
  _ hook: (
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      sqlite3_int64
    ) -> Void
  )!, _ data: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! {
  guard let handle = ConnectionHandle(database) else { return nil }
  handle.core.engine?.rawUpdateHook = hook.map { RawUpdateHook($0, data) }
  return handle.exchange(\.update, data)
}

@c @implementation
public func sqlite3_commit_hook(
  _ database: OpaquePointer!, _ hook: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)!,
  _ data: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! {
  guard let handle = ConnectionHandle(database) else { return nil }
  nonisolated(unsafe) let data = data
  var asked: (@Sendable () -> Bool)?
  if let hook { asked = { hook(data) != 0 } }
  handle.core.engine?.commitHook = asked
  return handle.exchange(\.commit, data)
}

@c @implementation
public func sqlite3_rollback_hook(
  _ database: OpaquePointer!, _ hook: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!,
  _ data: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! {
  guard let handle = ConnectionHandle(database) else { return nil }
  nonisolated(unsafe) let data = data
  var told: (@Sendable () -> Void)?
  if let hook { told = { hook(data) } }
  handle.core.engine?.rollbackHook = told
  return handle.exchange(\.rollback, data)
}

@c @implementation
public func sqlite3_autovacuum_pages(
  _ database: OpaquePointer!,
  _ hook: (
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UInt32, UInt32, UInt32
    ) -> UInt32
  )!, _ data: UnsafeMutableRawPointer!, _ destroy: Destructor!
) -> Int32 {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    destroy?(data)
    return SQLITE_MISUSE
  }
  nonisolated(unsafe) let data = data
  var asked: Connection.AutoVacuumHook?
  if let hook {
    asked = { database, pageCount, freeCount, pageSize in
      hook(data, database, pageCount, freeCount, pageSize)
    }
  }
  engine.enter()
  defer { engine.leave() }
  engine.autoVacuumHook = asked
  // Its end is that of the earlier hook.
  handle.core.autoVacuumData = CPointer(data, destroy)
  return SQLITE_OK
}

/// There is no shared cache, so nobody is blocked by another connection: the answer is given at
/// once.
@c @implementation
public func sqlite3_unlock_notify(
  _ database: OpaquePointer!,
  _ notify: (
    @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>?, Int32) -> Void
  )!, _ data: UnsafeMutableRawPointer!
) -> Int32 {
  guard ConnectionHandle(database) != nil else { return SQLITE_MISUSE }
  var argument: UnsafeMutableRawPointer? = data
  notify?(&argument, 1)
  return SQLITE_OK
}
