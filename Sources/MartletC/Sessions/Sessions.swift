// Recording changes (session, sqlite3session_…).
import CSQLite3
import MartletEngine
import MartletSession

/// What `sqlite3_session *` points to.
struct SessionState {
  var mark = HandleMark.session.rawValue
  let session: Session
  let connection: ConnectionHandle
}

private let sessionMemory = HandleMemory<SessionState>(minimumQueueCount: 16)

private func state(_ session: OpaquePointer?) -> UnsafeMutablePointer<SessionState>? {
  live(session, .session, as: SessionState.self)
}

@c @implementation
public func sqlite3session_create(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!,
  _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  guard let result else { return SQLITE_MISUSE }
  result.pointee = nil
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine,
    let name = string(name)
  else { return SQLITE_MISUSE }
  guard let state = sessionMemory.allocate() else { return SQLITE_NOMEM }
  state.initialize(
    to: SessionState(session: Session(engine, database: name), connection: handle))
  result.pointee = OpaquePointer(state)
  return SQLITE_OK
}

@c @implementation
public func sqlite3session_delete(_ session: OpaquePointer!) {
  guard let state = state(session) else { return }
  state.deinitialize(count: 1)
  sessionMemory.free(state)
}

@c @implementation
public func sqlite3session_object_config(
  _ session: OpaquePointer!, _ option: Int32, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  guard let session = state(session)?.pointee.session, let argument else { return SQLITE_MISUSE }
  let value = argument.assumingMemoryBound(to: Int32.self)
  let wanted = value.pointee
  return resultCode { () throws(SQLError) in
    switch option {
    case SQLITE_SESSION_OBJCONFIG_SIZE:
      defer { value.pointee = session.isCountingSize ? 1 : 0 }
      if wanted >= 0 { try session.setCountsSize(wanted != 0) }
    case SQLITE_SESSION_OBJCONFIG_ROWID:
      defer { value.pointee = session.isRecordingRowIDs ? 1 : 0 }
      if wanted >= 0 { try session.setRecordsRowIDs(wanted != 0) }
    default: throw SQLError(.misuse)
    }
  }
}

@c @implementation
public func sqlite3session_enable(_ session: OpaquePointer!, _ isOn: Int32) -> Int32 {
  guard let session = state(session)?.pointee.session else { return 0 }
  if isOn >= 0 { session.isEnabled = isOn != 0 }
  return session.isEnabled ? 1 : 0
}

@c @implementation
public func sqlite3session_indirect(_ session: OpaquePointer!, _ isOn: Int32) -> Int32 {
  guard let session = state(session)?.pointee.session else { return 0 }
  if isOn >= 0 { session.isIndirect = isOn != 0 }
  return session.isIndirect ? 1 : 0
}

@c @implementation
public func sqlite3session_attach(
  _ session: OpaquePointer!, _ table: UnsafePointer<CChar>!
) -> Int32 {
  guard let session = state(session)?.pointee.session else { return SQLITE_MISUSE }
  session.attach(string(table))
  return SQLITE_OK
}

@c @implementation
public func sqlite3session_table_filter(
  _ session: OpaquePointer!,
  _ filter: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32)!,
  _ argument: UnsafeMutableRawPointer!
) {
  guard let session = state(session)?.pointee.session else { return }
  guard let filter else { return session.attach(where: nil) }
  nonisolated(unsafe) let argument = argument
  session.attach { table in table.withFileName { filter(argument, $0) } != 0 }
}

@c @implementation
public func sqlite3session_isempty(_ session: OpaquePointer!) -> Int32 {
  state(session)?.pointee.session.isEmpty == false ? 0 : 1
}

@c @implementation
public func sqlite3session_memory_used(_ session: OpaquePointer!) -> sqlite3_int64 {
  sqlite3_int64(state(session)?.pointee.session.memoryUsed ?? 0)
}

@c @implementation
public func sqlite3session_changeset_size(_ session: OpaquePointer!) -> sqlite3_int64 {
  sqlite3_int64(state(session)?.pointee.session.changesetSize ?? 0)
}

@c @implementation
public func sqlite3session_diff(
  _ session: OpaquePointer!, _ database: UnsafePointer<CChar>!, _ table: UnsafePointer<CChar>!,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 {
  message?.pointee = nil
  guard let session = state(session)?.pointee.session, let database = string(database),
    let table = string(table)
  else { return SQLITE_MISUSE }
  do throws(SQLError) {
    try session.diff(from: database, table: table)
    return SQLITE_OK
  } catch {
    message?.pointee = CMemory.copy(error.message)
    return error.code.rawValue
  }
}

// MARK: - Changesets

@c @implementation
public func sqlite3session_changeset(
  _ session: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  give(session, count, memory) { session throws(SQLError) in try session.changeset() }
}

@c @implementation
public func sqlite3session_patchset(
  _ session: OpaquePointer!, _ count: UnsafeMutablePointer<Int32>!,
  _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> Int32 {
  give(session, count, memory) { session throws(SQLError) in try session.patchset() }
}

private func give(
  _ session: OpaquePointer?, _ count: UnsafeMutablePointer<Int32>?,
  _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ make: (Session) throws(SQLError) -> Changeset
) -> Int32 {
  guard let result = BlobResult(count, memory), let session = state(session)?.pointee.session
  else { return SQLITE_MISUSE }
  return resultCode { () throws(SQLError) in try result.give(try make(session).bytes) }
}

@c @implementation
public func sqlite3session_changeset_strm(
  _ session: OpaquePointer!, _ output: StreamOutput!, _ argument: UnsafeMutableRawPointer!
) -> Int32 { write(session, isPatchset: false, output, argument) }

@c @implementation
public func sqlite3session_patchset_strm(
  _ session: OpaquePointer!, _ output: StreamOutput!, _ argument: UnsafeMutableRawPointer!
) -> Int32 { write(session, isPatchset: true, output, argument) }

private func write(
  _ session: OpaquePointer?, isPatchset: Bool, _ output: StreamOutput?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let session = state(session)?.pointee.session else { return SQLITE_MISUSE }
  return resultCode { () throws(SQLError) in
    try session.write(
      isPatchset: isPatchset, chunkSize: Streams.currentChunkSize,
      try Streams.output(output, argument))
  }
}
