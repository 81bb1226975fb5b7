// Parameters of statements (c3ref/bind_blob, c3ref/bind_parameter_count …).
//
// What is bound is copied, and the program's destructor is called at once.
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_bind_null(_ statement: OpaquePointer!, _ index: Int32) -> Int32 {
  bind(statement) { (target) throws(SQLError) in
    try target.bindNull(at: Int(index))
  }
}

@c @implementation
public func sqlite3_bind_int(
  _ statement: OpaquePointer!, _ index: Int32, _ value: Int32
) -> Int32 {
  bind(statement) { (target) throws(SQLError) in
    try target.bind(Int64(value), at: Int(index))
  }
}

@c @implementation
public func sqlite3_bind_int64(
  _ statement: OpaquePointer!, _ index: Int32, _ value: sqlite3_int64
) -> Int32 {
  bind(statement) { (target) throws(SQLError) in
    try target.bind(value, at: Int(index))
  }
}

@c @implementation
public func sqlite3_bind_double(
  _ statement: OpaquePointer!, _ index: Int32, _ value: Double
) -> Int32 {
  bind(statement) { (target) throws(SQLError) in
    try target.bind(value, at: Int(index))
  }
}

@c @implementation
public func sqlite3_bind_text(
  _ statement: OpaquePointer!, _ index: Int32, _ text: UnsafePointer<CChar>!, _ byteCount: Int32,
  _ destroy: Destructor!
) -> Int32 {
  bindText(statement, index, text, Int(byteCount), .utf8, destroy)
}

@c @implementation
public func sqlite3_bind_text16(
  _ statement: OpaquePointer!, _ index: Int32, _ text: UnsafeRawPointer!, _ byteCount: Int32,
  _ destroy: Destructor!
) -> Int32 {
  bindText(statement, index, text, Int(byteCount), .native16, destroy)
}

@c @implementation
public func sqlite3_bind_text64(
  _ statement: OpaquePointer!, _ index: Int32, _ text: UnsafePointer<CChar>!,
  _ byteCount: sqlite3_uint64, _ destroy: Destructor!, _ encoding: UInt8
) -> Int32 {
  // Programs give -1 for a text that ends at a zero here, too.
  let count = Int(Int64(bitPattern: byteCount))
  guard let known = TextEncoding(textCode: Int32(encoding)) else {
    finish(text, destroy)
    return SQLITE_MISUSE
  }
  return bindText(statement, index, text, count, known, destroy)
}

@c @implementation
public func sqlite3_bind_blob(
  _ statement: OpaquePointer!, _ index: Int32, _ blob: UnsafeRawPointer!, _ byteCount: Int32,
  _ destroy: Destructor!
) -> Int32 {
  bindBlob(statement, index, blob, Int(byteCount), destroy)
}

@c @implementation
public func sqlite3_bind_blob64(
  _ statement: OpaquePointer!, _ index: Int32, _ blob: UnsafeRawPointer!,
  _ byteCount: sqlite3_uint64, _ destroy: Destructor!
) -> Int32 {
  bindBlob(statement, index, blob, Int(clamping: byteCount), destroy)
}

@c @implementation
public func sqlite3_bind_zeroblob(
  _ statement: OpaquePointer!, _ index: Int32, _ byteCount: Int32
) -> Int32 {
  bind(statement) { (target) throws(SQLError) in
    try target.bind(zeroBlobCount: Int(byteCount), at: Int(index))
  }
}

@c @implementation
public func sqlite3_bind_zeroblob64(
  _ statement: OpaquePointer!, _ index: Int32, _ byteCount: sqlite3_uint64
) -> Int32 {
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  // Of one that is too long, the connection is told nothing.
  if let engine = handle.core.engine, byteCount > engine.limit(.length) { return SQLITE_TOOBIG }
  return bind(statement) { (target) throws(SQLError) in
    try target.bind(zeroBlobCount: Int(clamping: byteCount), at: Int(index))
  }
}

@c @implementation
public func sqlite3_bind_value(
  _ statement: OpaquePointer!, _ index: Int32, _ value: OpaquePointer!
) -> Int32 {
  guard let value = ValueHandle(value) else { return sqlite3_bind_null(statement, index) }
  return bind(statement) { (target) throws(SQLError) in
    try target.bind(value.pointee.source, at: Int(index))
  }
}

@inline(__always)
func bind(
  _ statement: OpaquePointer?, _ body: (Statement) throws(SQLError) -> Void
) -> Int32 {
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  return handle.locked {
    // One that is at its end must be reset, too, before anything is bound.
    guard !handle.pointee.hasEnded else {
      return handle.pointee.connection.fail(SQLITE_MISUSE)
    }
    do throws(SQLError) {
      try handle.pointee.object.lend(body)
      return handle.pointee.connection.note(SQLITE_OK)
    } catch {
      // That the statement runs is told to nobody but the log.
      return handle.pointee.connection.fail(error.code.rawValue)
    }
  }
}

private func bindText(
  _ statement: OpaquePointer?, _ index: Int32, _ text: UnsafeRawPointer?, _ byteCount: Int,
  _ encoding: TextEncoding, _ destroy: Destructor?
) -> Int32 {
  defer { finish(text, destroy) }
  guard let text else { return sqlite3_bind_null(statement, index) }
  let count = byteCount >= 0 ? byteCount : length(text, encoding)
  return bind(statement) { (target) throws(SQLError) in
    let bytes = UnsafeRawBufferPointer(start: text, count: count)
    if encoding == .utf8 { return try target.bind(text: bytes, at: Int(index)) }
    try target.bind(text: bytes, encoding: encoding, at: Int(index))
  }
}

private func bindBlob(
  _ statement: OpaquePointer?, _ index: Int32, _ blob: UnsafeRawPointer?, _ byteCount: Int,
  _ destroy: Destructor?
) -> Int32 {
  defer { finish(blob, destroy) }
  guard byteCount >= 0 else { return SQLITE_MISUSE }
  guard let blob else { return sqlite3_bind_null(statement, index) }
  return bind(statement) { (target) throws(SQLError) in
    try target.bind(blob: UnsafeRawBufferPointer(start: blob, count: byteCount), at: Int(index))
  }
}

@c @implementation
public func sqlite3_clear_bindings(_ statement: OpaquePointer!) -> Int32 {
  guard let handle = StatementHandle(statement) else { return SQLITE_MISUSE }
  handle.core.enter()
  defer { handle.core.leave() }
  handle.pointee.statement.clearBindings()
  return SQLITE_OK
}

// MARK: - Names

@c @implementation
public func sqlite3_bind_parameter_count(_ statement: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: StatementHandle(statement)?.pointee.statement.parameterCount ?? 0)
}

@c @implementation
public func sqlite3_bind_parameter_name(
  _ statement: OpaquePointer!, _ index: Int32
) -> UnsafePointer<CChar>! {
  guard let handle = StatementHandle(statement) else { return nil }
  return handle.locked { handle.parameterName(index) }
}

@c @implementation
public func sqlite3_bind_parameter_index(
  _ statement: OpaquePointer!, _ name: UnsafePointer<CChar>!
) -> Int32 {
  guard let name else { return 0 }
  let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
  return StatementHandle.ask(statement, otherwise: 0) { statement in
    let index = statement.parameterIndex(named: bytes.assumingMemoryBound(to: UInt8.self))
    return Int32(truncatingIfNeeded: index ?? 0)
  }
}
