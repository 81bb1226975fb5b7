// Looking at statements while they run (c3ref/trace_v2, c3ref/profile, c3ref/progress_handler).
//
// What the engine's own statements do is not told: programs have no handles of them.
import CSQLite3
import MartletEngine

typealias TraceCallback =
  @convention(c) (
    UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
  ) -> Int32
typealias TextCallback =
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void
typealias ProfileCallback =
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, sqlite3_uint64) -> Void

/// Who is told of statements: one of `current` and `texts`, and beside it `profile`.
struct Tracing: @unchecked Sendable {
  var events: TraceEvents = []
  var current: TraceCallback?
  /// That of `sqlite3_trace`.
  var texts: TextCallback?
  var data: UnsafeMutableRawPointer?
  /// That of `sqlite3_profile`.
  var profile: ProfileCallback?
  var profileData: UnsafeMutableRawPointer?
}

extension ConnectionHandle {
  fileprivate func trace(_ change: (inout Tracing) -> Void) {
    guard let engine = core.engine else { return }
    engine.enter()
    defer { engine.leave() }
    change(&core.hookData.tracing)
    let tracing = core.hookData.tracing
    var events = tracing.current == nil ? [] : tracing.events
    if tracing.texts != nil { events.insert(.statement) }
    if tracing.profile != nil { events.insert(.profile) }
    guard !events.isEmpty else { return engine.trace([], nil) }
    nonisolated(unsafe) let connection = self
    engine.trace(events) { event in tracing.tell(event, of: connection) }
  }
}

extension Tracing {
  fileprivate func tell(_ event: TraceEvent, of connection: ConnectionHandle) {
    switch event {
    case .statement(let statement): start(statement)
    case .comment(let text, let statement):
      guard let owner = statement.owner else { return }
      tell(SQLITE_TRACE_STMT, owner, text)
      texts?(data, text)
    case .profile(let statement, let nanoseconds):
      guard let handle = StatementHandle(statement) else { return }
      var time = sqlite3_int64(nanoseconds)
      if events.contains(.profile) {
        _ = current?(UInt32(SQLITE_TRACE_PROFILE), data, UnsafeMutableRawPointer(handle), &time)
      }
      // The program may have finalized it.
      guard let handle = StatementHandle(statement) else { return }
      profile?(profileData, handle.pointee.sql, sqlite3_uint64(nanoseconds))
    case .row(let statement):
      guard let handle = StatementHandle(statement), events.contains(.row),
        sqlite3_stmt_isexplain(handle.opaque) == 0
      else { return }
      _ = current?(UInt32(SQLITE_TRACE_ROW), data, UnsafeMutableRawPointer(handle), nil)
    case .close:
      guard events.contains(.close) else { return }
      _ = current?(
        UInt32(SQLITE_TRACE_CLOSE), data, UnsafeMutableRawPointer(connection), nil)
    }
  }

  /// EXPLAIN does not start what it explains. A statement that a function runs is told as a
  /// comment.
  private func start(_ statement: TracedStatement) {
    guard let handle = StatementHandle(statement),
      sqlite3_stmt_isexplain(handle.opaque) == 0
    else { return }
    let owner = UnsafeMutableRawPointer(handle)
    if statement.isNested {
      tell(SQLITE_TRACE_STMT, owner, "-- \(String(fileName: handle.pointee.sql))")
    } else if events.contains(.statement) {
      _ = current?(
        UInt32(SQLITE_TRACE_STMT), data, owner, UnsafeMutableRawPointer(handle.pointee.sql))
    }
    texts?(data, handle.expandedSQL)
  }

  private func tell(_ event: Int32, _ owner: UnsafeMutableRawPointer, _ text: String) {
    guard events.contains(.statement), let current else { return }
    text.withFileName {
      _ = current(UInt32(event), data, owner, UnsafeMutableRawPointer(mutating: $0))
    }
  }
}

extension StatementHandle {
  fileprivate init?(_ statement: TracedStatement) {
    guard let owner = statement.owner else { return nil }
    self.init(OpaquePointer(owner))
  }
}

@c @implementation
public func sqlite3_trace_v2(
  _ database: OpaquePointer!, _ events: UInt32,
  _ callback: (
    @convention(c) (
      UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Int32
  )!, _ data: UnsafeMutableRawPointer!
) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  handle.trace { tracing in
    tracing = Tracing(
      events: TraceEvents(rawValue: Int32(events & 15)), current: events == 0 ? nil : callback,
      data: data, profileData: tracing.profileData)
  }
  return SQLITE_OK
}

@c @implementation
public func sqlite3_trace(
  _ database: OpaquePointer!,
  _ callback: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void)!,
  _ data: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! {
  var old: UnsafeMutableRawPointer?
  ConnectionHandle(database)?.trace { tracing in
    old = tracing.data
    tracing = Tracing(texts: callback, data: data, profileData: tracing.profileData)
  }
  return old
}

@c @implementation
public func sqlite3_profile(
  _ database: OpaquePointer!,
  _ callback: (
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, sqlite3_uint64) -> Void
  )!, _ data: UnsafeMutableRawPointer!
) -> UnsafeMutableRawPointer! {
  var old: UnsafeMutableRawPointer?
  ConnectionHandle(database)?.trace { tracing in
    old = tracing.profileData
    tracing.texts = nil
    tracing.profile = callback
    tracing.profileData = data
  }
  return old
}

@c @implementation
public func sqlite3_progress_handler(
  _ database: OpaquePointer!, _ instructionCount: Int32,
  _ callback: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)!,
  _ data: UnsafeMutableRawPointer!
) {
  nonisolated(unsafe) let data = data
  guard let engine = engine(database) else { return }
  guard let callback else { return engine.setProgressHandler(every: 0, nil) }
  engine.setProgressHandler(every: Int(instructionCount)) { callback(data) != 0 }
}
