// Text that grows (c3ref/str_append, c3ref/str_errcode): a `sqlite3_str` is a `GrowingText` on the
// heap.
import CSQLite3
import MartletEngine

private typealias Handle = UnsafeMutablePointer<GrowingText>

@inline(__always)
private func builder(_ text: OpaquePointer?) -> Handle? { text.map { Handle($0) } }

@c @implementation
public func sqlite3_str_new(_ db: OpaquePointer!) -> OpaquePointer! {
  guard sqlite3_initialize() == SQLITE_OK, let handle = CMemory.allocate(for: GrowingText.self)
  else { return nil }
  let limit = db == nil ? largestText : Int(sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1))
  handle.initialize(to: GrowingText(limit: limit))
  return OpaquePointer(handle)
}

@c @implementation
public func sqlite3_str_finish(_ text: OpaquePointer!) -> UnsafeMutablePointer<CChar>! {
  guard let handle = builder(text) else { return nil }
  let bytes = handle.pointee.take()
  CMemory.free(handle)
  return bytes.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self) }
}

@c @implementation
public func sqlite3_str_free(_ text: OpaquePointer!) {
  guard let handle = builder(text) else { return }
  handle.pointee.reset()
  CMemory.free(handle)
}

@c @implementation
public func martlet_str_appendf(
  _ text: OpaquePointer!, _ format: UnsafePointer<CChar>!, _ arguments: UnsafeMutableRawPointer!
) {
  guard let handle = builder(text), let format else { return }
  handle.pointee.append(format: bytes(format), VariadicArguments(arguments))
}

@c @implementation
public func sqlite3_str_append(
  _ text: OpaquePointer!, _ added: UnsafePointer<CChar>!, _ count: Int32
) {
  guard let handle = builder(text), let added, count >= 0 else { return }
  let start = UnsafeRawPointer(added).assumingMemoryBound(to: UInt8.self)
  handle.pointee.append(UnsafeBufferPointer(start: start, count: Int(count)))
}

@c @implementation
public func sqlite3_str_appendall(_ text: OpaquePointer!, _ added: UnsafePointer<CChar>!) {
  guard let handle = builder(text), let added else { return }
  handle.pointee.append(bytes(added))
}

@c @implementation
public func sqlite3_str_appendchar(_ text: OpaquePointer!, _ count: Int32, _ character: CChar) {
  guard let handle = builder(text), count >= 0 else { return }
  handle.pointee.append(repeating: UInt8(bitPattern: character), Int(count))
}

/// Begins the text anew; an error stays.
@c @implementation
public func sqlite3_str_reset(_ text: OpaquePointer!) { builder(text)?.pointee.reset() }

@c @implementation
public func sqlite3_str_truncate(_ text: OpaquePointer!, _ count: Int32) {
  guard let handle = builder(text), count >= 0 else { return }
  handle.pointee.truncate(Int(count))
}

@c @implementation
public func sqlite3_str_errcode(_ text: OpaquePointer!) -> Int32 {
  guard let handle = builder(text) else { return SQLITE_NOMEM }
  return handle.pointee.failure?.rawValue ?? SQLITE_OK
}

@c @implementation
public func sqlite3_str_length(_ text: OpaquePointer!) -> Int32 {
  Int32(truncatingIfNeeded: builder(text)?.pointee.count ?? 0)
}

/// The text as far as it is; nil while it is empty.
@c @implementation
public func sqlite3_str_value(_ text: OpaquePointer!) -> UnsafeMutablePointer<CChar>! {
  guard let handle = builder(text), handle.pointee.count > 0 else { return nil }
  return handle.pointee.start.map {
    UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self)
  }
}
