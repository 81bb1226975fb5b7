// Counters of the whole library (c3ref/status).
import CSQLite3
import MartletEngine

private func counter(_ op: Int32, _ resets: Bool) -> MemoryUse.Count? {
  switch op {
  case SQLITE_STATUS_MEMORY_USED: MemoryUse.byteCount(resettingHighest: resets)
  case SQLITE_STATUS_MALLOC_COUNT: MemoryUse.blockCount(resettingHighest: resets)
  case SQLITE_STATUS_MALLOC_SIZE: MemoryUse.largestRequest(resettingHighest: resets)
  case SQLITE_STATUS_PAGECACHE_OVERFLOW: MemoryUse.pageByteCount(resettingHighest: resets)
  case SQLITE_STATUS_PAGECACHE_SIZE: MemoryUse.largestPage(resettingHighest: resets)
  // No memory of the application is used for pages, none is set aside for short times, and the
  // parser has no stack of its own.
  case SQLITE_STATUS_PAGECACHE_USED, SQLITE_STATUS_SCRATCH_USED, SQLITE_STATUS_SCRATCH_OVERFLOW,
    SQLITE_STATUS_SCRATCH_SIZE, SQLITE_STATUS_PARSER_STACK:
    MemoryUse.Count.zero
  default: nil
  }
}

@c @implementation
public func sqlite3_status64(
  _ op: Int32, _ current: UnsafeMutablePointer<sqlite3_int64>!,
  _ highwater: UnsafeMutablePointer<sqlite3_int64>!, _ resetFlag: Int32
) -> Int32 {
  guard let current, let highwater, let count = counter(op, resetFlag != 0) else {
    return SQLITE_MISUSE
  }
  current.pointee = sqlite3_int64(count.current)
  highwater.pointee = sqlite3_int64(count.highest)
  return SQLITE_OK
}

@c @implementation
public func sqlite3_status(
  _ op: Int32, _ current: UnsafeMutablePointer<Int32>!,
  _ highwater: UnsafeMutablePointer<Int32>!, _ resetFlag: Int32
) -> Int32 {
  guard let current, let highwater, let count = counter(op, resetFlag != 0) else {
    return SQLITE_MISUSE
  }
  current.pointee = Int32(truncatingIfNeeded: count.current)
  highwater.pointee = Int32(truncatingIfNeeded: count.highest)
  return SQLITE_OK
}
