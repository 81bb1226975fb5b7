// Arrays of the program as tables (c3ref/carray_bind, carray §3.1).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_carray_bind(
  _ statement: OpaquePointer!, _ index: Int32, _ data: UnsafeMutableRawPointer!, _ count: Int32,
  _ flags: Int32, _ destroy: Destructor!
) -> Int32 {
  sqlite3_carray_bind_v2(statement, index, data, count, flags, destroy, data)
}

@c @implementation
public func sqlite3_carray_bind_v2(
  _ statement: OpaquePointer!, _ index: Int32, _ data: UnsafeMutableRawPointer!, _ count: Int32,
  _ flags: Int32, _ destroy: Destructor!, _ argument: UnsafeMutableRawPointer!
) -> Int32 {
  let kind = Int(bitPattern: unsafeBitCast(destroy, to: UnsafeRawPointer?.self))
  guard StatementHandle(statement) != nil,
    let type = BoundArray.ElementType(rawValue: flags)
  else {
    finish(argument, destroy)
    return StatementHandle(statement) == nil ? SQLITE_MISUSE : SQLITE_ERROR
  }
  let array: BoundArray
  if kind == -1 {
    guard let copy = ArrayCopy(data, Int(count), type) else { return SQLITE_NOMEM }
    array = BoundArray(copy.start, count: Int(count), of: type) { copy.free() }
  } else {
    nonisolated(unsafe) let argument = argument
    array = BoundArray(data, count: Int(count), of: type) { finish(argument, destroy) }
  }
  return bind(statement) { (target) throws(SQLError) in
    try target.bind(pointer: array, type: BoundArray.pointerType, at: Int(index))
  }
}

/// An array with all that its elements refer to, in one piece of memory.
private struct ArrayCopy: @unchecked Sendable {
  let start: UnsafeMutableRawPointer

  /// nil where there is no memory.
  init?(_ data: UnsafeRawPointer?, _ count: Int, _ type: BoundArray.ElementType) {
    let count = data == nil ? 0 : max(0, count)
    let pieces = (0..<count).map { ArrayCopy.piece($0, data, type) }
    let size = ArrayCopy.size(of: type)
    let total = pieces.reduce(count * size) { $0 + $1.count }
    guard let memory = sqlite3_malloc64(UInt64(max(1, total))) else { return nil }
    start = memory
    if let data { memory.copyMemory(from: data, byteCount: count * size) }
    var place = memory + count * size
    for (index, piece) in pieces.enumerated() {
      guard let bytes = piece.baseAddress else { continue }
      place.copyMemory(from: bytes, byteCount: piece.count)
      // The address stands first in both kinds of elements that have one.
      (memory + index * size).storeBytes(of: place, as: UnsafeMutableRawPointer.self)
      place += piece.count
    }
  }

  func free() { sqlite3_free(start) }

  private static func size(of type: BoundArray.ElementType) -> Int {
    switch type {
    case .int32: 4
    case .int64, .double: 8
    case .text: MemoryLayout<UnsafeRawPointer>.size
    case .blob: MemoryLayout<BoundArray.Bytes>.size
    }
  }

  /// What an element refers to; texts with their zero.
  private static func piece(
    _ index: Int, _ data: UnsafeRawPointer?, _ type: BoundArray.ElementType
  ) -> UnsafeRawBufferPointer {
    switch type {
    case .int32, .int64, .double: break
    case .text:
      if let text = data?.assumingMemoryBound(to: UnsafeRawPointer?.self)[index] {
        return UnsafeRawBufferPointer(start: text, count: length(text, .utf8) + 1)
      }
    case .blob:
      if let bytes = data?.assumingMemoryBound(to: BoundArray.Bytes.self)[index] {
        return UnsafeRawBufferPointer(start: bytes.start, count: max(0, bytes.count))
      }
    }
    return UnsafeRawBufferPointer(start: nil, count: 0)
  }
}
