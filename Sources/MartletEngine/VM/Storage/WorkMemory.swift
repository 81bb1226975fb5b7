/// The memory that the sorters, hash tables, queues and row stores of one statement share.
///
/// It is a budget, not an allocator: who grows past it goes on in temporary files. Where there are
/// none (`PRAGMA temp_store = MEMORY`), all stays in memory, as in SQLite.
final class WorkMemory {
  /// Bytes that may be in use before spilling begins.
  static let defaultLimit = 16 << 20

  /// What connections begin with: the default, or the number of bytes that the environment says. So
  /// tests let everything spill.
  static let initialLimit: Int = {
    let text = System.environmentVariable("MARTLET_WORK_MEMORY")
    guard let text, let bytes = Int(text), bytes > 0 else { return defaultLimit }
    return bytes
  }()

  let limit: Int
  @exclusivity(unchecked) private(set) var used = 0
  /// Temporary files are made here; nil where nothing can spill.
  let vfs: (any VFS)?

  init(limit: Int = WorkMemory.defaultLimit, vfs: (any VFS)?) {
    self.limit = limit
    self.vfs = vfs
  }

  /// Whether whoever can spill should do so now: the budget is used up, or the memory of the
  /// process is near its soft limit (`MemoryUse`).
  var isExceeded: Bool { (used > limit || MemoryUse.isNearlyFull) && vfs != nil }

  /// Whether to spill a structure that holds that many bytes: one that holds little would only
  /// write tiny pieces while others use up the budget.
  ///
  /// - Parameter neededLater: bytes that the structure will need besides to put its content out.
  @inline(__always)
  func shouldSpill(holding byteCount: Int, neededLater: Int = 0) -> Bool {
    if used &+ neededLater <= limit && !Memory.isCounted { return false }
    return isFull(neededLater) && byteCount > limit / 8
  }

  @inline(never)
  private func isFull(_ neededLater: Int) -> Bool {
    (used &+ neededLater > limit || MemoryUse.isNearlyFull) && vfs != nil
  }

  func take(_ byteCount: Int) { used &+= byteCount }

  func giveBack(_ byteCount: Int) {
    assert(byteCount <= used, "more is given back than was taken")
    used &-= byteCount
  }
}

/// Memory that is taken in small pieces and given back all at once.
///
/// Chunks are linked through their first 16 bytes: the previous chunk, and this one's size.
struct Arena {
  private static let chunkHeaderSize = 16
  private static let smallestChunk = 2 << 10
  private static let largestChunk = 256 << 10
  /// From so many bytes on, chunks are of huge pages.
  private static let manyBytes = 2 * Memory.largeUnit

  private let budget: WorkMemory
  private var chunk: UnsafeMutableRawPointer?
  private var free: UnsafeMutableRawPointer
  private var freeCount = 0
  private var nextChunkSize = Arena.smallestChunk
  /// Bytes of all chunks.
  private(set) var reservedCount = 0

  init(budget: WorkMemory) {
    self.budget = budget
    free = UnsafeMutableRawPointer(mutating: Register.emptyBytes)
  }

  /// `byteCount` bytes, aligned to 8. They stay where they are until `removeAll`.
  @inline(__always)
  mutating func allocate(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    let rounded = (byteCount &+ 7) & ~7
    if rounded > freeCount { try addChunk(rounded) }
    let piece = free
    free = piece + rounded
    freeCount &-= rounded
    return piece
  }

  @inline(never)
  private mutating func addChunk(_ byteCount: Int) throws(SQLError) {
    let isLarge = reservedCount >= Arena.manyBytes
    let size = max(isLarge ? Memory.largeUnit : nextChunkSize, byteCount &+ Arena.chunkHeaderSize)
    let memory = try Memory.allocateLarge(size)
    budget.take(size)
    reservedCount += size
    memory.storeBytes(of: chunk, as: UnsafeMutableRawPointer?.self)
    memory.storeBytes(of: size, toByteOffset: 8, as: Int.self)
    chunk = memory
    free = memory + Arena.chunkHeaderSize
    freeCount = size - Arena.chunkHeaderSize
    nextChunkSize = min(nextChunkSize * 2, Arena.largestChunk)
  }

  /// Gives all pieces back and keeps the newest chunk, where it is no large one, for those to come.
  mutating func reuse() {
    guard let chunk else { return }
    let size = chunk.load(fromByteOffset: 8, as: Int.self)
    guard size <= Arena.largestChunk else { return removeAll() }
    freeChunks(from: chunk.load(as: UnsafeMutableRawPointer?.self))
    chunk.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
    reservedCount = size
    free = chunk + Arena.chunkHeaderSize
    freeCount = size - Arena.chunkHeaderSize
  }

  mutating func removeAll() {
    freeChunks(from: chunk)
    chunk = nil
    reservedCount = 0
    freeCount = 0
    nextChunkSize = Arena.smallestChunk
  }

  private func freeChunks(from newest: UnsafeMutableRawPointer?) {
    var next = newest
    while let memory = next {
      next = memory.load(as: UnsafeMutableRawPointer?.self)
      let size = memory.load(fromByteOffset: 8, as: Int.self)
      budget.giveBack(size)
      Memory.freeLarge(memory, size)
    }
  }
}
