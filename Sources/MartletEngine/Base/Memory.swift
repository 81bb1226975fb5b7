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

/// The one place that asks libc for memory whose size is decided by data.
///
/// Swift's own allocators trap when memory runs out; these throw.
enum Memory {
  /// `byteCount` bytes of uninitialized memory, aligned to 16 bytes. Freed with `free`.
  @inline(__always)
  static func allocate(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    guard let memory = malloc(byteCount == 0 ? 1 : byteCount) else { throw .outOfMemory }
    return memory
  }

  /// `byteCount` zeroed bytes. Freed with `free`.
  static func allocateZeroed(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    guard let memory = calloc(1, byteCount == 0 ? 1 : byteCount) else { throw .outOfMemory }
    return memory
  }

  @inline(__always)
  static func reallocate(
    _ memory: UnsafeMutableRawPointer?, _ byteCount: Int
  ) throws(SQLError) -> UnsafeMutableRawPointer {
    guard let moved = realloc(memory, byteCount == 0 ? 1 : byteCount) else { throw .outOfMemory }
    return moved
  }

  @inline(__always)
  static func free(_ memory: UnsafeMutableRawPointer?) {
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

  /// `memcmp`: negative, zero or positive.
  @inline(__always)
  static func compare(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ byteCount: Int
  ) -> Int {
    Int(memcmp(left, right, byteCount))
  }
}
