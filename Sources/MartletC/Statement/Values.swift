// Values: arguments of functions, columns, copies (c3ref/value_blob, c3ref/value_dup …).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_value_type(_ value: OpaquePointer!) -> Int32 {
  guard let value = ValueHandle(value) else { return SQLITE_NULL }
  return code(of: value.pointee.source.type)
}

@c @implementation
public func sqlite3_value_numeric_type(_ value: OpaquePointer!) -> Int32 {
  guard let value = ValueHandle(value) else { return SQLITE_NULL }
  return code(of: value.pointee.source.numericType)
}

@c @implementation
public func sqlite3_value_int(_ value: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: sqlite3_value_int64(value))
}

@c @implementation
public func sqlite3_value_int64(_ value: OpaquePointer!) -> sqlite3_int64 {
  ValueHandle(value)?.pointee.source.int64 ?? 0
}

@c @implementation
public func sqlite3_value_double(_ value: OpaquePointer!) -> Double {
  ValueHandle(value)?.pointee.source.double ?? 0
}

@c @implementation
public func sqlite3_value_text(_ value: OpaquePointer!) -> UnsafePointer<UInt8>! {
  guard let text = ValueHandle(value)?.text(.utf8) else { return nil }
  return UnsafePointer(text.assumingMemoryBound(to: UInt8.self))
}

@c @implementation
public func sqlite3_value_text16(_ value: OpaquePointer!) -> UnsafeRawPointer! {
  text16(value, .native16)
}

@c @implementation
public func sqlite3_value_text16le(_ value: OpaquePointer!) -> UnsafeRawPointer! {
  text16(value, .utf16LittleEndian)
}

@c @implementation
public func sqlite3_value_text16be(_ value: OpaquePointer!) -> UnsafeRawPointer! {
  text16(value, .utf16BigEndian)
}

private func text16(_ value: OpaquePointer?, _ encoding: TextEncoding) -> UnsafeRawPointer? {
  ValueHandle(value)?.text(encoding).map { UnsafeRawPointer($0) }
}

@c @implementation
public func sqlite3_value_blob(_ value: OpaquePointer!) -> UnsafeRawPointer! {
  ValueHandle(value)?.blob().map { UnsafeRawPointer($0) }
}

@c @implementation
public func sqlite3_value_bytes(_ value: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: ValueHandle(value)?.byteCount(.utf8) ?? 0)
}

@c @implementation
public func sqlite3_value_bytes16(_ value: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: ValueHandle(value)?.byteCount(.native16) ?? 0)
}

@c @implementation
public func sqlite3_value_encoding(_ value: OpaquePointer!) -> Int32 {
  guard let value = ValueHandle(value) else { return SQLITE_UTF8 }
  switch value.pointee.content {
  case .nothing: return Int32(value.pointee.source.encoding.rawValue)
  case .utf8: return SQLITE_UTF8
  case .utf16LittleEndian: return SQLITE_UTF16LE
  case .utf16BigEndian: return SQLITE_UTF16BE
  }
}

@c @implementation
public func sqlite3_value_nochange(_ value: OpaquePointer!) -> Int32 {
  ValueHandle(value)?.pointee.source.isUnchanged ?? false ? 1 : 0
}

@c @implementation
public func sqlite3_value_frombind(_ value: OpaquePointer!) -> Int32 {
  ValueHandle(value)?.pointee.source.isFromBind ?? false ? 1 : 0
}

@c @implementation
public func sqlite3_value_subtype(_ value: OpaquePointer!) -> UInt32 {
  UInt32(ValueHandle(value)?.pointee.source.subtype ?? 0)
}

// MARK: - Copies

@c @implementation
public func sqlite3_value_dup(_ value: OpaquePointer!) -> OpaquePointer! {
  guard let value = ValueHandle(value),
    let memory = malloc(MemoryLayout<ValueState>.stride)
  else { return nil }
  do throws(SQLError) {
    let copy = memory.bindMemory(to: ValueState.self, capacity: 1)
    copy.initialize(to: ValueState(try value.pointee.source.copy()))
    copy.pointee.isCopy = true
    return copy.opaque
  } catch {
    free(memory)
    return nil
  }
}

/// Frees a copy; other values belong to the library and stay.
@c @implementation
public func sqlite3_value_free(_ value: OpaquePointer!) {
  guard let value = ValueHandle(value), value.pointee.isCopy else { return }
  value.pointee.text.deallocate()
  value.pointee.source.deallocate()
  free(value)
}

/// What stands for columns that do not exist.
nonisolated(unsafe) let nullValue: ValueHandle = {
  let value = ValueHandle.allocate(capacity: 1)
  value.initialize(to: ValueState(.lastingNull))
  return value
}()
