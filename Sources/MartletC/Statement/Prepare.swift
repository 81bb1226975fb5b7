// From SQL to statements and to their end (c3ref/prepare, c3ref/finalize, c3ref/next_stmt).
import CSQLite3
import MartletEngine

typealias StatementPlace = UnsafeMutablePointer<OpaquePointer?>
typealias TailPlace = UnsafeMutablePointer<UnsafePointer<CChar>?>
typealias Tail16Place = UnsafeMutablePointer<UnsafeRawPointer?>

@c @implementation
public func sqlite3_prepare(
  _ database: OpaquePointer!, _ sql: UnsafePointer<CChar>!, _ byteCount: Int32,
  _ statement: UnsafeMutablePointer<OpaquePointer?>!,
  _ tail: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> Int32 {
  prepare(database, sql, byteCount, 0, statement, tail, isLegacy: true)
}

@c @implementation
public func sqlite3_prepare_v2(
  _ database: OpaquePointer!, _ sql: UnsafePointer<CChar>!, _ byteCount: Int32,
  _ statement: UnsafeMutablePointer<OpaquePointer?>!,
  _ tail: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> Int32 {
  prepare(database, sql, byteCount, 0, statement, tail)
}

@c @implementation
public func sqlite3_prepare_v3(
  _ database: OpaquePointer!, _ sql: UnsafePointer<CChar>!, _ byteCount: Int32, _ flags: UInt32,
  _ statement: UnsafeMutablePointer<OpaquePointer?>!,
  _ tail: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> Int32 {
  prepare(database, sql, byteCount, flags, statement, tail)
}

private func prepare(
  _ database: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ byteCount: Int32, _ flags: UInt32,
  _ statement: StatementPlace?, _ tail: TailPlace?, isLegacy: Bool = false
) -> Int32 {
  guard let statement else { return SQLITE_MISUSE }
  statement.pointee = nil
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine, let sql,
    !handle.core.isZombie
  else { return SQLITE_MISUSE }
  let start = UnsafeRawPointer(sql).assumingMemoryBound(to: UInt8.self)
  engine.enter()
  defer { engine.leave() }
  var rest: Int?
  do throws(SQLError) {
    let prepared = try engine.prepare(
      cString: start, byteLimit: byteCount < 0 ? nil : Int(byteCount),
      options: options(flags), rest: &rest)
    if let rest { tail?.pointee = sql + rest }
    guard let prepared else { return handle.clearAll() }
    let text = UnsafeBufferPointer(start: start, count: rest ?? 0)
    let made = try StatementHandle.make(prepared, text, flags: flags, of: handle)
    made.pointee.isLegacy = isLegacy
    for string in prepared.doubleQuotedStrings {
      Library.log(.warning, "double-quoted string literal: \(string)")
    }
    statement.pointee = made.opaque
    return handle.clearAll()
  } catch {
    if let rest { tail?.pointee = sql + rest }
    if flags & UInt32(SQLITE_PREPARE_DONT_LOG) == 0 {
      Library.log(error.code, "\(error.message) in \"\(logged(sql, byteCount))\"")
    }
    return handle.fail(error)
  }
}

/// As much of a text as a message of the log has room for.
private func logged(_ sql: UnsafePointer<CChar>, _ byteCount: Int32) -> String {
  let room = Library.logBufferSize
  let count = strnlen(sql, byteCount < 0 ? room : min(room, Int(byteCount)))
  return String(fileNameBytes: UnsafeRawBufferPointer(start: sql, count: count))
}

private func options(_ flags: UInt32) -> PrepareOptions {
  var options: PrepareOptions = []
  if flags & UInt32(SQLITE_PREPARE_NO_VTAB) != 0 { options.insert(.refusesVirtualTables) }
  if flags & UInt32(SQLITE_PREPARE_FROM_DDL) != 0 { options.insert(.isFromSchema) }
  return options
}

// MARK: - UTF-16

@c @implementation
public func sqlite3_prepare16(
  _ database: OpaquePointer!, _ sql: UnsafeRawPointer!, _ byteCount: Int32,
  _ statement: UnsafeMutablePointer<OpaquePointer?>!,
  _ tail: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Int32 {
  prepare16(database, sql, byteCount, 0, statement, tail, isLegacy: true)
}

@c @implementation
public func sqlite3_prepare16_v2(
  _ database: OpaquePointer!, _ sql: UnsafeRawPointer!, _ byteCount: Int32,
  _ statement: UnsafeMutablePointer<OpaquePointer?>!,
  _ tail: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Int32 {
  prepare16(database, sql, byteCount, 0, statement, tail)
}

@c @implementation
public func sqlite3_prepare16_v3(
  _ database: OpaquePointer!, _ sql: UnsafeRawPointer!, _ byteCount: Int32, _ flags: UInt32,
  _ statement: UnsafeMutablePointer<OpaquePointer?>!,
  _ tail: UnsafeMutablePointer<UnsafeRawPointer?>!
) -> Int32 {
  prepare16(database, sql, byteCount, flags, statement, tail)
}

private func prepare16(
  _ database: OpaquePointer?, _ sql: UnsafeRawPointer?, _ byteCount: Int32, _ flags: UInt32,
  _ statement: StatementPlace?, _ tail: Tail16Place?, isLegacy: Bool = false
) -> Int32 {
  guard let statement else { return SQLITE_MISUSE }
  statement.pointee = nil
  guard let handle = ConnectionHandle(database), let sql else { return SQLITE_MISUSE }
  let units = byteCount < 0 ? length16(sql) : min(Int(byteCount) / 2, length16(sql, Int(byteCount)))
  var text = TerminatedText()
  defer { text.deallocate() }
  do throws(SQLError) {
    try text.set(UnsafeRawBufferPointer(start: sql, count: units * 2), .native16, .utf8)
  } catch {
    return handle.fail(error)
  }
  guard let bytes = text.bytes?.assumingMemoryBound(to: CChar.self) else { return SQLITE_NOMEM }
  var rest: UnsafePointer<CChar>?
  let code = prepare(
    database, bytes, -1, flags, statement, &rest, isLegacy: isLegacy)
  if let tail, let rest {
    tail.pointee = sql + 2 * units16(of: bytes, byteCount: rest - UnsafePointer(bytes))
  }
  return code
}

// MARK: - The end

@c @implementation
public func sqlite3_finalize(_ statement: OpaquePointer!) -> Int32 {
  guard statement != nil else { return SQLITE_OK }
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  let code = handle.locked {
    // A function or hook ends the statement that calls it: the step has to come out first.
    handle.pointee.endsAfterStep = handle.pointee.object._withUnsafeGuaranteedRef { $0.isStepping }
    return handle.reset()
  }
  if handle.pointee.endsAfterStep { return code }
  handle.destroy()
  return code
}

@c @implementation
public func sqlite3_next_stmt(
  _ database: OpaquePointer!, _ statement: OpaquePointer!
) -> OpaquePointer! {
  guard let handle = ConnectionHandle(database) else { return nil }
  handle.core.enter()
  defer { handle.core.leave() }
  guard statement != nil else { return handle.pointee.newestStatement?.opaque }
  return StatementHandle(statement)?.pointee.older?.opaque
}

@c @implementation
public func sqlite3_db_handle(_ statement: OpaquePointer!) -> OpaquePointer! {
  StatementHandle(statement)?.pointee.connection.opaque
}

// MARK: - What a statement is

@c @implementation
public func sqlite3_sql(_ statement: OpaquePointer!) -> UnsafePointer<CChar>! {
  StatementHandle(statement).map { UnsafePointer($0.pointee.sql) }
}

@c @implementation
public func sqlite3_expanded_sql(_ statement: OpaquePointer!) -> UnsafeMutablePointer<CChar>! {
  guard let handle = StatementHandle(statement), let engine = handle.core.engine else {
    return nil
  }
  let text = handle.locked { handle.expandedSQL }
  guard text.utf8.count <= engine.limit(.length) else { return nil }
  return allocatedCString(text)
}

extension StatementHandle {
  var core: ConnectionCore { pointee.connection.core }

  /// Its text with the values of the parameters in their places.
  var expandedSQL: String {
    pointee.statement.wholeExpandedSQL(byteCount: strlen(pointee.sql))
  }
}

@c @implementation
public func sqlite3_stmt_readonly(_ statement: OpaquePointer!) -> Int32 {
  // No statement changes nothing.
  StatementHandle.ask(statement, otherwise: true) { $0.isReadOnly } ? 1 : 0
}

@c @implementation
public func sqlite3_stmt_isexplain(_ statement: OpaquePointer!) -> Int32 {
  StatementHandle.ask(statement, otherwise: 0) { Int32($0.isExplain) }
}

@c @implementation
public func sqlite3_stmt_busy(_ statement: OpaquePointer!) -> Int32 {
  StatementHandle.ask(statement, otherwise: false) { $0.isBusy } ? 1 : 0
}

@c @implementation
public func sqlite3_stmt_explain(_ statement: OpaquePointer!, _ mode: Int32) -> Int32 {
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  let old = sqlite3_stmt_isexplain(statement)
  guard mode != old else { return SQLITE_OK }
  guard (0...2).contains(mode), !handle.pointee.isLegacy else { return SQLITE_ERROR }
  guard handle.isReady else { return SQLITE_BUSY }
  return handle.pointee.connection.report { _ throws(SQLError) in
    try handle.pointee.statement.explain(Int(mode))
  }
}
