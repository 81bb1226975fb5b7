#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif
import Synchronization

/// The one place that asks libc for memory whose size is decided by data.
///
/// Swift's own allocators trap when memory runs out; these throw.
enum Memory {
  /// `MemoryUse` counts and limits what is given out. Set before anything is allocated.
  nonisolated(unsafe) static var isCounted = false

  /// Pages and nodes are allocations of their own, so that AddressSanitizer sees what is read or
  /// written outside of them.
  static let isIsolated = getenv("MARTLET_ISOLATE_PAGES") != nil

  /// `byteCount` bytes of uninitialized memory, aligned to 16 bytes. Freed with `free`.
  @inline(__always)
  static func allocate(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    if isCounted { return try counted(MemoryUse.allocate(byteCount)) }
    guard let memory = malloc(byteCount == 0 ? 1 : byteCount) else { throw exhausted() }
    return memory
  }

  /// There was none when somebody asked.
  private static let isScarce = Atomic<Bool>(false)

  @inline(never)
  private static func exhausted() -> SQLError {
    isScarce.store(true, ordering: .relaxed)
    return .outOfMemory
  }

  /// Throws where there is not that much memory: asked before Swift's own arrays, which stop the
  /// process then, grow with the data.
  ///
  /// It is malloc that is asked, as Swift will do: nothing is counted, and no limit of the program
  /// or allocator of its own is about arrays.
  static func requireRoom(_ byteCount: Int) throws(SQLError) {
    // What was mapped for the question and is given back, glibc takes from its heap the next time,
    // which grows by a megabyte.
    let slack = byteCount >= 128 << 10 ? 1 << 20 : 0
    guard let memory = obtain(byteCount + slack) else { throw exhausted() }
    systemFree(memory)
  }

  /// A call of its own: the compiler leaves out memory that is taken and given back at once.
  @inline(never)
  private static func obtain(_ byteCount: Int) -> UnsafeMutableRawPointer? { malloc(byteCount) }

  /// Throws where there is too little memory for what is made of a statement.
  static func requireRoom(
    toCompileTokens tokenCount: Int, bytes byteCount: Int
  ) throws(SQLError) {
    try requireRoom(compilingRoom + roomForToken * tokenCount + roomForByte * byteCount)
  }

  /// Asks for the room of some statements with the first of them, and with each once memory was
  /// exhausted.
  @inline(__always)
  static func requireRoom(forStatement number: UInt8) throws(SQLError) {
    if number & 3 == 0 || isScarce.load(ordering: .relaxed) { try requireRoom(compilingRoom) }
  }

  private static let compilingRoom = 100 << 10
  /// Of lists, rows of VALUES, result columns and CASE, a token takes 105 to 180 bytes.
  private static let roomForToken = 192
  /// A literal is copied three times.
  private static let roomForByte = 4

  /// As `allocate`, for what cannot fail: where there is no memory the process ends, as with
  /// Swift's own allocators, which take longer. Not counted; freed with `systemFree`.
  @inline(__always)
  static func take(_ byteCount: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(byteCount) else { fatalError("out of memory") }
    return memory
  }

  @inline(never)
  private static func counted(
    _ memory: UnsafeMutableRawPointer?
  ) throws(SQLError) -> UnsafeMutableRawPointer {
    guard let memory else { throw exhausted() }
    return memory
  }

  /// From here on large memory is best asked for in multiples of this.
  static let largeUnit = 2 << 20

  /// `byteCount` bytes that go back to the system, where they are many, when `freeLarge` has them:
  /// for what a statement needs and no longer.
  ///
  /// - Parameter isZeroed: All bytes are zero; otherwise they may be anything.
  static func allocateLarge(
    _ byteCount: Int, isZeroed: Bool = false
  ) throws(SQLError) -> UnsafeMutableRawPointer {
    #if os(Linux) || os(Android)
      if byteCount >= LargeMemory.leastSize && !isIsolated {
        if isCounted { return try counted(MemoryUse.allocateLarge(byteCount, isZeroed: isZeroed)) }
        return try counted(LargeMemory.allocate(byteCount, isZeroed: isZeroed))
      }
    #endif
    return isZeroed ? try allocateZeroed(byteCount) : try allocate(byteCount)
  }

  /// Frees what `allocateLarge` gave for that many bytes.
  static func freeLarge(_ memory: UnsafeMutableRawPointer?, _ byteCount: Int) {
    #if os(Linux) || os(Android)
      if byteCount >= LargeMemory.leastSize && !isIsolated, let memory {
        if isCounted { return MemoryUse.freeLarge(memory, byteCount) }
        return LargeMemory.free(memory, byteCount)
      }
    #endif
    free(memory)
  }

  /// Gives back to the system what is kept of large memory for statements to come.
  static func releaseLarge() {
    #if os(Linux) || os(Android)
      LargeMemory.removeKept()
    #endif
  }

  /// `byteCount` zeroed bytes. Freed with `free`.
  static func allocateZeroed(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    if isCounted {
      let memory = try allocate(byteCount)
      memset(memory, 0, byteCount)
      return memory
    }
    guard let memory = calloc(1, byteCount == 0 ? 1 : byteCount) else { throw exhausted() }
    return memory
  }

  @inline(__always)
  static func reallocate(
    _ memory: UnsafeMutableRawPointer?, _ byteCount: Int
  ) throws(SQLError) -> UnsafeMutableRawPointer {
    if isCounted { return try counted(MemoryUse.reallocate(memory, byteCount)) }
    guard let moved = realloc(memory, byteCount == 0 ? 1 : byteCount) else { throw exhausted() }
    return moved
  }

  @inline(__always)
  static func free(_ memory: UnsafeMutableRawPointer?) {
    if isCounted { MemoryUse.free(memory) } else { systemFree(memory) }
  }

  @inline(__always)
  static func systemFree(_ memory: UnsafeMutableRawPointer?) {
    #if canImport(Glibc)
      Glibc.free(memory)
    #elseif canImport(Musl)
      Musl.free(memory)
    #elseif canImport(Android)
      Android.free(memory)
    #elseif canImport(WASILibc)
      WASILibc.free(memory)
    #else
      Darwin.free(memory)
    #endif
  }

  @inline(__always)
  static func copy(
    from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ byteCount: Int
  ) {
    memcpy(target, source, byteCount)
  }

  /// Like `copy`, for ranges that may overlap.
  @inline(__always)
  static func move(
    from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ byteCount: Int
  ) {
    memmove(target, source, byteCount)
  }

  /// Where the first zero byte stands, if there is one.
  @inline(__always)
  static func firstZero(in bytes: UnsafeBufferPointer<UInt8>) -> Int? { first(0, in: bytes) }

  /// Where the byte stands first, if it does.
  @inline(__always)
  static func first(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(start)
  }

  /// How many bytes stand before the zero byte.
  @inline(__always)
  static func cStringCount(_ text: UnsafePointer<UInt8>) -> Int { strlen(text) }

  /// `memcmp`: negative, zero or positive.
  @inline(__always)
  static func compare(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ byteCount: Int
  ) -> Int {
    Int(memcmp(left, right, byteCount))
  }
}
