// Results of functions, and columns of virtual tables (c3ref/result_blob, c3ref/result_subtype).
//
// Bytes are copied, and the program's destructor is called at once.
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_result_null(_ context: OpaquePointer!) {
  ContextHandle(context)?.pointee.result.setNull()
}

@c @implementation
public func sqlite3_result_int(_ context: OpaquePointer!, _ value: Int32) {
  ContextHandle(context)?.pointee.result.set(Int64(value))
}

@c @implementation
public func sqlite3_result_int64(_ context: OpaquePointer!, _ value: sqlite3_int64) {
  ContextHandle(context)?.pointee.result.set(value)
}

@c @implementation
public func sqlite3_result_double(_ context: OpaquePointer!, _ value: Double) {
  ContextHandle(context)?.pointee.result.set(value)
}

@c @implementation
public func sqlite3_result_subtype(_ context: OpaquePointer!, _ subtype: UInt32) {
  ContextHandle(context)?.pointee.result.setSubtype(UInt8(truncatingIfNeeded: subtype))
}

@c @implementation
public func sqlite3_result_value(_ context: OpaquePointer!, _ value: OpaquePointer!) {
  guard let value = ValueHandle(value) else { return sqlite3_result_null(context) }
  set(context) { result throws(SQLError) in try result.set(value.pointee.source) }
}

// MARK: - Text

@c @implementation
public func sqlite3_result_text(
  _ context: OpaquePointer!, _ text: UnsafePointer<CChar>!, _ byteCount: Int32,
  _ destroy: Destructor!
) {
  setText(context, text, Int(byteCount), .utf8, destroy)
}

@c @implementation
public func sqlite3_result_text64(
  _ context: OpaquePointer!, _ text: UnsafePointer<CChar>!, _ byteCount: sqlite3_uint64,
  _ destroy: Destructor!, _ encoding: UInt8
) {
  guard let known = TextEncoding(textCode: Int32(encoding)) else {
    return finish(text, destroy)
  }
  setText(context, text, Int(clamping: byteCount), known, destroy)
}

@c @implementation
public func sqlite3_result_text16(
  _ context: OpaquePointer!, _ text: UnsafeRawPointer!, _ byteCount: Int32,
  _ destroy: Destructor!
) {
  setText(context, text, Int(byteCount), .native16, destroy)
}

@c @implementation
public func sqlite3_result_text16le(
  _ context: OpaquePointer!, _ text: UnsafeRawPointer!, _ byteCount: Int32,
  _ destroy: Destructor!
) {
  setText(context, text, Int(byteCount), .utf16LittleEndian, destroy)
}

@c @implementation
public func sqlite3_result_text16be(
  _ context: OpaquePointer!, _ text: UnsafeRawPointer!, _ byteCount: Int32,
  _ destroy: Destructor!
) {
  setText(context, text, Int(byteCount), .utf16BigEndian, destroy)
}

/// A byte count below 0 means up to the zero.
private func setText(
  _ context: OpaquePointer?, _ text: UnsafeRawPointer?, _ byteCount: Int,
  _ encoding: TextEncoding, _ destroy: Destructor?
) {
  guard let text else { return sqlite3_result_null(context) }
  let count = byteCount < 0 ? length(text, encoding) : byteCount
  set(context) { result throws(SQLError) in
    try result.set(text: UnsafeRawBufferPointer(start: text, count: count), encoding: encoding)
  }
  finish(text, destroy)
}

// MARK: - Blobs

@c @implementation
public func sqlite3_result_blob(
  _ context: OpaquePointer!, _ blob: UnsafeRawPointer!, _ byteCount: Int32,
  _ destroy: Destructor!
) {
  setBlob(context, blob, Int(byteCount), destroy)
}

@c @implementation
public func sqlite3_result_blob64(
  _ context: OpaquePointer!, _ blob: UnsafeRawPointer!, _ byteCount: sqlite3_uint64,
  _ destroy: Destructor!
) {
  setBlob(context, blob, Int(clamping: byteCount), destroy)
}

private func setBlob(
  _ context: OpaquePointer?, _ blob: UnsafeRawPointer?, _ byteCount: Int, _ destroy: Destructor?
) {
  guard let blob else { return sqlite3_result_null(context) }
  set(context) { result throws(SQLError) in
    try result.set(blob: UnsafeRawBufferPointer(start: blob, count: max(0, byteCount)))
  }
  finish(blob, destroy)
}

@c @implementation
public func sqlite3_result_zeroblob(_ context: OpaquePointer!, _ byteCount: Int32) {
  sqlite3_result_zeroblob64(context, sqlite3_uint64(max(0, byteCount)))
}

@discardableResult
@c @implementation
public func sqlite3_result_zeroblob64(
  _ context: OpaquePointer!, _ byteCount: sqlite3_uint64
) -> Int32 {
  set(context) { result throws(SQLError) in
    try result.set(zeroBlobCount: Int(clamping: byteCount))
  }
}

// MARK: - Errors

/// Sets a result, or the error that it is too big or that there is no memory.
@discardableResult
private func set(
  _ context: OpaquePointer?, _ body: (ResultPlace) throws(SQLError) -> Void
) -> Int32 {
  guard let context = ContextHandle(context) else { return SQLITE_MISUSE }
  do throws(SQLError) {
    try body(context.pointee.result)
    return SQLITE_OK
  } catch {
    context.fail(error.code.rawValue)
    return error.code.rawValue
  }
}

extension ContextHandle {
  /// The function fails with the standard text of a code.
  func fail(_ code: Int32) {
    pointee.error = code
    pointee.result.setNull()
    guard let text = sqlite3_errstr(code) else { return }
    setMessage(UnsafeRawBufferPointer(start: text, count: strlen(text)), .utf8)
  }

  fileprivate func setMessage(_ text: UnsafeRawBufferPointer, _ encoding: TextEncoding) {
    do throws(SQLError) {
      try pointee.result.set(text: text, encoding: encoding)
    } catch {
      pointee.error = error.code.rawValue
      pointee.isOutOfMemory = error.code == .outOfMemory
      pointee.result.setNull()
    }
  }
}

@c @implementation
public func sqlite3_result_error(
  _ context: OpaquePointer!, _ message: UnsafePointer<CChar>!, _ byteCount: Int32
) {
  fail(context, message, Int(byteCount), .utf8)
}

@c @implementation
public func sqlite3_result_error16(
  _ context: OpaquePointer!, _ message: UnsafeRawPointer!, _ byteCount: Int32
) {
  fail(context, message, Int(byteCount), .native16)
}

private func fail(
  _ context: OpaquePointer?, _ message: UnsafeRawPointer?, _ byteCount: Int,
  _ encoding: TextEncoding
) {
  guard let context = ContextHandle(context) else { return }
  context.pointee.error = SQLITE_ERROR
  guard let message else { return context.pointee.result.setNull() }
  let count = byteCount < 0 ? length(message, encoding) : byteCount
  context.setMessage(UnsafeRawBufferPointer(start: message, count: count), encoding)
}

/// The message stays what it is, if there is one.
@c @implementation
public func sqlite3_result_error_code(_ context: OpaquePointer!, _ code: Int32) {
  guard let context = ContextHandle(context) else { return }
  guard context.pointee.result.value.type != .null else {
    context.fail(code)
    if code == SQLITE_OK { context.pointee.error = -1 }
    return
  }
  context.pointee.error = code == SQLITE_OK ? -1 : code
}

@c @implementation
public func sqlite3_result_error_toobig(_ context: OpaquePointer!) {
  ContextHandle(context)?.fail(SQLITE_TOOBIG)
}

/// Whatever the function says afterwards, the statement is out of memory.
@c @implementation
public func sqlite3_result_error_nomem(_ context: OpaquePointer!) {
  guard let context = ContextHandle(context) else { return }
  context.fail(SQLITE_NOMEM)
  context.pointee.isOutOfMemory = true
}
