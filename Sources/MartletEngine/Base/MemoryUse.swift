// How much memory the engine has taken, and limits on it (c3ref/memory_highwater,
// c3ref/hard_heap_limit64, malloc §3).
//
// Counting costs a few nanoseconds per allocation, so it is off unless the program asks for it: the
// C interface does, before anything is allocated. Sizes are those that the allocator says it gave;
// Swift does not see how to ask the system's, so who counts brings the function along.
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

/// The memory of all connections of the process: counts, limits, and where it comes from.
public enum MemoryUse {
  public typealias Pointer = UnsafeMutableRawPointer
  /// How many bytes a piece of memory has, which may be more than were asked for.
  public typealias Size = @convention(c) (Pointer?) -> Int

  /// An allocator that stands in for that of the system.
  public struct Allocator: Sendable {
    let allocate: @convention(c) (Int32) -> Pointer?
    let reallocate: @convention(c) (Pointer?, Int32) -> Pointer?
    let free: @convention(c) (Pointer?) -> Void

    public init(
      allocate: @escaping @convention(c) (Int32) -> Pointer?,
      reallocate: @escaping @convention(c) (Pointer?, Int32) -> Pointer?,
      free: @escaping @convention(c) (Pointer?) -> Void
    ) {
      self.allocate = allocate
      self.reallocate = reallocate
      self.free = free
    }
  }

  private static let used = Atomic<Int>(0)
  private static let mostUsed = Atomic<Int>(0)
  private static let blockCount = Atomic<Int>(0)
  private static let mostBlocks = Atomic<Int>(0)
  private static let largest = Atomic<Int>(0)
  private static let pageBytes = Atomic<Int>(0)
  private static let mostPageBytes = Atomic<Int>(0)
  private static let largestPage = Atomic<Int>(0)
  private static let softLimit = Atomic<Int>(0)
  private static let hardLimit = Atomic<Int>(0)
  nonisolated(unsafe) private static var allocator: Allocator?
  /// nil where nothing is counted.
  nonisolated(unsafe) private static var sizeOf: Size?

  /// Counts from now on by the sizes that `sizeOf` tells, or no more, and takes memory from
  /// `allocator` if there is one.
  ///
  /// To be called while nothing is allocated: what was given out before is not known.
  public static func begin(countingBy sizeOf: Size?, allocator: Allocator? = nil) {
    Self.allocator = allocator
    Self.sizeOf = sizeOf
    Memory.isCounted = sizeOf != nil || allocator != nil
  }
}

// MARK: Counts

extension MemoryUse {
  /// A count and the most that it has been.
  public struct Count: Sendable {
    public static let zero = Count(current: 0, highest: 0)

    public let current: Int
    public let highest: Int
  }

  /// Bytes that are in use.
  public static func byteCount(resettingHighest: Bool = false) -> Count {
    count(used, mostUsed, resettingHighest)
  }

  /// Pieces of memory that are in use.
  public static func blockCount(resettingHighest: Bool = false) -> Count {
    count(blockCount, mostBlocks, resettingHighest)
  }

  /// Bytes of pages that are in memory.
  public static func pageByteCount(resettingHighest: Bool = false) -> Count {
    count(pageBytes, mostPageBytes, resettingHighest)
  }

  /// The largest piece that was asked for; there is no current one.
  public static func largestRequest(resettingHighest: Bool = false) -> Count {
    let highest = largest.load(ordering: .relaxed)
    if resettingHighest { largest.store(0, ordering: .relaxed) }
    return Count(current: 0, highest: highest)
  }

  /// The largest page that was asked for; there is no current one.
  public static func largestPage(resettingHighest: Bool = false) -> Count {
    let highest = largestPage.load(ordering: .relaxed)
    if resettingHighest { largestPage.store(0, ordering: .relaxed) }
    return Count(current: 0, highest: highest)
  }

  private static func count(
    _ current: borrowing Atomic<Int>, _ highest: borrowing Atomic<Int>, _ resets: Bool
  ) -> Count {
    let now = current.load(ordering: .relaxed)
    let most = max(now, highest.load(ordering: .relaxed))
    if resets { highest.store(now, ordering: .relaxed) }
    return Count(current: now, highest: most)
  }

  @inline(__always)
  private static func add(
    _ amount: Int, to current: borrowing Atomic<Int>, _ highest: borrowing Atomic<Int>
  ) {
    let now = current.wrappingAdd(amount, ordering: .relaxed).newValue
    raise(highest, to: now)
  }

  @inline(__always)
  private static func raise(_ highest: borrowing Atomic<Int>, to value: Int) {
    if value > highest.load(ordering: .relaxed) { highest.max(value, ordering: .relaxed) }
  }

  /// A cache has taken memory for pages, or given it back.
  static func pagesChanged(by pageCount: Int, pageSize: Int) {
    guard isLimited else { return }
    add(pageCount &* pageSize, to: pageBytes, mostPageBytes)
    if pageCount > 0 { raise(largestPage, to: pageSize) }
  }
}

// MARK: Limits

extension MemoryUse {
  /// Limits have an effect only where bytes are counted.
  static var isLimited: Bool { Memory.isCounted && sizeOf != nil }

  /// Bytes that should not be exceeded; 0 for no limit. Page caches stop growing there.
  public static var softLimitBytes: Int {
    softLimit.load(ordering: .relaxed)
  }

  /// Bytes beyond which allocating fails; 0 for no limit.
  public static var hardLimitBytes: Int {
    hardLimit.load(ordering: .relaxed)
  }

  /// The soft limit is never above a hard one.
  public static func setSoftLimit(_ byteCount: Int) {
    let hard = hardLimitBytes
    let isBeyond = hard > 0 && (byteCount == 0 || byteCount > hard)
    softLimit.store(isBeyond ? hard : byteCount, ordering: .relaxed)
  }

  /// A soft limit that is above the new limit, or none, becomes the new limit.
  public static func setHardLimit(_ byteCount: Int) {
    hardLimit.store(byteCount, ordering: .relaxed)
    let soft = softLimitBytes
    if byteCount < soft || soft == 0 { softLimit.store(byteCount, ordering: .relaxed) }
  }

  /// Memory is better used again than asked for.
  static var isNearlyFull: Bool {
    guard isLimited else { return false }
    let limit = softLimitBytes
    return limit > 0 && used.load(ordering: .relaxed) >= limit
  }

  private static func allows(_ byteCount: Int) -> Bool {
    let limit = hardLimitBytes
    return limit <= 0 || used.load(ordering: .relaxed) < limit &- byteCount
  }
}

// MARK: Allocating

extension MemoryUse {
  /// nil where memory or the hard limit is exhausted. Freed with `free`.
  public static func allocate(_ byteCount: Int) -> Pointer? {
    guard let sizeOf else { return systemAllocate(byteCount) }
    raise(largest, to: byteCount)
    guard allows(byteCount), let memory = systemAllocate(byteCount) else { return nil }
    note(sizeOf(memory))
    return memory
  }

  #if os(Linux) || os(Android)
    static func allocateLarge(_ byteCount: Int, isZeroed: Bool) -> Pointer? {
      guard allocator == nil else {
        let memory = allocate(byteCount)
        if isZeroed, let memory { memset(memory, 0, byteCount) }
        return memory
      }
      let size = LargeMemory.size(of: byteCount)
      raise(largest, to: size)
      guard allows(size), let memory = LargeMemory.allocate(byteCount, isZeroed: isZeroed) else {
        return nil
      }
      note(size)
      return memory
    }

    static func freeLarge(_ memory: Pointer, _ byteCount: Int) {
      guard allocator == nil else { return free(memory) }
      used.wrappingSubtract(LargeMemory.size(of: byteCount), ordering: .relaxed)
      blockCount.wrappingSubtract(1, ordering: .relaxed)
      LargeMemory.free(memory, byteCount)
    }
  #endif

  /// Moves memory to a place of another size; where that fails, the old one stays as it is.
  public static func reallocate(_ memory: Pointer?, _ byteCount: Int) -> Pointer? {
    guard let memory else { return allocate(byteCount) }
    guard let sizeOf else { return systemReallocate(memory, byteCount) }
    let oldSize = sizeOf(memory)
    raise(largest, to: byteCount)
    guard byteCount <= oldSize || allows(byteCount &- oldSize),
      let moved = systemReallocate(memory, byteCount)
    else { return nil }
    add(sizeOf(moved) &- oldSize, to: used, mostUsed)
    return moved
  }

  public static func free(_ memory: Pointer?) {
    guard let memory else { return }
    if let sizeOf {
      used.wrappingSubtract(sizeOf(memory), ordering: .relaxed)
      blockCount.wrappingSubtract(1, ordering: .relaxed)
    }
    if let allocator { allocator.free(memory) } else { Memory.systemFree(memory) }
  }

  @inline(__always)
  private static func note(_ byteCount: Int) {
    add(byteCount, to: used, mostUsed)
    add(1, to: blockCount, mostBlocks)
  }

  @inline(__always)
  private static func systemAllocate(_ byteCount: Int) -> Pointer? {
    let byteCount = max(byteCount, 1)
    guard let allocator else { return malloc(byteCount) }
    return Int32(exactly: byteCount).flatMap { allocator.allocate($0) }
  }

  private static func systemReallocate(_ memory: Pointer, _ byteCount: Int) -> Pointer? {
    let byteCount = max(byteCount, 1)
    guard let allocator else { return realloc(memory, byteCount) }
    return Int32(exactly: byteCount).flatMap { allocator.reallocate(memory, $0) }
  }
}
