// What went wrong in the last call (c3ref/errcode, c3ref/extended_result_codes).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_errcode(_ database: OpaquePointer!) -> Int32 {
  guard database != nil else { return SQLITE_NOMEM }
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  handle.core.enter()
  defer { handle.core.leave() }
  return handle.shown(handle.pointee.errorCode)
}

@c @implementation
public func sqlite3_extended_errcode(_ database: OpaquePointer!) -> Int32 {
  guard database != nil else { return SQLITE_NOMEM }
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  handle.core.enter()
  defer { handle.core.leave() }
  return handle.pointee.errorCode
}

@c @implementation
public func sqlite3_extended_result_codes(_ database: OpaquePointer!, _ isOn: Int32) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  handle.core.enter()
  defer { handle.core.leave() }
  handle.pointee.hasExtendedCodes = isOn != 0
  handle.core.engine?.hasExtendedCodes = isOn != 0
  return SQLITE_OK
}

@c @implementation
public func sqlite3_errmsg(_ database: OpaquePointer!) -> UnsafePointer<CChar>! {
  guard database != nil else { return sqlite3_errstr(SQLITE_NOMEM) }
  guard let handle = ConnectionHandle(database) else { return sqlite3_errstr(SQLITE_MISUSE) }
  handle.core.enter()
  defer { handle.core.leave() }
  guard let message = handle.message else { return sqlite3_errstr(handle.pointee.errorCode) }
  return message.withTextBytes { bytes in
    handle.keep(bytes, .utf8, \.messageText)
      .map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
      ?? sqlite3_errstr(SQLITE_NOMEM)
  }
}

@c @implementation
public func sqlite3_errmsg16(_ database: OpaquePointer!) -> UnsafeRawPointer! {
  guard let handle = ConnectionHandle(database) else {
    return UnsafeRawPointer(database == nil ? outOfMemory16 : misuse16)
  }
  handle.core.enter()
  defer { handle.core.leave() }
  let message = handle.message ?? String(cString: sqlite3_errstr(handle.pointee.errorCode))
  return message.withTextBytes { bytes in
    UnsafeRawPointer(handle.keep(bytes, .native16, \.messageText16) ?? outOfMemory16)
  }
}

private nonisolated(unsafe) let outOfMemory16 = permanent16("out of memory")
private nonisolated(unsafe) let misuse16 = permanent16("bad parameter or other API misuse")

private func permanent16(_ text: String) -> UnsafeMutableRawPointer {
  let units = Array(text.utf16) + [0]
  let memory = UnsafeMutablePointer<UInt16>.allocate(capacity: units.count)
  memory.initialize(from: units, count: units.count)
  return UnsafeMutableRawPointer(memory)
}

extension ConnectionHandle {
  /// The message of the last error where it has one of its own. The engine's lock is held.
  fileprivate var message: String? {
    pointee.errorCode != SQLITE_OK && pointee.hasMessage ? core.message : nil
  }

  /// Keeps a text until the next of its kind. The engine's lock is held.
  fileprivate func keep(
    _ bytes: UnsafeBufferPointer<UInt8>, _ encoding: TextEncoding,
    _ place: ReferenceWritableKeyPath<ConnectionCore, TerminatedText>
  ) -> UnsafeMutableRawPointer? {
    do throws(SQLError) {
      try core[keyPath: place].set(UnsafeRawBufferPointer(bytes), .utf8, encoding)
    } catch {
      return nil
    }
    return core[keyPath: place].bytes
  }
}

@c @implementation
public func sqlite3_error_offset(_ database: OpaquePointer!) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return -1 }
  handle.core.enter()
  defer { handle.core.leave() }
  return handle.pointee.errorCode == SQLITE_OK ? -1 : handle.pointee.errorOffset
}

@c @implementation
public func sqlite3_set_errmsg(
  _ database: OpaquePointer!, _ code: Int32, _ message: UnsafePointer<CChar>!
) -> Int32 {
  guard let handle = ConnectionHandle(database), handle.core.engine != nil else {
    return SQLITE_MISUSE
  }
  handle.fail(code, string(message))
  return SQLITE_OK
}

@c @implementation
public func sqlite3_system_errno(_ database: OpaquePointer!) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return 0 }
  handle.core.enter()
  defer { handle.core.leave() }
  return handle.core.systemError
}
