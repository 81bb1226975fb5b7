// Rows in the order in which they were added (SQLite's ephemeral tables with increasing rowids).
//
// Rows are `StoredRow`s behind an 8-byte size, packed into chunks. When a chunk is full and memory
// is short, it goes to a temporary file; the last chunk always stays in memory.
//
// Invariants: (1) a row lies in one chunk; (2) only the last chunk grows; (3) a reader loads at
// most one chunk that is on file, into its `window`; (4) a store is shared only after its last row
// was added, so that no chunk leaves memory under another reader.

/// The chunks of a row store, which several readers may share.
private final class RowChunks {
  struct Chunk {
    /// Nil while the chunk is on file only, or used up.
    var memory: UnsafeMutableRawPointer?
    var capacity: Int
    var byteCount = 0
    var fileOffset: Int64 = -1
  }

  static let smallestChunk = 1 << 10
  static let largestChunk = 64 << 10
  static let sizeFieldSize = 8

  let budget: WorkMemory
  var chunks: [Chunk] = []
  private var file: SpillFile?

  init(budget: WorkMemory) { self.budget = budget }

  deinit {
    for index in chunks.indices { release(index) }
  }

  /// Frees a chunk's memory.
  func release(_ index: Int) {
    guard let memory = chunks[index].memory else { return }
    Memory.free(memory)
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
    let memory = try Memory.allocate(capacity)
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

  /// Reads a chunk that is on file.
  func load(_ index: Int, into target: UnsafeMutableRawPointer) throws(SQLError) {
    guard let file, chunks[index].fileOffset >= 0 else { throw SQLError(.internal) }
    try file.read(into: target, chunks[index].byteCount, at: chunks[index].fileOffset)
  }
}

final class RowStore {
  let columnCount: Int
  private let storage: RowChunks
  private var window: UnsafeMutableRawPointer?
  private var windowCapacity = 0
  private var windowChunk = -1
  // The next row to read.
  @exclusivity(unchecked) private var readChunk = 0
  @exclusivity(unchecked) private var readOffset = 0

  init(columnCount: Int, budget: WorkMemory) {
    self.columnCount = columnCount
    storage = RowChunks(budget: budget)
  }

  /// A reader with a place of its own in the rows of another store.
  init(sharing store: RowStore) {
    columnCount = store.columnCount
    storage = store.storage
  }

  deinit {
    Memory.free(window)
    storage.budget.giveBack(windowCapacity)
  }

  /// Adds a row behind all others.
  func append(_ registers: UnsafePointer<Register>) throws(SQLError) {
    let rowSize = try StoredRow.byteCount(of: registers, columnCount)
    let place = try storage.allocate(rowSize + RowChunks.sizeFieldSize, readChunk: readChunk)
    place.storeBytes(of: rowSize, as: Int.self)
    StoredRow.write(registers, columnCount, to: place + RowChunks.sizeFieldSize)
  }

  /// The first row, or nil. Reading starts again from there.
  func first() throws(SQLError) -> UnsafeRawPointer? {
    readChunk = 0
    readOffset = 0
    return try next()
  }

  /// The row after the one read last, or nil. It stays valid until the next call.
  func next() throws(SQLError) -> UnsafeRawPointer? {
    while readChunk < storage.chunks.count {
      if readOffset < storage.chunks[readChunk].byteCount {
        let place = try content(of: readChunk) + readOffset
        readOffset += RowChunks.sizeFieldSize + place.load(as: Int.self)
        return place + RowChunks.sizeFieldSize
      }
      // More may be added to the last chunk: stay in it.
      if readChunk == storage.chunks.count - 1 { return nil }
      readChunk += 1
      readOffset = 0
    }
    return nil
  }

  /// The oldest row, which leaves the store, or nil. It stays valid until the next call.
  func take() throws(SQLError) -> UnsafeRawPointer? {
    let firstChunk = readChunk
    let row = try next()
    // Chunks that are read to their end are not needed any more.
    for index in firstChunk..<readChunk { storage.release(index) }
    return row
  }

  private func content(of index: Int) throws(SQLError) -> UnsafeRawPointer {
    if let memory = storage.chunks[index].memory { return UnsafeRawPointer(memory) }
    if windowChunk != index {
      windowChunk = -1
      try storage.load(index, into: reserveWindow(storage.chunks[index].byteCount))
      windowChunk = index
    }
    return UnsafeRawPointer(window.unsafelyUnwrapped)
  }

  private func reserveWindow(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    if let window, windowCapacity >= byteCount { return window }
    let larger = try Memory.reallocate(window, byteCount)
    storage.budget.take(byteCount - windowCapacity)
    window = larger
    windowCapacity = byteCount
    return larger
  }
}
