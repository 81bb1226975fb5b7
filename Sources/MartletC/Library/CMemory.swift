// Memory that C and the library give each other (c3ref/free, c3ref/memory_highwater,
// c3ref/hard_heap_limit64).
import CSQLite3
import MartletEngine

/// The one place that gives memory to C: `sqlite3_free` frees it.
enum CMemory {
  /// SQLite's bound of one piece (c3ref/limits).
  private static let largest = 2_147_483_391

  /// `byteCount` bytes; nil for none and where there is no memory.
  static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    guard byteCount > 0 && byteCount <= largest else { return nil }
    return MemoryUse.allocate(byteCount)
  }

  static func reallocate(
    _ memory: UnsafeMutableRawPointer?, _ byteCount: Int
  ) -> UnsafeMutableRawPointer? {
    guard let memory else { return allocate(byteCount) }
    guard byteCount > 0 else {
      MemoryUse.free(memory)
      return nil
    }
    guard byteCount <= largest else { return nil }
    return MemoryUse.reallocate(memory, byteCount)
  }

  @inline(__always)
  static func free(_ memory: UnsafeMutableRawPointer?) { MemoryUse.free(memory) }

  /// Memory for one value of a type, not initialized.
  static func allocate<T>(for type: T.Type) -> UnsafeMutablePointer<T>? {
    allocate(MemoryLayout<T>.stride)?.bindMemory(to: type, capacity: 1)
  }

  /// A copy of bytes with a zero byte behind them.
  static func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeMutablePointer<CChar>? {
    guard let memory = allocate(bytes.count + 1) else { return nil }
    if let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: bytes.count) }
    memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    return memory.bindMemory(to: CChar.self, capacity: bytes.count + 1)
  }

  /// A copy of a text with a zero byte behind it.
  static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
    text.withTextBytes(copy)
  }
}

@c @implementation
public func sqlite3_malloc(_ byteCount: Int32) -> UnsafeMutableRawPointer! {
  sqlite3_initialize() == SQLITE_OK ? CMemory.allocate(Int(byteCount)) : nil
}

@c @implementation
public func sqlite3_malloc64(_ byteCount: sqlite3_uint64) -> UnsafeMutableRawPointer! {
  sqlite3_initialize() == SQLITE_OK ? CMemory.allocate(Int(clamping: byteCount)) : nil
}

@c @implementation
public func sqlite3_realloc(
  _ memory: UnsafeMutableRawPointer!, _ byteCount: Int32
) -> UnsafeMutableRawPointer! {
  sqlite3_initialize() == SQLITE_OK ? CMemory.reallocate(memory, Int(byteCount)) : nil
}

@c @implementation
public func sqlite3_realloc64(
  _ memory: UnsafeMutableRawPointer!, _ byteCount: sqlite3_uint64
) -> UnsafeMutableRawPointer! {
  sqlite3_initialize() == SQLITE_OK ? CMemory.reallocate(memory, Int(clamping: byteCount)) : nil
}

@c @implementation
public func sqlite3_free(_ memory: UnsafeMutableRawPointer!) { CMemory.free(memory) }

@c @implementation
public func sqlite3_msize(_ memory: UnsafeMutableRawPointer!) -> sqlite3_uint64 {
  memory == nil ? 0 : sqlite3_uint64(Library.size(of: memory))
}

@c @implementation
public func sqlite3_memory_used() -> sqlite3_int64 {
  sqlite3_int64(MemoryUse.byteCount().current)
}

@c @implementation
public func sqlite3_memory_highwater(_ resetFlag: Int32) -> sqlite3_int64 {
  sqlite3_int64(MemoryUse.byteCount(resettingHighest: resetFlag != 0).highest)
}

/// Nothing is kept that could be freed without asking a connection; SQLite answers the same unless
/// it is built for it.
@c @implementation
public func sqlite3_release_memory(_ byteCount: Int32) -> Int32 { 0 }

@c @implementation
public func sqlite3_soft_heap_limit64(_ byteCount: sqlite3_int64) -> sqlite3_int64 {
  guard sqlite3_initialize() == SQLITE_OK else { return -1 }
  let known = MemoryUse.softLimitBytes
  if byteCount >= 0 { MemoryUse.setSoftLimit(Int(clamping: byteCount)) }
  return sqlite3_int64(known)
}

@c @implementation
public func sqlite3_hard_heap_limit64(_ byteCount: sqlite3_int64) -> sqlite3_int64 {
  guard sqlite3_initialize() == SQLITE_OK else { return -1 }
  let known = MemoryUse.hardLimitBytes
  if byteCount >= 0 { MemoryUse.setHardLimit(Int(clamping: byteCount)) }
  return sqlite3_int64(known)
}

@c @implementation
public func sqlite3_soft_heap_limit(_ byteCount: Int32) {
  _ = sqlite3_soft_heap_limit64(sqlite3_int64(max(byteCount, 0)))
}
