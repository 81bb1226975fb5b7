/// Rows one after the other in chunks of memory, which several readers may share. A chunk that is
/// full goes to a temporary file when memory is short.
final class RowChunks {
  struct Chunk {
    /// Nil while the chunk is on file only, or used up.
    var memory: UnsafeMutableRawPointer?
    var capacity: Int
    var byteCount = 0
    var fileOffset: Int64 = -1
  }

  static let smallestChunk = 1 << 10
  static let largestChunk = 128 << 10
  static let sizeFieldSize = 8

  let budget: WorkMemory
  @exclusivity(unchecked) var chunks: [Chunk] = []
  private var file: SpillFile?

  init(budget: WorkMemory) { self.budget = budget }

  deinit {
    for index in chunks.indices { release(index) }
  }

  /// Frees a chunk's memory.
  func release(_ index: Int) {
    guard let memory = chunks[index].memory else { return }
    Memory.freeLarge(memory, chunks[index].capacity)
    budget.giveBack(chunks[index].capacity)
    chunks[index].memory = nil
  }

  /// Room for `byteCount` bytes at the end.
  @inline(__always)
  func allocate(
    _ byteCount: Int, readChunk: Int
  ) throws(SQLError) -> UnsafeMutableRawPointer {
    let last = chunks.count - 1
    if last < 0 || chunks[last].memory == nil
      || chunks[last].capacity - chunks[last].byteCount < byteCount
    {
      try addChunk(byteCount, readChunk: readChunk)
    }
    let index = chunks.count - 1
    let place = chunks[index].memory.unsafelyUnwrapped + chunks[index].byteCount
    chunks[index].byteCount += byteCount
    return place
  }

  @inline(never)
  private func addChunk(_ byteCount: Int, readChunk: Int) throws(SQLError) {
    if budget.isExceeded, chunks.count - 1 > readChunk { try spillLastChunk() }
    let size = min(RowChunks.largestChunk, RowChunks.smallestChunk << min(chunks.count, 16))
    let capacity = max(byteCount, size)
    let memory = try Memory.allocateLarge(capacity)
    budget.take(capacity)
    chunks.append(Chunk(memory: memory, capacity: capacity))
  }

  private func spillLastChunk() throws(SQLError) {
    let index = chunks.count - 1
    guard let vfs = budget.vfs, let memory = chunks[index].memory else { return }
    let file = if let known = self.file { known } else { try SpillFile(vfs: vfs) }
    self.file = file
    chunks[index].fileOffset = file.endOffset
    try file.append(memory, chunks[index].byteCount)
    release(index)
  }

  /// Forgets all rows. Of what is in memory, the last chunk stays for those to come.
  func removeAll() {
    guard let last = chunks.popLast() else { return }
    for index in chunks.indices { release(index) }
    chunks.removeAll(keepingCapacity: true)
    file = nil
    chunks.append(last)
    chunks[0].byteCount = 0
    chunks[0].fileOffset = -1
    if last.memory == nil { chunks.removeAll() }
  }

  /// Reads a chunk that is on file.
  func load(_ index: Int, into target: UnsafeMutableRawPointer) throws(SQLError) {
    guard let file, chunks[index].fileOffset >= 0 else { throw SQLError(.internal) }
    try file.read(into: target, chunks[index].byteCount, at: chunks[index].fileOffset)
  }
}
