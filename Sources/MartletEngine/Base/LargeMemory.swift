#if os(Linux) || os(Android)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Android
  #endif
  import Synchronization

  /// Large pieces of memory, which come from the system and go back to it.
  ///
  /// An allocator that gives out large pieces among small ones soon has its heap in shreds, and what
  /// a statement gave back stays with the process. Some pieces are kept for the next statement, as
  /// the system clears whatever it gives.
  enum LargeMemory {
    typealias Piece = UnsafeMutableRawPointer

    /// What is smaller is the allocator's.
    static let leastSize = 128 << 10
    /// So many bytes are cleared at once where the system has huge pages.
    static let hugePage = 2 << 20
    /// Bytes that are kept in all: what one statement may use by default.
    static let keptLimit = 16 << 20

    /// The size that a piece for so many bytes has: a power of two, or whole huge pages.
    static func size(of byteCount: Int) -> Int {
      if byteCount > hugePage / 2 {
        return (min(byteCount, Int.max - hugePage) + hugePage - 1) & ~(hugePage - 1)
      }
      return 1 << (Int.bitWidth - max(byteCount - 1, leastSize - 1).leadingZeroBitCount)
    }

    /// nil where there is no memory.
    ///
    /// - Parameter isZeroed: all bytes are zero; otherwise they may be anything.
    static func allocate(_ byteCount: Int, isZeroed: Bool = false) -> Piece? {
      let size = size(of: byteCount)
      if let piece = takeKept(size) {
        if isZeroed { memset(piece, 0, byteCount) }
        return piece
      }
      if let piece = map(size) { return piece }
      removeKept()
      return map(size)
    }

    static func free(_ piece: Piece, _ byteCount: Int) {
      let size = size(of: byteCount)
      if !keep(piece, size) { munmap(piece, size) }
    }

    private static func map(_ size: Int) -> Piece? {
      let alignment = size >= hugePage ? hugePage : 0
      guard size <= Int.max - alignment else { return nil }
      let memory = mmap(
        nil, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let memory, memory != MAP_FAILED else { return nil }
      guard alignment > 0 else { return memory }
      let piece = memory.alignedUp(toMultipleOf: alignment), before = piece - memory
      if before > 0 { munmap(memory, before) }
      if before < alignment { munmap(piece + size, alignment - before) }
      // Advice only: without huge pages the memory is as good.
      madvise(piece, size, MADV_HUGEPAGE)
      return piece
    }

    // MARK: Pieces that are kept

    /// Four sizes below a huge page, and as many above it as may be kept.
    private static let listCount = 4 + keptLimit / hugePage
    /// For each size the piece that was kept last, which begins with the one before it.
    nonisolated(unsafe) private static let lists: UnsafeMutablePointer<Piece?> = {
      let lists = UnsafeMutablePointer<Piece?>.allocate(capacity: listCount)
      lists.initialize(repeating: nil, count: listCount)
      return lists
    }()
    nonisolated(unsafe) private static var keptCount = 0
    /// Whoever finds it true does without: nobody waits.
    private static let isBusy = Atomic<Bool>(false)

    private static func begin() -> Bool {
      isBusy.compareExchange(
        expected: false, desired: true, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged
    }

    private static func end() { isBusy.store(false, ordering: .releasing) }

    private static func listIndex(_ size: Int) -> Int {
      size < hugePage ? (size / leastSize).trailingZeroBitCount : 3 + size / hugePage
    }

    private static func listedSize(_ index: Int) -> Int {
      index < 4 ? leastSize << index : (index - 3) * hugePage
    }

    private static func takeKept(_ size: Int) -> Piece? {
      guard size <= keptLimit, begin() else { return nil }
      defer { end() }
      return removeFirst(of: listIndex(size))
    }

    /// Of other sizes pieces make room, as those that are given back are what is used now.
    private static func keep(_ piece: Piece, _ size: Int) -> Bool {
      guard size <= keptLimit, begin() else { return false }
      defer { end() }
      let index = listIndex(size)
      var other = listCount - 1
      while keptCount > keptLimit - size && other >= 0 {
        if other != index, let unused = removeFirst(of: other) {
          munmap(unused, listedSize(other))
        } else {
          other -= 1
        }
      }
      guard keptCount <= keptLimit - size else { return false }
      piece.storeBytes(of: lists[index], as: Piece?.self)
      lists[index] = piece
      keptCount += size
      return true
    }

    private static func removeFirst(of index: Int) -> Piece? {
      guard let piece = lists[index] else { return nil }
      lists[index] = piece.load(as: Piece?.self)
      keptCount -= listedSize(index)
      return piece
    }

    /// Gives what is kept back to the system.
    static func removeKept() {
      guard begin() else { return }
      defer { end() }
      for index in 0..<listCount {
        while let piece = removeFirst(of: index) { munmap(piece, listedSize(index)) }
      }
    }
  }
#endif
